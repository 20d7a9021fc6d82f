"""The empty board, the light over it, and the report: what is measured and what is said."""

from __future__ import annotations

import dataclasses
import warnings

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from calibration.actions import measure_board, measure_lighting, measure_tiles
from calibration.empty_board import learn_board, learn_layout
from calibration.lighting import measure_light, suggest_camera_settings
from calibration.report.page import PhotoComparison, TilesComparison, render_report
from samples import Camera, Light, icelandic_style, render_photo
from scoring import Board, Game, Layout, Premium, load_edition
from tests.sets.exotic_sets import random_position
from tests.support.unknown_club import Club
from tests.unit.vision.profile.test_profile import LENS, MADE, a_board, a_profile, some_tiles
from vision.capture import Frame
from vision.core.boards import Occupancy, SquareProbabilities
from vision.core.geometry import Grid
from vision.decoding.background import compare_with_empty_board
from vision.detection import BoardDetection, DetectionStatus, Effort
from vision.errors import BoardNotFoundError, InputError
from vision.pipeline.camera import CameraModel, calibrated_frames
from vision.pipeline.recognizers import GameContext
from vision.pipeline.video import VideoTracker, track_video
from vision.profile.profile import LightSection, Profile
from vision.recognition.cascade import CascadeReader
from vision.rectification import rectify, rectify_at_tile_height
from vision.tracking.board_tracker import BoardTracker

LAYOUT = load_edition("english").layout


@pytest.fixture(scope="module")
def empty() -> Frame:
    """The club's empty board from above, with some table around it."""
    photo = Club.english().above([["."] * 15 for _ in range(15)])
    image = cv2.copyMakeBorder(photo.image_bgr, 60, 60, 60, 60, cv2.BORDER_CONSTANT, value=(90, 100, 110))
    return Frame(image_bgr=np.asarray(image, np.uint8), source="empty.jpg")


def test_an_empty_board_is_learnt_and_its_layout_seen(empty: Frame) -> None:
    section = learn_board(empty, LAYOUT, CascadeReader.load(), fixed=True)
    assert section.corners_px is not None
    assert section.empty_bgr.shape == (240, 240, 3)
    seen = learn_layout(section.empty_bgr, 15, 15, LAYOUT)
    differ = [
        (row, column)
        for row in range(15)
        for column in range(15)
        if seen.premiums[row][column] is not LAYOUT.premiums[row][column]
    ]
    assert set(differ) <= {(7, 7)}  # a start may carry a colour of its own


@pytest.mark.parametrize(("board", "edition"), [("english", "krydsord"), ("krydsord", "english")])
def test_a_board_of_another_size_is_reported_unless_its_corners_are_named(board: str, edition: str) -> None:
    laid, layout = load_edition(board), load_edition(edition).layout
    photo = render_photo(
        Board.empty(laid).rows,
        laid,
        style=icelandic_style(),
        camera=Camera(cell_px=36),
        light=Light(),
        seed=1,
    )
    frame, network = Frame(image_bgr=photo.image_bgr, source="empty.jpg"), CascadeReader.load()
    for known, corners_px, is_reported in (
        (layout, None, True),
        (laid.layout, None, False),
        (layout, photo.corners_px.tolist(), False),
    ):
        measured = measure_board(frame, known, network, fixed=False, profile=Profile(), corners_px=corners_px)
        assert any("another number of squares" in remark for remark in measured.remarks) == is_reported


def test_lines_are_measured_also_where_the_corners_are_given(empty: Frame) -> None:
    found = learn_board(empty, LAYOUT, CascadeReader.load(), fixed=True)
    assert found.corners_px is not None
    half_px = (found.corners_px[1] - found.corners_px[0]) / 30
    shares = [
        learn_board(empty, LAYOUT, CascadeReader.load(), fixed=True, corners_px=corners.tolist()).fit
        for corners in (found.corners_px, found.corners_px + half_px)
    ]
    assert shares[0] == pytest.approx(found.fit, abs=0.05)
    assert shares[1] < 0.6 * found.fit


