"""Server-sent events: the changes of a live game for many listeners, who can reconnect and get what they missed.

References
----------
WHATWG HTML, section 9.2, server-sent events: the browser keeps ``id`` and sends it as ``Last-Event-ID`` when it
reconnects.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterator, Sequence
from typing import Any

from starlette.concurrency import run_in_threadpool

from scoring import format_gcg
from tilesight.live import DelayedGame, GameState, LiveGame, Moment, WordList, find_moments, format_field
from tilesight.web.schemas import (
    Change,
    EditionView,
    HallTable,
    MomentView,
    OperatorView,
    Status,
    TableLine,
    TableView,
)
from tilesight.web.serializers import (
    filter_event,
    serialize_edition,
    serialize_for_hall,
    serialize_for_operator,
    serialize_for_viewers,
    serialize_line,
    serialize_moment,
)
from tilesight.web.settings import SETTINGS
from vision.game_events import Command

__all__ = ["GameStream", "SseBroadcaster", "format_change", "format_message"]

KEEP_ALIVE = b"event: alive\ndata: {}\n\n"
"""An event, since a page does not see comments: without one for a while, it connects again."""

Message = tuple[int | None, bytes]
"""The number of a journal entry, or None for a status, and the encoded event."""
Viewer = Callable[[GameState, Sequence[Moment]], None]
"""Gets a state and its moments."""


def format_message(kind: str, data: str, number: int | None = None) -> bytes:
    """Encode one server-sent event."""
    head = f"event: {kind}\n" if number is None else f"id: {number}\nevent: {kind}\n"
    return f"{head}data: {data}\n\n".encode()


def format_change(
    number: int,
    events: list[dict[str, Any]],
    view: TableView | OperatorView | None,
    moments: list[MomentView] | None = None,
) -> bytes:
    """Encode a change of a table.

    Parameters
    ----------
    number : int
        The number of the journal entry.
    events : list of JSON objects
        The entry's events.
    view : TableView or None
        The table after it; None if a later entry follows at once.
    moments : list of MomentView, optional
        The moments of the entry.
    """
    change = Change(sequence=number, events=events, state=view, moments=moments or [])
    return format_message("change", change.model_dump_json(), number)


class SseBroadcaster:
    """Sends messages to many listeners, in the server's event loop.

    Parameters
    ----------
    keep_alive_s : float
        Seconds without a message before an event `alive` is sent.
    """

    def __init__(self, keep_alive_s: float = SETTINGS.keep_alive_s) -> None:
        self._queues: set[asyncio.Queue[Message | None]] = set()
        self._keep_alive_s = keep_alive_s
        self._is_over = False

    @property
    def listeners(self) -> int:
        """Number of listeners."""
        return len(self._queues)

    def send(self, data: bytes, number: int | None = None) -> None:
        """Send a message to all listeners; disconnect those with too many waiting messages."""
        for queue in list(self._queues):
            if queue.full():
                self._queues.discard(queue)
                disconnect(queue)
            else:
                queue.put_nowait((number, data))

    def restart(self) -> None:
        """Disconnect all listeners, whose browsers come back: what follows has numbers from the beginning."""
        for queue in self._queues:
            disconnect(queue)

    def end(self) -> None:
        """Disconnect all listeners."""
        self._is_over = True
        self.restart()

    @contextlib.contextmanager
    def subscribe(self) -> Iterator[asyncio.Queue[Message | None]]:
        """Give a queue in which messages wait from now on."""
        queue: asyncio.Queue[Message | None] = asyncio.Queue(SETTINGS.max_waiting)
        self._queues.add(queue)
        if self._is_over:
            queue.put_nowait(None)
        try:
            yield queue
        finally:
            self._queues.discard(queue)

    async def messages(self, queue: asyncio.Queue[Message | None], after: int) -> AsyncIterator[bytes]:
        """Yield the messages after entry `after` from a queue, with events that keep the connection alive."""
        while True:
            try:
                message = await asyncio.wait_for(queue.get(), self._keep_alive_s)
            except TimeoutError:
                yield KEEP_ALIVE
                continue
            if message is None:
                return
            number, data = message
            if number is None or number > after:
                yield data


def disconnect(queue: asyncio.Queue[Message | None]) -> None:
    """End a listener after the messages that wait for it; without them if there is no room for more."""
    if queue.full():
        while not queue.empty():
            queue.get_nowait()
    queue.put_nowait(None)


class GameStream:
    """A live game with its server-sent events, for viewers and for the operator.

    Parameters
    ----------
    game : LiveGame
        The game.
    now : callable
        Seconds since 1970.
    words : WordList, optional
        The table's word list.
    """

    def __init__(
        self, game: LiveGame, now: Callable[[], float] = time.time, words: WordList | None = None
    ) -> None:
        self.game = game
        self.words = words
        self._now = now
        self.shown = DelayedGame(game, now)
        self._viewers = SseBroadcaster()
        self._operators = SseBroadcaster()
        self._sequence = game.state.sequence
        self._difference = game.state.difference
        self._match = game.state.match
        self._shown_game = game.state.game
        """The game as viewers have it."""
        self._on_viewers_see: list[Viewer] = []
        self._rack_timer: asyncio.TimerHandle | None = None
        self._command_lock = asyncio.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None

    @property
    def name(self) -> str:
        """The table's name."""
        return self.game.state.name

    @property
    def language(self) -> str:
        """The language of the table's pages."""
        return self.game.state.language

    def line(self) -> TableLine:
        """Return the table's entry in the list of tables."""
        return serialize_line(self.shown.state)

    def view(self) -> TableView:
        """Return the table as viewers see it now."""
        return serialize_for_viewers(self.shown.state, self.shown.now_s)

    def hall(self) -> HallTable:
        """Return the table for the page of the hall."""
        return serialize_for_hall(self.shown.state, self.shown.now_s)

    def edition(self) -> EditionView:
        """Return what does not change during the game."""
        return serialize_edition(self.game.state.edition)

    def gcg(self) -> str:
        """Return the game so far in GCG; a `GameError` if it has no such form."""
        return format_gcg(self.shown.state.shown_game)

    def field(self, name: str) -> str:
        """Return a text field; a `KeyError` if there is none of that name."""
        return format_field(name, self.shown.state, self.shown.now_s)

    def open(self, loop: asyncio.AbstractEventLoop) -> None:
        """Start to send the game's changes, in this event loop."""
        self._loop = loop
        before = self.shown.state
        self._shown_game = before.game
        for wait_s, state in self.shown.upcoming:  # recorded before the program was started again
            is_new, has_new_match = state.sequence != before.sequence, state.match != before.match
            loop.call_later(wait_s, self._send_to_viewers, state, is_new, has_new_match)
            before = state
        self._schedule_racks(self.shown.state)
        self.game.add_listener(self._forward)

    def add_viewer(self, viewer: Viewer) -> None:
        """Call `viewer` with each state in the event loop, when viewers see it and when they see more of its racks."""
        self._on_viewers_see.append(viewer)

    def close(self) -> None:
        """Disconnect all listeners."""
        self._loop = None
        self._viewers.end()
        self._operators.end()

    async def apply_command(self, command: Command, sequence: int | None) -> tuple[GameState, str]:
        """Apply a command in a worker thread; see `LiveGame.apply_command`.

        A game that processes a frame makes commands wait. They wait here, where they do not occupy a thread.
        """
        async with self._command_lock:
            return await run_in_threadpool(self.game.apply_command, command, sequence=sequence)

    async def listen(self, last: int | None, *, for_operator: bool) -> AsyncGenerator[bytes, None]:
        """Yield the events of one listener: what it missed, the current state, and what follows.

        Parameters
        ----------
        last : int or None
            Number of the last journal entry that the listener has; None for a new listener.
        for_operator : bool
            Whether the operator's fields are sent too.
        """
        broadcaster = self._operators if for_operator else self._viewers
        with broadcaster.subscribe() as queue:
            since = last if last is not None else self.game.state.sequence
            state, missed = await run_in_threadpool(self.game.events_after, since)
            if not for_operator and self.shown.delay_s:
                state = self.shown.state
                missed = [(number, events) for number, events in missed if number <= state.sequence]
            yield f"retry: {SETTINGS.retry_ms}\n\n".encode()
            for number, events in missed[:-1] if len(missed) <= SETTINGS.max_replayed else ():
                yield self._format_change(number, events, None, for_operator=for_operator)
            latest = missed[-1][1] if missed else []
            yield self._format_change(state.sequence, latest, state, for_operator=for_operator)
            async for data in broadcaster.messages(queue, state.sequence):
                yield data

    def _forward(self, state: GameState) -> None:
        """Pass a state from any thread to the event loop."""
        if self._loop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._send, state)

    def _send(self, state: GameState) -> None:
        has_new_match = state.match != self._match
        differs = state.difference != self._difference or has_new_match
        self._difference, self._match = state.difference, state.match
        if state.sequence == self._sequence:
            if differs and self._operators.listeners:
                self._operators.send(self._format_change(state.sequence, [], state, for_operator=True))
            status = Status(watching=state.watching, status=state.status)
            self._operators.send(format_message("status", status.model_dump_json()))
        elif self._operators.listeners:
            events = [event.to_json() for event in state.events]
            data = self._format_change(state.sequence, events, state, for_operator=True)
            self._operators.send(data, state.sequence)
        is_new, self._sequence = state.sequence != self._sequence, state.sequence
        if self.shown.delay_s and self._loop is not None:
            self._loop.call_later(self.shown.delay_s, self._send_to_viewers, state, is_new, has_new_match)
        else:
            self._send_to_viewers(state, is_new, has_new_match)

    def _send_to_viewers(self, state: GameState, is_new: bool, has_new_match: bool) -> None:
        if not is_new:
            self._tell_viewers(state)
            if has_new_match:
                self._viewers.send(self._format_change(state.sequence, [], state, for_operator=False))
            self._viewers.send(format_message("status", Status(watching=state.watching).model_dump_json()))
            return
        before, self._shown_game = self._shown_game, state.game
        moments = find_moments(before, state.game, [event.kind for event in state.events])
        self._tell_viewers(state, moments)
        if self._viewers.listeners:
            events = [event.to_json() for event in state.events]
            data = self._format_change(state.sequence, events, state, for_operator=False, moments=moments)
            self._viewers.send(data, state.sequence)
        self._schedule_racks(state)

    def _schedule_racks(self, state: GameState) -> None:
        """Send the state again when the delay of a rack is over."""
        if self._rack_timer is not None:
            self._rack_timer.cancel()
            self._rack_timer = None
        now_s = self.shown.now_s
        next_s = state.operator.next_rack_s(now_s, state.rack_delay_s)
        if next_s is not None and self._loop is not None:
            self._rack_timer = self._loop.call_later(next_s - now_s + 0.01, self._send_racks)

    def _tell_viewers(self, state: GameState, moments: Sequence[Moment] = ()) -> None:
        for viewer in self._on_viewers_see:
            viewer(state, moments)

    def _send_racks(self) -> None:
        state = self.shown.state
        self._tell_viewers(state)
        self._viewers.send(self._format_change(state.sequence, [], state, for_operator=False))
        self._schedule_racks(state)

    def _format_change(
        self,
        number: int,
        events: list[dict[str, Any]],
        state: GameState | None,
        *,
        for_operator: bool,
        moments: Sequence[Moment] = (),
    ) -> bytes:
        view: TableView | OperatorView | None = None
        if state is not None:
            if for_operator:
                view = serialize_for_operator(state, self._now(), self.words)
            else:
                view = serialize_for_viewers(state, self.shown.now_s)
        shown = events if for_operator else [filter_event(event) for event in events]
        lines = [serialize_moment(moment, state.game) for moment in moments] if state is not None else []
        return format_change(number, shown, view, lines)
