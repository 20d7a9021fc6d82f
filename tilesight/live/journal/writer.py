"""Write a game's changes to its journal; what could not be written waits, each change as an entry of its own."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Sequence
from typing import NamedTuple

from scoring import Game
from tilesight.live.journal.journal import FrameRef, Journal
from tilesight.output import GameEvent
from vision.errors import InputError

__all__ = ["JournalWriter"]

RETRY_AFTER_S = 5.0
"""Seconds between two attempts to write what waits, while nothing changes; chosen."""


class Change(NamedTuple):
    """A change that is to be written: the game after it, its events, its frame, and the board as a small PNG."""

    game: Game
    events: Sequence[GameEvent]
    ref: FrameRef | None
    thumbnail: bytes


class JournalWriter:
    """Writes the changes of one game.

    Parameters
    ----------
    journal : Journal or None
        The journal; None to write nothing.
    game : Game
        The game as the journal has it.
    on_error : callable, optional
        Called with the error if the journal cannot be written. The change is then written later. Without it, the
        change is refused with that error.
    """

    def __init__(
        self, journal: Journal | None, game: Game, on_error: Callable[[InputError], None] | None
    ) -> None:
        self._journal = journal
        self._game = game
        self._on_error = on_error
        self._waiting: list[Change] = []
        self._tried_s = 0.0

    @property
    def is_complete(self) -> bool:
        """Whether the journal has every event."""
        return not self._waiting

    def write(
        self,
        game: Game,
        events: Sequence[GameEvent],
        ref: FrameRef | None,
        thumbnail: bytes,
        sequence: int,
    ) -> int:
        """Append an entry, after those that could not be written before; return its number.

        Parameters
        ----------
        game : Game
            The game after the change.
        events : sequence of GameEvent
            The events of the change.
        ref : FrameRef or None
            The frame that led to it.
        thumbnail : bytes
            The board now, as a small PNG; empty if it is not known.
        sequence : int
            Number of the last entry.

        Raises
        ------
        InputError
            If it cannot be written, and there is no `on_error`.
        """
        if self._journal is None:
            return sequence + 1
        self._waiting.append(Change(game, events, ref, thumbnail))
        try:
            return self._write_waiting(self._journal)
        except InputError as error:
            if self._on_error is None:
                self._waiting.clear()
                raise
            self._on_error(error)
            return sequence

    def retry(self) -> None:
        """Try again to write what waits, if the last attempt is some seconds ago."""
        if self._waiting and time.monotonic() - self._tried_s >= RETRY_AFTER_S:
            self._flush()

    def close(self) -> None:
        """Write what waits, if that is possible now, and close the journal."""
        self._flush()
        if self._journal is not None:
            self._journal.close()

    def _flush(self) -> None:
        if self._journal is not None and self._waiting:
            with contextlib.suppress(InputError):  # it was reported
                self._write_waiting(self._journal)

    def _write_waiting(self, journal: Journal) -> int:
        """Write the changes that wait, one after the other; return the number of the last entry."""
        self._tried_s, number = time.monotonic(), 0
        while self._waiting:
            game, events, ref, thumbnail = self._waiting[0]
            records = [event.to_json() for event in events]
            number = journal.record(self._game, game, records, ref, thumbnail)
            self._game = game
            del self._waiting[0]
        return number
