"""Flat drawings of subjects with squares or rectangles that may be taken for a word board.

Other games and puzzles: chessboard, crossword, number grid, coloured squares, go board. Everyday things: keyboard,
calendar, page, squared paper, table of text, tiled floor, window, brick wall. Each is a picture of its own size.
"""

from __future__ import annotations

import cv2
import numpy as np

from samples.arrays import Colour, Picture
from samples.chance import ANY_COLOUR, Tone, between, pick, toss
from samples.drawing.glyphs import text_lines
from samples.drawing.squares import blend
from samples.drawing.surfaces import grain, noise
from samples.fonts import Typeface, pick_typeface

__all__ = [
    "draw_brick_wall",
    "draw_calendar",
    "draw_chessboard",
    "draw_coloured_squares",
    "draw_crossword",
    "draw_go_board",
    "draw_keyboard",
    "draw_number_grid",
    "draw_page",
    "draw_squared_paper",
    "draw_table_of_text",
    "draw_tiled_floor",
    "draw_window",
]

PAPER = Tone(hue=(0.05, 0.17), saturation=(0.0, 0.1), value=(0.82, 1.0))
INK = Tone(saturation=(0.0, 0.6), value=(0.05, 0.4))
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
DARK = Tone(value=(0.05, 0.55))
LIGHT = Tone(saturation=(0.0, 0.45), value=(0.7, 1.0))
BLACK: Colour = (25.0, 25.0, 25.0)
DULL = Tone(saturation=(0.0, 0.3), value=(0.2, 0.95))
MONTHS = ("MARCH", "JÚLÍ", "OKTOBER", "JANVIER", "AGOSTO", "KWIECIEŃ")
"""Headings of calendars."""
WORDS = ("letter", "the", "and", "board", "word", "ord", "mot", "Wort", "slowo", "palabra", "of", "a", "12")
"""Words of printed pages."""


def draw_keyboard(rng: np.random.Generator) -> Picture:
    """Draw a keyboard: keys in rows, each row shifted."""
    cell, rows, columns = 52, int(rng.integers(4, 7)), int(rng.integers(10, 18))
    picture = _new_picture((rows * cell + 40, columns * cell + 40), DULL.pick(rng))
    key, ink = DULL.pick(rng), ANY_COLOUR.pick(rng)
    face = pick_typeface(rng, None, ("A", "1"))
    gap, shift = int(rng.integers(2, 8)), between(rng, 0.0, 0.5)
    for row in range(rows):
        x = 20 + round(shift * row * cell)
        while x < picture.shape[1] - 20 - cell:
            wide = cell if toss(rng, 0.9) else round(cell * between(rng, 1.3, 3.0))
            wide = min(wide, picture.shape[1] - 20 - x)
            y = 20 + row * cell
            cv2.rectangle(picture, (x + gap, y + gap), (x + wide - gap, y + cell - gap), key, -1, cv2.LINE_AA)
            box = cell // 2
            sign = pick(rng, "ABCDEFGHIJKLMNOPQRSTUVWXYZ1234567890")
            blend(
                picture[y + gap + 4 : y + gap + 4 + box, x + gap + 4 : x + gap + 4 + box],
                text_lines(face, (sign,), box, box),
                ink,
            )
            x += wide
    return picture


