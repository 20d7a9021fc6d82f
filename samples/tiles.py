"""The tiles, drawn flat on the plane of their faces: faces, plain bodies and footprints."""

from __future__ import annotations

import math
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from samples.glyphs import Ink, joker_mask, pen_mark, text_ink
from samples.style import Handling, TileStyle
from samples.surfaces import grain

__all__ = ["FlatTiles", "TileFace", "draw_tiles"]

Plane = NDArray[np.float32]
OVERSAMPLING = 2
MOST_OFFSET = 0.25
PENS_BGR = ((25, 25, 25), (120, 40, 20), (35, 30, 150), (40, 90, 30))
MOST_TURN_DEG = 8.0
LEAST_INK_KEPT, MOST_INK_GROWN = 0.6, 2.0


@dataclass(frozen=True, slots=True, kw_only=True)
class TileFace:
    """One tile to draw: where, what it shows, and by how many quarters clockwise its letter is turned.

    `text` is empty for a blank.
    """

    row: int
    column: int
    text: str
    value: int | None
    turn: int = 0


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class FlatTiles:
    """All tiles on an even grid over the plane of their faces.

    Parameters
    ----------
    faces_bgr, bodies_bgr : (height, width, 3) uint8
        The tiles with and without print, BGR.
    footprint : (height, width) uint8
        255 where there is a tile.
    """

    faces_bgr: NDArray[np.uint8]
    bodies_bgr: NDArray[np.uint8]
    footprint: NDArray[np.uint8]


def _rounded_square(side: int, corner: float) -> Plane:
    """Coverage, 0 to 1, of a square of `side` pixels with rounded corners."""
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
    """Brightness of the bare body: lit and dark edges, and moulded marks."""
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
    """Stamp `ink` with its baseline's middle at (x, y), cut at the mask's edges."""
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


def _print(style: TileStyle, text: str, value: int | None, side: int) -> Plane:
    """Coverage, 0 to 1, of the ink on a face of `side` pixels."""
    fine = side * OVERSAMPLING
    mask = np.zeros((fine, fine), np.float32)
    if text == "":
        mask += joker_mask(
            style.joker, fine, min(0.8, style.letter_height * 1.15), style.letter_face
        ) / np.float32(255)
    else:
        cap = style.letter_height * fine
        ink = text_ink(
            style.letter_face,
            text,
            cap,
            stretch=style.letter_stretch,
            barred_i=style.barred_i,
            max_width_px=(0.6 if len(text) > 1 else 0.82) * fine,
            low_accents=style.low_accents,
        )
        x, y = style.letter_xy
        _paste(mask, ink, x * fine, y * fine + cap / 2)
    if value is not None:
        cap = style.value_height * fine
        digits = text_ink(style.value_face, str(value), cap, max_width_px=0.34 * fine)
        x, y = style.value_xy
        _paste(mask, digits, x * fine, y * fine + cap / 2)
        if style.value_circled:
            centre = (round(x * fine), round(y * fine))
            ring = np.zeros(mask.shape, np.uint8)
            cv2.circle(ring, centre, round(cap * 0.95), 255, max(1, round(cap * 0.12)), cv2.LINE_AA)
            mask = np.maximum(mask, ring.astype(np.float32) / 255)
    mask = _reweighted(mask, style.stroke * fine / 100)
    small = cv2.resize(mask, (side, side), interpolation=cv2.INTER_AREA)
    return np.asarray(small * style.ink_opacity, dtype=np.float32)


