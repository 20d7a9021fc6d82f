"""Fit of the grid by its coloured squares, for pictures whose lines are blurred, hidden or not printed."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.locating.colours import cell_colours, hidden_squares
from vision.locating.pattern import Pattern
from vision.locating.small_projections import basis, projection
from vision.locating.views import Views

__all__ = ["registered"]

_CELL_PX = 8
_BLUR_PX = 1.0
_LEAST_PREMIUMS = 12
"""Premium squares in view, fewer of which do not hold a plane."""

_LEAST_STEP = 10.0
"""Levels of L*a*b* a pixel, summed over both directions, at the border of two squares' colours."""

_ROUNDS = 5
_SETTLED = 0.004
"""Cells; the labels that this is measured by are good to 0.03."""

_CAUCHY_SCALE = 3.0
"""Of the median residual: print, glare and letters count little."""


def registered(
    views: Views, image_from_grid: NDArray[np.float64], pattern: Pattern
) -> NDArray[np.float64] | None:
    """The projection under which the squares' usual colours, laid out, agree best with the picture.

    Parameters
    ----------
    views : Views
        The picture.
    image_from_grid : (3, 3) float64
        A projection that is off by less than about 0.3 cell.
    pattern : Pattern
        The layout as it lies in the grid.

    Returns
    -------
    (3, 3) float64 or None
        None where too few premium squares are in view.

    References
    ----------
    S. Baker, I. Matthews: Lucas-Kanade 20 years on. IJCV 56(3), 2004; the drawn layout is the template, so
    that its gradients are computed once.
    """
    rows, columns = pattern.rows, pattern.columns
    flat = _flat(views, image_from_grid, rows, columns)
    drawn = _drawn(flat, pattern)
    if drawn is None:
        return None
    template, hidden = drawn
    step_x = cv2.Sobel(template, cv2.CV_32F, 1, 0) * (_CELL_PX / 8)  # levels a cell
    step_y = cv2.Sobel(template, cv2.CV_32F, 0, 1) * (_CELL_PX / 8)
    seen = np.kron(~hidden, np.ones((_CELL_PX, _CELL_PX), dtype=bool))
    seen[[0, -1]] = seen[:, [0, -1]] = False  # what lies outside the grid is not in the template
    seen &= (np.abs(step_x) + np.abs(step_y)).sum(axis=-1) > _LEAST_STEP
    y, x = np.nonzero(seen)
    along_x, along_y = basis((np.stack([x, y], axis=1) + 0.5) / _CELL_PX, rows, columns)
    slopes = step_x[seen][..., None] * along_x[:, None] + step_y[seen][..., None] * along_y[:, None]
    if len(slopes) < slopes.shape[-1]:
        return None
    matrix = image_from_grid
    for _ in range(_ROUNDS):
        residual = _blurred(flat)[seen] - template[seen]
        size = np.square(residual).sum(axis=1)
        weight = 1 / (1 + size / (_CAUCHY_SCALE**2 * np.median(size) + 1.0))
        weighted = slopes * weight[:, None, None]
        normal = np.einsum("nck,ncl->kl", weighted, slopes)
        normal += 1e-5 * np.trace(normal) * np.eye(len(normal))
        solution = np.linalg.solve(normal, -np.einsum("nck,nc->k", weighted, residual))
        matrix = matrix @ projection(solution, rows, columns)
        if np.abs(solution).max() < _SETTLED:
            break
        flat = _flat(views, matrix, rows, columns)
    return matrix


def _flat(views: Views, matrix: NDArray[np.float64], rows: int, columns: int) -> NDArray[np.uint8]:
    return views.flat(matrix, (0, 0, columns, rows), _CELL_PX)


def _blurred(flat_bgr: NDArray[np.uint8]) -> NDArray[np.float32]:
    lab = cv2.GaussianBlur(cv2.cvtColor(flat_bgr, cv2.COLOR_BGR2Lab), (0, 0), _BLUR_PX)
    return np.asarray(lab, dtype=np.float32)


def _drawn(
    flat_bgr: NDArray[np.uint8], pattern: Pattern
) -> tuple[NDArray[np.float32], NDArray[np.bool_]] | None:
    """The layout in the colours that its squares have here, L*a*b*; and the squares to leave out."""
    colours = cell_colours(flat_bgr, _CELL_PX)
    hidden = hidden_squares(colours, pattern)
    if (~pattern.plain & ~hidden).sum() < _LEAST_PREMIUMS:
        return None
    usual = np.zeros_like(colours)
    for number in range(pattern.class_count):
        members = pattern.classes == number
        if (members & ~hidden).any():
            usual[members] = np.median(colours[members & ~hidden], axis=0)
    large = np.kron(usual, np.ones((_CELL_PX, _CELL_PX, 1), dtype=np.float32))
    return np.asarray(cv2.GaussianBlur(large, (0, 0), _BLUR_PX), dtype=np.float32), hidden