def test_uneven_light_makes_no_premium_squares(empty: Frame) -> None:
    section = learn_board(empty, LAYOUT, CascadeReader.load(), fixed=True)
    row, column = np.mgrid[:240, :240] / 239
    for light in (1.0 - 0.35 * row, 1.0 - 0.2 * column - 0.3 * row * row):
        lit = (section.empty_bgr * light[..., None]).astype(np.uint8)
        assert learn_layout(lit, 15, 15, LAYOUT) == learn_layout(section.empty_bgr, 15, 15, LAYOUT)


def test_a_layout_of_the_same_size_keeps_its_start_squares(empty: Frame) -> None:
    corners = dataclasses.replace(LAYOUT, start=frozenset({(0, 0), (0, 1)}))
    section = learn_board(empty, corners, CascadeReader.load(), fixed=True)
    assert learn_layout(section.empty_bgr, 15, 15, corners).start == corners.start


def test_a_board_of_its_own_gets_a_layout_of_its_own() -> None:
    marks = [[Premium.PLAIN] * 9 for _ in range(9)]
    picture = np.full((9 * 16, 9 * 16, 3), (200, 220, 225), np.uint8)
    for kind, colour, squares in (
        (Premium.TRIPLE_WORD, (60, 60, 200), ((0, 0), (8, 8))),
        (Premium.DOUBLE_WORD, (200, 120, 60), ((2, 3), (4, 4), (6, 1))),
    ):
        for row, column in squares:
            marks[row][column] = kind
            picture[row * 16 : row * 16 + 16, column * 16 : column * 16 + 16] = colour
    seen = learn_layout(picture, 9, 9, LAYOUT)
    assert seen == Layout(premiums=tuple(tuple(row) for row in marks))
    with pytest.raises(InputError, match="all squares look alike"):
        learn_layout(np.full((144, 144, 3), 90, np.uint8), 9, 9, LAYOUT)


def test_a_board_with_tiles_is_not_empty() -> None:
    club = Club.english()
    rows = [["."] * 15 for _ in range(15)]
    rows[7][5:10] = list("HOUSE")
    photo = club.above(rows)
    with pytest.raises(InputError, match="take everything off the board"):
        learn_board(
            Frame(image_bgr=photo.image_bgr, source="a.jpg"),
            LAYOUT,
            CascadeReader.load(),
            fixed=False,
            corners_px=photo.corners_px.tolist(),
        )


def test_a_fixed_board_is_checked_and_searched_where_it_moved(empty: Frame) -> None:
    section = learn_board(empty, LAYOUT, CascadeReader.load(), fixed=True)
    assert section.corners_px is not None
    height, width = empty.image_bgr.shape[:2]
    sight = CameraModel.of(Profile(size_px=(width, height), board=section), (width, height))
    np.testing.assert_allclose(sight.find(empty, LAYOUT).grid.corners_px, section.corners_px, atol=2)
    shift = np.array([[1.0, 0, 37], [0, 1.0, -22]])
    image = cv2.warpAffine(empty.image_bgr, shift, (width, height), borderMode=cv2.BORDER_REPLICATE)
    moved = Frame(image_bgr=np.asarray(image, np.uint8), source="moved.jpg")
    found = sight.find(moved, LAYOUT)
    np.testing.assert_allclose(found.grid.corners_px, section.corners_px + np.array([37, -22]), atol=3)
    (given,) = calibrated_frames([moved], Profile(size_px=(width, height), board=section), LAYOUT)
    assert isinstance(given, Frame)
    assert np.shares_memory(given.image_bgr, moved.image_bgr)
    assert given.expected_grid is not None
    np.testing.assert_allclose(given.expected_grid.corners_px, section.corners_px)


