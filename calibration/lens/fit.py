"""A lens from views: which model, which numbers, how sure, and which views to leave out."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.lens.target_detection import View
from calibration.lens.view_selection import describe_missing_views, drop_repeated_views
from calibration.profile_update import origin_now
from vision.errors import InputError
from vision.profile import Lens, LensModel, LensSection

__all__ = ["MIN_VIEWS", "FittedLens", "build_lens_section", "fit_lens"]

Floats = NDArray[np.float64]

MIN_VIEWS = 6
_FOLDS = 5
_CLEARLY_BETTER = 0.97
"""Times the error in views left out, that a model with more numbers must reach to be taken."""

_OUTLIER, _MIN_OUTLIER_PX = 2.5, 0.4
"""Times the median error of the views, and pixels, above both of which a view is left out."""

_MAX_LEFT_OUT = 0.3
_MAX_FOCAL_DEVIATION = 0.02
"""A focal length that is less sure would be worse than none: a phone's is known to a tenth."""

_MAX_ERROR = 0.004
"""Of the picture's longer side: no model fits."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Form:
    """A model and how many of its numbers are free."""

    model: LensModel
    flags: int
    count: int


_NO_TANGENT = cv2.CALIB_ZERO_TANGENT_DIST
_FORMS = (
    _Form(model=LensModel.RADIAL, flags=_NO_TANGENT | cv2.CALIB_FIX_K2 | cv2.CALIB_FIX_K3, count=5),
    _Form(model=LensModel.RADIAL, flags=_NO_TANGENT | cv2.CALIB_FIX_K3, count=5),
    _Form(model=LensModel.RADIAL, flags=0, count=5),
    _Form(model=LensModel.FISHEYE, flags=0, count=4),
    _Form(model=LensModel.RADIAL, flags=cv2.CALIB_RATIONAL_MODEL, count=8),
)
_NAMES = {
    LensModel.RADIAL: ("k1", "k2", "p1", "p2", "k3", "k4", "k5", "k6"),
    LensModel.FISHEYE: ("k1", "k2", "k3", "k4"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class FittedLens:
    """A lens, and how well it is known.

    Parameters
    ----------
    lens : Lens
        The best of the models that were tried.
    error_px : float
        Root mean square distance between points seen and expected, in the views that were used.
    error_left_out_px : float
        The same in views that the fit did not see.
    uncertainty : dict of str to float
        Standard deviation of each number.
    used : tuple of View
        The views that were used.
    view_errors_px : tuple of float
        The error of each of them.
    residuals_px : tuple of (n, 2) float64
        Seen minus expected, for each of them.
    left_out : dict of str to str
        The others, by name, each with its reason.
    tried : dict of str to float
        The error in views left out of each model that was tried.
    """

    lens: Lens
    error_px: float
    error_left_out_px: float
    uncertainty: dict[str, float]
    used: tuple[View, ...]
    view_errors_px: tuple[float, ...]
    residuals_px: tuple[Floats, ...]
    left_out: dict[str, str]
    tried: dict[str, float]


def build_lens_section(fitted: FittedLens) -> LensSection:
    """A fitted lens as a profile keeps it."""
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
    """The lens that took these views.

    Parameters
    ----------
    views : sequence of View
        Of one camera at one focus and zoom; ten to fifteen, from many sides, are plenty.

    Raises
    ------
    InputError
        If they are too few, too similar or of different sizes, or no lens explains them; it says which to add.

    Notes
    -----
    Models are compared by their error in views that the fit was not shown, of which only the pose is then solved: more
    numbers always fit better what they have seen. The standard deviations come from the same fits, as a jackknife over
    groups of views, which needs no assumption about the points' errors.

    References
    ----------
    Z. Zhang: A flexible new technique for camera calibration. IEEE PAMI 22 (2000); B. Efron, C. Stein: The jackknife
    estimate of variance. Annals of Statistics 9 (1981).
    """
    _check_sizes(views)
    kept, left_out = drop_repeated_views(views)
    _check_enough(kept, left_out)
    form, tried, folds = _best_form(kept)
    lens, poses = _fitted(kept, form)
    errors = [_error(lens, view, pose) for view, pose in zip(kept, poses, strict=True)]
    limit = max(_OUTLIER * float(np.median(errors)), _MIN_OUTLIER_PX)
    worst = sorted(range(len(kept)), key=lambda index: -errors[index])[: int(_MAX_LEFT_OUT * len(kept))]
    drop = {index for index in worst if errors[index] > limit}
    if drop and len(kept) - len(drop) >= MIN_VIEWS:
        for index in sorted(drop):
            left_out[kept[index].name] = (
                f"its points are {errors[index]:.2f} px off, those of the others {np.median(errors):.2f} px"
            )
        kept = [view for index, view in enumerate(kept) if index not in drop]
        form, tried, folds = _best_form(kept)
        lens, poses = _fitted(kept, form)
    residuals = [_residuals(lens, view, pose) for view, pose in zip(kept, poses, strict=True)]
    error = _root_mean_square(residuals)
    uncertainty = _jackknife([_numbers(fold) for fold in folds], _NAMES[lens.model][: form.count])
    if error > _MAX_ERROR * max(lens.size_px):
        raise InputError(
            f"lens: no model fits better than {error:.1f} px; are all pictures of one camera at one zoom, "
            "and is the sheet flat?"
        )
    deviation = uncertainty["fx"] / lens.focal_px[0]
    if deviation > _MAX_FOCAL_DEVIATION:
        raise InputError(
            f"lens: {len(kept)} views leave the focal length unsure by {deviation:.1%}, 2% are allowed; "
            f"add {describe_missing_views(kept, lens)}"
        )
    return FittedLens(
        lens=lens,
        error_px=error,
        error_left_out_px=tried[_label(form)],
        uncertainty=uncertainty,
        used=tuple(kept),
        view_errors_px=tuple(_root_mean_square([residual]) for residual in residuals),
        residuals_px=tuple(residuals),
        left_out=left_out,
        tried=tried,
    )


def _check_sizes(views: Sequence[View]) -> None:
    sizes = {view.size_px: view.name for view in views}
    if len(sizes) > 1:
        (one, first), (other, second) = list(sizes.items())[:2]
        raise InputError(
            f"lens: {first} has {one[0]}x{one[1]} px, {second} has {other[0]}x{other[1]}; "
            "take all pictures with one camera at one size, held the same way up"
        )


def _check_enough(views: Sequence[View], left_out: dict[str, str]) -> None:
    if len(views) >= MIN_VIEWS:
        return
    alike = f" ({len(left_out)} more show the same as others)" if left_out else ""
    raise InputError(
        f"lens: {len(views)} different views{alike}, {MIN_VIEWS} at least and 10 to 15 for good are needed; "
        f"add {describe_missing_views(views, None)}"
    )


def _label(form: _Form) -> str:
    if form.model is LensModel.FISHEYE:
        return "fisheye"
    free = {0: "radial k1 k2 p1 p2 k3", cv2.CALIB_RATIONAL_MODEL: "rational"}
    return free.get(form.flags, "radial k1" if form.flags & cv2.CALIB_FIX_K2 else "radial k1 k2")


def _best_form(views: Sequence[View]) -> tuple[_Form, dict[str, float], list[Lens]]:
    """The model with the fewest numbers that no other clearly beats, every one's error, and its fits."""
    tried: dict[str, float] = {}
    best: tuple[_Form, float, list[Lens]] | None = None
    for form in _FORMS:
        try:
            error, lenses = _left_out_error(views, form)
        except (cv2.error, ArithmeticError, ValueError):
            continue  # a fisheye cannot be fitted to narrow views, say
        tried[_label(form)] = error
        if best is None or error < _CLEARLY_BETTER * best[1]:
            best = form, error, lenses
    if best is None:
        raise InputError("lens: no model could be fitted to these views; take them from more different sides")
    return best[0], tried, best[2]


