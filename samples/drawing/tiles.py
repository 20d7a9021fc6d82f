"""The tiles as flat pictures of the plane of their faces: faces, plain bodies and footprints."""

from __future__ import annotations

import math
from dataclasses import dataclass

import cv2
import numpy as np

from samples.arrays import Floats, Mask, Picture, Plane
from samples.drawing.glyphs import Ink, joker_mask, text_ink
from samples.drawing.pens import pen_mark
from samples.drawing.surfaces import grain
from samples.style import Handling, TileStyle

__all__ = ["FlatTiles", "TileFace", "draw_tiles"]

OVERSAMPLING = 2
"""Pixels drawn for a pixel of the ink, along each side; chosen."""
MAX_OFFSET = 0.25
"""Largest distance of a tile from the middle of its square along each axis, in cells; chosen."""
RIM = 0.03
"""Unprinted margin at the upper edge, as a share of a tile's side; chosen."""
PENS_BGR = (
    (25, 25, 25),
    (20, 25, 40),
    (45, 40, 40),
    (30, 30, 30),
    (110, 40, 20),
    (35, 30, 150),
    (40, 90, 30),
)
"""Colours of the pens that write on blanks; chosen."""
MAX_TURN_DEG = 8.0
"""Largest turn of a tile on its square either way, in degrees; chosen."""
MIN_INK_RATIO, MAX_INK_RATIO = 0.6, 2.0
"""Ratio of the ink after and before a change of weight; changes beyond are not made. Chosen."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TileFace:
    """One tile to draw.

    Parameters
    ----------
    row, column : int
        Its square.
    text : str
        Its letters; empty for a blank.
    value : int or None
        Its printed value; None for none.
    turn : int
        Quarter turns clockwise of its letter.
    """

    row: int
    column: int
    text: str
    value: int | None
    turn: int = 0


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class FlatTiles:
    """All tiles of a board, on a regular grid over the plane of their faces.

    Parameters
    ----------
    faces_bgr, bodies_bgr : (height, width, 3) uint8
        The tiles with and without print, BGR.
    footprint : (height, width) uint8
        255 where there is a tile.
    """

    faces_bgr: Picture
    bodies_bgr: Picture
    footprint: Mask


def _rounded_square(side: int, corner: float) -> Plane:
    """Draw the coverage, 0 to 1, of a square of `side` pixels with rounded corners."""
    fine = 4 * side
    radius = round(corner * fine)
    mask = np.zeros((fine, fine), np.uint8)
    if radius < 1:
        mask[:] = 255
    else:
        cv2.rectangle(mask, (radius, 0), (fine - 1 - radius, fine - 1), 255, -1)
        cv2.rectangle(mask, (0, radius), (fine - 1, fine - 1 - radius), 255, -1)
        for x in (radius, fine - 1 - radius):
            for y in (radius, fine - 1 - radius):
                cv2.circle(mask, (x, y), radius, 255, -1)
    small = cv2.resize(mask, (side, side), interpolation=cv2.INTER_AREA)
    return np.asarray(small, dtype=np.float32) / np.float32(255)


def _shading(style: TileStyle, coverage: Plane, light_xy: tuple[float, float]) -> Plane:
    """Compute the brightness of a bare body: lit and dark edges, and moulded marks."""
    side = coverage.shape[0]
    width = max(1.0, style.bevel_width * side)
    padded = cv2.copyMakeBorder(coverage, 8, 8, 8, 8, cv2.BORDER_CONSTANT, value=0)
    height = cv2.GaussianBlur(padded, (0, 0), width)
    slope_x = cv2.Sobel(height, cv2.CV_32F, 1, 0)[8:-8, 8:-8]
    slope_y = cv2.Sobel(height, cv2.CV_32F, 0, 1)[8:-8, 8:-8]
    shade = 1 - style.bevel * width * (slope_x * light_xy[0] + slope_y * light_xy[1]) * 0.35
    shade -= style.outline * np.clip(1 - height[8:-8, 8:-8] * 1.6, 0, 1)
    for x, y in style.dimples:
        radius = style.dimple_radius * side
        yy, xx = np.mgrid[0:side, 0:side].astype(np.float32)
        dx, dy = (xx - x * side + 0.5) / radius, (yy - y * side + 0.5) / radius
        bowl = np.exp(-((dx * dx + dy * dy) ** 2))
        shade += style.dimple_depth * bowl * (dx * light_xy[0] + dy * light_xy[1] - 0.25)
    return np.asarray(shade, dtype=np.float32)


def _paste(mask: Plane, ink: Ink, x: float, y: float) -> None:
    """Stamp `ink` with the middle of its baseline at (x, y), in place, clipped to the mask."""
    left, top = round(x + ink.left_px), round(y + ink.top_px)
    height, width = ink.mask.shape
    x0, y0, x1, y1 = (
        max(0, left),
        max(0, top),
        min(mask.shape[1], left + width),
        min(mask.shape[0], top + height),
    )
    if x1 > x0 and y1 > y0:
        part = ink.mask[y0 - top : y1 - top, x0 - left : x1 - left].astype(np.float32) / 255
        np.maximum(mask[y0:y1, x0:x1], part, out=mask[y0:y1, x0:x1])


def _draw_print(style: TileStyle, text: str, value: int | None, side: int) -> Plane:
    """Draw the ink on a face of `side` pixels, as coverage from 0 to 1."""
    fine = side * OVERSAMPLING
    mask = np.zeros((fine, fine), np.float32)
    letter_ends = 0.5 * fine
    if text == "":
        mask += joker_mask(
            style.joker, fine, min(0.8, style.letter_height * 1.15), style.letter_face
        ) / np.float32(255)
    else:
        cap = style.letter_height * fine
        x, y = style.letter_xy
        ink = text_ink(
            style.letter_face,
            text,
            cap,
            stretch=style.letter_stretch,
            barred_i=style.barred_i,
            max_width_px=(0.6 if len(text) > 1 else 0.82) * fine,
            low_accents=style.low_accents,
            max_rise_px=(y - RIM) * fine + cap / 2,
        )
        _paste(mask, ink, x * fine, y * fine + cap / 2)
        letter_ends = x * fine + ink.mask.shape[1] / 2
    if value is not None:
        cap = style.value_height * fine
        digits = text_ink(style.value_face, str(value), cap, max_width_px=0.34 * fine)
        x, y = style.value_xy
        if style.value_gap is not None:
            half = digits.mask.shape[1] / 2 / fine
            x = min(0.97 - half, letter_ends / fine + style.value_gap + half)
        _paste(mask, digits, x * fine, y * fine + cap / 2)
        if style.value_circled:
            centre = (round(x * fine), round(y * fine))
            ring = np.zeros(mask.shape, np.uint8)
            cv2.circle(ring, centre, round(cap * 0.95), 255, max(1, round(cap * 0.12)), cv2.LINE_AA)
            mask = np.maximum(mask, ring.astype(np.float32) / 255)
    mask = _change_weight(mask, style.stroke * fine / 100)
    small = cv2.resize(mask, (side, side), interpolation=cv2.INTER_AREA)
    return np.asarray(small * style.ink_opacity, dtype=np.float32)


def _change_weight(mask: Plane, growth_px: float) -> Plane:
    """Move the edges of the ink outwards by about `growth_px`, unless thin strokes would vanish."""
    radius = abs(growth_px)
    if radius < 0.3:
        return mask
    # a blurred edge moves by about the blur's radius when it is cut at another level
    soft = cv2.GaussianBlur(mask, (0, 0), radius)
    moved = np.clip((soft - (0.25 if growth_px > 0 else 0.62)) * np.float32(2.5 * radius + 1) + 0.5, 0, 1)
    kept = float(moved.sum()) / max(1.0, float(mask.sum()))
    return np.asarray(moved, dtype=np.float32) if MIN_INK_RATIO < kept < MAX_INK_RATIO else mask


def draw_tiles(
    faces: tuple[TileFace, ...],
    style: TileStyle,
    handling: Handling,
    shape: tuple[int, int],
    cell_px: int,
    margin_px: int,
    light_xy: tuple[float, float],
    seed: int,
) -> FlatTiles:
    """Draw the tiles of one board.

    Parameters
    ----------
    faces : tuple of TileFace
        What to draw; where tiles overlap, the first one is on top.
    style, handling
        Look of the tiles, and how carefully they are placed.
    shape : (height, width)
        Size of the result in pixels.
    cell_px, margin_px : int
        Side of a cell, and width of the margin around the grid, in pixels.
    light_xy : (x, y)
        Unit vector towards the light in the board's plane.
    seed : int
        Of the textures and of each tile's position, which depends on the seed and the square alone: the
        pictures of a game agree.
    """
    height, width = shape
    body, ink_bgr = np.array(style.body_bgr, np.float32), np.array(style.ink_bgr, np.float32)
    # filled with the body's colour: the projection mixes neighbouring pixels, and side walls exceed the bodies
    joker_bgr = ink_bgr if style.joker_bgr is None else np.array(style.joker_bgr, np.float32)
    canvas, bodies = (np.full((height, width, 3), np.minimum(body, 255), np.uint8) for _ in range(2))
    footprint = np.zeros((height, width), np.uint8)
    side = max(6, round(style.side * cell_px))
    coverage = _rounded_square(side, style.corner)
    surface = _Surface(style=style, shade=_shading(style, coverage, light_xy), seed=seed)
    solid = np.asarray(np.round(coverage * 255), dtype=np.uint8)
    prints: dict[tuple[str, int | None], Plane] = {}
    for face in faces:
        rng = np.random.default_rng([seed, face.row, face.column])
        key = (face.text, face.value)
        if key not in prints:
            prints[key] = _draw_print(style, face.text, face.value, side)
        tone, shine = surface.draw(rng)
        plain = tone[..., None] * body
        print_bgr = joker_bgr if face.text == "" else ink_bgr
        printed = plain + (print_bgr - plain) * np.rot90(prints[key], -face.turn)[..., None]
        if face.text == "" and rng.random() < style.marked_jokers:
            pen_bgr = np.array(PENS_BGR[int(rng.integers(len(PENS_BGR)))], np.float32)
            printed += (pen_bgr - printed) * (pen_mark(side, rng)[..., None] / np.float32(300))
        patch = np.clip(printed + shine[..., None], 0, 255).astype(np.uint8)
        matrix, left, top, total = _place(face, side, handling, cell_px, margin_px, rng)
        # the patch's edge is repeated, so that no dark seam shows; its coverage falls to zero
        patch = np.asarray(
            cv2.warpAffine(patch, matrix, (total, total), borderMode=cv2.BORDER_REPLICATE), np.uint8
        )
        alpha = np.asarray(cv2.warpAffine(solid, matrix, (total, total)), np.uint8)
        y0, x0, y1, x1 = max(0, top), max(0, left), min(height, top + total), min(width, left + total)
        window = (slice(y0, y1), slice(x0, x1))
        part = (slice(y0 - top, y1 - top), slice(x0 - left, x1 - left))
        new = alpha[part] > footprint[window]
        np.copyto(canvas[window], patch[part], where=new[..., None])
        np.copyto(bodies[window], plain.mean(axis=(0, 1)).astype(np.uint8), where=new[..., None])
        footprint[window] = np.maximum(footprint[window], alpha[part])
    return FlatTiles(faces_bgr=canvas, bodies_bgr=bodies, footprint=footprint)


class _Surface:
    """The brightness of bare tiles of one set; no two are equal."""

    def __init__(self, *, style: TileStyle, shade: Plane, seed: int) -> None:
        self.style, self.shade = style, shade
        side = shade.shape[0]
        self.slope_x = np.linspace(-1, 1, side, dtype=np.float32)[np.newaxis, :]
        self.wood: Plane | None = None
        if style.grain > 0:
            self.wood = grain(np.random.default_rng(seed), (4 * side, 4 * side), max(1.5, side / 16))

    def draw(self, rng: np.random.Generator) -> tuple[Plane, Plane]:
        """Draw the relative brightness of a body, and the grey levels that a reflected lamp adds to body and ink."""
        style, side, slope_y = self.style, self.shade.shape[0], self.slope_x.T
        level, fall_y, fall_x = np.float32(style.spread) * rng.standard_normal(3, dtype=np.float32)
        tone = self.shade * (1 + level) + fall_y * slope_y + fall_x * self.slope_x
        if self.wood is not None:
            y, x = rng.integers(0, 3 * side, size=2)
            wood = self.wood[y : y + side, x : x + side]
            tone = tone + np.float32(style.grain) * (wood.T if rng.random() < style.cross_grain else wood)
        shine = np.zeros((1, 1), np.float32)
        if rng.random() < style.gloss:
            lean_x, lean_y, strength = rng.uniform((-1, -1, 30), (1, 1, 120)).astype(np.float32)
            shine = strength * np.clip(np.float32(0.5) + lean_x * self.slope_x + lean_y * slope_y, 0, 1)
        return np.asarray(tone, dtype=np.float32), np.asarray(shine, dtype=np.float32)


def _place(
    face: TileFace, side: int, handling: Handling, cell_px: int, margin_px: int, rng: np.random.Generator
) -> tuple[Floats, int, int, int]:
    """Place a tile: the affine map of its patch into a window, and the window's left, top and size."""
    offset = np.clip(rng.normal(0, handling.offset, 2) + handling.shift_xy, -MAX_OFFSET, MAX_OFFSET)
    offset += dict(handling.pushed).get((face.row, face.column), (0.0, 0.0))
    turn = float(np.clip(rng.normal(0, handling.turn_deg), -MAX_TURN_DEG, MAX_TURN_DEG))
    total = side + 2 * (math.ceil(side * 0.09) + 2) + 1
    middle = (side - 1) / 2
    # the tile's middle goes to the cell's middle plus the offset; the centre of a pixel has integer coordinates
    centre_x = margin_px + (face.column + 0.5 + float(offset[0])) * cell_px - 0.5
    centre_y = margin_px + (face.row + 0.5 + float(offset[1])) * cell_px - 0.5
    left, top = math.floor(centre_x - total / 2), math.floor(centre_y - total / 2)
    matrix = np.asarray(cv2.getRotationMatrix2D((middle, middle), -turn, 1.0), dtype=np.float64)
    matrix[:, 2] += centre_x - left - middle, centre_y - top - middle
    return matrix, left, top, total
