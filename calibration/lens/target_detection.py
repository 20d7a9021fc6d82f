"""Detect the corners of the printed target in a picture: the views that a lens is fitted to."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray
from skimage.measure import blur_effect

from calibration.lens.target import Target
from vision.core import freeze
from vision.errors import InputError

__all__ = ["View", "detect_target"]

MIN_POINTS = 12
"""Corners that a view needs; chosen."""
MAX_BLUR = 0.55
"""Blur by Crete et al. at a width of 800 px, above which a picture is called blurred; sharp ones are below 0.4."""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class View:
    """The known points of a flat target in one picture.

    Parameters
    ----------
    name : str
        Name of the picture, for messages.
    points : (n, 3) float64
        Coordinates of the points on the target, whose plane is z = 0; any unit.
    pixels : (n, 2) float64
        Coordinates of the points in the picture.
    size_px : (width, height)
        Size of the picture.
    """

    name: str
    points: NDArray[np.float64]
    pixels: NDArray[np.float64]
    size_px: tuple[int, int]

    def __post_init__(self) -> None:
        count = len(self.points)
        object.__setattr__(self, "points", freeze(self.points, (count, 3), np.float64, "points"))
        object.__setattr__(self, "pixels", freeze(self.pixels, (count, 2), np.float64, "pixels"))


def detect_target(image_bgr: NDArray[np.uint8], name: str, target: Target) -> View:
    """Detect the target's corners in a picture.

    Parameters
    ----------
    image_bgr : (height, width, 3) uint8
        The picture, BGR.
    name : str
        Name of the picture, for messages.
    target : Target
        The target that was printed.

    Raises
    ------
    InputError
        If the target is not seen well enough. The message says why.
    """
    grey = np.asarray(cv2.cvtColor(image_bgr, cv2.COLOR_BGR2GRAY), np.uint8)
    height, width = grey.shape
    found = _detect_charuco(grey, target) if target.markers else _detect_chessboard(grey, target)
    if found is None or len(found[0]) < MIN_POINTS:
        raise InputError(f"{name}: {_explain_failure(grey, target, 0 if found is None else len(found[0]))}")
    numbers, pixels = found
    return View(name=name, points=target.corners_mm[numbers], pixels=pixels, size_px=(width, height))


def _detect_charuco(
    grey: NDArray[np.uint8], target: Target
) -> tuple[NDArray[np.int64], NDArray[np.float64]] | None:
    pixels, numbers, _, _ = cv2.aruco.CharucoDetector(target.board).detectBoard(grey)
    if numbers is None or pixels is None:
        return None
    return np.asarray(numbers, np.int64).ravel(), np.asarray(pixels, np.float64).reshape(-1, 2)


def _detect_chessboard(
    grey: NDArray[np.uint8], target: Target
) -> tuple[NDArray[np.int64], NDArray[np.float64]] | None:
    size = (target.columns - 1, target.rows - 1)
    found, pixels = cv2.findChessboardCornersSB(grey, size, flags=cv2.CALIB_CB_ACCURACY)
    if not found:
        return None
    return np.arange(size[0] * size[1]), np.asarray(pixels, np.float64).reshape(-1, 2)


def _explain_failure(grey: NDArray[np.uint8], target: Target, seen: int) -> str:
    """Return why the target is not seen, and what would help."""
    total = (target.columns - 1) * (target.rows - 1)
    if target.markers:
        flipped = _detect_charuco(np.ascontiguousarray(grey[:, ::-1]), target)
        if flipped is not None and len(flipped[0]) >= max(MIN_POINTS, 2 * seen):
            return "the picture is mirrored; switch the camera's mirroring off"
    low, high = np.percentile(grey, [2, 98])
    if high - low < 12:
        return f"one plain surface (grey levels {low:.0f} to {high:.0f}); is the lens covered?"
    shrink = max(1, max(grey.shape) // 800)
    blur = float(blur_effect(grey[::shrink, ::shrink], h_size=11))
    if blur > MAX_BLUR:
        return f"blurred ({blur:.2f}, sharp pictures are below 0.4); hold still, focus, or add light"
    if seen:
        return f"only {seen} of the target's {total} corners are seen; come closer, or show more of it"
    return (
        f"no target of {target.columns}x{target.rows} squares is seen; show the sheet that "
        "'tilesight calibrate target' printed, or give its --squares"
    )
