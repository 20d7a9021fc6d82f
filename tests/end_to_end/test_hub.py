"""Several machines, a broker and a hub as processes: what dies comes back, and nothing is lost."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest

from tests.support.mosquitto import Mosquitto, needs_mosquitto
from tests.support.on_air import RunningServer
from tests.support.serving import ServeProcess, wait_until

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = [
    pytest.mark.slow,
    pytest.mark.no_cover,
    needs_mosquitto,
]
DELAY_S = 2.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Hall:
    """A broker, three machines and a hub."""

    broker: Mosquitto
    machines: dict[str, ServeProcess]
    hub: ServeProcess

    def play(self, machine: str, text: str) -> int:
        """Type a command at a machine; the number of its journal entry."""
        status, answer = self.machines[machine].server.send_command("table", text)
        assert status == 200, answer
        return int(answer["sequence"])

    def totals(self, machine: str) -> list[int]:
        """What the hub shows of a machine's table."""
        lines = {line["table"]: line for line in self.hub.lines()}
        return list(lines[f"{machine}.table"]["totals"]) if f"{machine}.table" in lines else []


@pytest.fixture(scope="module")
def hall(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hall]:
    folder = tmp_path_factory.mktemp("hall")
    with ExitStack() as stack:
        broker = Mosquitto(folder)
        stack.callback(broker.kill)
        address = f"127.0.0.1:{broker.port}"
        machines = {
            name: ServeProcess(
                folder / f"{name}.log",
                *("--publish", address, "--machine", name, "--journal", folder / f"{name}.db"),
                *("--edition", "icelandic", "--players", f"Anna {name},Jón", "--rack-delay", "3600"),
                *(("--delay", str(DELAY_S)) if name == "hall-3" else ()),
            ).launch()
            for name in ("hall-1", "hall-2", "hall-3")
        }
        hub = ServeProcess(folder / "hub.log", "--hub", address).launch()
        for each in (*machines.values(), hub):
            stack.callback(each.stop)
        yield Hall(broker=broker, machines=machines, hub=hub)


def listen(server: RunningServer, path: str, heard: list[dict[str, Any]]) -> None:
    with server.events(path) as events:
        heard.extend(iter_until_over(events))


