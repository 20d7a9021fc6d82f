"""Which of the lattice's cells are the board: the whole-number shift and the turn of the layout."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vision.core import project_points
from vision.detection.features import (
    EdgePeaks,
    ImagePyramid,
    LayoutClasses,
    cell_colours,
    edge_strengths,
    explained_share,
)

__all__ = ["LayoutPlacement", "line_margin", "place"]

_CELL_PX = 10
_SLACK = 3
"""Cells by which the board may stick out of the lattice's found cells, or they out of the board."""

_RIVAL_WITHIN = 0.25
"""A place that scores less than the best by more is not worth fitting."""

_HARDLY_OUTSIDE, _CORNER_OUTSIDE = 0.01, 0.08
"""Shares of the picture's longer side by which any corner of the grid, and one alone, may lie outside."""

_MAX_CELLS = 45
"""Side of the largest flat view: a longer lattice is a floor or a cloth, and its middle is looked at."""


@dataclass(frozen=True, slots=True, eq=False)
class LayoutPlacement:
    """A guess at the board.

    Parameters
    ----------
    image_from_grid : (3, 3) float64
        From grid coordinates (cells) to image pixels.
    pattern : Pattern
        The layout as it lies in the grid's rows and columns.
    score : float
        How well colours and lines speak for this shift; comparable within one picture.
    colours : (rows, columns, 3) float32, optional
        L*a*b* colours of its squares, where they were looked at.
    """

    image_from_grid: NDArray[np.float64]
    pattern: LayoutClasses
    score: float
    colours: NDArray[np.float32] | None = None


def place(
    views: ImagePyramid,
    image_from_lattice: NDArray[np.float64],
    cells: NDArray[np.int64],
    pattern: LayoutClasses,
    most: int = 2,
) -> list[LayoutPlacement]:
    """The best places of the layout on a lattice, the best first.

    Parameters
    ----------
    views : Views
        The picture.
    image_from_lattice : (3, 3) float64
        A plane of equal squares in it, one unit a square.
    cells : (n, 2) int64
        The squares of it, x then y, that were seen.
    pattern : Pattern
        The layout as printed.
    most : int
        How many places to give at most.
    """
    low, high = np.percentile(cells, [2, 98], axis=0, method="nearest")
    side = max(pattern.rows, pattern.columns)
    first = np.minimum(low, high + 1 - side) - _SLACK
    last = np.maximum(high + 1, low + side) + _SLACK
    middle = (first + last) // 2
    first, last = np.maximum(first, middle - _MAX_CELLS // 2), np.minimum(last, middle + _MAX_CELLS // 2)
    box = (int(first[0]), int(first[1]), int(last[0]), int(last[1]))
    flat = views.flat(image_from_lattice, box, _CELL_PX)
    colours = cell_colours(flat, _CELL_PX)
    peaks = edge_strengths(flat, _CELL_PX)
    outside = _outside_share(views, image_from_lattice, box)
    found: list[LayoutPlacement] = []
    for turn in pattern.distinct_turns():
        turned = pattern.rotate(turn)
        rows, columns = turned.rows, turned.columns
        if colours.shape[0] < rows or colours.shape[1] < columns:
            continue
        score = explained_share(colours, turned) + line_margin(peaks, rows, columns)
        score = np.where(_in_view(outside, rows, columns), score, -np.inf)
        for flat_index in np.argsort(-score, axis=None, kind="stable")[:most]:
            row, column = (int(k) for k in np.unravel_index(flat_index, score.shape))
            if not np.isfinite(score[row, column]):
                continue
            shift = np.array([[1, 0, box[0] + column], [0, 1, box[1] + row], [0, 0, 1]], dtype=np.float64)
            found.append(
                LayoutPlacement(
                    image_from_grid=image_from_lattice @ shift,
                    pattern=turned,
                    score=float(score[row, column]),
                    colours=colours[row : row + rows, column : column + columns],
                )
            )
    found = sorted(found, key=lambda placement: -placement.score)[:most]
    return [placement for placement in found if placement.score > found[0].score - _RIVAL_WITHIN]


def line_margin(peaks: EdgePeaks, rows: int, columns: int) -> NDArray[np.float64]:
    """For each place, the share of lines on the grid's edges less that on their prolongations outside."""
    # Upright edges stand between columns: (cell rows, columns - 1); level ones between rows.
    upright, level = _rimmed(peaks.upright_on), _rimmed(peaks.level_on)
    windows = np.lib.stride_tricks.sliding_window_view
    # upright is (1 + cells + 1, 1 + cells - 1 + 1): edge k stands on the left of cell k
    inside_u = windows(upright, (rows, columns + 1)).mean(axis=(-1, -2))[1:-1]
    beyond_u = windows(upright, (1, columns + 1)).mean(axis=(-1, -2))
    inside_l = windows(level, (rows + 1, columns)).mean(axis=(-1, -2))[:, 1:-1]
    beyond_l = windows(level, (rows + 1, 1)).mean(axis=(-1, -2))
    count_y, count_x = inside_u.shape
    above, below = beyond_u[:count_y], beyond_u[rows + 1 : rows + 1 + count_y]
    left, right = beyond_l[:, :count_x], beyond_l[:, columns + 1 : columns + 1 + count_x]
    margin: NDArray[np.float64] = (inside_u + inside_l) / 2 - (above + below + left + right) / 4
    return margin


def _rimmed(found: NDArray[np.bool_]) -> NDArray[np.float64]:
    """The same as numbers, with nothing found all around."""
    rows, columns = found.shape
    rimmed = np.zeros((rows + 2, columns + 2))
    rimmed[1:-1, 1:-1] = found
    return rimmed


def _in_view(outside: NDArray[np.float64], rows: int, columns: int) -> NDArray[np.bool_]:
    """For each place, whether the board lies in the picture, but for one corner at most that is just outside."""
    count_y, count_x = outside.shape[0] - rows, outside.shape[1] - columns
    corners = np.stack(
        [
            outside[:count_y, :count_x],
            outside[:count_y, columns:],
            outside[rows:, columns:],
            outside[rows:, :count_x],
        ]
    )
    worst = np.sort(corners, axis=0)
    result: NDArray[np.bool_] = (worst[-1] < _CORNER_OUTSIDE) & (worst[-2] < _HARDLY_OUTSIDE)
    return result


def _outside_share(
    views: ImagePyramid, matrix: NDArray[np.float64], box: tuple[int, int, int, int]
) -> NDArray[np.float64]:
    """How far each lattice corner of the box lies outside the picture, as a share of its longer side."""
    x, y = np.meshgrid(np.arange(box[0], box[2] + 1), np.arange(box[1], box[3] + 1))
    places = project_points(views.coarse_from_image @ matrix, np.stack([x, y], axis=-1).astype(np.float64))
    height, width = views.coarse_bgr.shape[:2]
    with np.errstate(invalid="ignore"):
        beyond = np.maximum(-places, places - np.array([width, height])).max(axis=-1)
    share = np.where(np.isfinite(beyond), np.maximum(beyond, 0.0), np.inf) / max(height, width)
    return np.asarray(share, dtype=np.float64)
