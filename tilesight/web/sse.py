"""Server-sent events: one table's changes to many listeners, each of whom may come back and hear what was missed.

References
----------
WHATWG HTML, section 9.2, server-sent events: ``id`` is kept by the browser and sent as ``Last-Event-ID`` when it
connects again; a line that begins with a colon keeps the connection alive.

One table on the air: its changes as server-sent events, for viewers and for its operator.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterator
from typing import Any

from starlette.concurrency import run_in_threadpool

from tilesight.live import GameState, LiveGame
from tilesight.web.schemas import Change, DeskView, Status, TableView
from tilesight.web.serializers import desk_view, public_event, table_view
from vision.game_events import Command

__all__ = ["GameStream", "SseBroadcaster", "message"]

KEEP_ALIVE = b": still here\n\n"
KEEP_ALIVE_S = 15.0
MAX_WAITING = 256
"""Messages kept for a listener who does not fetch them; one who lags further comes back and catches up."""


Told = tuple[int | None, bytes]
"""A journal entry's number, where it is one, and the event as it goes over the wire."""


def message(kind: str, data: str, number: int | None = None) -> bytes:
    """One event as it goes over the wire."""
    head = f"event: {kind}\n" if number is None else f"id: {number}\nevent: {kind}\n"
    return f"{head}data: {data}\n\n".encode()


class SseBroadcaster:
    """The listeners of one table; all of it happens in the server's event loop.

    Parameters
    ----------
    keep_alive_s : float
        Seconds of silence before a sign of life.
    """

    def __init__(self, keep_alive_s: float = KEEP_ALIVE_S) -> None:
        self._queues: set[asyncio.Queue[Told | None]] = set()
        self._keep_alive_s = keep_alive_s
        self._over = False

    @property
    def listeners(self) -> int:
        """How many listen."""
        return len(self._queues)

    def send(self, data: bytes, number: int | None = None) -> None:
        """Has everybody hear it; those who lag too far behind are let go, and come back."""
        for queue in list(self._queues):
            try:
                queue.put_nowait((number, data))
            except asyncio.QueueFull:
                self._queues.discard(queue)
                while not queue.empty():
                    queue.get_nowait()
                queue.put_nowait(None)

    def end(self) -> None:
        """Lets everybody go."""
        self._over = True
        for queue in self._queues:
            with contextlib.suppress(asyncio.QueueFull):
                queue.put_nowait(None)

    @contextlib.contextmanager
    def joined(self) -> Iterator[asyncio.Queue[Told | None]]:
        """A place among the listeners: what is sent from now on waits there."""
        queue: asyncio.Queue[Told | None] = asyncio.Queue(MAX_WAITING)
        self._queues.add(queue)
        if self._over:
            queue.put_nowait(None)
        try:
            yield queue
        finally:
            self._queues.discard(queue)

    async def messages(self, queue: asyncio.Queue[Told | None], after: int) -> AsyncIterator[bytes]:
        """What comes for one listener who knows the entries up to `after`, with signs of life in between."""
        while True:
            try:
                told = await asyncio.wait_for(queue.get(), self._keep_alive_s)
            except TimeoutError:
                yield KEEP_ALIVE
                continue
            if told is None:
                return
            number, data = told
            if number is None or number > after:
                yield data


AGAIN_MS = 500
"""How soon a browser that lost the connection tries again."""
MAX_TOLD_AGAIN = 500
"""Entries that are told one by one to somebody who comes back; after more, the state alone says enough."""


class GameStream:
    """A table's two broadcasts.

    Parameters
    ----------
    table : Table
        The table.
    now : callable
        Seconds since 1970.
    """

    def __init__(self, table: LiveGame, now: Callable[[], float] = time.time) -> None:
        self.table = table
        self._now = now
        self._viewers = SseBroadcaster()
        self._desks = SseBroadcaster()
        self._sequence = table.state.sequence
        self._later: asyncio.TimerHandle | None = None
        self._turn = asyncio.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None

    def open(self, loop: asyncio.AbstractEventLoop) -> None:
        """Begins to tell the table's changes, in this event loop."""
        self._loop = loop
        self.table.listen(self._from_any_thread)

    def close(self) -> None:
        """Lets all listeners go."""
        self._loop = None
        self._viewers.end()
        self._desks.end()

    async def apply_command(self, command: Command, sequence: int | None) -> GameState:
        """Has the table obey; see `LiveGame.apply_command`.

        While its camera looks, a table keeps commands waiting: here, so that they take no thread that others need.
        """
        async with self._turn:
            return await run_in_threadpool(self.table.apply_command, command, sequence=sequence)

    def view(self, state: GameState, *, desk: bool) -> TableView | DeskView:
        """The table as viewers, or its operator, may see it now."""
        return desk_view(state, self._now()) if desk else table_view(state, self._now())

    async def listen(self, last: int | None, *, desk: bool) -> AsyncGenerator[bytes, None]:
        """A listener's events: what was missed since entry `last`, the table as it stands, and what comes."""
        broadcast = self._desks if desk else self._viewers
        with broadcast.joined() as queue:
            since = last if last is not None else self.table.state.sequence
            state, missed = await run_in_threadpool(self.table.told_after, since)
            yield f"retry: {AGAIN_MS}\n\n".encode()
            for number, events in missed[:-1] if len(missed) <= MAX_TOLD_AGAIN else ():
                yield self._change(number, events, None, desk=desk)
            told = missed[-1][1] if missed else []
            yield self._change(state.sequence, told, state, desk=desk)
            async for data in broadcast.messages(queue, state.sequence):
                yield data

    def _from_any_thread(self, state: GameState) -> None:
        if self._loop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._told, state)

    def _told(self, state: GameState) -> None:
        if state.sequence == self._sequence:
            status = Status(watching=state.watching, status=state.status)
            self._desks.send(message("status", status.model_dump_json()))
            self._viewers.send(message("status", Status(watching=state.watching).model_dump_json()))
            return
        self._sequence = state.sequence
        for broadcast, desk in ((self._viewers, False), (self._desks, True)):
            if broadcast.listeners:
                data = self._change(state.sequence, list(state.announced), state, desk=desk)
                broadcast.send(data, state.sequence)
        self._show_racks_later(state)

    def _show_racks_later(self, state: GameState) -> None:
        """Sends the table again when a rack's delay is over."""
        if self._later is not None:
            self._later.cancel()
            self._later = None
        now_s = self._now()
        next_s = state.desk.next_rack_s(now_s, state.rack_delay_s)
        if next_s is not None and self._loop is not None:
            self._later = self._loop.call_later(next_s - now_s + 0.01, self._show_racks)

    def _show_racks(self) -> None:
        state = self.table.state
        if state.sequence == self._sequence:
            self._viewers.send(self._change(state.sequence, [], state, desk=False))
        self._show_racks_later(state)

    def _change(
        self, number: int, events: list[dict[str, Any]], state: GameState | None, *, desk: bool
    ) -> bytes:
        change = Change(
            sequence=number,
            events=events if desk else [public_event(event) for event in events],
            state=self.view(state, desk=desk) if state is not None else None,
        )
        return message("change", change.model_dump_json(), number)
