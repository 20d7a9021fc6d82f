"""The connection to a broker: addresses, logins, TLS, and what is said where it cannot be reached."""

from __future__ import annotations

import asyncio
import queue
import socket
import socketserver
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import paho.mqtt.client as mqtt
import pytest

from tests.support.mosquitto import Mosquitto, needs_mosquitto
from tests.support.on_air import open_table, send_commands
from tests.support.ports import free_port
from tests.support.serving import wait_until
from tilesight.live import Tournament
from tilesight.web.certificates import load_own_certificate
from tilesight.web.hub import Broker, BrokerConnection, Publisher, RemoteTables, open_broker, parse_broker
from tilesight.web.hub.messages import MachineMessage, parse_message
from tilesight.web.hub.opening import find_machine_name
from tilesight.web.hub.settings import SETTINGS
from tilesight.web.sse import GameStream
from vision.errors import InputError, SettingsError

LIMIT_S = 60.0
REFUSAL = (
    "this machine does not hear what it publishes: check that the broker's access list allows reading and "
    "writing of club/v1/#"
)


@pytest.mark.parametrize(
    ("address", "host", "port", "root", "is_encrypted"),
    [
        ("broker", "broker", 1883, "tilesight", False),
        ("10.0.0.5:2000", "10.0.0.5", 2000, "tilesight", False),
        ("mqtts://broker/club/hall", "broker", 8883, "club/hall", True),
        ("mqtt://[::1]:99/", "::1", 99, "tilesight", False),
    ],
)
def test_addresses(address: str, host: str, port: int, root: str, is_encrypted: bool) -> None:
    broker = parse_broker(address, environment={})
    assert (broker.host, broker.port, broker.root) == (host, port, root)
    assert (broker.is_encrypted, broker.user) == (is_encrypted, "")


@pytest.mark.parametrize(
    ("address", "message"),
    [
        ("http://broker", "not the address of a broker"),
        ("", "not the address of a broker"),
        ("mqtt://[::1", "not the address of a broker"),
        ("broker:70000", "the port is not a number from 1 to 65535"),
        ("broker:0", "the port is not a number from 1 to 65535"),
        ("broker/#", "a topic has letters, digits"),
        ("broker/a b", "a topic has letters, digits"),
        ("mqtt://club:secret@broker", "set TILESIGHT_BROKER_USER and TILESIGHT_BROKER_PASSWORD"),
        ("mqtt://club:secret@[::1", "set TILESIGHT_BROKER_USER and TILESIGHT_BROKER_PASSWORD"),
        ("mqtt://club:secret/@broker", "set TILESIGHT_BROKER_USER and TILESIGHT_BROKER_PASSWORD"),
    ],
)
def test_addresses_that_make_no_sense_are_refused(address: str, message: str) -> None:
    with pytest.raises(SettingsError, match=message) as refused:
        parse_broker(address, environment={})
    assert "secret" not in str(refused.value)


def test_logins_come_from_the_environment_or_a_file_and_are_never_shown(tmp_path: Path) -> None:
    environment = {"TILESIGHT_BROKER_USER": "club", "TILESIGHT_BROKER_PASSWORD": "secret"}
    broker = parse_broker("broker", environment=environment)
    assert (broker.user, broker.password) == ("club", "secret")
    assert "secret" not in repr(broker)
    (tmp_path / "login").write_text("hall\nword\n")
    assert parse_broker("broker", login=tmp_path / "login", environment=environment).user == "hall"
    (tmp_path / "half").write_text("hall\n")
    with pytest.raises(InputError, match="the password in its second"):
        parse_broker("broker", login=tmp_path / "half")
    with pytest.raises(InputError, match="cannot be read"):
        parse_broker("broker", login=tmp_path / "none")
    with pytest.raises(SettingsError, match="goes with TLS; write mqtts://broker"):
        parse_broker("broker", authority=tmp_path / "ca.pem")
    with pytest.raises(InputError, match=r"--broker-ca .*: No such file"):
        BrokerConnection(parse_broker("mqtts://broker", authority=tmp_path / "ca.pem"), print)


