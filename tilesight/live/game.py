"""One table: a game, its desk and its journal, told by a camera and by people, one after the other.

Every change is on disk before anybody hears of it. The camera's thread and the web server's come through one lock.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from scoring import Edition, Game
from tilesight.live.journal import FrameRef, Journal
from tilesight.live.operator_state import DESK_VERBS, Clocks, OperatorState, SquareDoubt, event_of_command
from tilesight.live.state import GameState
from tilesight.output import to_event
from vision.capture import Frame, Interruption
from vision.core import Grid
from vision.errors import SettingsError
from vision.game_events import Command, GameUpdate, NoticeKind, UpdateBatch, UpdateKind, Verb, apply_command
from vision.pipeline import VideoTracker

__all__ = ["LiveGame", "MovedOnError"]

DOUBTED_BELOW = 0.9
"""A tile that is less likely than this to be what it was read as asks for a second look."""
MIN_OTHER = 0.02
CUT = {NoticeKind.INTERRUPTED, NoticeKind.RETURNED, NoticeKind.UNREADABLE}


class MovedOnError(SettingsError):
    """A command that was meant for an earlier state of the game."""


class LiveGame:
    """A game on air.

    Parameters
    ----------
    name : str
        Its name in addresses.
    edition : Edition
        Whose rules.
    journal : Journal
        Where every change goes first, and where the game goes on from.
    clock_s : float, optional
        Seconds on each clock of a new game.
    title : str
        The line for viewers of a new game.
    rack_delay_s : float
        Seconds before viewers see a rack.
    now : callable
        Seconds since 1970.
    """

    def __init__(
        self,
        name: str,
        edition: Edition,
        journal: Journal,
        *,
        clock_s: float | None = None,
        title: str = "",
        rack_delay_s: float = 0.0,
        now: Callable[[], float] = time.time,
    ) -> None:
        self._lock = threading.RLock()
        # Held for moments within the other, so that who only asks waits for no camera.
        self._record = threading.Lock()
        self._journal = journal
        self._now = now
        self._watch: VideoTracker | None = None
        self._fingerprint: Callable[[str], str] = lambda _: ""
        self._view: tuple[Frame, Grid | None] | None = None
        self._listeners: list[Callable[[GameState], None]] = []
        self._read_racks: dict[int, tuple[str, ...]] = {}
        self._overruled: dict[int, tuple[str, ...] | None] = {}
        self._game_since = 0
        """The entry that the game is as it is since."""
        self._past: list[Game] = []
        self._future: list[Game] = []
        players = journal.players
        clocks = Clocks(left_s=(clock_s,) * len(players), at_s=now()) if clock_s is not None else None
        self._state = GameState(
            name=name,
            game=Game(edition=edition, players=players),
            desk=OperatorState(racks=((),) * len(players), clocks=clocks, title=title),
            rack_delay_s=rack_delay_s,
            status="no camera",
        )
        for entry in journal.history(edition):
            self._fold(entry.number, entry.game, entry.announced)

    @property
    def state(self) -> GameState:
        """The table now."""
        return self._state

    @property
    def journal(self) -> Journal:
        """Where the game is kept."""
        return self._journal

    @property
    def view(self) -> tuple[Frame, Grid | None] | None:
        """The camera's newest frame, and where the board lies in it; None before the first."""
        return self._view  # a camera's look takes seconds; whoever wants a picture does not wait for it

    def told_after(self, sequence: int) -> tuple[GameState, list[tuple[int, list[dict[str, Any]]]]]:
        """The table now, and what every journal entry after that one told."""
        with self._record:
            return self._state, self._journal.told_after(sequence)

    def listen(self, listener: Callable[[GameState], None]) -> None:
        """Has every new state told to `listener`, in order, by the thread that made it."""
        with self._lock:
            self._listeners.append(listener)

    # The camera

    def follow_with(self, watch: VideoTracker, fingerprint: Callable[[str], str] = lambda _: "") -> None:
        """Has the frames explained by `watch`, which knows this table's game.

        Parameters
        ----------
        watch : FilmWatch
            What follows the game.
        fingerprint : callable
            What tells the file that shows a frame from all others, by its name.
        """
        with self._lock:
            self._fingerprint = fingerprint
            self._keep_to_what_was_said(watch)
            watch.expect_removal(self._state.desk.removed_by_user)
            self._watch = watch
            self._view = (self._view[0], None) if self._view is not None else None

    def see(self, frame: Frame) -> None:
        """Takes in a frame."""
        with self._lock:
            assert self._watch is not None
            self._view = (frame, self._watch.grid)
            batch = self._watch.see(frame)
            if self._watch.grid is not self._view[1]:
                self._view = (frame, self._watch.grid)
            self._take(batch)
            self.say(self._watch.state, watching=True)

    def interrupt(self, interruption: Interruption) -> None:
        """Takes in word that frames are missing, or come again."""
        with self._lock:
            assert self._watch is not None
            self._take(self._watch.interrupt(interruption))
            self.say("the camera is back" if interruption.over else "waiting for the camera", watching=False)

    def finish(self) -> None:
        """Takes in what the last frame tells, now that none follows."""
        with self._lock:
            if self._watch is not None:
                self._take(self._watch.finish())
            self.say("the film is over", watching=False)

    def say(self, status: str, *, watching: bool) -> None:
        """Says what the camera does."""
        with self._lock:
            if (status, watching) != (self._state.status, self._state.watching):
                self._state = replace(self._state, status=status, watching=watching)
                self._tell()

    def _take(self, batch: UpdateBatch | None) -> None:
        if batch is None:
            return
        events = [to_event(item, batch.source, batch.index, batch.time_s) for item in batch.items]
        for event, item in zip(events, batch.items, strict=True):
            if isinstance(item, GameUpdate):
                doubts = doubts_of(item, batch)
                if doubts:
                    event["doubts"] = [doubt.to_record() for doubt in doubts]
            elif item.kind in CUT:
                # What the system says of a file or a camera is for its own screen, not for the journal of a game.
                event["message"] = "frames come again" if event["event"] == "returned" else "no picture"
        place = FrameRef(
            frame=batch.index,
            time_s=batch.time_s or 0.0,
            file=batch.source,
            fingerprint=self._fingerprint(batch.source),
        )
        self._commit(batch.game, events, place, self._understood())

    def _understood(self) -> bytes:
        reference = self._watch.reference if self._watch is not None else None
        return reference.to_bytes() if reference is not None else b""

    def _keep_to_what_was_said(self, watch: VideoTracker) -> None:
        watch.lock_squares([(row, column) for row, column, _ in sorted(self._state.desk.locked)])

    # People

    def apply_command(self, command: Command, *, sequence: int | None = None) -> GameState:
        """Does what somebody at the desk says; the state after it.

        Parameters
        ----------
        command : Command
            What to do.
        sequence : int, optional
            The state that it was meant for; clocks, racks and titles may have changed since, the game may not.

        Raises
        ------
        SettingsError
            If it makes no sense in this game.
        MovedOnError
            If the game has another state by now.
        InputError
            If the journal cannot be written; nothing has changed then.
        """
        with self._lock:
            if sequence is not None and not self._game_since <= sequence <= self._state.sequence:
                raise MovedOnError(f"{command}: the game has moved on meanwhile; look again, and repeat it")
            if command.verb in DESK_VERBS:
                state = self._state
                event = event_of_command(command, state.game, state.desk, self._now())
                self._commit(state.game, [event | {"by": "desk"}])
                if command.verb is Verb.CONFIRM and self._watch is not None:
                    self._keep_to_what_was_said(self._watch)
                if command.verb is Verb.RACK:
                    player = state.game.players.index(event["player"])
                    self._overruled[player] = self._read_racks.get(player)
                return self._state
            if command.verb in (Verb.UNDO, Verb.REDO):
                updates = self._turned_back(command)
            else:
                updates = apply_command(command, self._state.game)
            if updates:
                events = [to_event(update, "", -1) | {"by": "desk"} for update in updates]
                self._commit(updates[-1].game, events)
                if self._watch is not None:
                    # Only what is on disk has happened.
                    self._watch.apply_external(updates)
                    self._keep_to_what_was_said(self._watch)
            return self._state

    def tell_rack(self, player: int, tiles: Sequence[str]) -> None:
        """Takes in what a rack camera read.

        What the desk says of a rack holds until the camera reads something else than it did then, or the player plays;
        a rack that the desk says is not known is the camera's again.
        """
        with self._lock:
            name, now_s, read = self._state.game.players[player], self._now(), tuple(tiles)
            self._read_racks[player] = read
            if read == self._state.desk.rack(player, now_s):
                return
            newest = self._state.desk.racks[player][-1:]
            if newest and newest[0].by == "desk" and newest[0].tiles:
                if self._overruled.get(player) is None:
                    self._overruled[player] = read
                if self._overruled[player] == read:
                    return
            event = {
                "event": "rack",
                "player": name,
                "tiles": list(tiles),
                "at_s": round(now_s, 3),
                "by": "camera",
            }
            self._commit(self._state.game, [event])

    def _turned_back(self, command: Command) -> tuple[GameUpdate, ...]:
        """The step back, or forth, as a update."""
        back = command.verb is Verb.UNDO
        games = self._past if back else self._future
        if command.words:
            raise SettingsError(f"{command}: write {command.verb} alone")
        if not games:
            raise SettingsError(f"{command.verb}: nothing is there to {command.verb}")
        kind = UpdateKind.UNDONE if back else UpdateKind.REDONE
        return (GameUpdate(kind=kind, game=games[-1], message=changed_between(self._state.game, games[-1])),)

    # The record

    def _commit(
        self, game: Game, events: list[dict[str, Any]], place: FrameRef | None = None, view: bytes = b""
    ) -> None:
        """Puts a change on disk, then shows it."""
        before = self._state.game
        events = [*events, *self._clocks_turned(before, game)]
        with self._record:
            number = self._journal.record(before, game, events, place, view)
            self._fold(number, game, tuple(events))
        self._tell()

    def _clocks_turned(self, before: Game, after: Game) -> list[dict[str, Any]]:
        """The running clock goes over to whoever is on turn, and stops at the end."""
        clocks = self._state.desk.clocks
        if clocks is None or clocks.running is None:
            return []
        if after.ending is not None and before.ending is None:
            return [clocks.run(None, self._now()).to_event()]
        if before.turn != after.turn:
            return [clocks.run(after.turn, self._now()).to_event()]
        return []

    def _fold(self, number: int, game: Game, announced: tuple[dict[str, Any], ...]) -> None:
        before, desk = self._state.game, self._state.desk
        if game.events != before.events or game.start != before.start:
            self._game_since = number
        kinds = {event["event"] for event in announced}
        if "undone" in kinds and self._past:
            self._future.append(before)
            self._past.pop()
        elif "redone" in kinds and self._future:
            self._past.append(before)
            self._future.pop()
        elif game.events != before.events or game.start != before.start:
            self._past.append(before)
            self._future.clear()
        desk = desk.after_entry(announced, before, game)
        self._state = replace(
            self._state,
            game=game,
            desk=desk,
            sequence=number,
            announced=announced,
            undoable=bool(self._past),
            redoable=bool(self._future),
        )

    def _tell(self) -> None:
        for listener in self._listeners:
            listener(self._state)


