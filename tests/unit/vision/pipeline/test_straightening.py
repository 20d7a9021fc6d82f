"""A board whose lines bow is read without the distortion of the lens that they show."""

from __future__ import annotations

import functools
import pickle
from dataclasses import replace

import numpy as np
import pytest

from samples import RenderedPhoto
from samples.optics import bow_image, bow_points
from scoring import Layout, load_edition
from tests.sets.club_boards import club_photo
from tests.support.lens_sections import lens_section
from vision.capture import Frame
from vision.core import Grid, Stopwatch, mirror_corners
from vision.detection import BoardDetection, DetectionStatus
from vision.errors import BoardNotFoundError
from vision.observation import BoardObservation
from vision.pipeline import GameContext, calibrated_frames, camera, load_recognizer, photo, read_photo
from vision.pipeline.straightening import estimate_lens, is_straighter
from vision.profile import BoardSection, Lens, LensModel, Origin, Profile, UndistortedView
from vision.rectification import read_board
from vision.tracking import BoardTracker

BOW = 0.3
ENGLISH = load_edition("english")
MADE = Origin(made="2026-11-25T20:00:00+00:00", sources=())
CONTEXT = GameContext(edition=ENGLISH, recognizer=load_recognizer("network", ENGLISH))


@functools.cache
def board_photo() -> RenderedPhoto:
    return club_photo("english", 1004, 40.0)


@functools.cache
def wide_bgr() -> np.ndarray:
    return bow_image(board_photo().image_bgr, BOW)


def size_px() -> tuple[int, int]:
    height, width = board_photo().image_bgr.shape[:2]
    return height, width


def frame_of(image_bgr: np.ndarray) -> Frame:
    return Frame(image_bgr=image_bgr, source="wide.jpg")


def lens_of(k1: float) -> Lens:
    height, width = size_px()
    return Lens(
        model=LensModel.RADIAL,
        focal_px=(float(width), float(width)),
        centre_px=(width / 2, height / 2),
        distortion=(k1, 0.0, 0.0, 0.0),
        size_px=(width, height),
    )


@pytest.fixture(scope="module")
def wide() -> BoardObservation:
    return read_photo(frame_of(wide_bgr()), CONTEXT)


def test_a_wide_lens_needs_no_calibration(wide: BoardObservation) -> None:
    assert wide.decoded.board.rows == board_photo().rows
    assert wide.remarks == ()
    assert wide.residual_distortion is not None
    assert wide.residual_distortion.deviation_cells < 0.1


def test_the_corners_are_those_of_the_photo(wide: BoardObservation) -> None:
    shown = bow_points(board_photo().corners_px, BOW, size_px())
    assert wide.photo_corners_px == pytest.approx(shown, abs=4.0)


def test_without_it_the_corners_are_off_and_a_line_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(photo, "SETTINGS", replace(photo.SETTINGS, max_straightenings=0))
    found = read_photo(frame_of(wide_bgr()), CONTEXT)
    assert any("lines bow" in remark for remark in found.remarks)
    assert np.abs(found.photo_corners_px - bow_points(board_photo().corners_px, BOW, size_px())).max() > 6.0


def test_a_mirrored_one_too() -> None:
    found = read_photo(frame_of(np.ascontiguousarray(wide_bgr()[:, ::-1])), CONTEXT)
    assert found.is_mirrored
    assert found.decoded.board.rows == board_photo().rows
    shown = bow_points(board_photo().corners_px, BOW, size_px()) * (-1, 1) + (size_px()[1] - 1, 0)
    assert found.photo_corners_px == pytest.approx(shown, abs=4.0)


def test_a_calibrated_lens_is_not_estimated() -> None:
    section = lens_section(lens_of(k1=0.0))
    profile = Profile(name="straight", size_px=section.lens.size_px, lens=section)
    found = read_photo(frame_of(wide_bgr()), replace(CONTEXT, profile=profile))
    assert found.view is not None
    assert found.view.lens.distortion == (0.0,) * 4
    assert any("lines bow" in remark for remark in found.remarks)


def test_a_photo_is_as_bent_as_the_empty_board_that_it_is_compared_with() -> None:
    empty_bgr = np.zeros((15 * 32, 15 * 32, 3), np.uint8)
    section = BoardSection(corners_px=None, empty_bgr=empty_bgr, rows=15, columns=15, fit=0.9, origin=MADE)
    found = read_photo(frame_of(wide_bgr()), replace(CONTEXT, profile=Profile(board=section)))
    assert found.view is None


@pytest.mark.parametrize(("rows", "columns"), [(16, 16), (10, 15)])
def test_an_empty_board_of_another_size_is_not_compared_with(rows: int, columns: int) -> None:
    empty_bgr = np.zeros((rows * 32, columns * 32, 3), np.uint8)
    board = BoardSection(
        corners_px=None, empty_bgr=empty_bgr, rows=rows, columns=columns, fit=0.9, origin=MADE
    )
    found = read_photo(frame_of(board_photo().image_bgr), replace(CONTEXT, profile=Profile(board=board)))
    assert found.decoded.board.rows == board_photo().rows
    assert any("another number of squares, and nothing" in remark for remark in found.remarks)


def test_no_lens_is_estimated_from_lines_that_bulge_inwards() -> None:
    frame = frame_of(bow_image(board_photo().image_bgr, -0.2))
    found = read_photo(frame, CONTEXT)
    assert found.view is None
    assert any("lines bow" in remark for remark in found.remarks)


