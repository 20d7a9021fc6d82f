"""What may lie over a board: hands with their sleeves, pens, sheets of paper, cups.

`draw_cover` draws a random cover into a photo. `draw_hand` and `draw_cup` draw into the frames of a film: a hand has
the same shape in every frame, and its simpler shading is fast enough for a film.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import cv2
import numpy as np

from samples.arrays import Colour, Floats, Mask, Picture, Plane
from samples.drawing.surfaces import noise

__all__ = ["SKINS_BGR", "CoverKind", "Hand", "draw_cover", "draw_cup", "draw_hand"]

CoverKind = Literal["hand", "sleeve", "pen", "paper"]
SKINS_BGR: tuple[Colour, ...] = (
    (150, 180, 225),
    (110, 150, 205),
    (70, 105, 160),
    (45, 65, 105),
    (130, 160, 235),
    (125, 140, 195),
    (95, 110, 180),
)
"""Colours of hands; chosen."""
FILM_BLUR = 0.08
"""Blur of the edges of a hand in a film, its standard deviation in cells: hands are out of focus. Chosen."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Hand:
    """The look of a player's hand in a film.

    Parameters
    ----------
    skin_bgr, sleeve_bgr : tuple of float
        Colours of hand and sleeve.
    width : float
        Width of a finger, in cells.
    spread : float
        Distance between the fingertips, in cells.
    """

    skin_bgr: Colour = (120, 150, 205)
    sleeve_bgr: Colour = (60, 50, 45)
    width: float = 0.75
    spread: float = 0.7


@dataclass(frozen=True, slots=True, eq=False)
class _Part:
    """A part of a cover: a filled outline of one colour, with a soft and darker edge.

    `roundness` is the radius of its section in pixels, 0 for a flat part. `pattern` is a relative brightness.
    """

    mask: Mask
    colour: Plane
    roundness: float
    pattern: Plane | None = None


def draw_cover(
    image_bgr: Picture,
    kind: CoverKind,
    tip_xy: tuple[float, float],
    cell_px: float,
    rng: np.random.Generator,
) -> Mask:
    """Draw a cover of random shape and colour into a photo, in place.

    Parameters
    ----------
    image_bgr : (height, width, 3) uint8
        The photo, BGR.
    kind : {"hand", "sleeve", "pen", "paper"}
        What to draw.
    tip_xy : (x, y)
        The cover's tip, in pixels; the cover comes from a random side.
    cell_px : float
        Size of a cell of the board in pixels, which gives the cover's scale.
    rng : numpy.random.Generator
        The same state gives the same cover.

    Returns
    -------
    (height, width) uint8
        255 where the cover is.
    """
    angle = float(rng.uniform(0, 2 * math.pi))
    along = np.array([math.cos(angle), math.sin(angle)])
    shape = (image_bgr.shape[0], image_bgr.shape[1])
    tip = np.array(tip_xy)
    if kind == "hand":
        parts = _hand(shape, tip, along, cell_px, rng)
    elif kind == "sleeve":
        wide = cell_px * float(rng.uniform(2.0, 4.5))
        parts = [_sleeve(shape, tip, tip + along * cell_px * 40, wide, rng)]
    else:
        parts = [(_pen if kind == "pen" else _sheet)(shape, tip, along, cell_px, rng)]
    covered = parts[0].mask
    for part in parts[1:]:
        covered = np.maximum(covered, part.mask)
    _cast_shadow(image_bgr, covered, cell_px, rng)
    softness = max(0.5, cell_px * float(rng.uniform(0.01, 0.15)))
    for part in parts:
        _blend_part(image_bgr, part, softness)
    return covered


def _hand(
    shape: tuple[int, int], tip: Floats, along: Floats, cell_px: float, rng: np.random.Generator
) -> list[_Part]:
    """One to five fingers, a palm, a wrist, and mostly a sleeve."""
    across = np.array([-along[1], along[0]])
    size = cell_px * float(rng.uniform(0.8, 2.2))
    skin = np.array(SKINS_BGR[int(rng.integers(len(SKINS_BGR)))], np.float32) * np.float32(
        rng.uniform(0.75, 1.15)
    )
    palm = tip + along * size * rng.uniform(2.8, 4.5)
    wrist = palm + along * size * rng.uniform(1.5, 4.0)
    parts = []
    back = _limb_mask(shape, palm, palm + along * size * 40, size * rng.uniform(1.9, 2.6))
    cv2.circle(back, _pixel(palm), round(size * rng.uniform(1.3, 1.8)), 255, -1, cv2.LINE_AA)
    parts.append(_Part(back, skin, 0.9 * size, _blotches(shape, size, rng)))
    for finger in range(int(rng.integers(1, 6))):
        spread = (finger - 1.0) * rng.uniform(0.45, 0.95)
        end = tip + across * spread * size + along * abs(spread) * size * rng.uniform(-0.2, 1.2)
        knuckle = palm + across * spread * size * 0.6
        tone = skin * np.float32(rng.uniform(0.85, 1.08))
        tone[2] *= np.float32(rng.uniform(1.0, 1.12))  # fingertips are redder
        mask = _limb_mask(shape, end, knuckle, size * rng.uniform(0.65, 1.0))
        parts.append(_Part(mask, tone, 0.35 * size))
        if rng.random() < 0.4:
            nail = np.zeros(shape, np.uint8)
            middle, axes = _pixel(end), (max(1, round(0.28 * size)), max(1, round(0.18 * size)))
            angle_deg = math.degrees(math.atan2(along[1], along[0]))
            cv2.ellipse(nail, middle, axes, angle_deg, 0, 360, 255, -1, cv2.LINE_AA)
            parts.append(_Part(nail, np.minimum(tone * np.float32(1.15), 255), 0))
    if rng.random() < 0.7:
        parts.append(_sleeve(shape, wrist, wrist + along * cell_px * 40, size * rng.uniform(2.6, 4.2), rng))
    return parts


