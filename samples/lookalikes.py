"""Flat drawings of other games and puzzles on squares, which are easily taken for a word board."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from samples.chance import Tone, between, chance, one_of
from samples.fonts import Typeface, pick_typeface
from samples.glyphs import text_lines
from samples.random_styles import random_style
from samples.squares import blend
from samples.style import Colour, Handling
from samples.tiles import TileFace, draw_tiles

__all__ = [
    "draw_chessboard",
    "draw_coloured_squares",
    "draw_crossword",
    "draw_go_board",
    "draw_loose_tiles",
    "draw_number_grid",
]

Picture = NDArray[np.uint8]
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
DARK = Tone(value=(0.05, 0.55))
LIGHT = Tone(saturation=(0.0, 0.45), value=(0.7, 1.0))
ANY = Tone(value=(0.1, 1.0))
BLACK: Colour = (25.0, 25.0, 25.0)


def draw_chessboard(rng: np.random.Generator) -> Picture:
    """A board of squares in two colours, mostly with pieces or draughts on it."""
    count, cell, rim = one_of(rng, (8, 8, 8, 10, 12)), 64, int(rng.integers(0, 60))
    first, second = LIGHT.pick(rng), DARK.pick(rng)
    side = count * cell + 2 * rim
    picture = _filled((side, side), DARK.pick(rng))
    for row, column in np.ndindex(count, count):
        _square(picture, rim, cell, row, column, first if (row + column) % 2 == 0 else second)
    share = between(rng, 0.0, 0.5)
    flat = chance(rng, 0.5)
    signs = pick_typeface(rng, None, ("A",))
    for row, column in np.ndindex(count, count):
        if rng.random() > share:
            continue
        centre = (rim + column * cell + cell // 2, rim + row * cell + cell // 2)
        body, edge = (LIGHT, DARK) if chance(rng, 0.5) else (DARK, LIGHT)
        cv2.circle(picture, centre, round(cell * between(rng, 0.3, 0.42)), body.pick(rng), -1, cv2.LINE_AA)
        cv2.circle(picture, centre, round(cell * 0.25), edge.pick(rng), 3, cv2.LINE_AA)
        if flat:
            _print(picture, signs, one_of(rng, "KQRBNP"), centre, cell // 3, edge.pick(rng))
    if rim > 20:
        for index in range(count):
            middle = rim + index * cell + cell // 2
            _print(picture, signs, LETTERS[index], (middle, side - rim // 2), rim // 2, first)
            _print(picture, signs, str(count - index), (rim // 2, middle), rim // 2, first)
    return picture


def draw_crossword(rng: np.random.Generator) -> Picture:
    """A printed puzzle: white and black squares, small numbers, and letters where it is solved."""
    count, cell, rim = int(rng.integers(9, 22)), 44, int(rng.integers(4, 60))
    paper = Tone(hue=(0.08, 0.15), saturation=(0.0, 0.12), value=(0.8, 1.0)).pick(rng)
    side = count * cell + 2 * rim
    picture = _filled((side, side), paper)
    black = rng.random((count, count)) < between(rng, 0.1, 0.35)
    if chance(rng, 0.8):
        black |= black[::-1, ::-1]  # as most of them are
    face = pick_typeface(rng, None, ("A", "1"))
    written = between(rng, 0.0, 1.0) if chance(rng, 0.7) else 0.0
    number = 0
    ink: Colour = BLACK if chance(rng, 0.6) else DARK.pick(rng)
    for row, column in np.ndindex(count, count):
        if black[row, column]:
            _square(picture, rim, cell, row, column, BLACK)
            continue
        if row == 0 or column == 0 or black[row - 1, column] or black[row, column - 1]:
            number += 1
            corner = (rim + column * cell + 9, rim + row * cell + 9)
            _print(picture, face, str(number), corner, 14, BLACK)
        if rng.random() < written:
            middle = (rim + column * cell + cell // 2, rim + row * cell + cell // 2 + 4)
            _print(picture, face, one_of(rng, LETTERS), middle, round(0.7 * cell), ink)
    _grid_lines(picture, rim, cell, count, count, BLACK, int(rng.integers(1, 4)))
    return picture


def draw_number_grid(rng: np.random.Generator) -> Picture:
    """A square of numbers: a number puzzle, a bingo card, a multiplication table."""
    count = one_of(rng, (5, 9, 9, 9, 10, 12, 15))
    cell, rim = 56, int(rng.integers(4, 70))
    side = count * cell + 2 * rim
    picture = _filled((side, side), LIGHT.pick(rng))
    face = pick_typeface(rng, None, ("1",))
    share, most = between(rng, 0.3, 1.0), 9 if count == 9 else count * count
    for row, column in np.ndindex(count, count):
        if chance(rng, 0.04):
            _square(picture, rim, cell, row, column, ANY.pick(rng))
        if rng.random() < share:
            middle = (rim + column * cell + cell // 2, rim + row * cell + cell // 2)
            _print(
                picture,
                face,
                str(int(rng.integers(1, most + 1))),
                middle,
                round(cell * 0.65),
                DARK.pick(rng) if chance(rng, 0.2) else BLACK,
            )
    _grid_lines(picture, rim, cell, count, count, BLACK, 2)
    if count == 9:
        _grid_lines(picture, rim, 3 * cell, 3, 3, BLACK, 5)
    return picture


def draw_coloured_squares(rng: np.random.Generator) -> Picture:
    """A board of another game: coloured squares at random, or on a track around the edge."""
    rows, columns = int(rng.integers(6, 16)), int(rng.integers(6, 16))
    cell, rim = 52, int(rng.integers(0, 60))
    picture = _filled((rows * cell + 2 * rim, columns * cell + 2 * rim), ANY.pick(rng))
    colours = [ANY.pick(rng) for _ in range(int(rng.integers(2, 7)))]
    track, face = chance(rng, 0.4), pick_typeface(rng, None, ("1",))
    numbered = chance(rng, 0.4)
    for row, column in np.ndindex(rows, columns):
        if track and 0 < row < rows - 1 and 0 < column < columns - 1:
            continue
        _square(picture, rim, cell, row, column, one_of(rng, colours))
        if numbered:
            middle = (rim + column * cell + cell // 2, rim + row * cell + cell // 2)
            _print(picture, face, str(row * columns + column + 1), middle, round(cell * 0.5), BLACK)
    if not track:
        _grid_lines(picture, rim, cell, rows, columns, ANY.pick(rng), int(rng.integers(1, 5)))
    return picture


def draw_go_board(rng: np.random.Generator) -> Picture:
    """A board of lines, with stones where the lines cross."""
    count, cell, rim = one_of(rng, (9, 13, 15, 19)), 44, 44
    side = (count - 1) * cell + 2 * rim
    wood = Tone(hue=(0.08, 0.12), saturation=(0.35, 0.65), value=(0.65, 0.95))
    picture = _filled((side, side), wood.pick(rng))
    _grid_lines(picture, rim, cell, count - 1, count - 1, BLACK, int(rng.integers(1, 4)))
    share = between(rng, 0.0, 0.6)
    for row, column in np.ndindex(count, count):
        if rng.random() < share:
            stone: Colour = (240.0, 240.0, 240.0) if chance(rng, 0.5) else (30.0, 28.0, 28.0)
            centre = (rim + column * cell, rim + row * cell)
            cv2.circle(picture, centre, round(cell * 0.46), stone, -1, cv2.LINE_AA)
    return picture


def draw_loose_tiles(rng: np.random.Generator) -> Picture:
    """Letter tiles in rows on a table, without a board."""
    rows, columns, cell = int(rng.integers(1, 12)), int(rng.integers(5, 16)), 48
    letters = tuple(LETTERS)
    style = random_style(rng, letters=letters)
    share = between(rng, 0.3, 1.0)
    faces = tuple(
        TileFace(row=row, column=column, text=one_of(rng, letters), value=int(rng.integers(1, 11)))
        for row, column in np.ndindex(rows, columns)
        if rng.random() < share
    )
    shape = ((rows + 2) * cell, (columns + 2) * cell)
    handling = Handling(offset=between(rng, 0.0, 0.12), turn_deg=between(rng, 0.0, 5.0))
    tiles = draw_tiles(faces, style.tiles, handling, shape, cell, cell, (0.6, -0.8), int(rng.integers(2**31)))
    picture = _filled(shape, ANY.pick(rng))
    np.copyto(picture, tiles.faces_bgr, where=tiles.footprint[..., np.newaxis] > 127)
    return picture


def _filled(shape: tuple[int, int], colour: Colour) -> Picture:
    return np.full((*shape, 3), np.clip(colour, 0, 255), np.uint8)


def _square(picture: Picture, rim: int, cell: int, row: int, column: int, colour: Colour) -> None:
    y, x = rim + row * cell, rim + column * cell
    picture[y : y + cell, x : x + cell] = np.clip(colour, 0, 255)


def _grid_lines(
    picture: Picture, rim: int, cell: int, rows: int, columns: int, colour: Colour, thick: int
) -> None:
    bottom, right = rim + rows * cell, rim + columns * cell
    for index in range(columns + 1):
        cv2.line(picture, (rim + index * cell, rim), (rim + index * cell, bottom), colour, thick)
    for index in range(rows + 1):
        cv2.line(picture, (rim, rim + index * cell), (right, rim + index * cell), colour, thick)


def _print(
    picture: Picture, face: Typeface, text: str, middle_xy: tuple[int, int], box: int, colour: Colour
) -> None:
    """Print `text` into a box of that side around `middle_xy`, in place; nothing where it does not fit."""
    x, y = middle_xy[0] - box // 2, middle_xy[1] - box // 2
    place = picture[max(0, y) : y + box, max(0, x) : x + box]
    if box >= 6 and place.shape[:2] == (box, box):
        blend(place, text_lines(face, (text,), box, box), colour)