def test_a_doubtful_board_is_given_with_its_doubt_only_to_whoever_reads_its_letters(
    empty: Frame, monkeypatch: pytest.MonkeyPatch
) -> None:
    doubt = BoardNotFoundError("no board found: a board seems to be there")
    grid = Grid.from_corners([[60, 60], [660, 60], [660, 660], [60, 660]], 15, 15, 0.5)

    def seen(
        image_bgr: NDArray[np.uint8], layout: Layout, *, effort: Effort, allow_uncertain: bool
    ) -> BoardDetection:
        if not allow_uncertain:
            raise doubt
        return BoardDetection(grid=grid, status=DetectionStatus.UNCERTAIN, explain=lambda: str(doubt))

    monkeypatch.setattr("vision.pipeline.camera.detect_boards", seen)
    sight = CameraModel(lens=None, corners_px=None)
    with pytest.raises(BoardNotFoundError, match="seems to be there"):
        sight.find(empty, LAYOUT)
    found = sight.find(empty, LAYOUT, allow_uncertain=True)
    assert (found.grid, found.detection.status) == (grid, DetectionStatus.UNCERTAIN)
    assert str(found.detection.error()) == str(doubt)


def seen_from(empty: Frame, shift_px: tuple[int, int], first: int, count: int) -> list[Frame]:
    """So many frames of a film, four a second, from a camera that has moved."""
    height, width = empty.image_bgr.shape[:2]
    matrix = np.array([[1.0, 0, shift_px[0]], [0, 1.0, shift_px[1]]])
    image = cv2.warpAffine(empty.image_bgr, matrix, (width, height), borderMode=cv2.BORDER_REPLICATE)
    picture = np.asarray(image, np.uint8)
    return [
        Frame(image_bgr=picture, source="film", index=n, time_s=n / 4) for n in range(first, first + count)
    ]


@pytest.fixture
def fixed(empty: Frame) -> Profile:
    section = learn_board(empty, LAYOUT, CascadeReader.load(), fixed=True)
    height, width = empty.image_bgr.shape[:2]
    return Profile(size_px=(width, height), board=section)


def followed(frames: list[Frame], profile: Profile) -> tuple[VideoTracker, list[tuple[int, str]]]:
    film = calibrated_frames(frames, profile, LAYOUT)
    game = Game(edition=load_edition("english"), players=("Anna", "Ben"))
    watch = VideoTracker(game, GameContext(edition=game.edition, recognizer=CascadeReader.load()))
    return watch, [(batch.index, item.message) for batch in track_video(film, watch) for item in batch.items]


def test_a_film_tells_that_a_fixed_board_has_moved_and_that_it_is_back(empty: Frame, fixed: Profile) -> None:
    frames = [
        *seen_from(empty, (0, 0), 0, 12),
        *seen_from(empty, (37, -22), 12, 16),
        *seen_from(empty, (0, 0), 28, 16),
    ]
    watch, told = followed(frames, fixed)
    assert [index >= 12 for index, _ in told] == [True, True]
    assert "squares from where it was calibrated: it or the camera has moved" in told[0][1]
    assert "is where it was calibrated again" in told[1][1]
    assert told[1][0] >= 28
    assert watch.grid is not None
    assert fixed.board is not None
    np.testing.assert_allclose(watch.grid.corners_px, np.asarray(fixed.board.corners_px), atol=3)


def test_a_film_follows_a_board_that_creeps_away(
    empty: Frame, fixed: Profile, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        BoardTracker, "has_moved", property(lambda _: False)
    )  # as where each step is too small to show
    frames = [*seen_from(empty, (0, 0), 0, 16), *seen_from(empty, (9, 0), 16, 16)]
    watch, told = followed(frames, fixed)
    assert told == []
    assert watch.grid is not None
    assert fixed.board is not None
    away = watch.grid.corners_px - np.asarray(fixed.board.corners_px)
    np.testing.assert_allclose(away, [[9, 0]] * 4, atol=3)