def doubts_of(update: GameUpdate, batch: UpdateBatch) -> list[SquareDoubt]:
    """The tiles of a play that may have been misread, and blanks that nobody can name."""
    if update.kind is not UpdateKind.PLAY or update.step is None or update.step.scored is None:
        return []
    doubts = []
    decoded = batch.observation.decoded if batch.observation is not None else None
    for tile in update.step.scored.play:
        square = (tile.row, tile.column)
        others: tuple[tuple[str, float], ...] = ()
        confidence = 1.0
        if decoded is not None:
            candidates = {each.token: each.probability for each in decoded.alternatives.get(square, ())}
            confidence = candidates.pop(tile.token, float(decoded.confidence[square]))
            others = tuple((token, share) for token, share in candidates.items() if share >= MIN_OTHER)
        if confidence < DOUBTED_BELOW or tile.token == "?":
            doubts.append(
                SquareDoubt(
                    row=tile.row, column=tile.column, token=tile.token, confidence=confidence, others=others
                )
            )
    return doubts


def changed_between(now: Game, then: Game) -> str:
    """What differs between two games, in a few words."""
    if len(now.events) != len(then.events):
        longer = max(now, then, key=lambda game: len(game.events))
        step = longer.steps[min(len(now.events), len(then.events))]
        what = step.scored.position + " " + step.scored.main_word.text if step.scored else step.event.kind
        return f"{longer.players[step.event.player]}: {what}"
    return "a correction"
