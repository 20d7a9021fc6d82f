"""What the borders of coloured squares say about the grid's place, for pictures whose lines are bad or not printed."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.locating.colours import cell_colours
from vision.locating.layout_evidence import as_printed, without_slope
from vision.locating.offsets import Pull
from vision.locating.pattern import Pattern
from vision.locating.small_projections import basis
from vision.locating.views import Views

__all__ = ["colour_pull"]

_CELL_PX = 8
_BLUR_PX = 1.0
_LEAST_PREMIUMS = 5
"""Premium squares in view, fewer of which may be chance."""

_LEAST_STEP = 10.0
"""Levels of L*a*b* a pixel, summed over both directions, at the border of two squares' colours."""

_OVERHANG_PX = 2
"""A quarter of a cell: so far a tile's face and shadow reach over the squares beside it."""

_CAUCHY_SCALE = 3.0
"""Of the median residual: print, glare and letters count little."""

_LEAST_VARIANCE = 9.0
_ALIKE_PIXELS = 15.0
"""Levels squared; and how many neighbouring pixels err alike, so that they count as one. With 3 the colours of nearly
full boards pull lines away that were right; with 50 they no longer hold boards whose tiles lie carelessly."""

Floats = NDArray[np.float64]


def colour_pull(
    views: Views, image_from_grid: Floats, pattern: Pattern, hidden: NDArray[np.bool_] | None = None
) -> Pull | None:
    """One step towards the place where the squares' usual colours, laid out, agree best with the picture.

    Parameters
    ----------
    views : Views
        The picture.
    image_from_grid : (3, 3) float64
        A projection that is off by less than about 0.4 cell.
    pattern : Pattern
        The layout as it lies in the grid.
    hidden : (rows, columns) bool, optional
        Squares on which something is known to lie; else the colours alone tell.

    Returns
    -------
    Pull or None
        None where too few premium squares are in view.

    References
    ----------
    S. Baker, I. Matthews: Lucas-Kanade 20 years on. IJCV 56(3), 2004; the drawn layout is the template, so
    that its own gradients serve.
    """
    rows, columns = pattern.rows, pattern.columns
    flat = views.flat(image_from_grid, (0, 0, columns, rows), _CELL_PX)
    drawn = _drawn(flat, pattern, hidden)
    if drawn is None:
        return None
    template, shown = drawn
    step_x = cv2.Sobel(template, cv2.CV_32F, 1, 0) * (_CELL_PX / 8)  # levels a cell
    step_y = cv2.Sobel(template, cv2.CV_32F, 0, 1) * (_CELL_PX / 8)
    covered = np.kron(~shown, np.ones((_CELL_PX, _CELL_PX), dtype=bool)).astype(np.uint8)
    seen = np.asarray(cv2.dilate(covered, np.ones((2 * _OVERHANG_PX + 1,) * 2, dtype=np.uint8)) == 0)
    seen[[0, -1]] = seen[:, [0, -1]] = False  # what lies outside the grid is not in the template
    seen &= (np.abs(step_x) + np.abs(step_y)).sum(axis=-1) > _LEAST_STEP
    y, x = np.nonzero(seen)
    along_x, along_y = basis((np.stack([x, y], axis=1) + 0.5) / _CELL_PX, rows, columns)
    residual = (_blurred(flat)[seen] - template[seen]).astype(np.float64)
    if 3 * len(residual) < along_x.shape[-1]:
        return None
    size = np.square(residual).sum(axis=1)
    weight = 1 / (1 + size / (_CAUCHY_SCALE**2 * (np.median(size) + 1.0)))
    # The three channels' slopes are summed before they meet the basis: a third of the work.
    slope_x, slope_y = step_x[seen].astype(np.float64), step_y[seen].astype(np.float64)

    def weighed(one: Floats, other: Floats) -> Floats:
        return np.asarray((weight * np.einsum("ij,ij->i", one, other))[:, None])

    both = along_x.T @ (weighed(slope_x, slope_y) * along_y)
    normal = (
        along_x.T @ (weighed(slope_x, slope_x) * along_x)
        + along_y.T @ (weighed(slope_y, slope_y) * along_y)
        + both
        + both.T
    )
    towards = along_x.T @ weighed(slope_x, residual) + along_y.T @ weighed(slope_y, residual)
    variance = max(float((weight * size).mean()) / residual.shape[1], _LEAST_VARIANCE) * _ALIKE_PIXELS
    return Pull(normal=normal / variance, towards=-towards[:, 0] / variance)


def _blurred(flat_bgr: NDArray[np.uint8]) -> NDArray[np.float32]:
    lab = cv2.GaussianBlur(cv2.cvtColor(flat_bgr, cv2.COLOR_BGR2Lab), (0, 0), _BLUR_PX)
    return np.asarray(lab, dtype=np.float32)


def _drawn(
    flat_bgr: NDArray[np.uint8], pattern: Pattern, hidden: NDArray[np.bool_] | None
) -> tuple[NDArray[np.float32], NDArray[np.bool_]] | None:
    """The layout in the colours that its squares have here, in this light; and the squares that nothing covers."""
    colours = cell_colours(flat_bgr, _CELL_PX)
    even = without_slope(colours, 0)
    shown = as_printed(even, pattern)
    if hidden is not None:
        shown &= ~hidden
    if (~pattern.plain & shown).sum() < _LEAST_PREMIUMS:
        return None
    usual = np.zeros_like(colours)
    for number in range(pattern.class_count):
        members = (pattern.classes == number) & shown
        if members.any():
            usual[pattern.classes == number] = np.median(even[members], axis=0)
    usual += colours - even
    large = np.kron(usual, np.ones((_CELL_PX, _CELL_PX, 1), dtype=np.float32))
    return np.asarray(cv2.GaussianBlur(large, (0, 0), _BLUR_PX), dtype=np.float32), shown
