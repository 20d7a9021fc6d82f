"""Random word games on a screen, as a screenshot or as a photo of the screen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np

from samples.arrays import Colour, Floats, Picture
from samples.chance import Tone, between, pick, toss
from samples.drawing import TileFace, blend, draw_board, draw_tiles, marks_of, text_lines
from samples.fonts import Typeface, pick_typeface
from samples.optics import Camera, photograph, place_on_table
from samples.random.styles import random_table
from samples.random.views import random_light
from samples.style import BoardStyle, Handling, TileStyle
from scoring import Edition

__all__ = ["SCREEN_MARKS", "RenderedScreen", "random_screen"]

LIGHT = Tone(saturation=(0.0, 0.2), value=(0.85, 1.0))
DARK = Tone(saturation=(0.0, 0.6), value=(0.06, 0.3))
PREMIUM = Tone(saturation=(0.35, 0.85), value=(0.5, 0.95))
TILE = Tone(hue=(0.08, 0.16), saturation=(0.1, 0.6), value=(0.85, 1.0))
PAGE = Tone(value=(0.1, 1.0))
PLAIN_HANDLING = Handling(offset=0.0, turn_deg=0.0)
"""Tiles on a screen are where they belong."""
PHOTOGRAPHED = 0.5
"""Share of the pictures that are photos; others are screenshots. Chosen."""
SCREEN_MARKS: tuple[tuple[str, ...], ...] = (
    (
        "...T..t.t..T...", "..d..D...D..d..", ".d..d.....d..d.", "T..t...D...t..T", "..d...d.d...d..",
        ".D...t...t...D.", "t...d.....d...t", "...D.......D...", "t...d.....d...t", ".D...t...t...D.",
        "..d...d.d...d..", "T..t...D...t..T", ".d..d.....d..d.", "..d..D...D..d..", "...T..t.t..T...",
    ),
    (
        "t...T..d..T...t", ".d...t...t...d.", "..D...d.d...D..", "...t...D...t...", "T...D.d.d.D...T",
        ".t...t...t...t.", "..d.d.....d.d..", "d..D.......D..d", "..d.d.....d.d..", ".t...t...t...t.",
        "T...D.d.d.D...T", "...t...D...t...", "..D...d.d...D..", ".d...t...t...d.", "t...T..d..T...t",
    ),
)  # fmt: skip
"""Premium squares of such games: no shipped edition has them."""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class RenderedScreen:
    """A picture of a game on a screen, and its truth.

    Parameters
    ----------
    image_bgr : (height, width, 3) uint8
        The picture, BGR.
    corners_px : (4, 2) float64
        The grid's outer corners TL TR BR BL.
    rows : tuple of tuple of str
        The token of every square.
    photographed : bool
        Whether it is a photo; else it is a screenshot.
    """

    image_bgr: Picture
    corners_px: Floats
    rows: tuple[tuple[str, ...], ...]
    photographed: bool


def random_screen(
    rows: Sequence[Sequence[str]], edition: Edition, rng: np.random.Generator, *, own_marks: bool
) -> RenderedScreen:
    """Render a game on a screen in a random style; half of the pictures are screenshots.

    A blank shows a random letter without a value.

    Parameters
    ----------
    rows : sequence of sequence of str
        A token for each square, 15 x 15.
    edition : Edition
        Printed values, where there are any, and premium squares unless `own_marks`.
    rng : numpy.random.Generator
        The same state gives the same picture.
    own_marks : bool
        Put the premium squares elsewhere (`SCREEN_MARKS`), as many such games do.
    """
    photographed = toss(rng, PHOTOGRAPHED)
    marks = pick(rng, SCREEN_MARKS) if own_marks else marks_of(edition.layout)
    cell_px = int(rng.integers(34, 64))
    face = pick_typeface(rng, None, (*edition.tokens, "1"))
    board = _draw_board(rows, marks, edition, face, cell_px, rng)
    screen, left_top = _draw_page(board, face, cell_px, rng)
    outline = np.array([[0, 0], [15, 0], [15, 15], [0, 15]]) * cell_px - 0.5
    corners = outline + np.array(left_top) + _margin(cell_px)
    if photographed:
        image, corners = _photograph_screen(screen, corners, cell_px, rng)
    else:
        image, corners = _save_screenshot(screen, corners, rng)
    return RenderedScreen(
        image_bgr=image,
        corners_px=corners,
        rows=tuple(tuple(row) for row in rows),
        photographed=photographed,
    )


def _margin(cell_px: int) -> int:
    return cell_px // 5 + 1


def _draw_board(
    rows: Sequence[Sequence[str]],
    marks: tuple[str, ...],
    edition: Edition,
    face: Typeface,
    cell_px: int,
    rng: np.random.Generator,
) -> Picture:
    """Draw the board with its tiles; those of the last play often have another colour."""
    plain: Colour = (LIGHT if toss(rng, 0.6) else DARK).pick(rng)
    gap: Colour | None = (LIGHT if toss(rng, 0.5) else DARK).pick(rng) if toss(rng, 0.7) else None
    texts = pick(rng, (None, ("DL", "TL", "DW", "TW"), ("2L", "3L", "2W", "3W"), ("x2", "x3", "2x", "3x")))
    style = BoardStyle(
        plain_bgr=plain,
        double_letter_bgr=PREMIUM.pick(rng),
        triple_letter_bgr=PREMIUM.pick(rng),
        double_word_bgr=PREMIUM.pick(rng),
        triple_word_bgr=PREMIUM.pick(rng),
        line_bgr=gap,
        line_width=between(rng, 0.03, 0.1),
        premium_shape=pick(rng, ("full", "inset", "rounded")),
        premium_texts=texts,
        text_bgr=pick(rng, ((250.0, 250.0, 250.0), (40.0, 40.0, 40.0))),
        text_size=between(rng, 0.45, 0.7),
        text_face=face,
        start_sign=pick(rng, ("none", "star")),
        speckle=0.0,
        frame_bgr=plain,
        frame_width=0.0,
    )
    middle = frozenset({(len(marks) // 2, len(marks[0]) // 2)})
    image = draw_board(marks, middle, style, cell_px, rng).image_bgr
    dark_tiles = toss(rng, 0.15)
    tiles = TileStyle(
        letter_face=face,
        value_face=face,
        body_bgr=DARK.pick(rng) if dark_tiles else TILE.pick(rng),
        ink_bgr=(240.0, 240.0, 240.0) if dark_tiles else (35.0, 30.0, 30.0),
        spread=0.0,
        letter_height=between(rng, 0.42, 0.6),
        value_height=between(rng, 0.16, 0.22),
        value_shown=toss(rng, 0.75),
        side=between(rng, 0.88, 1.0),
        corner=between(rng, 0.05, 0.2),
        bevel=0.0,
        outline=between(rng, 0.0, 0.3),
    )
    # one game in three has values of its own: twice the edition's
    factor = pick(rng, (1, 1, 2))
    faces = tuple(
        TileFace(
            row=row,
            column=column,
            text=pick(rng, edition.tokens) if token == "?" else token,
            value=edition.values.get(token, 0) * factor or None
            if tiles.value_shown and token != "?"
            else None,
        )
        for row, tokens in enumerate(rows)
        for column, token in enumerate(tokens)
        if token != "."
    )
    newest = between(rng, 0, 1) if toss(rng, 0.6) else 2.0
    for style_of, chosen in (
        (tiles, [tile for tile in faces if tile.row / 15 < newest]),
        (
            replace(tiles, body_bgr=PREMIUM.pick(rng)),
            [tile for tile in faces if newest <= tile.row / 15 < newest + 0.07],
        ),
        (tiles, [tile for tile in faces if tile.row / 15 >= newest + 0.07]),
    ):
        _draw_tiles(image, tuple(chosen), style_of, cell_px, rng)
    return image


def _draw_tiles(
    image: Picture, faces: tuple[TileFace, ...], tiles: TileStyle, cell_px: int, rng: np.random.Generator
) -> None:
    """Draw tiles without shadows, in place."""
    margin = _margin(cell_px)
    drawn = draw_tiles(
        faces, tiles, PLAIN_HANDLING, (image.shape[0], image.shape[1]), cell_px, margin, (0.0, -1.0),
        int(rng.integers(2**31)),
    )  # fmt: skip
    weight = drawn.footprint[..., np.newaxis].astype(np.float32) / 255
    image[...] = (image + (drawn.faces_bgr.astype(np.float32) - image) * weight).astype(np.uint8)


def _draw_page(
    board: Picture, face: Typeface, cell_px: int, rng: np.random.Generator
) -> tuple[Picture, tuple[int, int]]:
    """Draw the board on a page with names, totals and a rack, upright as on a phone or wide; its left and top."""
    side, wide = board.shape[0], toss(rng, 0.5)
    page = PAGE.pick(rng)
    ink: Colour = (245.0, 245.0, 245.0) if sum(page) < 380 else (30.0, 30.0, 30.0)
    above = round(cell_px * between(rng, 0.3, 3.0))
    inset = round(cell_px * between(rng, 0.2, 1.0))
    height = above + side + round(cell_px * (between(rng, 0.3, 1.5) if wide else between(rng, 3.0, 8.0)))
    width = inset + side + round(cell_px * (between(rng, 6.0, 12.0) if wide else between(rng, 0.2, 1.0)))
    screen = np.full((height, width, 3), np.clip(page, 0, 255), np.uint8)
    screen[above : above + side, inset : inset + side] = board

    def write(text: str, left: int, top: int, high: int) -> None:
        place = screen[top : top + high, left : left + min(width - left, 6 * high)]
        if high >= 8 and place.shape[0] == high and place.shape[1] >= high:
            blend(place, text_lines(face, (text,), place.shape[1], high), ink)

    line = round(0.6 * cell_px)
    left, top = (inset + side + cell_px // 2, above) if wide else (inset, above + side + cell_px // 2)
    for name in ("ANNA 231", "JON 198", "BAG 34"):
        write(name, left, top, line)
        top += round(1.5 * line)
    key = min(round(cell_px * 0.9), (width - left - 8) // 7)
    if key >= 12:
        rack = screen[top : top + key, left : left + 7 * key]
        body = TILE.pick(rng)
        for number in range(7 if rack.shape[0] == key else 0):
            x = number * key
            cv2.rectangle(rack, (x + 2, 2), (x + key - 3, key - 3), body, -1)
            letter = pick(rng, "ABCDEFGHIKLMNOPRST")
            blend(
                rack[4:-4, x + 4 : x + key - 4], text_lines(face, (letter,), key - 8, key - 8), (30, 30, 30)
            )
    return screen, (inset, above)


def _save_screenshot(screen: Picture, corners: Floats, rng: np.random.Generator) -> tuple[Picture, Floats]:
    """Return the screen as it is, or smaller and compressed."""
    if toss(rng, 0.5):
        return screen, corners
    factor = between(rng, 0.6, 1.0)
    size = (round(screen.shape[1] * factor), round(screen.shape[0] * factor))
    scale = np.array([size[0] / screen.shape[1], size[1] / screen.shape[0]])
    small = cv2.resize(screen, size, interpolation=cv2.INTER_AREA)
    _, coded = cv2.imencode(".jpg", small, [cv2.IMWRITE_JPEG_QUALITY, int(rng.integers(50, 95))])
    return np.asarray(cv2.imdecode(coded, cv2.IMREAD_COLOR), np.uint8), (corners + 0.5) * scale - 0.5


def _photograph_screen(
    screen: Picture, corners: Floats, cell_px: int, rng: np.random.Generator
) -> tuple[Picture, Floats]:
    """Photograph the screen, with the moire of its pixels and the camera's."""
    seen_px = between(rng, 20, 40)
    camera = Camera(
        cell_px=seen_px,
        tilt_deg=between(rng, 0, 35),
        azimuth_deg=float(rng.normal(0, 25)),
        roll_deg=float(rng.normal(0, 5)),
        margins=(0.03, 0.03, 0.03, 0.03),
    )
    view = place_on_table(screen, random_table(rng), camera, screen.shape[1] / cell_px, rng)
    glass = view.scene_bgr.astype(np.float32)
    flat_from_image = np.linalg.inv(view.image_from_flat)
    y, x = np.mgrid[0 : glass.shape[0], 0 : glass.shape[1]].astype(np.float32)
    depth = flat_from_image[2, 0] * x + flat_from_image[2, 1] * y + flat_from_image[2, 2]
    strength, pitch = between(rng, 0.0, 0.12), between(rng, 0.55, 1.3)
    for row in (0, 1):
        along = (flat_from_image[row, 0] * x + flat_from_image[row, 1] * y + flat_from_image[row, 2]) / depth
        waves = 1 - strength * (1 + np.cos(2 * np.pi * along / pitch))
        glass *= np.where(view.covers, waves, 1.0)[..., np.newaxis]
    light = replace(random_light(rng, cell_px=seen_px), motion_px=0.0)
    seen = photograph(np.clip(glass, 0, 255).astype(np.uint8), light, rng)
    return seen, view.apply(corners)
