"""What a source yields: frames, and notices of an interruption."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import ArrayLike

from vision.core.arrays import Floats, Image, freeze
from vision.core.geometry import Grid, Undistortion, mirror_corners, rescale_pixels

__all__ = ["Frame", "Interruption", "Reduction"]


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Reduction:
    """That a large picture was opened with fewer pixels than it has.

    Parameters
    ----------
    factor : int
        Pixels of the picture per pixel of the frame, along a side.
    size_px : (int, int)
        Width and height of the picture.
    open_full : callable
        Opens it with all its pixels.
    """

    factor: int
    size_px: tuple[int, int]
    open_full: Callable[[], Frame]


@dataclass(frozen=True, slots=True, eq=False)
class Frame:
    """An image, and where it came from.

    Parameters
    ----------
    image_bgr : (height, width, 3) uint8
        BGR, turned upright by the EXIF orientation.
    source : str
        The file's name or the stream's address, as the user gave it.
    index : int
        Its place in the sequence, from 0.
    time_s : float
        Seconds since the sequence began: video time of a recording, wall-clock time of a live source.
    expected_grid : Grid or None
        Where a calibrated board should be in the frame; None where the board may be anywhere.
    reduction : Reduction or None
        How the picture was reduced; None where the image has all its pixels.
    undistortion : Undistortion or None
        How the picture was undistorted; None where the image shows it as it is.
    """

    image_bgr: Image
    source: str
    index: int = 0
    time_s: float = 0.0
    expected_grid: Grid | None = None
    reduction: Reduction | None = None
    undistortion: Undistortion | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "image_bgr", freeze(self.image_bgr, (None, None, 3), np.uint8, "image_bgr"))
        object.__setattr__(self, "time_s", float(self.time_s))  # whole numbers would make arrays of integers

    @property
    def size_px(self) -> tuple[int, int]:
        """Width and height of the image in pixels."""
        return self.image_bgr.shape[1], self.image_bgr.shape[0]

    @property
    def picture_size_px(self) -> tuple[int, int]:
        """Width and height of the picture that it was made from."""
        return self.size_px if self.reduction is None else self.reduction.size_px

    def to_picture(self, points_px: ArrayLike) -> Floats:
        """Return points of the image in pixels of the picture; whole numbers are pixel centres."""
        points = np.asarray(points_px, dtype=np.float64)
        return points if self.reduction is None else rescale_pixels(points, self.reduction.factor)

    def mirror(self) -> Frame:
        """Swap the left and the right of the image, and of the place where the board is expected."""
        expected, undistortion = self.expected_grid, self.undistortion
        if expected is not None:
            corners = mirror_corners(expected.corners_px, self.size_px[0])
            expected = Grid.from_corners(corners, expected.rows, expected.columns, expected.fit)
        if undistortion is not None:
            project = functools.partial(_project_mirrored, undistortion, self.size_px[0] - 1)
            undistortion = replace(undistortion, project=project)
        mirrored_bgr: Image = np.asarray(cv2.flip(self.image_bgr, 1))
        return replace(self, image_bgr=mirrored_bgr, expected_grid=expected, undistortion=undistortion)

    def with_all_pixels(self) -> Frame:
        """Return the frame with all pixels of the picture that it was made from."""
        return self if self.reduction is None else self.reduction.open_full()


def _project_mirrored(undistortion: Undistortion, right_px: int, points_px: Floats) -> Floats:
    """Project points of a mirrored image to the picture; no inner function, since frames are pickled."""
    return undistortion.project(points_px * (-1, 1) + (right_px, 0))


@dataclass(frozen=True, slots=True)
class Interruption:
    """A notice that a source yields no frames for the moment, or yields them again.

    Parameters
    ----------
    message : str
        What happened and what is done about it, in one line; empty while it goes on for the reported reason.
    over : bool
        Whether frames come again. Motion in between was not seen.
    """

    message: str
    over: bool = False
