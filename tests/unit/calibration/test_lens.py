"""A lens from views: what is found, what is left out, and what is refused with a reason."""

from __future__ import annotations

import re
from pathlib import Path

import cv2
import numpy as np
import pytest

from calibration.actions import measure_board
from calibration.lens.board_detection import detect_board_lines, measure_line_residual
from calibration.lens.fit import fit_lens
from calibration.lens.target import PAPERS_MM, Target, View, detect_target, draw_sheet, write_sheet
from calibration.lens.view_selection import count_points_by_ninth, describe_missing_views, drop_repeated_views
from samples import TrueLens
from scoring import load_edition
from tests.support.lens_sections import lens_section
from tests.support.unknown_club import BARREL, SHEET, Club, draw_pose, photograph_board, photograph_sheet
from vision.capture import Frame
from vision.core.geometry import Grid
from vision.detection import locate
from vision.errors import InputError, SettingsError
from vision.profile.lens import Lens, LensModel, UndistortedView
from vision.profile.profile import Profile
from vision.recognition.cascade import CascadeReader

pytestmark = pytest.mark.slow

FISHEYE = TrueLens(
    focal_px=520.0,
    centre_px=(646.0, 471.0),
    distortion=(0.03, -0.012, 0.002, 0.0),
    size_px=(1280, 960),
    fisheye=True,
)
PINHOLE = TrueLens(focal_px=1536.0, centre_px=(640.0, 480.0), distortion=(0.0,) * 5, size_px=(1280, 960))
MM = (SHEET.columns * SHEET.square_mm, SHEET.rows * SHEET.square_mm)


def a_view(lens: TrueLens, seed: int, noise_px: float = 0.08, tilt: tuple[float, float] = (5, 42)) -> View:
    """The sheet's corners as they would be found, without drawing it."""
    rng = np.random.default_rng([seed, 7])
    turn, place = draw_pose(rng, lens, MM, tilt)
    pixels = lens.project(SHEET.corners_mm, turn, place)
    return View(
        name=f"view {seed}",
        points=SHEET.corners_mm,
        pixels=pixels + rng.normal(0, noise_px, pixels.shape),
        size_px=lens.size_px,
    )


@pytest.mark.parametrize("lens", [BARREL, FISHEYE])
def test_a_lens_is_found_with_its_model_and_its_uncertainty(lens: TrueLens) -> None:
    fitted = fit_lens([a_view(lens, seed) for seed in range(14)])
    assert fitted.lens.model is (LensModel.FISHEYE if lens.fisheye else LensModel.RADIAL)
    assert fitted.lens.focal_px[0] == pytest.approx(lens.focal_px, rel=0.003)
    assert abs(fitted.lens.focal_px[0] - lens.focal_px) < 5 * fitted.uncertainty["fx"] + 0.2
    assert fitted.error_px < 0.14
    assert not fitted.left_out


def test_a_bad_view_is_left_out_and_named() -> None:
    views = [a_view(BARREL, seed) for seed in range(10)]
    bent = View(
        name="bent sheet",
        points=views[3].points,
        pixels=views[3].pixels + 6 * np.sin(views[3].points[:, :1] / 40),
        size_px=BARREL.size_px,
    )
    fitted = fit_lens([*views, bent])
    assert set(fitted.left_out) >= {"bent sheet"}
    assert "px off" in fitted.left_out["bent sheet"]
    assert fitted.lens.focal_px[0] == pytest.approx(BARREL.focal_px, rel=0.005)


def test_identical_views_count_once() -> None:
    views = [a_view(BARREL, seed) for seed in range(5)]
    twins = [
        View(name=f"twin {i}", points=v.points, pixels=v.pixels + 0.1, size_px=v.size_px)
        for i, v in enumerate(views)
    ]
    kept, repeated = drop_repeated_views([*views, *twins])
    assert len(kept) == 5
    assert repeated["twin 2"] == "it shows the same as view 2"
    named = r"\(twin 0: it shows the same as view 0, twin 1: it shows the same as view 1, .*\)"
    with pytest.raises(InputError, match=rf"5 of 10 pictures are different views {named}; .*tilted"):
        fit_lens([*views, *twins])
    with pytest.raises(InputError, match=r"5 of 8 pictures are different views \(view 0: it shows"):
        fit_lens([*views, *views[:1] * 3])


