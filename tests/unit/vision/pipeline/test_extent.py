"""A board that is cut off, or has more squares than its edition's, is reported."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from samples import Camera, Light, icelandic_style, render_photo
from scoring import COVERED, load_edition
from vision.capture import Frame
from vision.core import Grid, find_squares_outside
from vision.detection import fits_other_layout
from vision.observation import BoardObservation
from vision.pipeline import GameContext, load_recognizer, read_photo

ICELANDIC = load_edition("icelandic")
WORD = ("H", "R", "A", "K", "I")
MORE = "the board seems to have more than 15 x 15 squares, and only those were read; choose the edition that is played"


def rows(side: int) -> list[list[str]]:
    """An empty board with a word in its middle row."""
    board = [["."] * side for _ in range(side)]
    board[side // 2][side // 2 - 2 : side // 2 + 3] = WORD
    return board


def marks(side: int) -> tuple[str, ...]:
    """The usual premium squares, with a ring of others around them on a larger board."""
    names = {"PLAIN": ".", "DOUBLE_LETTER": "d", "TRIPLE_LETTER": "t", "DOUBLE_WORD": "D", "TRIPLE_WORD": "T"}
    usual = [[names[ICELANDIC.layout[r, c].name] for c in range(15)] for r in range(15)]
    ring = (side - 15) // 2
    board = [["."] * side for _ in range(side)]
    for row, line in enumerate(usual):
        board[row + ring][ring : ring + 15] = line
    for row, column in itertools.product((0, side // 2, side - 1), repeat=2):
        board[row][column] = "T" if board[row][column] == "." else board[row][column]
    return tuple("".join(line) for line in board)


@pytest.mark.parametrize(("edition", "is_misfit"), [("icelandic", True), ("krydsord", False)])
def test_a_board_of_16_squares_that_is_squeezed_into_15_is_reported(edition: str, is_misfit: bool) -> None:
    larger, rules = load_edition("krydsord"), load_edition(edition)
    board = [["."] * 16 for _ in range(16)]
    for row, word in ((6, "SKAL"), (8, "HUSET"), (10, "MEDEN")):
        board[row][4 : 4 + len(word)] = word
    photo = render_photo(
        board, larger, style=icelandic_style(), camera=Camera(cell_px=36), light=Light(), seed=1
    )
    context = GameContext(edition=rules, recognizer=load_recognizer("network", rules))
    found = read_photo(Frame(image_bgr=photo.image_bgr, source="board.jpg"), context)
    assert found.is_misfit == is_misfit
    other = ICELANDIC if edition == "krydsord" else larger
    assert fits_other_layout(photo.image_bgr, found.grid, other.layout) == is_misfit
    assert any("few lines" in remark for remark in found.remarks) == is_misfit


def read(side: int, cut_cells: float = 0.0) -> BoardObservation:
    """Read a board of a size, in a picture that lacks this part of it on the right."""
    photo = render_photo(
        rows(side),
        ICELANDIC,
        style=icelandic_style(),
        camera=Camera(cell_px=32),
        light=Light(),
        seed=1,
        marks=marks(side),
    )
    width = photo.image_bgr.shape[1]
    if cut_cells:
        width = round(photo.corners_px[1, 0] - 32 * cut_cells)
    frame = Frame(image_bgr=np.ascontiguousarray(photo.image_bgr[:, :width]), source="board.jpg")
    context = GameContext(edition=ICELANDIC, recognizer=load_recognizer("network", ICELANDIC))
    corners = photo.corners_px.tolist() if cut_cells else None
    return read_photo(frame, context, corners_px=corners)


def test_the_usual_board_needs_no_remark() -> None:
    found = read(15)
    assert found.remarks == ()
    assert [list(row) for row in found.decoded.board.rows] == rows(15)


def test_a_larger_board_is_reported() -> None:
    assert MORE in read(17).remarks


def test_a_column_outside_of_the_picture_is_covered_and_reported() -> None:
    found = read(15, cut_cells=0.7)
    assert found.remarks == ("squares of the board outside of the picture: 15; show the whole board",)
    assert {row[14] for row in found.decoded.board.rows} == {COVERED}
    assert [list(row[:14]) for row in found.decoded.board.rows] == [row[:14] for row in rows(15)]


@pytest.mark.parametrize(("left", "outside"), [(0.0, 0), (-0.1, 0), (-0.3, 3), (-1.1, 3), (-1.3, 6)])
def test_squares_count_from_where_their_letters_are_cut(left: float, outside: int) -> None:
    corners = np.array([[left, 0], [left + 3, 0], [left + 3, 3], [left, 3]]) * 20 - 0.5
    grid = Grid.from_corners(corners, 3, 3)
    assert find_squares_outside(grid, (80, 60)).sum() == outside
