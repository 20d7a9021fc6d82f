"""Photometric alignment with the colours of the squares, for images whose lines are poor or not printed."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.core import Floats, Image, Mask, Matrix, freeze, median
from vision.detection.features import cell_colours, flatten_illumination, unoccluded_squares
from vision.detection.fitting.occlusion import AlignmentProblem
from vision.detection.fitting.robust_fit import GaussianPrior

__all__ = ["photometric_prior"]

Floats32 = NDArray[np.float32]

_PARAMETERS = 8

_MONOMIALS = ((0, 0), (1, 0), (0, 1), (2, 0), (1, 1), (0, 2))
"""Exponents of x and y in the entries of `homography_jacobian`: 1, x, y, x², xy, y²."""

_ALONG_X = ((0, 0), (1, 1), (2, 2), (6, 3), (7, 4))
"""Its derivative along x: pairs of a parameter and a monomial; all other entries are zero."""

_ALONG_Y = ((3, 0), (4, 1), (5, 2), (6, 4), (7, 5))
"""Its derivative along y."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PhotometricSettings:
    """Parameters of the alignment; colours in levels of 8-bit L*a*b*. Values without a source are chosen."""

    cell_px: int = 8
    """Side of a cell in the view that is compared."""
    blur_px: float = 1.0
    """Standard deviation of the smoothing of view and template."""
    min_premium_squares: int = 5
    """Premium squares in view; fewer may agree by chance."""
    min_gradient: float = 10.0
    """Levels per pixel, summed over both directions, at the border between two squares' colours."""
    overhang_px: int = 2
    """A quarter of a cell: a tile's face and shadow reach this far over neighbouring squares."""
    cauchy_scale: float = 3.0
    """Scale of the robust weights, in median residuals: print, glare and letters count little."""
    min_variance: float = 9.0
    """Lower limit of the residuals' variance, levels squared."""
    correlated_pixels: float = 15.0
    """Number of neighbouring pixels that err alike and count as one. With 3 the colours of nearly full boards pull
    lines away that were right; with 50 they no longer hold boards whose tiles are placed carelessly (measured)."""


SETTINGS = PhotometricSettings()


def photometric_prior(problem: AlignmentProblem, image_from_grid: Matrix) -> GaussianPrior | None:
    """Compute one Gauss-Newton step that aligns the drawn layout with the image, as a prior for the fit of lines.

    Parameters
    ----------
    problem : AlignmentProblem
        The image, the layout, and the squares that are known to be covered.
    image_from_grid : (3, 3) float64
        A homography that is off by less than about 0.4 cell.

    Returns
    -------
    GaussianPrior or None
        None where too few premium squares are in view.

    References
    ----------
    S. Baker, I. Matthews: Lucas-Kanade 20 years on. IJCV 56(3), 2004; the drawn layout is the template, so
    that its own gradients serve.
    """
    rows, columns, cell_px = problem.classes.rows, problem.classes.columns, SETTINGS.cell_px
    view = problem.pyramid.warp_plane(image_from_grid, (0, 0, columns, rows), cell_px)
    drawn = _draw_template(view, problem)
    if drawn is None:
        return None
    template, visible = drawn
    gradient_x = cv2.Sobel(template, cv2.CV_32F, 1, 0) * (cell_px / 8)  # levels per cell
    gradient_y = cv2.Sobel(template, cv2.CV_32F, 0, 1) * (cell_px / 8)
    overhang = np.ones((2 * SETTINGS.overhang_px + 1,) * 2, dtype=np.uint8)
    used = np.asarray(cv2.dilate(_enlarge((~visible).astype(np.uint8)), overhang) == 0)
    used[[0, -1]] = used[:, [0, -1]] = False  # the template ends with the grid
    used &= _sum_channels(np.abs(gradient_x) + np.abs(gradient_y)) > SETTINGS.min_gradient
    if 3 * np.count_nonzero(used) < _PARAMETERS:
        return None
    residual = _smooth_lab(view) - template
    size = _sum_channels(residual * residual)
    scale = SETTINGS.cauchy_scale**2 * (float(median(size[used])) + 1.0)
    weight = np.where(used, 1 / (1 + size / scale), 0)
    information, vector = _normal_equations(weight, gradient_x, gradient_y, residual)
    mean = float((weight * size).sum()) / np.count_nonzero(used)
    variance = max(mean / residual.shape[-1], SETTINGS.min_variance) * SETTINGS.correlated_pixels
    return GaussianPrior(information / variance, -vector / variance)


