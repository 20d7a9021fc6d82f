"""Silent connections, devices that sign in and out, certificates, proxies, and viewers who see the game late."""

from __future__ import annotations

import asyncio
import contextlib
import datetime
import json
import resource
import socket
import ssl
import stat
import threading
import time
from collections import deque
from collections.abc import AsyncIterator, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from http.client import HTTPException, HTTPSConnection
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from tests.support.on_air import (
    BEARER,
    TOKEN,
    RunningServer,
    journal_of,
    open_table,
    send_commands,
    serve_tables,
)
from tests.support.serving import wait_until
from tilesight.cli.serving.place import Link, ServedPlace, describe_place, find_certificate
from tilesight.live import DelayedGame, DelayedPictures, LiveGame, steady_s
from tilesight.web.access.rights import Right
from tilesight.web.access.security import ConsoleToken, SecurityMiddleware, name_cookie
from tilesight.web.access.sessions import Sessions
from tilesight.web.app import make_app
from tilesight.web.certificates import fingerprint, load_own_certificate
from tilesight.web.connections import limit_connections, quiet_accept_errors
from tilesight.web.context import AppContext
from tilesight.web.qr_codes import draw_qr_svg, draw_qr_text
from tilesight.web.server import make_server, open_listening_socket
from tilesight.web.settings import SETTINGS
from tilesight.web.sse import GameStream
from tilesight.web.webhook import Webhook
from vision.errors import InputError, SettingsError

DESK = "/api/tables/final/desk"


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


# Proxies


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


# Sessions


def sign_in(air: RunningServer, secret: str = TOKEN, **headers: str) -> dict[str, str]:
    status, answered, _ = air.request("POST", "/api/session", {"token": secret}, headers)
    assert status == 200
    return {"Cookie": answered["set-cookie"].partition(";")[0]}


def test_each_device_has_a_session_of_its_own_that_can_be_revoked(tmp_path: Path) -> None:
    with serve_tables(open_table(tmp_path)) as air:
        one, other = sign_in(air, **{"User-Agent": "Tablet"}), sign_in(air, **{"User-Agent": "Phone"})
        assert one != other
        listed = air.json("/api/session", one)
        assert {each["device"]: each["own"] for each in listed} == {"Tablet": True, "Phone": False}
        assert not any(each["name"] in json.dumps([one, other]) for each in listed)
        name = next(each["name"] for each in listed if not each["own"])
        assert air.request("POST", "/api/session/revoke", {"name": name}, other)[0] == 200
        assert air.request("GET", DESK, headers=other)[0] == 401
        assert air.request("GET", DESK, headers=one)[0] == 200
        assert air.request("POST", "/api/session/revoke", {"name": name}, one)[0] == 404
        air.request("POST", "/api/session/end", {}, one)
        assert air.request("GET", DESK, headers=one)[0] == 401, (
            "who signs out is out, whoever kept the cookie"
        )
        assert air.request("GET", "/api/session")[0] == 401


def test_a_device_of_this_machine_has_no_address_in_the_list(tmp_path: Path) -> None:
    with serve_tables(open_table(tmp_path)) as air:
        cookie = sign_in(air)
        assert [each["address"] for each in air.json("/api/session", cookie)] == [""]


def test_a_device_that_is_signed_out_gets_no_more_events(tmp_path: Path) -> None:
    table = open_table(tmp_path, rack_delay_s=30)
    with serve_tables(table) as air:
        for secret, right, path in (
            (TOKEN, "operator", "desk"),
            (ConsoleToken(TOKEN).commentary, "commentator", "commentary"),
        ):
            cookie = sign_in(air, secret)
            with air.events(f"/api/tables/final/{path}/events", headers=cookie) as events:
                next(events)
                listed = air.json("/api/session", BEARER)
                name = next(each["name"] for each in listed if each["right"] == right)
                assert air.request("POST", "/api/session/revoke", {"name": name}, BEARER)[0] == 200
                send_commands(table, "rack Anna ABÐ")
                assert next(events, None) is None


