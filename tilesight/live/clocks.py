"""The players' clocks, and their text form."""

from __future__ import annotations

import re
import time
from dataclasses import dataclass, field, replace

from scoring import Game
from tilesight.output import ClocksEvent, GameEvent, RackEvent
from vision.errors import SettingsError

__all__ = [
    "Clocks",
    "find_age",
    "find_offset",
    "format_clock",
    "format_countdown",
    "limit_time",
    "parse_clock",
    "steady_s",
]

MAX_CLOCK_S = 24 * 3600.0
"""Longest time on a clock, in seconds; chosen."""
MIN_STEP_S = 0.5
"""Change of the computer's clock, in seconds, from which it counts as a step and not as drift; chosen."""


def steady_s() -> float:
    """Return seconds that no setting of the computer's clock changes, and that run on while the computer sleeps."""
    if hasattr(time, "CLOCK_BOOTTIME"):  # Linux, where the monotonic clock stands still in sleep
        return time.clock_gettime(time.CLOCK_BOOTTIME)
    return time.monotonic()


def find_offset() -> float:
    """Return the computer's clock less the time that always runs on, in seconds: it changes when the clock is set."""
    return time.time() - steady_s()


def find_age(at_s: float, offset_s: float, now_s: float) -> float:
    """Return the seconds since a moment, less those by which the computer's clock was set since then.

    Parameters
    ----------
    at_s, now_s : float
        The moment, and now, in seconds since 1970.
    offset_s : float
        The offset of the computer's clock at that moment, by `find_offset`.
    """
    step_s = find_offset() - offset_s
    return now_s - at_s - (step_s if abs(step_s) >= MIN_STEP_S else 0.0)


def limit_time(event: GameEvent, now_s: float) -> GameEvent:
    """Return an event of a journal with a moment that is not later than now: the computer's clock may be behind."""
    if isinstance(event, ClocksEvent | RackEvent):
        return replace(event, at_s=min(event.at_s, now_s))
    return event


@dataclass(frozen=True, slots=True, kw_only=True)
class Clocks:
    """The clocks of all players at a moment.

    Times are seconds since 1970, so that a running clock continues while the program is restarted. While the program
    runs, a step of the computer's clock, such as after a boot, takes no time off. The limit: a journal has no offset,
    so a step forward counts as time that passed if the program is restarted after it and before the next change of the
    clocks.

    Parameters
    ----------
    left_s : tuple of float
        Seconds that each player has left at `at_s`; negative in overtime.
    running : int or None
        Index of the player whose clock runs.
    at_s : float
        The moment.
    offset_s : float
        The offset of the computer's clock at that moment.
    is_stopped_by_end : bool
        Whether the end of the game stopped them: they run again if the game goes on.
    """

    left_s: tuple[float, ...]
    running: int | None = None
    at_s: float = 0.0
    offset_s: float = field(default_factory=find_offset, compare=False, repr=False)
    is_stopped_by_end: bool = False

    def at(self, now_s: float) -> Clocks:
        """Return the clocks at another moment."""
        elapsed_s = max(0.0, find_age(self.at_s, self.offset_s, now_s))
        left = tuple(
            left - (elapsed_s if player == self.running else 0.0) for player, left in enumerate(self.left_s)
        )
        return replace(self, left_s=left, at_s=now_s, offset_s=find_offset())

    def run(self, player: int | None, now_s: float) -> Clocks:
        """Return the clocks with this player's running, or with none running."""
        return replace(self.at(now_s), running=player)

    def with_left(self, player: int, left_s: float, now_s: float) -> Clocks:
        """Return the clocks with another time left for one player."""
        now = self.at(now_s)
        left = tuple(left_s if each == player else left for each, left in enumerate(now.left_s))
        return replace(now, left_s=left)

    def follow_turn(self, before: Game, after: Game, now_s: float) -> list[ClocksEvent]:
        """Start the clock of the player on turn, and stop the clocks at the end; only if one runs, or did at the end.

        Parameters
        ----------
        before, after : Game
            The game before and after a change.
        now_s : float
            The moment.
        """
        if self.running is None:
            is_reopened = self.is_stopped_by_end and before.ending is not None and after.ending is None
            return [self.run(after.turn, now_s).to_event()] if is_reopened else []
        if after.ending is not None and before.ending is None:
            return [self.run(None, now_s).to_event()]
        if before.turn != after.turn:
            return [self.run(after.turn, now_s).to_event()]
        return []

    def to_event(self) -> ClocksEvent:
        """Return the event that records these clocks, in milliseconds."""
        left = tuple(round(left, 3) for left in self.left_s)
        return ClocksEvent(left_s=left, running=self.running, at_s=round(self.at_s, 3))


def parse_clock(text: str) -> float:
    """Parse ``25:00``, ``-0:07`` or ``1:00:00`` to seconds.

    Raises
    ------
    SettingsError
        If the text is not a time, or the time is above a day.
    """
    found = re.fullmatch(r"(-?)(?:(\d{1,2}):)?(\d{1,3}):([0-5]\d)", text)
    seconds = int(found[2] or 0) * 3600 + int(found[3]) * 60 + int(found[4]) if found else -1.0
    if found is None or seconds > MAX_CLOCK_S:
        raise SettingsError(f"{text!r} is no time left; write minutes and seconds, such as 25:00")
    return -seconds if found[1] else seconds


def format_clock(left_s: float) -> str:
    """Format the time left as clocks show it, rounded up to seconds: ``0:00`` appears when the time is over.

    >>> format_clock(1500), format_clock(59.2), format_clock(-7.5)
    ('25:00', '1:00', '-0:08')
    """
    seconds = -int(-left_s // 1) if left_s >= 0 else int(left_s // 1)
    minutes, rest = divmod(abs(seconds), 60)
    return f"{'-' if seconds < 0 else ''}{minutes}:{rest:02d}"


def format_countdown(until_s: float | None, now_s: float) -> str:
    """Format the time to the start, or to the end of a break; empty without a countdown, and once it is over.

    Parameters
    ----------
    until_s, now_s : float
        The moment to which it counts down, and now, in seconds since 1970.
    """
    return format_clock(until_s - now_s) if until_s is not None and until_s > now_s else ""