def _normal_equations(
    weight: Floats, gradient_x: Floats32, gradient_y: Floats32, residual: Floats32
) -> tuple[Floats, Floats]:
    """Sum the normal matrix ``J' W J`` and the right-hand side ``J' W r`` over all pixels and channels.

    Parameters
    ----------
    weight : (height, width) float64
        Of each pixel.
    gradient_x, gradient_y : (height, width, 3) float32
        Gradient of the template, levels per cell.
    residual : (height, width, 3) float32
        View less template, levels.

    Returns
    -------
    information : (8, 8) float64
    vector : (8,) float64

    Notes
    -----
    A row of J is ``gradient_x * along_x + gradient_y * along_y``, with the two derivatives of `homography_jacobian`.
    Their entries are monomials of the pixel's place, so that all sums are moments of five products of gradients and
    residual. Writing J out for the weighted pixels gives the same but for rounding, and took 0.5 to 0.6 ms where this
    takes 0.8 (120 x 120 px, one core). It is not used because the reweighted fit amplifies the rounding: corners moved
    by up to 0.5 px on 70 images, without being better or worse.
    """
    products = (
        gradient_x * gradient_x,
        gradient_x * gradient_y,
        gradient_y * gradient_y,
        gradient_x * residual,
        gradient_y * residual,
    )
    weighted = np.stack([(weight * _sum_channels(product)).ravel() for product in products], axis=1)
    powers, pairs = _pixel_moments(residual.shape[0], residual.shape[1])
    sums = (powers @ weighted).astype(np.float64)[pairs]  # (monomial, monomial, product)
    information, vector = np.zeros((_PARAMETERS, _PARAMETERS)), np.zeros(_PARAMETERS)
    (x_parameter, x_monomial), (y_parameter, y_monomial) = (np.array(part).T for part in (_ALONG_X, _ALONG_Y))
    information[np.ix_(x_parameter, x_parameter)] += sums[..., 0][np.ix_(x_monomial, x_monomial)]
    information[np.ix_(x_parameter, y_parameter)] += sums[..., 1][np.ix_(x_monomial, y_monomial)]
    information[np.ix_(y_parameter, x_parameter)] += sums[..., 1][np.ix_(y_monomial, x_monomial)]
    information[np.ix_(y_parameter, y_parameter)] += sums[..., 2][np.ix_(y_monomial, y_monomial)]
    vector[x_parameter] += sums[0, x_monomial, 3]
    vector[y_parameter] += sums[0, y_monomial, 4]
    return information, vector


@functools.lru_cache(maxsize=8)
def _pixel_moments(height: int, width: int) -> tuple[Floats32, NDArray[np.int64]]:
    """Compute the products of two monomials at each pixel.

    Returns
    -------
    products : (15, pixels) float32
        The distinct products.
    pairs : (6, 6) int64
        Which of them is the product of two of `_MONOMIALS`.
    """
    y, x = np.mgrid[:height, :width]
    scale = max(height, width) / 2
    x, y = (x.ravel() + 0.5 - width / 2) / scale, (y.ravel() + 0.5 - height / 2) / scale
    exponents = tuple((a, b) for a in range(5) for b in range(5 - a))
    pairs = [[exponents.index((a + c, b + d)) for c, d in _MONOMIALS] for a, b in _MONOMIALS]
    products = np.stack([x**a * y**b for a, b in exponents]).astype(np.float32)
    return freeze(products, (None, None), np.float32, "products"), freeze(pairs, (6, 6), np.int64, "pairs")


def _draw_template(view_bgr: Image, problem: AlignmentProblem) -> tuple[Floats32, Mask] | None:
    """Draw the layout in the colours that its squares have in this view; None where too few premium squares show.

    Returns
    -------
    template : (height, width, 3) float32
        L*a*b*, smoothed, in the illumination of the view.
    visible : (rows, columns) bool
        Squares that nothing covers.
    """
    classes = problem.classes
    colours = cell_colours(view_bgr, SETTINGS.cell_px)
    flat = flatten_illumination(colours, 0)
    visible = unoccluded_squares(flat, classes) & ~problem.occlusion.squares
    if (~classes.plain & visible).sum() < SETTINGS.min_premium_squares:
        return None
    usual = np.zeros_like(colours)
    for number in range(classes.class_count):
        members = (classes.classes == number) & visible
        if members.any():
            usual[classes.classes == number] = median(flat[members], axis=0)
    usual += colours - flat
    template = cv2.GaussianBlur(_enlarge(usual), (0, 0), SETTINGS.blur_px)
    return np.asarray(template, dtype=np.float32), visible


def _sum_channels(image: Floats32) -> Floats32:
    """(height, width) sums of the three channels."""
    return np.asarray(cv2.transform(image, np.ones((1, 3))), dtype=np.float32)


def _enlarge(values: NDArray[Any]) -> NDArray[Any]:
    """Repeat the value of each square for all of its pixels."""
    size = (values.shape[1] * SETTINGS.cell_px, values.shape[0] * SETTINGS.cell_px)
    return np.asarray(cv2.resize(values, size, interpolation=cv2.INTER_NEAREST))


def _smooth_lab(view_bgr: Image) -> Floats32:
    lab = cv2.GaussianBlur(cv2.cvtColor(view_bgr, cv2.COLOR_BGR2Lab), (0, 0), SETTINGS.blur_px)
    return np.asarray(lab, dtype=np.float32)
