"""Write a game's changes to its journal; what could not be written waits for the next change."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from scoring import Game
from tilesight.live.journal.journal import FrameRef, Journal
from tilesight.output import GameEvent, RackEvent, UpdateEvent, list_renamed
from vision.errors import InputError

__all__ = ["JournalWriter"]


class JournalWriter:
    """Writes the changes of one game.

    Parameters
    ----------
    journal : Journal or None
        The journal; None to write nothing.
    game : Game
        The game as the journal has it.
    on_error : callable, optional
        Called with the error if the journal cannot be written. The events are then written with the next change.
        Without it, the change is refused with that error.
    """

    def __init__(
        self, journal: Journal | None, game: Game, on_error: Callable[[InputError], None] | None
    ) -> None:
        self._journal = journal
        self._game = game
        self._on_error = on_error
        self._waiting: list[GameEvent] = []

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
        """Append an entry, with events that could not be written before; return its number.

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
        pending = [*_rename_players(self._waiting, events), *events]
        records = [event.to_json() for event in pending]
        try:
            number = self._journal.record(self._game, game, records, ref, thumbnail)
        except InputError as error:
            if self._on_error is None:
                raise
            self._on_error(error)
            self._waiting = pending
            return sequence
        self._game, self._waiting = game, []
        return number


def _rename_players(waiting: Sequence[GameEvent], events: Sequence[GameEvent]) -> list[GameEvent]:
    """Return earlier events of an entry with the names that players have after it."""
    names = dict(list_renamed(events))
    return [
        replace(event, player=names[event.player])
        if isinstance(event, RackEvent | UpdateEvent) and event.player in names
        else event
        for event in waiting
    ]
