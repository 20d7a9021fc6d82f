"""The webhook: a real server that fails and comes back gets every event, in order; no table waits for it."""

from __future__ import annotations

import hashlib
import hmac
import json
import socket
import socketserver
import ssl
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import replace
from email.message import Message
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from tests.support.on_air import open_table, send_commands
from tests.support.serving import wait_until
from tilesight.live import LiveGame
from tilesight.web.certificates import load_own_certificate
from tilesight.web.webhook import Webhook, post
from tilesight.web.webhook.delivery import WebhookSettings
from vision.errors import SettingsError

QUICK = WebhookSettings(first_wait_s=0.01, longest_wait_s=0.05, timeout_s=60.0, flush_s=60.0)
"""Waits for a busy machine; a test in which nothing answers has a shorter `flush_s`."""


class Receiver:
    """A server that answers with these status codes, one after the other, and then with 200; 0 hangs up.

    It answers while `answers_now` is set.
    """

    def __init__(self, *answers: int) -> None:
        self.answers = list(answers)
        self.bodies: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.data: list[bytes] = []
        self.paths: list[str] = []
        self.asked = 0
        self.answers_now = threading.Event()
        self.answers_now.set()
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                data = self.rfile.read(int(self.headers["Content-Length"]))
                receiver.asked += 1
                receiver.answers_now.wait(10)
                status = receiver.answers.pop(0) if receiver.answers else 200
                if status == 0:
                    self.connection.shutdown(socket.SHUT_RDWR)
                    return
                if status == 200:
                    receiver.paths.append(self.path)
                    receiver.data.append(data)
                    receiver.bodies.append(json.loads(data))
                    receiver.headers.append(dict(self.headers))
                self.send_response(status)
                self.send_header("Location", "/elsewhere")
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.thread = threading.Thread(target=self.server.serve_forever, args=(0.02,), daemon=True)
        self.thread.start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server.server_port}/hook/secret"

    def wait(self, count: int) -> list[dict[str, Any]]:
        wait_until(lambda: len(self.bodies) >= count)
        return self.bodies


@pytest.fixture
def receive() -> Iterator[Callable[..., Receiver]]:
    made: list[Receiver] = []

    def make(*answers: int) -> Receiver:
        made.append(Receiver(*answers))
        return made[-1]

    yield make
    for receiver in made:
        receiver.server.shutdown()
        receiver.server.server_close()


@pytest.fixture
def table(tmp_path: Path) -> Iterator[LiveGame]:
    made = open_table(tmp_path)
    yield made
    made.close()


def test_a_server_that_fails_twice_gets_all_events_in_their_order(
    receive: Callable[..., Receiver], table: LiveGame
) -> None:
    receiver = receive(500, 0)
    notes: list[str] = []
    with Webhook(receiver.url, secret="x", notify=notes.append, settings=QUICK) as hook:
        hook.follow(table)
        send_commands(table, "rack Anna HRAKIAÐ", "play 8D HRAKIAÐ", "challenge", "pass")
        bodies = receiver.wait(4)
    assert [body["sequence"] for body in bodies] == [1, 2, 3, 4]
    assert bodies[0]["events"] == [{"event": "rack"}], "a rack is not for everybody"
    assert (bodies[1]["events"][0]["event"], bodies[1]["moments"][0]["kind"]) == ("play", "bingo")
    assert bodies[2]["moments"][0]["valid"] is False
    assert bodies[2]["players"][0] == {"name": "Anna", "total": 0, "won": 0.0}
    headers = receiver.headers[1]
    assert headers["Idempotency-Key"] == f"final-2-{bodies[1]['run']}"
    signature = hmac.new(b"x", receiver.data[1], hashlib.sha256).hexdigest()
    assert headers["Tilesight-Signature"] == f"sha256={signature}"
    host = receiver.url.split("/")[2]
    assert notes == [
        f"webhook {host}: status 500; trying again",
        f"webhook {host}: events are taken again",
    ]


def test_totals_are_final_once_the_tiles_left_are_settled(
    receive: Callable[..., Receiver], table: LiveGame
) -> None:
    receiver = receive()
    with Webhook(receiver.url, notify=print, settings=QUICK) as hook:
        hook.follow(table)
        send_commands(table, "play 8D HRAKI", *("pass",) * 6, "end Anna=AAAAAAA Jón=RRRRRRR")
        bodies = receiver.wait(8)
    assert [bodies[at]["final"] for at in (0, -2, -1)] == [False, False, True]
    assert [bodies[at]["over"] is not None for at in (0, -2, -1)] == [False, True, True]


