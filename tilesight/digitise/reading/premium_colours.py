"""The colours of a board's premium squares, which show whether two photos are of one board.

A club plays all its games on the same boards, so colours alone do not assign photos to games. But they help where the
letters leave it open: two tiles on a board say little.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from scoring import Board, Layout, Premium
from vision.core import RectifiedBoard, empty_squares, median

__all__ = ["PremiumColours", "colour_distance", "measure_premium_colours"]

MIN_BARE = 3
"""Minimum number of bare squares of a kind (chosen)."""
STRAY_LIGHT = 0.02
"""Added before light is compared as ratios, as a share of white: a lens scatters about as much (chosen)."""

PremiumColours = Sequence[Sequence[float]]
"""For each kind of premium square, the logarithms of its blue, green and red relative to those of the plain squares;
nothing for a kind of which too few squares are bare."""


def measure_premium_colours(rectified: RectifiedBoard, board: Board, layout: Layout) -> PremiumColours:
    """Measure the median colour of the middle of the bare squares of each kind.

    Relative to the plain squares, it changes little with the brightness and the tint of the light.
    """
    cell = rectified.cell_px
    cells = rectified.interior_bgr.reshape(rectified.rows, cell, rectified.columns, cell, 3).swapaxes(1, 2)
    middles = cells[:, :, cell // 4 : cell - cell // 4 : 2, cell // 4 : cell - cell // 4 : 2]
    is_bare = empty_squares(board)
    kinds = np.array([[premium.value for premium in row] for row in layout.premiums])
    logs = {}
    for premium in Premium:
        squares = is_bare & (kinds == premium.value)
        if squares.sum() >= MIN_BARE:
            levels = median(middles[squares].reshape(-1, 3).T.astype(np.int16, order="C"))
            logs[premium] = np.log((levels / 255) ** 2.2 + STRAY_LIGHT)  # of light, not of grey levels
    plain = logs.pop(Premium.PLAIN, None)
    return [
        (logs[premium] - plain).round(3).tolist() if plain is not None and premium in logs else []
        for premium in Premium
        if premium is not Premium.PLAIN
    ]


def colour_distance(first: PremiumColours, second: PremiumColours) -> float:
    """Return the root mean square of the differences of two boards' colours; NaN if no kind of square is known of both.

    Both boards must have the same layout.
    """
    squares = [
        (one - other) ** 2
        for of_first, of_second in zip(first, second, strict=False)
        if of_first and of_second
        for one, other in zip(of_first, of_second, strict=True)
    ]
    return math.sqrt(sum(squares) / len(squares)) if squares else math.nan
