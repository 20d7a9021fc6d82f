"""Sub-cell fit of the grid to its own lines: whole lines first, then single edges."""

from __future__ import annotations

import functools

import numpy as np
from numpy.typing import NDArray

from vision.locating.colours import cell_colours, hidden_squares
from vision.locating.edges import edge_profiles
from vision.locating.offsets import ALIKE, BY_TILE, RIM, UNLIKE, Offsets, explained
from vision.locating.pattern import Pattern
from vision.locating.small_projections import projection
from vision.locating.views import Views, projected

__all__ = ["SETTLED", "edge_offsets", "refined"]

SETTLED = 0.008
"""Of the eight numbers of a correction, which at 1 move a corner by a cell."""

_ROUNDS = 6
"""Each finds the lines that the last one brought within reach; one alone leaves a corner off by 0.3 cell where the
first guess was."""

_LINE_CELL_PX = 16
_LINE_REACH = 0.42
"""Cells by which an end of a line is moved in search of it; half a cell would be the next line's."""

_LEAST_PARALLAX, _TILE_HEIGHT = 0.02, 0.2
"""Cells by which all tiles may seem to lie off from straight above, and how high they stand."""

_EDGE_CELL_PX = 20
_EDGE_REACH, _WIDE_REACH = 0.2, 0.3
_EDGE_KERNEL, _WIDE_KERNEL = 0.08, 0.16
"""Standard deviation in cells: a printed line's two sides merge, and so do those of two tiles that touch; the wider
one merges those of a line that a moving camera doubled."""

_TILE_WEIGHT, _KNOWN_TILE_WEIGHT = 0.1, 0.3
"""Tiles lie carelessly and stand above the board; their edges pull by 0.05 cell. Where it is known which they are,
their common shift is told from the board's, and of a full board they are nearly all that shows."""

Matrix = NDArray[np.float64]
Floats = NDArray[np.float64]


def refined(
    views: Views,
    image_from_grid: Matrix,
    pattern: Pattern,
    *,
    whole_lines: bool = False,
    unclear: bool = False,
    hidden: NDArray[np.bool_] | None = None,
) -> Matrix:
    """The projection with its lines on the picture's lines.

    Parameters
    ----------
    views : Views
        The picture.
    image_from_grid : (3, 3) float64
        A projection that is off by less than 0.2 cell, or than 0.4 with `whole_lines`.
    pattern : Pattern
        The layout as it lies in the grid.
    whole_lines : bool
        Look for whole lines first, up to nearly half a cell off; else for single edges close by alone.
    unclear : bool
        Lines may be blurred: look a little farther and less closely.
    hidden : (rows, columns) bool, optional
        Squares on which something is known to lie; else their colours must tell.
    """
    matrix = image_from_grid
    if whole_lines:
        matrix = matrix @ _line_correction(views, matrix, pattern.rows, pattern.columns)
    for _ in range(_ROUNDS):
        offsets = edge_offsets(views, matrix, pattern, unclear=unclear, hidden=hidden)
        numbers, _ = explained(offsets, pattern.rows, pattern.columns)
        matrix = matrix @ projection(numbers, pattern.rows, pattern.columns)
        if np.abs(numbers).max() < SETTLED:
            break
    return matrix


def _profiles(
    views: Views, matrix: Matrix, rows: int, columns: int, cell_px: int
) -> tuple[Floats, Floats, NDArray[np.uint8]]:
    """Profiles across all edges: (rows, columns + 1, px) and (rows + 1, columns, px), and the flat board."""
    flat = views.flat(matrix, (-1, -1, columns + 1, rows + 1), cell_px)
    upright, level = edge_profiles(flat, cell_px)
    inner = flat[cell_px:-cell_px, cell_px:-cell_px]
    return upright[1:-1].astype(np.float64), level[:, 1:-1].astype(np.float64), inner


def _line_correction(views: Views, matrix: Matrix, rows: int, columns: int) -> Matrix:
    """A small projection of the grid that takes whole lines onto the picture's."""
    upright, level, _ = _profiles(views, matrix, rows, columns, _LINE_CELL_PX)
    x, dx, wx = _line_ends(upright)
    y, dy, wy = _line_ends(level.transpose(1, 0, 2))
    # An upright line's ends lie in the middle of the first and last row, where its profiles are.
    places = np.concatenate(
        [
            np.stack([np.tile(x, 2), np.repeat([0.5, rows - 0.5], len(x))], axis=1),
            np.stack([np.repeat([0.5, columns - 0.5], len(y)), np.tile(y, 2)], axis=1),
        ]
    )
    offsets = Offsets(
        places=places,
        cells=np.concatenate([dx, dy]),
        along_x=np.arange(len(places)) < len(dx),
        weights=np.concatenate([wx, wy]),
    )
    return projection(explained(offsets, rows, columns)[0], rows, columns)


def _line_ends(profiles: Floats) -> tuple[Floats, Floats, Floats]:
    """Each line's place, the offsets of all first and then all last ends in cells, and weights."""
    count, lines, cell_px = profiles.shape
    peak = profiles.max(axis=-1, keepdims=True)
    shares = profiles / (peak + 0.25 * np.median(peak) + 1e-9)  # one strong edge must not outvote a line
    choices, index = _line_choices(count, cell_px)
    totals = shares[np.arange(count), :, index].mean(axis=2)  # (ends, ends, lines)
    flat = totals.reshape(-1, lines)
    first, last = np.unravel_index(flat.argmax(axis=0), totals.shape[:2])
    weights = np.maximum(flat.max(axis=0) - np.median(flat, axis=0), 0.0)
    return (
        np.arange(lines, dtype=np.float64),
        np.concatenate([choices[first], choices[last]]),
        np.concatenate([weights, weights]),
    )