def draw_calendar(rng: np.random.Generator) -> Picture:
    """Draw a month's calendar: its days in seven columns below its name."""
    wide, high = 76, int(rng.integers(44, 90))
    weeks, head = int(rng.integers(5, 7)), 110
    picture = _new_picture((head + weeks * high + 20, 7 * wide + 40), PAPER.pick(rng))
    face, ink = pick_typeface(rng, None, ("A", "1")), INK.pick(rng)
    blend(picture[15:75, 20:-20], text_lines(face, (pick(rng, MONTHS),), 7 * wide, 60), ink)
    first = int(rng.integers(7))
    for day in range(first, first + 31):
        row, column = divmod(day, 7)
        if row >= weeks:
            break
        y, x = head + row * high, 20 + column * wide
        if toss(rng, 0.1):
            picture[y : y + high, x : x + wide] = np.clip(ANY_COLOUR.pick(rng), 0, 255)
        box = round(high * 0.5)
        colour: Colour = (40.0, 40.0, 200.0) if column == 6 else ink
        blend(
            picture[y + 4 : y + 4 + box, x + 4 : x + 4 + box],
            text_lines(face, (str(day - first + 1),), box, box),
            colour,
        )
    if toss(rng, 0.8):
        for row in range(weeks + 1):
            cv2.line(picture, (20, head + row * high), (20 + 7 * wide, head + row * high), ink, 2)
        for column in range(8):
            x = 20 + column * wide
            cv2.line(picture, (x, head), (x, head + weeks * high), ink, 2)
    return picture


def draw_page(rng: np.random.Generator) -> Picture:
    """Draw a printed page."""
    picture = _new_picture((int(rng.integers(500, 900)), 640), PAPER.pick(rng))
    face, ink, line = pick_typeface(rng, None, ("A",)), INK.pick(rng), int(rng.integers(18, 40))
    for y in range(40, picture.shape[0] - 2 * line, round(line * 1.3)):
        text = " ".join(pick(rng, WORDS) for _ in range(int(rng.integers(4, 12))))
        blend(picture[y : y + line, 40:600], text_lines(face, (text,), 560, line), ink)
    if toss(rng, 0.4):
        y, x = int(rng.integers(40, picture.shape[0] - 240)), int(rng.integers(40, 360))
        picture[y : y + 200, x : x + 240] = np.clip(ANY_COLOUR.pick(rng), 0, 255)
    return picture


def draw_squared_paper(rng: np.random.Generator) -> Picture:
    """Draw a sheet of squared paper with scribbles."""
    cell = int(rng.integers(12, 40))
    picture = _new_picture(
        (int(rng.integers(12, 40)) * cell, int(rng.integers(12, 40)) * cell), PAPER.pick(rng)
    )
    ruled = Tone(hue=(0.5, 0.65), saturation=(0.1, 0.5), value=(0.5, 0.9)).pick(rng)
    picture[::cell] = picture[:, ::cell] = np.clip(ruled, 0, 255)
    height, width = picture.shape[:2]
    for _ in range(int(rng.integers(0, 12))):
        steps = rng.normal(0, cell, (12, 2)).cumsum(axis=0)
        stroke = np.array([rng.uniform(0, width), rng.uniform(0, height)]) + steps
        cv2.polylines(picture, [np.round(stroke).astype(np.int32)], False, INK.pick(rng), 2, cv2.LINE_AA)
    return picture


def draw_table_of_text(rng: np.random.Generator) -> Picture:
    """Draw rows and columns of words and numbers, as on a screen."""
    rows, columns = int(rng.integers(8, 24)), int(rng.integers(3, 10))
    high, wide = 36, int(rng.integers(60, 140))
    paper = PAPER.pick(rng) if toss(rng, 0.7) else (45.0, 40.0, 38.0)
    ink = INK.pick(rng) if sum(paper) > 380 else (225.0, 225.0, 225.0)
    picture = _new_picture((rows * high + 2, columns * wide + 2), paper)
    face = pick_typeface(rng, None, ("A", "1"))
    shaded = ANY_COLOUR.pick(rng)
    for row, column in np.ndindex(rows, columns):
        y, x = row * high, column * wide
        if row == 0 or toss(rng, 0.03):
            picture[y : y + high, x : x + wide] = np.clip(shaded, 0, 255)
        word = pick(rng, WORDS) if column == 0 else str(int(rng.integers(1, 10000)))
        blend(
            picture[y + 6 : y + high - 6, x + 4 : x + wide - 4],
            text_lines(face, (word,), wide - 8, high - 12),
            ink,
        )
    picture[::high] = picture[:, ::wide] = np.clip(DULL.pick(rng), 0, 255)
    return picture


