"""Small changes of light, place and sharpness, so that one rendered cell teaches more than once."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

__all__ = ["TURNED", "augmented"]

# The share of cells that are turned by one, two or three quarters.
TURNED = 0.08

Cells = NDArray[np.uint8]


def augmented(
    cells: Cells, turns: NDArray[np.int64], side_px: int, rng: np.random.Generator
) -> tuple[Cells, NDArray[np.int64]]:
    """Cells of `side_px`, cut from wider ones at a jittered place, size and angle, in another light.

    Parameters
    ----------
    cells : (n, wide, wide, 3) uint8
        BGR, wider than `side_px`.
    turns : (n,) int64
        Quarter turns clockwise of the tile's letter.
    side_px : int
        Side of the result.
    rng : numpy.random.Generator
        Where the randomness comes from.

    Returns
    -------
    cells : (n, side_px, side_px, 3) uint8
    turns : (n,) int64
        Counted on where a cell was turned by a quarter or more.
    """
    count, wide = cells.shape[:2]
    quarter = np.where(rng.random(count) < TURNED, rng.integers(1, 4, count), 0)
    angle = np.radians(rng.normal(0, 2.0, count)) + quarter * (np.pi / 2)
    scale = np.exp(rng.normal(0, 0.03, count))
    shift = rng.normal(0, 1.2, (count, 2)).clip(-3, 3)
    gain = np.exp(rng.normal(0, 0.15, (count, 1)) + rng.normal(0, 0.08, (count, 3)))
    offset = rng.normal(0, 6, (count, 1)) + rng.normal(0, 2, (count, 3))
    blurred = np.asarray(rng.random(count) < 0.2)
    noise = np.where(rng.random(count) < 0.3, rng.uniform(1, 8, count), 0)
    result = np.empty((count, side_px, side_px, 3), np.uint8)
    middle, target = (wide - 1) / 2, (side_px - 1) / 2
    for i in range(count):
        cos, sin = np.cos(angle[i]) / scale[i], np.sin(angle[i]) / scale[i]
        # wide_from_small; y runs down, so this turns the content clockwise by `angle`
        linear = np.array([[cos, sin], [-sin, cos]])
        origin = middle + shift[i] - linear @ (target, target)
        cell = cv2.warpAffine(
            cells[i],
            np.column_stack([linear, origin]),
            (side_px, side_px),
            flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP,
            borderMode=cv2.BORDER_REPLICATE,
        )
        if blurred[i]:
            cell = cv2.GaussianBlur(cell, (3, 3), 0.4 + 0.5 * rng.random())
        light = cell * gain[i] + offset[i]
        if noise[i]:
            light += rng.standard_normal((side_px, side_px, 3), np.float32) * noise[i]
        result[i] = np.clip(light, 0, 255)
    return result, (turns + quarter) % 4
