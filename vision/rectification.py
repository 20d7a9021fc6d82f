"""The stage that rectifies: an image and the board's grid in, a view of the board from straight above out.

Seen obliquely, tiles are shifted against the grid, at 45 degrees by most of their height. The shift follows from the
projection of the grid itself, for a camera with square pixels whose axis meets the image's centre.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from vision.core import (
    BoardPlanes,
    BoardReading,
    Floats,
    Grid,
    Homography,
    Image,
    Mask,
    RectifiedBoard,
    SquareProbabilities,
    grid_outline,
    halve_image,
    invert_matrix,
    rectified_from_image,
    to_four_channels,
    warp_image,
)
from vision.recognition import HeightMemory, LetterReader, SquareReader, read_planes

__all__ = [
    "HALF_TILE",
    "OTHER_HEIGHTS",
    "elevate_grid",
    "read_board",
    "read_squares",
    "reading_heights",
    "rectify",
    "rectify_at_tile_height",
    "rectify_planes",
]

HALF_TILE = 0.1
"""Half of a usual tile's height in cells. At this height, faces and print are both off by half as much."""

OTHER_HEIGHTS = (0.2, 0.3, 0.4, 0.0)
"""Further heights in cells at which a board is read that is seen from near the table. Faces 0.2 to 0.4 of a cell high
are read as well as at their own height (boards 1000 to 1059 of `tests.sets.low_views`). Those of travel sets and of
boards with raised lines are level with the grid: the last height, since thick tiles may look clear at it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RectificationSettings:
    """When a view is low, and focal lengths of cameras. All values are chosen."""

    min_low_slope: float = 1.2
    """Displacement of a point, in its heights, from which the view is low: 40 degrees above the table."""
    small_height_cells: float = 0.01
    """Height in cells at which the displacement is measured."""
    usual_focal: float = 1.2
    """Focal length of a phone, in image widths (the longer side)."""
    min_focal: float = 0.6
    max_focal: float = 4.0
    """Focal lengths that are accepted, in image widths: those of lenses used in rooms."""


SETTINGS = RectificationSettings()


def rectify(image_bgr: Image, grid: Grid, cell_px: int = 32, margin_px: int = 16) -> RectifiedBoard:
    """Rectify the board of an image.

    Parameters
    ----------
    image_bgr : (height, width, 3) uint8
        The image, BGR.
    grid : Grid
        The board's grid in it.
    cell_px, margin_px : int
        Side of a cell and width of the margin of the result, in pixels.

    Notes
    -----
    The image is halved while its cells are at least twice as large as `cell_px`, since bilinear sampling would alias.
    """
    n_halvings = max(0, int(np.log2(max(grid.cell_px, 1.0) / cell_px)))
    image, left, top = _crop(image_bgr, grid, margin_px / cell_px, 2**n_halvings)
    matrix = rectified_from_image(grid, cell_px, margin_px) @ Homography.translation(left, top)
    for _ in range(n_halvings):
        image = halve_image(image)
    if n_halvings:
        matrix = matrix @ Homography.rescaling(2**n_halvings)
    size = (grid.columns * cell_px + 2 * margin_px, grid.rows * cell_px + 2 * margin_px)
    return RectifiedBoard(
        image_bgr=warp_image(to_four_channels(image), invert_matrix(matrix.matrix), size),
        rows=grid.rows,
        columns=grid.columns,
        cell_px=cell_px,
        margin_px=margin_px,
    )


def _crop(image_bgr: Image, grid: Grid, margin_cells: float, multiple: int) -> tuple[Image, int, int]:
    """Return the part of an image that shows a grid and its margin, and its left and upper edge.

    The edges are multiples of a number, so that blocks of pixels are averaged as in the whole image.
    """
    low, across, down = -margin_cells, grid.columns + margin_cells, grid.rows + margin_cells
    corners = np.array([[low, low], [across, low], [across, down], [low, down]])
    depths = np.column_stack([corners, np.ones(4)]) @ grid.image_from_grid.matrix[2]
    if depths.min() * depths.max() <= 0:  # the margin reaches the horizon
        return image_bgr, 0, 0
    corners_px, sides = grid.image_from_grid.apply(corners), np.array(image_bgr.shape[1::-1])
    # Two blocks more, since a point is interpolated from its neighbours.
    first = (
        np.clip(corners_px.min(axis=0) // multiple - 2, 0, np.maximum(sides // multiple - 1, 0)) * multiple
    )
    last = np.clip((corners_px.max(axis=0) // multiple + 3) * multiple, first + multiple, sides)
    (left, top), (right, bottom) = first.astype(int), last.astype(int)
    return image_bgr[top:bottom, left:right], int(left), int(top)


def rectify_at_tile_height(
    image_bgr: Image, grid: Grid, reader: SquareReader | LetterReader
) -> RectifiedBoard:
    """Rectify the board for a reader, half a tile's height above the grid, where print and faces both show.

    Parameters
    ----------
    image_bgr : (height, width, 3) uint8
        The image, BGR.
    grid : Grid
        The board's grid in it.
    reader : SquareReader or LetterReader
        It determines the sizes of cell and margin.
    """
    return rectify_planes(image_bgr, grid, reader, (HALF_TILE,))[0]


def rectify_planes(
    image_bgr: Image, grid: Grid, reader: SquareReader | LetterReader, heights: Sequence[float]
) -> BoardPlanes:
    """Rectify the board for a reader at several heights, each when it is asked for.

    Parameters
    ----------
    image_bgr : (height, width, 3) uint8
        The image, BGR.
    grid : Grid
        The board's grid in it, or a part of it.
    reader : SquareReader or LetterReader
        It determines the sizes of cell and margin.
    heights : sequence of float
        Heights above the board in cells.
    """
    height_px, width_px = image_bgr.shape[:2]

    def rectify_at(height: float) -> RectifiedBoard:
        plane = elevate_grid(grid, width_px, height_px, height)
        return rectify(image_bgr, plane, reader.cell_px, reader.margin_px)

    return BoardPlanes(heights, rectify_at)


def read_board(image_bgr: Image, grid: Grid, reader: SquareReader) -> BoardReading:
    """Read all squares of a board at half a usual tile's height and, where the view is low, at other heights too."""
    heights = reading_heights(grid, image_bgr.shape[1], image_bgr.shape[0])
    planes = rectify_planes(image_bgr, grid, reader, heights)
    read = read_planes(planes, reader)
    return BoardReading(
        grid=grid,
        planes=planes,
        probabilities=read.probabilities,
        is_height_uncertain=read.is_height_uncertain,
    )