def _reweighted(mask: Plane, growth_px: float) -> Plane:
    """The ink with edges moved outwards by about `growth_px`; unchanged where that would wear thin strokes away."""
    radius = abs(growth_px)
    if radius < 0.3:
        return mask
    # a blurred edge cut at another level moves by about the blur's radius
    soft = cv2.GaussianBlur(mask, (0, 0), radius)
    moved = np.clip((soft - (0.25 if growth_px > 0 else 0.62)) * np.float32(2.5 * radius + 1) + 0.5, 0, 1)
    kept = float(moved.sum()) / max(1.0, float(mask.sum()))
    return np.asarray(moved, dtype=np.float32) if LEAST_INK_KEPT < kept < MOST_INK_GROWN else mask


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
    """The tiles of one board.

    Parameters
    ----------
    shape : (height, width)
        Size of the result in pixels, with `margin_px` around the grid and `cell_px` a cell.
    light_xy : tuple of float
        Unit vector towards the light in the board's plane.
    seed : int
        Of the texture and of how each tile lies. A tile lies alike in every picture of the same seed, so that
        the pictures of a game agree.
    """
    height, width = shape
    body = np.array(style.body_bgr, np.float32)
    ink_bgr = np.array(style.ink_bgr, np.float32)
    canvas = np.empty((height, width, 3), np.uint8)
    canvas[:] = (body * 0.7).astype(np.uint8)
    bodies, footprint = canvas.copy(), np.zeros((height, width), np.uint8)
    side = max(6, round(style.side * cell_px))
    coverage = _rounded_square(side, style.corner)
    shade = _shading(style, coverage, light_xy)
    texture = (
        grain(np.random.default_rng(seed), (4 * side, 4 * side), max(1.5, side / 16))
        if style.grain > 0
        else None
    )
    slope_x = np.linspace(-1, 1, side, dtype=np.float32)[np.newaxis, :]
    slope_y = slope_x.T
    prints: dict[tuple[str, int | None], Plane] = {}
    room = math.ceil(side * 0.09) + 2
    total = side + 2 * room
    for face in faces:
        rng = np.random.default_rng([seed, face.row, face.column])
        key = (face.text, face.value)
        if key not in prints:
            prints[key] = _print(style, face.text, face.value, side)
        tone = shade * np.float32(1 + style.spread * rng.standard_normal())
        fall_y, fall_x = style.spread * rng.standard_normal(2, dtype=np.float32)
        tone = tone + fall_y * slope_y + fall_x * slope_x
        if texture is not None:
            y, x = rng.integers(0, 3 * side, size=2)
            tone = tone + style.grain * texture[y : y + side, x : x + side]
        plain = tone[..., None] * body
        ink = np.rot90(prints[key], -face.turn)[..., None]
        printed = plain + (ink_bgr - plain) * ink
        if face.text == "" and rng.random() < style.marked_jokers:
            pen_bgr = np.array(PENS_BGR[int(rng.integers(len(PENS_BGR)))], np.float32)
            printed += (pen_bgr - printed) * (pen_mark(side, rng)[..., None] / np.float32(300))
        stack = np.dstack([np.clip(printed, 0, 255), np.clip(plain, 0, 255), coverage * 255])
        offset = np.clip(rng.normal(0, handling.offset, 2) + handling.shift_xy, -MOST_OFFSET, MOST_OFFSET)
        turn = float(np.clip(rng.normal(0, handling.turn_deg), -MOST_TURN_DEG, MOST_TURN_DEG))
        # where the patch's pixel (0, 0) goes: the tile's middle lands on the cell's middle, plus the offset
        centre_x = margin_px + (face.column + 0.5 + offset[0]) * cell_px - 0.5
        centre_y = margin_px + (face.row + 0.5 + offset[1]) * cell_px - 0.5
        left, top = math.floor(centre_x - total / 2), math.floor(centre_y - total / 2)
        matrix = cv2.getRotationMatrix2D(((side - 1) / 2, (side - 1) / 2), -turn, 1.0)
        matrix[0, 2] += centre_x - left - (side - 1) / 2
        matrix[1, 2] += centre_y - top - (side - 1) / 2
        # bodies beyond the patch's edge repeat it, so that no dark seam shows; the coverage falls to zero
        patch = cv2.warpAffine(
            stack[..., :6], matrix, (total + 1, total + 1), borderMode=cv2.BORDER_REPLICATE
        )
        alpha = cv2.warpAffine(stack[..., 6], matrix, (total + 1, total + 1))
        y0, x0, y1, x1 = max(0, top), max(0, left), min(height, top + total + 1), min(width, left + total + 1)
        window = (slice(y0, y1), slice(x0, x1))
        part = (slice(y0 - top, y1 - top), slice(x0 - left, x1 - left))
        weight = (alpha[part] / 255)[..., None]
        canvas[window] = (canvas[window] * (1 - weight) + patch[part][..., :3] * weight).astype(np.uint8)
        bodies[window] = (bodies[window] * (1 - weight) + patch[part][..., 3:6] * weight).astype(np.uint8)
        footprint[window] = np.maximum(footprint[window], alpha[part].astype(np.uint8))
    return FlatTiles(faces_bgr=canvas, bodies_bgr=bodies, footprint=footprint)
