"""The colours of a board's squares, by which two photos are of one board in one light, whatever lies on it.

A club's games are all played on the same boards, so that colours join no photos by themselves. But where letters leave
it open, two tiles alone on a board say little, they tell whose game it is.
"""

from __future__ import annotations

import base64

import numpy as np
from numpy.typing import NDArray

from vision.core import RectifiedBoard

__all__ = ["colours_of_text", "colours_text", "difference", "square_colours"]

INNER = 0.5
"""Of a square's side: what lies beside it leans over its edges."""
PIXELS = 6
"""So many in a row are looked at, and their median taken: half of them at least show what a letter is printed on."""
DARKEST = 8.0
"""Grey levels that are added before colours are compared by their ratios: the darkest ones are mostly noise."""
MIN_BARE = 20
"""Squares that must be bare on both boards."""

Colours = NDArray[np.uint8]


def square_colours(rectified: RectifiedBoard) -> Colours:
    """(rows, columns, 3) the median colour of the middle of each square, BGR, by channel."""
    side = rectified.cell_px
    within = np.round(np.linspace((1 - INNER) / 2 * side, (1 + INNER) / 2 * side, PIXELS)).astype(np.intp)
    down, across = (
        (rectified.margin_px + side * np.arange(number)[:, None] + within).ravel()
        for number in (rectified.rows, rectified.columns)
    )
    seen = rectified.image_bgr[down][:, across].reshape(rectified.rows, PIXELS, rectified.columns, PIXELS, 3)
    pixels = seen.transpose(0, 2, 4, 1, 3).reshape(rectified.rows, rectified.columns, 3, -1)
    middle = pixels.shape[-1] // 2
    return np.ascontiguousarray(np.partition(pixels, middle, axis=-1)[..., middle])


def colours_text(colours: Colours) -> str:
    """The colours as text."""
    return base64.b64encode(colours.tobytes()).decode("ascii")


def colours_of_text(text: str, rows: int, columns: int) -> Colours:
    """The colours of a text that `colours_text` wrote, of a board of that size."""
    return np.frombuffer(base64.b64decode(text), np.uint8).reshape(rows, columns, 3)


def difference(one: Colours, other: Colours, bare: NDArray[np.bool_]) -> float:
    """How much the bare squares of two photos differ, as a share of their brightness; infinite where few are bare.

    That one photo is brighter, of another tint, or darker towards one side, is no difference.

    Parameters
    ----------
    one, other : (rows, columns, 3) uint8
        The colours of two boards.
    bare : (rows, columns) bool
        The squares that are bare on both.
    """
    rows, columns = np.nonzero(bare)
    if one.shape != other.shape or len(rows) < MIN_BARE:
        return float("inf")
    logs = np.log(one[bare] + DARKEST) - np.log(other[bare] + DARKEST)
    slope = np.stack([np.ones(len(rows)), rows, columns], axis=1)
    rest = logs - slope @ np.linalg.lstsq(slope, logs, rcond=None)[0]
    return float(np.sqrt(np.square(rest).mean()))
