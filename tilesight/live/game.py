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
from tilesight.live.game_camera import GameCamera
from tilesight.live.history import StaleCommandError
from tilesight.live.journal import Journal
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
from tilesight.live.recorder import GameRecorder
from tilesight.live.state import GameState
from tilesight.output import BY_OPERATOR, ArchivedEvent, GameEvent, RackEvent, to_event
from vision.capture import Frame, Interruption
from vision.core import Grid
from vision.errors import InputError
from vision.game_events import (
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
        self._has_operator = has_operator
        self._now = now
        self._camera = GameCamera()
        self._rack_readings = RackReadings()
        self.succession: Callable[[LiveGame, Sequence[str]], None] = refuse_succession
        """Begins the next game on the command ``new-game``, with the words of the command."""
        names = journal.players if journal is not None else tuple(players)
        state = GameState(
            name=name,
            game=Game(edition=edition, players=names),
            operator=OperatorState(racks=((),) * len(names), title=title),
            rack_delay_s=rack_delay_s,
            delay_s=delay_s,
            language_option=language,
            status="no camera",
        )
        self._recorder = GameRecorder(state, journal, clock_s=clock_s, on_write_error=on_write_error, now=now)

    @property
    def state(self) -> GameState:
        """The current state."""
        return self._recorder.state

    @property
    def loaded_states(self) -> list[tuple[float, GameState]]:
        """What the journal gave when it was read: each state with its time in seconds since 1970."""
        return self._recorder.loaded_states

    @property
    def journal(self) -> Journal | None:
        """The game's journal; None if the game is kept in memory only."""
        return self._recorder.journal

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
        return self._recorder.is_written

    def events_after(self, sequence: int) -> tuple[GameState, list[tuple[int, list[dict[str, Any]]]]]:
        """Return the state, and the number and JSON events of each journal entry after number `sequence`."""
        return self._recorder.events_after(sequence)

    def add_listener(self, listener: Callable[[GameState], None]) -> None:
        """Call `listener` with each new state, in order, in the thread that made it."""
        with self._lock:
            self._recorder.add_listener(listener)

    # The match

    def set_match(
        self, match: MatchInfo, *, of: Game | None = None, begins: bool = False, last: Board | None = None
    ) -> None:
        """Set what is known of the match, and the `last` board, unless `of` has gone on; record that it `begins`."""
        with self._lock:
            if of is None or of is self.state.game:
                if begins:
                    self._recorder.commit(
                        self.state.game, [match.begin(self.state.game.players, self._now())]
                    )
                self._recorder.update(match=match, last_board=last or self.state.last_board)

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
            self._recorder.commit(self.state.game, [last])
            ended = self.state
            self._recorder.begin(game, match, archive)
            self._camera.tracker = None
            self._rack_readings = RackReadings()
            first = self.journal.players if self.journal is not None else game.players
            events = match.succeed(game.players, first, ended.renamed, ended.operator, self._now())
            self._recorder.commit(game, events)

    def close(self) -> None:
        """Write to the journal what could not be written before, if that is possible now, and close it."""
        self._recorder.close()

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
            self._camera.attach(tracker, self.state.operator)

    def see(self, frame: Frame) -> UpdateBatch | None:
        """Process a frame and record its updates; return them."""
        with self._lock:
            tracker = self._camera.tracker
            if tracker is None:  # another game has begun
                return None
            batch = self._camera.see(frame, tracker)
            self.record(batch)
            self._recorder.update(difference=self._camera.difference, status=tracker.state, watching=True)
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
            self._recorder.update(status=status, watching=watching)

    def record(self, batch: UpdateBatch | None, by: str = "", confirmed: Sequence[GameEvent] = ()) -> None:
        """Record the updates of one moment, who made them, and which tiles they confirmed; None is ignored.

        Raises
        ------
        InputError
            If the journal cannot be written and there is no `on_write_error`; nothing has changed then.
        """
        with self._lock:
            if batch is None:
                self._recorder.retry()
                return
            has_news = self._has_operator or batch.updates or batch.game is not self.state.game
            if not (has_news or confirmed):
                return
            news = to_events(batch, for_operator=self._has_operator) if has_news else []
            events = [*(replace(event, by=by) for event in news), *confirmed]
            self._recorder.commit(
                batch.game, events, self._camera.refer(batch), self._camera.encode_thumbnail()
            )
            if batch.updates and batch.updates[-1].kind is UpdateKind.WITHDRAWN:
                self._recorder.note_withdrawal()

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
            if not self._recorder.is_current(sequence, ignores_last=bool(label)):
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
            return self.state, caution

    def _apply_operator_command(self, command: Command) -> None:
        game, operator = self.state.game, self.state.operator
        event = replace(convert_command(command, game, operator, self._now()), by=BY_OPERATOR)
        self._recorder.commit(game, [event])
        if command.verb is Verb.START and not self.state.operator.is_provisional:
            self._camera.end_turn()
        if command.verb is Verb.CONFIRM:
            self._camera.lock_tiles(self.state.operator)
        if isinstance(event, RackEvent):
            self._rack_readings.overrule(game.players.index(event.player))

    def _apply_game_command(self, command: Command, label: tuple[GameUpdate, ...]) -> str:
        before = self.state.game
        if command.verb in (Verb.UNDO, Verb.REDO):
            updates = self.step_history(command)
        elif command.verb is Verb.OVERTIME:
            expect_words(command.words, 0, "overtime")
            updates = charge_overtime(before, self.state.clocks(self._now()), self.state.match.overtime)
        elif command.verb is Verb.BOARD and self.tracker is not None:
            updates = self.tracker.explain_command(command)
        else:
            updates = label or apply_command(command, before)
        after = updates[-1].game if updates else before
        changes = [replace(to_event(update, "", -1), by=BY_OPERATOR) for update in updates]
        events: list[GameEvent] = [*changes, *confirm_named(command, before, after)]
        if events:
            self._recorder.commit(after, events)
            # After the commit: the tracker learns only what is on disk.
            self._camera.apply_external(updates, self.state.operator)
        self._recorder.update(difference=self._camera.difference)
        return find_caution(command, updates)

    def step_history(self, command: Command) -> tuple[GameUpdate, ...]:
        """Return what undo or redo changes in the game, which is not changed yet; SettingsError if nothing."""
        return (self._recorder.step_history(command),)

    def _label_withdrawal(self, command: Command) -> tuple[GameUpdate, ...]:
        """Return the update by which a command says why the camera has just seen a play taken off."""
        return label_withdrawal(command, self.state.game) if self._recorder.has_just_withdrawn else ()

    def record_rack(self, player: int, tiles: Sequence[str]) -> None:
        """Record a rack as a camera read it.

        An operator's entry holds until the camera reads something else than it did at that time, or until the player
        plays. An empty entry leaves the rack to the camera again.
        """
        with self._lock:
            name, operator = self.state.game.players[player], self.state.operator
            event = self._rack_readings.read(name, player, tuple(tiles), operator, self._now())
            if event is not None:
                self._recorder.commit(self.state.game, [event])