def test_a_code_is_good_once(tmp_path: Path) -> None:
    with serve_tables(open_table(tmp_path)) as air:
        status, _, body = air.request("POST", "/api/session/code", {}, BEARER)
        made = json.loads(body)
        code = made["address"].partition("#")[2]
        assert (status, made["svg"][:4]) == (200, "<svg")
        assert air.request("GET", DESK, headers=sign_in(air, code))[0] == 200
        assert air.request("POST", "/api/session", {"token": code})[0] == 401
        assert air.request("POST", "/api/session/code", {})[0] == 401


def test_sessions_survive_a_restart_with_the_same_token_and_revoked_ones_do_not(tmp_path: Path) -> None:
    token, store, now = ConsoleToken(TOKEN), tmp_path / "revoked.json", [1000.0]
    first = Sessions(token, store, lambda: now[0])
    kept, gone = first.open("Tablet", ""), first.open("Phone", "")
    found = first.find(gone)
    assert found is not None
    assert first.revoke(found.name)
    again = Sessions(token, store, lambda: now[0])
    assert again.find(kept) is not None
    assert again.find(gone) is None
    assert Sessions(ConsoleToken("another-token-for-tests"), None, lambda: now[0]).find(kept) is None
    for forged in ("", ".", "a.b.c", kept[:-1], kept + "a", kept.replace(".1000.", ".9999.")):
        assert again.find(forged) is None
    now[0] += SETTINGS.cookie_age_s + 1
    assert again.find(kept) is None
    store.write_text("no list")
    with pytest.raises(InputError, match="remove the file"):
        Sessions(token, store)


def test_a_device_that_cannot_be_revoked_for_good_stays_signed_in(tmp_path: Path) -> None:
    sessions = Sessions(ConsoleToken(TOKEN), tmp_path / "no-folder" / "revoked.json")
    cookie = sessions.open("Phone", "")
    found = sessions.find(cookie)
    assert found is not None
    with pytest.raises(InputError):
        sessions.revoke(found.name)
    assert sessions.find(cookie) is not None


def test_codes_and_lists_are_bounded() -> None:
    now = [0.0]
    sessions = Sessions(ConsoleToken(TOKEN), None, lambda: now[0])
    codes = [sessions.make_code() for _ in range(SETTINGS.max_codes + 1)]
    assert not sessions.use_code(codes[0])
    now[0] = SETTINGS.code_lifetime_s + 1
    assert not sessions.use_code(codes[-1])
    assert sessions.use_code(sessions.make_code(lifetime_s=None))
    for number in range(SETTINGS.max_sessions + 5):
        sessions.open(f"device {number}", "")
    assert len(sessions.sessions) == SETTINGS.max_sessions


# TLS


def test_a_certificate_of_its_own_encrypts_and_is_kept(tmp_path: Path) -> None:
    hosts = {"localhost", "127.0.0.1"}
    files = load_own_certificate(tmp_path / "state", hosts)
    assert stat.S_IMODE(files[1].stat().st_mode) == 0o600
    before = fingerprint(files[0])
    assert load_own_certificate(tmp_path / "state", {"localhost"}) == files
    assert fingerprint(files[0]) == before
    table = open_table(tmp_path)
    token = ConsoleToken(TOKEN)
    context = AppContext(live_games=[table], token=token, sessions=Sessions(token))
    server = make_server(make_app(context, notify=print), certificate=files)
    sock = open_listening_socket("127.0.0.1", 0)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [sock]}, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    try:
        trust = ssl.create_default_context(cafile=str(files[0]))
        with contextlib.closing(
            HTTPSConnection("127.0.0.1", sock.getsockname()[1], context=trust)
        ) as browser:
            browser.request(
                "POST", "/api/session", json.dumps({"token": TOKEN}), {"Content-Type": "application/json"}
            )
            answer = browser.getresponse()
            assert answer.status == 200
            assert "Secure" in (answer.getheader("set-cookie") or "")
    finally:
        server.should_exit = True
        thread.join(60)
        sock.close()
        table.close()
    load_own_certificate(tmp_path / "state", {*hosts, "board.local"})
    assert fingerprint(files[0]) != before, "another name needs another certificate"