def test_no_view_at_all_is_reported() -> None:
    with pytest.raises(
        InputError, match=r"0 of 0 pictures are different views.*add pictures from 10 to 15 different sides"
    ):
        fit_lens([])


def test_views_from_straight_above_alone_are_refused_with_what_to_add() -> None:
    views = [a_view(BARREL, seed, noise_px=0.5, tilt=(0.0, 1.0)) for seed in range(8)]
    with pytest.raises(InputError, match=r"unsure by .*add views tilted by 20 to 45 degrees"):
        fit_lens(views)


def test_what_is_missing_is_named_by_side_and_place() -> None:
    views = [a_view(BARREL, seed) for seed in range(20)]
    positions = np.concatenate([view.pixels / view.size_px for view in views])
    assert count_points_by_ninth(positions).sum() == 20 * len(SHEET.corners_mm)
    assert describe_missing_views(views, None) == (
        "more views from other sides, also closer and turned by a quarter"
    )
    assert describe_missing_views(views, None, len(views) + 1) != ""
    assert describe_missing_views(views, None, len(views)) == ""
    corner = View(name="corner", points=views[0].points, pixels=views[0].pixels * 0.2, size_px=BARREL.size_px)
    assert "bottom right" in describe_missing_views([corner], None, 1)


@pytest.mark.parametrize(
    ("side", "turn"),
    [("left", (0, -0.6, 0)), ("right", (0, 0.6, 0)), ("top", (0.6, 0, 0)), ("bottom", (-0.6, 0, 0))],
)
def test_only_the_sides_that_no_view_has_nearer_are_named(
    side: str, turn: tuple[float, float, float]
) -> None:
    axis = np.array(turn)
    rotation, _ = cv2.Rodrigues(axis)
    place = np.array([0, 0, 500]) - rotation @ np.array([*MM, 0]) / 2
    depth = SHEET.corners_mm @ rotation[2] + place[2]
    along = SHEET.corners_mm[:, 0 if side in ("left", "right") else 1]
    assert (depth[along.argmin()] < depth[along.argmax()]) == (side in ("left", "top"))
    pixels = PINHOLE.project(SHEET.corners_mm, axis, place)
    view = View(name=side, points=SHEET.corners_mm, pixels=pixels, size_px=PINHOLE.size_px)
    others = [
        f"its {each} nearer" for each in ("left side", "right side", "top", "bottom") if side not in each
    ]
    tilted, *_ = describe_missing_views([view], None).split(" and ")
    assert tilted == f"views tilted by 20 to 45 degrees with {', '.join(others)}"


def test_pictures_of_two_sizes_are_named() -> None:
    views = [a_view(BARREL, seed) for seed in range(6)]
    other = View(name="small", points=views[0].points, pixels=views[0].pixels / 2, size_px=(640, 480))
    with pytest.raises(InputError, match="small has 640x480"):
        fit_lens([*views, other])


@pytest.fixture(scope="module")
def picture() -> np.ndarray:
    return photograph_sheet(BARREL, 4)


def test_the_printed_sheet_is_found_to_a_fraction_of_a_pixel(picture: np.ndarray) -> None:
    view = detect_target(picture, "a.jpg", SHEET)
    assert len(view.points) > 40
    homography, _ = cv2.findHomography(view.points[:, :2], view.pixels)
    assert homography is not None


def test_a_chessboard_without_markers_is_found() -> None:
    plain = Target(columns=10, rows=7, square_mm=26.0, markers=False)
    view = detect_target(photograph_sheet(BARREL, 4, plain), "a.jpg", plain)
    assert len(view.points) == 54


def test_bad_pictures_are_named(picture: np.ndarray) -> None:
    for image, reason in (
        (np.ascontiguousarray(picture[:, ::-1]), "mirrored"),
        (np.full_like(picture, 120), "one plain surface"),
        (cv2.GaussianBlur(picture, (0, 0), 14), "blurred"),
        (cv2.rectangle(picture.copy(), (0, 0), (1280, 960), (90, 200, 90), 840), "no target|only"),
    ):
        with pytest.raises(InputError, match=reason):
            detect_target(np.asarray(image, np.uint8), "a.jpg", SHEET)


