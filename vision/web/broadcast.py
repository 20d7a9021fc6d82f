"""Server-sent events: one table's changes to many listeners, each of whom may come back and hear what was missed.

References
----------
WHATWG HTML, section 9.2, server-sent events: ``id`` is kept by the browser and sent as ``Last-Event-ID`` when it
connects again; a line that begins with a colon keeps the connection alive.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Iterator

__all__ = ["Broadcast", "message"]

KEEP_ALIVE = b": still here\n\n"
KEEP_ALIVE_S = 15.0
MOST_WAITING = 256
"""Messages kept for a listener who does not fetch them; one who lags further comes back and catches up."""


Told = tuple[int | None, bytes]
"""A journal entry's number, where it is one, and the event as it goes over the wire."""


def message(kind: str, data: str, number: int | None = None) -> bytes:
    """One event as it goes over the wire."""
    head = f"event: {kind}\n" if number is None else f"id: {number}\nevent: {kind}\n"
    return f"{head}data: {data}\n\n".encode()


class Broadcast:
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
        queue: asyncio.Queue[Told | None] = asyncio.Queue(MOST_WAITING)
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
