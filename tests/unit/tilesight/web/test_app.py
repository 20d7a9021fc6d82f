"""The web server over real sockets: states, events with replay, commands, and refusals."""

from __future__ import annotations

import contextlib
import itertools
import json
import re
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from http.client import HTTPConnection
from importlib.metadata import version
from pathlib import Path
from types import SimpleNamespace

import pytest

from scoring import parse_play
from tests.support.on_air import BEARER, TOKEN, RunningServer, open_table, send_commands, serve_tables
from tilesight.web.access.rate_limits import ConnectionLimit, TokenBucket
from tilesight.web.access.security import ConsoleToken, parse_host
from tilesight.web.server import open_listening_socket
from tilesight.web.settings import SETTINGS
from tilesight.web.sse import SseBroadcaster
from vision.errors import InputError, SettingsError
from vision.game_events import GameUpdate, UpdateBatch, UpdateKind

EVIL = '<img src=x onerror="alert(1)">'


@pytest.fixture
def air(tmp_path: Path) -> Iterator[RunningServer]:
    tables = [
        open_table(tmp_path, clock_s=60.0, rack_delay_s=0.4),
        open_table(tmp_path, "left", "hungarian", (EVIL, "Bálint")),
    ]
    with serve_tables(*tables) as running:
        yield running


def test_tables_are_listed_and_shown(air: RunningServer) -> None:
    send_commands(air.tables["final"], "play 8D HRAKI")
    final, left = air.json("/api/tables")
    assert (final["table"], final["totals"], left["players"][0]) == ("final", [28, 0], EVIL)
    shown = air.json("/api/tables/final")
    assert shown["rows"][7][3:8] == list("HRAKI")
    assert shown["newest"] == [[7, 3], [7, 4], [7, 5], [7, 6], [7, 7]]
    assert [player["on_turn"] for player in shown["players"]] == [False, True]
    assert shown["moves"][0]["words"] == [["HRAKI", 28]]
    assert shown["unseen"]["total"] == 99
    edition = air.json("/api/tables/left/edition")
    assert "SZ" in edition["tokens"]
    assert edition["premiums"][0] == "T..d...T...d..T"


def test_viewers_see_that_a_play_may_go_on(air: RunningServer) -> None:
    table = air.tables["final"]
    game = table.state.game.with_play(parse_play("8D HRAKI", table.state.edition.tokens))
    update = GameUpdate(kind=UpdateKind.PLAY, game=game, step=game.steps[-1], is_provisional=True)
    table.record(UpdateBatch(source="film", index=3, game=game, updates=(update,), time_s=0.5))
    assert air.json("/api/tables/final")["moves"][0]["provisional"] is True
    send_commands(table, "pass")
    assert [move["provisional"] for move in air.json("/api/tables/final")["moves"]] == [False, False]


def test_the_game_can_be_downloaded_at_any_moment(air: RunningServer) -> None:
    send_commands(air.tables["final"], "play 8D HRAKI")
    status, headers, body = air.request("GET", "/api/tables/final/game.gcg")
    assert status == 200
    assert headers["content-disposition"] == 'attachment; filename="final.gcg"'
    assert ">Anna: HRAKI 8D HRAKI +28 28" in body.decode()


def test_fields_are_plain_text(air: RunningServer) -> None:
    send_commands(air.tables["final"], "play 8D HRAKI")
    status, headers, body = air.request("GET", "/obs/final/last_play.txt")
    assert (status, body) == (200, b"LAST PLAY: Anna 8D HRAKI 28 28")
    assert headers["content-type"] == "text/plain; charset=utf-8"
    assert air.request("GET", "/obs/final/secret.txt")[0] == 404


def test_a_mistyped_address_says_where_the_pages_are_listed(air: RunningServer) -> None:
    status, _, body = air.request("GET", "/overley")
    assert status == 404
    assert json.loads(body)["message"] == "there is no such page; the page / lists the others"
    status, headers, body = air.request("GET", "/overley", headers={"Accept": "text/html,*/*;q=0.8"})
    assert (status, headers["content-type"]) == (404, "text/html; charset=utf-8")
    assert '<a href="/">this page</a> lists the others' in body.decode()


