"""A live game: a `Game`, the operator's state and the journal, changed by a camera and by people.

Each change is written to disk before it becomes visible. One lock serialises the camera's thread and the web server's.
"""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from scoring import Board, Edition, Game
from tilesight.live.clocks import Clocks, limit_time
from tilesight.live.game_camera import GameCamera
from tilesight.live.history import ChangeNumbers, History, StaleCommandError
from tilesight.live.journal import FrameRef, Journal, JournalWriter, translate_read_errors
from tilesight.live.match import MatchInfo, refuse_succession
from tilesight.live.operator import (
    OPERATOR_VERBS,
    OperatorState,
    RackReadings,
    charge_overtime,
    confirm_named,
    convert_command,
    find_caution,
    to_events,
)
from tilesight.live.state import GameState
from tilesight.output import (
    BY_OPERATOR,
    ArchivedEvent,
    GameEvent,
    NewGameEvent,
    RackEvent,
    list_renamed,
    parse_event,
    to_event,
)
from vision.capture import Frame, Interruption
from vision.core import Grid
from vision.errors import InputError
from vision.game_events import (
    LABEL_WITHIN_S,
    Command,
    GameUpdate,
    UpdateBatch,
    UpdateKind,
    Verb,
    apply_command,
    expect_words,
    label_withdrawal,
)
from vision.pipeline import VideoTracker

__all__ = ["LiveGame"]