def test_options_that_contradict_each_other_are_refused(tmp_path: Path) -> None:
    for options, message in (
        ({"publish": "a", "hub": "b"}, "start two programs"),
        ({"publish": None, "hub": "b", "machine": "c"}, "--machine c: goes with --publish"),
        ({"publish": None, "hub": None, "login": tmp_path}, r"--broker-login .*: goes with"),
        ({"publish": "a", "hub": None, "machine": "Hall 2"}, "small letters, digits and dashes"),
    ):
        with pytest.raises(SettingsError, match=message):
            open_broker(**options, notify=print)
    assert open_broker(None, None, notify=print) == (None, None)
    assert find_machine_name(None)


@contextmanager
def connected(broker: Broker) -> Iterator[tuple[BrokerConnection, queue.Queue[str]]]:
    """A connection, and what it says; the word `connected` once it is."""
    said: queue.Queue[str] = queue.Queue()
    connection = BrokerConnection(broker, said.put)
    connection.on_connected = lambda: said.put("on connected")
    connection.start()
    try:
        yield connection, said
    finally:
        connection.stop()


def test_a_broker_that_is_not_there_is_reported_once_with_advice_and_tried_again() -> None:
    broker = parse_broker(f"127.0.0.1:{free_port()}", environment={})
    with connected(broker) as (connection, said):
        advice = f"{broker.name}: no broker listens there; start it, or check the port"
        assert said.get(timeout=LIMIT_S) == f"{advice}; trying again"
        with pytest.raises(queue.Empty):
            said.get(timeout=1.2)  # the second attempt has failed, too
        assert connection.problem == advice
    with connected(parse_broker("no-such-machine.invalid", environment={})) as (_, said):
        assert "there is no machine of that name" in said.get(timeout=LIMIT_S)


def test_something_else_that_listens_there_is_reported() -> None:
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        sock.listen()
        sock.settimeout(LIMIT_S)
        broker = parse_broker(f"mqtts://127.0.0.1:{sock.getsockname()[1]}", environment={})
        with connected(broker) as (_, said):
            peer, _ = sock.accept()
            peer.sendall(b"220 mail.example ESMTP\r\n")
            assert "no TLS there" in said.get(timeout=LIMIT_S)
            peer.close()


@contextmanager
def answering(answer: bytes) -> Iterator[tuple[Broker, list[float]]]:
    """What answers each connection so and ends it, and the times at which it did."""
    times: list[float] = []

    class Handler(socketserver.BaseRequestHandler):
        def handle(self) -> None:
            self.request.recv(1000)
            self.request.sendall(answer)
            times.append(time.monotonic())

    with socketserver.TCPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield parse_broker(f"127.0.0.1:{server.server_address[1]}", environment={}), times
        server.shutdown()


def test_what_is_no_broker_is_named() -> None:
    with answering(b"HTTP/1.1 400 Bad Request\r\n\r\n") as (broker, _), connected(broker) as (_, reports):
        problem = f"{broker.name}: no MQTT broker answers there; check the port"
        assert reports.get(timeout=LIMIT_S) == f"{problem}; trying again"


def test_a_broker_that_ends_each_connection_is_reported_once_and_tried_less_and_less_often() -> None:
    accepted, too_large = b"\x20\x03\x00\x00\x00", b"\xe0\x01\x95"
    with answering(accepted + too_large) as (broker, times), connected(broker) as (_, reports):
        wait_until(lambda: len(times) == 3)
        heard = [reports.get_nowait() for _ in range(reports.qsize())]
    assert [line for line in heard if line != "on connected"] == [
        f"{broker.name}: the broker ends the connection (Packet too large); trying again"
    ]
    for wait_s, (before_s, after_s) in zip((0.5, 1.0), pairwise(times), strict=True):
        assert after_s - before_s > 0.9 * wait_s


@needs_mosquitto
def test_a_message_that_the_broker_does_not_take_is_reported_and_not_sent(tmp_path: Path) -> None:
    mosquitto = Mosquitto(tmp_path, ["allow_anonymous true", "max_packet_size 3000"])
    topic = "tilesight/v1/hall/tables/final"
    try:
        broker = parse_broker(f"127.0.0.1:{mosquitto.port}", environment={})
        with connected(broker) as (connection, reports):
            assert reports.get(timeout=LIMIT_S) == "on connected"
            connection.publish(topic, b"x" * 2950)
            for _ in range(2):
                connection.publish(topic, b"x" * 4000)
            assert reports.get(timeout=LIMIT_S) == (
                f"{broker.name}: {topic} is not published: it has 4038 bytes, and the broker takes 3000; "
                "raise its max_packet_size"
            )
            with pytest.raises(queue.Empty):
                reports.get(timeout=0.7)
            assert connection.is_connected
    finally:
        mosquitto.kill()


