"""Other things on the table: sheets, racks, loose tiles, cups, pens, books, phones."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import cv2
import numpy as np

from samples.arrays import Colour, Floats, Picture
from samples.chance import ANY_COLOUR, Tone, between, pick, toss
from samples.drawing import (
    TileFace,
    blend,
    draw_crossword,
    draw_page,
    draw_squared_paper,
    draw_table_of_text,
    draw_tiles,
    text_lines,
)
from samples.optics import View
from samples.style import Handling, Style, TileStyle

__all__ = ["place_things"]

FINE = 40
"""Pixels a cell of the flat drawings; chosen."""
TABLE_HEIGHT = -0.3
"""Height of the table in cells: below the board. Chosen."""
MUTED = Tone(saturation=(0.0, 0.5), value=(0.15, 0.95))


class Thing(NamedTuple):
    """A flat drawing with its mask, and its width and height in cells."""

    image_bgr: Picture
    mask: Picture
    size: tuple[float, float]


def place_things(scene_bgr: Picture, view: View, style: Style, rng: np.random.Generator) -> None:
    """Draw random things around the board, in place; things outside of the picture are skipped.

    Parameters
    ----------
    scene_bgr : (height, width, 3) uint8
        The table, BGR.
    view : View
        The camera in front of the board.
    style : Style
        Number of things, look of the tiles, and width of the board's rim.
    rng : numpy.random.Generator
        The same state gives the same things.
    """
    rim = max(style.board.frame_width, 0.25)
    for _ in range(style.table.things):
        thing = pick(rng, DRAWINGS)(style.tiles, rng)
        middle, turn_deg = _choose_place(view, rim, thing.size, rng)
        c, s = math.cos(math.radians(turn_deg)), math.sin(math.radians(turn_deg))
        scale_x = thing.size[0] / thing.image_bgr.shape[1]
        scale_y = thing.size[1] / thing.image_bgr.shape[0]
        left, top = -thing.size[0] / 2, -thing.size[1] / 2
        board_from_thing = np.array(
            [
                [c * scale_x, -s * scale_y, c * left - s * top + middle[0]],
                [s * scale_x, c * scale_y, s * left + c * top + middle[1]],
                [0, 0, 1],
            ]
        )
        _project(
            scene_bgr, thing, view.image_from_plane(TABLE_HEIGHT) @ board_from_thing, view.largest_cell_px
        )


def _choose_place(
    view: View, rim: float, size: tuple[float, float], rng: np.random.Generator
) -> tuple[tuple[float, float], float]:
    """Choose the middle of a thing next to one of the board's sides, in cells, and its rotation in degrees."""
    straight = toss(rng, 0.5)
    turn_deg = float(rng.normal(0, 6)) if straight else between(rng, 0, 360)
    out = rim + between(rng, 0.1, 3.0) + (min(size) if straight else math.hypot(*size)) / 2
    side = int(rng.integers(4))
    if side < 2:  # above or below
        x = between(rng, -2, view.columns + 2)
        return (x, -out if side == 0 else view.rows + out), turn_deg
    y = between(rng, -2, view.rows + 2)
    return (-out if side == 2 else view.columns + out, y), turn_deg + 90


def _project(scene: Picture, thing: Thing, image_from_thing: Floats, cell_px: float) -> None:
    """Project a thing into the scene, in place, with a soft shadow around it."""
    high, wide = thing.image_bgr.shape[:2]
    corners = np.array([[0, 0, 1], [wide, 0, 1], [wide, high, 1], [0, high, 1]]) @ image_from_thing.T
    if (corners[:, 2] <= 0).any():
        return  # behind the camera
    pixels = corners[:, :2] / corners[:, 2:]
    reach = 0.3 * cell_px
    low = np.maximum(np.floor(pixels.min(axis=0) - reach), 0).astype(int)
    top_right = np.minimum(np.ceil(pixels.max(axis=0) + reach), scene.shape[1::-1]).astype(int)
    if (top_right - low < 2).any():
        return
    moved = np.array([[1.0, 0, -low[0]], [0, 1, -low[1]], [0, 0, 1]]) @ image_from_thing
    size = (int(top_right[0] - low[0]), int(top_right[1] - low[1]))
    seen = cv2.warpPerspective(thing.image_bgr, moved, size, borderMode=cv2.BORDER_REPLICATE)
    mask = np.asarray(cv2.warpPerspective(thing.mask, moved, size), np.uint8)
    window = scene[low[1] : top_right[1], low[0] : top_right[0]]
    soft = cv2.blur(mask, (round(0.25 * cell_px) | 1,) * 2).astype(np.float32)[..., np.newaxis] / 255
    alpha = mask.astype(np.float32)[..., np.newaxis] / 255
    window[...] = (window * (1 - 0.4 * soft) * (1 - alpha) + seen * alpha).astype(np.uint8)


def _draw_sheet(_: TileStyle, rng: np.random.Generator) -> Thing:
    """Draw a printed or squared sheet."""
    drawing = pick(rng, (draw_page, draw_table_of_text, draw_squared_paper, draw_crossword))(rng)
    wide = between(rng, 4, 10)
    return Thing(drawing, _full_mask(drawing), (wide, wide * drawing.shape[0] / drawing.shape[1]))