def _left_out_error(views: Sequence[View], form: _Form) -> tuple[float, list[Lens]]:
    lenses: list[Lens] = []
    residuals: list[Floats] = []
    for fold in range(_FOLDS):
        lens, _ = _fitted([view for index, view in enumerate(views) if index % _FOLDS != fold], form)
        lenses.append(lens)
        unseen = itertools.islice(views, fold, None, _FOLDS)
        residuals += [_residuals(lens, view, _pose(lens, view)) for view in unseen]
    error = _root_mean_square(residuals)
    if not math.isfinite(error):
        raise ArithmeticError("the fit does not converge")
    return error, lenses


def _fitted(views: Sequence[View], form: _Form) -> tuple[Lens, list[tuple[Floats, Floats]]]:
    size = views[0].size_px
    if form.model is LensModel.FISHEYE:
        points = [view.points.reshape(1, -1, 3) for view in views]
        pixels = [view.pixels.reshape(1, -1, 2) for view in views]
        flags = cv2.CALIB_RECOMPUTE_EXTRINSIC | cv2.CALIB_FIX_SKEW
        criteria = (cv2.TERM_CRITERIA_COUNT | cv2.TERM_CRITERIA_EPS, 60, 1e-8)
        _, matrix, distortion, turns, places = cv2.fisheye.calibrate(
            points, pixels, size, np.eye(3), np.zeros((4, 1)), flags=flags, criteria=criteria
        )
    else:
        solid = [view.points.astype(np.float32) for view in views]
        flat = [view.pixels.astype(np.float32) for view in views]
        criteria = (cv2.TERM_CRITERIA_COUNT | cv2.TERM_CRITERIA_EPS, 60, 1e-8)
        _, matrix, distortion, turns, places = cv2.calibrateCamera(
            solid, flat, size, np.eye(3), np.zeros(form.count), flags=form.flags, criteria=criteria
        )
    lens = Lens(
        model=form.model,
        focal_px=(float(matrix[0, 0]), float(matrix[1, 1])),
        centre_px=(float(matrix[0, 2]), float(matrix[1, 2])),
        distortion=tuple(float(number) for number in np.ravel(distortion)[: form.count]),
        size_px=size,
    )
    poses = [
        (np.asarray(turn, np.float64).ravel(), np.asarray(place, np.float64).ravel())
        for turn, place in zip(turns, places, strict=True)
    ]
    return lens, poses