@pytest.mark.parametrize("ending", ["pdf", "png"])
def test_the_sheet_has_its_exact_size(tmp_path: Path, ending: str) -> None:
    from PIL import Image

    path = tmp_path / f"sheet.{ending}"
    write_sheet(path, SHEET, "a4")
    if ending == "pdf":
        box = re.search(rb"/MediaBox \[ ?0 0 ([\d.]+) ([\d.]+)", path.read_bytes())
        assert box is not None
        width, height = (float(side) * 25.4 / 72 for side in box.groups())
    else:
        with Image.open(path) as image:
            width, height = (
                side * 25.4 / dpi for side, dpi in zip(image.size, image.info["dpi"], strict=True)
            )
    assert (width, height) == pytest.approx(PAPERS_MM["a4"], abs=0.15)
    pattern = draw_sheet(SHEET, "a4")[..., 0] < 128
    across = np.flatnonzero(pattern[: pattern.shape[0] * 9 // 10].any(axis=0))
    assert (across[-1] - across[0] + 1) * 25.4 / 300 == pytest.approx(
        SHEET.columns * SHEET.square_mm, abs=0.3
    )


def test_sheets_that_cannot_be_are_refused(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="4 to 40 squares"):
        Target(columns=3)
    with pytest.raises(SettingsError, match=r"30x20 squares need 300 markers.*--chess"):
        Target(columns=30, rows=20)
    assert Target(columns=30, rows=20, markers=False).draw(4).shape == (80, 120)
    assert Target(columns=25, rows=20).draw(10).shape == (200, 250)
    with pytest.raises(SettingsError, match="do not fit a4"):
        draw_sheet(Target(square_mm=40.0), "a4")
    with pytest.raises(SettingsError, match="choose a4"):
        draw_sheet(SHEET, "stamp")
    with pytest.raises(SettingsError, match=r"\.pdf or \.png"):
        write_sheet(tmp_path / "sheet.doc", SHEET, "a4")


@pytest.fixture(scope="module")
def bent_board() -> tuple[np.ndarray, np.ndarray]:
    """A picture of an empty board through the barrel, and where its crossings are."""
    return photograph_board(BARREL, Club.english().above([["."] * 15 for _ in range(15)]), 9)


def test_the_empty_word_board_is_a_target_too(bent_board: tuple[np.ndarray, np.ndarray]) -> None:
    image, crossings = bent_board
    view = detect_board_lines(image, "empty.jpg", load_edition("english").layout)
    away = np.linalg.norm(view.pixels[:, None] - crossings, axis=-1).min(axis=1)
    assert len(view.points) > 150
    assert np.median(away) < 1.0  # the printed line itself lies half a pixel beside its place
    with pytest.raises(InputError, match=r"empty\.jpg"):
        detect_board_lines(np.full((300, 300, 3), 90, np.uint8), "empty.jpg", load_edition("english").layout)


def test_a_bent_board_without_a_lens_is_learnt_with_a_remark(
    bent_board: tuple[np.ndarray, np.ndarray],
) -> None:
    frame = Frame(image_bgr=bent_board[0], source="empty.jpg")
    layout = load_edition("english").layout
    lens = Lens(
        model=LensModel.RADIAL,
        focal_px=(BARREL.focal_px, BARREL.focal_px),
        centre_px=BARREL.centre_px,
        distortion=BARREL.distortion[:4],
        size_px=BARREL.size_px,
    )
    profile = Profile(size_px=BARREL.size_px, lens=lens_section(lens))
    bent, straight = (
        measure_board(frame, layout, CascadeReader.load(), fixed=False, profile=known)
        for known in (Profile(), profile)
    )
    assert "photos are not straightened" in bent.remarks[0]
    assert straight.remarks == ()


def test_a_profile_straightens_the_lines(bent_board: tuple[np.ndarray, np.ndarray]) -> None:
    layout = load_edition("english").layout
    image, crossings = bent_board
    bent = measure_line_residual(image, locate(image, layout))
    lens = fit_lens([a_view(BARREL, seed) for seed in range(12)]).lens
    view = UndistortedView.of(lens, 1000)
    corners = view.from_photo(crossings.reshape(16, 16, 2)[[0, 0, -1, -1], [0, -1, -1, 0]])
    straight = measure_line_residual(view.undistort(image), Grid.from_corners(corners, 15, 15))
    assert straight < 0.02
    assert straight < bent / 2
