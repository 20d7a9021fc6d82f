"""Fit of the grid by its lines and its coloured squares together, and how sure its corners then are."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vision.locating.offsets import explained
from vision.locating.pattern import Pattern
from vision.locating.refining import edge_offsets
from vision.locating.registering import colour_pull
from vision.locating.small_projections import basis, projection
from vision.locating.views import Views

__all__ = ["JointFit", "fitted_jointly"]

_ROUNDS = 8
_SETTLED = 0.008
"""Of the eight numbers, which at 1 move a corner by a cell."""

_MOST = 1.0
"""A correction of more is no small one."""

Floats = NDArray[np.float64]


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


def fitted_jointly(views: Views, image_from_grid: Floats, pattern: Pattern) -> JointFit | None:
    """The projection that lines and colours agree on; None where they lead far away.

    Parameters
    ----------
    views : Views
        The picture.
    image_from_grid : (3, 3) float64
        A projection that is off by less than about 0.4 cell.
    pattern : Pattern
        The layout as it lies in the grid.
    """
    rows, columns = pattern.rows, pattern.columns
    corners = np.array([[0, 0], [columns, 0], [columns, rows], [0, rows]], dtype=np.float64)
    along_x, along_y = basis(corners, rows, columns)
    matrix, spread = image_from_grid, 0.0
    for _ in range(_ROUNDS):
        pull = colour_pull(views, matrix, pattern)
        offsets = edge_offsets(views, matrix, pattern, unclear=True)
        numbers, covariance = explained(offsets, rows, columns, pull)
        if np.abs(numbers).max() > _MOST:
            return None
        matrix = matrix @ projection(numbers, rows, columns)
        spread = max(
            float(np.einsum("ij,jk,ik->i", way, covariance, way).max()) for way in (along_x, along_y)
        )
        if np.abs(numbers).max() < _SETTLED:
            break
    return JointFit(image_from_grid=matrix, spread=spread**0.5)