def test_a_key_that_is_not_of_the_certificate_is_replaced_with_it(tmp_path: Path) -> None:
    """As after a kill between the writes of the two files."""
    certificate, key = load_own_certificate(tmp_path / "one", {"localhost"})
    load_own_certificate(tmp_path / "other", {"localhost"})[1].replace(key)
    before = fingerprint(certificate)
    ssl.create_default_context(ssl.Purpose.CLIENT_AUTH).load_cert_chain(
        *load_own_certificate(tmp_path / "one", {"localhost"})
    )
    assert fingerprint(certificate) != before


def test_somebody_elses_certificate_is_left_as_it_is(tmp_path: Path) -> None:
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "club")])
    now = datetime.datetime.now(datetime.UTC)
    without_hosts = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(now)
        .not_valid_after(now + datetime.timedelta(days=300))
        .sign(key, hashes.SHA256())
    )
    pem, no_encryption = serialization.Encoding.PEM, serialization.NoEncryption()
    own = without_hosts.public_bytes(pem)
    (tmp_path / "certificate.pem").write_bytes(own)
    (tmp_path / "key.pem").write_bytes(
        key.private_bytes(pem, serialization.PrivateFormat.PKCS8, no_encryption)
    )
    with pytest.raises(InputError, match="name one with --tls-cert"):
        load_own_certificate(tmp_path, {"localhost"})
    assert (tmp_path / "certificate.pem").read_bytes() == own


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("other", None, None), "write --tls self"),
        ((None, Path("a.pem"), None), "go together"),
        (("self", Path("a.pem"), Path("b.pem")), "go together"),
        ((None, Path("a.pem"), Path("b.pem")), "No such file"),
    ],
)
def test_tls_options_that_make_no_sense_are_refused(
    options: tuple[str | None, Path | None, Path | None], message: str
) -> None:
    with pytest.raises(SettingsError, match=message):
        find_certificate(*options, set())


def test_http_on_a_network_is_warned_of_and_a_code_is_drawn(capsys: pytest.CaptureFixture[str]) -> None:
    link = Link("console", "http://hall:1/console#a-code")
    describe_place(ServedPlace(host="0.0.0.0", port=1), "http://hall:1", [link], "a-token")
    shown = capsys.readouterr()
    assert "token:   a-token" in shown.out
    assert "█" in shown.out
    assert "everybody on this network can read the token" in shown.err
    describe_place(ServedPlace(host="127.0.0.1", port=1), "http://127.0.0.1:1", [link], "a-token")
    assert capsys.readouterr().err == ""
    assert draw_qr_svg("x").startswith("<svg")
    assert draw_qr_text("x").strip() != ""


# Late viewers


def test_viewers_do_not_see_a_late_table_before_its_time(tmp_path: Path) -> None:
    table = open_table(tmp_path, delay_s=3600.0, clock_s=60.0)
    with serve_tables(table) as air, air.events(f"{DESK}/events", headers=BEARER) as now:
        next(now)
        send_commands(table, "play 8D HRAKI", "start")
        assert next(now)["state"]["players"][0]["total"] == 28
        assert air.json("/api/tables/final")["moves"] == []
        assert air.json("/api/tables")[0]["totals"] == [0, 0]
        assert b"HRAKI" not in air.request("GET", "/api/tables/final/game.gcg")[2]
        assert air.request("GET", "/obs/final/p1_score.txt")[2] == b"  0"
        with air.events("/api/tables/final/events", last=0) as again:
            assert next(again)["state"]["moves"] == []


def test_viewers_see_the_whole_table_late(tmp_path: Path) -> None:
    table = open_table(tmp_path, delay_s=0.5, clock_s=60.0)
    with serve_tables(table) as air, air.events("/api/tables/final/events") as late:
        next(late)
        began_s = time.monotonic()
        send_commands(table, "play 8D HRAKI", "start")
        shown = next(late)
        assert time.monotonic() - began_s >= 0.5
        assert shown["state"]["players"][0]["total"] == 28
        assert air.json("/api/tables/final")["sequence"] >= 1


