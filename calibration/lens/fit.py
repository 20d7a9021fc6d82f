"""Fit a lens to views: choose the model by cross-validation, leave outliers out, and estimate uncertainties."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from calibration.lens.target import View
from calibration.lens.view_selection import describe_missing_views, drop_repeated_views
from calibration.profile_update import origin_now
from vision.core import Floats
from vision.errors import InputError, SettingsError
from vision.profile import Lens, LensModel, LensSection

__all__ = ["MIN_VIEWS", "FittedLens", "build_lens_section", "fit_lens"]

MIN_VIEWS = 6
"""Different views that a fit needs; chosen."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FitSettings:
    """Settings of the fit; chosen."""

    folds: int = 5
    """Groups of views for cross-validation and for the jackknife."""
    max_error_ratio: float = 0.97
    """A richer model is chosen only if its cross-validation error is below this fraction of the simpler one's."""
    outlier_ratio: float = 2.5
    """A view is left out if its error is above this multiple of the median error, and above `min_outlier_px`."""
    min_outlier_px: float = 0.4
    max_left_out: float = 0.3
    """Share of the views that may be left out."""
    max_focal_deviation: float = 0.02
    """Relative standard deviation of the focal length. A less certain one is worse than none: a phone's is known to a
    tenth."""
    max_error: float = 0.004
    """Error as a share of the picture's longer side above which no model fits."""


SETTINGS = FitSettings()


@dataclass(frozen=True, slots=True, kw_only=True)
class _ModelVariant:
    """A lens model, and how many of its coefficients are free."""

    model: LensModel
    flags: int
    count: int