@needs_mosquitto
def test_one_thread_writes_to_the_broker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A TLS connection that two threads use at once is corrupted."""
    mosquitto = Mosquitto(tmp_path)
    writers: set[str] = set()
    send = mqtt.Client._sock_send

    def note(client: mqtt.Client, data: bytes) -> int:
        writers.add(threading.current_thread().name)
        return send(client, data)

    monkeypatch.setattr(mqtt.Client, "_sock_send", note)
    try:
        broker = parse_broker(f"127.0.0.1:{mosquitto.port}", environment={})
        with connected(broker) as (connection, reports):
            assert reports.get(timeout=LIMIT_S) == "on connected"
            connection.on_message = lambda _topic, payload, _is_kept: reports.put(payload.decode())
            connection.subscribe(["tilesight/v1/hall/about"])
            connection.publish("tilesight/v1/hall/about", b"heard")
            assert reports.get(timeout=LIMIT_S) == "heard"
            connection.stop(("tilesight/v1/hall/about", b"farewell"))
    finally:
        mosquitto.kill()
    assert writers == {"broker"}


@needs_mosquitto
def test_a_message_is_sent_at_once(tmp_path: Path) -> None:
    mosquitto, n_messages = Mosquitto(tmp_path), 20
    try:
        broker = parse_broker(f"127.0.0.1:{mosquitto.port}", environment={})
        with connected(broker) as (connection, reports):
            assert reports.get(timeout=LIMIT_S) == "on connected"
            connection.on_message = lambda _topic, payload, _is_kept: reports.put(payload.decode())
            connection.subscribe(["tilesight/v1/hall/about"])
            started_s = time.monotonic()
            for number in range(n_messages):
                connection.publish("tilesight/v1/hall/about", str(number).encode())
                assert reports.get(timeout=LIMIT_S) == str(number)
            # each would wait for the second in which the connection looks up by itself
            assert time.monotonic() - started_s < n_messages / 2
    finally:
        mosquitto.kill()


@needs_mosquitto
def test_a_machine_announces_what_the_broker_got_only(tmp_path: Path) -> None:
    mosquitto = Mosquitto(tmp_path)
    broker = parse_broker(f"127.0.0.1:{mosquitto.port}", environment={})
    game = open_table(tmp_path)
    announced: list[int] = []
    reports: list[str] = []

    def hear(_topic: str, payload: bytes, _is_kept: bool) -> None:
        about = parse_message(MachineMessage, payload)
        assert about is not None
        if about.connected:
            announced.append(about.tables["final"])

    async def run() -> None:
        stream = GameStream(game, time.time)
        publisher = Publisher(broker, "hall", reports.append)
        publisher.open(asyncio.get_running_loop(), {"final": stream})
        await asyncio.to_thread(wait_until, lambda: 1 in announced)
        publisher._connection._largest_packet = 1000  # the table's message has more, the machine's has not
        send_commands(game, "pass")
        publisher._take(game.state, ())
        await asyncio.to_thread(wait_until, lambda: reports)
        publisher._publish_about()
        publisher._publish_latest()  # as after a connection to a broker that may have lost the first one
        await asyncio.to_thread(wait_until, lambda: announced[-1] == 0)
        await publisher.close()

    try:
        with connected(broker) as (connection, events):
            assert events.get(timeout=LIMIT_S) == "on connected"
            connection.on_message = hear
            connection.subscribe(["tilesight/v1/hall/about"])
            asyncio.run(run())
    finally:
        mosquitto.kill()
    assert set(announced) == {0, 1}
    assert "tables/final is not published" in reports[0]


@needs_mosquitto
def test_a_hub_that_starts_after_a_machine_has_gone_has_its_event_until_that_is_removed(
    tmp_path: Path,
) -> None:
    mosquitto = Mosquitto(tmp_path)
    broker = parse_broker(f"127.0.0.1:{mosquitto.port}", environment={})
    (tmp_path / "r.csv").write_text("round,player,points,opponent,opponent-points\n1,Ana,412,Ben,388\n")
    (tmp_path / "event.toml").write_text('title = "Cup"\nresults = "r.csv"\n')
    reports: list[str] = []

    async def run() -> None:
        publisher = Publisher(broker, "hall", reports.append)
        tournament = Tournament(tmp_path / "event.toml", notify=reports.append)
        publisher.open(asyncio.get_running_loop(), {}, tournament)
        await asyncio.to_thread(wait_until, lambda: publisher._hears_itself)
        await publisher.close()
        hub = RemoteTables(broker, reports.append)
        hub.open(asyncio.get_running_loop())
        await asyncio.to_thread(wait_until, lambda: hub.event().title)
        assert [(line.name, line.points) for line in hub.event().standings] == [("Ana", 412), ("Ben", 388)]
        with connected(broker) as (connection, events):
            assert await asyncio.to_thread(events.get, timeout=LIMIT_S) == "on connected"
            connection.publish("tilesight/v1/hall/event", b"")
            await asyncio.to_thread(wait_until, lambda: not hub.event().title)
        assert not hub.event().standings
        await hub.close()
        hub = RemoteTables(broker, reports.append)
        hub.open(asyncio.get_running_loop())
        await asyncio.to_thread(wait_until, lambda: "hall" in hub._machines)  # from `about`
        await asyncio.sleep(0.5)
        assert not hub.event().standings
        await hub.close()

    try:
        asyncio.run(run())
    finally:
        mosquitto.kill()
    assert reports == []


def test_a_password_over_an_open_connection_is_warned_of() -> None:
    said: list[str] = []
    environment = {"TILESIGHT_BROKER_USER": "club", "TILESIGHT_BROKER_PASSWORD": "secret"}
    BrokerConnection(parse_broker("hall", environment=environment), said.append)
    BrokerConnection(parse_broker("localhost", environment=environment), said.append)
    assert said == [
        "mqtt://hall:1883: the password is sent unencrypted; write mqtts:// for a broker with TLS"
    ]


@needs_mosquitto
def test_tls_and_a_password_are_checked_on_both_sides(tmp_path: Path) -> None:
    certificate, key = load_own_certificate(tmp_path, {"localhost", "127.0.0.1"})
    key.chmod(0o644)
    tmp_path.chmod(0o755)
    passwords = tmp_path / "passwords"
    subprocess.run(["mosquitto_passwd", "-b", "-c", passwords, "club", "secret"], check=True)
    passwords.chmod(0o644)
    lines = ["user root", f"password_file {passwords}", f"certfile {certificate}", f"keyfile {key}"]
    mosquitto = Mosquitto(tmp_path, lines)
    address = f"mqtts://127.0.0.1:{mosquitto.port}"
    right = {"TILESIGHT_BROKER_USER": "club", "TILESIGHT_BROKER_PASSWORD": "secret"}
    wrong = {**right, "TILESIGHT_BROKER_PASSWORD": "guess"}
    try:
        with connected(parse_broker(address, authority=certificate, environment=right)) as (_, said):
            assert said.get(timeout=LIMIT_S) == "on connected"
        with connected(parse_broker(address, authority=certificate, environment=wrong)) as (_, said):
            refusal = said.get(timeout=LIMIT_S)
            assert "the broker refuses this client" in refusal
            assert "TILESIGHT_BROKER_PASSWORD" in refusal
            assert "guess" not in refusal
        with connected(parse_broker(address, environment=right)) as (_, said):
            assert "the broker's certificate is not trusted" in said.get(timeout=LIMIT_S)
    finally:
        mosquitto.kill()


@needs_mosquitto
def test_two_machines_of_one_name_are_reported(tmp_path: Path) -> None:
    mosquitto = Mosquitto(tmp_path)
    broker = parse_broker(f"127.0.0.1:{mosquitto.port}", environment={})
    said: list[str] = []

    async def run() -> None:
        publishers = [Publisher(broker, "hall", said.append) for _ in range(2)]
        for publisher in publishers:
            publisher.open(asyncio.get_running_loop(), {})
            await asyncio.to_thread(wait_until, lambda publisher=publisher: publisher._hears_itself)
        await asyncio.to_thread(wait_until, lambda: said)
        for publisher in publishers:
            await publisher.close()

    try:
        asyncio.run(run())
    finally:
        mosquitto.kill()
    assert "another machine publishes as hall, too; give one of them another --machine NAME" in said


class PatientPublisher(Publisher):
    """A publisher that checks its broker once it has heard what a test needs, and says when it has."""

    needs = ""
    """The attribute that says so; none by default."""
    is_checked = False

    def _check_broker(self) -> None:
        if self.needs and not getattr(self, self.needs):
            self._check = asyncio.get_running_loop().call_later(0.02, self._check_broker)
            return
        super()._check_broker()
        self.is_checked = True


@needs_mosquitto
@pytest.mark.parametrize("has_namesake", [False, True])
def test_what_a_broker_kept_of_tables_that_are_gone_is_cleared(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, has_namesake: bool
) -> None:
    monkeypatch.setattr("tilesight.web.hub.publisher.SETTINGS", replace(SETTINGS, heartbeat_s=0.2))
    mosquitto = Mosquitto(tmp_path)
    broker = parse_broker(f"127.0.0.1:{mosquitto.port}", environment={})
    topic = "tilesight/v1/hall/tables/old"
    sent: list[str] = []
    kept: list[str] = []

    async def run() -> None:
        publishers = [PatientPublisher(broker, "hall", lambda _: None) for _ in range(1 + has_namesake)]
        for publisher in publishers:
            publisher.needs = "_has_namesake" if has_namesake else "_kept_tables"
            publisher.open(asyncio.get_running_loop(), {})
        await asyncio.to_thread(wait_until, lambda: all(each.is_checked for each in publishers))
        for publisher in publishers:
            await publisher.close()

    try:
        with connected(broker) as (connection, reports):
            assert reports.get(timeout=LIMIT_S) == "on connected"
            connection.on_message = lambda topic, _payload, is_kept: (kept if is_kept else sent).append(topic)
            connection.subscribe([topic])
            connection.publish(topic, b"{}")
            wait_until(lambda: sent)
            asyncio.run(run())
            connection.subscribe([topic])
            if has_namesake:
                wait_until(lambda: kept)
            else:
                time.sleep(0.3)  # nothing comes
    finally:
        mosquitto.kill()
    assert kept == ([topic] if has_namesake else [])


@needs_mosquitto
@pytest.mark.parametrize("allowed", ["readwrite club/v1/#", "write club/v1/#", "read nothing"])
def test_a_broker_that_does_not_pass_messages_on_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, allowed: str
) -> None:
    monkeypatch.setattr("tilesight.web.hub.publisher.SETTINGS", replace(SETTINGS, heartbeat_s=0.2))
    is_passed_on = allowed.startswith("readwrite")
    access = tmp_path / "access"
    access.write_text(f"topic {allowed}\n")
    tmp_path.chmod(0o755)
    lines = ["user root", "allow_anonymous true", f"acl_file {access}"]
    mosquitto = Mosquitto(tmp_path, lines)
    reports: list[str] = []

    async def run() -> None:
        broker = parse_broker(f"127.0.0.1:{mosquitto.port}/club", environment={})
        publisher = PatientPublisher(broker, "hall", reports.append)
        publisher.needs = "_hears_itself" if is_passed_on else ""
        publisher.open(asyncio.get_running_loop(), {})
        await asyncio.to_thread(wait_until, lambda: publisher.is_checked)
        await publisher.close()

    try:
        asyncio.run(run())
    finally:
        mosquitto.kill()
    assert reports == ([] if is_passed_on else [REFUSAL])


def test_a_broker_that_refuses_the_topics_is_reported() -> None:
    class Handler(socketserver.BaseRequestHandler):
        def handle(self) -> None:
            self.request.recv(1000)
            self.request.sendall(b"\x20\x03\x00\x00\x00")
            number = self.request.recv(1000)[2:4]
            self.request.sendall(b"\x90\x05" + number + b"\x00\x00\x87")  # the second of two
            self.request.recv(1000)

    with socketserver.TCPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        broker = parse_broker(f"127.0.0.1:{server.server_address[1]}", environment={})
        reports: queue.Queue[str] = queue.Queue()

        async def run() -> str:
            hub = RemoteTables(broker, reports.put)
            hub.open(asyncio.get_running_loop())
            report = await asyncio.to_thread(reports.get, timeout=LIMIT_S)
            assert hub.problem == report
            await hub.close()
            return report

        advice = "check its access list for tilesight/v1/#"
        assert (
            asyncio.run(run()) == f"{broker.name}: the broker refuses the topics (Not authorized); {advice}"
        )
        server.shutdown()
