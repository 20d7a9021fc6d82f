"""Fit of the grid by its lines and its coloured squares together, and how sure its corners then are."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vision.locating.offsets import agreement, explained
from vision.locating.pattern import Pattern
from vision.locating.refining import SETTLED, refined
from vision.locating.registering import colour_pull
from vision.locating.seen_edges import Lying, SeenEdges
from vision.locating.small_projections import basis, projection
from vision.locating.views import Views, inverted, projected

__all__ = ["JointFit", "fitted_jointly"]

_ROUNDS = 8

_AS_WELL = 0.05
"""Shares of lines that agree with the fit: sharp lines agree nearly as well, or better, when they are looked at
closely; those of a plastic grid, which has two edges a line, and those that a moving camera doubled do not."""

_LINES_DECIDE = 0.45
"""Share from which lines alone end more exactly than lines and colours."""

_SAME_LINES = 0.3
"""Cells by which a corner then moves at most; else other lines are meant."""

_MOST = 1.0
"""A correction of more is no small one."""

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class JointFit:
    """A fitted grid.

    Parameters
    ----------
    image_from_grid : (3, 3) float64
        From grid coordinates (cells) to image pixels.
    spread : float
        Standard deviation, in cells, of the corner that is held worst.
    """

    image_from_grid: Floats
    spread: float


def fitted_jointly(
    views: Views, image_from_grid: Floats, pattern: Pattern, hidden: Mask | None = None
) -> JointFit | None:
    """The projection that lines and colours agree on; None where they lead far away.

    Parameters
    ----------
    views : Views
        The picture.
    image_from_grid : (3, 3) float64
        A projection that is off by less than about 0.4 cell.
    pattern : Pattern
        The layout as it lies in the grid.
    hidden : (rows, columns) bool, optional
        Squares on which something is known to lie; else their colours must tell.
    """
    found = _settled(views, image_from_grid, pattern, hidden, unclear=True)
    if found is None:
        return None
    wide, narrow = _agreements(views, found.image_from_grid, pattern, hidden)
    unclear = narrow < wide - _AS_WELL
    if max(narrow, wide) > _LINES_DECIDE:
        exact = refined(views, found.image_from_grid, pattern, unclear=unclear, hidden=hidden)
        corners = _corners(pattern)
        moved = projected(inverted(found.image_from_grid) @ exact, corners) - corners
        if np.abs(moved).max() < _SAME_LINES:
            return JointFit(image_from_grid=exact, spread=found.spread)
    return found if unclear else _settled(views, found.image_from_grid, pattern, hidden, unclear=False)


def _agreements(views: Views, matrix: Floats, pattern: Pattern, hidden: Mask | None) -> tuple[float, float]:
    """How many of the lines agree with a fit, by a wide and by a close look."""
    rows, columns = pattern.rows, pattern.columns
    edges = SeenEdges.of(views, matrix, pattern, Lying.on(views, matrix, pattern, hidden))
    pull = colour_pull(views, matrix, pattern, hidden)
    shares = []
    for unclear in (True, False):
        offsets = edges.offsets(unclear=unclear)
        shares.append(agreement(offsets, explained(offsets, rows, columns, pull)[0], rows, columns))
    return shares[0], shares[1]


def _settled(
    views: Views, start: Floats, pattern: Pattern, hidden: Mask | None, *, unclear: bool
) -> JointFit | None:
    """Where repeated joint corrections end; None where they lead far away."""
    rows, columns = pattern.rows, pattern.columns
    along_x, along_y = basis(_corners(pattern), rows, columns)
    matrix, spread = start, 0.0
    lying = Lying.on(views, matrix, pattern, hidden)
    for _ in range(_ROUNDS):
        pull = colour_pull(views, matrix, pattern, hidden)
        offsets = SeenEdges.of(views, matrix, pattern, lying).offsets(unclear=unclear)
        numbers, covariance = explained(offsets, rows, columns, pull)
        if np.abs(numbers).max() > _MOST:
            return None
        matrix = matrix @ projection(numbers, rows, columns)
        spread = max(
            float(np.einsum("ij,jk,ik->i", way, covariance, way).max()) for way in (along_x, along_y)
        )
        moved = float(np.abs(numbers).max())
        if moved < SETTLED:
            break
        lying = lying.after(moved, views, matrix, pattern)
    return JointFit(image_from_grid=matrix, spread=spread**0.5)


def _corners(pattern: Pattern) -> Floats:
    rows, columns = pattern.rows, pattern.columns
    return np.array([[0, 0], [columns, 0], [columns, rows], [0, rows]], dtype=np.float64)