def lit(change: np.ndarray | float = 1.0, add: tuple[float, float, float] = (0, 0, 0)) -> Frame:
    rng = np.random.default_rng(0)
    scene = np.full((240, 320, 3), 190.0)
    scene[::20, :] = scene[:, ::20] = 60.0
    scene[100:140, 140:180] = 70.0
    scene = scene * change + np.array(add) + rng.normal(0, 1, scene.shape)
    return Frame(image_bgr=np.clip(scene, 0, 255).astype(np.uint8), source="a.jpg")


def test_good_light_needs_no_advice() -> None:
    section = measure_light([lit(), lit(1.002)])
    assert section.advice == ()
    assert section.measures["flicker"] < 0.01
    assert suggest_camera_settings(dict(section.measures)) == []


BANDS = np.tile(1 + 0.06 * np.sin(np.arange(240) / 12), (320, 1)).T[..., None]
STRONG_BANDS = 1 + 5 * (BANDS - 1)


@pytest.mark.parametrize(
    ("frames", "advice", "setting"),
    [
        ([lit(0.3)], "too dark", "exposure_time_absolute"),
        ([lit(1.6)], "pure white", "exposure_time_absolute"),
        ([lit(add=(40, 0, -30))], "the picture is bluish", "white_balance_automatic=0"),
        ([lit(), lit(0.9)], "from picture to picture", "power_line_frequency"),
        ([lit(), lit(BANDS)], "bands run through the picture", "power_line_frequency"),
        ([lit(2 - STRONG_BANDS), lit(STRONG_BANDS)], "bands run through the picture", "power_line_frequency"),
        ([lit(np.linspace(1.2, 0.3, 320)[None, :, None])], "uneven", ""),
    ],
)
def test_bad_light_is_named_with_what_helps(frames: list[Frame], advice: str, setting: str) -> None:
    section = measure_light(frames)
    assert any(advice in line for line in section.advice), section
    assert setting in " ".join(suggest_camera_settings(dict(section.measures)))


def test_blur_and_noise_are_named() -> None:
    sharp = lit().image_bgr
    soft = Frame(image_bgr=np.asarray(cv2.GaussianBlur(sharp, (0, 0), 3), np.uint8), source="a.jpg")
    noise = np.random.default_rng(1).normal(0, 14, sharp.shape)
    grainy = Frame(image_bgr=np.clip(sharp + noise, 0, 255).astype(np.uint8), source="a.jpg")
    assert any("blurred" in line for line in measure_light([soft]).advice)
    assert any("noisy" in line for line in measure_light([grainy]).advice)


def test_black_pictures_are_only_too_dark() -> None:
    black = Frame(image_bgr=np.zeros((240, 320, 3), np.uint8), source="a.jpg")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        measured = measure_lighting([black, black], LAYOUT)
    assert [line.partition(" (")[0] for line in measured.section.advice] == ["too dark"]
    assert "flicker" not in measured.section.measures


def test_pictures_of_different_scenes_say_that_flicker_is_not_measured() -> None:
    other = Frame(image_bgr=np.rot90(lit(0.8).image_bgr, 2).copy(), source="b.jpg")
    measured = measure_lighting([lit(), other], LAYOUT)
    assert "flicker" not in measured.section.measures
    assert any("flicker was not measured" in line for line in measured.section.advice)
    assert measured.summary == "to be improved"
    assert measure_lighting([lit(), lit(1.002)], LAYOUT).summary == "the light is good"


def test_pictures_of_two_sizes_are_refused() -> None:
    other = Frame(image_bgr=lit().image_bgr[:240, :240], source="b.jpg")
    with pytest.raises(InputError, match=r"light: a\.jpg has 320x240 px, b\.jpg has 240x240; take all"):
        measure_light([lit(), other])