def _draw_rack(tiles: TileStyle, rng: np.random.Generator) -> Thing:
    """Draw a rack with up to seven tiles."""
    wide, high = 8, 2
    image = np.full((high * FINE, wide * FINE, 3), np.clip(MUTED.pick(rng), 0, 255), np.uint8)
    image[: FINE // 3] = (image[: FINE // 3] * 0.75).astype(np.uint8)
    count = int(rng.integers(0, 8))
    letters = "ABCDEFGHIJKLMNOPRSTUVWXYZ"
    faces = tuple(TileFace(row=0, column=column, text=pick(rng, letters), value=1) for column in range(count))
    drawn = draw_tiles(
        faces,
        tiles,
        Handling(offset=0.03, turn_deg=1.5),
        image.shape[:2],
        FINE,
        FINE // 2,
        (0.5, -0.8),
        int(rng.integers(2**31)),
    )
    np.copyto(image, drawn.faces_bgr, where=drawn.footprint[..., np.newaxis] > 127)
    return Thing(image, _full_mask(image), (wide, high))


def _draw_heap(tiles: TileStyle, rng: np.random.Generator) -> Thing:
    """Draw a heap of tiles, most of them face down."""
    side = 6 * FINE
    image, mask = np.zeros((side, side, 3), np.uint8), np.zeros((side, side), np.uint8)
    half = 0.5 * tiles.side * FINE
    for _ in range(int(rng.integers(3, 25))):
        middle, angle = rng.uniform(FINE, side - FINE, 2), between(rng, 0, math.pi)
        c, s = half * math.cos(angle), half * math.sin(angle)
        corners = np.round(middle + np.array([[c, s], [-s, c], [-c, -s], [s, -c]])).astype(np.int32)
        shade = float(rng.normal(1, 0.06))
        body: Colour = (
            tiles.body_bgr[0] * shade,
            tiles.body_bgr[1] * shade,
            tiles.body_bgr[2] * shade,
        )
        cv2.fillPoly(image, [corners], body, cv2.LINE_AA)
        edge: Colour = (0.5 * body[0], 0.5 * body[1], 0.5 * body[2])
        cv2.polylines(image, [corners], True, edge, 1, cv2.LINE_AA)
        cv2.fillPoly(mask, [corners], 255)
        if toss(rng, 0.3):
            box = int(half)
            y, x = int(middle[1]) - box // 2, int(middle[0]) - box // 2
            letter = text_lines(tiles.letter_face, (pick(rng, "AEINRSTUOLD"),), box, box)
            blend(image[y : y + box, x : x + box], letter, tiles.ink_bgr)
    return Thing(image, mask, (6.0, 6.0))


def _draw_dish(_: TileStyle, rng: np.random.Generator) -> Thing:
    """Draw a cup, a glass or a plate, seen from above."""
    side = 4 * FINE
    image = np.full((side, side, 3), np.clip(MUTED.pick(rng), 0, 255), np.uint8)
    mask = np.zeros((side, side), np.uint8)
    middle = (side // 2, side // 2)
    cv2.circle(mask, middle, side // 2 - 2, 255, -1, cv2.LINE_AA)
    for share in sorted(rng.uniform(0.2, 0.95, int(rng.integers(1, 4))), reverse=True):
        cv2.circle(image, middle, round(share * side / 2), MUTED.pick(rng), -1, cv2.LINE_AA)
    wide = between(rng, 2, 7)
    return Thing(image, mask, (wide, wide))


def _draw_box(tiles: TileStyle, rng: np.random.Generator) -> Thing:
    """Draw a book, a box, a phone or a bag: a rectangle with rounded corners and some print."""
    wide, high = between(rng, 3, 10), between(rng, 2, 10)
    shape = (round(high * FINE), round(wide * FINE))
    image = np.full((*shape, 3), np.clip(ANY_COLOUR.pick(rng), 0, 255), np.uint8)
    if toss(rng, 0.5):
        inset = round(FINE * between(rng, 0.1, 0.5))
        image[inset:-inset, inset:-inset] = np.clip(ANY_COLOUR.pick(rng), 0, 255)
    if toss(rng, 0.5):
        box_y, box_x = shape[0] // 3, round(0.7 * shape[1])
        y, x = (shape[0] - box_y) // 2, (shape[1] - box_x) // 2
        title = text_lines(
            tiles.letter_face, (pick(rng, ("GAME", "LEXICON", "2026", "A B C")),), box_x, box_y
        )
        blend(image[y : y + box_y, x : x + box_x], title, ANY_COLOUR.pick(rng))
    mask = np.zeros(shape, np.uint8)
    radius = round(FINE * between(rng, 0.05, 0.5))
    cv2.rectangle(mask, (radius, radius), (shape[1] - radius, shape[0] - radius), 255, -1)
    disc = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (2 * radius + 1, 2 * radius + 1))
    return Thing(image, np.asarray(cv2.dilate(mask, disc), np.uint8), (wide, high))


def _draw_pen(_: TileStyle, rng: np.random.Generator) -> Thing:
    """Draw a pen."""
    image = np.full((16, 6 * FINE, 3), np.clip(ANY_COLOUR.pick(rng), 0, 255), np.uint8)
    image[:4] = (image[:4] * 0.6).astype(np.uint8)
    image[:, : FINE // 2] = np.clip(ANY_COLOUR.pick(rng), 0, 255)
    return Thing(image, _full_mask(image), (between(rng, 5, 8), between(rng, 0.3, 0.6)))


def _full_mask(image: Picture) -> Picture:
    return np.full(image.shape[:2], 255, np.uint8)


DRAWINGS: tuple[Callable[[TileStyle, np.random.Generator], Thing], ...] = (
    _draw_sheet,
    _draw_rack,
    _draw_rack,
    _draw_heap,
    _draw_dish,
    _draw_box,
    _draw_pen,
)
"""Functions that draw a thing, as often as they are picked; chosen."""
