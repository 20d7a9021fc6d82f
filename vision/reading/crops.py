"""The pixels of every square with some of its surroundings, as one batch."""

from __future__ import annotations

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from vision.rectified import RectifiedBoard

__all__ = ["cell_crops"]


def cell_crops(rectified: RectifiedBoard, context_px: int) -> NDArray[np.uint8]:
    """Every square's pixels with `context_px` more on each side, row by row.

    Tiles lie up to a quarter of a cell off their square and, seen from the side, stand above it, so the
    surroundings belong to the picture of a square.

    Parameters
    ----------
    rectified : RectifiedBoard
        The straightened board; its margin must hold the surroundings of the outer squares.
    context_px : int
        Pixels beyond the square on each side.

    Returns
    -------
    (rows * columns, side, side, 3) uint8
        BGR, side = cell_px + 2 * context_px.

    Raises
    ------
    ValueError
        If the margin of `rectified` is narrower than `context_px`.
    """
    if not 0 <= context_px <= rectified.margin_px:
        raise ValueError(
            f"context_px: {context_px} px do not fit the margin of {rectified.margin_px} px; "
            "rectify with a wider margin"
        )
    side = rectified.cell_px + 2 * context_px
    first = rectified.margin_px - context_px
    windows = sliding_window_view(rectified.image_bgr[first:, first:], (side, side), axis=(0, 1))
    step = rectified.cell_px
    cells = windows[: rectified.rows * step : step, : rectified.columns * step : step]
    batch = np.ascontiguousarray(np.moveaxis(cells, 2, -1))
    return batch.reshape(rectified.rows * rectified.columns, side, side, 3)