@functools.lru_cache(maxsize=8)
def _line_choices(count: int, cell_px: int) -> tuple[Floats, NDArray[np.int64]]:
    """End offsets to try, in cells, and the sample where each straight line crosses each of `count` edges."""
    reach = int(_LINE_REACH * cell_px)
    choices = np.arange(-reach, reach + 1) / cell_px
    share = np.linspace(0, 1, count)
    offsets = choices[:, None, None] * (1 - share) + choices[None, :, None] * share
    index = np.rint(offsets * cell_px + (cell_px - 1) / 2).astype(np.int64)
    return choices, np.clip(index, 0, cell_px - 1)


def edge_offsets(
    views: Views,
    matrix: Matrix,
    pattern: Pattern,
    *,
    unclear: bool = False,
    hidden: NDArray[np.bool_] | None = None,
) -> Offsets:
    """How far the picture's lines lie from each edge of the grid, where any lies close by.

    Parameters
    ----------
    views : Views
        The picture.
    matrix : (3, 3) float64
        From the grid to the picture, off by less than 0.2 cell.
    pattern : Pattern
        The layout as it lies in the grid.
    unclear : bool
        Lines may be blurred: look a little farther and less closely.
    hidden : (rows, columns) bool, optional
        Squares on which something is known to lie; else their colours must tell.
    """
    rows, columns = pattern.rows, pattern.columns
    upright, level, flat = _profiles(views, matrix, rows, columns, _EDGE_CELL_PX)
    odd = hidden if hidden is not None else hidden_squares(cell_colours(flat, _EDGE_CELL_PX), pattern)
    kinds_x, kinds_y = _edge_kinds(pattern.classes, odd), _edge_kinds(pattern.classes.T, odd.T).T
    row, column = np.mgrid[:rows, : columns + 1]
    places_x = np.stack([column, row + 0.5], axis=-1).reshape(-1, 2)
    row, column = np.mgrid[: rows + 1, :columns]
    places_y = np.stack([column + 0.5, row], axis=-1).reshape(-1, 2)
    offset_x, clear_x = _peak_offsets(upright, unclear)
    offset_y, clear_y = _peak_offsets(level, unclear)
    kinds = np.concatenate([kinds_x.ravel(), kinds_y.ravel()])
    clear = np.concatenate([clear_x.ravel(), clear_y.ravel()])
    return Offsets(
        places=np.concatenate([places_x, places_y]),
        cells=np.concatenate([offset_x.ravel(), offset_y.ravel()]),
        along_x=np.arange(len(kinds)) < offset_x.size,
        weights=clear
        * np.where(kinds == BY_TILE, _TILE_WEIGHT if hidden is None else _KNOWN_TILE_WEIGHT, 1.0),
        kinds=kinds,
        parallax=_LEAST_PARALLAX + _TILE_HEIGHT * _slope(matrix, rows, columns),
    )


def _slope(matrix: Matrix, rows: int, columns: int) -> float:
    """Tangent of the angle from the board's normal under which its middle is seen."""
    around = projected(matrix, np.array([columns, rows]) / 2 + np.array([[0.0, 0], [0.5, 0], [0, 0.5]]))
    longest, shortest = np.linalg.svd(around[1:] - around[0], compute_uv=False)
    return float(np.sqrt(max((longest / max(shortest, 1e-9)) ** 2 - 1, 0.0)))


def _edge_kinds(classes: NDArray[np.int64], hidden: NDArray[np.bool_]) -> NDArray[np.int64]:
    """(rows, columns + 1) what stands on both sides of each upright edge."""
    padded = np.pad(classes, ((0, 0), (1, 1)), constant_values=-1)
    kinds = np.where(padded[:, 1:] == padded[:, :-1], ALIKE, UNLIKE)
    kinds[:, [0, -1]] = RIM
    beside = np.pad(hidden, ((0, 0), (1, 1)))
    kinds[beside[:, 1:] | beside[:, :-1]] = BY_TILE
    return np.asarray(kinds, dtype=np.int64)


def _peak_offsets(profiles: Floats, unclear: bool) -> tuple[Floats, Floats]:
    """How far, in cells, each profile's strongest step lies from its edge; and how clearly, 0 to 1."""
    cell_px = profiles.shape[-1]
    distance = (np.arange(cell_px) - (cell_px - 1) / 2) / cell_px
    kernel, within = (_WIDE_KERNEL, _WIDE_REACH) if unclear else (_EDGE_KERNEL, _EDGE_REACH)
    smooth = profiles @ np.exp(-0.5 * np.square((distance[:, None] - distance) / kernel))
    reach = np.abs(distance) < within
    window = np.where(reach, smooth, 0.0)
    top = window.argmax(axis=-1)
    inner = np.clip(top, 1, cell_px - 2)[..., None]
    left, middle, right = (np.take_along_axis(smooth, inner + k, axis=-1)[..., 0] for k in (-1, 0, 1))
    bend = left - 2 * middle + right
    vertex = np.divide(0.5 * (left - right), bend, out=np.zeros_like(bend), where=bend < 0)
    offset = distance[inner[..., 0]] + np.clip(vertex, -1, 1) / cell_px
    best = smooth.max(axis=-1)
    # Clear: the step stands out of its profile, and is a peak and not the flank of something outside.
    contrast = 1 - np.median(smooth, axis=-1) / np.maximum(best, 1e-9)
    peak = (bend < 0) & (middle >= left) & (middle >= right) & (middle > 0.6 * best)
    return offset, np.where(peak & (best > 0), np.maximum(contrast, 0.0), 0.0)
