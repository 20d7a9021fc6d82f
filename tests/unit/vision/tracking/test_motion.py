"""Motion and rest, on drawn views: what moves, what changed, and what is only light."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
import pytest

from scoring import Board
from vision.capture import Frame
from vision.core.boards import SquareProbabilities
from vision.core.geometry import Grid
from vision.decoding.background import weigh_changed_squares
from vision.rectification import elevate_grid
from vision.tracking.fusion import ReadingAccumulator
from vision.tracking.motion import MotionDetector, MotionState, cell_change, cell_gradient, colour_change
from vision.tracking.thumbnail import CELL_PX, MARGIN_CELLS, BoardThumbnail, ShrunkFrame

ROWS = COLUMNS = 15
SIDE = (ROWS + 2 * MARGIN_CELLS) * CELL_PX


def board(seed: int = 0) -> np.ndarray:
    """A texture with the contrast of a printed board."""
    coarse = np.random.default_rng(seed).uniform(60, 180, (ROWS + 2 * MARGIN_CELLS, ROWS + 2 * MARGIN_CELLS))
    return cv2.resize(coarse, (SIDE, SIDE), interpolation=cv2.INTER_CUBIC)


def view(levels: np.ndarray, noise: float = 1.0, seed: int = 1) -> BoardThumbnail:
    shaken = levels + np.random.default_rng(seed).normal(0, noise, levels.shape)
    return BoardThumbnail(grey=np.clip(shaken, 0, 255).astype(np.float32))


def with_patch(levels: np.ndarray, row: int, column: int, value: float = 230.0, size: int = 1) -> np.ndarray:
    changed = levels.copy()
    y, x = (MARGIN_CELLS + row) * CELL_PX, (MARGIN_CELLS + column) * CELL_PX
    changed[y : y + size * CELL_PX, x : x + size * CELL_PX] = value
    return changed


def watched(views: list[np.ndarray], fps: float = 10.0) -> MotionState:
    watch = MotionDetector(view(views[0]), 0.0)
    for number, levels in enumerate(views[1:], start=1):
        still = watch.update(view(levels, seed=number), number / fps)
    return still


def test_noise_is_rest() -> None:
    still = watched([board()] * 20)
    assert still.rest_s == pytest.approx(1.9)
    assert still.around_s == pytest.approx(1.9)
    assert still.frames == 19
    assert not still.flickering.any()


def test_a_tile_that_appears_is_movement_of_its_square_alone() -> None:
    base = board()
    still = watched([base] * 10 + [with_patch(base, 7, 4)] * 5)
    assert still.squares_s[7, 4] == pytest.approx(0.4)
    assert still.squares_s[7, 6] == pytest.approx(1.4)
    assert still.rest_s == pytest.approx(0.4)


def test_what_creeps_is_movement_too() -> None:
    base = board()
    creeping = [with_patch(base, 7, 4, value=100 + 2 * step, size=2) for step in range(40)]
    assert watched(creeping, fps=30).rest_s < 0.35


def test_a_hand_next_to_the_board_is_no_movement_on_it() -> None:
    base = board()
    hand = base.copy()
    hand[: 2 * CELL_PX, :80] = 30
    still = watched([base] * 10 + [hand, base, hand])
    assert still.around_s == pytest.approx(0.0)
    assert still.rest_s > 1.0


@pytest.mark.parametrize("factor", [0.6, 1.3])
def test_a_switched_light_is_no_change(factor: float) -> None:
    base = board()
    change = cell_change(view(base * factor), view(base))
    assert change.max() < 6
    assert (
        cell_change(view(with_patch(base, 3, 3) * factor), view(base))[MARGIN_CELLS + 3, MARGIN_CELLS + 3]
        > 20
    )


def test_a_tile_that_appears_in_dim_light_is_movement() -> None:
    base = 0.3 * board()
    tile = base.copy()
    y, x = (MARGIN_CELLS + 7) * CELL_PX, (MARGIN_CELLS + 4) * CELL_PX
    tile[y : y + CELL_PX, x : x + CELL_PX] += 6
    still = watched([base] * 10 + [tile] * 5)
    assert still.squares_s[7, 4] == pytest.approx(0.4)
    assert still.squares_s[7, 6] == pytest.approx(1.4)


def test_a_small_shift_is_no_change() -> None:
    base = board()
    shifted = np.roll(base, 1, axis=1)
    assert cell_change(view(shifted), view(base))[1:-1, 1:-1].max() < 3
    assert np.abs(view(shifted).grey - view(base).grey).max() > 10


def test_slopes_say_what_a_shift_would_change() -> None:
    flat, ramp = np.full((SIDE, SIDE), 90.0), np.tile(np.arange(SIDE, dtype=np.float64), (SIDE, 1))
    assert cell_gradient(view(flat, noise=0)).max() == 0
    assert cell_gradient(view(ramp, noise=0))[5, 5] == pytest.approx(0.5)


def test_a_lamp_that_flickers_is_left_out_of_the_rest() -> None:
    base = board()
    lamp = with_patch(base, 2, 2)
    still = watched([lamp if number % 2 else base for number in range(80)])
    assert still.flickering[2, 2]
    assert still.flickering.sum() == 1
    assert still.rest_s > 5


def test_light_that_flickers_hides_no_change() -> None:
    base = 0.6 * board()
    steady, flickering = MotionDetector(view(base), 0.0), MotionDetector(view(base), 0.0)
    for number in range(1, 60):
        steady.update(view(base, seed=number), number / 10)
        flickering.update(view(base * (1 + 0.015 * (-1) ** number), seed=number), number / 10)
    assert flickering.threshold == pytest.approx(steady.threshold, rel=0.1)


def test_the_rest_of_some_squares_begins_anew() -> None:
    motion, squares = MotionDetector(view(board()), 0.0), np.zeros((ROWS, COLUMNS), dtype=np.bool_)
    squares[7, 4] = True
    for number in (1, 2):
        motion.update(view(board(), seed=number), float(number))
    motion.restart(squares)
    assert motion.state.rest_s == 0.0
    assert (motion.state.frames, motion.state.squares_s[7, 6]) == (2, 2.0)
    assert motion.update(view(board(), seed=3), 3.0).rest_s == 1.0


def test_a_watch_goes_on_when_the_board_is_found_elsewhere() -> None:
    base = board()
    watch = MotionDetector(view(base), 0.0)
    watch.update(view(base), 1.0)
    watch.replace_view(view(board(seed=5)))
    assert watch.update(view(board(seed=5)), 1.5).rest_s == pytest.approx(1.5)
    turned = np.rot90(board(seed=5))
    watch.rotate(1, view(turned))
    assert watch.update(view(turned), 2.0).rest_s == pytest.approx(2.0)


def grid_of(corners: list[list[float]]) -> Grid:
    return Grid.from_corners(corners, ROWS, COLUMNS)


def make_thumbnail(image_bgr: np.ndarray, grid: Grid) -> BoardThumbnail:
    return ShrunkFrame.of(Frame(image_bgr=image_bgr, source="film", index=0, time_s=0.0), grid).thumbnail()


def test_a_make_thumbnail_shows_the_board_upright_and_small() -> None:
    image = np.full((600, 900, 3), 50, np.uint8)
    grid = grid_of([[200, 100], [650, 100], [650, 550], [200, 550]])
    image[100 + 30 * 3 : 100 + 30 * 4, 200 + 30 * 8 : 200 + 30 * 9] = 250
    small = make_thumbnail(image, grid)
    cells = small.grey.reshape(21, CELL_PX, 21, CELL_PX).mean(axis=(1, 3))
    assert np.argwhere(cells > 150).tolist() == [[MARGIN_CELLS + 3, MARGIN_CELLS + 8]]


def test_a_make_thumbnail_of_a_board_at_the_pictures_edge_repeats_it() -> None:
    small = make_thumbnail(
        np.full((300, 300, 3), 80, np.uint8), grid_of([[2, 2], [298, 2], [298, 298], [2, 298]])
    )
    assert small.grey.min() == small.grey.max() == 80


def test_a_make_thumbnail_survives_the_journal() -> None:
    small = view(board())
    again = BoardThumbnail.from_bytes(small.to_bytes(), ROWS, COLUMNS)
    assert again is not None
    assert np.abs(again.grey - small.grey).max() <= 0.5
    assert BoardThumbnail.from_bytes(small.to_bytes(), 16, 16) is None
    assert BoardThumbnail.from_bytes(b"", ROWS, COLUMNS) is None
    assert BoardThumbnail.from_bytes(b"no picture", ROWS, COLUMNS) is None


def projected(tilt_deg: float, focal: float, height: float) -> np.ndarray:
    """The corners of a grid `height` cells above the board, seen by a camera at that tilt."""
    c, s = np.cos(np.radians(tilt_deg)), np.sin(np.radians(tilt_deg))
    corners = np.array([[0, 0], [15, 0], [15, 15], [0, 15]], dtype=float) - 7.5
    points = np.column_stack([corners, np.full(4, -height)]) @ np.array([[1, 0, 0], [0, c, s], [0, -s, c]]).T
    points[:, 2] += 30
    pixels: np.ndarray = focal * points[:, :2] / points[:, 2:] + [(1920 - 1) / 2, (1080 - 1) / 2]
    return pixels


@pytest.mark.parametrize("tilt_deg", [25, 45, 55])
@pytest.mark.parametrize("focal", [1500, 2600])
def test_a_raised_grid_lies_where_the_camera_sees_it(tilt_deg: float, focal: float) -> None:
    grid = grid_of(projected(tilt_deg, focal, 0.0).tolist())
    found = elevate_grid(grid, 1920, 1080, 0.2).corners_px
    assert np.abs(found - projected(tilt_deg, focal, 0.2)).max() < 0.05


def test_from_above_a_raised_grid_hardly_moves() -> None:
    grid = grid_of(projected(0.0, 1500, 0.0).tolist())
    assert np.abs(elevate_grid(grid, 1920, 1080).corners_px - grid.corners_px).max() < 0.1 * grid.cell_px


def reading(occupancy: list[float], letter: float = 0.5) -> SquareProbabilities:
    return SquareProbabilities(
        reader="drawn",
        tokens=("A", "B"),
        value_labels=(None, 1),
        occupancy=np.tile(np.array(occupancy, np.float32), (2, 2, 1)),
        letters=np.tile(np.array([letter, 1 - letter], np.float32), (2, 2, 1)),
        values=np.full((2, 2, 2), 0.5, np.float32),
        turns=np.full((2, 2, 4), 0.25, np.float32),
    )


def test_looks_that_agree_are_surer_than_one_but_not_without_end() -> None:
    squares = np.ones((2, 2), bool)
    evidence = ReadingAccumulator(reading([0.3, 0.6, 0.05, 0.05], letter=0.8))
    once = evidence.fused()
    assert once.letters[0, 0, 0] == pytest.approx(0.8, abs=1e-4)
    for _ in range(3):
        evidence.add(reading([0.3, 0.6, 0.05, 0.05], letter=0.8), squares)
    four = evidence.fused()
    assert once.letters[0, 0, 0] < four.letters[0, 0, 0] < 0.95
    for _ in range(100):
        evidence.add(reading([0.3, 0.6, 0.05, 0.05], letter=0.8), squares)
    assert evidence.fused().letters[0, 0, 0] == pytest.approx(float(four.letters[0, 0, 0]), abs=1e-4)


def test_a_square_that_changed_is_judged_by_what_came_after() -> None:
    evidence = ReadingAccumulator(reading([0.98, 0.01, 0.005, 0.005]))
    changed = np.array([[True, False], [False, False]])
    evidence.reset(changed)
    np.testing.assert_array_equal(evidence.n_reads, [[0, 1], [1, 1]])
    evidence.add(reading([0.01, 0.98, 0.005, 0.005]), changed)
    seen = evidence.fused().occupancy
    assert seen[0, 0].argmax() == 1
    assert seen[0, 1].argmax() == 0


def test_it_does_not_matter_how_often_one_asks_in_between() -> None:
    rng = np.random.default_rng(6)
    asked, unasked = (ReadingAccumulator(reading([0.3, 0.6, 0.05, 0.05])) for _ in range(2))
    for _ in range(30):
        before = asked.fused()
        kept = before.occupancy.copy()
        squares = rng.random((2, 2)) < 0.5
        again = reading(rng.dirichlet(np.ones(4)).tolist(), letter=float(rng.random()))
        has_changed = rng.random() < 0.3
        for evidence in (asked, unasked):
            if has_changed:
                evidence.reset(squares)
            evidence.add(again, squares)
        np.testing.assert_array_equal(before.occupancy, kept)
    for name in ("occupancy", "letters", "values", "turns"):
        np.testing.assert_array_equal(getattr(asked.fused(), name), getattr(unasked.fused(), name))


def changed_reading(occupancy: list[float], token: str, *, may_hide: bool) -> np.ndarray:
    """The occupancy of a square that changed strongly, after that; what lay there before is on all four."""
    board = Board.from_rows([[token, token], [token, token]])
    seen = weigh_changed_squares(reading(occupancy), np.full((2, 2), 8.0), board, may_hide=may_hide)
    first: np.ndarray = seen.occupancy[0, 0]
    return first


def test_an_empty_square_that_changed_is_hardly_empty_still() -> None:
    seen = [0.9, 0.1, 0.0, 0.0]
    assert changed_reading(seen, ".", may_hide=False).argmax() == 1
    assert changed_reading(seen, "A", may_hide=False).argmax() == 0  # the tile was taken up


def test_what_looks_covered_is_believed_where_a_tile_lay() -> None:
    seen = [0.25, 0.02, 0.0, 0.73]
    assert changed_reading(seen, "A", may_hide=False).argmax() == 3  # a cup may be put down within the board
    assert changed_reading(seen, ".", may_hide=True).argmax() == 3
    assert changed_reading([0.02, 0.25, 0.0, 0.73], ".", may_hide=False).argmax() == 1


def coloured(chroma: np.ndarray, level: float = 100.0) -> BoardThumbnail:
    return BoardThumbnail(grey=np.full((SIDE, SIDE), level, np.float32), chroma=chroma.astype(np.float32))


def test_a_tile_as_bright_as_the_board_shows_by_its_colour() -> None:
    cells = ROWS + 2 * MARGIN_CELLS
    plain = np.zeros((cells, cells, 2))
    wood = plain.copy()
    wood[8, 9] = (-10, 45)
    change = colour_change(coloured(wood), coloured(plain))
    assert change[8, 9] == pytest.approx(45)
    assert int((change > 5).sum()) == 1
    assert not cell_change(coloured(wood), coloured(plain)).any()


def test_warmer_light_is_no_change_of_colour() -> None:
    rng = np.random.default_rng(3)
    cells = ROWS + 2 * MARGIN_CELLS
    board_chroma = rng.normal(0, 20, (cells, cells, 2))
    lit = board_chroma * 1.2 + np.array([-6.0, 9.0])
    assert colour_change(coloured(lit, 120.0), coloured(board_chroma)).max() < 1.0


def test_a_view_without_colours_shows_none_changed() -> None:
    grey = BoardThumbnail(grey=np.zeros((SIDE, SIDE), np.float32))
    assert not colour_change(
        grey, coloured(np.ones((ROWS + 2 * MARGIN_CELLS, ROWS + 2 * MARGIN_CELLS, 2)))
    ).any()


def test_what_was_not_seen_is_no_rest() -> None:
    watch = MotionDetector(view(board()), 0.0)
    for number in range(1, 4):
        watch.update(view(board(), seed=number), number / 10)
    watch.skip(2.0)
    assert watch.update(view(board(), seed=9), 2.4).rest_s == pytest.approx(0.4)


def test_a_view_turns_with_its_colours() -> None:
    turned = make_thumbnail(
        np.random.default_rng(0).integers(0, 255, (400, 400, 3), np.uint8), GRID_400
    ).rotate(1)
    assert turned.chroma is not None
    assert turned.grey.shape == (SIDE, SIDE)
    assert turned.rotate(3).grey == pytest.approx(turned.rotate(3).rotate(2).rotate(2).grey)


GRID_400 = Grid.from_corners([(50, 50), (350, 50), (350, 350), (50, 350)], 15, 15)


def test_a_square_that_comes_back_into_the_frame_has_not_moved() -> None:
    """What lies out of the frame is not known; a hand may have been there."""
    base = board()
    cut = np.ones((ROWS + 2 * MARGIN_CELLS, COLUMNS + 2 * MARGIN_CELLS), dtype=np.bool_)
    cut[: MARGIN_CELLS + 1] = False
    hand = base.copy()
    hand[: (MARGIN_CELLS + 1) * CELL_PX] = 20.0
    watch = MotionDetector(view(base), 0.0)
    for number in range(1, 20):
        is_cut = 5 <= number < 15
        seen = view(hand if is_cut else base, seed=number)
        still = watch.update(replace(seen, is_visible=cut if is_cut else np.ones_like(cut)), number / 10)
    assert still.rest_s == pytest.approx(1.9)


def test_a_square_at_the_edge_of_the_frame_that_changes_while_it_shows_has_moved() -> None:
    base = board()
    cut = np.ones((ROWS + 2 * MARGIN_CELLS, COLUMNS + 2 * MARGIN_CELLS), dtype=np.bool_)
    cut[: MARGIN_CELLS + 1] = False
    watch = MotionDetector(replace(view(base), is_visible=cut), 0.0)
    for number in range(1, 10):
        levels = with_patch(base, 1, 4) if number >= 6 else base
        still = watch.update(replace(view(levels, seed=number), is_visible=cut), number / 10)
    assert still.squares_s[1, 4] == pytest.approx(0.3)
    assert still.squares_s[0, 4] == pytest.approx(0.9)
