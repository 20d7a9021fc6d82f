"""What was seen at one moment of a game, and the picture that showed it."""

from __future__ import annotations

from dataclasses import dataclass

from vision.capture import Frame
from vision.decoded import DecodedBoard
from vision.geometry import Grid
from vision.happenings import Happening
from vision.rectified import RectifiedBoard

__all__ = ["BoardView", "Sighting"]


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class BoardView:
    """A frame and the board that was read in it.

    Parameters
    ----------
    frame : Frame
        The picture.
    grid : Grid
        Where the board lies in it.
    rectified : RectifiedBoard
        The straightened board.
    decoded : DecodedBoard
        What was decided.
    """

    frame: Frame
    grid: Grid
    rectified: RectifiedBoard
    decoded: DecodedBoard


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Sighting:
    """What one moment told.

    Parameters
    ----------
    source : str
        The picture's file name, or the film's.
    index : int
        Its place among the pictures, from 0.
    happenings : tuple of Happening
        At least one.
    view : BoardView or None
        The board that was read; None where the picture gave none.
    time_s : float or None
        Seconds since the film began; None where pictures carry no time.
    """

    source: str
    index: int
    happenings: tuple[Happening, ...]
    view: BoardView | None = None
    time_s: float | None = None