def test_light_inside_the_board_alone_is_measured() -> None:
    image = np.full((300, 300, 3), 255, np.uint8)
    image[100:200, 100:200] = 120
    corners = np.array([[100.0, 100], [200, 100], [200, 200], [100, 200]])
    section = measure_light([Frame(image_bgr=image, source="a.jpg")], corners)
    assert section.measures["clipped"] < 0.05
    with pytest.raises(ValueError, match="one picture at least"):
        measure_light([])


def test_a_report_is_one_page_that_loads_nothing() -> None:
    photo = PhotoComparison(
        name="<game>.jpg",
        before_bgr=np.zeros((60, 80, 3), np.uint8),
        after_bgr=np.zeros((60, 80, 3), np.uint8),
        residual_before=0.12,
        residual_after=float("nan"),
        rows_before=(("A", "."),),
        rows_after=(("B", "."),),
        note="without: no board found",
    )
    trial = TilesComparison(truth=("A", "B", "B"), before=("A", "A", "B"), after=("A", "A", ""))
    page = render_report(a_profile(), [photo], trial)
    assert "http" not in page.replace("http-equiv", "")
    assert 'src="data:image/jpeg;base64,' in page
    assert "&lt;game&gt;.jpg" in page
    assert "0.120 cell" in page
    assert "no lines measured" in page
    assert "<td>A1</td><td>A</td><td>B</td>" in page
    assert "<td>B</td><td>A</td><td>1</td>" in page
    assert "Still misread among the examples: B" in page
    assert "add light" in page
    assert page.count("<line ") == len(LENS.residuals_px)


def test_whatever_a_profile_says_is_text_in_its_report() -> None:
    evil = "<script>alert(1)</script>"
    made = dataclasses.replace(MADE, made=evil, sources=(evil, evil))
    profile = a_profile()
    assert profile.tiles is not None
    tiles = dataclasses.replace(profile.tiles, edition=evil, labels=("A", evil, "A", evil), origin=made)
    page = render_report(
        Profile(
            camera=evil,
            name=evil,
            lens=dataclasses.replace(LENS, uncertainty={"fx": 0.5, evil: 0.1}, origin=made),
            board=dataclasses.replace(a_board(), origin=made),
            tiles=tiles,
            light=LightSection(measures={evil: 1.0}, advice=(evil,), origin=made),
        ),
        trial=TilesComparison(truth=("A", evil), before=(evil, "A"), after=("A", "A")),
    )
    assert evil not in page
    assert page.count("&lt;script&gt;") >= 10


def test_a_report_says_that_tiles_make_reading_worse() -> None:
    tiles = some_tiles()
    worse = dataclasses.replace(tiles, letters_right=0.9, network_right=0.95)
    assert "90.0%" in worse.warning
    assert "enrol it again without blanks" in render_report(dataclasses.replace(a_profile(), tiles=worse))
    assert not dataclasses.replace(tiles, letters_right=0.95, network_right=0.95).warning
    assert not dataclasses.replace(tiles, letters_right=float("nan")).warning, "of one photo nothing is known"