def iter_until_over(events: Iterator[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    for event in events:
        yield event
        if event.get("state") and event["state"]["over"] == "never":
            return


def test_a_hub_shows_the_tables_of_all_machines_with_the_same_pages(
    hall: Hall, open_page: Callable[..., Page]
) -> None:
    names = [f"{name}.table" for name in hall.machines]
    wait_until(lambda: [line["table"] for line in hall.hub.lines()] == names)
    assert [line["machine"] for line in hall.hub.lines()] == list(hall.machines)
    for machine in hall.machines:
        hall.play(machine, "play 8D HRAKI")
    for machine in hall.machines:
        wait_until(lambda machine=machine: hall.totals(machine) == [28, 0])
    server = hall.hub.server
    table = server.json("/api/tables/hall-2.table")
    own = hall.machines["hall-2"].server.json("/api/tables/table")
    same = {key: own[key] for key in own if key not in ("table", "now_s")}
    assert {key: table[key] for key in same} == same
    gcg = server.request("GET", "/api/tables/hall-2.table/game.gcg")[2].decode()
    assert ">Anna: HRAKI 8D HRAKI +28 28" in gcg.replace("Anna_hall-2", "Anna")
    last = server.request("GET", "/obs/hall-2.table/last_play.txt")[2].decode()
    assert last == "LAST PLAY: Anna hall-2 8D HRAKI 28 28"
    assert server.request("GET", "/api/tables/hall-2.table/desk")[0] == 401
    hall_tables = server.json("/api/event/tables")
    assert [(each["table"], each["players"][0]["total"]) for each in hall_tables] == [(n, 28) for n in names]
    page = open_page(f"{server.address}/")
    page.locator(".table h2", has_text="Anna hall-3").wait_for()
    assert page.locator(".table").count() == 3
    assert page.locator("#to-console").is_hidden()
    overlay = open_page(f"{server.address}/overlay?table=hall-1.table", 1920, 1080)
    overlay.locator(".tile").nth(4).wait_for()
    assert overlay.locator(".tile").count() >= 5
    assert "Anna hall-1" in str(overlay.locator("body").text_content())


def test_a_machine_that_is_killed_is_shown_as_gone_and_comes_back_with_its_game(hall: Hall) -> None:
    wait_until(lambda: len(list(hall.hub.lines())) == 3)
    machine = hall.machines["hall-1"]
    before = hall.totals("hall-1")
    machine.kill()
    wait_until(lambda: "hall-1.table" in hall.hub.server.json("/api/place")["away"])
    assert hall.totals("hall-1") == before  # its last state is still shown
    machine.launch()
    wait_until(lambda: hall.hub.server.json("/api/place")["away"] == [])
    hall.play("hall-1", "pass")
    hall.play("hall-1", "pass")
    wait_until(
        lambda: (
            [m["kind"] for m in hall.hub.server.json("/api/tables/hall-1.table")["moves"]][-2:]
            == ["pass", "pass"]
        )
    )


@pytest.mark.parametrize("name", ["console", "commentary", "phone", "calibrate"])
def test_a_hub_says_where_a_table_is_operated_and_asks_for_no_token(
    hall: Hall, open_page: Callable[..., Page], name: str
) -> None:
    wait_until(lambda: len(list(hall.hub.lines())) == 3)
    message = "this table is on another machine; open the pages of that one"
    page = open_page(f"{hall.hub.server.address}/{name}?table=hall-2.table")
    assert page.locator("[role=alert].refused").inner_text() == f"hall-2: {message}"
    assert page.locator("#token").is_hidden()
    page = open_page(f"{hall.hub.server.address}/{name}?table=third")
    assert page.locator("[role=alert].refused").inner_text() == message


def test_a_broker_that_is_killed_and_comes_back_loses_nothing(hall: Hall) -> None:
    wait_until(lambda: len(list(hall.hub.lines())) == 3)
    server = hall.hub.server
    start = server.json("/api/tables/hall-2.table")["sequence"]
    heard: list[dict[str, Any]] = []
    thread = threading.Thread(
        target=listen, args=(server, "/api/tables/hall-2.table/events", heard), daemon=True
    )
    thread.start()
    wait_until(lambda: heard)
    hall.broker.kill()
    last = [hall.play("hall-2", "pass") for _ in range(4)][-1]
    wait_until(lambda: "no broker listens there" in server.json("/api/place")["problem"])
    assert server.json("/api/tables/hall-2.table")["sequence"] == start  # what is known is shown
    hall.broker.start()
    wait_until(lambda: server.json("/api/tables/hall-2.table")["sequence"] == last)
    assert server.json("/api/place")["problem"] == ""
    wait_until(
        lambda: [e["sequence"] for e in list(heard) if e.get("events")][-4:] == [*range(last - 3, last + 1)]
    )


def test_a_hub_that_is_killed_has_everything_again_at_once(hall: Hall) -> None:
    wait_until(lambda: len(list(hall.hub.lines())) == 3)
    before = {machine: hall.totals(machine) for machine in hall.machines}
    hall.hub.kill()
    hall.play("hall-3", "pass")
    hall.hub.launch()
    wait_until(lambda: len(list(hall.hub.lines())) == 3)
    assert {machine: hall.totals(machine) for machine in hall.machines} == before
    wait_until(lambda: hall.hub.server.json("/api/tables/hall-3.table")["moves"][-1:][0]["kind"] == "pass")


def test_racks_and_delayed_tables_reach_the_broker_when_viewers_may_see_them(hall: Hall) -> None:
    """What a stranger reads who has the broker's password."""
    import paho.mqtt.client as mqtt
    from paho.mqtt.enums import CallbackAPIVersion

    read: dict[str, bytes] = {}
    client = mqtt.Client(CallbackAPIVersion.VERSION2)
    client.on_message = lambda _client, _data, message: read.update({message.topic: bytes(message.payload)})
    client.connect("127.0.0.1", hall.broker.port)
    client.subscribe("#")
    client.loop_start()
    try:
        hall.play("hall-2", "rack Jón DULARFU")
        sequence = hall.play("hall-2", "pass")
        topic = "tilesight/v1/hall-2/tables/table"
        message = wait_until(
            lambda: topic in read and json.loads(read[topic])["view"]["sequence"] == sequence and read[topic]
        )
        for _, payload in list(read.items()):
            assert b"DULARFU" not in payload
            assert b'"D","U","L","A","R","F","U"' not in payload
        assert [player["rack"] for player in json.loads(message)["view"]["players"]] == [[], []]
        typed_s = time.monotonic()
        sequence = hall.play("hall-3", "pass")
        delayed = "tilesight/v1/hall-3/tables/table"
        wait_until(lambda: json.loads(read[delayed])["view"]["sequence"] == sequence)
        assert time.monotonic() - typed_s >= DELAY_S
    finally:
        client.disconnect()
        client.loop_stop()
