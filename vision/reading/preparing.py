"""Pixels as the networks take them: four as one place, without their square's own mean and contrast."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

__all__ = ["blocks", "evened"]

# As in training (`calibration.cell_network.normalised`): every fourth line says the same, in a quarter of the time;
# the floor under the contrast is a share of the mean, so that a plain square stays plain.
_SAMPLED, _FLOOR_SHARE, _FLOOR = 4, 0.1, 2.0

_PAIR = np.dtype("V6")


def blocks(pixels: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Each 2 x 2 pixels as one place: (..., height, width, 3) to (..., height / 2, width / 2, 12).

    The twelve are line in the block, column in the block, colour. The sizes must be even.
    """
    *many, height, width, _ = pixels.shape
    # pairs of pixels are copied as one piece of six bytes each: a third of the time that six numbers take
    pairs = np.ascontiguousarray(pixels).reshape(-1, 2, width * 3).view(_PAIR)
    result = np.empty((len(pairs), width // 2, 2), _PAIR)
    for line in (0, 1):
        result[..., line] = pairs[:, line]
    return result.view(np.uint8).reshape(*many, height // 2, width // 2, 12)


def evened(cells: NDArray[np.uint8], scale: float, zero: int) -> NDArray[np.uint8]:
    """Squares in another light look alike: their mean and contrast taken out, as small integers.

    Parameters
    ----------
    cells : (n, side, side, 12) uint8
        As `blocks` makes them.
    scale, zero : float, int
        ``(integer - zero) * scale`` is the number that an integer of the result stands for.
    """
    count, height = cells.shape[:2]
    lines = np.ascontiguousarray(cells).reshape(count, height, -1)
    upper = np.ascontiguousarray(lines.view(_PAIR)[:, :: _SAMPLED // 2, ::2])
    sample = upper.view(np.uint8).reshape(count, -1).astype(np.float32)
    mean = sample.mean(axis=1)
    variance = np.einsum("ij,ij->i", sample, sample) / sample.shape[1] - mean**2
    contrast = np.maximum(np.sqrt(np.maximum(variance, 0)), _FLOOR_SHARE * mean + _FLOOR)
    # 256 levels are looked up much faster than thousands of pixels are computed
    levels = (np.arange(256, dtype=np.float32) - mean[:, None]) / (contrast[:, None] * np.float32(scale))
    tables = np.clip(np.rint(levels) + zero, 0, 255).astype(np.uint8)
    result = np.empty_like(lines)
    for line, table, target in zip(lines, tables, result, strict=True):
        cv2.LUT(line, table, target)
    return result.reshape(cells.shape)
