"""What a followed game reports: updates of the game, notices about the picture, and what a moment gave of both."""

from __future__ import annotations

import enum
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from scoring import Game, Placement, Play, PlayEvent, Step
from vision.observation import BoardObservation

__all__ = [
    "STATED",
    "Correction",
    "GameUpdate",
    "Notice",
    "NoticeKind",
    "UpdateBatch",
    "UpdateKind",
    "count_plays",
]


class UpdateKind(enum.StrEnum):
    """What happened in a game; the values are the names of the JSON events."""

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
    EDITED = "edited"
    BOARD_TAKEN = "board-taken"
    RENAMED = "renamed"


class NoticeKind(enum.StrEnum):
    """What a user should know though nothing happened in the game; the values are the names of the JSON events."""

    UNCLEAR = "unclear"
    UNREADABLE = "unreadable"
    BOARD_NOT_FOUND = "board-not-found"
    INTERRUPTED = "interrupted"
    RETURNED = "returned"
    SIDES = "sides"
    BOARD_DIFFERS = "board-differs"
    BOARD_AGREES = "board-agrees"


class Correction(NamedTuple):
    """A square as it was read first, and as it is read now."""

    was: Placement
    now: Placement


@dataclass(frozen=True, slots=True, kw_only=True)
class GameUpdate:
    """One thing that happened in a game, and the game after it.

    Parameters
    ----------
    kind : UpdateKind
        What it is.
    game : Game
        The game after it.
    step : Step or None
        The event's step in the game: the corrected play's for CORRECTION, the removed one for UNDONE. None where a
        whole state of the game was undone, redone, edited or taken from the board, and for a corrected tile that no
        play laid.
    confidence : float
        Probability that it happened like this.
    correction : Correction or None
        The corrected square, for CORRECTION.
    message : str
        What was undone, redone, edited or taken from the board, where there is no step.
    alternatives : tuple of Game
        For the first of two plays that were seen at once: the game after both, for every other order or split of the
        tiles that the rules allow.
    is_provisional : bool
        For a play that was seen in a video: whether its player may still go on with it.
    replaces : Play or None
        For a play that went on: the part of it that was reported as a play before, and does not count any more.
    renamed : (str, str) or None
        The former and the new name of a player, for RENAMED.
    """

    kind: UpdateKind
    game: Game
    step: Step | None = None
    confidence: float = 1.0
    correction: Correction | None = None
    message: str = ""
    alternatives: tuple[Game, ...] = ()
    is_provisional: bool = False
    replaces: Play | None = None
    renamed: tuple[str, str] | None = None

    @classmethod
    def of_last_step(cls, kind: UpdateKind, game: Game, confidence: float = 1.0) -> GameUpdate:
        """Return the update of a game's last step.

        Parameters
        ----------
        kind, game, confidence
            As for the class.
        """
        return cls(kind=kind, game=game, step=game.steps[-1], confidence=confidence)

    @property
    def play_event(self) -> PlayEvent | None:
        """The event of a play; None for other updates."""
        event = self.step.event if self.kind is UpdateKind.PLAY and self.step is not None else None
        return event if isinstance(event, PlayEvent) else None


STATED = frozenset(
    {
        *(UpdateKind.CORRECTION, UpdateKind.EDITED, UpdateKind.SETTLED),
        *(UpdateKind.UNDONE, UpdateKind.REDONE, UpdateKind.BOARD_TAKEN),
    }
)
"""Updates that change more than the last event, so that the record may break a rule since."""


@dataclass(frozen=True, slots=True)
class Notice:
    """A message for the user: what is the matter, and what to do."""

    kind: NoticeKind
    message: str


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class UpdateBatch:
    """What one picture or one moment of a video gave.

    Parameters
    ----------
    source : str
        File name of the picture or the video.
    index : int
        Number of the picture or frame, from 0; -1 of a resumed game before its first one.
    game : Game
        The game after it.
    updates : tuple of GameUpdate
        What happened in the game, in order.
    notices : tuple of Notice
        What else is to be reported, before the updates.
    observation : BoardObservation or None
        The board that was read; None where nothing was.
    time_s : float or None
        Seconds since the video began; None for pictures.
    """

    source: str
    index: int
    game: Game
    updates: tuple[GameUpdate, ...] = ()
    notices: tuple[Notice, ...] = ()
    observation: BoardObservation | None = None
    time_s: float | None = None

    @property
    def items(self) -> tuple[Notice | GameUpdate, ...]:
        """Notices and updates, in the order in which they are reported."""
        return (*self.notices, *self.updates)


def count_plays(updates: Iterable[GameUpdate]) -> int:
    """Count the plays among updates."""
    return sum(update.kind is UpdateKind.PLAY for update in updates)
