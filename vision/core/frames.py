"""What a source gives: frames, and word of an interruption."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scoring import Edition
from vision.core.arrays import freeze
from vision.core.geometry import Grid
from vision.errors import SettingsError

__all__ = ["MIN_GIVEN_CELL_PX", "Frame", "Interruption", "grid_from_corners"]


@dataclass(frozen=True, slots=True, eq=False)
class Frame:
    """One moment's picture and where it came from.

    Parameters
    ----------
    image_bgr : (height, width, 3) uint8
        BGR, turned upright by the EXIF orientation.
    source : str
        The file's name or the stream's address, as the user gave it.
    index : int
        Its place in the sequence, from 0.
    time_s : float
        Seconds since the sequence began: of film where it is recorded, of the clock where it is live.
    """

    image_bgr: NDArray[np.uint8]
    source: str
    index: int = 0
    time_s: float = 0.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "image_bgr", freeze(self.image_bgr, (None, None, 3), np.uint8, "image_bgr"))


@dataclass(frozen=True, slots=True)
class Interruption:
    """Word from a source that gives no frames for the moment, or gives them again.

    Parameters
    ----------
    message : str
        What is the matter and what is done about it, in one line.
    over : bool
        Whether frames come again. What moved meanwhile has not been seen.
    """

    message: str
    over: bool = False


MIN_GIVEN_CELL_PX = 6.0
"""Corners given closer together than this show nothing that could be read."""


def grid_from_corners(frame: Frame, edition: Edition, corners_px: Sequence[Sequence[float]]) -> Grid:
    """The grid between given corners, if a board can be seen there at all."""
    layout = edition.layout
    grid = Grid.from_corners(corners_px, layout.rows, layout.columns)
    corners: NDArray[np.float64] = grid.corners_px
    height, width = frame.image_bgr.shape[:2]
    # One corner may lie a little outside the picture, a board far outside cannot be seen.
    slack = 0.1 * max(height, width)
    if (corners < -slack).any() or (corners > np.array([width, height]) + slack).any():
        raise SettingsError(
            f"corners: {corners.round(1).tolist()} lie outside the picture of {width}x{height} pixels; "
            "give them in pixels of the picture, x before y"
        )
    if grid.cell_px < MIN_GIVEN_CELL_PX:
        raise SettingsError(
            f"corners: they leave {grid.cell_px:.1f} pixels a square, too few to read; move closer"
        )
    return grid