@pytest.mark.parametrize(
    ("asked", "waits_s"), [("20", 20.0), ("300", 300.0), ("86400", 300.0), ("soon", 0.0)]
)
def test_a_server_cannot_ask_for_a_long_wait(
    monkeypatch: pytest.MonkeyPatch, asked: str, waits_s: float
) -> None:
    headers = Message()
    headers["Retry-After"] = asked

    class Busy:
        def open(self, *_: Any, **__: Any) -> None:
            raise urllib.error.HTTPError("http://localhost", 503, "busy", headers, None)

    monkeypatch.setattr(post, "_OPENER", Busy())
    answer = post.send_json(post.Address("http://localhost/hook"), {}, key="1", secret="", timeout_s=1.0)
    assert (answer.wait_s, answer.is_final) == (waits_s, False)


def test_what_is_refused_for_good_is_left_out_and_reported_without_the_secret_path(
    receive: Callable[..., Receiver], table: LiveGame
) -> None:
    receiver = receive(404, 307)
    notes: list[str] = []
    with Webhook(receiver.url, notify=notes.append, settings=QUICK) as hook:
        hook.follow(table)
        send_commands(table, "pass", "pass", "pass")
        assert [body["sequence"] for body in receiver.wait(1)] == [3]
    assert [note.split(": ", 1)[1].split(";")[0] for note in notes] == ["status 404", "status 307"]
    assert not any("secret" in note for note in notes)


def test_letters_of_any_language_and_percent_signs_are_in_the_address(
    receive: Callable[..., Receiver], table: LiveGame
) -> None:
    receiver = receive()
    url = f"{receiver.url}/höök/%20~(a);b=c?d=é&e=%C3"
    with Webhook(url, notify=print, settings=QUICK) as hook:
        hook.follow(table)
        send_commands(table, "pass")
        receiver.wait(1)
    assert receiver.paths == ["/hook/secret/h%C3%B6%C3%B6k/%20~(a);b=c?d=%C3%A9&e=%C3"]


@pytest.mark.parametrize(
    ("url", "secret"), [("http://a..b/hook", ""), ("http://127.0.0.1:9/", "\udcff")], ids=["host", "secret"]
)
def test_what_cannot_be_sent_is_reported_for_each_entry(table: LiveGame, url: str, secret: str) -> None:
    notes: list[str] = []
    with Webhook(url, secret=secret, notify=notes.append, settings=QUICK) as hook:
        hook.follow(table)
        send_commands(table, "pass", "pass")
        wait_until(lambda: len(notes) >= 2)
    assert ["is not sent again: check the address" in note for note in notes] == [True, True]


def test_no_table_waits_for_a_server_that_does_not_answer(table: LiveGame) -> None:
    notes: list[str] = []
    with socket.create_server(("127.0.0.1", 0)) as deaf:
        url = f"http://127.0.0.1:{deaf.getsockname()[1]}/"
        settings = replace(QUICK, flush_s=0.1, max_waiting=2)
        with Webhook(url, notify=notes.append, settings=settings) as hook:
            hook.follow(table)
            began_s = time.monotonic()
            send_commands(table, *("rack Anna A",) * 8)
            assert time.monotonic() - began_s < settings.timeout_s
            assert len(hook._waiting) <= 2
            assert hook._dropped >= 5
    assert time.monotonic() - began_s < settings.timeout_s


def test_a_stop_does_not_wait_for_a_server_that_does_not_answer(table: LiveGame) -> None:
    notes: list[str] = []
    with socket.create_server(("127.0.0.1", 0)) as deaf:
        url = f"http://127.0.0.1:{deaf.getsockname()[1]}/"
        settings = replace(QUICK, flush_s=0.2)
        with Webhook(url, notify=notes.append, settings=settings) as hook:
            hook.follow(table)
            send_commands(table, "pass", "pass")
            began_s = time.monotonic()
        assert time.monotonic() - began_s < settings.timeout_s
    hook._thread.join(60)
    assert [note.split(": ", 1)[1] for note in notes] == ["events not delivered when the program stopped: 2"]


