"""Robust fit of small corrections of the grid to measured edge offsets.

A correction is a homography of the grid that is close to the identity. It has eight parameters, on which the offsets
depend linearly to first order.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vision.core import DEVIATION_FROM_MAD, Floats, Mask, Matrix, invert_matrix, median, small_homography

__all__ = [
    "SETTINGS",
    "EdgeKind",
    "EdgeOffsets",
    "GaussianPrior",
    "fit_increment",
    "homography_increment",
    "homography_jacobian",
    "inlier_share",
    "jacobian_across",
    "solve_irls",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class RobustFitSettings:
    """Parameters of the robust fit; lengths in cells. Values without a source are chosen."""

    chance_share: float = 0.3
    """Share of random peaks within reach that are within `edge_std` of any place (2 * 0.06 / 0.4)."""
    edge_std: float = 0.06
    """Standard deviation of the offset of a clear edge, and residual within which an edge agrees with a fit."""
    prior_first_weight: float = 0.05
    """Weight of all edges in the first round next to a prior: which kinds agree with it is not known yet."""
    min_kind_weight: float = 0.1
    """Weight of a kind of edges that agrees no more often than by chance."""
    tukey_tuning: float = 4.685
    """Keeps 95 % efficiency for normal errors: Beaton and Tukey 1974."""
    min_residual_scale: float = 0.01
    """Lower limit of the residuals' standard deviation."""
    max_rounds: int = 6
    """Rounds of reweighting."""
    converged_change: float = 1e-4
    """Change of the parameters below which another round would change nothing."""
    regularization: float = 1e-4
    """Information of each parameter where nothing is measured."""


SETTINGS = RobustFitSettings()


class EdgeKind(enum.IntEnum):
    """What an edge separates."""

    BY_TILE = 0
    """A tile from anything else."""
    SAME_CLASS = 1
    """Two squares that are printed alike."""
    CLASS_BORDER = 2
    """Two squares that are printed differently."""
    GRID_BORDER = 3
    """The grid from its surroundings."""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class EdgeOffsets:
    """Where the image's lines are relative to the grid's edges.

    Parameters
    ----------
    cells : (n,) float64
        Signed distance from each edge to the image's line, across the edge.
    is_vertical : (n,) bool
        Whether the offset was measured along x, else along y.
    weights : (n,) float64
        Confidence of each offset, 0 to 1.
    jacobian : (n, 8) float64
        Derivative of each offset by the parameters of a correction, as `jacobian_across` computes it.
    kinds : (n,) int64, optional
        `EdgeKind` of each edge: a kind whose edges agree no more often than by chance counts little.
    parallax : float
        Expected common shift of the tiles, in cells; they are higher than the board.
    """

    cells: Floats
    is_vertical: Mask
    weights: Floats
    jacobian: Floats
    kinds: NDArray[np.int64] | None = None
    parallax: float = 0.0


@dataclass(frozen=True, slots=True, eq=False)
class GaussianPrior:
    """Prior knowledge of the parameters: a normal distribution with mean ``information^-1 @ information_vector``.

    Parameters
    ----------
    information : (8, 8) float64
        Inverse of the covariance.
    information_vector : (8,) float64
        The information matrix times the mean.
    """

    information: Floats
    information_vector: Floats


def homography_jacobian(points: Floats, rows: int, columns: int) -> tuple[Floats, Floats]:
    """Compute how far each parameter of a correction moves points of the grid.

    Parameters
    ----------
    points : (n, 2) float64
        Points on the grid, in cells.
    rows, columns : int
        Size of the grid.

    Returns
    -------
    along_x, along_y : (n, 8) float64
        ``along_x @ params`` is the shift along x, in cells: to first order, that of `homography_increment`.
    """
    centre, scale = _normalization(rows, columns)
    x, y = ((points - centre) / scale).T
    one, zero = np.ones_like(x), np.zeros_like(x)
    along_x = np.stack([one, x, y, zero, zero, zero, x * x, x * y], axis=1)
    along_y = np.stack([zero, zero, zero, one, x, y, x * y, y * y], axis=1)
    return along_x, along_y


def jacobian_across(points: Floats, is_vertical: Mask, rows: int, columns: int) -> Floats:
    """Compute how far each parameter moves points across the edges that they are on.

    Parameters
    ----------
    points : (n, 2) float64
        Points on edges of the grid, in cells.
    is_vertical : (n,) bool
        Whether the edge is vertical, so that the shift along x counts.
    rows, columns : int
        Size of the grid.

    Returns
    -------
    (n, 8) float64
    """
    return np.where(is_vertical[:, None], *homography_jacobian(points, rows, columns))


def homography_increment(params: Floats, rows: int, columns: int) -> Matrix:
    """Build the homography of a correction, in cells.

    Parameters
    ----------
    params : (8,) float64
        Its parameters; zeros give the identity.
    rows, columns : int
        Size of the grid.
    """
    centre, scale = _normalization(rows, columns)
    small = small_homography(params / scale)
    unit_from_grid = np.array(
        [[1 / scale, 0, -centre[0] / scale], [0, 1 / scale, -centre[1] / scale], [0, 0, 1]]
    )
    return np.asarray(invert_matrix(unit_from_grid) @ small @ unit_from_grid)


