"""What the borders of coloured squares say about the grid's place, for pictures whose lines are bad or not printed."""

from __future__ import annotations

import functools
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.core import freeze, median
from vision.detection.features import ImagePyramid, LayoutClasses, as_printed, cell_colours, without_slope
from vision.detection.fitting.robust_fit import GaussianPrior

__all__ = ["colour_pull"]

_CELL_PX = 8
_BLUR_PX = 1.0
_MIN_PREMIUMS = 5
"""Premium squares in view, fewer of which may be chance."""

_MIN_STEP = 10.0
"""Levels of L*a*b* a pixel, summed over both directions, at the border of two squares' colours."""

_OVERHANG_PX = 2
"""A quarter of a cell: so far a tile's face and shadow reach over the squares beside it."""

_CAUCHY_SCALE = 3.0
"""Of the median residual: print, glare and letters count little."""

_MIN_VARIANCE = 9.0
_ALIKE_PIXELS = 15.0
"""Levels squared; and how many neighbouring pixels err alike, so that they count as one. With 3 the colours of nearly
full boards pull lines away that were right; with 50 they no longer hold boards whose tiles lie carelessly."""

_POWERS = ((0, 0), (1, 0), (0, 1), (2, 0), (1, 1), (0, 2))
"""Of x and y, by which the numbers of a small projection move a place."""

_ALONG_X, _ALONG_Y = ((0, 0), (1, 1), (2, 2), (6, 3), (7, 4)), ((3, 0), (4, 1), (5, 2), (6, 4), (7, 5))
"""Which number moves a place along x, and along y, by which of these powers, as `small_projections.basis` has it."""

_PRODUCTS = tuple((a, b) for a in range(5) for b in range(5 - a))
"""Powers of x and y in the products of two of these."""

_NUMBERS = 8

Floats = NDArray[np.float64]
Image = NDArray[np.float32]


def colour_pull(
    views: ImagePyramid,
    image_from_grid: Floats,
    pattern: LayoutClasses,
    hidden: NDArray[np.bool_] | None = None,
) -> GaussianPrior | None:
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
    covered = _enlarged((~shown).astype(np.uint8))
    seen = np.asarray(cv2.dilate(covered, np.ones((2 * _OVERHANG_PX + 1,) * 2, dtype=np.uint8)) == 0)
    seen[[0, -1]] = seen[:, [0, -1]] = False  # what lies outside the grid is not in the template
    seen &= _over_channels(np.abs(step_x) + np.abs(step_y)) > _MIN_STEP
    if 3 * np.count_nonzero(seen) < _NUMBERS:
        return None
    residual = _blurred(flat) - template
    size = _over_channels(residual * residual)
    usual = float(median(size[seen]))
    weight = np.where(seen, 1 / (1 + size / (_CAUCHY_SCALE**2 * (usual + 1.0))), 0)
    normal, towards = _summed(weight, step_x, step_y, residual)
    mean = float((weight * size).sum()) / np.count_nonzero(seen)
    variance = max(mean / residual.shape[-1], _MIN_VARIANCE) * _ALIKE_PIXELS
    return GaussianPrior(normal=normal / variance, towards=-towards / variance)


def _summed(weight: Floats, step_x: Image, step_y: Image, residual: Image) -> tuple[Floats, Floats]:
    """The normal matrix and the right side of the least squares of all pixels and channels.

    A number's derivative at a pixel is a slope there times one of the six powers, so that both sides are made of sums
    of powers weighed by products of slopes: a tenth of the work of writing the derivatives out.
    """
    products = (step_x * step_x, step_x * step_y, step_y * step_y, step_x * residual, step_y * residual)
    weighed = np.stack([(weight * _over_channels(product)).ravel() for product in products], axis=1)
    powers, pairs = _moments(residual.shape[0], residual.shape[1])
    sums = (powers @ weighed).astype(np.float64)[pairs]  # (6, 6, 5)
    (to_x, of_x), (to_y, of_y) = (np.array(which).T for which in (_ALONG_X, _ALONG_Y))
    normal, towards = np.zeros((_NUMBERS, _NUMBERS)), np.zeros(_NUMBERS)
    normal[np.ix_(to_x, to_x)] += sums[..., 0][np.ix_(of_x, of_x)]
    normal[np.ix_(to_x, to_y)] += sums[..., 1][np.ix_(of_x, of_y)]
    normal[np.ix_(to_y, to_x)] += sums[..., 1][np.ix_(of_y, of_x)]
    normal[np.ix_(to_y, to_y)] += sums[..., 2][np.ix_(of_y, of_y)]
    towards[to_x] += sums[0, of_x, 3]
    towards[to_y] += sums[0, of_y, 4]
    return normal, towards


@functools.lru_cache(maxsize=8)
def _moments(height: int, width: int) -> tuple[Image, NDArray[np.int64]]:
    """(15, pixels) the products of powers at each pixel of the flat view; and (6, 6) which of them two powers make."""
    y, x = np.mgrid[:height, :width]
    scale = max(height, width) / 2
    x, y = (x.ravel() + 0.5 - width / 2) / scale, (y.ravel() + 0.5 - height / 2) / scale
    pairs = [[_PRODUCTS.index((a + c, b + d)) for c, d in _POWERS] for a, b in _POWERS]
    powers = np.stack([x**a * y**b for a, b in _PRODUCTS]).astype(np.float32)
    return freeze(powers, (None, None), np.float32, "powers"), freeze(pairs, (6, 6), np.int64, "pairs")


def _over_channels(image: Image) -> Image:
    """(height, width) the sums of the three channels."""
    return np.asarray(cv2.transform(image, np.ones((1, 3))), dtype=np.float32)


def _enlarged(values: NDArray[Any]) -> NDArray[Any]:
    """One value a square made one a pixel."""
    size = (values.shape[1] * _CELL_PX, values.shape[0] * _CELL_PX)
    return np.asarray(cv2.resize(values, size, interpolation=cv2.INTER_NEAREST))


def _blurred(flat_bgr: NDArray[np.uint8]) -> NDArray[np.float32]:
    lab = cv2.GaussianBlur(cv2.cvtColor(flat_bgr, cv2.COLOR_BGR2Lab), (0, 0), _BLUR_PX)
    return np.asarray(lab, dtype=np.float32)


def _drawn(
    flat_bgr: NDArray[np.uint8], pattern: LayoutClasses, hidden: NDArray[np.bool_] | None
) -> tuple[NDArray[np.float32], NDArray[np.bool_]] | None:
    """The layout in the colours that its squares have here, in this light; and the squares that nothing covers."""
    colours = cell_colours(flat_bgr, _CELL_PX)
    even = without_slope(colours, 0)
    shown = as_printed(even, pattern)
    if hidden is not None:
        shown &= ~hidden
    if (~pattern.plain & shown).sum() < _MIN_PREMIUMS:
        return None
    usual = np.zeros_like(colours)
    for number in range(pattern.class_count):
        members = (pattern.classes == number) & shown
        if members.any():
            usual[pattern.classes == number] = median(even[members], axis=0)
    usual += colours - even
    return np.asarray(cv2.GaussianBlur(_enlarged(usual), (0, 0), _BLUR_PX), dtype=np.float32), shown
