"""The stage that straightens the board: a picture and its grid in, a square view of the board out."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from vision.geometry import Grid
from vision.rectified import RectifiedBoard, rectified_from_image
from vision.warping import four_channels, halved, warped

__all__ = ["rectify"]


def rectify(
    image_bgr: NDArray[np.uint8], grid: Grid, cell_px: int = 32, margin_px: int = 16
) -> RectifiedBoard:
    """The board of `image_bgr`, straightened.

    Parameters
    ----------
    image_bgr : (height, width, 3) uint8
        The picture, BGR.
    grid : Grid
        Where the board lies in it.
    cell_px, margin_px : int
        Side of a cell and width of the margin of the result, in pixels.

    Notes
    -----
    A grid seen much larger than `cell_px` is halved first, since bilinear sampling would alias.
    """
    image = image_bgr
    matrix = rectified_from_image(grid, cell_px, margin_px).matrix
    scale = 1.0
    while grid.cell_px * scale >= 2.0 * cell_px:
        image = halved(image)
        scale /= 2
    if scale < 1.0:
        # x' = k (x + 0.5) - 0.5, undone before the projection
        rest = 0.5 / scale - 0.5
        matrix = matrix @ np.array([[1 / scale, 0, rest], [0, 1 / scale, rest], [0, 0, 1]])
    size = (grid.columns * cell_px + 2 * margin_px, grid.rows * cell_px + 2 * margin_px)
    return RectifiedBoard(
        image_bgr=warped(four_channels(image), np.asarray(np.linalg.inv(matrix), np.float64), size),
        rows=grid.rows,
        columns=grid.columns,
        cell_px=cell_px,
        margin_px=margin_px,
    )