class LiveGame(contextlib.AbstractContextManager["LiveGame"]):
    """A game that is being played; `tilesight.live.open_game` opens one with its journal.

    Parameters
    ----------
    name : str
        Its name in addresses.
    edition : Edition
        The edition.
    journal : Journal or None
        Where each change is written first, and from which the game is resumed; None to keep the game in memory only.
    players : sequence of str, optional
        The names in the order of play; needed without a journal.
    clock_s : float, optional
        Seconds on each clock of a new game.
    title : str
        The line for viewers of a new game.
    rack_delay_s : float
        Seconds before viewers see a rack.
    delay_s : float
        Seconds by which viewers see everything late.
    language : str
        The language of the table's pages; empty for that of the edition.
    has_operator : bool
        Whether an operator checks the game. Notices and uncertain tiles are then recorded too; otherwise only
        changes of the game.
    on_write_error : callable, optional
        Called with the error if the journal cannot be written; the change is then written later. Without it, the change
        is refused with that error.
    now : callable
        Seconds since 1970.
    """

    def __init__(
        self,
        name: str,
        edition: Edition,
        journal: Journal | None,
        *,
        players: Sequence[str] = (),
        clock_s: float | None = None,
        title: str = "",
        rack_delay_s: float = 0.0,
        delay_s: float = 0.0,
        language: str = "",
        has_operator: bool = True,
        on_write_error: Callable[[InputError], None] | None = None,
        now: Callable[[], float] = time.time,
    ) -> None:
        self._lock = threading.RLock()
        # Held briefly inside the other lock, so that readers do not wait for the camera.
        self._entry_lock = threading.Lock()
        self._journal = journal
        self._has_operator = has_operator
        self._on_write_error = on_write_error
        self._now = now
        self._camera = GameCamera()
        self._listeners: list[Callable[[GameState], None]] = []
        self.succession: Callable[[LiveGame, Sequence[str]], None] = refuse_succession
        """Begins the next game on the command ``new-game``, with the words of the command."""
        self._clock_s = clock_s
        names = journal.players if journal is not None else tuple(players)
        self._state = GameState(
            name=name,
            game=Game(edition=edition, players=names),
            operator=OperatorState(racks=((),) * len(names), title=title),
            rack_delay_s=rack_delay_s,
            delay_s=delay_s,
            language_option=language,
            status="no camera",
        )
        self._load()

    def _load(self) -> None:
        """Replay the journal, from the state of a game without events."""
        game, journal = self._state.game, self._journal
        self._changes = ChangeNumbers()
        self._history = History()
        self._withdrawn_at_s: float | None = None  # by the camera, if it is the game's last event
        self._rack_readings = RackReadings()
        if self._clock_s is not None:
            clocks = Clocks(left_s=(self._clock_s,) * len(game.players), at_s=self._now())
            self._state = replace(self._state, operator=replace(self._state.operator, clocks=clocks))
        if journal is not None:
            journal.now = self._now
            self._state = replace(self._state, sequence=journal.last_number - journal.entries)
        self.loaded_states = [(float("-inf"), self._state)]
        """What the journal gave when it was read: each state with its time in seconds since 1970."""
        if journal is not None:
            with translate_read_errors(journal.path):
                now_s = self._now()
                for entry in journal.history(game.edition):
                    events = tuple(limit_time(parse_event(each), now_s) for each in entry.events)
                    self._fold(entry.number, entry.game, events)
                    self.loaded_states.append((min(entry.at_s, now_s), self._state))
        self._writer = JournalWriter(journal, self._state.game, self._on_write_error)

    @property
    def state(self) -> GameState:
        """The current state."""
        return self._state

    @property
    def journal(self) -> Journal | None:
        """The game's journal; None if the game is kept in memory only."""
        return self._journal

    @property
    def tracker(self) -> VideoTracker | None:
        """The tracker that follows the game; None before one is attached."""
        return self._camera.tracker

    @property
    def snapshot(self) -> tuple[Frame, Grid | None] | None:
        """The camera's newest frame with the board's grid; None before the first frame.

        It is set before the frame is processed, which takes seconds: readers do not wait for that.
        """
        return self._camera.snapshot

    @property
    def is_written(self) -> bool:
        """Whether the journal has every event."""
        return self._writer.is_complete

    def events_after(self, sequence: int) -> tuple[GameState, list[tuple[int, list[dict[str, Any]]]]]:
        """Return the state, and the number and JSON events of each journal entry after number `sequence`."""
        with self._entry_lock:
            return self._state, self._journal.events_after(sequence) if self._journal is not None else []

    def add_listener(self, listener: Callable[[GameState], None]) -> None:
        """Call `listener` with each new state, in order, in the thread that made it."""
        with self._lock:
            self._listeners.append(listener)

    # The match

    def set_match(
        self, match: MatchInfo, *, of: Game | None = None, begins: bool = False, last: Board | None = None
    ) -> None:
        """Set what is known of the match, and the `last` board, unless `of` has gone on; record that it `begins`."""
        with self._lock:
            if of is None or of is self._state.game:
                if begins:
                    self._commit(self._state.game, [match.begin(self._state.game.players, self._now())])
                self._update(match=match, last_board=last or self._state.last_board)

    def begin_next(
        self, game: Game, match: MatchInfo, last: ArchivedEvent, archive: Callable[[Journal], None]
    ) -> None:
        """Record the last event of this game, and begin another one with the same title and countdown.

        Parameters
        ----------
        game : Game
            The other game, without events.
        match : MatchInfo
            What is known of its match.
        last : ArchivedEvent
            The last event of this game.
        archive : callable
            Moves the journal of this game away, and begins that of the other one.

        Raises
        ------
        InputError
            If the journal cannot be archived; this game goes on then.
        """
        with self._lock:
            self._commit(self._state.game, [last])
            ended = self._state
            with self._entry_lock:  # readers share the journal's connection, which archiving closes
                if self._journal is not None:
                    archive(self._journal)
                self._state = ended.begin(game, match)
                self._camera.tracker = None
                self._load()
            first = self._journal.players if self._journal is not None else game.players
            events = match.succeed(game.players, first, ended.renamed, ended.operator, self._now())
            self._commit(game, events)

    def close(self) -> None:
        """Write to the journal what could not be written before, if that is possible now, and close it."""
        self._writer.close()

    def __exit__(self, *_: object) -> None:
        self.close()

    # The camera

    def set_fingerprint(self, fingerprint: Callable[[str], str]) -> None:
        """Set what gives the content hash of the file of a frame, by its name; the journal records it."""
        with self._lock:
            self._camera.fingerprint = fingerprint

    def attach(self, tracker: VideoTracker, fingerprint: Callable[[str], str] = lambda _: "") -> None:
        """Follow the game with a tracker for its current state; `fingerprint` is that of `set_fingerprint`."""
        with self._lock:
            self.set_fingerprint(fingerprint)
            self._camera.attach(tracker, self._state.operator)

    def see(self, frame: Frame) -> UpdateBatch | None:
        """Process a frame and record its updates; return them."""
        with self._lock:
            tracker = self._camera.tracker
            if tracker is None:  # another game has begun
                return None
            batch = self._camera.see(frame, tracker)
            self.record(batch)
            self._update(difference=self._camera.difference, status=tracker.state, watching=True)
            return batch

    def interrupt(self, interruption: Interruption) -> UpdateBatch | None:
        """Record that frames are missing, or that they are back; return the updates."""
        with self._lock:
            if self.tracker is None:
                return None
            batch = self.tracker.interrupt(interruption)
            self.record(batch)
            status = "the camera is back" if interruption.over else "waiting for the camera"
            self.set_status(status, watching=False)
            return batch

    def finish(self) -> UpdateBatch | None:
        """Record the last updates after the last frame; return them."""
        with self._lock:
            batch = self.tracker.finish() if self.tracker is not None else None
            self.record(batch)
            self.set_status("the film is over", watching=False)
            return batch

    def set_status(self, status: str, *, watching: bool) -> None:
        """Set what the camera does."""
        with self._lock:
            self._update(status=status, watching=watching)

    def record(self, batch: UpdateBatch | None, by: str = "", confirmed: Sequence[GameEvent] = ()) -> None:
        """Record the updates of one moment, who made them, and which tiles they confirmed; None is ignored.

        Raises
        ------
        InputError
            If the journal cannot be written and there is no `on_write_error`; nothing has changed then.
        """
        with self._lock:
            if batch is None:
                self._writer.retry()
                return
            has_news = self._has_operator or batch.updates or batch.game is not self._state.game
            if not (has_news or confirmed):
                return
            news = to_events(batch, for_operator=self._has_operator) if has_news else []
            events = [*(replace(event, by=by) for event in news), *confirmed]
            self._commit(batch.game, events, self._camera.refer(batch), self._camera.encode_thumbnail())
            if batch.updates and batch.updates[-1].kind is UpdateKind.WITHDRAWN:
                self._withdrawn_at_s = self._now()

    # People

    def apply_command(self, command: Command, *, sequence: int | None = None) -> tuple[GameState, str]:
        """Apply an operator's command; return the state after it, and what to check, if anything.

        Parameters
        ----------
        command : Command
            The command.
        sequence : int, optional
            Number of the state that it was meant for. Clocks, racks and titles may have changed since, the game may
            not.

        Raises
        ------
        SettingsError
            If it does not fit the game.
        StaleCommandError
            If the game has changed since `sequence`.
        InputError
            If the journal cannot be written; nothing has changed then.
        """
        with self._lock:
            label = self._label_withdrawal(command)
            # Who challenges while the camera reports the withdrawal means the play that it takes off.
            if not self._changes.is_current(sequence, self._state.sequence, ignores_last=bool(label)):
                raise StaleCommandError(
                    f"{command}: the game has moved on meanwhile; look again, and repeat it"
                )
            caution = ""
            if command.verb is Verb.NEW_GAME:
                self.succession(self, command.words)
            elif command.verb in OPERATOR_VERBS:
                self._apply_operator_command(command)
            else:
                caution = self._apply_game_command(command, label)
            return self._state, caution

    def _apply_operator_command(self, command: Command) -> None:
        game, operator = self._state.game, self._state.operator
        event = replace(convert_command(command, game, operator, self._now()), by=BY_OPERATOR)
        self._commit(game, [event])
        if command.verb is Verb.START and not self._state.operator.is_provisional:
            self._camera.end_turn()
        if command.verb is Verb.CONFIRM:
            self._camera.lock_tiles(self._state.operator)
        if isinstance(event, RackEvent):
            self._rack_readings.overrule(game.players.index(event.player))

    def _apply_game_command(self, command: Command, label: tuple[GameUpdate, ...]) -> str:
        before = self._state.game
        if command.verb in (Verb.UNDO, Verb.REDO):
            updates = self.step_history(command)
        elif command.verb is Verb.OVERTIME:
            expect_words(command.words, 0, "overtime")
            updates = charge_overtime(before, self._state.clocks(self._now()), self._state.match.overtime)
        elif command.verb is Verb.BOARD and self.tracker is not None:
            updates = self.tracker.explain_command(command)
        else:
            updates = label or apply_command(command, before)
        after = updates[-1].game if updates else before
        changes = [replace(to_event(update, "", -1), by=BY_OPERATOR) for update in updates]
        events: list[GameEvent] = [*changes, *confirm_named(command, before, after)]
        if events:
            self._commit(after, events)
            # After the commit: the tracker learns only what is on disk.
            self._camera.apply_external(updates, self._state.operator)
        self._update(difference=self._camera.difference)
        return find_caution(command, updates)

    def step_history(self, command: Command) -> tuple[GameUpdate, ...]:
        """Return what undo or redo changes in the game, which is not changed yet; SettingsError if nothing."""
        return (self._history.step(command, self._state.game),)

    def _label_withdrawal(self, command: Command) -> tuple[GameUpdate, ...]:
        """Return the update by which a command says why the camera has just seen a play taken off."""
        if self._withdrawn_at_s is None or self._now() - self._withdrawn_at_s > LABEL_WITHIN_S:
            return ()
        return label_withdrawal(command, self._state.game)

    def record_rack(self, player: int, tiles: Sequence[str]) -> None:
        """Record a rack as a camera read it.

        An operator's entry holds until the camera reads something else than it did at that time, or until the player
        plays. An empty entry leaves the rack to the camera again.
        """
        with self._lock:
            name, operator = self._state.game.players[player], self._state.operator
            event = self._rack_readings.read(name, player, tuple(tiles), operator, self._now())
            if event is not None:
                self._commit(self._state.game, [event])

    # The journal

    def _commit(
        self, game: Game, events: Sequence[GameEvent], ref: FrameRef | None = None, thumbnail: bytes = b""
    ) -> None:
        """Write a change to disk, then make it visible."""
        clocks = self._state.operator.clocks
        if clocks is not None:
            events = [*events, *clocks.follow_turn(self._state.game, game, self._now())]
        with self._entry_lock:
            number = self._writer.write(game, events, ref, thumbnail, self._state.sequence)
            self._fold(number, game, tuple(events))
        self._notify()

    def _fold(self, number: int, game: Game, events: tuple[GameEvent, ...]) -> None:
        before, kinds = self._state.game, {event.kind for event in events}
        if (game.events, game.start) != (before.events, before.start) or NewGameEvent.kind in kinds:
            self._changes.add(number)
            self._withdrawn_at_s = None
        self._history.add(before, game, kinds, by_operator=any(event.by == BY_OPERATOR for event in events))
        self._state = replace(
            self._state,
            game=game,
            match=self._state.match.after_entry(events, game.players),
            operator=self._state.operator.after_entry(events, before, game),
            sequence=number,
            events=events,
            renamed=(*self._state.renamed, *list_renamed(events)),
            undoable=self._history.is_undoable,
            redoable=self._history.is_redoable,
        )

    def _update(self, **changes: Any) -> None:
        """Set fields of the state that the journal does not keep; tell the listeners if one differs."""
        if any(getattr(self._state, name) != value for name, value in changes.items()):
            self._state = replace(self._state, **changes)
            self._notify()

    def _notify(self) -> None:
        for listener in self._listeners:
            listener(self._state)
