"""Detection on boards that are drawn here: accuracy of the corners, and what is rejected."""

from __future__ import annotations

import warnings

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from scoring import Layout, parse_layout
from vision.core.geometry import Grid
from vision.detection import locate
from vision.errors import BoardNotFoundError

pytestmark = pytest.mark.slow

STANDARD = parse_layout(
    """
    T..d...T...d..T
    .D...t...t...D.
    ..D...d.d...D..
    d..D...d...D..d
    ....D.....D....
    .t...t...t...t.
    ..d...d.d...d..
    T..d...D...d..T
    ..d...d.d...d..
    .t...t...t...t.
    ....D.....D....
    d..D...d...D..d
    ..D...d.d...D..
    .D...t...t...D.
    T..d...T...d..T
    """
)
SMALL = parse_layout(
    "T...d...T .D.....D. ..t...t.. ...D.D... d...d...d ...D.D... ..t...t.. .D.....D. T...d...T"
)
LOPSIDED = parse_layout(
    "TT.......d TD.......d .......... ..t....t.. .......... DD........ ......DD.. ...d....dT ....d..... t........t"
)
WIDE = parse_layout(
    "T...d...d...T .D...t.t...D. ..D...d...D.. d..D.....D..d ....D.d.D.... .t...t.t...t. ..d...D...d.. "
    ".t...t.t...t. T..D.....D..T"
)

Image = NDArray[np.uint8]
Points = NDArray[np.float64]

COLOURS = {
    ".": (92, 128, 70),
    "d": (226, 190, 140),
    "t": (190, 100, 50),
    "D": (120, 120, 235),
    "T": (45, 40, 200),
}


