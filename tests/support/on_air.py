"""A server with tables for tests and benchmarks: real sockets, real journals."""

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
from tests.support.ports import free_port
from tilesight.live import Analyst, LiveGame, Tournament
from tilesight.live.journal import Journal
from tilesight.web.access.security import ConsoleToken
from tilesight.web.access.sessions import Sessions
from tilesight.web.app import make_app
from tilesight.web.context import AppContext, Calibrator
from tilesight.web.phone import PhoneCamera
from tilesight.web.photo import PhotoService
from tilesight.web.server import make_server, open_listening_socket
from vision.game_events.record.commands import Command, parse_command

__all__ = ["TOKEN", "RunningServer", "journal_of", "open_table", "send_commands", "serve_tables"]

TOKEN = "a-token-for-tests-only"


def open_table(
    folder: Path,
    name: str = "final",
    edition: str = "icelandic",
    players: Sequence[str] = ("Anna", "Jón"),
    **options: Any,
) -> LiveGame:
    """Open a table with a journal in `folder`, a new or an existing one."""
    journal = Journal.open(folder / f"{name}.db", edition=edition, players=players)
    return LiveGame(name, load_edition(edition), journal, **options)


def journal_of(table: LiveGame) -> Journal:
    """Journal of a table that keeps one."""
    assert table.journal is not None
    return table.journal


def send_commands(table: LiveGame, *commands: str) -> LiveGame:
    """Apply commands to a table; the table."""
    for text in commands:
        table.apply_command(parse_command(text))
    return table


@dataclass(frozen=True, slots=True, kw_only=True)
class RunningServer:
    """A running server."""

    port: int
    tables: dict[str, LiveGame]
    notes: list[str] = field(default_factory=list)

    @property
    def address(self) -> str:
        """Address of the server."""
        return f"http://127.0.0.1:{self.port}"

    def request(
        self, method: str, path: str, body: Any = None, headers: dict[str, str] | None = None
    ) -> tuple[int, dict[str, str], bytes]:
        """Send a request; status, headers and body of the answer."""
        connection = HTTPConnection("127.0.0.1", self.port, timeout=60)
        with contextlib.closing(connection):
            data = json.dumps(body).encode() if body is not None and not isinstance(body, bytes) else body
            fields = {"Content-Type": "application/json"} if body is not None else {}
            connection.request(method, path, data, fields | (headers or {}))
            answer = connection.getresponse()
            return answer.status, {k.lower(): v for k, v in answer.getheaders()}, answer.read()

    def json(self, path: str, headers: dict[str, str] | None = None) -> Any:
        """Get a path as JSON."""
        status, _, body = self.request("GET", path, headers=headers)
        assert status == 200, (status, body)
        return json.loads(body)

    def send_command(self, name: str, text: str, sequence: int | None = None) -> tuple[int, Any]:
        """Send a command to a table with the token; status and answer."""
        command: Command = parse_command(text)
        body = {"verb": command.verb.value, "words": list(command.words), "sequence": sequence}
        status, _, answer = self.request("POST", f"/api/tables/{name}/commands", body, BEARER)
        return status, json.loads(answer)

    @contextlib.contextmanager
    def events(
        self, path: str, last: int | None = None, headers: dict[str, str] | None = None
    ) -> Iterator[Iterator[dict[str, Any]]]:
        """Read server-sent events as they come."""
        connection = HTTPConnection("127.0.0.1", self.port, timeout=60)
        fields = dict(headers or {})
        if last is not None:
            fields["Last-Event-ID"] = str(last)
        connection.request("GET", path, headers=fields)
        answer = connection.getresponse()
        assert answer.status == 200
        try:
            yield parse_events(answer)
        finally:
            answer.close()
            connection.close()


BEARER = {"Authorization": f"Bearer {TOKEN}"}


def parse_events(answer: HTTPResponse) -> Iterator[dict[str, Any]]:
    """Parse the events of a stream, with kind and id."""
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
def serve_tables(
    *tables: LiveGame,
    port: int = 0,
    hosts: Sequence[str] = ("localhost",),
    token: str = TOKEN,
    calibrators: Mapping[str, Calibrator] | None = None,
    photos: PhotoService | None = None,
    phones: Mapping[str, PhoneCamera] | None = None,
    outside_url: str = "",
    tournament: Tournament | None = None,
    analysts: Mapping[str, Analyst] | None = None,
) -> Iterator[RunningServer]:
    """Serve tables until the block ends."""
    notes: list[str] = []
    secret = ConsoleToken(token)
    context = AppContext(
        live_games=tables,
        token=secret,
        sessions=Sessions(secret),
        calibrators=calibrators or {},
        photos=photos,
        phones=phones or {},
        outside_url=outside_url,
        tournament=tournament,
        analysts=analysts or {},
    )
    app = make_app(context, hosts=hosts, notify=notes.append)
    sock = open_listening_socket("127.0.0.1", port or free_port())
    server = make_server(app)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [sock]}, daemon=True)
    thread.start()
    while not server.started:
        assert thread.is_alive(), "the server ended before it answered"
        time.sleep(0.01)
    try:
        yield RunningServer(
            port=sock.getsockname()[1], tables={table.state.name: table for table in tables}, notes=notes
        )
    finally:
        server.should_exit = True
        thread.join(60)
        sock.close()
        for table in tables:
            if table.journal is not None:
                table.journal.close()
