"""Photometric alignment with the colours of the squares, for images whose lines are poor or not printed."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.core import Floats, Floats32, Image, Mask, Matrix, freeze, median
from vision.detection.features import cell_colours, flatten_lights, unoccluded_squares
from vision.detection.fitting.occlusion import AlignmentProblem
from vision.detection.fitting.robust_fit import GaussianPrior, homography_jacobian

__all__ = ["photometric_prior"]


@dataclass(frozen=True, slots=True, kw_only=True)
class PhotometricSettings:
    """Parameters of the alignment; colours in levels of 8-bit L*a*b*. Values without a source are chosen."""

    cell_px: int = 8
    """Side of a cell in the view that is compared."""
    blur_px: float = 1.0
    """Standard deviation of the smoothing of view and template."""
    min_premium_squares: int = 5
    """Premium squares in view. With fewer, the light's own gradient outweighs them: of 40 rendered boards with four,
    30 of them lit from one side, 11 were fitted to a wrong place without this limit, and 2 with it; of 40 with none, 11
    and 1."""
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
    template, visible = _draw_template(view, problem)
    if (~problem.classes.plain & visible).sum() < SETTINGS.min_premium_squares:
        return None
    gradient_x = cv2.Sobel(template, cv2.CV_32F, 1, 0) * (cell_px / 8)  # levels per cell
    gradient_y = cv2.Sobel(template, cv2.CV_32F, 0, 1) * (cell_px / 8)
    overhang = np.ones((2 * SETTINGS.overhang_px + 1,) * 2, dtype=np.uint8)
    used = np.asarray(cv2.dilate(_enlarge((~visible).astype(np.uint8)), overhang) == 0)
    used[[0, -1]] = used[:, [0, -1]] = False  # the template ends with the grid
    used &= _sum_channels(np.abs(gradient_x) + np.abs(gradient_y)) > SETTINGS.min_gradient
    if 3 * np.count_nonzero(used) < 8:
        return None
    residual = _smooth_lab(view) - template
    size = _sum_channels(residual * residual)
    scale = SETTINGS.cauchy_scale**2 * (float(median(size[used])) + 1.0)
    weight = 1 / (1 + size[used] / scale)
    moved = [shifts[used.ravel()] for shifts in _pixel_jacobian(rows, columns)]
    information, vector = np.zeros((8, 8)), np.zeros(8)
    for along, gradient in zip(moved, (gradient_x, gradient_y), strict=True):
        vector += along.T @ (weight * _sum_channels(gradient * residual)[used])
        for other_along, other_gradient in zip(moved, (gradient_x, gradient_y), strict=True):
            both = weight * _sum_channels(gradient * other_gradient)[used]
            information += along.T @ (both[:, None] * other_along)
    mean = float((weight * size[used]).sum()) / len(weight)
    variance = max(mean / residual.shape[-1], SETTINGS.min_variance) * SETTINGS.correlated_pixels
    return GaussianPrior(information / variance, -vector / variance)


@functools.lru_cache(maxsize=8)
def _pixel_jacobian(rows: int, columns: int) -> tuple[Floats, Floats]:
    """Two (pixels, 8) derivatives of each pixel's shift along x and along y by the parameters of a correction."""
    cell_px = SETTINGS.cell_px
    y, x = np.mgrid[: rows * cell_px, : columns * cell_px]
    centres = (np.stack([x.ravel(), y.ravel()], axis=1) + 0.5) / cell_px
    along_x, along_y = homography_jacobian(centres, rows, columns)
    return freeze(along_x, (None, 8), np.float64, "along_x"), freeze(
        along_y, (None, 8), np.float64, "along_y"
    )


def _draw_template(view_bgr: Image, problem: AlignmentProblem) -> tuple[Floats32, Mask]:
    """Draw the layout in the colours that its squares have in this view.

    Returns
    -------
    template : (height, width, 3) float32
        L*a*b*, smoothed, in the illumination of the view.
    visible : (rows, columns) bool
        Squares that nothing covers.
    """
    classes = problem.classes
    colours = cell_colours(view_bgr, SETTINGS.cell_px)
    flat = next(flatten_lights(colours, 0))
    visible = unoccluded_squares(flat, classes) & ~problem.occlusion.squares
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
