"""What a picture shows across each edge of the grid, beside bare squares and beside those on which something lies."""

from __future__ import annotations

import functools
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vision.core import freeze, project_points
from vision.detection.features import ImagePyramid, LayoutClasses, cell_colours, edge_profiles, hidden_squares
from vision.detection.fitting.robust_fit import ALIKE, BY_TILE, RIM, UNLIKE, Offsets, basis

__all__ = ["OcclusionMask", "SeenEdges", "edge_moves", "edge_places", "edges_beside", "profiles"]

_MIN_PARALLAX, _TILE_HEIGHT = 0.02, 0.2
"""Cells by which all tiles may seem to lie off from straight above, and how high they stand."""

_EDGE_CELL_PX, _COLOUR_CELL_PX = 20, 10
_EDGE_REACH, _WIDE_REACH = 0.2, 0.3
_EDGE_KERNEL, _WIDE_KERNEL = 0.08, 0.16
"""Standard deviation in cells: a printed line's two sides merge, and so do those of two tiles that touch; the wider
one merges those of a line that a moving camera doubled."""

_TILE_WEIGHT, _KNOWN_TILE_WEIGHT = 0.1, 0.3
"""Tiles lie carelessly and stand above the board; their edges pull by 0.05 cell. Where it is known which they are,
their common shift is told from the board's, and of a full board they are nearly all that shows."""

Matrix = NDArray[np.float64]
Floats = NDArray[np.float64]


def profiles(
    views: ImagePyramid, matrix: Matrix, rows: int, columns: int, cell_px: int
) -> tuple[Floats, Floats]:
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
    rim_px = cell_px // 2 + 1
    rim = rim_px / cell_px
    flat = views.flat(matrix, (-rim, -rim, columns + rim, rows + rim), cell_px)
    upright, level = edge_profiles(flat, cell_px, rim_px)
    return upright.astype(np.float64), level.astype(np.float64)


@dataclass(frozen=True, slots=True, eq=False)
class OcclusionMask:
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
        cls,
        views: ImagePyramid,
        matrix: Matrix,
        pattern: LayoutClasses,
        hidden: NDArray[np.bool_] | None = None,
    ) -> OcclusionMask:
        """What is known to lie on a board, or what the squares' colours let one think."""
        if hidden is not None:
            return cls(squares=hidden, known=True)
        flat = views.flat(matrix, (0, 0, pattern.columns, pattern.rows), _COLOUR_CELL_PX)
        return cls.by_colours(cell_colours(flat, _COLOUR_CELL_PX), pattern)

    @classmethod
    def by_colours(cls, colours: NDArray[np.float32], pattern: LayoutClasses) -> OcclusionMask:
        """What the squares' L*a*b* colours let one think."""
        return cls(squares=hidden_squares(colours, pattern), known=False)


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
    def of(
        cls, views: ImagePyramid, matrix: Matrix, pattern: LayoutClasses, lying: OcclusionMask
    ) -> SeenEdges:
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
            parallax=_MIN_PARALLAX + _TILE_HEIGHT * _slope(matrix, rows, columns),
        )

    def offsets(self, *, unclear: bool, near: Floats | None = None) -> Offsets:
        """How far the picture's lines lie from each edge, where any lies close by.

        Parameters
        ----------
        unclear : bool
            Lines may be blurred: look a little farther and less closely.
        near : (8,) float64, optional
            A small projection of the grid since it was looked at: lines are looked for close to where it puts the
            edges. The offsets still count from where these were.
        """
        rows, columns = len(self.upright), self.level.shape[1]
        places, along_x = edge_places(rows, columns)
        profiles = np.concatenate(
            [self.upright.reshape(-1, _EDGE_CELL_PX), self.level.reshape(-1, _EDGE_CELL_PX)]
        )
        offset, clear = _peak_offsets(
            profiles, unclear, 0.0 if near is None else edge_moves(rows, columns) @ near
        )
        return Offsets(
            places=places,
            cells=offset,
            along_x=along_x,
            weights=clear * np.where(self.kinds == BY_TILE, self.tile_weight, 1.0),
            kinds=self.kinds,
            parallax=self.parallax,
            moves=edge_moves(rows, columns),
        )


