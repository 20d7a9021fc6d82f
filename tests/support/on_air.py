"""A server with tables, for tests and benchmarks: real sockets, a real journal, any number of tables."""

from __future__ import annotations

import contextlib
import json
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from http.client import HTTPConnection, HTTPResponse
from pathlib import Path
from typing import Any

from scoring import load_edition
from tilesight.live import LiveGame
from tilesight.live.journal import Journal
from tilesight.web.app import make_app
from tilesight.web.context import Calibrator
from tilesight.web.security import ConsoleToken
from tilesight.web.server import listening_socket, make_server
from vision.game_events.commands import Command, parse_command

__all__ = ["TOKEN", "OnAir", "on_air", "seat", "told"]

TOKEN = "a-token-for-tests-only"


def seat(
    folder: Path,
    name: str = "final",
    edition: str = "icelandic",
    players: Sequence[str] = ("Anna", "Jón"),
    **options: Any,
) -> LiveGame:
    """A table with a journal in that folder; the journal is gone on with where it is there."""
    journal = Journal.open(folder / f"{name}.db", edition=edition, players=players)
    return LiveGame(name, load_edition(edition), journal, **options)


def told(table: LiveGame, *commands: str) -> LiveGame:
    """The table after these commands."""
    for text in commands:
        table.apply_command(parse_command(text))
    return table


@dataclass(frozen=True, slots=True, kw_only=True)
class OnAir:
    """A running server."""

    port: int
    tables: dict[str, LiveGame]
    notes: list[str] = field(default_factory=list)

    @property
    def address(self) -> str:
        """Where it answers."""
        return f"http://127.0.0.1:{self.port}"

    def ask(
        self, method: str, path: str, body: Any = None, headers: dict[str, str] | None = None
    ) -> tuple[int, dict[str, str], bytes]:
        """Status, headers and body of an answer."""
        connection = HTTPConnection("127.0.0.1", self.port, timeout=10)
        with contextlib.closing(connection):
            data = json.dumps(body).encode() if body is not None and not isinstance(body, bytes) else body
            fields = {"Content-Type": "application/json"} if body is not None else {}
            connection.request(method, path, data, fields | (headers or {}))
            answer = connection.getresponse()
            return answer.status, {k.lower(): v for k, v in answer.getheaders()}, answer.read()

    def json(self, path: str, headers: dict[str, str] | None = None) -> Any:
        """What a path answers, as JSON."""
        status, _, body = self.ask("GET", path, headers=headers)
        assert status == 200, (status, body)
        return json.loads(body)

    def tell(self, name: str, text: str, sequence: int | None = None) -> tuple[int, Any]:
        """Tells a table something, as a program with the token does."""
        command: Command = parse_command(text)
        body = {"verb": command.verb.value, "words": list(command.words), "sequence": sequence}
        status, _, answer = self.ask("POST", f"/api/tables/{name}/commands", body, BEARER)
        return status, json.loads(answer)

    @contextlib.contextmanager
    def events(
        self, path: str, last: int | None = None, headers: dict[str, str] | None = None
    ) -> Iterator[Iterator[dict[str, Any]]]:
        """Server-sent events as they come."""
        connection = HTTPConnection("127.0.0.1", self.port, timeout=10)
        fields = dict(headers or {})
        if last is not None:
            fields["Last-Event-ID"] = str(last)
        connection.request("GET", path, headers=fields)
        answer = connection.getresponse()
        assert answer.status == 200
        try:
            yield parsed(answer)
        finally:
            answer.close()
            connection.close()


BEARER = {"Authorization": f"Bearer {TOKEN}"}


def parsed(answer: HTTPResponse) -> Iterator[dict[str, Any]]:
    """The events of a stream, with their kind and id."""
    event: dict[str, Any] = {}
    while line := answer.readline():
        text = line.decode().rstrip("\n")
        if not text:
            if "data" in event:
                yield event | json.loads(event.pop("data"))
            event = {}
            continue
        name, _, value = text.partition(": ")
        if name in ("id", "event", "data"):
            event["kind" if name == "event" else name] = value


@contextlib.contextmanager
def on_air(
    *tables: LiveGame,
    port: int = 0,
    hosts: Sequence[str] = ("localhost",),
    token: str = TOKEN,
    calibrators: Mapping[str, Calibrator] | None = None,
) -> Iterator[OnAir]:
    """Puts tables on air until the block ends."""
    notes: list[str] = []
    app = make_app(tables, ConsoleToken(token), hosts=hosts, notify=notes.append, calibrators=calibrators)
    sock = listening_socket("127.0.0.1", port)
    server = make_server(app)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [sock]}, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    try:
        yield OnAir(
            port=sock.getsockname()[1], tables={table.state.name: table for table in tables}, notes=notes
        )
    finally:
        server.should_exit = True
        thread.join(10)
        sock.close()
        for table in tables:
            table.journal.close()
