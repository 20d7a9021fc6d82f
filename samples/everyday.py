"""Flat drawings of everyday things made of rectangles: keyboards, calendars, floors, windows, walls, papers."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from samples.chance import Tone, between, chance, one_of
from samples.fonts import pick_typeface
from samples.glyphs import text_lines
from samples.squares import blend
from samples.style import Colour
from samples.surfaces import grain, noise

__all__ = [
    "draw_brick_wall",
    "draw_calendar",
    "draw_keyboard",
    "draw_page",
    "draw_squared_paper",
    "draw_table_of_text",
    "draw_tiled_floor",
    "draw_window",
]

Picture = NDArray[np.uint8]
PAPER = Tone(hue=(0.05, 0.17), saturation=(0.0, 0.1), value=(0.82, 1.0))
INK = Tone(saturation=(0.0, 0.6), value=(0.05, 0.4))
ANY = Tone(value=(0.1, 1.0))
DULL = Tone(saturation=(0.0, 0.3), value=(0.2, 0.95))
MONTHS = ("MARCH", "JÚLÍ", "OKTOBER", "JANVIER", "AGOSTO", "KWIECIEŃ")
WORDS = ("letter", "the", "and", "board", "word", "ord", "mot", "Wort", "slowo", "palabra", "of", "a", "12")


def draw_keyboard(rng: np.random.Generator) -> Picture:
    """Keys in rows that are shifted against one another."""
    cell, rows, columns = 52, int(rng.integers(4, 7)), int(rng.integers(10, 18))
    picture = _filled((rows * cell + 40, columns * cell + 40), DULL.pick(rng))
    key, ink = DULL.pick(rng), ANY.pick(rng)
    face = pick_typeface(rng, None, ("A", "1"))
    gap, shift = int(rng.integers(2, 8)), between(rng, 0.0, 0.5)
    for row in range(rows):
        x = 20 + round(shift * row * cell)
        while x < picture.shape[1] - 20 - cell:
            wide = cell if chance(rng, 0.9) else round(cell * between(rng, 1.3, 3.0))
            wide = min(wide, picture.shape[1] - 20 - x)
            y = 20 + row * cell
            cv2.rectangle(picture, (x + gap, y + gap), (x + wide - gap, y + cell - gap), key, -1, cv2.LINE_AA)
            box = cell // 2
            sign = one_of(rng, "ABCDEFGHIJKLMNOPQRSTUVWXYZ1234567890")
            blend(
                picture[y + gap + 4 : y + gap + 4 + box, x + gap + 4 : x + gap + 4 + box],
                text_lines(face, (sign,), box, box),
                ink,
            )
            x += wide
    return picture


def draw_calendar(rng: np.random.Generator) -> Picture:
    """A month's days in seven columns below its name."""
    wide, high = 76, int(rng.integers(44, 90))
    weeks, head = int(rng.integers(5, 7)), 110
    picture = _filled((head + weeks * high + 20, 7 * wide + 40), PAPER.pick(rng))
    face, ink = pick_typeface(rng, None, ("A", "1")), INK.pick(rng)
    blend(picture[15:75, 20:-20], text_lines(face, (one_of(rng, MONTHS),), 7 * wide, 60), ink)
    first = int(rng.integers(7))
    for day in range(first, first + 31):
        row, column = divmod(day, 7)
        if row >= weeks:
            break
        y, x = head + row * high, 20 + column * wide
        if chance(rng, 0.1):
            picture[y : y + high, x : x + wide] = np.clip(ANY.pick(rng), 0, 255)
        box = round(high * 0.5)
        colour: Colour = (40.0, 40.0, 200.0) if column == 6 else ink
        blend(
            picture[y + 4 : y + 4 + box, x + 4 : x + 4 + box],
            text_lines(face, (str(day - first + 1),), box, box),
            colour,
        )
    if chance(rng, 0.8):
        for row in range(weeks + 1):
            cv2.line(picture, (20, head + row * high), (20 + 7 * wide, head + row * high), ink, 2)
        for column in range(8):
            x = 20 + column * wide
            cv2.line(picture, (x, head), (x, head + weeks * high), ink, 2)
    return picture


def draw_page(rng: np.random.Generator) -> Picture:
    """A printed page."""
    picture = _filled((int(rng.integers(500, 900)), 640), PAPER.pick(rng))
    face, ink, line = pick_typeface(rng, None, ("A",)), INK.pick(rng), int(rng.integers(18, 40))
    for y in range(40, picture.shape[0] - 2 * line, round(line * 1.3)):
        text = " ".join(one_of(rng, WORDS) for _ in range(int(rng.integers(4, 12))))
        blend(picture[y : y + line, 40:600], text_lines(face, (text,), 560, line), ink)
    if chance(rng, 0.4):
        y, x = int(rng.integers(40, picture.shape[0] - 240)), int(rng.integers(40, 360))
        picture[y : y + 200, x : x + 240] = np.clip(ANY.pick(rng), 0, 255)
    return picture