def test_what_is_not_delivered_is_reported_also_when_the_stop_is_interrupted(
    table: LiveGame, monkeypatch: pytest.MonkeyPatch
) -> None:
    notes: list[str] = []

    def interrupt(_: float) -> None:
        raise KeyboardInterrupt

    with socket.create_server(("127.0.0.1", 0)) as deaf:
        hook = Webhook(f"http://127.0.0.1:{deaf.getsockname()[1]}/", notify=notes.append, settings=QUICK)
        monkeypatch.setattr(hook._thread, "join", interrupt)
        hook.follow(table)
        with pytest.raises(KeyboardInterrupt), hook:
            send_commands(table, "pass")
    monkeypatch.undo()
    hook._thread.join(60)
    assert [note.split(": ", 1)[1] for note in notes] == ["events not delivered when the program stopped: 1"]


def test_an_unknown_certificate_is_trusted_once_the_environment_names_its_authority(
    receive: Callable[..., Receiver], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    receiver = receive()
    certificate, key = load_own_certificate(tmp_path, ["127.0.0.1"])
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    receiver.server.socket = context.wrap_socket(receiver.server.socket, server_side=True)
    address = post.Address(receiver.url.replace("http:", "https:"))

    def send() -> post.Answer:
        # as in a program that is started now
        monkeypatch.setattr(post, "_OPENER", urllib.request.build_opener())
        return post.send_json(address, {}, key="1", secret="", timeout_s=60.0)

    answer = send()
    assert answer.problem.startswith("its certificate is not trusted (self")
    assert answer.problem.endswith("name the authority's file in the environment variable SSL_CERT_FILE")
    assert not answer.is_final
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    assert send() == post.Answer()


@pytest.mark.parametrize(
    ("answer", "through_proxy", "problem"),
    [
        (b"hello\x1b[31m\n", False, "its answer is not HTTP; check address and port"),
        (b"x" * 70_000, False, "its answer is not HTTP; check address and port"),
        (b"", False, "Remote end closed connection without response"),
        (
            b"HTTP/1.0 407 \x1b[31mno" + b" no" * 99 + b"\r\n\r\n",
            True,
            "Tunnel connection failed: 407 [31mno no",
        ),
    ],
    ids=["text", "long", "none", "proxy"],
)
def test_what_a_server_says_does_not_control_the_terminal(
    monkeypatch: pytest.MonkeyPatch, answer: bytes, through_proxy: bool, problem: str
) -> None:
    class Strange(socketserver.BaseRequestHandler):
        def handle(self) -> None:
            self.request.recv(10_000)
            self.request.sendall(answer)

    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Strange) as server:
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        url = f"http://127.0.0.1:{server.server_address[1]}/"
        if through_proxy:
            proxy = urllib.request.ProxyHandler({"https": url})
            monkeypatch.setattr(post, "_OPENER", urllib.request.build_opener(proxy))
            url = "https://example.org/"
        sent = post.send_json(post.Address(url), {}, key="1", secret="", timeout_s=60.0)
        server.shutdown()
    assert sent.problem.startswith(problem)
    assert sent.problem.isprintable()
    assert len(sent.problem) <= 160
    assert not sent.is_final