def _sleeve(
    shape: tuple[int, int], start: Floats, end: Floats, wide: float, rng: np.random.Generator
) -> _Part:
    """An arm in plain, knitted or striped cloth."""
    colour = rng.uniform(15, 230, 3).astype(np.float32)
    kind = int(rng.integers(3))
    if kind == 0:
        pattern = 0.1 * noise(rng, shape, wide / 4)
    elif kind == 1:
        pattern = 0.25 * noise(rng, shape, max(1.5, wide / 30), max(1.5, wide / 12))
    else:
        angle = float(rng.uniform(0, math.pi))
        y, x = np.mgrid[0 : shape[0], 0 : shape[1]].astype(np.float32)
        pitch = wide / float(rng.uniform(5, 25))
        phase = (x * math.cos(angle) + y * math.sin(angle)) * (2 * math.pi / pitch)
        pattern = rng.uniform(0.2, 0.9) * np.sin(phase + 1.5 * noise(rng, shape, wide / 5))
    return _Part(_limb_mask(shape, start, end, wide), colour, 0.4 * wide, np.asarray(pattern, np.float32))


def _pen(
    shape: tuple[int, int], tip: Floats, along: Floats, cell_px: float, rng: np.random.Generator
) -> _Part:
    mask = _limb_mask(shape, tip, tip + along * cell_px * rng.uniform(5, 9), cell_px * rng.uniform(0.25, 0.6))
    return _Part(mask, rng.uniform(10, 220, 3).astype(np.float32), 0.15 * cell_px)


def _sheet(
    shape: tuple[int, int], tip: Floats, along: Floats, cell_px: float, rng: np.random.Generator
) -> _Part:
    across = np.array([-along[1], along[0]])
    long, wide = cell_px * rng.uniform(2, 6, 2)
    corners = np.array([tip, tip + along * long, tip + along * long + across * wide, tip + across * wide])
    mask = np.zeros(shape, np.uint8)
    cv2.fillPoly(mask, [np.round(corners).astype(np.int32)], 255, cv2.LINE_AA)
    return _Part(mask, rng.uniform(200, 250, 3).astype(np.float32), 0)


def _pixel(point: Floats) -> tuple[int, int]:
    return round(float(point[0])), round(float(point[1]))


def _limb_mask(shape: tuple[int, int], start: Floats, end: Floats, width: float) -> Mask:
    mask = np.zeros(shape, np.uint8)
    _draw_limb(mask, start, end, width)
    return mask


def _draw_limb(mask: Mask, start: Floats, end: Floats, width: float) -> None:
    cv2.line(mask, _pixel(start), _pixel(end), 255, max(1, round(width)), cv2.LINE_AA)


def _blotches(shape: tuple[int, int], size: float, rng: np.random.Generator) -> Plane:
    """Uneven brightness of skin, from veins and knuckles."""
    return np.asarray(0.06 * noise(rng, shape, size) + 0.03 * noise(rng, shape, size / 4), np.float32)


def _cast_shadow(image_bgr: Picture, mask: Mask, cell_px: float, rng: np.random.Generator) -> None:
    """Darken the picture next to the cover, in place: further off where the cover is held higher."""
    shift = rng.normal(0, 0.9, 2) * cell_px
    moved = cv2.warpAffine(mask, np.array([[1, 0, shift[0]], [0, 1, shift[1]]]), mask.shape[::-1])
    soft = round(cell_px * float(rng.uniform(0.2, 1.2))) | 1
    depth = round(256 * float(rng.uniform(0.1, 0.55)))
    dark = 255 - cv2.blur(cv2.blur(moved, (soft, soft)), (soft, soft)).astype(np.uint16) * depth // 256
    factor = dark.astype(np.uint8)
    image_bgr[...] = cv2.multiply(image_bgr, cv2.merge([factor, factor, factor]), scale=1 / 255)