def read_squares(
    image_bgr: Image,
    grid: Grid,
    recognizer: SquareReader,
    squares: Mask | None = None,
    crop_offset_xy: tuple[float, float] = (0.0, 0.0),
    heights: HeightMemory | None = None,
) -> SquareProbabilities:
    """Read squares of a board at half a tile's height and, where the view is low, at other heights too.

    Parameters
    ----------
    image_bgr : (height, width, 3) uint8
        The frame, BGR.
    grid : Grid
        The board's grid in it.
    recognizer : SquareReader
        Reads the squares.
    squares : (rows, columns) bool, optional
        The squares to read, all by default; the smallest rectangle around them is read.
    crop_offset_xy : (x, y)
        Offset of the crops from their squares, in cells.
    heights : HeightMemory, optional
        What earlier frames showed of the tiles' height.

    Returns
    -------
    SquareProbabilities
        Of the whole board; uniform outside of the rectangle.
    """
    if crop_offset_xy != (0.0, 0.0):
        moved = grid.image_from_grid @ Homography.translation(*crop_offset_xy)
        grid = replace(grid, image_from_grid=moved)
    heights_cells = reading_heights(grid, image_bgr.shape[1], image_bgr.shape[0])
    if squares is None or not squares.any():
        squares = np.ones((grid.rows, grid.columns), dtype=np.bool_)
    row, column = np.flatnonzero(squares.any(axis=1)), np.flatnonzero(squares.any(axis=0))
    part = (slice(row[0], row[-1] + 1), slice(column[0], column[-1] + 1))
    window = Grid(
        image_from_grid=grid.image_from_grid @ Homography.translation(column[0], row[0]),
        rows=int(row[-1] - row[0] + 1),
        columns=int(column[-1] - column[0] + 1),
        fit=grid.fit,
    )
    planes = rectify_planes(image_bgr, window, recognizer, heights_cells)
    reading = read_planes(planes, recognizer, heights).probabilities
    if (window.rows, window.columns) == (grid.rows, grid.columns):
        return reading

    def to_board(values: NDArray[np.float32]) -> NDArray[np.float32]:
        filled = np.full((*squares.shape, values.shape[-1]), 1.0 / values.shape[-1], dtype=np.float32)
        filled[part] = values
        return filled

    return replace(
        reading,
        occupancy=to_board(reading.occupancy),
        letters=to_board(reading.letters),
        values=to_board(reading.values),
        turns=to_board(reading.turns),
        embedding=None,
    )


