"""The server's connections: counted, with time limits for what arrives, so that none is held without a request."""

from __future__ import annotations

import asyncio
import contextlib
import resource
import time
from collections import Counter
from collections.abc import Callable
from typing import Any, ClassVar, cast

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from tilesight.web.access import normalise_address, spell_address
from tilesight.web.settings import SETTINGS

__all__ = ["GuardedProtocol", "limit_connections", "quiet_accept_errors"]


class OpenConnections:
    """Counts the connections of a server.

    Parameters
    ----------
    max_total : int
        Connections at once.
    """

    def __init__(self, max_total: int) -> None:
        self._max_total = max_total
        self._held: Counter[str] = Counter()

    def take(self, address: str) -> bool:
        """Count a connection of an address; return False if there are too many. The empty address may have all."""
        is_full = bool(address) and self._held[address] >= SETTINGS.max_connections_per_address
        if is_full or self._held.total() >= self._max_total:
            return False
        self._held[address] += 1
        return True

    def give_back(self, address: str) -> None:
        """Count a connection of an address no more."""
        self._held[address] -= 1
        if self._held[address] <= 0:
            del self._held[address]


class GuardedProtocol(H11Protocol):
    """HTTP/1.1 with a limit on connections, and on the time for a request's head."""

    open_connections: ClassVar[OpenConnections] = OpenConnections(SETTINGS.max_connections)
    trusted: ClassVar[frozenset[str]] = frozenset()

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._address: str | None = None
        self._head_timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Take a connection, or cut it if there are too many."""
        super().connection_made(transport)
        host = self.client[0] if self.client else ""
        # A proxy holds the connections of all its viewers.
        address = "" if spell_address(host) in self.trusted else normalise_address(host)
        if not self.open_connections.take(address):
            transport.abort()
            return
        self._address = address
        self._watch_head()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the connection."""
        self._stop_timer()
        if self._address is not None:
            self.open_connections.give_back(self._address)
            self._address = None
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Take in data; the head of a request must be whole in time."""
        super().data_received(data)
        self._watch_head()

    def on_response_complete(self) -> None:
        """Wait for the next request."""
        super().on_response_complete()
        self._watch_head()

    def _watch_head(self) -> None:
        if self.transport.is_closing():
            return
        if self.conn.their_state is not h11.IDLE:
            self._stop_timer()
        elif self._head_timer is None:
            self._head_timer = self.loop.call_later(SETTINGS.head_timeout_s, self._cut)

    def _cut(self) -> None:
        self._head_timer = None
        if not self.transport.is_closing():
            self.transport.abort()

    def _stop_timer(self) -> None:
        if self._head_timer is not None:
            self._head_timer.cancel()
            self._head_timer = None

    def _unsupported_upgrade_warning(self) -> None:
        """Say nothing: web sockets are not offered."""


def limit_connections(
    trusted: frozenset[str], max_viewers: int = SETTINGS.max_streams
) -> type[asyncio.Protocol]:
    """Return the protocol of a server, which keeps some descriptors free for journals and cameras.

    Parameters
    ----------
    trusted : frozenset of str
        Addresses of proxies, as `spell_address` gives them.
    max_viewers : int
        Viewers at once; each has a connection for its events, and others for a moment.
    """
    max_connections = SETTINGS.max_connections + max(0, max_viewers - SETTINGS.max_streams)
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = max_connections + SETTINGS.kept_descriptors
    if hard == resource.RLIM_INFINITY or hard > soft:
        soft = max(soft, wanted if hard == resource.RLIM_INFINITY else min(hard, wanted))
        with contextlib.suppress(ValueError, OSError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    n_free = max(SETTINGS.min_connections, soft - SETTINGS.kept_descriptors)
    limit = OpenConnections(min(max_connections, n_free))
    made = type("ServerProtocol", (GuardedProtocol,), {"open_connections": limit, "trusted": trusted})
    return cast("type[asyncio.Protocol]", made)


def quiet_accept_errors(loop: asyncio.AbstractEventLoop, notify: Callable[[str], None]) -> None:
    """Report that no connection could be accepted once a minute, not each time.

    Parameters
    ----------
    loop : AbstractEventLoop
        The server's event loop.
    notify : callable
        Called with one line for the user.
    """
    last_s = -SETTINGS.accept_error_every_s

    def handle(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        nonlocal last_s
        if "accept() out of system resource" not in context.get("message", ""):
            loop.default_exception_handler(context)
            return
        if time.monotonic() - last_s >= SETTINGS.accept_error_every_s:
            last_s = time.monotonic()
            notify("no more connections can be opened: this machine's limit on open files is reached")

    loop.set_exception_handler(handle)
