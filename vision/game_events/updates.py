"""What a followed game reports: one value for each thing that was seen to happen.

What was seen at one moment of a game, and the picture that showed it.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass

from scoring import Game, Placement, Step
from vision.capture import Frame
from vision.core import DecodedBoard, Grid, RectifiedBoard

__all__ = ["BoardView", "GameUpdate", "UpdateBatch", "UpdateKind"]


class UpdateKind(enum.StrEnum):
    """The names of events in the JSON that other programs rely on."""

    PLAY = "play"
    WITHDRAWN = "withdrawn"
    NO_PLAY = "no-play"
    CORRECTION = "correction"
    PASS = "pass"
    EXCHANGE = "exchange"
    CHALLENGE = "challenge"
    CLOCK = "clock"
    SETTLED = "settled"
    UNDONE = "undone"
    REDONE = "redone"
    UNCLEAR = "unclear"
    UNREADABLE = "unreadable"
    BOARD_NOT_FOUND = "board-not-found"
    INTERRUPTED = "interrupted"
    RETURNED = "returned"


@dataclass(frozen=True, slots=True, kw_only=True)
class GameUpdate:
    """Something that was seen, and the game after it.

    Parameters
    ----------
    kind : HappeningKind
        What it is.
    game : Game
        The game after it; the same as before where nothing happened in it.
    step : Step or None
        The event's step in the game; for CORRECTION the corrected play's, for UNDONE the one that is gone,
        and None where nothing happened in the game.
    confidence : float
        Probability that it happened like this.
    was, now : Placement or None
        For CORRECTION, the square as it was read first and as it is read now.
    message : str
        Where nothing happened in the game: what is the matter, and what to do.
    alternatives : tuple of Game
        For the first of two plays that were seen at one look: the game after both, for every other
        order or split of the tiles that the rules allow.
    """

    kind: UpdateKind
    game: Game
    step: Step | None = None
    confidence: float = 1.0
    was: Placement | None = None
    now: Placement | None = None
    message: str = ""
    alternatives: tuple[Game, ...] = ()


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
class UpdateBatch:
    """What one moment told.

    Parameters
    ----------
    source : str
        The picture's file name, or the film's.
    index : int
        Its place among the pictures, from 0.
    updates : tuple of GameUpdate
        At least one.
    view : BoardView or None
        The board that was read; None where the picture gave none.
    time_s : float or None
        Seconds since the film began; None where pictures carry no time.
    """

    source: str
    index: int
    updates: tuple[GameUpdate, ...]
    view: BoardView | None = None
    time_s: float | None = None
