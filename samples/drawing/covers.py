"""What may lie over the board: hands with their sleeves, pens, sheets of paper."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import cv2
import numpy as np

from samples.arrays import Floats, Picture, Plane
from samples.drawing.surfaces import noise

__all__ = ["CoverKind", "draw_cover"]

CoverKind = Literal["hand", "sleeve", "pen", "paper"]
SKIN_BGR = (
    (150, 180, 225),
    (110, 150, 205),
    (70, 105, 160),
    (45, 65, 105),
    (130, 160, 235),
    (125, 140, 195),
    (95, 110, 180),
)


@dataclass(frozen=True, slots=True, eq=False)
class _Part:
    """A body of one colour: its outline is filled, its edge is soft, and it is darker towards its edge."""

    mask: Picture
    colour: Plane
    roundness: float  # of its section, in pixels; 0 for what is flat
    pattern: Plane | None = None


def draw_cover(
    image_bgr: Picture,
    kind: CoverKind,
    tip_xy: tuple[float, float],
    cell_px: float,
    rng: np.random.Generator,
) -> Picture:
    """Draw a cover into `image_bgr`, in place; its mask, 255 where it covers.

    Parameters
    ----------
    tip_xy : tuple of float
        Where its tip lies, in pixels; it comes from outside of the picture.
    cell_px : float
        Size of a cell, which gives its scale.
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
    whole = parts[0].mask
    for part in parts[1:]:
        whole = np.maximum(whole, part.mask)
    _cast_shadow(image_bgr, whole, cell_px, rng)
    softness = max(0.5, cell_px * float(rng.uniform(0.01, 0.15)))
    for part in parts:
        _lay(image_bgr, part, softness)
    return whole


def _hand(
    shape: tuple[int, int], tip: Floats, along: Floats, cell_px: float, rng: np.random.Generator
) -> list[_Part]:
    """One to four fingers before a palm, a wrist, and mostly a sleeve."""
    across = np.array([-along[1], along[0]])
    size = cell_px * float(rng.uniform(0.8, 2.2))
    skin = np.array(SKIN_BGR[int(rng.integers(len(SKIN_BGR)))], np.float32) * np.float32(
        rng.uniform(0.75, 1.15)
    )
    palm = tip + along * size * rng.uniform(2.8, 4.5)
    wrist = palm + along * size * rng.uniform(1.5, 4.0)
    parts = []
    back = _line(shape, palm, palm + along * size * 40, size * rng.uniform(1.9, 2.6))
    cv2.circle(back, _pixel(palm), round(size * rng.uniform(1.3, 1.8)), 255, -1, cv2.LINE_AA)
    parts.append(_Part(back, skin, 0.9 * size, _blotches(shape, size, rng)))
    for finger in range(int(rng.integers(1, 6))):
        spread = (finger - 1.0) * rng.uniform(0.45, 0.95)
        end = tip + across * spread * size + along * abs(spread) * size * rng.uniform(-0.2, 1.2)
        knuckle = palm + across * spread * size * 0.6
        tone = skin * np.float32(rng.uniform(0.85, 1.08))
        tone[2] *= np.float32(rng.uniform(1.0, 1.12))  # fingertips are redder
        mask = _line(shape, end, knuckle, size * rng.uniform(0.65, 1.0))
        parts.append(_Part(mask, tone, 0.35 * size))
        if rng.random() < 0.4:
            nail = np.zeros(shape, np.uint8)
            middle, axes = _pixel(end), (max(1, round(0.28 * size)), max(1, round(0.18 * size)))
            turned = math.degrees(math.atan2(along[1], along[0]))
            cv2.ellipse(nail, middle, axes, turned, 0, 360, 255, -1, cv2.LINE_AA)
            parts.append(_Part(nail, np.minimum(tone * np.float32(1.15), 255), 0))
    if rng.random() < 0.7:
        parts.append(_sleeve(shape, wrist, wrist + along * cell_px * 40, size * rng.uniform(2.6, 4.2), rng))
    return parts


def _sleeve(
    shape: tuple[int, int], start: Floats, end: Floats, wide: float, rng: np.random.Generator
) -> _Part:
    """An arm in cloth that is plain, knitted or striped."""
    colour = rng.uniform(15, 230, 3).astype(np.float32)
    kind = int(rng.integers(3))
    if kind == 0:
        pattern = 0.1 * noise(rng, shape, wide / 4)
    elif kind == 1:
        pattern = 0.25 * noise(rng, shape, max(1.5, wide / 30), max(1.5, wide / 12))
    else:
        turned = float(rng.uniform(0, math.pi))
        y, x = np.mgrid[0 : shape[0], 0 : shape[1]].astype(np.float32)
        pitch = wide / float(rng.uniform(5, 25))
        phase = (x * math.cos(turned) + y * math.sin(turned)) * (2 * math.pi / pitch)
        pattern = rng.uniform(0.2, 0.9) * np.sin(phase + 1.5 * noise(rng, shape, wide / 5))
    return _Part(_line(shape, start, end, wide), colour, 0.4 * wide, np.asarray(pattern, np.float32))


def _pen(
    shape: tuple[int, int], tip: Floats, along: Floats, cell_px: float, rng: np.random.Generator
) -> _Part:
    mask = _line(shape, tip, tip + along * cell_px * rng.uniform(5, 9), cell_px * rng.uniform(0.25, 0.6))
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


def _line(shape: tuple[int, int], start: Floats, end: Floats, thick: float) -> Picture:
    mask = np.zeros(shape, np.uint8)
    cv2.line(mask, _pixel(start), _pixel(end), 255, max(1, round(thick)), cv2.LINE_AA)
    return mask


def _blotches(shape: tuple[int, int], size: float, rng: np.random.Generator) -> Plane:
    """The unevenness of skin: veins, knuckles."""
    return np.asarray(0.06 * noise(rng, shape, size) + 0.03 * noise(rng, shape, size / 4), np.float32)


def _cast_shadow(image_bgr: Picture, mask: Picture, cell_px: float, rng: np.random.Generator) -> None:
    """Darken what lies beside the cover, in place: close to it, or further off where it is held higher."""
    shift = rng.normal(0, 0.9, 2) * cell_px
    moved = cv2.warpAffine(mask, np.array([[1, 0, shift[0]], [0, 1, shift[1]]]), mask.shape[::-1])
    soft = round(cell_px * float(rng.uniform(0.2, 1.2))) | 1
    depth = round(256 * float(rng.uniform(0.1, 0.55)))
    dark = 255 - cv2.blur(cv2.blur(moved, (soft, soft)), (soft, soft)).astype(np.uint16) * depth // 256
    factor = dark.astype(np.uint8)
    image_bgr[...] = cv2.multiply(image_bgr, cv2.merge([factor, factor, factor]), scale=1 / 255)


def _lay(image_bgr: Picture, part: _Part, softness: float) -> None:
    """Lay one body over the picture, in place."""
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