def draw_squared_paper(rng: np.random.Generator) -> Picture:
    """A sheet of squared paper, with some scribbling."""
    cell = int(rng.integers(12, 40))
    picture = _filled((int(rng.integers(12, 40)) * cell, int(rng.integers(12, 40)) * cell), PAPER.pick(rng))
    ruled = Tone(hue=(0.5, 0.65), saturation=(0.1, 0.5), value=(0.5, 0.9)).pick(rng)
    picture[::cell] = picture[:, ::cell] = np.clip(ruled, 0, 255)
    height, width = picture.shape[:2]
    for _ in range(int(rng.integers(0, 12))):
        steps = rng.normal(0, cell, (12, 2)).cumsum(axis=0)
        stroke = np.array([rng.uniform(0, width), rng.uniform(0, height)]) + steps
        cv2.polylines(picture, [np.round(stroke).astype(np.int32)], False, INK.pick(rng), 2, cv2.LINE_AA)
    return picture


def draw_table_of_text(rng: np.random.Generator) -> Picture:
    """Rows and columns of words and numbers, as on a screen."""
    rows, columns = int(rng.integers(8, 24)), int(rng.integers(3, 10))
    high, wide = 36, int(rng.integers(60, 140))
    paper = PAPER.pick(rng) if chance(rng, 0.7) else (45.0, 40.0, 38.0)
    ink = INK.pick(rng) if sum(paper) > 380 else (225.0, 225.0, 225.0)
    picture = _filled((rows * high + 2, columns * wide + 2), paper)
    face = pick_typeface(rng, None, ("A", "1"))
    shaded = ANY.pick(rng)
    for row, column in np.ndindex(rows, columns):
        y, x = row * high, column * wide
        if row == 0 or chance(rng, 0.03):
            picture[y : y + high, x : x + wide] = np.clip(shaded, 0, 255)
        word = one_of(rng, WORDS) if column == 0 else str(int(rng.integers(1, 10000)))
        blend(
            picture[y + 6 : y + high - 6, x + 4 : x + wide - 4],
            text_lines(face, (word,), wide - 8, high - 12),
            ink,
        )
    picture[::high] = picture[:, ::wide] = np.clip(DULL.pick(rng), 0, 255)
    return picture


def draw_tiled_floor(rng: np.random.Generator) -> Picture:
    """Tiles with joints: of one colour, of two in turn, or of many."""
    rows, columns = int(rng.integers(4, 20)), int(rng.integers(4, 20))
    cell, joint = 56, int(rng.integers(1, 8))
    picture = _filled((rows * cell, columns * cell), DULL.pick(rng))
    first, second = np.array(DULL.pick(rng)), np.array(ANY.pick(rng))
    kind = one_of(rng, ("plain", "checks", "many"))
    spread = between(rng, 0.0, 0.15)
    for row, column in np.ndindex(rows, columns):
        colour = first
        if (kind == "checks" and (row + column) % 2) or (kind == "many" and chance(rng, 0.25)):
            colour = second if kind == "checks" else np.array(ANY.pick(rng))
        shade = float(rng.normal(1, spread))
        y, x = row * cell, column * cell
        picture[y + joint : y + cell, x + joint : x + cell] = np.clip(colour * shade, 0, 255)
    texture = 1 + np.float32(between(rng, 0.0, 0.12)) * noise(rng, (rows * cell, columns * cell), 12)
    return np.asarray(np.clip(picture * texture[..., np.newaxis], 0, 255), np.uint8)


def draw_window(rng: np.random.Generator) -> Picture:
    """Bright panes in a dark frame, or dark ones in a bright frame."""
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
    """Bricks or boards, every other row shifted by half."""
    high, wide, joint = int(rng.integers(20, 50)), int(rng.integers(50, 140)), int(rng.integers(2, 7))
    height, width = 16 * high, 10 * wide
    picture = _filled((height, width), DULL.pick(rng))
    brick, spread = np.array(ANY.pick(rng)), between(rng, 0.03, 0.2)
    for row in range(16):
        for left in range(-(row % 2) * wide // 2, width, wide):
            x, y = max(0, left), row * high
            colour = brick * float(rng.normal(1, spread))
            picture[y : y + high - joint, x : max(x, left + wide - joint)] = np.clip(colour, 0, 255)
    texture = 1 + np.float32(0.1) * grain(rng, (height, width), 4)
    return np.asarray(np.clip(picture * texture[..., np.newaxis], 0, 255), np.uint8)


def _filled(shape: tuple[int, int], colour: Colour) -> Picture:
    return np.full((*shape, 3), np.clip(colour, 0, 255), np.uint8)