def _blend_part(image_bgr: Picture, part: _Part, softness: float) -> None:
    """Blend a part into a photo, in place."""
    x, y, width, height = cv2.boundingRect(part.mask)
    if not width or not height:
        return
    reach = 2 + round(2 * softness)
    window = (
        slice(max(0, y - reach), y + height + reach),
        slice(max(0, x - reach), x + width + reach),
    )
    mask = part.mask[window]
    alpha = cv2.GaussianBlur(mask, (0, 0), softness).astype(np.float32)[..., np.newaxis] / 255
    shade: Plane = np.ones((1, 1), np.float32)
    if part.roundness > 0:
        box = max(3, round(part.roundness)) | 1
        solid = cv2.blur(cv2.blur(mask, (box, box)), (box, box)).astype(np.float32) / 255
        shade = np.asarray(0.5 + 0.55 * solid, np.float32)
    if part.pattern is not None:
        shade = np.asarray(shade * (1 + part.pattern[window]), np.float32)
    body = part.colour * shade[..., np.newaxis]
    under = image_bgr[window]
    image_bgr[window] = np.clip(under + (body - under) * alpha, 0, 255).astype(np.uint8)


def draw_hand(
    image_bgr: Picture, hand: Hand, tip_xy: tuple[float, float], from_xy: tuple[float, float], cell_px: float
) -> None:
    """Draw a player's hand into a film's frame, in place.

    Parameters
    ----------
    image_bgr : (height, width, 3) uint8
        The frame, BGR.
    hand : Hand
        Colours and size.
    tip_xy : (x, y)
        The fingertips, in pixels.
    from_xy : (x, y)
        The other end of the arm, in pixels, usually outside of the picture.
    cell_px : float
        Size of a cell in pixels.
    """
    tip, start = np.array(tip_xy), np.array(from_xy)
    along = start - tip
    length = float(np.linalg.norm(along))
    if length < 1:
        return
    along = along / length
    across = np.array([-along[1], along[0]])
    skin = np.zeros(image_bgr.shape[:2], np.uint8)
    sleeve = np.zeros_like(skin)
    palm = tip + along * 3.2 * cell_px
    for finger in (-1.0, 0.0, 1.0):
        end = tip + across * finger * hand.spread * cell_px + along * abs(finger) * 0.6 * cell_px
        _draw_limb(skin, end, palm + across * finger * 0.5 * cell_px, hand.width * cell_px)
    cv2.circle(skin, _pixel(palm), round(1.3 * cell_px), 255, -1, cv2.LINE_AA)
    wrist = tip + along * 5.5 * cell_px
    _draw_limb(skin, palm, wrist, 1.9 * cell_px)
    _draw_limb(sleeve, wrist, tip + along * (length + 8 * cell_px), 2.8 * cell_px)
    _blend_solid(image_bgr, sleeve, hand.sleeve_bgr, cell_px)
    _blend_solid(image_bgr, skin, hand.skin_bgr, cell_px)


def draw_cup(image_bgr: Picture, middle_xy: tuple[float, float], colour_bgr: Colour, cell_px: float) -> None:
    """Draw a cup, seen from above, into a film's frame, in place.

    Parameters
    ----------
    image_bgr : (height, width, 3) uint8
        The frame, BGR.
    middle_xy : (x, y)
        Middle of the cup, in pixels.
    colour_bgr : Colour
        Colour of the cup.
    cell_px : float
        Size of a cell in pixels.
    """
    mask = np.zeros(image_bgr.shape[:2], np.uint8)
    centre = _pixel(np.array(middle_xy))
    cv2.circle(mask, centre, round(1.9 * cell_px), 255, -1, cv2.LINE_AA)
    _blend_solid(image_bgr, mask, colour_bgr, cell_px)
    inside = np.zeros_like(mask)
    cv2.circle(inside, centre, round(1.5 * cell_px), 255, -1, cv2.LINE_AA)
    _blend_solid(image_bgr, inside, (30, 45, 70), cell_px)


def _blend_solid(image_bgr: Picture, mask: Mask, colour_bgr: Colour, cell_px: float) -> None:
    """Blend a rounded body of one colour and its shadow into a frame, in place."""
    x, y, width, height = cv2.boundingRect(mask)
    if not width:
        return
    reach = round(cell_px)
    left, top = max(0, x - reach), max(0, y - reach)
    part = image_bgr[top : y + height + reach, left : x + width + reach]
    here = mask[top : y + height + reach, left : x + width + reach]
    shadow = cv2.blur(here, (reach | 1, reach | 1)).astype(np.float32)[..., None] / 255
    solid = cv2.blur(here, (round(0.6 * cell_px) | 1,) * 2).astype(np.float32)[..., None] / 255
    alpha = cv2.GaussianBlur(here, (0, 0), FILM_BLUR * cell_px).astype(np.float32)[..., None] / 255
    body = np.array(colour_bgr, np.float32) * (0.6 + 0.45 * solid)
    part[...] = np.clip(part * (1 - 0.4 * shadow) * (1 - alpha) + body * alpha, 0, 255).astype(np.uint8)
