"""What may lie over the board: hands, sleeves, pens, sheets of paper."""

from __future__ import annotations

import math
from typing import Literal

import cv2
import numpy as np
from numpy.typing import NDArray

__all__ = ["CoverKind", "cover_kinds", "draw_cover"]

CoverKind = Literal["hand", "sleeve", "pen", "paper"]
SKIN_BGR = ((150, 180, 225), (110, 150, 205), (70, 105, 160), (45, 65, 105), (130, 160, 235))


def cover_kinds() -> tuple[CoverKind, ...]:
    """The kinds that can be drawn."""
    return ("hand", "sleeve", "pen", "paper")


def draw_cover(
    image_bgr: NDArray[np.uint8],
    kind: CoverKind,
    tip_xy: tuple[float, float],
    cell_px: float,
    rng: np.random.Generator,
) -> NDArray[np.uint8]:
    """Draw a cover into `image_bgr`, in place; its mask, 255 where it covers.

    Parameters
    ----------
    tip_xy : tuple of float
        Where its tip lies, in pixels; it comes from outside of the picture.
    cell_px : float
        Size of a cell, which gives its scale.
    """
    height, width = image_bgr.shape[:2]
    mask = np.zeros((height, width), np.uint8)
    angle = float(rng.uniform(0, 2 * math.pi))
    along = np.array([math.cos(angle), math.sin(angle)])
    across = np.array([-along[1], along[0]])
    tip = np.array(tip_xy)

    def limb(start: NDArray[np.float64], end: NDArray[np.float64], thick: float) -> None:
        points = [tuple(int(v) for v in np.round(p)) for p in (start, end)]
        cv2.line(mask, points[0], points[1], 255, max(1, round(thick)), cv2.LINE_AA)

    size_px = cell_px * float(rng.uniform(1.0, 2.0 if kind == "hand" else 1.3))
    far = tip + along * cell_px * 40
    if kind == "hand":
        colour = np.array(SKIN_BGR[int(rng.integers(len(SKIN_BGR)))], np.float32)
        palm = tip + along * size_px * rng.uniform(3.0, 4.5)
        for finger in range(int(rng.integers(1, 5))):
            spread = (finger - 1.0) * rng.uniform(0.5, 0.9)
            end = tip + across * spread * size_px + along * abs(spread) * size_px * rng.uniform(0, 1)
            limb(end, palm + across * spread * size_px * 0.5, size_px * rng.uniform(0.7, 1.0))
        cv2.circle(
            mask, tuple(int(v) for v in palm), round(size_px * rng.uniform(1.4, 1.9)), 255, -1, cv2.LINE_AA
        )
        limb(palm, far, size_px * rng.uniform(2.0, 2.6))
    elif kind == "sleeve":
        colour = rng.uniform(20, 230, 3).astype(np.float32)
        limb(tip, far, size_px * rng.uniform(2.2, 4.0))
    elif kind == "pen":
        colour = rng.uniform(10, 220, 3).astype(np.float32)
        limb(tip, tip + along * cell_px * rng.uniform(5, 9), cell_px * rng.uniform(0.25, 0.6))
    else:
        colour = rng.uniform(200, 250, 3).astype(np.float32)
        size = cell_px * rng.uniform(2, 6, 2)
        corners = [
            tip,
            tip + along * size[0],
            tip + along * size[0] + across * size[1],
            tip + across * size[1],
        ]
        cv2.fillPoly(mask, [np.round(np.array(corners)).astype(np.int32)], 255, cv2.LINE_AA)
    edge = cv2.GaussianBlur(mask, (0, 0), max(0.5, cell_px * float(rng.uniform(0.01, 0.15))))
    alpha = edge.astype(np.float32)[..., None] / 255
    shadow = cv2.GaussianBlur(mask, (0, 0), max(1.0, cell_px * 0.3)).astype(np.float32)[..., None] / 255
    solid = cv2.GaussianBlur(mask, (0, 0), max(1.0, cell_px * 0.35)).astype(np.float32)[..., None] / 255
    shaded = colour * (0.55 + 0.5 * solid)
    dimmed = image_bgr * (1 - 0.35 * shadow)
    image_bgr[...] = np.clip(dimmed * (1 - alpha) + shaded * alpha, 0, 255).astype(np.uint8)
    return mask
