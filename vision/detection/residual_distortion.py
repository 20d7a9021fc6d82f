"""How far a board's lines still bow or break beside a found grid, of which a projection can only be straight."""

from __future__ import annotations

import enum
import functools
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from scoring import Layout
from vision.core import Grid, freeze, invert_matrix, project_points
from vision.detection.features import ImagePyramid, LayoutClasses
from vision.detection.fitting import (
    BY_TILE,
    DEVIATION,
    OcclusionMask,
    Offsets,
    SeenEdges,
    edge_moves,
    edge_places,
    settled,
)

__all__ = ["DistortionKind", "ResidualDistortion", "measure_residual_distortion"]

_MIN_SURE = 0.03
"""Cells: standard error of the deviation, above which too few lines show to tell."""

_FEWEST = 40
"""Edges that must be seen, of 480: four for each number that is fitted to them, nearly."""

_WITHIN = 0.1
"""Cells beside a form, from where on an edge says no more against it."""

_TELLING = 0.1
"""Cells of bow that are told."""

_LIKELY_CELLS = 0.3
"""Standard deviation of what bows and breaks are expected before anything is seen."""

_ALMOST = 1e-3
"""Step of a derivative, as a share of the bow that it is taken of."""

Floats = NDArray[np.float64]


class DistortionKind(enum.StrEnum):
    """What the deviation looks like."""

    LENS = "lens"
    FOLD = "fold"


@dataclass(frozen=True, slots=True, kw_only=True)
class ResidualDistortion:
    """How far the board's lines lie off the straight grid that fits them best.

    Parameters
    ----------
    cells : float
        Largest deviation of any line, across it, in cells.
    deviation_cells : float
        Standard error of that.
    kind : BowKind
        Which form explains the lines better.
    """

    cells: float
    deviation_cells: float
    kind: DistortionKind

    @property
    def remark(self) -> str:
        """What to do about a bow that puts squares off their places; empty for a slight one."""
        if self.cells < _TELLING:
            return ""
        if self.kind is DistortionKind.FOLD:
            return f"the board's lines break by {self.cells:.2f} of a square: press it flat along its fold"
        return (
            f"the board's lines bow by {self.cells:.2f} of a square: a profile of the lens "
            "(tilesight calibrate lens) straightens them"
        )


def measure_residual_distortion(
    views: ImagePyramid, grid: Grid, layout: Layout, hidden: NDArray[np.bool_]
) -> ResidualDistortion | None:
    """The bow of a found board's lines, by those edges that nothing hides; None where too few show to tell.

    Parameters
    ----------
    views : Views
        The picture.
    grid : Grid
        Where the board was found.
    layout : Layout
        The board's premium squares.
    hidden : (rows, columns) bool
        Squares of the grid on which something lies: tiles stand above the board, and their edges are not its lines.
    """
    matrix = grid.image_from_grid.matrix
    seen = SeenEdges.of(
        views, matrix, LayoutClasses.from_layout(layout), OcclusionMask(squares=hidden, known=True)
    )
    bare = seen.kinds != BY_TILE
    for unclear in (False, True):
        offsets = seen.offsets(unclear=unclear)
        if (offsets.weights[bare] > 0).sum() < _FEWEST:
            continue
        bow = _best(offsets, bare, views.size_px, grid)
        if bow.deviation_cells < _MIN_SURE:
            return bow
    return None


def _only(offsets: Offsets, chosen: NDArray[np.bool_]) -> Offsets:
    """Those of the offsets that are chosen."""
    return replace(
        offsets,
        places=offsets.places[chosen],
        cells=offsets.cells[chosen],
        along_x=offsets.along_x[chosen],
        weights=offsets.weights[chosen],
        moves=None if offsets.moves is None else offsets.moves[chosen],
        kinds=None if offsets.kinds is None else offsets.kinds[chosen],
    )


