"""Projections of the grid that are close to the identity, as eight numbers that offsets depend on linearly."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from vision.locating.views import inverted

__all__ = ["basis", "projection"]

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
    return np.asarray(inverted(normal) @ small @ normal)


def _frame(rows: int, columns: int) -> tuple[Floats, float]:
    # The middle is zero and the border about one, so that the eight numbers are of one size.
    return np.array([columns, rows]) / 2, max(rows, columns) / 2