def test_how_well_the_tiles_of_one_photo_are_read_is_not_called_a_second_photos_result(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    two = dataclasses.replace(some_tiles(), letters_right=0.9, labels=("A", "B", "A", "?"))
    one = dataclasses.replace(two, photos=(0, 0, 0, 0))
    summaries, pages = [], []
    for tiles in (one, two):
        monkeypatch.setattr("calibration.actions.enrol", lambda *_, section=tiles: (section, []))
        summaries.append(measure_tiles([], load_edition("english"), CascadeReader.load(), ()).summary)
        trial = TilesComparison(truth=("A",), before=("A",), after=("A",))
        pages.append(render_report(Profile(tiles=tiles), trial=trial))
    assert summaries[0] == (
        "4 tiles of 2 letters; with every other tile of a letter left out 90.0% are read rightly; "
        "a second photo would tell more"
    )
    assert summaries[1] == "4 tiles of 2 letters; with their own photo left out 90.0% are read rightly"
    assert pages[0].count("With the set, every other tile of a letter left out") == 1
    assert pages[1].count("With the set, its photo left out") == 1
    assert all("4 of 2 letters" in page for page in pages)


def test_a_report_shows_no_rates_that_an_older_profile_did_not_measure() -> None:
    tiles = some_tiles()
    assert "not measured" not in render_report(Profile(tiles=dataclasses.replace(tiles, letters_right=1.0)))
    older = render_report(Profile(tiles=dataclasses.replace(tiles, letters_right=1.0, network="")))
    assert older.count("not measured") == 2


def test_a_report_names_what_was_not_calibrated() -> None:
    page = render_report(Profile(name="p.json"))
    for command in ("lens", "board", "tiles", "light"):
        assert f"tilesight calibrate {command}" in page
    perfect = render_report(
        Profile(
            lens=None,
            board=a_board(None),
            tiles=some_tiles(),
            light=LightSection(measures={}, advice=(), origin=MADE),
        )
    )
    assert "The light is good." in perfect


def test_squares_that_look_as_they_did_when_empty_are_empty_from_any_side_and_in_any_light() -> None:
    club, network = Club.english(), CascadeReader.load()
    empty, game = club.above([["."] * 15 for _ in range(15)]), club.above(random_position(club.edition, 3, 0))
    board = learn_board(
        Frame(image_bgr=empty.image_bgr, source="empty"),
        LAYOUT,
        network,
        fixed=False,
        corners_px=empty.corners_px.tolist(),
    )
    assert board.corners_px is None
    darker = (game.image_bgr * np.array([0.6, 0.55, 0.5])).astype(np.uint8)
    grid = Grid.from_corners(game.corners_px, 15, 15)
    rectified = rectify_at_tile_height(darker, grid, network)
    reading = network.read(rectified)
    tiles = np.array([[token != "." for token in row] for row in game.rows])

    def surprise(seen: SquareProbabilities) -> float:
        chance = seen.occupancy[..., Occupancy.EMPTY].astype(np.float64)
        return float(-np.log(np.maximum(np.where(tiles, 1 - chance, chance), 1e-6)).sum())

    known = compare_with_empty_board(reading, rectified, board.empty_bgr)
    assert surprise(known) < 0.6 * surprise(reading)
    turned = compare_with_empty_board(reading, rectified, np.rot90(board.empty_bgr, 2))
    np.testing.assert_allclose(turned.occupancy, known.occupancy, atol=1e-4)
    full = np.zeros_like(reading.occupancy)
    full[..., Occupancy.TILE] = 1
    covered = dataclasses.replace(reading, occupancy=full)
    assert compare_with_empty_board(covered, rectified, board.empty_bgr) is covered


@pytest.mark.parametrize("turn", range(4))
def test_an_empty_board_is_compared_from_the_side_on_which_its_few_colours_fit(turn: int) -> None:
    image = np.full((240, 240, 3), 200, np.uint8)
    for row, column in ((0, 0), (0, 3), (2, 5), (4, 1), (7, 2), (9, 5)):
        image[row * 16 : row * 16 + 16, column * 16 : column * 16 + 16] = (60, 60, 200)
    empty_bgr = np.asarray(np.rot90(image, turn))
    lit = image.copy()
    lit[:, 128:] = lit[:, 128:] // 2  # a shadow that the reader takes for no tiles
    occupancy = np.tile(np.array([0.95, 0.05, 0, 0], np.float32), (15, 15, 1))
    rectified = rectify(lit, Grid.from_corners([[0, 0], [240, 0], [240, 240], [0, 240]], 15, 15), cell_px=16)
    one = np.ones((15, 15, 1), np.float32)
    reading = SquareProbabilities(
        reader="network",
        tokens=("A",),
        value_labels=(1,),
        occupancy=occupancy,
        letters=one,
        values=one,
        turns=np.tile(one, 4),
    )
    known = compare_with_empty_board(reading, rectified, empty_bgr)
    assert known.occupancy[:, :8, Occupancy.EMPTY].min() > 0.95
