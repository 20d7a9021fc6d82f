"""What a source gives: frames, and word of an interruption."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vision.core.geometry import frozen

__all__ = ["Frame", "Interruption"]


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
        object.__setattr__(self, "image_bgr", frozen(self.image_bgr, (None, None, 3), np.uint8, "image_bgr"))


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