@functools.lru_cache(maxsize=8)  # a film asks twice a frame
def reading_heights(grid: Grid, width_px: int, height_px: int) -> tuple[float, ...]:
    """Return the heights in cells at which a board is read: one, or more where the view is low.

    Parameters
    ----------
    grid : Grid
        The board's grid in the image.
    width_px, height_px : int
        Size of the image.
    """
    is_low = _max_slope(grid, width_px, height_px) > SETTINGS.min_low_slope
    return (HALF_TILE, *OTHER_HEIGHTS) if is_low else (HALF_TILE,)


def _max_slope(grid: Grid, width_px: int, height_px: int) -> float:
    """Return by how many cells a point is displaced for each cell of its height, at most, on the board's corners."""
    height = SETTINGS.small_height_cells
    raised = elevate_grid(grid, width_px, height_px, height)
    on_board = grid.image_from_grid.inverse.apply(raised.corners_px)
    displaced = on_board - grid_outline(grid.rows, grid.columns)
    return float(np.linalg.norm(displaced, axis=1).max() / height)


@functools.lru_cache(maxsize=32)  # a film asks several times a frame
def elevate_grid(grid: Grid, width_px: int, height_px: int, height: float = HALF_TILE) -> Grid:
    """Return the grid on a plane above the board.

    Parameters
    ----------
    grid : Grid
        The board's grid in the image.
    width_px, height_px : int
        Size of the image.
    height : float
        Height above the board in cells.

    References
    ----------
    Z. Zhang: A flexible new technique for camera calibration. IEEE PAMI 22 (2000), section 3.1: the two
    constraints that the projection of one plane puts on the camera. From straight above they say nothing,
    and a usual focal length is taken; the shift is small then.
    """
    centred_from_image = Homography.translation(-(width_px - 1) / 2, -(height_px - 1) / 2).matrix
    projection = centred_from_image @ grid.image_from_grid.matrix
    focal = _focal_px(projection, max(width_px, height_px))
    camera = np.diag([focal, focal, 1.0])
    pose = np.linalg.inv(camera) @ projection
    pose /= (np.linalg.norm(pose[:, 0]) + np.linalg.norm(pose[:, 1])) / 2
    if pose[2, 2] < 0:
        pose = -pose
    # x to the right, y down the board: their cross product points into the board, away from the camera.
    pose[:, 2] -= height * np.cross(pose[:, 0], pose[:, 1])
    matrix = np.linalg.inv(centred_from_image) @ camera @ pose
    return Grid(image_from_grid=Homography(matrix=matrix), rows=grid.rows, columns=grid.columns, fit=grid.fit)


def _focal_px(projection: Floats, side_px: int) -> float:
    """Return the focal length under which the grid's axes are at right angles and of one length."""
    x, y = projection[:, 0], projection[:, 1]
    # Both constraints are linear in 1 / f**2.
    slopes = np.array([x[0] * y[0] + x[1] * y[1], x[0] ** 2 + x[1] ** 2 - y[0] ** 2 - y[1] ** 2])
    rests = np.array([x[2] * y[2], x[2] ** 2 - y[2] ** 2])
    inverse = -float(slopes @ rests) / max(float(slopes @ slopes), 1e-12)
    low, high = SETTINGS.min_focal * side_px, SETTINGS.max_focal * side_px
    if inverse <= 0 or not low <= inverse**-0.5 <= high:
        return SETTINGS.usual_focal * side_px
    return float(inverse**-0.5)
