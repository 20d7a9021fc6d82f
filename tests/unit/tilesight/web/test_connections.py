"""Silent connections, too many of them, and those behind a proxy."""

from __future__ import annotations

import contextlib
import resource
import socket
import time
from collections.abc import Iterator
from dataclasses import replace
from http.client import HTTPException
from pathlib import Path
from typing import Any

import pytest

from tests.support.on_air import RunningServer, open_table, send_commands, serve_tables
from tests.support.serving import wait_until
from tilesight.web.access.security import SecurityMiddleware
from tilesight.web.connections import limit_connections, quiet_accept_errors
from tilesight.web.settings import SETTINGS


@pytest.fixture
def hasty(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[RunningServer]:
    """A server that waits for a head for a second."""
    monkeypatch.setattr("tilesight.web.connections.SETTINGS", replace(SETTINGS, head_timeout_s=1.0))
    with serve_tables(open_table(tmp_path)) as running:
        yield running


def is_answered(air: RunningServer) -> bool:
    """Whether the server answers; it may not have seen yet that others are closed, or cut a slow one as well."""
    with contextlib.suppress(OSError, HTTPException):
        return air.request("GET", "/api/tables")[0] == 200
    return False


def is_closed(connection: socket.socket) -> bool:
    connection.settimeout(30.0)
    try:
        return connection.recv(4096) == b""
    except ConnectionResetError:
        return True
    except TimeoutError:
        return False


def test_a_connection_without_a_whole_head_is_cut(hasty: RunningServer) -> None:
    heads = (b"", b"GET /api/tables HTTP/1.1\r\nHost: loc", b"GET / HTTP/1.1\r\nHost: localhost\r\n")
    connections = []
    for sent in heads * 20:
        connections.append(socket.create_connection(("127.0.0.1", hasty.port)))
        connections[-1].sendall(sent)
    assert all(is_closed(connection) for connection in connections)
    wait_until(lambda: is_answered(hasty))


def send_slowly(connection: socket.socket, data: bytes) -> None:
    for byte in data:
        connection.sendall(bytes([byte]))
        time.sleep(0.05)


def test_a_head_that_comes_byte_by_byte_is_cut_too(hasty: RunningServer) -> None:
    with socket.create_connection(("127.0.0.1", hasty.port)) as connection:
        connection.sendall(b"GET /api/tables HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert connection.recv(65536).startswith(b"HTTP/1.1 200")
        with pytest.raises(OSError, match=r"reset|pipe"):
            send_slowly(connection, b"GET /api/tables HTTP/1.1\r\nX: " + b"a" * 600)


def test_a_stream_of_events_is_not_cut(hasty: RunningServer) -> None:
    with hasty.events("/api/tables/final/events") as events:
        assert next(events)["state"]["sequence"] == 0
        time.sleep(1.5)
        send_commands(hasty.tables["final"], "pass")
        assert next(events)["state"]["sequence"] == 1


def test_more_connections_than_the_limit_are_cut_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tilesight.web.connections.SETTINGS", replace(SETTINGS, max_connections=5))
    with serve_tables(open_table(tmp_path)) as air:
        held = [socket.create_connection(("127.0.0.1", air.port)) for _ in range(5)]
        assert is_closed(socket.create_connection(("127.0.0.1", air.port)))
        for connection in held:
            connection.close()
        wait_until(lambda: is_answered(air))


def test_connections_leave_descriptors_for_journals(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(resource, "getrlimit", lambda _: (256, 256))
    made: Any = limit_connections(frozenset())
    assert made.open_connections._max_total == 256 - SETTINGS.kept_descriptors


def test_strangers_are_counted_by_their_address() -> None:
    made: Any = limit_connections(frozenset({"10.0.0.9"}))
    taken = [made.open_connections.take("10.0.0.1") for _ in range(SETTINGS.max_connections_per_address + 1)]
    assert taken[-2:] == [True, False]
    assert made.open_connections.take("10.0.0.2")


def test_a_full_table_of_files_is_reported_once() -> None:
    class Loop:
        def set_exception_handler(self, handler: Any) -> None:
            self.handler = handler

        def default_exception_handler(self, context: dict[str, Any]) -> None:
            others.append(context)

    loop: Any = Loop()
    notes: list[str] = []
    others: list[dict[str, Any]] = []
    quiet_accept_errors(loop, notes.append)
    for _ in range(1000):
        loop.handler(loop, {"message": "socket.accept() out of system resource"})
    loop.handler(loop, {"message": "something else"})
    assert len(notes) == 1
    assert len(others) == 1


def test_strangers_use_up_nothing_of_the_operators(tmp_path: Path) -> None:
    with serve_tables(open_table(tmp_path)) as air:
        strangers: list[int] = []
        while 429 not in strangers and len(strangers) < 2000:  # a busy machine reaches the limit later
            strangers.append(air.request("POST", "/api/tables/final/commands", {"verb": "pass"})[0])
        assert set(strangers) == {401, 429}
        assert air.send_command("final", "pass")[0] == 200


def client_of(headers: dict[str, str], proxies: tuple[str, ...], peer: str = "10.0.0.9") -> tuple[str, str]:
    """The address and the scheme that a request has for the application."""
    scope: dict[str, Any] = {"client": (peer, 1), "scheme": "http"}
    made = SecurityMiddleware(lambda *_: None, (), proxies=proxies)  # type: ignore[arg-type]
    made._believe_proxy(scope, headers)
    return scope["client"][0], scope["scheme"]


@pytest.mark.parametrize(
    ("headers", "proxies", "expected"),
    [
        ({"x-forwarded-for": "8.8.8.8"}, (), ("10.0.0.9", "http")),
        ({"x-forwarded-for": "8.8.8.8", "x-forwarded-proto": "https"}, ("10.0.0.9",), ("8.8.8.8", "https")),
        ({"x-forwarded-for": "1.1.1.1, 8.8.8.8"}, ("10.0.0.9",), ("8.8.8.8", "http")),
        ({"x-forwarded-for": "1.1.1.1, 10.0.0.8"}, ("10.0.0.9", "10.0.0.8"), ("1.1.1.1", "http")),
        ({"x-forwarded-for": "<script>"}, ("10.0.0.9",), ("10.0.0.9", "http")),
        ({}, ("10.0.0.9",), ("10.0.0.9", "http")),
    ],
)
def test_only_a_named_proxy_is_believed(
    headers: dict[str, str], proxies: tuple[str, ...], expected: tuple[str, str]
) -> None:
    assert client_of(headers, proxies) == expected
    assert client_of(headers, proxies, "::ffff:10.0.0.9")[1] == expected[1], "a socket of IPv6 names it so"
