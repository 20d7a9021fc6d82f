"""What a picture shows across each edge of the grid, beside bare squares and beside those on which something lies."""

from __future__ import annotations

import functools
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vision.locating.colours import cell_colours, hidden_squares
from vision.locating.edges import edge_profiles
from vision.locating.offsets import ALIKE, BY_TILE, RIM, UNLIKE, Offsets
from vision.locating.pattern import Pattern
from vision.locating.views import Views, projected

__all__ = ["Lying", "SeenEdges", "profiles"]

_LEAST_PARALLAX, _TILE_HEIGHT = 0.02, 0.2
"""Cells by which all tiles may seem to lie off from straight above, and how high they stand."""

_EDGE_CELL_PX, _COLOUR_CELL_PX = 20, 10
_MOVED_FAR = 0.1
"""Cells, from which squares lie elsewhere and their colours are looked at anew."""

_EDGE_REACH, _WIDE_REACH = 0.2, 0.3
_EDGE_KERNEL, _WIDE_KERNEL = 0.08, 0.16
"""Standard deviation in cells: a printed line's two sides merge, and so do those of two tiles that touch; the wider
one merges those of a line that a moving camera doubled."""

_TILE_WEIGHT, _KNOWN_TILE_WEIGHT = 0.1, 0.3
"""Tiles lie carelessly and stand above the board; their edges pull by 0.05 cell. Where it is known which they are,
their common shift is told from the board's, and of a full board they are nearly all that shows."""

Matrix = NDArray[np.float64]
Floats = NDArray[np.float64]


def profiles(views: Views, matrix: Matrix, rows: int, columns: int, cell_px: int) -> tuple[Floats, Floats]:
    """Steps of colour across all edges, half a cell to each side.

    Parameters
    ----------
    views : Views
        The picture.
    matrix : (3, 3) float64
        From the grid to the picture.
    rows, columns : int
        Size of the grid.
    cell_px : int
        Side of a cell in the view that is looked at.

    Returns
    -------
    upright : (rows, columns + 1, cell_px) float64
    level : (rows + 1, columns, cell_px) float64
    """
    flat = views.flat(matrix, (-1, -1, columns + 1, rows + 1), cell_px)
    upright, level = edge_profiles(flat, cell_px)
    return upright[1:-1].astype(np.float64), level[:, 1:-1].astype(np.float64)


@dataclass(frozen=True, slots=True, eq=False)
class Lying:
    """Squares on which something lies.

    Parameters
    ----------
    squares : (rows, columns) bool
        Which they are.
    known : bool
        Whether a reader saw it; else their colours alone tell.
    """

    squares: NDArray[np.bool_]
    known: bool

    @classmethod
    def on(
        cls, views: Views, matrix: Matrix, pattern: Pattern, hidden: NDArray[np.bool_] | None = None
    ) -> Lying:
        """What is known to lie on a board, or what the squares' colours let one think."""
        if hidden is not None:
            return cls(squares=hidden, known=True)
        flat = views.flat(matrix, (0, 0, pattern.columns, pattern.rows), _COLOUR_CELL_PX)
        return cls(squares=hidden_squares(cell_colours(flat, _COLOUR_CELL_PX), pattern), known=False)

    def after(self, moved: float, views: Views, matrix: Matrix, pattern: Pattern) -> Lying:
        """The same for the corrected grid, looked at anew where it moved far and nothing is known."""
        return self if self.known or moved < _MOVED_FAR else Lying.on(views, matrix, pattern)


@dataclass(frozen=True, slots=True, eq=False)
class SeenEdges:
    """What the picture shows across each edge of the grid.

    Parameters
    ----------
    upright : (rows, columns + 1, px) float64
        Steps of colour across the upright edges, from half a cell before each to half a cell behind.
    level : (rows + 1, columns, px) float64
        The same across the level ones.
    kinds : (n,) int64
        Of `EDGE_KINDS`, the upright edges first.
    tile_weight : float
        How much edges beside tiles count.
    parallax : float
        Cells by which tiles may all appear shifted.
    """

    upright: Floats
    level: Floats
    kinds: NDArray[np.int64]
    tile_weight: float
    parallax: float

    @classmethod
    def of(cls, views: Views, matrix: Matrix, pattern: Pattern, lying: Lying) -> SeenEdges:
        """What a picture shows.

        Parameters
        ----------
        views : Views
            The picture.
        matrix : (3, 3) float64
            From the grid to the picture.
        pattern : Pattern
            The layout as it lies in the grid.
        lying : Lying
            The squares on which something lies.
        """
        rows, columns = pattern.rows, pattern.columns
        upright, level = profiles(views, matrix, rows, columns, _EDGE_CELL_PX)
        kinds_x = _edge_kinds(pattern.classes, lying.squares)
        kinds_y = _edge_kinds(pattern.classes.T, lying.squares.T).T
        return cls(
            upright=upright,
            level=level,
            kinds=np.concatenate([kinds_x.ravel(), kinds_y.ravel()]),
            tile_weight=_KNOWN_TILE_WEIGHT if lying.known else _TILE_WEIGHT,
            parallax=_LEAST_PARALLAX + _TILE_HEIGHT * _slope(matrix, rows, columns),
        )

    def offsets(self, *, unclear: bool) -> Offsets:
        """How far the picture's lines lie from each edge, where any lies close by.

        Parameters
        ----------
        unclear : bool
            Lines may be blurred: look a little farther and less closely.
        """
        rows, columns = len(self.upright), self.level.shape[1]
        offset_x, clear_x = _peak_offsets(self.upright, unclear)
        offset_y, clear_y = _peak_offsets(self.level, unclear)
        clear = np.concatenate([clear_x.ravel(), clear_y.ravel()])
        return Offsets(
            places=_edge_places(rows, columns),
            cells=np.concatenate([offset_x.ravel(), offset_y.ravel()]),
            along_x=np.arange(len(self.kinds)) < offset_x.size,
            weights=clear * np.where(self.kinds == BY_TILE, self.tile_weight, 1.0),
            kinds=self.kinds,
            parallax=self.parallax,
        )


@functools.lru_cache(maxsize=8)
def _edge_places(rows: int, columns: int) -> Floats:
    """(n, 2) the middle of each edge in cells, the upright ones first."""
    row, column = np.mgrid[:rows, : columns + 1]
    upright = np.stack([column, row + 0.5], axis=-1).reshape(-1, 2)
    row, column = np.mgrid[: rows + 1, :columns]
    level = np.stack([column + 0.5, row], axis=-1).reshape(-1, 2)
    return np.concatenate([upright, level])


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
