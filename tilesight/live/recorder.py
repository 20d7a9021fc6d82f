"""The state of a live game and the journal to which each change is written before it becomes visible."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from scoring import Game
from tilesight.live.clocks import Clocks, limit_time
from tilesight.live.history import ChangeNumbers, History
from tilesight.live.journal import FrameRef, Journal, JournalWriter, translate_read_errors
from tilesight.live.match import MatchInfo
from tilesight.live.state import GameState
from tilesight.output import BY_OPERATOR, GameEvent, NewGameEvent, list_renamed, parse_event
from vision.errors import InputError
from vision.game_events import LABEL_WITHIN_S, Command, GameUpdate

__all__ = ["GameRecorder"]


class GameRecorder:
    """Records the changes of a live game, under the lock of `LiveGame`.

    Parameters
    ----------
    state : GameState
        The state of the game without events.
    journal : Journal or None
        Where each change is written first, and from which the game is resumed; None to keep the game in memory only.
    clock_s : float or None
        Seconds on each clock of a new game.
    on_write_error : callable or None
        As for `LiveGame`.
    now : callable
        Seconds since 1970.
    """

    def __init__(
        self,
        state: GameState,
        journal: Journal | None,
        *,
        clock_s: float | None,
        on_write_error: Callable[[InputError], None] | None,
        now: Callable[[], float],
    ) -> None:
        self.state = state
        self.journal = journal
        # Held briefly inside the other lock, so that readers do not wait for the camera.
        self._entry_lock = threading.Lock()
        self._clock_s = clock_s
        self._on_write_error = on_write_error
        self._now = now
        self._listeners: list[Callable[[GameState], None]] = []
        self._load()

    def _load(self) -> None:
        """Replay the journal, from the state of a game without events."""
        game, journal = self.state.game, self.journal
        self._changes = ChangeNumbers()
        self._history = History()
        self._withdrawn_at_s: float | None = None  # by the camera, if it is the game's last event
        if self._clock_s is not None:
            clocks = Clocks(left_s=(self._clock_s,) * len(game.players), at_s=self._now())
            self.state = replace(self.state, operator=replace(self.state.operator, clocks=clocks))
        if journal is not None:
            journal.now = self._now
            self.state = replace(self.state, sequence=journal.last_number - journal.entries)
        self.loaded_states = [(float("-inf"), self.state)]
        """What the journal gave when it was read: each state with its time in seconds since 1970."""
        if journal is not None:
            with translate_read_errors(journal.path):
                now_s = self._now()
                for entry in journal.history(game.edition):
                    events = tuple(limit_time(parse_event(each), now_s) for each in entry.events)
                    self._fold(entry.number, entry.game, events)
                    self.loaded_states.append((min(entry.at_s, now_s), self.state))
        self._writer = JournalWriter(journal, self.state.game, self._on_write_error)

    @property
    def is_written(self) -> bool:
        """Whether the journal has every event."""
        return self._writer.is_complete

    def events_after(self, sequence: int) -> tuple[GameState, list[tuple[int, list[dict[str, Any]]]]]:
        """Return the state, and the number and JSON events of each journal entry after number `sequence`."""
        with self._entry_lock:
            return self.state, self.journal.events_after(sequence) if self.journal is not None else []

    def add_listener(self, listener: Callable[[GameState], None]) -> None:
        """Call `listener` with each new state, in order."""
        self._listeners.append(listener)

    def is_current(self, sequence: int | None, *, ignores_last: bool) -> bool:
        """Check whether a command for the state of that number is meant for the game as it is.

        Parameters
        ----------
        sequence, ignores_last
            As for `ChangeNumbers.is_current`.
        """
        return self._changes.is_current(sequence, self.state.sequence, ignores_last=ignores_last)

    def step_history(self, command: Command) -> GameUpdate:
        """Return what undo or redo changes in the game, which is not changed yet; SettingsError if nothing."""
        return self._history.step(command, self.state.game)

    def note_withdrawal(self) -> None:
        """Note that the camera reported the withdrawal that is the game's last event."""
        self._withdrawn_at_s = self._now()

    @property
    def has_just_withdrawn(self) -> bool:
        """Whether the camera reported a withdrawal so shortly before that users may say what it was."""
        return self._withdrawn_at_s is not None and self._now() - self._withdrawn_at_s <= LABEL_WITHIN_S

    def begin(self, game: Game, match: MatchInfo, archive: Callable[[Journal], None]) -> None:
        """Begin another game.

        Parameters
        ----------
        game : Game
            The other game, without events.
        match : MatchInfo
            What is known of its match.
        archive : callable
            Moves the journal of this game away, and begins that of the other one.

        Raises
        ------
        InputError
            If the journal cannot be archived; this game goes on then.
        """
        ended = self.state
        with self._entry_lock:  # readers share the journal's connection, which archiving closes
            if self.journal is not None:
                archive(self.journal)
            self.state = ended.begin(game, match)
            self._load()

    def commit(
        self, game: Game, events: Sequence[GameEvent], ref: FrameRef | None = None, thumbnail: bytes = b""
    ) -> None:
        """Write a change to disk, then make it visible."""
        clocks = self.state.operator.clocks
        if clocks is not None:
            events = [*events, *clocks.follow_turn(self.state.game, game, self._now())]
        with self._entry_lock:
            number = self._writer.write(game, events, ref, thumbnail, self.state.sequence)
            self._fold(number, game, tuple(events))
        self._notify()

    def retry(self) -> None:
        """Try again to write what could not be written."""
        self._writer.retry()

    def close(self) -> None:
        """Write to the journal what could not be written before, if that is possible now, and close it."""
        self._writer.close()

    def update(self, **changes: Any) -> None:
        """Set fields of the state that the journal does not keep; tell the listeners if one differs."""
        if any(getattr(self.state, name) != value for name, value in changes.items()):
            self.state = replace(self.state, **changes)
            self._notify()

    def _fold(self, number: int, game: Game, events: tuple[GameEvent, ...]) -> None:
        before, kinds = self.state.game, {event.kind for event in events}
        if (game.events, game.start) != (before.events, before.start) or NewGameEvent.kind in kinds:
            self._changes.add(number)
            self._withdrawn_at_s = None
        self._history.add(before, game, kinds, by_operator=any(event.by == BY_OPERATOR for event in events))
        self.state = replace(
            self.state,
            game=game,
            match=self.state.match.after_entry(events, game.players),
            operator=self.state.operator.after_entry(events, before, game),
            sequence=number,
            events=events,
            renamed=(*self.state.renamed, *list_renamed(events)),
            undoable=self._history.is_undoable,
            redoable=self._history.is_redoable,
        )

    def _notify(self) -> None:
        for listener in self._listeners:
            listener(self.state)
