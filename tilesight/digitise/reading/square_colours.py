"""The colours of a board's squares, which show whether two photos are of one board in one light.

A club plays all its games on the same boards, so colours alone do not assign photos to games. But they help where the
letters leave it open: two tiles on a board say little.
"""

from __future__ import annotations

import base64

import numpy as np
from numpy.typing import NDArray

from vision.core import RectifiedBoard

__all__ = ["Colours", "colour_distance", "format_colours", "measure_square_colours", "parse_colours"]

INNER = 0.5
"""Measured part of a square's side: neighbouring tiles lean over the edges (chosen)."""
SAMPLES = 6
"""Samples a row and a column of a square. Their median is taken: at least half of them miss the letter (chosen)."""
DARK_LEVELS = 8.0
"""Grey levels added before colours are compared as ratios: the darkest levels are mostly noise (chosen)."""
MIN_BARE = 20
"""Minimum number of squares that are bare on both boards (chosen)."""

Colours = NDArray[np.uint8]


def measure_square_colours(rectified: RectifiedBoard) -> Colours:
    """Return the median colour of the middle of each square, (rows, columns, 3) BGR, by channel."""
    side = rectified.cell_px
    within = np.round(np.linspace((1 - INNER) / 2 * side, (1 + INNER) / 2 * side, SAMPLES)).astype(np.intp)
    down, across = (
        (rectified.margin_px + side * np.arange(number)[:, None] + within).ravel()
        for number in (rectified.rows, rectified.columns)
    )
    seen = rectified.image_bgr[down][:, across].reshape(
        rectified.rows, SAMPLES, rectified.columns, SAMPLES, 3
    )
    pixels = seen.transpose(0, 2, 4, 1, 3).reshape(rectified.rows, rectified.columns, 3, -1)
    middle = pixels.shape[-1] // 2
    return np.ascontiguousarray(np.partition(pixels, middle, axis=-1)[..., middle])


def format_colours(colours: Colours) -> str:
    """Write colours as text."""
    return base64.b64encode(colours.tobytes()).decode("ascii")


def parse_colours(text: str, rows: int, columns: int) -> Colours:
    """Read the colours of a board of this size from their text."""
    return np.frombuffer(base64.b64decode(text), np.uint8).reshape(rows, columns, 3)


def colour_distance(first: Colours, second: Colours, is_bare: NDArray[np.bool_]) -> float:
    """Measure how much the bare squares of two photos differ, relative to their brightness.

    A common factor for each channel and a gradient across the board are removed first: one photo may be brighter, of
    another tint, or darker towards one side.

    Parameters
    ----------
    first, second : (rows, columns, 3) uint8
        The colours of two boards, BGR.
    is_bare : (rows, columns) bool
        The squares that are bare on both.

    Returns
    -------
    float
        Root mean square of the differences of logarithms; infinite if the boards differ in size, NaN if too few squares
        are bare.
    """
    rows, columns = np.nonzero(is_bare)
    if first.shape != second.shape:
        return float("inf")
    if len(rows) < MIN_BARE:
        return float("nan")
    logs = np.log(first[is_bare] + DARK_LEVELS) - np.log(second[is_bare] + DARK_LEVELS)
    plane = np.stack([np.ones(len(rows)), rows, columns], axis=1)
    residuals = logs - plane @ np.linalg.lstsq(plane, logs, rcond=None)[0]
    return float(np.sqrt(np.square(residuals).mean()))