def flat_board(layout: Layout, cell: int, tiles: float = 0.0, *, lines: int = 2, seed: int = 0) -> Image:
    """A board from above with `cell` px squares, one cell of rim, and tiles on a share of the squares."""
    rng = np.random.default_rng(seed)
    rows, columns = layout.rows, layout.columns
    board = np.full(((rows + 2) * cell, (columns + 2) * cell, 3), COLOURS["."], np.uint8)
    for row, premiums in enumerate(layout.premiums, 1):
        for column, premium in enumerate(premiums, 1):
            board[row * cell : (row + 1) * cell, column * cell : (column + 1) * cell] = COLOURS[premium.value]
    # The line's middle is the edge between two pixels, so it is as wide on both sides.
    for k in range(columns + 1):
        board[cell:-cell, (k + 1) * cell - lines // 2 : (k + 1) * cell + (lines + 1) // 2] = 25
    for k in range(rows + 1):
        board[(k + 1) * cell - lines // 2 : (k + 1) * cell + (lines + 1) // 2, cell:-cell] = 25
    for row in range(1, rows + 1):
        for column in range(1, columns + 1):
            if rng.random() < tiles:
                side = int(0.88 * cell)
                x, y = (
                    int(k * cell + 0.06 * cell + rng.integers(-cell // 20, cell // 20 + 1))
                    for k in (column, row)
                )
                board[y : y + side, x : x + side] = (205, 225, 235)
                letter = chr(65 + int(rng.integers(26)))
                cv2.putText(board, letter, (x + cell // 5, y + 7 * cell // 10), 0, cell / 45, (30, 30, 30), 2)
    return board


def photo_of(
    layout: Layout,
    corners: Points,
    size: tuple[int, int],
    *,
    tiles: float = 0.1,
    lines: int = 2,
    noise: float = 3.0,
) -> Image:
    """A photo, `size` wide and high, whose grid has these outer corners."""
    cell = 48
    board = flat_board(layout, cell, tiles, lines=lines)
    grid = np.array(
        [[1, 1], [layout.columns + 1, 1], [layout.columns + 1, layout.rows + 1], [1, layout.rows + 1]]
    )
    source = (grid * cell - 0.5).astype(np.float32)
    matrix = cv2.getPerspectiveTransform(source, corners.astype(np.float32))
    rng = np.random.default_rng(1)
    table = np.full((size[1], size[0], 3), (150, 170, 185), np.uint8)
    blurred = cv2.GaussianBlur(board, (0, 0), 0.8)
    cv2.warpPerspective(
        blurred, matrix, size, dst=table, flags=cv2.INTER_AREA, borderMode=cv2.BORDER_TRANSPARENT
    )
    noisy = table + rng.normal(0, noise, table.shape)
    return np.clip(noisy, 0, 255).astype(np.uint8)


def corner_error(grid: Grid, corners: Points, *, any_turn: bool = True) -> float:
    """The worst corner's error in cells; quarter turns are ignored by default."""
    placed = grid.image_from_grid.inverse.apply(corners)
    truth = np.array([[0, 0], [grid.columns, 0], [grid.columns, grid.rows], [0, grid.rows]], dtype=float)
    turns = range(4) if any_turn else (0,)
    return min(float(np.abs(np.roll(truth, turn, axis=0) - placed).max()) for turn in turns)


def square(
    centre: tuple[float, float], side: float, degrees: float, tilt: float = 0.0, aspect: float = 1.0
) -> Points:
    """Corners TL TR BR BL of a turned square; `tilt` is by how much of it the far side is shorter."""
    half = side / 2
    plain = np.array([[-half, -half], [half, -half], [half, half], [-half, half]]) * [1, aspect]
    plain[:2, 0] *= 1 - tilt
    plain[:, 1] *= 1 - tilt
    angle = np.deg2rad(degrees)
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    return np.asarray(plain @ turn.T + centre)


@pytest.mark.parametrize(
    "corners",
    [
        pytest.param(square((500, 500), 800, 0), id="straight"),
        pytest.param(square((500, 500), 640, 30), id="turned by 30 degrees"),
        pytest.param(square((500, 500), 640, 45), id="turned by 45 degrees"),
        pytest.param(square((500, 500), 760, -12, tilt=0.25), id="from the side"),
        pytest.param(square((620, 380), 420, 5), id="small in the picture"),
    ],
)
@pytest.mark.parametrize("tiles", [0.0, 0.15, 0.45])
def test_corners_are_found_to_a_twentieth_of_a_cell(corners: Points, tiles: float) -> None:
    grid = locate(photo_of(STANDARD, corners, (1000, 1000), tiles=tiles), STANDARD)

    assert corner_error(grid, corners) < 0.05
    assert (grid.rows, grid.columns) == (15, 15)
    assert 0.7 < grid.fit <= 1


@pytest.mark.parametrize("layout", [SMALL, WIDE, STANDARD], ids=["9x9", "9x13", "15x15"])
def test_boards_of_other_sizes_are_found(layout: Layout) -> None:
    corners = square((450, 450), 700, 8, aspect=layout.rows / layout.columns)

    grid = locate(photo_of(layout, corners, (900, 900)), layout)

    assert (grid.rows, grid.columns) == (layout.rows, layout.columns)
    assert corner_error(grid, corners, any_turn=False) < 0.05


@pytest.mark.parametrize("degrees", [0, 90, 180, 270])
def test_an_asymmetric_layout_determines_the_orientation(degrees: float) -> None:
    corners = square((450, 450), 640, degrees + 7)

    grid = locate(photo_of(LOPSIDED, corners, (900, 900)), LOPSIDED)

    assert corner_error(grid, corners, any_turn=False) < 0.05


@pytest.mark.parametrize("degrees", [-40, -20, 20, 40])
def test_a_symmetrical_board_is_named_from_the_side_closest_to_upright(degrees: float) -> None:
    corners = square((500, 500), 600, degrees)

    grid = locate(photo_of(STANDARD, corners, (1000, 1000)), STANDARD)

    assert corner_error(grid, corners, any_turn=False) < 0.05


def test_a_board_without_premium_squares_is_found_by_its_lines() -> None:
    plain = parse_layout("........... " * 11)
    corners = square((500, 500), 700, 10)

    grid = locate(photo_of(plain, corners, (1000, 1000)), plain)

    assert corner_error(grid, corners) < 0.05


def test_a_board_without_lines_is_found_by_its_premium_squares() -> None:
    corners = square((500, 500), 760, 10)

    grid = locate(photo_of(STANDARD, corners, (1000, 1000), lines=0, tiles=0.05), STANDARD)

    assert corner_error(grid, corners) < 0.08


def test_a_dark_picture_is_read() -> None:
    corners = square((500, 500), 760, 3)
    dark = (photo_of(STANDARD, corners, (1000, 1000), noise=1.0) * 0.15).astype(np.uint8)

    assert corner_error(locate(dark, STANDARD), corners) < 0.08


@pytest.mark.parametrize("factor", [0.5, 2, 3])
def test_the_size_of_the_picture_does_not_matter(factor: float) -> None:
    corners = square((500, 500), 760, 3)
    photo = photo_of(STANDARD, corners, (1000, 1000))
    scaled = cv2.resize(
        photo, None, fx=factor, fy=factor, interpolation=cv2.INTER_AREA if factor < 1 else cv2.INTER_CUBIC
    )

    grid = locate(np.asarray(scaled, dtype=np.uint8), STANDARD)

    # pixel centres are whole numbers
    assert corner_error(grid, factor * (corners + 0.5) - 0.5) < 0.05


def test_the_same_picture_gives_the_same_grid() -> None:
    photo = photo_of(STANDARD, square((500, 500), 700, 20, tilt=0.1), (1000, 1000))

    first, second = locate(photo, STANDARD), locate(photo, STANDARD)

    np.testing.assert_array_equal(first.corners_px, second.corners_px)


def chessboard(squares: int) -> Image:
    cells = np.indices((squares, squares)).sum(axis=0) % 2
    board = np.kron(cells, np.ones((800 // squares, 800 // squares)))[..., None] * [120, 150, 160] + 60
    return np.pad(board.astype(np.uint8), ((60, 60), (60, 60), (0, 0)), constant_values=200)


def crossword(squares: int, seed: int) -> Image:
    rng = np.random.default_rng(seed)
    black = rng.random((squares, squares)) < 0.2
    cells = np.where(black | black[::-1, ::-1], 10, 245)
    puzzle = np.kron(cells, np.ones((48, 48))).astype(np.uint8)
    puzzle[::48] = puzzle[:, ::48] = 40
    return np.repeat(np.pad(puzzle, 60, constant_values=250)[..., None], 3, axis=2)


def text() -> Image:
    page = np.full((900, 700, 3), 245, np.uint8)
    for line in range(32):
        cv2.putText(
            page,
            "the quick brown fox jumps over it"[line % 7 :],
            (30, 40 + 26 * line),
            0,
            0.9,
            (20, 20, 20),
            2,
        )
    return page


def noise() -> Image:
    return np.random.default_rng(3).integers(0, 256, (600, 800, 3)).astype(np.uint8)


@pytest.mark.parametrize(
    ("image", "says"),
    [
        pytest.param(np.zeros((600, 800, 3), np.uint8), "black", id="black"),
        pytest.param(crossword(15, 1) // 16, "dark", id="dark lines"),
        pytest.param(np.full((600, 800, 3), 255, np.uint8), "a scan with much white", id="white"),
        pytest.param(np.full((600, 800, 3), 120, np.uint8), "plain surface", id="plain"),
        pytest.param(noise(), "no board found", id="noise"),
        pytest.param(text(), "no board found", id="text"),
        pytest.param(chessboard(8), "no board found", id="chessboard"),
        pytest.param(chessboard(16), "premium squares are not recognised", id="chessboard of 16"),
        pytest.param(crossword(15, 1), "premium squares are not recognised", id="crossword"),
        pytest.param(crossword(17, 2), "premium squares are not recognised", id="crossword of 17"),
        pytest.param(cv2.GaussianBlur(text(), (0, 0), 12), "blurred", id="blurred"),
        pytest.param(np.zeros((1, 1, 3), np.uint8), "1 x 1 px", id="one pixel"),
        pytest.param(np.zeros((3, 5000, 3), np.uint8), "5000 x 3 px", id="a thread"),
        pytest.param(np.zeros((61, 20_000, 3), np.uint8), "a strip of 20000 x 61 px", id="a strip"),
        pytest.param(np.zeros((70_000, 100, 3), np.uint8), "a strip of 100 x 70000 px", id="a tall strip"),
    ],
)
def test_a_picture_without_a_board_is_refused_with_a_reason(image: Image, says: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(BoardNotFoundError, match=says) as refusal:
            locate(image, STANDARD)

    assert "\n" not in str(refusal.value)


def test_a_grey_image_is_no_small_one() -> None:
    with pytest.raises(ValueError, match=r"expected shape \(height, width, 3\), got \(800, 800\)"):
        locate(np.zeros((800, 800), np.uint8), STANDARD)


def test_a_cut_board_is_refused() -> None:
    corners = square((500, 500), 800, 0)
    photo = photo_of(STANDARD, corners, (1000, 1000))

    with pytest.raises(BoardNotFoundError):
        locate(np.ascontiguousarray(photo[:, :700]), STANDARD)


def test_a_board_of_another_layout_is_refused() -> None:
    corners = square((500, 500), 800, 0)

    with pytest.raises(BoardNotFoundError, match="premium squares are not recognised"):
        locate(
            photo_of(SMALL, corners, (1000, 1000), tiles=0),
            parse_layout("......... " * 4 + "...TTT... " + "......... " * 4),
        )


def test_a_huge_picture_is_shrunk_first() -> None:
    huge = np.tile(crossword(15, 1)[:600], (1, 25, 1))[:, :16_000]

    with pytest.raises(BoardNotFoundError):
        locate(huge, STANDARD)


def test_a_refusal_keeps_the_best_hypothesis() -> None:
    with pytest.raises(BoardNotFoundError) as refusal:
        locate(chessboard(16), STANDARD)

    assert refusal.value.tried_px is not None
    assert refusal.value.tried_px.shape == (4, 2)


@pytest.mark.parametrize("large_first", [True, False])
def test_of_two_boards_the_larger_is_found(large_first: bool) -> None:
    large, small = square((400, 400), 560, 4), square((960, 350), 380, -6)
    if not large_first:
        large, small = large + np.array([620, 0]), small - np.array([700, 0])
    photo = photo_of(STANDARD, large, (1300, 800))
    other = photo_of(STANDARD, small, (1300, 800))
    shown = (np.abs(other.astype(int) - (150, 170, 185)).max(axis=2) > 20).astype(np.uint8)
    shown = cv2.dilate(cv2.erode(shown, np.ones((3, 3))), np.ones((9, 9)))
    photo[shown > 0] = other[shown > 0]

    assert corner_error(locate(photo, STANDARD), large) < 0.05


def test_one_corner_may_be_just_outside() -> None:
    corners = square((500, 500), 640, 40)
    photo = photo_of(STANDARD, corners, (1000, 1000))
    cut = int(corners[:, 0].min() + 0.7 * 640 / 15)

    grid = locate(np.ascontiguousarray(photo[:, cut:]), STANDARD)

    assert corner_error(grid, corners - np.array([cut, 0])) < 0.08


def test_a_hand_over_a_corner_hides_no_board() -> None:
    corners = square((500, 500), 760, 8)
    photo = photo_of(STANDARD, corners, (1000, 1000))
    cv2.ellipse(photo, (int(corners[2, 0]), int(corners[2, 1])), (170, 120), 40, 0, 360, (120, 150, 205), -1)

    assert corner_error(locate(photo, STANDARD), corners) < 0.05


@pytest.mark.parametrize("rows", [2, 3])
def test_a_board_may_have_few_rows(rows: int) -> None:
    picture = np.full((600, 900, 3), 200, np.uint8)
    left, top, right, bottom = 60, 100, 60 + 15 * 50, 100 + rows * 50
    for x in range(left, right + 1, 50):
        cv2.line(picture, (x, top), (x, bottom), (0, 0, 0), 2)
    for y in range(top, bottom + 1, 50):
        cv2.line(picture, (left, y), (right, y), (0, 0, 0), 2)

    grid = locate(picture, parse_layout(" ".join(["." * 15] * rows)))

    assert np.abs(grid.corners_px - [[left, top], [right, top], [right, bottom], [left, bottom]]).max() < 2
