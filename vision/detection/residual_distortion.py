"""Residual distortion: how far a board's lines are bent by the lens, or broken at a fold, relative to a found grid."""

from __future__ import annotations

import enum
import functools
from dataclasses import dataclass, replace

import numpy as np

from scoring import Layout
from vision.core import Floats, Grid, Mask, freeze, invert_matrix, project_points
from vision.detection.features import ImagePyramid, LayoutClasses
from vision.detection.fitting import (
    ROBUST_FIT_SETTINGS,
    EdgeKind,
    EdgeMeasurements,
    EdgeOffsets,
    GaussianPrior,
    OcclusionMask,
    edge_centres,
    edge_jacobian,
    solve_irls,
)

__all__ = ["DistortionKind", "OpticalAxis", "ResidualDistortion", "measure_residual_distortion"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ResidualDistortionSettings:
    """Parameters of the measurement; lengths in cells. Values without a source are chosen."""

    max_std: float = 0.03
    """Standard error of the deviation from which too few lines show."""
    min_edges: int = 40
    """Edges that must be seen, of 480: nearly four for each fitted parameter."""
    max_residual: float = 0.1
    """Residual from which an edge says no more against a model."""
    min_reported: float = 0.1
    """Deviation that is reported to the user."""
    expected_std: float = 0.3
    """Standard deviation of the distortion before anything is measured."""
    derivative_step: float = 1e-3
    """Step of the numerical derivative, as a share of the distortion."""


SETTINGS = ResidualDistortionSettings()


class DistortionKind(enum.StrEnum):
    """The model that explains the deviation."""

    LENS = "lens"
    FOLD = "fold"


@dataclass(frozen=True, slots=True, kw_only=True)
class ResidualDistortion:
    """How far the board's lines deviate from the straight grid that fits them best.

    Parameters
    ----------
    deviation_cells : float
        Largest deviation of any line, across it, in cells.
    std_cells : float
        Standard error of that deviation.
    lens : (k1, p1, p2) or None
        Coefficients of the lens that explains it, in OpenCV's convention, for the given optical axis; None where a fold
        explains the lines better.
    """

    deviation_cells: float
    std_cells: float
    lens: tuple[float, float, float] | None

    @property
    def kind(self) -> DistortionKind:
        """Which model explains the lines better."""
        return DistortionKind.FOLD if self.lens is None else DistortionKind.LENS

    @property
    def is_reported(self) -> bool:
        """Whether it moves squares so far that it is reported to the user."""
        return self.deviation_cells >= SETTINGS.min_reported

    @property
    def remark(self) -> str:
        """Advice to the user on a distortion that moves squares; empty for a slight one."""
        if not self.is_reported:
            return ""
        if self.kind is DistortionKind.FOLD:
            return f"the board's lines break by {self.deviation_cells:.2f} of a square; press it flat along its fold"
        return (
            f"the board's lines bow by {self.deviation_cells:.2f} of a square; a profile of the lens "
            "(tilesight calibrate lens) straightens them"
        )


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class OpticalAxis:
    """Where the axis of a lens meets an image, and the scale of its rays.

    Parameters
    ----------
    centre_px : (2,) float64
        The point, (x, y).
    focal_px : float
        Pixels between rays whose x / z differ by one.
    """

    centre_px: Floats
    focal_px: float

    @classmethod
    def of_image(cls, size_px: tuple[int, int]) -> OpticalAxis:
        """Return the axis through the middle of an image (width, height), with a focal length of half its diagonal."""
        width, height = size_px
        return cls(
            centre_px=np.array([width - 1, height - 1]) / 2, focal_px=float(np.hypot(width, height)) / 2
        )


def measure_residual_distortion(
    pyramid: ImagePyramid, grid: Grid, layout: Layout, occluded: Mask, optical_axis: OpticalAxis | None = None
) -> ResidualDistortion | None:
    """Measure the residual distortion of a found board by the edges that nothing covers.

    Parameters
    ----------
    pyramid : ImagePyramid
        The image.
    grid : Grid
        Where the board was found.
    layout : Layout
        The board's premium squares.
    occluded : (rows, columns) bool
        Covered squares of the grid. Tiles are higher than the board, so that their edges are not its lines.
    optical_axis : OpticalAxis, optional
        The lens's axis; by default that of the image.

    Returns
    -------
    ResidualDistortion or None
        None where too few edges show.
    """
    edges = EdgeMeasurements.of(
        pyramid,
        grid.image_from_grid.matrix,
        LayoutClasses.from_layout(layout),
        OcclusionMask(squares=occluded, is_known=True),
    )
    is_bare = edges.kinds != EdgeKind.BY_TILE
    optical_axis = optical_axis or OpticalAxis.of_image(pyramid.size_px)
    for is_blurred in (False, True):
        offsets = edges.offsets(is_blurred=is_blurred)
        if (offsets.weights[is_bare] > 0).sum() < SETTINGS.min_edges:
            continue
        distortion = _fit_best_model(_select(offsets, is_bare), is_bare, optical_axis, grid)
        if distortion.std_cells < SETTINGS.max_std:
            return distortion
    return None


def _select(offsets: EdgeOffsets, mask: Mask) -> EdgeOffsets:
    return replace(
        offsets,
        cells=offsets.cells[mask],
        is_vertical=offsets.is_vertical[mask],
        weights=offsets.weights[mask],
        jacobian=offsets.jacobian[mask],
        kinds=None if offsets.kinds is None else offsets.kinds[mask],
    )


def _fit_best_model(
    offsets: EdgeOffsets, is_bare: Mask, optical_axis: OpticalAxis, grid: Grid
) -> ResidualDistortion:
    """Fit lens and fold models to the bare edges, and return the one with the smallest residual.

    The deviation is that of all edges.
    """

    def fit(model: Floats, scale: Floats | None = None) -> tuple[float, ResidualDistortion]:
        params, covariance, cost = _fit_model(offsets, model[is_bare])
        bent = model @ params
        lens = None
        if scale is not None:
            k1, p2, p1 = (params / scale).tolist()
            lens = (k1, p1, p2)
        farthest = model[np.abs(bent).argmax()]
        distortion = ResidualDistortion(
            deviation_cells=float(np.abs(bent).max()),
            std_cells=float(farthest @ covariance @ farthest) ** 0.5,
            lens=lens,
        )
        return cost, distortion

    def fit_fold(axis: int, fold_line: float) -> tuple[float, ResidualDistortion]:
        return fit(_fold_model(axis, fold_line, grid.rows, grid.columns))

    sides = (grid.columns, grid.rows)
    lens = fit(*_lens_model(optical_axis, grid))
    folds = [fit_fold(axis, side / 2) for axis, side in enumerate(sides)]
    axis = int(folds[1][0] < folds[0][0])
    if folds[axis][0] < lens[0]:  # boards fold along a line next to the middle, if not through it
        lines = {sides[axis] // 2, (sides[axis] + 1) // 2} - {sides[axis] / 2}
        folds += [fit_fold(axis, line) for line in lines]
    return min([lens, *folds], key=lambda result: result[0])[1]


def _fit_model(offsets: EdgeOffsets, model: Floats) -> tuple[Floats, Floats, float]:
    """Fit the parameters of a model, next to a correction of the grid.

    Parameters
    ----------
    offsets : EdgeOffsets
        Of n edges.
    model : (n, k) float64
        How far each parameter moves each edge across itself.

    Returns
    -------
    params : (k,) float64
    covariance : (k, k) float64
    cost : float
        Weighted sum of limited squared residuals.
    """
    size = offsets.jacobian.shape[1]
    system = np.hstack([offsets.jacobian, model])
    information = np.diag(
        np.repeat([ROBUST_FIT_SETTINGS.regularization, SETTINGS.expected_std**-2], [size, model.shape[1]])
    )
    prior = GaussianPrior(information, np.zeros(len(information)))
    params, posterior, weights = solve_irls(system, offsets, prior)
    residual = offsets.cells - system @ params
    variance = float((weights * residual**2).sum()) / max(float(weights.sum()), 1e-9)
    scatter = variance / ROBUST_FIT_SETTINGS.edge_std**2
    covariance = np.asarray(scatter * np.linalg.inv(posterior)[size:, size:], dtype=np.float64)
    limited = np.minimum(np.abs(residual), SETTINGS.max_residual)
    return params[size:], covariance, float((offsets.weights * limited**2).sum())


def _lens_model(optical_axis: OpticalAxis, grid: Grid) -> tuple[Floats, Floats]:
    """(n, 3) how k1, p2 and p1 of a lens move each edge, and (3,) by how many cells they move the farthest one.

    With a correction of the grid p1 and p2 are the same as another place of the optical axis.
    """
    matrix, centres = grid.image_from_grid.matrix, edge_centres(grid.rows, grid.columns)[0]
    centres_px = project_points(matrix, centres)
    rays = (centres_px - optical_axis.centre_px) / optical_axis.focal_px
    square = np.square(rays).sum(axis=1, keepdims=True)
    terms = (rays * square, np.hstack([square, 0 * square]), np.hstack([0 * square, square]))
    step_px = SETTINGS.derivative_step * optical_axis.focal_px
    grid_from_image = invert_matrix(matrix)
    moved = [
        (project_points(grid_from_image, centres_px + step_px * term) - centres) / SETTINGS.derivative_step
        for term in terms
    ]
    moves, scale = _normalize(np.stack(moved, axis=1))
    return _across_edges(moves, grid.rows, grid.columns), scale


@functools.lru_cache(maxsize=64)
def _fold_model(axis: int, fold_line: float, rows: int, columns: int) -> Floats:
    """(n, 3) how both halves of a board, tilted about a line, move each edge.

    What rises is shifted in one direction, the more the farther it is from the point below the camera.
    """
    centres = edge_centres(rows, columns)[0]
    scale = max(rows, columns) / 2
    height = np.abs(centres[:, axis] - fold_line)[:, None] / scale
    from_centre = (centres - np.array([columns, rows]) / 2) / scale
    zero = np.zeros_like(height)
    moves = np.stack([np.hstack([height, zero]), np.hstack([zero, height]), height * from_centre], axis=1)
    model = _across_edges(_normalize(moves)[0], rows, columns)
    return freeze(model, (None, 3), np.float64, "model")


@functools.lru_cache(maxsize=8)
def _increment_from_offsets(rows: int, columns: int) -> Floats:
    """(8, n) matrix that fits a correction of the grid to offsets of the edges."""
    return freeze(np.linalg.pinv(edge_jacobian(rows, columns)), (8, None), np.float64, "matrix")


def _across_edges(moves: Floats, rows: int, columns: int) -> Floats:
    """(n, k) part of (n, k, 2) moves across each edge, without what a correction of the grid would do as well."""
    is_vertical = edge_centres(rows, columns)[1]
    model = np.where(is_vertical[:, None], moves[:, :, 0], moves[:, :, 1])
    return np.asarray(model - edge_jacobian(rows, columns) @ (_increment_from_offsets(rows, columns) @ model))


def _normalize(moves: Floats) -> tuple[Floats, Floats]:
    """Scale (n, k, 2) moves so that each moves the farthest edge by one cell; also return by how far it did, (k,)."""
    farthest = np.maximum(np.abs(moves).max(axis=(0, 2)), 1e-9)
    return moves / farthest[:, None], farthest