def draw_tiled_floor(rng: np.random.Generator) -> Picture:
    """Draw a floor of tiles with joints: of one colour, of two alternating, or of many."""
    rows, columns = int(rng.integers(4, 20)), int(rng.integers(4, 20))
    cell, joint = 56, int(rng.integers(1, 8))
    picture = _new_picture((rows * cell, columns * cell), DULL.pick(rng))
    first, second = np.array(DULL.pick(rng)), np.array(ANY_COLOUR.pick(rng))
    kind = pick(rng, ("plain", "checks", "many"))
    spread = between(rng, 0.0, 0.15)
    for row, column in np.ndindex(rows, columns):
        colour = first
        if (kind == "checks" and (row + column) % 2) or (kind == "many" and toss(rng, 0.25)):
            colour = second if kind == "checks" else np.array(ANY_COLOUR.pick(rng))
        shade = float(rng.normal(1, spread))
        y, x = row * cell, column * cell
        picture[y + joint : y + cell, x + joint : x + cell] = np.clip(colour * shade, 0, 255)
    texture = 1 + np.float32(between(rng, 0.0, 0.12)) * noise(rng, (rows * cell, columns * cell), 12)
    return np.asarray(np.clip(picture * texture[..., np.newaxis], 0, 255), np.uint8)


def draw_window(rng: np.random.Generator) -> Picture:
    """Draw a window: panes with a gradient of the sky, and a frame."""
    rows, columns = int(rng.integers(2, 9)), int(rng.integers(2, 9))
    high, wide, bar = int(rng.integers(60, 140)), int(rng.integers(60, 140)), int(rng.integers(6, 26))
    height, width = rows * high + bar, columns * wide + bar
    sky = np.linspace(1.0, between(rng, 0.5, 1.1), height)[:, np.newaxis, np.newaxis]
    view = sky * np.array(Tone(saturation=(0.0, 0.5), value=(0.2, 1.0)).pick(rng))
    view = view + 25 * noise(rng, (height, width), 60)[..., np.newaxis]
    picture = np.asarray(np.clip(view, 0, 255), np.uint8)
    frame = np.clip(DULL.pick(rng), 0, 255)
    for row in range(rows + 1):
        picture[row * high : row * high + bar] = frame
    for column in range(columns + 1):
        picture[:, column * wide : column * wide + bar] = frame
    return picture