@functools.lru_cache(maxsize=8)
def edge_places(rows: int, columns: int) -> tuple[Floats, NDArray[np.bool_]]:
    """The edges of a grid, the upright ones first.

    Returns
    -------
    places : (n, 2) float64
        The middle of each, in cells.
    along_x : (n,) bool
        Whether x runs across it: which are the upright ones.
    """
    row, column = np.mgrid[:rows, : columns + 1]
    upright = np.stack([column, row + 0.5], axis=-1).reshape(-1, 2)
    row, column = np.mgrid[: rows + 1, :columns]
    level = np.stack([column + 0.5, row], axis=-1).reshape(-1, 2)
    places = np.concatenate([upright, level])
    along_x = np.arange(len(places)) < len(upright)
    return freeze(places, (None, 2), np.float64, "places"), freeze(along_x, (None,), np.bool_, "along x")


@functools.lru_cache(maxsize=8)
def edge_moves(rows: int, columns: int) -> Floats:
    """(n, 8) by how much each of the numbers of a small projection moves each edge across itself."""
    places, along_x = edge_places(rows, columns)
    moves = np.where(along_x[:, None], *basis(places, rows, columns))
    return freeze(moves, (None, 8), np.float64, "moves")


def _slope(matrix: Matrix, rows: int, columns: int) -> float:
    """Tangent of the angle from the board's normal under which its middle is seen."""
    around = project_points(matrix, np.array([columns, rows]) / 2 + np.array([[0.0, 0], [0.5, 0], [0, 0.5]]))
    longest, shortest = np.linalg.svd(around[1:] - around[0], compute_uv=False)
    return float(np.sqrt(max((longest / max(shortest, 1e-9)) ** 2 - 1, 0.0)))


def _edge_kinds(classes: NDArray[np.int64], hidden: NDArray[np.bool_]) -> NDArray[np.int64]:
    """(rows, columns + 1) what stands on both sides of each upright edge."""
    rows, columns = classes.shape
    kinds = np.full((rows, columns + 1), RIM, dtype=np.int64)
    kinds[:, 1:-1] = np.where(classes[:, 1:] == classes[:, :-1], ALIKE, UNLIKE)
    kinds[edges_beside(hidden)] = BY_TILE
    return kinds


def edges_beside(hidden: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """(rows, columns + 1) beside which upright edges a hidden square of (rows, columns) lies."""
    rows, columns = hidden.shape
    edges = np.zeros((rows, columns + 1), dtype=bool)
    edges[:, :-1] = hidden
    edges[:, 1:] |= hidden
    return edges


def _peak_offsets(profiles: Floats, unclear: bool, near: Floats | float) -> tuple[Floats, Floats]:
    """How far, in cells, each profile's strongest step near a place lies from its edge; and how clearly, 0 to 1."""
    cell_px = profiles.shape[-1]
    distance = (np.arange(cell_px) - (cell_px - 1) / 2) / cell_px
    kernel, within = (_WIDE_KERNEL, _WIDE_REACH) if unclear else (_EDGE_KERNEL, _EDGE_REACH)
    smooth = profiles @ np.exp(-0.5 * np.square((distance[:, None] - distance) / kernel))
    window = np.where(np.abs(distance - np.asarray(near)[..., None]) < within, smooth, 0.0)
    inner = np.clip(window.argmax(axis=-1), 1, cell_px - 2)
    number = np.arange(len(profiles))
    left, middle, right = (smooth[number, inner + k] for k in (-1, 0, 1))
    bend = left - 2 * middle + right
    vertex = np.divide(0.5 * (left - right), bend, out=np.zeros_like(bend), where=bend < 0)
    offset = distance[inner] + np.clip(vertex, -1, 1) / cell_px
    ordered = np.sort(smooth, axis=-1)
    best, median = ordered[:, -1], (ordered[:, cell_px // 2 - 1] + ordered[:, cell_px // 2]) / 2
    # Clear: the step stands out of its profile, and is a peak and not the flank of something outside.
    contrast = 1 - median / np.maximum(best, 1e-9)
    peak = (bend < 0) & (middle >= left) & (middle >= right) & (middle > 0.6 * best)
    return offset, np.where(peak & (best > 0), np.maximum(contrast, 0.0), 0.0)
