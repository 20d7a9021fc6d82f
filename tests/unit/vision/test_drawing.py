"""What is drawn for people: right sizes, marks where they belong, inputs untouched."""

from __future__ import annotations

import numpy as np
import pytest

from vision import drawing
from vision.core.geometry import Grid
from vision.rectification import rectify

CORNERS = [(50, 60), (550, 40), (580, 560), (30, 540)]


@pytest.fixture
def photo() -> np.ndarray:
    return np.full((600, 640, 3), 128, np.uint8)


def test_the_grid_is_drawn_on_a_copy_along_its_lines(photo: np.ndarray) -> None:
    grid = Grid.from_corners(CORNERS, 15, 15)
    drawn = drawing.draw_grid(photo, grid)
    assert drawn.shape == photo.shape
    assert (photo == 128).all()
    x, y = grid.image_from_grid.apply([[7, 7.5]])[0]
    near = drawn[round(y) - 1 : round(y) + 2, round(x)].astype(int)
    assert (near[:, 0] - near[:, 2]).max() > 100  # the grid's colour is a strong light blue
    x, y = grid.image_from_grid.apply([[7.5, 7.5]])[0]
    assert tuple(drawn[round(y), round(x)]) == (128, 128, 128)


def test_a_large_photo_is_shrunk_before_drawing() -> None:
    grid = Grid.from_corners([(100, 100), (1900, 100), (1900, 1900), (100, 1900)], 15, 15)
    assert drawing.draw_grid(np.zeros((2000, 2000, 3), np.uint8), grid).shape == (1000, 1000, 3)


@pytest.mark.parametrize(
    ("token", "confidence", "colour"),
    [
        ("A", 1.0, drawing.CERTAIN),
        ("SZ", 0.7, drawing.UNCERTAIN),
        ("Þ", 0.2, drawing.WRONG),
        (".", 0.6, drawing.UNCERTAIN),
    ],
)
def test_doubt_shows_in_the_colour_of_a_square(
    photo: np.ndarray, token: str, confidence: float, colour: drawing.Colour
) -> None:
    board = rectify(photo, Grid.from_corners(CORNERS, 15, 15))
    rows = [["."] * 15 for _ in range(15)]
    rows[3][4] = token
    sureness = np.ones((15, 15))
    sureness[3, 4] = confidence
    drawn = drawing.draw_tokens(board, rows, sureness)
    edge = drawn.shape[0] - 15 * 56
    cell = drawn[edge + 3 * 56 : edge + 4 * 56, edge + 4 * 56 : edge + 5 * 56]
    assert (cell == colour).all(axis=-1).sum() > 20
    assert (cell[18:38, 18:38] == 128).all() or token == "SZ"  # the letter in the photo stays in view
    other = drawn[edge + 5 * 56 : edge + 6 * 56, edge + 4 * 56 : edge + 5 * 56]
    assert (other == 128).all()


def test_every_letter_of_every_edition_has_a_shape_of_its_own() -> None:
    """A font without a letter draws the same box for each missing one."""
    seen: dict[bytes, str] = {}
    for letter in "ABCDEFGHIJKLMNOPQRSTUVWXYZÁÄÅÆÉÍÐÑÓÖØÚÜÝÞĄĆĘŁŃŐŚŰŹŻ":
        canvas = np.zeros((60, 80, 3), np.uint8)
        drawing.put_text(canvas, letter, 5, 45, 40, (255, 255, 255))
        assert canvas.tobytes() not in seen, f"{letter} looks like {seen.get(canvas.tobytes())}"
        seen[canvas.tobytes()] = letter


def test_panels_stand_side_by_side_at_one_height() -> None:
    tall, wide = np.zeros((400, 100, 3), np.uint8), np.zeros((100, 400, 3), np.uint8)
    lines = drawing.draw_lines([("8D HRAKI", "28"), ("total", "28")], height_px=300)
    stacked = drawing.stack_panels([("one", tall), ("two", wide), ("three", lines)], height_px=200)
    widths = (50, 800, round(460 * 200 / 300))
    assert stacked.shape == (200 + 46 + 18, 18 + sum(width + 18 for width in widths), 3)


def test_a_panel_of_text_is_as_wide_as_its_longest_line() -> None:
    names = ("Hajdúböszörményi Szilveszterné", "Per-Østen Håkonsvåg")
    lines = [(f"{names[0]}  8H HUT", "8"), ("  ".join(names), "185 : 208")]
    panel = drawing.draw_lines(lines, height_px=800)
    inked = np.asarray((panel < 128).any(axis=2))
    for number in range(2):
        row = inked[20 + 56 * number : 60 + 56 * number].any(axis=0)
        gaps = np.diff(np.flatnonzero(row))
        assert gaps.max() >= 20, "the points stand apart from the text"


def test_the_texts_of_a_caption_do_not_cover_each_other() -> None:
    def columns(left: str, right: str) -> list[int]:
        canvas = np.zeros((720, 1280, 3), np.uint8)
        drawing.draw_caption(canvas, left, right)
        return np.flatnonzero(np.asarray((canvas > 128).any(axis=(0, 2)))).tolist()

    left = "Hajdúböszörményi Szilveszterné  7G WET  +10"
    both = columns(left, "Hajdúböszörményi Szilveszterné 113   Per-Østen Håkonsvåg 134   Jón 9")
    assert both[-1] > 1240
    assert np.diff(both).max() >= 40, "a gap stands between them"
    alone = columns(left, "")
    assert columns(left, "Anna 42")[: len(alone)] == alone, "texts that fit are not made smaller"