def draw_brick_wall(rng: np.random.Generator) -> Picture:
    """Draw a wall of bricks or planks, every other row shifted by half."""
    high, wide, joint = int(rng.integers(20, 50)), int(rng.integers(50, 140)), int(rng.integers(2, 7))
    height, width = 16 * high, 10 * wide
    picture = _new_picture((height, width), DULL.pick(rng))
    brick, spread = np.array(ANY_COLOUR.pick(rng)), between(rng, 0.03, 0.2)
    for row in range(16):
        for left in range(-(row % 2) * wide // 2, width, wide):
            x, y = max(0, left), row * high
            colour = brick * float(rng.normal(1, spread))
            picture[y : y + high - joint, x : max(x, left + wide - joint)] = np.clip(colour, 0, 255)
    texture = 1 + np.float32(0.1) * grain(rng, (height, width), 4)
    return np.asarray(np.clip(picture * texture[..., np.newaxis], 0, 255), np.uint8)


def draw_chessboard(rng: np.random.Generator) -> Picture:
    """Draw a board of squares in two colours, mostly with pieces or draughts."""
    count, cell, rim = pick(rng, (8, 8, 8, 10, 12)), 64, int(rng.integers(0, 60))
    first, second = LIGHT.pick(rng), DARK.pick(rng)
    side = count * cell + 2 * rim
    picture = _new_picture((side, side), DARK.pick(rng))
    for row, column in np.ndindex(count, count):
        _fill_square(picture, rim, cell, row, column, first if (row + column) % 2 == 0 else second)
    share = between(rng, 0.0, 0.5)
    flat = toss(rng, 0.5)
    signs = pick_typeface(rng, None, ("A",))
    for row, column in np.ndindex(count, count):
        if rng.random() > share:
            continue
        centre = (rim + column * cell + cell // 2, rim + row * cell + cell // 2)
        body, edge = (LIGHT, DARK) if toss(rng, 0.5) else (DARK, LIGHT)
        cv2.circle(picture, centre, round(cell * between(rng, 0.3, 0.42)), body.pick(rng), -1, cv2.LINE_AA)
        cv2.circle(picture, centre, round(cell * 0.25), edge.pick(rng), 3, cv2.LINE_AA)
        if flat:
            _print_text(picture, signs, pick(rng, "KQRBNP"), centre, cell // 3, edge.pick(rng))
    if rim > 20:
        for index in range(count):
            middle = rim + index * cell + cell // 2
            _print_text(picture, signs, LETTERS[index], (middle, side - rim // 2), rim // 2, first)
            _print_text(picture, signs, str(count - index), (rim // 2, middle), rim // 2, first)
    return picture


def draw_crossword(rng: np.random.Generator) -> Picture:
    """Draw a crossword: white and black squares, small numbers, and letters where it is solved."""
    count, cell, rim = int(rng.integers(9, 22)), 44, int(rng.integers(4, 60))
    paper = Tone(hue=(0.08, 0.15), saturation=(0.0, 0.12), value=(0.8, 1.0)).pick(rng)
    side = count * cell + 2 * rim
    picture = _new_picture((side, side), paper)
    black = rng.random((count, count)) < between(rng, 0.1, 0.35)
    if toss(rng, 0.8):
        black |= black[::-1, ::-1]  # most crosswords are symmetric
    face = pick_typeface(rng, None, ("A", "1"))
    written = between(rng, 0.0, 1.0) if toss(rng, 0.7) else 0.0
    number = 0
    ink: Colour = BLACK if toss(rng, 0.6) else DARK.pick(rng)
    for row, column in np.ndindex(count, count):
        if black[row, column]:
            _fill_square(picture, rim, cell, row, column, BLACK)
            continue
        if row == 0 or column == 0 or black[row - 1, column] or black[row, column - 1]:
            number += 1
            corner = (rim + column * cell + 9, rim + row * cell + 9)
            _print_text(picture, face, str(number), corner, 14, BLACK)
        if rng.random() < written:
            middle = (rim + column * cell + cell // 2, rim + row * cell + cell // 2 + 4)
            _print_text(picture, face, pick(rng, LETTERS), middle, round(0.7 * cell), ink)
    _draw_grid(picture, rim, cell, count, count, BLACK, int(rng.integers(1, 4)))
    return picture


def draw_number_grid(rng: np.random.Generator) -> Picture:
    """Draw a square of numbers: a number puzzle, a bingo card, a multiplication table."""
    count = pick(rng, (5, 9, 9, 9, 10, 12, 15))
    cell, rim = 56, int(rng.integers(4, 70))
    side = count * cell + 2 * rim
    picture = _new_picture((side, side), LIGHT.pick(rng))
    face = pick_typeface(rng, None, ("1",))
    share, most = between(rng, 0.3, 1.0), 9 if count == 9 else count * count
    for row, column in np.ndindex(count, count):
        if toss(rng, 0.04):
            _fill_square(picture, rim, cell, row, column, ANY_COLOUR.pick(rng))
        if rng.random() < share:
            middle = (rim + column * cell + cell // 2, rim + row * cell + cell // 2)
            _print_text(
                picture,
                face,
                str(int(rng.integers(1, most + 1))),
                middle,
                round(cell * 0.65),
                DARK.pick(rng) if toss(rng, 0.2) else BLACK,
            )
    _draw_grid(picture, rim, cell, count, count, BLACK, 2)
    if count == 9:
        _draw_grid(picture, rim, 3 * cell, 3, 3, BLACK, 5)
    return picture


def draw_coloured_squares(rng: np.random.Generator) -> Picture:
    """Draw a board of another game: coloured squares everywhere, or on a track around the edge."""
    rows, columns = int(rng.integers(6, 16)), int(rng.integers(6, 16))
    cell, rim = 52, int(rng.integers(0, 60))
    picture = _new_picture((rows * cell + 2 * rim, columns * cell + 2 * rim), ANY_COLOUR.pick(rng))
    colours = [ANY_COLOUR.pick(rng) for _ in range(int(rng.integers(2, 7)))]
    track, face = toss(rng, 0.4), pick_typeface(rng, None, ("1",))
    numbered = toss(rng, 0.4)
    for row, column in np.ndindex(rows, columns):
        if track and 0 < row < rows - 1 and 0 < column < columns - 1:
            continue
        _fill_square(picture, rim, cell, row, column, pick(rng, colours))
        if numbered:
            middle = (rim + column * cell + cell // 2, rim + row * cell + cell // 2)
            _print_text(picture, face, str(row * columns + column + 1), middle, round(cell * 0.5), BLACK)
    if not track:
        _draw_grid(picture, rim, cell, rows, columns, ANY_COLOUR.pick(rng), int(rng.integers(1, 5)))
    return picture


def draw_go_board(rng: np.random.Generator) -> Picture:
    """Draw a go board with stones."""
    count, cell, rim = pick(rng, (9, 13, 15, 19)), 44, 44
    side = (count - 1) * cell + 2 * rim
    wood = Tone(hue=(0.08, 0.12), saturation=(0.35, 0.65), value=(0.65, 0.95))
    picture = _new_picture((side, side), wood.pick(rng))
    _draw_grid(picture, rim, cell, count - 1, count - 1, BLACK, int(rng.integers(1, 4)))
    share = between(rng, 0.0, 0.6)
    for row, column in np.ndindex(count, count):
        if rng.random() < share:
            stone: Colour = (240.0, 240.0, 240.0) if toss(rng, 0.5) else (30.0, 28.0, 28.0)
            centre = (rim + column * cell, rim + row * cell)
            cv2.circle(picture, centre, round(cell * 0.46), stone, -1, cv2.LINE_AA)
    return picture


def _new_picture(shape: tuple[int, int], colour: Colour) -> Picture:
    return np.full((*shape, 3), np.clip(colour, 0, 255), np.uint8)


def _fill_square(picture: Picture, rim: int, cell: int, row: int, column: int, colour: Colour) -> None:
    y, x = rim + row * cell, rim + column * cell
    picture[y : y + cell, x : x + cell] = np.clip(colour, 0, 255)


def _draw_grid(
    picture: Picture, rim: int, cell: int, rows: int, columns: int, colour: Colour, thick: int
) -> None:
    bottom, right = rim + rows * cell, rim + columns * cell
    for index in range(columns + 1):
        cv2.line(picture, (rim + index * cell, rim), (rim + index * cell, bottom), colour, thick)
    for index in range(rows + 1):
        cv2.line(picture, (rim, rim + index * cell), (right, rim + index * cell), colour, thick)


def _print_text(
    picture: Picture, face: Typeface, text: str, middle_xy: tuple[int, int], box: int, colour: Colour
) -> None:
    """Print `text` into a box around `middle_xy`, in place; skip it where the box does not fit."""
    x, y = middle_xy[0] - box // 2, middle_xy[1] - box // 2
    place = picture[max(0, y) : y + box, max(0, x) : x + box]
    if box >= 6 and place.shape[:2] == (box, box):
        blend(place, text_lines(face, (text,), box, box), colour)
