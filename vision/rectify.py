"""The stage that straightens the board: a picture and its grid in, a square view of the board out."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.geometry import Grid
from vision.rectified import RectifiedBoard, rectified_from_image
from vision.warping import four_channels, warped

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
        image = np.asarray(
            cv2.resize(image, (image.shape[1] // 2, image.shape[0] // 2), interpolation=cv2.INTER_AREA)
        )
        scale /= 2
    if scale < 1.0:
        kx, ky = image.shape[1] / image_bgr.shape[1], image.shape[0] / image_bgr.shape[0]
        # x' = k (x + 0.5) - 0.5, undone before the projection
        full_from_shrunk = np.array([[1 / kx, 0, 0.5 / kx - 0.5], [0, 1 / ky, 0.5 / ky - 0.5], [0, 0, 1]])
        matrix = matrix @ full_from_shrunk
    size = (grid.columns * cell_px + 2 * margin_px, grid.rows * cell_px + 2 * margin_px)
    return RectifiedBoard(
        image_bgr=warped(four_channels(image), np.linalg.inv(matrix), size),
        rows=grid.rows,
        columns=grid.columns,
        cell_px=cell_px,
        margin_px=margin_px,
    )