def test_no_lens_is_estimated_from_straight_or_folded_lines(wide: BoardObservation) -> None:
    assert wide.residual_distortion is not None
    frame = frame_of(wide_bgr())
    assert estimate_lens(frame, wide) is None
    folded = replace(wide.residual_distortion, deviation_cells=0.3, lens=None)
    assert estimate_lens(frame, replace(wide, residual_distortion=folded)) is None
    assert estimate_lens(frame, replace(wide, residual_distortion=None)) is None


def test_a_lens_that_makes_nothing_straighter_is_not_kept(
    wide: BoardObservation, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert not is_straighter(replace(wide, residual_distortion=None), wide)
    assert not is_straighter(wide, wide)
    monkeypatch.setattr(photo, "is_straighter", lambda new, old: False)
    stopwatch = Stopwatch()
    found = read_photo(frame_of(wide_bgr()), CONTEXT, stopwatch=stopwatch)
    assert found.view is None
    assert found.stage_ms["total"] == stopwatch.total_ms, "the time of the second reading counts too"


def test_a_lens_that_no_camera_has_is_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(photo, "estimate_lens", lambda frame, found: lens_of(k1=-40.0))
    found = read_photo(frame_of(wide_bgr()), CONTEXT)
    assert found.view is None


def cut_photo() -> tuple[Frame, Profile, np.ndarray]:
    """A photo that lacks the board's first row, the profile of its lens, and the board's corners in it."""
    corners = bow_points(board_photo().corners_px, BOW, size_px())
    cut = round(corners[:2, 1].mean() + (corners[3, 1] - corners[0, 1]) / 15)
    image_bgr = np.ascontiguousarray(wide_bgr()[cut:])
    height, width = image_bgr.shape[:2]
    lens = replace(lens_of(k1=-BOW), centre_px=(width / 2, size_px()[0] / 2 - cut), size_px=(width, height))
    return (
        frame_of(image_bgr),
        Profile(size_px=lens.size_px, lens=lens_section(lens)),
        corners - (0, cut),
    )


def test_squares_outside_of_the_photo_are_covered_also_with_a_lens() -> None:
    """An undistorted picture is larger than the photo, and repeats its border where nothing was photographed."""
    picture, profile, corners_px = cut_photo()
    found = read_photo(picture, replace(CONTEXT, profile=profile), corners_px=corners_px.tolist())
    assert found.squares_outside >= 15
    assert set(found.decoded.board.rows[0]) == {"#"}


@pytest.mark.parametrize("is_mirrored", [False, True])
def test_squares_outside_of_the_picture_are_covered_also_in_a_film_with_a_lens(is_mirrored: bool) -> None:
    picture, profile, corners_px = cut_photo()
    (frame,) = calibrated_frames([picture], profile, ENGLISH.layout)
    assert isinstance(frame, Frame)
    assert profile.lens is not None
    view = UndistortedView.of(profile.lens.lens, 1280)
    corners_px = view.from_photo(corners_px)
    if is_mirrored:
        frame, corners_px = frame.mirror(), mirror_corners(corners_px, frame.size_px[0])
    grid = Grid.from_corners(corners_px, 15, 15)
    tracker = BoardTracker(
        read_board(frame.image_bgr, grid, CONTEXT.recognizer), pickle.loads(pickle.dumps(frame))
    )
    assert tracker.out_of_view[0].all()
    assert not tracker.out_of_view[2:].any()


def test_a_refused_grid_is_in_pixels_of_the_photo_also_with_a_profile() -> None:
    cells = (
        np.kron(np.indices((16, 16)).sum(axis=0) % 2, np.ones((120, 120)))[..., None] * [120, 150, 160] + 60
    )
    board = np.pad(cells.astype(np.uint8), ((90, 90), (90, 90), (0, 0)), constant_values=200)
    tried = []
    for lens in (None, replace(lens_of(0.0), size_px=(2100, 2100), centre_px=(1050.0, 1050.0))):
        profile = None if lens is None else Profile(size_px=lens.size_px, lens=lens_section(lens))
        with pytest.raises(BoardNotFoundError) as refusal:
            read_photo(frame_of(board), replace(CONTEXT, profile=profile))
        tried.append(refusal.value.tried_px)
    assert tried[0] is not None
    assert tried[1] is not None
    assert np.abs(tried[1] - tried[0]).max() < 120


def test_a_refused_grid_of_a_board_that_is_undistorted_again_is_in_pixels_of_the_photo(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    lens = replace(lens_of(-0.1), focal_px=(3500.0, 3500.0), centre_px=(1999.5, 1499.5), size_px=(4000, 3000))
    shown = np.array([[1200.0, 700], [2700, 720], [2680, 2200], [1180, 2190]])

    def detect(image_bgr: np.ndarray, layout: Layout, **_: object) -> BoardDetection:
        corners = UndistortedView.of(lens, 800).from_photo(shown)
        return BoardDetection(
            grid=Grid.from_corners(corners, 15, 15),
            status=DetectionStatus.UNCERTAIN,
            explain=lambda: "no board found",
            tried_px=corners,
        )

    monkeypatch.setattr(camera, "detect_boards", detect)
    model = camera.CameraModel(lens=lens, corners_px=None)
    found = model.find(frame_of(np.zeros((3000, 4000, 3), np.uint8)), ENGLISH.layout, allow_uncertain=True)
    assert found.in_photo(found.grid.corners_px) == pytest.approx(shown, abs=0.01)
    assert found.detection.error().convert(found.in_photo).tried_px == pytest.approx(shown, abs=0.01)