def test_events_come_as_they_happen_with_the_state_after_them(air: RunningServer) -> None:
    with air.events("/api/tables/final/events") as events:
        first = next(events)
        assert (first["kind"], first["sequence"], first["events"]) == ("change", 0, [])
        assert air.send_command("final", "play 8D HRAKI") == (200, {"sequence": 1, "message": ""})
        second = next(events)
        assert (second["id"], second["events"][0]["word"]) == ("1", list("HRAKI"))
        assert second["state"]["players"][0]["total"] == 28


def test_listeners_do_not_keep_the_server_when_it_stops(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tilesight.web.server.SETTINGS", replace(SETTINGS, shutdown_s=600))
    with serve_tables(open_table(tmp_path)) as air:
        connection = HTTPConnection("127.0.0.1", air.port, timeout=60)
        connection.request("GET", "/api/tables/final/events")
        answer = connection.getresponse()
        assert answer.readline()
        began_s = time.monotonic()
    assert time.monotonic() - began_s < 60.0, "the test waits for the server for so long"
    assert answer.read().endswith(b"\n\n"), "the stream ends after a message, and is not cut"
    connection.close()


def test_a_listener_who_comes_back_hears_what_was_missed(air: RunningServer) -> None:
    send_commands(air.tables["final"], "play 8D HRAKI", "play G6 LO.I", "rack Anna ABÐ", "pass")
    with air.events("/api/tables/final/events", last=1) as events:
        heard = [next(events) for _ in range(3)]
    assert [each["id"] for each in heard] == ["2", "3", "4"]
    assert [each["state"] is None for each in heard] == [True, True, False]
    assert heard[1]["events"] == [{"event": "rack"}], "viewers are not told what is on a rack"
    for last in (4, 99, 0):
        with air.events("/api/tables/final/events", last=last) as events:
            told_again = list(itertools.islice(events, 4 - last if last == 0 else 1))
        assert told_again[-1]["state"]["sequence"] == 4


def test_viewers_see_a_rack_when_its_delay_is_over_and_the_desk_at_once(tmp_path: Path) -> None:
    delays_s = {"final": 0.4, "later": 3600.0}
    tables = [open_table(tmp_path, name, rack_delay_s=delay_s) for name, delay_s in delays_s.items()]
    with (
        serve_tables(*tables) as air,
        air.events("/api/tables/later/events") as viewers,
        air.events("/api/tables/later/desk/events", headers=BEARER) as desks,
    ):
        next(viewers), next(desks)
        air.send_command("later", "rack Anna ABÐ")
        assert next(desks)["state"]["players"][0]["rack"] == ["A", "B", "Ð"]
        assert next(viewers)["state"]["players"][0]["rack"] == []
        with air.events("/api/tables/final/events") as viewers:
            next(viewers)
            began_s = time.monotonic()
            air.send_command("final", "rack Anna ABÐ")
            shown = next(rack for event in viewers if (rack := event["state"]["players"][0]["rack"]))
            assert shown == ["A", "B", "Ð"]
            assert time.monotonic() - began_s >= 0.35


def test_the_desk_has_the_title_as_it_was_typed(air: RunningServer) -> None:
    assert air.json("/api/tables/final/desk", BEARER)["own_title"] == ""
    air.send_command("final", "title Final")
    desk = air.json("/api/tables/final/desk", BEARER)
    assert (desk["own_title"], desk["title"]) == ("Final", "Final")
    assert "own_title" not in air.json("/api/tables/final")


def test_a_text_that_is_too_long_is_refused_in_the_words_of_its_command(air: RunningServer) -> None:
    for command, message in (
        (f"title {'x' * 121}", "title: up to 120 characters that can be printed, got 121"),
        (f"name Anna {'x' * 500}", "name: a player's name has 500 characters; write at most 60"),
        (f"title {'x' * 1001}", "a text is too long; write at most 1000 characters"),
    ):
        status, answer = air.send_command("final", command)
        assert (status, answer["message"]) == (422, message)


def test_what_the_camera_does_is_reported_between_changes(air: RunningServer) -> None:
    with (
        air.events("/api/tables/final/events") as viewers,
        air.events("/api/tables/final/desk/events", headers=BEARER) as desks,
    ):
        next(viewers), next(desks)
        air.tables["final"].set_status("looking for the board", watching=True)
        desk, viewer = next(desks), next(viewers)
    assert (desk["kind"], desk["status"], desk["watching"]) == ("status", "looking for the board", True)
    assert (viewer["status"], viewer["watching"]) == ("", True)


def test_a_server_that_was_killed_goes_on_with_the_journal(tmp_path: Path) -> None:
    with serve_tables(open_table(tmp_path)) as first:
        first.send_command("final", "play 8D HRAKI")
        port = first.port
    with (
        serve_tables(open_table(tmp_path), port=port) as second,
        second.events("/api/tables/final/events", last=0) as events,
    ):
        assert next(events)["state"]["players"][0]["total"] == 28


def test_a_command_says_what_is_wrong_with_it(air: RunningServer) -> None:
    status, answer = air.send_command("final", "letter H8 N")
    assert (status, answer["message"]) == (422, "letter H8 N: no play laid a tile on H8")
    assert air.send_command("final", "undo", sequence=7)[0] == 409
    assert air.send_command("nowhere", "pass")[0] == 404


def test_a_journal_that_cannot_be_written_names_no_file_to_the_web(
    air: RunningServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise InputError("/home/anna/final.db: the journal cannot be written (disk full)")

    monkeypatch.setattr(air.tables["final"].journal, "record", fail)
    status, answer = air.send_command("final", "pass")
    assert status == 507
    assert "home" not in answer["message"]
    assert "final.db" in air.notes[0]
    assert air.json("/api/tables/final")["sequence"] == 0


def test_a_console_shows_the_token_once_and_keeps_a_cookie(air: RunningServer) -> None:
    status, headers, _ = air.request("POST", "/api/session", {"token": TOKEN})
    cookie = headers["set-cookie"]
    assert status == 200
    assert TOKEN not in cookie
    for part in ("HttpOnly", "SameSite=strict", "Path=/"):
        assert part in cookie
    cookies = {"Cookie": cookie.partition(";")[0]}
    assert air.request("GET", "/api/tables/final/desk", headers=cookies)[0] == 200
    body = {"verb": "pass", "words": []}
    assert air.request("POST", "/api/tables/final/commands", body, cookies)[0] == 200
    ended = air.request("POST", "/api/session/end", {}, cookies)[1]["set-cookie"]
    assert f'tilesight-console-{air.port}=""' in ended


def test_pages_and_what_they_load_are_shipped(air: RunningServer) -> None:
    pages = {
        path: air.request("GET", path) for path in ("/", "/overlay", "/console", "/api", "/obs/final/score")
    }
    for path, (status, headers, body) in pages.items():
        assert (status, headers["content-type"]) == (200, "text/html; charset=utf-8"), path
        policy = headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        text = body.decode()
        assert "http://" not in text
        assert "https://" not in text
        assert " style=" not in text
        assert "onclick" not in text
        for name in [part.split('"')[0] for part in text.split('"/assets/')[1:]]:
            assert air.request("GET", f"/assets/{name}")[0] == 200, name
    tag = air.request("GET", "/assets/overlay.js")[1]["etag"]
    assert air.request("GET", "/assets/overlay.js", headers={"If-None-Match": tag})[0] == 304


def test_no_picture_is_reported(air: RunningServer) -> None:
    assert air.request("GET", "/api/tables/final/board.jpg")[0] == 404
    assert air.request("GET", "/api/tables/final/camera.jpg", headers=BEARER)[0] == 404


COMMANDS = "/api/tables/final/commands"


def test_wrong_tokens_run_out_and_lock_nobody_out(air: RunningServer) -> None:
    statuses = [air.request("POST", "/api/session", {"token": f"wrong-{n}"})[0] for n in range(12)]
    assert statuses[:10] == [401] * 10
    assert statuses[-1] == 429
    assert air.request("POST", "/api/session", {"token": TOKEN})[0] == 200
    guesses = [
        air.request("GET", "/api/tables/final/desk", headers={"Authorization": f"Bearer wrong-{n}"})[0]
        for n in range(3)
    ]
    assert guesses == [429] * 3, "a guess is a guess on every route"
    assert air.request("GET", "/api/tables/final/desk", headers=BEARER)[0] == 200


def test_changes_run_out_and_reading_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tilesight.web.access.security.SETTINGS", replace(SETTINGS, change_limit=(0.001, 3)))
    with serve_tables(open_table(tmp_path)) as air:
        assert [air.send_command("final", "title x")[0] for _ in range(3)] == [200] * 3
        assert air.request("POST", COMMANDS, {"verb": "pass"}, BEARER)[0] == 429
        assert air.json("/api/tables/final")["sequence"] == 3


def test_markup_in_a_name_stays_a_name(air: RunningServer) -> None:
    status, headers, body = air.request("GET", "/obs/left/p1_name.txt")
    assert (status, body.decode()) == (200, EVIL)
    assert headers["content-type"].startswith("text/plain")
    assert headers["x-content-type-options"] == "nosniff"


def test_the_api_describes_itself(air: RunningServer) -> None:
    described = air.json("/openapi.json")
    assert {"/api/tables", "/api/tables/{table}/commands", "/obs/{table}/{field}.txt"} <= set(
        described["paths"]
    )
    assert described["info"]["version"] == version("tilesight")


def test_the_description_of_the_api_gives_the_answers_their_types_and_schemas(air: RunningServer) -> None:
    described = air.json("/openapi.json")
    schemas = described["components"]["schemas"]
    references = re.findall(r'"#/components/schemas/(\w+)"', json.dumps(described))
    assert set(references) <= set(schemas)
    assert {"Change", "Status", "MomentView"} <= set(schemas)
    paths = described["paths"]
    for path in (path for path in paths if path.endswith("/events")):
        ((kind, stream),) = paths[path]["get"]["responses"]["200"]["content"].items()
        assert (kind, stream["schema"]["type"]) == ("text/event-stream", "object")
        assert [each["$ref"].rpartition("/")[2] for each in stream["schema"]["anyOf"]] == ["Change", "Status"]
    for path, asked in (
        ("/api/tables/{table}/game.gcg", "/api/tables/final/game.gcg"),
        ("/api/tables/{table}/game.gcg", "/api/tables/none/game.gcg"),
        ("/api/tables/{table}/game.gcg", "/api/tables/A/game.gcg"),
        ("/obs/{table}/{field}.txt", "/obs/final/score.txt"),
        ("/obs/{table}/{field}.txt", "/obs/final/none.txt"),
        ("/api/tables/{table}/events", "/api/tables/none/events"),
        ("/api/tables/{table}/board.jpg", "/api/tables/final/board.jpg"),
    ):
        status, headers, _ = air.request("GET", asked)
        answers = paths[path]["get"]["responses"][str(status)]["content"]
        assert list(answers) == [headers["content-type"].partition(";")[0]], asked


def test_the_description_of_the_api_says_what_needs_the_token(air: RunningServer) -> None:
    described = air.json("/openapi.json")
    schemes = described["components"]["securitySchemes"]
    assert [(each["type"], each.get("scheme", each.get("in"))) for each in schemes.values()] == [
        ("http", "bearer"),
        ("apiKey", "cookie"),
    ]
    for path, methods in described["paths"].items():
        for method, operation in methods.items():
            if path.endswith("}/events"):
                continue  # it never ends
            named = [name for each in operation.get("security", []) for name in each]
            asked = path.replace("{table}", "final").replace("{step}", "lens")
            status = air.request(method.upper(), asked, {} if method == "post" else None)[0]
            assert (named, status == 401) == ((list(schemes), True) if named else ([], False)), path


# Parts


@pytest.mark.parametrize(
    ("header", "name"),
    [
        ("localhost:8000", "localhost"),
        ("LOCALHOST.", "localhost"),
        ("[::1]:8000", "::1"),
        ("[::1]", "::1"),
        ("[::1", None),
        ("[::1]x", None),
        ("a:b", None),
        ("", None),
    ],
)
def test_the_name_of_a_host(header: str, name: str | None) -> None:
    assert parse_host(header) == name


def test_an_allowance_fills_again() -> None:
    now = [0.0]
    allowance = TokenBucket(per_second=1.0, capacity=2.0, clock=lambda: now[0])
    assert [allowance.take("a") for _ in range(3)] == [True, True, False]
    assert allowance.take("b")
    now[0] = 1.5
    assert [allowance.take("a") for _ in range(2)] == [True, False]


def test_addresses_that_ask_no_more_are_forgotten() -> None:
    allowance = TokenBucket(per_second=1.0, capacity=2.0, clock=lambda: 0.0)
    for number in range(5000):
        allowance.take(str(number))
    assert len(allowance._left) == 4096


@pytest.mark.parametrize("text", ["short", "x" * 15, "a token with spaces!!"])
def test_a_token_that_could_be_guessed_is_refused(text: str) -> None:
    with pytest.raises(SettingsError, match="at least 16"):
        ConsoleToken(text)


def test_tokens_differ() -> None:
    one, other = ConsoleToken(), ConsoleToken()
    assert one.text != other.text
    assert one.matches(one.text)
    assert not one.matches(other.text)


def test_a_place_that_is_taken_is_refused() -> None:
    with (
        contextlib.closing(open_listening_socket("127.0.0.1", 0)) as taken,
        pytest.raises(InputError, match="cannot listen there"),
    ):
        open_listening_socket("127.0.0.1", taken.getsockname()[1])


def test_a_listener_who_lags_is_let_go_and_others_hear_on() -> None:
    import asyncio

    async def listen() -> tuple[int, list[bytes]]:
        broadcast = SseBroadcaster(keep_alive_s=0.01)
        with broadcast.subscribe() as slow, broadcast.subscribe() as quick:
            for number in range(300):
                broadcast.send(b"x", number)
                quick.get_nowait()
            heard = [data async for data in broadcast.messages(slow, 0)]
            stay = broadcast.messages(quick, 0)
            alive = await anext(stay)
            broadcast.end()
            rest = [data async for data in stay]
            assert rest == []
            return broadcast.listeners, [*heard, alive]

    listeners, heard = asyncio.run(listen())
    assert listeners == 1
    assert heard == [b"event: alive\ndata: {}\n\n"]


def test_a_listener_with_no_room_for_more_is_let_go_at_the_end() -> None:
    import asyncio

    async def listen() -> list[bytes]:
        broadcast = SseBroadcaster(keep_alive_s=0.01)
        with broadcast.subscribe() as slow:
            for number in range(slow.maxsize):
                broadcast.send(b"x", number)
            broadcast.end()
            return [data async for data in broadcast.messages(slow, 0)]

    assert asyncio.run(listen()) == []


def test_one_address_leaves_places_to_others_and_this_machine_takes_all() -> None:
    places = ConnectionLimit(3, 2)
    with places.hold("10.0.0.1"):
        with places.hold("10.0.0.1"):
            assert not places.is_free("10.0.0.1")
            assert places.is_free("10.0.0.2")
            with places.hold(""):
                assert not places.is_free("")
            assert places.is_free("")
        assert places.is_free("10.0.0.1")


def test_viewers_who_take_every_place_leave_the_desk_its_own(
    air: RunningServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        ConnectionLimit, "is_free", lambda places, _: places._max_total < SETTINGS.max_streams
    )
    status, _, _ = air.request("GET", "/api/tables/final/events")
    assert status == 503
    with air.events("/api/tables/final/desk/events", headers=BEARER) as events:
        assert next(events)["kind"] == "change"


def test_changes_pass_a_proxy_that_speaks_tls(air: RunningServer) -> None:
    body = {"verb": "pass", "words": []}
    headers = {**BEARER, "Origin": f"https://127.0.0.1:{air.port}"}
    status, _, _ = air.request("POST", COMMANDS, body, headers)
    assert status == 200


def test_a_table_whose_camera_looks_keeps_nobody_else_waiting(air: RunningServer) -> None:
    changes = int(SETTINGS.change_limit[1])
    with ThreadPoolExecutor(changes) as desk:
        with air.tables["final"]._lock:  # as a camera's look holds it
            waiting = [desk.submit(air.send_command, "final", "title A line") for _ in range(changes)]
            time.sleep(0.5)
            assert air.json("/api/tables/final")["sequence"] == 0
            assert air.json("/api/tables/left")["sequence"] == 0
            assert not any(each.done() for each in waiting)
        assert {each.result()[0] for each in waiting} == {200}


def test_a_server_that_ends_as_it_starts_fails_a_test_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ended = SimpleNamespace(started=False, run=lambda sockets: None)
    monkeypatch.setattr("tests.support.on_air.make_server", lambda app: ended)
    with pytest.raises(AssertionError, match="the server ended"), serve_tables(open_table(tmp_path)):
        pass
