"""Projections of the grid that are close to the identity, as eight numbers that offsets depend on linearly.

Offsets of the grid's edges from the picture's lines, and the small projection that explains them robustly.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vision.core import invert_matrix, median

__all__ = [
    "ALIKE",
    "BY_TILE",
    "DEVIATION",
    "EDGE_KINDS",
    "RIM",
    "UNLIKE",
    "GaussianPrior",
    "Offsets",
    "agreement",
    "basis",
    "explained",
    "projection",
    "settled",
]

Floats = NDArray[np.float64]


def basis(places: Floats, rows: int, columns: int) -> tuple[Floats, Floats]:
    """How far each of the eight numbers moves each place, in cells along x and along y.

    Parameters
    ----------
    places : (n, 2) float64
        Places on the grid, in cells.
    rows, columns : int
        Size of the grid.

    Returns
    -------
    along_x, along_y : (n, 8) float64
        ``along_x @ numbers`` is the offset along x: to first order, that of `projection`.
    """
    centre, scale = _frame(rows, columns)
    x, y = ((places - centre) / scale).T
    one, nil = np.ones_like(x), np.zeros_like(x)
    along_x = np.stack([one, x, y, nil, nil, nil, x * x, x * y], axis=1)
    along_y = np.stack([nil, nil, nil, one, x, y, x * y, y * y], axis=1)
    return along_x, along_y


def projection(numbers: Floats, rows: int, columns: int) -> Floats:
    """(3, 3) the projection of the grid that eight numbers stand for."""
    centre, scale = _frame(rows, columns)
    p = numbers / scale
    small = np.array([[1 + p[1], p[2], p[0]], [p[4], 1 + p[5], p[3]], [-p[6], -p[7], 1.0]])
    normal = np.array([[1 / scale, 0, -centre[0] / scale], [0, 1 / scale, -centre[1] / scale], [0, 0, 1]])
    return np.asarray(invert_matrix(normal) @ small @ normal)


def _frame(rows: int, columns: int) -> tuple[Floats, float]:
    # The middle is zero and the border about one, so that the eight numbers are of one size.
    return np.array([columns, rows]) / 2, max(rows, columns) / 2


EDGE_KINDS = (BY_TILE, ALIKE, UNLIKE, RIM) = (0, 1, 2, 3)
"""What an edge lies between: a tile and anything, two squares printed alike or not, the grid and its rim."""

_AGREES_WITHIN = 0.06
_BY_CHANCE = 0.3
"""Cells, and the share of peaks anywhere within reach that lie so near to any place."""

DEVIATION = 0.06
"""Cells by which a clear edge is found beside its true place."""

_AT_FIRST = 0.05
"""Weight of all edges while it is not known which kinds of them agree with the colours."""

_TUKEY_TUNING = 4.685
"""Keeps 95% efficiency for normal errors: Beaton and Tukey 1974."""

_MIN_SCALE = 0.01
_TUKEY_ROUNDS, _STILL = 6, 1e-4
"""Rounds at most, and the change of the numbers, in cells, below which another one would change nothing."""


@dataclass(frozen=True, slots=True, eq=False)
class Offsets:
    """Where the picture's lines lie beside the grid's.

    Parameters
    ----------
    places : (n, 2) float64
        Where on the grid each offset was measured.
    cells : (n,) float64
        How far, in cells, the picture's line lies from there.
    along_x : (n,) bool
        Whether the offset was measured along x, else along y.
    weights : (n,) float64
        How much each is trusted, 0 to 1.
    kinds : (n,) int64, optional
        Of `EDGE_KINDS`: a kind whose edges agree no more than by chance counts little.
    parallax : float
        Cells by which tiles, which stand above the board, may all appear shifted.
    moves : (n, 8) float64, optional
        What `across` would say of them, where that is known.
    """

    places: Floats
    cells: Floats
    along_x: NDArray[np.bool_]
    weights: Floats
    kinds: NDArray[np.int64] | None = None
    parallax: float = 0.0
    moves: Floats | None = None

    def across(self, rows: int, columns: int) -> Floats:
        """(n, 8) by how much each of the numbers of a small projection moves each place the way it was measured."""
        if self.moves is not None:
            return self.moves
        return np.where(self.along_x[:, None], *basis(self.places, rows, columns))


@dataclass(frozen=True, slots=True, eq=False)
class GaussianPrior:
    """What another witness says of the same eight numbers: a quadratic whose minimum is ``normal^-1 @ towards``.

    Parameters
    ----------
    normal : (8, 8) float64
        Inverse of the numbers' covariance.
    towards : (8,) float64
        The normal matrix times the numbers that it would choose.
    """

    normal: Floats
    towards: Floats


def explained(
    offsets: Offsets, rows: int, columns: int, pull: GaussianPrior | None = None
) -> tuple[Floats, Floats]:
    """The numbers of the small projection that explain the offsets, by iterated Tukey weights.

    Parameters
    ----------
    offsets : Offsets
        As measured.
    rows, columns : int
        Size of the grid.
    pull : Pull, optional
        Another witness, which also helps to tell which edges are the board's.

    Returns
    -------
    numbers : (8,) float64
        For `small_projections.projection`.
    covariance : (8, 8) float64
        How sure they are.
    """
    system = offsets.across(rows, columns)
    size = system.shape[1]
    if offsets.kinds is not None and offsets.parallax > 0:
        # Seen from the side, faces shift one way, and the more the farther from below the camera they lie.
        by_tile = (offsets.kinds == BY_TILE)[:, None]
        faces = np.where(offsets.along_x[:, None], system[:, [0, 3, 1]], system[:, [0, 3, 5]])
        system = np.concatenate([system, by_tile * faces], axis=1)
    normal_before = 1e-4 * np.eye(system.shape[1])
    normal_before[size:, size:] = np.eye(system.shape[1] - size) / max(offsets.parallax, 1e-3) ** 2
    towards_before = np.zeros(system.shape[1])
    if pull is not None:
        normal_before[:size, :size] += pull.normal
        towards_before[:size] = pull.towards
    numbers, normal, _ = settled(
        system, offsets, normal_before, towards_before, first_share=1.0 if pull is None else _AT_FIRST
    )
    covariance = np.linalg.inv(normal)[:size, :size]
    return numbers[:size], np.asarray(covariance, dtype=np.float64)


def settled(
    system: Floats, offsets: Offsets, normal_before: Floats, towards_before: Floats, first_share: float = 1.0
) -> tuple[Floats, Floats, Floats]:
    """The numbers by which a linear form explains the offsets, by iterated Tukey weights.

    Parameters
    ----------
    system : (n, m) float64
        By how much each number moves each offset, in cells.
    offsets : Offsets
        As measured.
    normal_before : (m, m) float64
        Normal matrix of what is known of the numbers before.
    towards_before : (m,) float64
        That matrix times the numbers that it would choose.
    first_share : float
        Weight of all offsets in the first round.

    Returns
    -------
    numbers : (m,) float64
    normal : (m, m) float64
        Inverse of their covariance.
    used : (n,) float64
        How much each offset counted in the end.
    """
    # What has no weight is left out of the rounds: blurred and covered edges are many.
    seen = np.flatnonzero(offsets.weights > 0)
    weights, cells, moves = offsets.weights[seen], offsets.cells[seen], system[seen]
    known = normal_before * DEVIATION**2
    wanted = towards_before * DEVIATION**2
    used = first_share * weights
    numbers: Floats = np.zeros(system.shape[1])
    normal: Floats = known
    for turn in range(_TUKEY_ROUNDS):
        weighted = (moves * used[:, None]).T
        normal = weighted @ moves + known
        before, numbers = numbers, np.asarray(np.linalg.solve(normal, weighted @ cells + wanted), np.float64)
        if turn > 1 and np.abs(numbers - before).max() < _STILL:
            break
        residual = np.abs(cells - moves @ numbers)
        if offsets.kinds is not None and turn == 0:
            weights = weights * _trust(offsets.kinds, seen, residual)
        spread = float(median(residual)) if len(residual) else 0.0
        limit = _TUKEY_TUNING * max(1.4826 * spread, _MIN_SCALE)
        used = weights * np.square(np.maximum(1 - np.square(residual / limit), 0.0))
    counted = np.zeros(len(system))
    counted[seen] = used
    return numbers, np.asarray(normal / DEVIATION**2, dtype=np.float64), counted


def agreement(offsets: Offsets, numbers: Floats, rows: int, columns: int) -> float:
    """The share of edges beside no tile whose lines lie where a small projection puts them, 0 to 1.

    Parameters
    ----------
    offsets : Offsets
        As measured.
    numbers : (8,) float64
        Of the small projection.
    rows, columns : int
        Size of the grid.
    """
    residual = offsets.cells - offsets.across(rows, columns) @ numbers
    beside = np.ones(len(residual), dtype=bool) if offsets.kinds is None else offsets.kinds != BY_TILE
    agree = beside & (offsets.weights > 0) & (np.abs(residual) < _AGREES_WITHIN)
    return float(agree.sum() / max(int(beside.sum()), 1))


def _trust(kinds: NDArray[np.int64], seen: NDArray[np.int64], residual: Floats) -> Floats:
    """How much each edge seen counts, by how well those of its kind agree: a board may have no lines, say."""
    members = np.bincount(kinds, minlength=len(EDGE_KINDS))
    agree = np.bincount(kinds[seen[residual < _AGREES_WITHIN]], minlength=len(EDGE_KINDS))
    share = agree / np.maximum(members, 1)
    return np.asarray(np.maximum((share - _BY_CHANCE) / (1 - _BY_CHANCE), 0.1)[kinds[seen]])
