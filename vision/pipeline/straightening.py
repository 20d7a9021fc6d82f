"""The lens of a camera that was not calibrated, as the lines of a board show it."""

from __future__ import annotations

import numpy as np

from vision.core import Frame
from vision.detection import OpticalAxis
from vision.observation import BoardObservation
from vision.profile import Lens, LensModel, UndistortedView

__all__ = ["axis_of", "estimate_lens", "is_straighter"]


def axis_of(view: UndistortedView | None) -> OpticalAxis | None:
    """Return the optical axis in an undistorted view; None where it is not known."""
    if view is None:
        return None
    return OpticalAxis(centre_px=view.offset_px, focal_px=float(view.focal_px.mean()))


def estimate_lens(frame: Frame, found: BoardObservation) -> Lens | None:
    """Estimate the lens that bows a board's lines.

    Parameters
    ----------
    frame : Frame
        The picture of the camera.
    found : BoardObservation
        The board that was read in it, perhaps with an earlier estimate of the lens.

    Returns
    -------
    Lens or None
        None where the lines are straight, broken at a fold, or not seen well enough. Also where they bulge inwards:
        cameras hardly have such lenses, but tiles next to lines look so.
    """
    distortion = found.residual_distortion
    if distortion is None or distortion.lens is None or not distortion.is_reported:
        return None
    axis = OpticalAxis.of_image(frame.size_px)
    before = (0.0,) * 4 if found.view is None else found.view.lens.distortion
    k1, p1, p2 = distortion.lens
    centre_x, centre_y = axis.centre_px.tolist()
    coefficients = np.add(before, (k1, 0.0, p1, p2))
    if coefficients[0] >= 0:
        return None
    return Lens(
        model=LensModel.RADIAL,
        focal_px=(axis.focal_px, axis.focal_px),
        centre_px=(centre_x, centre_y),
        distortion=tuple(coefficients.tolist()),
        size_px=frame.size_px,
    )


def is_straighter(new: BoardObservation, old: BoardObservation) -> bool:
    """Tell whether a board's lines deviate less from the grid than they did."""
    if new.residual_distortion is None or old.residual_distortion is None:
        return False
    return new.residual_distortion.deviation_cells < old.residual_distortion.deviation_cells