def test_a_delayed_game_gives_the_newest_state_that_is_old_enough() -> None:
    now = [100.0]
    table = LiveGame("t", open_edition(), None, players=("Anna", "Jón"), delay_s=10.0)
    late = DelayedGame(table, lambda: now[0])
    for text in ("play 8D HRAKI", "pass", "pass"):
        now[0] += 4.0
        send_commands(table, text)
    assert len(late.state.game.events) == 0
    now[0] = 114.5
    assert len(late.state.game.events) == 1
    now[0] = 130.0
    assert len(late.state.game.events) == 3


def test_nothing_is_shown_early_because_the_computers_clock_is_set(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    awake_s, step_s = [500.0], [0.0]
    monkeypatch.setattr("tilesight.live.clocks.steady_s", lambda: awake_s[0])
    monkeypatch.setattr(time, "time", lambda: 1e9 + awake_s[0] + step_s[0])
    table = open_table(tmp_path, delay_s=60.0, now=time.time)
    racks = open_table(tmp_path, "racks", rack_delay_s=60.0, now=time.time)
    late = DelayedGame(table, time.time)

    def shown() -> tuple[int, str]:
        return len(late.state.game.events), "".join(racks.state.shown_racks(time.time())[0])

    send_commands(table, "play 8D HRAKI")
    send_commands(racks, "rack Anna DULARFU")
    for step in (700.0, -700.0):
        step_s[0] = step
        awake_s[0] += 25.0
        assert shown() == (0, "")
        assert late.upcoming[0][0] == pytest.approx(60.0 - (awake_s[0] - 500.0))
    awake_s[0] += 11.0
    assert shown() == (1, "DULARFU")
    send_commands(table, "pass")  # recorded by the clock as it was set
    send_commands(racks, "rack Anna HRAKIAN")
    step_s[0] = 700.0
    assert shown() == (1, "DULARFU")
    awake_s[0] += 61.0
    assert shown() == (2, "HRAKIAN")
    for game in (table, racks):
        game.close()


def test_pictures_and_webhooks_are_timed_by_what_no_step_of_the_clock_changes() -> None:
    assert DelayedPictures(lambda: b"", 60.0)._now is steady_s
    assert Webhook("https://example.org/", notify=print)._now is steady_s


def test_a_delayed_game_stays_late_after_a_restart(tmp_path: Path) -> None:
    now = [100.0]
    table = open_table(tmp_path, delay_s=10.0, now=lambda: now[0])
    for text in ("play 8D HRAKI", "pass", "pass"):
        now[0] += 4.0
        send_commands(table, text)
    newest = table.state.sequence
    journal_of(table).close()
    again = open_table(tmp_path, delay_s=10.0, now=lambda: now[0])
    late = DelayedGame(again, lambda: now[0])
    assert (len(late.state.game.events), late.state.sequence) == (0, 0)
    now[0] = 114.5
    assert len(late.state.game.events) == 1
    send_commands(again, "pass")
    now[0] = 123.0
    assert (len(late.state.game.events), late.state.sequence) == (3, newest)
    now[0] = 140.0
    assert len(late.state.game.events) == 4
    journal_of(again).close()


def test_nothing_waits_after_a_restart_for_a_clock_that_is_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    awake_s, step_s = [500.0], [0.0]
    monkeypatch.setattr("tilesight.live.clocks.steady_s", lambda: awake_s[0])
    monkeypatch.setattr(time, "time", lambda: 1e9 + awake_s[0] + step_s[0])
    with open_table(tmp_path, delay_s=60.0, clock_s=1500.0, rack_delay_s=60.0, now=time.time) as table:
        send_commands(table, "play 8D HRAKI", "rack Jón DULARFU", "start Jón")
    step_s[0] = -2400.0  # a computer without a battery for its clock
    with open_table(tmp_path, delay_s=60.0, clock_s=1500.0, rack_delay_s=60.0, now=time.time) as again:
        late = DelayedGame(again, time.time)
        assert [round(wait_s) for wait_s, _ in late.upcoming] == [60, 60, 60]
        awake_s[0] += 30.0
        step_s[0] = 0.0  # the network sets it
        assert len(late.state.game.events) == 0
        awake_s[0] += 31.0
        assert len(late.state.game.events) == 1
        assert "".join(again.state.shown_racks(time.time())[1]) == "DULARFU"
        clocks = again.state.clocks(time.time())
        assert clocks is not None
        assert round(clocks.left_s[1]) == 1500 - 61


async def next_change(messages: AsyncIterator[bytes]) -> Any:
    """The next change that a listener gets, without what only its browser needs."""
    async for message in messages:
        if b"\nevent: change\n" in message:
            return json.loads(message.partition(b"\ndata: ")[2])
    raise AssertionError("the messages are over")


def test_what_becomes_due_after_a_restart_is_sent_at_its_time(tmp_path: Path) -> None:
    now = [1000.0]
    options: dict[str, Any] = {"now": lambda: now[0]}
    with (
        open_table(tmp_path, delay_s=3.0, **options) as table,
        open_table(tmp_path, "rack", rack_delay_s=3.0, **options) as rack,
    ):
        send_commands(table, "play 8D HRAKIAÐ")
        send_commands(rack, "rack Anna DULARFU")
        now[0] += 0.5
        send_commands(table, "pass")
    now[0] += 1.0
    timers: list[tuple[float, Any, tuple[Any, ...]]] = []

    def call_later(wait_s: float, callback: Any, *arguments: Any) -> Any:
        timers.append((now[0] + wait_s, callback, arguments))
        return SimpleNamespace(cancel=lambda: None)

    async def follow(*tables: LiveGame) -> tuple[Any, ...]:
        loop: Any = asyncio.get_running_loop()
        streams = [GameStream(table, options["now"]) for table in tables]
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(loop, "call_later", call_later)
            for stream in streams:
                stream.open(loop)
        moves, racks = (stream.listen(None, for_operator=False) for stream in streams)
        assert (await next_change(moves))["sequence"] == 0
        assert (await next_change(racks))["state"]["players"][0]["rack"] == []
        for at_s, callback, arguments in sorted(timers, key=lambda timer: timer[0]):
            now[0] = at_s
            callback(*arguments)
        return [await next_change(moves) for _ in range(2)], await next_change(racks)

    with (
        open_table(tmp_path, delay_s=3.0, **options) as table,
        open_table(tmp_path, "rack", rack_delay_s=3.0, **options) as rack,
    ):
        (play, passed), shown = asyncio.run(follow(table, rack))
    assert sorted(at_s for at_s, _, _ in timers) == pytest.approx([1003.0, 1003.01, 1003.5])
    assert shown["state"]["players"][0]["rack"] == list("DULARFU")
    assert [len(change["state"]["moves"]) for change in (play, passed)] == [1, 2]
    assert ([moment["kind"] for moment in play["moments"]], passed["moments"]) == (["bingo"], [])


class SlowDeque(deque[Any]):
    """Gives other threads time to look before an item is gone."""

    def popleft(self) -> Any:
        time.sleep(0.01)
        return super().popleft()


def test_a_delayed_game_is_read_by_several_threads_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tilesight.live.delay.game.deque", SlowDeque)
    now = [100.0]
    table = LiveGame("t", open_edition(), None, players=("Anna", "Jón"), delay_s=10.0)
    late = DelayedGame(table, lambda: now[0])
    send_commands(table, "play 8D HRAKI")
    now[0] = 130.0
    with ThreadPoolExecutor(4) as threads:
        readers = [threads.submit(lambda: late.state) for _ in range(4)]
        assert [len(reader.result().game.events) for reader in readers] == [1] * 4


def open_edition() -> Any:
    from scoring import load_edition

    return load_edition("icelandic")


def test_a_right_is_part_of_the_signed_cookie() -> None:
    token = ConsoleToken(TOKEN)
    sessions = Sessions(token)
    right = sessions.use_code(sessions.make_code(right=Right.CAMERA))
    assert right is Right.CAMERA
    cookie = sessions.open("a phone", "192.0.2.7", right)
    again = Sessions(token).find(cookie)  # a restart forgets the list, not the right
    assert again is not None
    assert (again.right, again.device) == (Right.CAMERA, "")
    as_operator = cookie.replace(".camera", "")
    assert Sessions(token).find(as_operator) is None
    unknown = f"number.director.{cookie.split('.')[2]}"
    assert Sessions(token).find(f"{unknown}.{token.sign(unknown)}") is None
    assert sessions.use_code(sessions.make_code()) is Right.OPERATOR


def test_the_boards_picture_is_as_late_as_the_rest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tilesight.live.delay.pictures.MIN_INTERVAL_S", 0.05)
    monkeypatch.setattr("tilesight.live.SnapshotCache.board", lambda _: b"at %.6f" % time.time())

    picture = "/api/tables/final/board.jpg"

    def ask(path: str, **request: Any) -> tuple[float, float]:
        """When the picture was asked for, and when it was taken; a busy machine may have none for a moment."""
        for _ in range(200):
            asked_s = time.time()
            status, _, body = air.request("GET", path, **request)
            if status == 200:
                return asked_s, float(body.split()[1])
            assert status == 404
            time.sleep(0.05)
        raise AssertionError(f"{path}: no picture in 10 s")

    delays_s = {"final": 0.6, "later": 3600.0, "left": 0.0}
    with serve_tables(*(open_table(tmp_path, name, delay_s=each) for name, each in delays_s.items())) as air:
        status, _, body = air.request("GET", "/api/tables/later/board.jpg")
        assert (status, b"when the table's delay is over" in body) == (404, True)
        for _ in range(3):
            _, taken_s = ask(picture)
            assert taken_s <= time.time() - 0.6
        assert air.request("GET", "/api/tables/final/desk/board.jpg")[0] == 401
        for path, request in (("final/desk", {"headers": BEARER}), ("left", {})):
            asked_s, taken_s = ask(f"/api/tables/{path}/board.jpg", **request)
            assert taken_s >= asked_s


def test_a_delayed_picture_is_never_shown_too_early_nor_much_too_late() -> None:
    now = [0.0]
    taken = ["first"]
    pictures = DelayedPictures(lambda: taken[0].encode(), 10.0, lambda: now[0])
    pictures.sample()
    assert pictures.picture is None
    now[0], taken[0] = 9.9, "second"
    pictures.sample()
    assert pictures.picture is None
    now[0] = 10.0
    assert pictures.picture == b"first"
    now[0] = 20.0
    assert pictures.picture == b"second"
    now[0] = 30.0
    assert pictures.picture is None, "what was taken long ago is no picture of that moment"
    assert DelayedPictures(lambda: b"", 3600.0).interval_s == 30.0


def test_two_servers_on_one_machine_have_cookies_of_their_own(tmp_path: Path) -> None:
    other_token = TOKEN + "-of-the-other"
    with (
        serve_tables(open_table(tmp_path)) as one,
        serve_tables(open_table(tmp_path, "left"), token=other_token) as other,
    ):
        cookies = [
            air.request("POST", "/api/session", {"token": token})[1]["set-cookie"].partition(";")[0]
            for air, token in ((one, TOKEN), (other, other_token))
        ]
        assert len({cookie.partition("=")[0] for cookie in cookies}) == 2
        both = {"Cookie": "; ".join(cookies)}  # a browser sends the cookies of a host to each of its ports
        assert one.request("GET", "/api/session", headers=both)[0] == 200
        assert other.request("GET", "/api/session", headers=both)[0] == 200


@pytest.mark.parametrize(
    ("host", "name"),
    [
        ("localhost:8000", "tilesight-console-8000"),
        ("[::1]:8001", "tilesight-console-8001"),
        ("[::1]", "tilesight-console"),
        ("stream.example", "tilesight-console"),
        ("", "tilesight-console"),
    ],
)
def test_a_cookies_name_has_the_port(host: str, name: str) -> None:
    assert name_cookie(host) == name
