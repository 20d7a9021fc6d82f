"""The stage that straightens the board: a picture and its grid in, a square view of the board out.

The grid as it appears on a plane above the board.

Tiles are pieces: from the side, their faces appear shifted against the grid, at 45 degrees by most of their
height. How far follows from the projection of the grid itself, for a camera whose pixels are square and whose axis
meets the picture's middle.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from vision.core import (
    Grid,
    Homography,
    RectifiedBoard,
    halve_image,
    rectified_from_image,
    to_four_channels,
    warp_image,
)
from vision.recognition import LetterReader, SquareReader

__all__ = ["HALF_TILE", "elevate_grid", "rectify", "rectify_at_tile_height"]


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
        image = halve_image(image)
        scale /= 2
    if scale < 1.0:
        # x' = k (x + 0.5) - 0.5, undone before the projection
        rest = 0.5 / scale - 0.5
        matrix = matrix @ np.array([[1 / scale, 0, rest], [0, 1 / scale, rest], [0, 0, 1]])
    size = (grid.columns * cell_px + 2 * margin_px, grid.rows * cell_px + 2 * margin_px)
    return RectifiedBoard(
        image_bgr=warp_image(to_four_channels(image), np.asarray(np.linalg.inv(matrix), np.float64), size),
        rows=grid.rows,
        columns=grid.columns,
        cell_px=cell_px,
        margin_px=margin_px,
    )


HALF_TILE = 0.1
"""Half of a usual tile's height in cells. Read on this plane, faces and print both lie off by half as much."""
USUAL_FOCAL, FOCAL_RANGE = 1.2, (0.6, 4.0)
"""Focal lengths in widths of the picture: a phone's, and what lenses for rooms have."""


def elevate_grid(grid: Grid, width_px: int, height_px: int, height: float = HALF_TILE) -> Grid:
    """The grid on the plane that lies `height` cells above the board.

    Parameters
    ----------
    grid : Grid
        Where the board's grid lies in the picture.
    width_px, height_px : int
        Size of the whole picture.
    height : float
        Height above the board in cells.

    References
    ----------
    Z. Zhang: A flexible new technique for camera calibration. IEEE PAMI 22 (2000), section 3.1: the two
    constraints that the projection of one plane puts on the camera. From straight above they say nothing,
    and a usual focal length is taken; the shift is small then.
    """
    middle = np.array([[1.0, 0, -(width_px - 1) / 2], [0, 1.0, -(height_px - 1) / 2], [0, 0, 1.0]])
    projection = middle @ grid.image_from_grid.matrix
    focal = _focal_px(projection, max(width_px, height_px))
    camera = np.diag([focal, focal, 1.0])
    pose = np.linalg.inv(camera) @ projection
    pose /= (np.linalg.norm(pose[:, 0]) + np.linalg.norm(pose[:, 1])) / 2
    if pose[2, 2] < 0:
        pose = -pose
    # x to the right, y down the board: their cross product points into the board, away from the camera.
    pose[:, 2] -= height * np.cross(pose[:, 0], pose[:, 1])
    matrix = np.linalg.inv(middle) @ camera @ pose
    return Grid(image_from_grid=Homography(matrix=matrix), rows=grid.rows, columns=grid.columns, fit=grid.fit)


def _focal_px(projection: NDArray[np.float64], side_px: int) -> float:
    """The focal length under which the grid's axes are at right angles and of one length."""
    x, y = projection[:, 0], projection[:, 1]
    # Both constraints are linear in 1 / f**2.
    slopes = np.array([x[0] * y[0] + x[1] * y[1], x[0] ** 2 + x[1] ** 2 - y[0] ** 2 - y[1] ** 2])
    rests = np.array([x[2] * y[2], x[2] ** 2 - y[2] ** 2])
    inverse = -float(slopes @ rests) / max(float(slopes @ slopes), 1e-12)
    low, high = FOCAL_RANGE
    if inverse <= 0 or not low * side_px <= inverse**-0.5 <= high * side_px:
        return USUAL_FOCAL * side_px
    return float(inverse**-0.5)


def rectify_at_tile_height(
    image_bgr: NDArray[np.uint8], grid: Grid, reader: SquareReader | LetterReader
) -> RectifiedBoard:
    """The board as a reader wants it, cut half a tile's height above the grid, where print and faces both show."""
    plane = elevate_grid(grid, image_bgr.shape[1], image_bgr.shape[0])
    return rectify(image_bgr, plane, reader.cell_px, reader.margin_px)
