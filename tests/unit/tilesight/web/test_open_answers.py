"""What pages of other addresses may read: what viewers see, the same for everybody, and nothing else."""

from __future__ import annotations

import json
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

from tests.support.on_air import BEARER, TOKEN, RunningServer, open_table, send_commands, serve_tables

FOREIGN = {"Origin": "http://localhost:3000", "Sec-Fetch-Site": "same-site"}
OPEN_TAGS = {"tables", "fields", "event"}
ALLOWED, POLICY = "access-control-allow-origin", "cross-origin-resource-policy"


def without_moment(body: bytes) -> Any:
    """The answer without the moment at which it was made."""
    if not body.startswith((b"{", b"[")):
        return body
    answer = json.loads(body)
    return {**answer, "now_s": 0} if "now_s" in answer else answer


def open_event_stream(air: RunningServer, path: str, headers: dict[str, str]) -> dict[str, str]:
    """The headers of a stream of events."""
    connection = HTTPConnection("127.0.0.1", air.port, timeout=60)
    connection.request("GET", path, headers=headers)
    answer = connection.getresponse()
    found = {name.lower(): value for name, value in answer.getheaders()}
    answer.close()
    connection.close()
    return found


def test_pages_of_other_addresses_read_what_viewers_see_and_nothing_else(tmp_path: Path) -> None:
    table = send_commands(open_table(tmp_path, rack_delay_s=600.0), "play 8D HRAKI", "rack Jón ABÐ")
    with serve_tables(table) as air:
        cookie = air.request("POST", "/api/session", {"token": TOKEN})[1]["set-cookie"].partition(";")[0]
        opened = set()
        for path, methods in air.json("/openapi.json")["paths"].items():
            for method, operation in methods.items():
                asked = (
                    path.replace("{table}", "final").replace("{field}", "p2_rack").replace("{step}", "lens")
                )
                is_open = bool(OPEN_TAGS & set(operation["tags"]))
                for headers in (FOREIGN, FOREIGN | BEARER, FOREIGN | {"Cookie": cookie}):
                    if path.endswith("/events"):
                        found = open_event_stream(air, asked, headers)
                    else:
                        body = b"{}" if method == "post" else None
                        found = air.request(method.upper(), asked, body, headers)[1]
                    assert "access-control-allow-credentials" not in found
                    allowed = ("*", "cross-origin") if is_open else (None, "same-origin")
                    assert (found.get(ALLOWED), found[POLICY]) == allowed, (method, path)
                if is_open:
                    assert (method, "security" in operation) == ("get", False)
                    opened.add(asked)
        for asked in opened - {"/api/tables/final/events", "/api/event/tables"}:
            answers = [
                without_moment(air.request("GET", asked, headers=FOREIGN | headers)[2])
                for headers in ({}, BEARER, {"Cookie": cookie})
            ]
            assert answers[1:] == answers[:1] * 2, "the answer does not depend on who asks"
        assert air.request("GET", "/obs/final/p2_rack.txt", headers=BEARER)[2] == b""
        assert air.json("/api/tables/final", BEARER)["players"][1]["rack"] == []
        headers = FOREIGN | {"Last-Event-ID": "1"} | BEARER
        with air.events("/api/tables/final/events", headers=headers) as events:
            first = next(events)
            assert first["events"] == [{"event": "rack"}]
            assert first["state"]["players"][1]["rack"] == []
        assert air.request("OPTIONS", "/api/tables/final", headers=FOREIGN)[0] == 405
        assert (
            ALLOWED not in air.request("GET", "/api/tables", headers={**FOREIGN, "Host": "evil.example"})[1]
        )


def test_a_refusal_of_what_viewers_see_can_be_read_elsewhere(tmp_path: Path) -> None:
    with serve_tables(open_table(tmp_path)) as air:
        for path in (
            "/api/tables/none",
            "/api/tables/A",
            "/api/tables/final/board.jpg",
            "/obs/final/none.txt",
        ):
            status, headers, _ = air.request("GET", path, headers=FOREIGN)
            assert (status >= 400, headers.get(ALLOWED)) == (True, "*"), path