_NO_TANGENT = cv2.CALIB_ZERO_TANGENT_DIST
_VARIANTS = (
    _ModelVariant(model=LensModel.RADIAL, flags=_NO_TANGENT | cv2.CALIB_FIX_K2 | cv2.CALIB_FIX_K3, count=5),
    _ModelVariant(model=LensModel.RADIAL, flags=_NO_TANGENT | cv2.CALIB_FIX_K3, count=5),
    _ModelVariant(model=LensModel.RADIAL, flags=0, count=5),
    _ModelVariant(model=LensModel.FISHEYE, flags=0, count=4),
    _ModelVariant(model=LensModel.RADIAL, flags=cv2.CALIB_RATIONAL_MODEL, count=8),
)
_NAMES = {
    LensModel.RADIAL: ("k1", "k2", "p1", "p2", "k3", "k4", "k5", "k6"),
    LensModel.FISHEYE: ("k1", "k2", "k3", "k4"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class FittedLens:
    """A fitted lens, and how well it is known.

    Parameters
    ----------
    lens : Lens
        The best of the models that were tried.
    error_px : float
        Root mean square distance between points seen and expected, in the views that were used.
    uncertainty : dict of str to float
        Standard deviation of each parameter.
    used : tuple of View
        The views that were used.
    view_errors_px : tuple of float
        Root mean square error of each of them.
    residuals_px : tuple of (n, 2) float64
        Points seen minus points expected, for each of them.
    left_out : dict of str to str
        The other views by name, each with the reason.
    """

    lens: Lens
    error_px: float
    uncertainty: dict[str, float]
    used: tuple[View, ...]
    view_errors_px: tuple[float, ...]
    residuals_px: tuple[Floats, ...]
    left_out: dict[str, str]


def build_lens_section(fitted: FittedLens) -> LensSection:
    """Build the lens section of a profile."""
    residuals = [
        np.hstack([view.pixels, residual])
        for view, residual in zip(fitted.used, fitted.residuals_px, strict=True)
    ]
    return LensSection(
        lens=fitted.lens,
        error_px=fitted.error_px,
        uncertainty=fitted.uncertainty,
        view_errors_px=fitted.view_errors_px,
        residuals_px=np.concatenate(residuals).astype(np.float32),
        origin=origin_now([view.name for view in fitted.used]),
    )


def fit_lens(views: Sequence[View]) -> FittedLens:
    """Fit the lens that took these views.

    Parameters
    ----------
    views : sequence of View
        Views of one camera at one focus and zoom. Ten to fifteen from many sides are plenty.

    Raises
    ------
    InputError
        If the views are too few, too similar or of different sizes, or no lens explains them. The message says which
        views to add.

    Notes
    -----
    Models are compared by cross-validation: by their error in views that the fit has not seen, of which only the pose
    is solved. The standard deviations come from the same fits, as a jackknife over groups of views, which needs no
    assumption about the errors of points.

    References
    ----------
    Z. Zhang: A flexible new technique for camera calibration. IEEE PAMI 22 (2000); B. Efron, C. Stein: The jackknife
    estimate of variance. Annals of Statistics 9 (1981).
    """
    _check_sizes(views)
    kept, left_out = drop_repeated_views(views)
    _check_enough(kept, left_out, len(views))
    variant, folds = _choose_variant(kept)
    lens, poses = _fit(kept, variant)
    outliers = _find_outliers(kept, [_error(lens, *each) for each in zip(kept, poses, strict=True)])
    if outliers:
        left_out |= {kept[index].name: reason for index, reason in outliers.items()}
        kept = [view for index, view in enumerate(kept) if index not in outliers]
        variant, folds = _choose_variant(kept)
        lens, poses = _fit(kept, variant)
    residuals = [_residuals(lens, view, pose) for view, pose in zip(kept, poses, strict=True)]
    error = _root_mean_square(residuals)
    uncertainty = _jackknife([_parameters(fold) for fold in folds], _NAMES[lens.model][: variant.count])
    if error > SETTINGS.max_error * max(lens.size_px):
        raise InputError(
            f"lens: no model fits better than {error:.1f} px; are all pictures of one camera at one zoom, "
            "and is the sheet flat?"
        )
    deviation = uncertainty["fx"] / lens.focal_px[0]
    if deviation > SETTINGS.max_focal_deviation:
        raise InputError(
            f"lens: {len(kept)} views leave the focal length unsure by {deviation:.1%}, "
            f"{SETTINGS.max_focal_deviation:.0%} are allowed; "
            f"add {describe_missing_views(kept, lens)}"
        )
    return FittedLens(
        lens=lens,
        error_px=error,
        uncertainty=uncertainty,
        used=tuple(kept),
        view_errors_px=tuple(_root_mean_square([residual]) for residual in residuals),
        residuals_px=tuple(residuals),
        left_out=left_out,
    )


def _check_sizes(views: Sequence[View]) -> None:
    sizes = {view.size_px: view.name for view in views}
    if len(sizes) > 1:
        (one, first), (other, second) = list(sizes.items())[:2]
        raise InputError(
            f"lens: {first} has {one[0]}x{one[1]} px, {second} has {other[0]}x{other[1]}; "
            "take all pictures with one camera at one size, held the same way up"
        )


def _check_enough(views: Sequence[View], left_out: dict[str, str], count: int) -> None:
    if len(views) >= MIN_VIEWS:
        return
    repeated = ", ".join(f"{name}: {reason}" for name, reason in left_out.items())
    repeated = f" ({repeated})" if repeated else ""
    raise InputError(
        f"lens: {len(views)} of {count} pictures are different views{repeated}; {MIN_VIEWS} at least and "
        "10 to 15 for good are needed; "
        f"add {describe_missing_views(views, None)}"
    )


def _find_outliers(views: Sequence[View], errors_px: Sequence[float]) -> dict[int, str]:
    """Find views that fit much worse than the others: their indices, each with the reason; none if too few are left."""
    usual = float(np.median(errors_px))
    limit = max(SETTINGS.outlier_ratio * usual, SETTINGS.min_outlier_px)
    worst = sorted(range(len(views)), key=lambda index: -errors_px[index])
    worst = worst[: int(SETTINGS.max_left_out * len(views))]
    outliers = [index for index in sorted(worst) if errors_px[index] > limit]
    if len(views) - len(outliers) < MIN_VIEWS:
        return {}
    return {
        index: f"its points are {errors_px[index]:.2f} px off, those of the others {usual:.2f} px"
        for index in outliers
    }


def _choose_variant(views: Sequence[View]) -> tuple[_ModelVariant, list[Lens]]:
    """Return the simplest model that no richer one clearly beats, and the lens of each fold."""
    best: tuple[_ModelVariant, float, list[Lens]] | None = None
    for variant in _VARIANTS:
        try:
            error, lenses = _cross_validate(views, variant)
        except (cv2.error, ArithmeticError, SettingsError, ValueError):
            continue  # for example, a fisheye cannot be fitted to narrow views
        if best is None or error < SETTINGS.max_error_ratio * best[1]:
            best = variant, error, lenses
    if best is None:
        raise InputError("lens: no model could be fitted to these views; take them from more different sides")
    return best[0], best[2]


def _cross_validate(views: Sequence[View], variant: _ModelVariant) -> tuple[float, list[Lens]]:
    """Return the error in views left out, in pixels, and the lens of each fold."""
    lenses: list[Lens] = []
    residuals: list[Floats] = []
    for fold in range(SETTINGS.folds):
        lens, _ = _fit([view for index, view in enumerate(views) if index % SETTINGS.folds != fold], variant)
        lenses.append(lens)
        unseen = itertools.islice(views, fold, None, SETTINGS.folds)
        residuals += [_residuals(lens, view, _pose(lens, view)) for view in unseen]
    error = _root_mean_square(residuals)
    if not math.isfinite(error):
        raise ArithmeticError("the fit does not converge")
    return error, lenses


def _fit(views: Sequence[View], variant: _ModelVariant) -> tuple[Lens, list[tuple[Floats, Floats]]]:
    size = views[0].size_px
    if variant.model is LensModel.FISHEYE:
        points = [view.points.reshape(1, -1, 3) for view in views]
        pixels = [view.pixels.reshape(1, -1, 2) for view in views]
        flags = cv2.CALIB_RECOMPUTE_EXTRINSIC | cv2.CALIB_FIX_SKEW
        criteria = (cv2.TERM_CRITERIA_COUNT | cv2.TERM_CRITERIA_EPS, 60, 1e-8)
        _, matrix, distortion, rotations, translations = cv2.fisheye.calibrate(
            points, pixels, size, np.eye(3), np.zeros((4, 1)), flags=flags, criteria=criteria
        )
    else:
        solid = [view.points.astype(np.float32) for view in views]
        flat = [view.pixels.astype(np.float32) for view in views]
        criteria = (cv2.TERM_CRITERIA_COUNT | cv2.TERM_CRITERIA_EPS, 60, 1e-8)
        _, matrix, distortion, rotations, translations = cv2.calibrateCamera(
            solid, flat, size, np.eye(3), np.zeros(variant.count), flags=variant.flags, criteria=criteria
        )
    lens = Lens(
        model=variant.model,
        focal_px=(float(matrix[0, 0]), float(matrix[1, 1])),
        centre_px=(float(matrix[0, 2]), float(matrix[1, 2])),
        distortion=tuple(float(number) for number in np.ravel(distortion)[: variant.count]),
        size_px=size,
    )
    poses = [
        (np.asarray(rotation, np.float64).ravel(), np.asarray(translation, np.float64).ravel())
        for rotation, translation in zip(rotations, translations, strict=True)
    ]
    return lens, poses


def _pose(lens: Lens, view: View) -> tuple[Floats, Floats]:
    """Solve the pose (rotation and translation) of the target in a view, for a known lens."""
    rays = lens.unproject(view.pixels)
    _, rotation, translation = cv2.solvePnP(view.points, rays, np.eye(3), None, flags=cv2.SOLVEPNP_ITERATIVE)
    return np.asarray(rotation, np.float64).ravel(), np.asarray(translation, np.float64).ravel()


def _residuals(lens: Lens, view: View, pose: tuple[Floats, Floats]) -> Floats:
    rotation, _ = cv2.Rodrigues(pose[0])
    solid = view.points @ np.asarray(rotation).T + pose[1]
    return np.asarray(view.pixels - lens.project(solid[:, :2] / solid[:, 2:]))


def _error(lens: Lens, view: View, pose: tuple[Floats, Floats]) -> float:
    return _root_mean_square([_residuals(lens, view, pose)])


def _root_mean_square(residuals: Sequence[Floats]) -> float:
    return float(np.sqrt(np.square(np.concatenate(residuals)).sum(axis=1).mean()))


def _parameters(lens: Lens) -> Floats:
    return np.array([*lens.focal_px, *lens.centre_px, *lens.distortion])


def _jackknife(fits: Sequence[Floats], coefficients: Sequence[str]) -> dict[str, float]:
    """Return the standard deviation of each parameter, from fits that each left a group of views out."""
    values = np.stack(fits)
    groups = len(values)
    deviations = np.sqrt((groups - 1) / groups * np.square(values - values.mean(axis=0)).sum(axis=0))
    names = ("fx", "fy", "cx", "cy", *coefficients)
    return {name: float(deviation) for name, deviation in zip(names, deviations, strict=True)}