def _best(
    offsets: Offsets, bare: NDArray[np.bool_], size_px: tuple[int, int], grid: Grid
) -> ResidualDistortion:
    """The bow, of all lines, by the form that leaves least of the offsets of the bare ones."""
    straight = edge_moves(grid.rows, grid.columns)
    seen = _only(offsets, bare)

    def explained_by(kind: DistortionKind, form: Floats) -> tuple[float, ResidualDistortion]:
        numbers, covariance, cost = _explained(seen, straight[bare], form[bare])
        bent = form @ numbers
        farthest = form[np.abs(bent).argmax()]
        bow = ResidualDistortion(
            cells=float(np.abs(bent).max()),
            deviation_cells=float(farthest @ covariance @ farthest) ** 0.5,
            kind=kind,
        )
        return cost, bow

    sides = (grid.columns, grid.rows)
    bends = _lens_forms(size_px, grid, offsets.places)
    lens = explained_by(DistortionKind.LENS, _across(bends, grid.rows, grid.columns))
    folds = [
        explained_by(DistortionKind.FOLD, _fold_forms(axis, side / 2, grid.rows, grid.columns))
        for axis, side in enumerate(sides)
    ]
    axis = int(folds[1][0] < folds[0][0])
    if folds[axis][0] < lens[0]:  # boards fold along a line next to the middle, if not through it
        folds += [
            explained_by(DistortionKind.FOLD, _fold_forms(axis, hinge, grid.rows, grid.columns))
            for hinge in {sides[axis] // 2, (sides[axis] + 1) // 2} - {sides[axis] / 2}
        ]
    return min([lens, *folds], key=lambda tried: tried[0])[1]


def _explained(seen: Offsets, straight: Floats, form: Floats) -> tuple[Floats, Floats, float]:
    """The numbers of the form that explain the offsets beside a projection, their covariance, and what is left."""
    size = straight.shape[1]
    system = np.hstack([straight, form])
    known = np.diag(np.repeat([1e-4, _LIKELY_CELLS**-2], [size, form.shape[1]]))
    numbers, normal, used = settled(system, seen, known, np.zeros(len(known)))
    left = seen.cells - system @ numbers
    scatter = float((used * left**2).sum()) / max(float(used.sum()), 1e-9) / DEVIATION**2
    covariance = np.asarray(scatter * np.linalg.inv(normal)[size:, size:], dtype=np.float64)
    cost = float((seen.weights * np.minimum(np.abs(left), _WITHIN) ** 2).sum())
    return numbers[size:], covariance, cost


def _lens_forms(size_px: tuple[int, int], grid: Grid, places: Floats) -> Floats:
    """A lens's first radial term about the picture's middle, and how it changes if its axis lies elsewhere."""
    height, width = size_px
    matrix = grid.image_from_grid.matrix
    seen_px = project_points(matrix, places)
    from_axis = (seen_px - np.array([width - 1, height - 1]) / 2) / (np.hypot(width, height) / 2)
    square = np.square(from_axis).sum(axis=1, keepdims=True)
    bends = (from_axis * square, np.hstack([square, 0 * square]), np.hstack([0 * square, square]))
    step_px = _ALMOST * np.hypot(width, height) / 2
    back = invert_matrix(matrix)
    moved = [(project_points(back, seen_px + step_px * bend) - places) / _ALMOST for bend in bends]
    return _evened(np.stack(moved, axis=1))


@functools.lru_cache(maxsize=64)
def _fold_forms(axis: int, hinge: float, rows: int, columns: int) -> Floats:
    """(n, 3) how both halves, tilted about a line, move each edge.

    What rises moves one way, and the more the farther from below the camera.
    """
    places = edge_places(rows, columns)[0]
    scale = max(rows, columns) / 2
    raised = np.abs(places[:, axis] - hinge)[:, None] / scale
    from_middle = (places - np.array([columns, rows]) / 2) / scale
    nil = np.zeros_like(raised)
    forms = np.stack([np.hstack([raised, nil]), np.hstack([nil, raised]), raised * from_middle], axis=1)
    return freeze(_across(_evened(forms), rows, columns), (None, 3), np.float64, "forms")


@functools.lru_cache(maxsize=8)
def _straight_numbers(rows: int, columns: int) -> Floats:
    """(8, n) by which numbers a projection explains best what moves the edges."""
    return freeze(np.linalg.pinv(edge_moves(rows, columns)), (8, None), np.float64, "numbers")


def _across(forms: Floats, rows: int, columns: int) -> Floats:
    """(n, forms) what (n, forms, 2) moves do across each edge, without what a projection would do as well."""
    along_x = edge_places(rows, columns)[1]
    form = np.where(along_x[:, None], forms[:, :, 0], forms[:, :, 1])
    straight = edge_moves(rows, columns)
    return np.asarray(form - straight @ (_straight_numbers(rows, columns) @ form))


def _evened(forms: Floats) -> Floats:
    """The forms, each moving the farthest place by one cell."""
    farthest = np.abs(forms).max(axis=(0, 2), keepdims=True)
    return np.asarray(forms / np.maximum(farthest, 1e-9))