def _normalization(rows: int, columns: int) -> tuple[Floats, float]:
    # The centre is zero and the border about one, so that the eight parameters are of one size.
    return np.array([columns, rows]) / 2, max(rows, columns) / 2


def fit_increment(offsets: EdgeOffsets, prior: GaussianPrior | None = None) -> tuple[Floats, Floats]:
    """Fit a correction of the grid to measured offsets, with Tukey weights.

    Parameters
    ----------
    offsets : EdgeOffsets
        The measurements.
    prior : GaussianPrior, optional
        Independent knowledge of the parameters. It also helps to recognise which edges are the board's.

    Returns
    -------
    params : (8,) float64
        For `homography_increment`.
    covariance : (8, 8) float64
        Of the parameters.
    """
    system = offsets.jacobian
    size = system.shape[1]
    if offsets.kinds is not None and offsets.parallax > 0:
        # Seen obliquely, the tiles' faces shift together, the more the farther they are from the point below the
        # camera: three additional parameters, a common shift and a scale.
        by_tile = (offsets.kinds == EdgeKind.BY_TILE)[:, None]
        faces = np.where(offsets.is_vertical[:, None], system[:, [0, 3, 1]], system[:, [0, 3, 5]])
        system = np.concatenate([system, by_tile * faces], axis=1)
    information = SETTINGS.regularization * np.eye(system.shape[1])
    if system.shape[1] > size:
        information[size:, size:] = np.eye(system.shape[1] - size) / offsets.parallax**2
    vector = np.zeros(system.shape[1])
    if prior is not None:
        information[:size, :size] += prior.information
        vector[:size] = prior.information_vector
    first_weight = 1.0 if prior is None else SETTINGS.prior_first_weight
    params, posterior, _ = solve_irls(
        system, offsets, GaussianPrior(information, vector), first_weight=first_weight
    )
    covariance = np.linalg.inv(posterior)[:size, :size]
    return params[:size], np.asarray(covariance, dtype=np.float64)


def solve_irls(
    system: Floats, offsets: EdgeOffsets, prior: GaussianPrior, first_weight: float = 1.0
) -> tuple[Floats, Floats, Floats]:
    """Solve a linear model of the offsets by iteratively reweighted least squares.

    Parameters
    ----------
    system : (n, m) float64
        Derivative of each offset by each parameter, in cells.
    offsets : EdgeOffsets
        The measurements; their jacobian is not used.
    prior : GaussianPrior
        Prior knowledge of the m parameters.
    first_weight : float
        Weight of all offsets in the first round.

    Returns
    -------
    params : (m,) float64
    information : (m, m) float64
        Inverse of their covariance.
    weights : (n,) float64
        Final weight of each offset.
    """
    # Offsets without weight are left out of the rounds: blurred and covered edges are many.
    used = np.flatnonzero(offsets.weights > 0)
    weights, cells, rows = offsets.weights[used], offsets.cells[used], system[used]
    variance = SETTINGS.edge_std**2
    prior_normal, prior_vector = prior.information * variance, prior.information_vector * variance
    current = first_weight * weights
    params: Floats = np.zeros(system.shape[1])
    normal: Floats = prior_normal
    for turn in range(SETTINGS.max_rounds):
        weighted = (rows * current[:, None]).T
        normal = weighted @ rows + prior_normal
        previous, params = (
            params,
            np.asarray(np.linalg.solve(normal, weighted @ cells + prior_vector), np.float64),
        )
        if turn > 1 and np.abs(params - previous).max() < SETTINGS.converged_change:
            break
        residual = np.abs(cells - rows @ params)
        if offsets.kinds is not None and turn == 0:
            weights = weights * _kind_weights(offsets.kinds, used, residual)
        spread = float(median(residual)) if len(residual) else 0.0
        limit = SETTINGS.tukey_tuning * max(DEVIATION_FROM_MAD * spread, SETTINGS.min_residual_scale)
        current = weights * np.square(np.maximum(1 - np.square(residual / limit), 0.0))
    final = np.zeros(len(system))
    final[used] = current
    return params, np.asarray(normal / variance, dtype=np.float64), final


def inlier_share(offsets: EdgeOffsets, params: Floats) -> float:
    """Compute the share of edges next to no tile that agree with a correction, 0 to 1.

    Parameters
    ----------
    offsets : EdgeOffsets
        The measurements.
    params : (8,) float64
        Of the correction.
    """
    residual = offsets.cells - offsets.jacobian @ params
    is_bare = (
        np.ones(len(residual), dtype=bool) if offsets.kinds is None else offsets.kinds != EdgeKind.BY_TILE
    )
    inliers = is_bare & (offsets.weights > 0) & (np.abs(residual) < SETTINGS.edge_std)
    return float(inliers.sum() / max(int(is_bare.sum()), 1))


def _kind_weights(kinds: NDArray[np.int64], used: NDArray[np.int64], residual: Floats) -> Floats:
    """Weight each used edge by how often its kind agrees: a board may have no lines between equal squares, say."""
    members = np.bincount(kinds, minlength=len(EdgeKind))
    inliers = np.bincount(kinds[used[residual < SETTINGS.edge_std]], minlength=len(EdgeKind))
    share = inliers / np.maximum(members, 1)
    chance = SETTINGS.chance_share
    weights = np.maximum((share - chance) / (1 - chance), SETTINGS.min_kind_weight)
    return np.asarray(weights[kinds[used]])
