"""Fit of the grid by its lines and its coloured squares together, and how sure its corners then are."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vision.locating.looking import Look, Subject
from vision.locating.offsets import agreement, explained
from vision.locating.pattern import Pattern
from vision.locating.refining import on_lines
from vision.locating.small_projections import basis
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
    subject = Subject(views=views, pattern=pattern, hidden=hidden)
    found = _settled(Look.at(subject, image_from_grid, colours=True), unclear=True)
    if found is None:
        return None
    wide, narrow = _agreements(found)
    unclear = narrow < wide - _AS_WELL
    if max(narrow, wide) > _LINES_DECIDE:
        exact = on_lines(found.without_colours(), unclear=unclear)
        corners = _corners(pattern)
        moved = projected(inverted(found.image_from_grid) @ exact, corners) - corners
        if np.abs(moved).max() < _SAME_LINES:
            return JointFit(image_from_grid=exact, spread=_spread(found))
    ended = found if unclear else _settled(found, unclear=False)
    return None if ended is None else JointFit(image_from_grid=ended.image_from_grid, spread=_spread(ended))


def _agreements(look: Look) -> tuple[float, float]:
    """How many of the lines agree with a fit, by a wide and by a close look."""
    rows, columns = look.subject.pattern.rows, look.subject.pattern.columns
    shares = []
    for unclear in (True, False):
        offsets = look.edges.offsets(unclear=unclear, near=look.numbers)
        shares.append(agreement(offsets, explained(offsets, rows, columns, look.pull)[0], rows, columns))
    return shares[0], shares[1]


def _settled(look: Look, *, unclear: bool) -> Look | None:
    """Where repeated corrections by lines and colours end; None where they lead far away."""
    for _ in range(_ROUNDS):
        look = look.corrected(unclear=unclear)
        if look.moved > _MOST:
            return None
        if look.settled:
            break
    return look


def _spread(look: Look) -> float:
    """Standard deviation, in cells, of the corner that is held worst."""
    ways = basis(_corners(look.subject.pattern), look.subject.pattern.rows, look.subject.pattern.columns)
    variance = max(float(np.einsum("ij,jk,ik->i", way, look.covariance, way).max()) for way in ways)
    return float(np.sqrt(variance))


def _corners(pattern: Pattern) -> Floats:
    rows, columns = pattern.rows, pattern.columns
    return np.array([[0, 0], [columns, 0], [columns, rows], [0, rows]], dtype=np.float64)