def test_an_answer_counts_once_its_status_is_there(table: LiveGame) -> None:
    notes: list[str] = []
    taken: list[bytes] = []
    is_over = threading.Event()

    class Slow(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            taken.append(self.rfile.read(int(self.headers["Content-Length"])))
            self.send_response(200)
            self.send_header("Content-Length", "2")
            self.end_headers()
            is_over.wait(10)

    with ThreadingHTTPServer(("127.0.0.1", 0), Slow) as server:
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        with Webhook(f"http://127.0.0.1:{server.server_port}/", notify=notes.append, settings=QUICK) as hook:
            hook.follow(table)
            send_commands(table, "pass", "undo", "pass")
            wait_until(lambda: len(taken) == 3)
        is_over.set()
        server.shutdown()
    assert [json.loads(data)["sequence"] for data in taken] == [1, 2, 3]
    assert notes == []


def test_what_was_lost_is_reported_once_the_server_is_back(
    receive: Callable[..., Receiver], table: LiveGame
) -> None:
    receiver = receive(*(503,) * 1000)
    notes: list[str] = []
    settings = replace(QUICK, max_waiting=2)
    with Webhook(receiver.url, notify=notes.append, settings=settings) as hook:
        hook.follow(table)
        send_commands(table, "pass")
        wait_until(lambda: notes)  # the first one is tried again
        send_commands(table, "pass", "undo", "pass")
        receiver.answers.clear()
        bodies = receiver.wait(3)
    assert [body["sequence"] for body in bodies] == [1, 3, 4]
    assert notes[-1].endswith("events are taken again; 1 events were too many to wait and are lost")


@pytest.mark.parametrize(("answer", "end"), [(200, ""), (404, "check the address; ")])
def test_what_was_lost_is_reported_also_where_the_server_never_failed_or_refuses(
    receive: Callable[..., Receiver], table: LiveGame, answer: int, end: str
) -> None:
    receiver = receive(answer)
    receiver.answers_now.clear()
    notes: list[str] = []
    settings = replace(QUICK, max_waiting=2)
    with Webhook(receiver.url, notify=notes.append, settings=settings) as hook:
        hook.follow(table)
        send_commands(table, "pass")
        wait_until(lambda: receiver.asked)
        send_commands(table, "undo", "pass", "undo", "pass")
        receiver.answers_now.set()
        receiver.wait(2)
    assert len(notes) == 1
    assert notes[0].endswith(f"{end}2 events were too many to wait and are lost")


def test_events_that_wait_for_the_delay_of_their_table_are_not_too_many(
    receive: Callable[..., Receiver], tmp_path: Path
) -> None:
    receiver = receive()
    notes: list[str] = []
    with (
        open_table(tmp_path, delay_s=0.4) as late,
        Webhook(receiver.url, notify=notes.append, settings=replace(QUICK, max_waiting=2)) as hook,
    ):
        hook.follow(late)
        send_commands(late, "pass", "undo", "pass", "undo")
        assert [body["sequence"] for body in receiver.wait(4)] == [1, 2, 3, 4]
    assert notes == []


def test_what_is_not_delivered_at_the_end_is_reported(
    receive: Callable[..., Receiver], tmp_path: Path
) -> None:
    down, up = receive(*(503,) * 1000), receive()
    late, prompt = open_table(tmp_path, "late", delay_s=60.0), open_table(tmp_path, "prompt")
    notes: list[str] = []
    settings = WebhookSettings(first_wait_s=0.01, longest_wait_s=0.01, flush_s=0.05, max_waiting=2)
    with Webhook(down.url, notify=notes.append, settings=settings) as hook:
        hook.follow(prompt)
        send_commands(prompt, "pass")
        wait_until(lambda: notes)  # the first one is tried again
        send_commands(prompt, "undo", "pass", "undo")
    with Webhook(up.url, notify=notes.append, settings=QUICK) as hook:
        hook.follow(late)
        hook.follow(prompt)
        send_commands(late, "pass")
        send_commands(prompt, "pass")
        up.wait(1)
    lost = "events not delivered when the program stopped:"
    assert [note.split(": ", 1)[1] for note in notes] == [
        "status 503; trying again",
        f"{lost} 4",
        f"{lost} 1",
    ]
    late.close()
    prompt.close()


def test_entries_of_two_runs_have_different_keys(receive: Callable[..., Receiver], tmp_path: Path) -> None:
    receiver = receive(503)
    for number in (1, 2):
        folder = tmp_path / str(number)
        folder.mkdir()
        table = open_table(folder)
        with Webhook(receiver.url, notify=print, settings=QUICK) as hook:
            hook.follow(table)
            send_commands(table, "pass")
            receiver.wait(number)
        table.close()
    first, second = receiver.bodies
    assert {**first, "run": ""} == {**second, "run": ""}
    assert first["run"] != second["run"]
    assert len({headers["Idempotency-Key"] for headers in receiver.headers}) == 2


def test_viewers_of_a_delayed_table_are_not_overtaken(
    receive: Callable[..., Receiver], tmp_path: Path
) -> None:
    receiver = receive()
    late, prompt = open_table(tmp_path, "late", delay_s=0.2), open_table(tmp_path, "prompt")
    now = [0.0]
    with Webhook(receiver.url, notify=print, settings=QUICK, now=lambda: now[0]) as hook:
        hook.follow(late)
        hook.follow(prompt)
        send_commands(late, "pass")
        now[0] = 0.19
        send_commands(prompt, "pass")
        assert [body["table"] for body in receiver.wait(1)] == ["prompt"]
        now[0] = 0.2
        assert [body["table"] for body in receiver.wait(2)] == ["prompt", "late"]
    late.close()
    prompt.close()


@pytest.mark.parametrize(
    "url", ["", "example.org", "ftp://example.org", "http://", "http://x:99999/", "http://a b/", "http://[x"]
)
def test_an_address_that_is_none(url: str) -> None:
    with pytest.raises(SettingsError, match="--webhook: this is no address; write one such as https://"):
        Webhook(url, notify=print)
    with pytest.raises(SettingsError, match="leave name and password out"):
        Webhook("https://anna:secret@example.org/", notify=print)
