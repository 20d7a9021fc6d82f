"""Alignment of the layout with a lattice: which cells are the board, by whole-cell shift and quarter turn."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vision.core import Floats, Mask, Matrix, project_points
from vision.detection.features import (
    CELL_COLOUR_SETTINGS,
    EdgePeaks,
    ImagePyramid,
    LayoutClasses,
    cell_colours,
    explained_variance,
    find_edge_peaks,
)

__all__ = ["GridHypothesis", "align_layout", "line_margin"]

Box = tuple[int, int, int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class LayoutAlignmentSettings:
    """Parameters of the alignment. Values without a source are chosen."""

    slack_cells: int = 3
    """Cells by which the board may extend beyond the lattice's found cells, or these beyond the board."""
    max_positions: int = 2
    """Number of positions that are returned."""
    max_outside_share: float = 0.08
    """Distance by which corners of the grid may be outside the image, as a share of its longer side."""
    max_cells: int = 45
    """Side of the largest view. A longer lattice is a floor or a cloth, of which the middle is used."""


SETTINGS = LayoutAlignmentSettings()


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class GridHypothesis:
    """A grid that was proposed and not fitted yet.

    Parameters
    ----------
    image_from_grid : (3, 3) float64
        From grid coordinates (cells) to image pixels.
    classes : LayoutClasses
        The layout in the orientation of the grid.
    score : float
        How well the image agrees; comparable among hypotheses of one kind in one image.
    colours : (rows, columns, 3) float32, optional
        L*a*b* colours of its squares, where they were measured.
    """

    image_from_grid: Matrix
    classes: LayoutClasses
    score: float = 0.0
    colours: NDArray[np.float32] | None = None


def align_layout(
    pyramid: ImagePyramid, image_from_lattice: Matrix, cells: NDArray[np.int64], classes: LayoutClasses
) -> list[GridHypothesis]:
    """Find the best positions of the layout on a lattice, the best first.

    Parameters
    ----------
    pyramid : ImagePyramid
        The image.
    image_from_lattice : (3, 3) float64
        A plane of equal squares in it, one unit a square.
    cells : (n, 2) int64
        The squares of it, x then y, that were seen.
    classes : LayoutClasses
        The layout as printed.
    """
    box = _search_box(cells, max(classes.rows, classes.columns))
    view = pyramid.warp_plane(image_from_lattice, box, CELL_COLOUR_SETTINGS.cell_px)
    colours = cell_colours(view, CELL_COLOUR_SETTINGS.cell_px)
    peaks = find_edge_peaks(view, CELL_COLOUR_SETTINGS.cell_px)
    outside = _outside_shares(pyramid, image_from_lattice, box)
    found: list[GridHypothesis] = []
    for turn in classes.distinct_rotations():
        rotated = classes.rotate(turn)
        rows, columns = rotated.rows, rotated.columns
        if colours.shape[0] < rows or colours.shape[1] < columns:
            continue
        score = explained_variance(colours, rotated) + line_margin(peaks, rows, columns)
        score = np.where(_is_in_view(outside, rows, columns), score, -np.inf)
        order = np.argsort(-score, axis=None, kind="stable")
        for position in order[: SETTINGS.max_positions]:
            row, column = (int(k) for k in np.unravel_index(position, score.shape))
            if not np.isfinite(score[row, column]):
                continue
            shift = np.array([[1, 0, box[0] + column], [0, 1, box[1] + row], [0, 0, 1]], dtype=np.float64)
            found.append(
                GridHypothesis(
                    image_from_grid=image_from_lattice @ shift,
                    classes=rotated,
                    score=float(score[row, column]),
                    colours=colours[row : row + rows, column : column + columns],
                )
            )
    return sorted(found, key=lambda hypothesis: -hypothesis.score)[: SETTINGS.max_positions]


def _search_box(cells: NDArray[np.int64], side: int) -> Box:
    """Cells ``x0, y0, x1, y1`` of the lattice in which a board with that longer side is searched."""
    low, high = np.percentile(cells, [2, 98], axis=0, method="nearest")
    first = np.minimum(low, high + 1 - side) - SETTINGS.slack_cells
    last = np.maximum(high + 1, low + side) + SETTINGS.slack_cells
    middle, half = (first + last) // 2, SETTINGS.max_cells // 2
    first, last = np.maximum(first, middle - half), np.minimum(last, middle + half)
    return int(first[0]), int(first[1]), int(last[0]), int(last[1])


def line_margin(peaks: EdgePeaks, rows: int, columns: int) -> Floats:
    """Compare the grid's edges with their prolongations outside, at each position.

    Parameters
    ----------
    peaks : EdgePeaks
        Edges of a view of at least as many cells.
    rows, columns : int
        Size of the grid.

    Returns
    -------
    (y, x) float64
        Share of lines on the grid's edges, less that on their prolongations.
    """
    vertical, horizontal = _padded(peaks.vertical), _padded(peaks.horizontal)
    windows = np.lib.stride_tricks.sliding_window_view
    # After padding, vertical edge k is on the left of cell k, and row 0 is above the first cells.
    inside_v = windows(vertical, (rows, columns + 1)).mean(axis=(-1, -2))[1:-1]
    beyond_v = windows(vertical, (1, columns + 1)).mean(axis=(-1, -2))
    inside_h = windows(horizontal, (rows + 1, columns)).mean(axis=(-1, -2))[:, 1:-1]
    beyond_h = windows(horizontal, (rows + 1, 1)).mean(axis=(-1, -2))
    count_y, count_x = inside_v.shape
    above, below = beyond_v[:count_y], beyond_v[rows + 1 : rows + 1 + count_y]
    left, right = beyond_h[:, :count_x], beyond_h[:, columns + 1 : columns + 1 + count_x]
    margin: Floats = (inside_v + inside_h) / 2 - (above + below + left + right) / 4
    return margin


def _padded(found: Mask) -> Floats:
    """Convert to numbers, with zeros all around."""
    rows, columns = found.shape
    padded = np.zeros((rows + 2, columns + 2))
    padded[1:-1, 1:-1] = found
    return padded


def _is_in_view(outside: Floats, rows: int, columns: int) -> Mask:
    """(y, x) positions of a board in the image, but for corners that are just outside."""
    count_y, count_x = outside.shape[0] - rows, outside.shape[1] - columns
    corners = np.stack(
        [
            outside[:count_y, :count_x],
            outside[:count_y, columns:],
            outside[rows:, columns:],
            outside[rows:, :count_x],
        ]
    )
    return np.asarray(corners.max(axis=0) < SETTINGS.max_outside_share)


def _outside_shares(pyramid: ImagePyramid, image_from_lattice: Matrix, box: Box) -> Floats:
    """(y, x) distance of each lattice corner of the box from the image, as a share of its longer side."""
    x, y = np.meshgrid(np.arange(box[0], box[2] + 1), np.arange(box[1], box[3] + 1))
    corners = np.stack([x, y], axis=-1).astype(np.float64)
    corners_px = project_points(pyramid.coarse_from_image @ image_from_lattice, corners)
    height, width = pyramid.coarse_bgr.shape[:2]
    with np.errstate(invalid="ignore"):
        beyond = np.maximum(-corners_px, corners_px - np.array([width, height])).max(axis=-1)
    share = np.where(np.isfinite(beyond), np.maximum(beyond, 0.0), np.inf) / max(height, width)
    return np.asarray(share, dtype=np.float64)