def _pose(lens: Lens, view: View) -> tuple[Floats, Floats]:
    """How the thing lay in a view, for a known lens."""
    rays = lens.rays(view.pixels)
    _, turn, place = cv2.solvePnP(view.points, rays, np.eye(3), None, flags=cv2.SOLVEPNP_ITERATIVE)
    return np.asarray(turn, np.float64).ravel(), np.asarray(place, np.float64).ravel()


def _residuals(lens: Lens, view: View, pose: tuple[Floats, Floats]) -> Floats:
    rotation, _ = cv2.Rodrigues(pose[0])
    solid = view.points @ np.asarray(rotation).T + pose[1]
    return np.asarray(view.pixels - lens.project(solid[:, :2] / solid[:, 2:]))


def _error(lens: Lens, view: View, pose: tuple[Floats, Floats]) -> float:
    return _root_mean_square([_residuals(lens, view, pose)])


def _root_mean_square(residuals: Sequence[Floats]) -> float:
    return float(np.sqrt(np.square(np.concatenate(residuals)).sum(axis=1).mean()))


def _numbers(lens: Lens) -> Floats:
    return np.array([*lens.focal_px, *lens.centre_px, *lens.distortion])


def _jackknife(fits: Sequence[Floats], coefficients: Sequence[str]) -> dict[str, float]:
    """Standard deviation of each number, from fits that each left a group of views out."""
    values = np.stack(fits)
    groups = len(values)
    deviations = np.sqrt((groups - 1) / groups * np.square(values - values.mean(axis=0)).sum(axis=0))
    names = ("fx", "fy", "cx", "cy", *coefficients)
    return {name: float(deviation) for name, deviation in zip(names, deviations, strict=True)}
