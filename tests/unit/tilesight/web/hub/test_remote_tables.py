"""What a hub makes of messages: new states, gaps, games that begin anew, machines that go, and nonsense."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import numpy as np
import pytest

from scoring import GameError
from tests.support.on_air import open_table, send_commands
from tests.support.serving import wait_until
from tilesight.live import GameSettings, LiveGame, Tournament, find_moments, steady_s
from tilesight.web.hub import BrokerConnection, Publisher, RemoteTables, parse_broker
from tilesight.web.hub.messages import MachineMessage, TableMessage
from tilesight.web.hub.publisher import describe_event, make_message
from tilesight.web.hub.settings import SETTINGS
from tilesight.web.schemas import ClockView, EventView, StandingView
from tilesight.web.sse import GameStream

ABOUT = "tilesight/v1/hall-1/about"
TABLE = "tilesight/v1/hall-1/tables/final"


class World:
    """A hub without a broker, and a table of a machine."""

    def __init__(self, folder: Path) -> None:
        self.now_s = 1000.0
        self.step_s = 0.0
        self.said: list[str] = []
        broker = parse_broker("broker", environment={})
        self.hub = RemoteTables(
            broker, self.said.append, lambda: self.now_s + self.step_s, lambda: self.now_s
        )
        self.game = open_table(folder, clock_s=60.0)
        self.revision = 0

    def message(self, game: LiveGame | None = None, **changes: Any) -> TableMessage:
        stream = GameStream(game or self.game, lambda: self.now_s)
        made = make_message(stream, stream.shown.state, (), self.now_s)
        self.revision += 1
        return made.model_copy(update={"run": "one", "revision": self.revision, **changes})

    def publish(self, message: TableMessage, topic: str = TABLE) -> None:
        self.hub.take(topic, message.model_dump_json().encode())

    def be_there(self, *tables: str, run: str = "one", connected: bool = True, is_kept: bool = False) -> None:
        about = MachineMessage(
            connected=connected, run=run, now_s=self.now_s, tables=dict.fromkeys(tables or ("final",), 0)
        )
        self.hub.take(ABOUT, about.model_dump_json().encode(), is_kept=is_kept)


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


def test_a_table_is_shown_with_clocks_that_run_on(world: World) -> None:
    send_commands(world.game, "play 8D HRAKI")
    message = world.message()
    clocks = [
        player.model_copy(update={"clock": ClockView(left_s=60.0, running=n == 1)})
        for n, player in enumerate(message.view.players)
    ]
    view = message.view.model_copy(update={"players": clocks})
    world.be_there()
    world.publish(message.model_copy(update={"view": view}))
    world.now_s += 2.5
    table = world.hub.tables["hall-1.final"]
    shown = table.view()
    assert (shown.table, table.line().table, table.line().machine) == (
        "hall-1.final",
        "hall-1.final",
        "hall-1",
    )
    assert [player.clock.left_s for player in shown.players if player.clock is not None] == [60.0, 57.5]
    assert (table.field("p1_clock"), table.field("p2_clock"), table.field("p3_clock")) == ("1:00", "0:58", "")
    assert table.field("last_play") == "LAST PLAY: Anna 8D HRAKI 28 28"
    assert (table.hall().table, table.hall().players[0].total) == ("hall-1.final", 28)
    assert ">Anna: HRAKI 8D HRAKI +28 28" in table.gcg()
    assert table.field("a-field-of-a-newer-version") == ""


def test_a_countdown_goes_on_while_nothing_is_sent(world: World) -> None:
    world.be_there()
    message = world.message()
    view = message.view.model_copy(update={"countdown_s": message.view.now_s + 600.0})
    world.publish(message.model_copy(update={"view": view}))
    table = world.hub.tables["hall-1.final"]
    assert table.field("countdown") == "10:00"
    world.now_s += 240.0
    assert table.field("countdown") == "6:00"
    world.now_s += 360.0
    assert table.field("countdown") == ""


def test_the_machines_clock_may_be_wrong(world: World) -> None:
    world.now_s -= 500  # the machine's
    message, about = (
        world.message(),
        MachineMessage(connected=True, run="one", now_s=world.now_s, tables={"final": 1}),
    )
    world.now_s += 500  # the hub's
    world.publish(message)
    world.hub.take(ABOUT, about.model_dump_json().encode())
    world.now_s += 3
    assert world.hub.tables["hall-1.final"].view().now_s == pytest.approx(message.view.now_s + 3)


def test_viewers_hear_the_clocks_anew_once_the_machines_clock_is_known(world: World) -> None:
    world.now_s -= 500  # the machine's
    message = world.message()
    about = MachineMessage(connected=True, run="one", now_s=world.now_s, tables={"final": 1})
    world.now_s += 500  # the hub's
    world.publish(message)
    heard = listen(world, None, lambda: world.hub.take(ABOUT, about.model_dump_json().encode()))
    moments = [change["state"]["now_s"] for kind, change in heard if kind == "change"]
    assert moments == pytest.approx([message.view.now_s + 500, message.view.now_s])


def test_a_step_of_a_clock_takes_nothing_off_what_was_taken_before(world: World) -> None:
    world.be_there()
    message = world.message()
    world.publish(message)
    table = world.hub.tables["hall-1.final"]
    world.now_s += 3
    late = MachineMessage(connected=True, run="one", now_s=world.now_s + 7200, tables={"final": 1})
    world.hub.take(ABOUT, late.model_dump_json().encode())  # the machine's clock was set
    assert table.view().now_s == pytest.approx(message.view.now_s + 3)
    world.step_s = -3600.0  # and the hub's
    assert table.view().now_s == pytest.approx(message.view.now_s + 3)
    assert world.hub.away == []
    world.publish(world.message(now_s=world.now_s + 7200))
    world.now_s += 2
    assert table.view().now_s == pytest.approx(message.view.now_s + 5)


@pytest.mark.parametrize("is_lost", [True, False])
def test_a_machine_whose_time_stood_still_while_it_slept_is_dated_anew(
    world: World, monkeypatch: pytest.MonkeyPatch, *, is_lost: bool
) -> None:
    world.be_there()
    message = world.message()
    world.publish(message)
    world.now_s += 3600
    if is_lost:  # the broker publishes so
        world.be_there(connected=False)
    else:  # the hub notices
        monkeypatch.setattr(BrokerConnection, "is_connected", True)

        async def watch() -> None:
            world.hub.open(asyncio.get_running_loop())
            await asyncio.to_thread(wait_until, lambda: world.hub.away, 10.0)
            await world.hub.close()

        monkeypatch.setattr(BrokerConnection, "start", lambda _: None)
        monkeypatch.setattr(BrokerConnection, "stop", lambda _: None)
        asyncio.run(watch())
    woken = world.message(now_s=message.now_s)  # by the machine's time, none has passed
    world.publish(woken)
    about = MachineMessage(connected=True, run="one", now_s=message.now_s, tables={"final": woken.revision})
    world.hub.take(ABOUT, about.model_dump_json().encode())
    world.now_s += 2
    assert world.hub.tables["hall-1.final"].view().now_s == pytest.approx(woken.view.now_s + 2)


def test_the_hubs_and_the_machines_time_run_on_while_they_sleep(monkeypatch: pytest.MonkeyPatch) -> None:
    broker = parse_broker("broker", environment={})
    hub, machine = RemoteTables(broker, print), Publisher(broker, "hall-1", print)
    before_s = hub._monotonic(), machine._now()
    slept_s = steady_s() + 3600.0
    monkeypatch.setattr(time, "CLOCK_BOOTTIME", 7, raising=False)
    monkeypatch.setattr(time, "clock_gettime", lambda _: slept_s, raising=False)
    after_s = hub._monotonic(), machine._now()
    assert np.subtract(after_s, before_s) == pytest.approx(3600.0, abs=5.0)


def listen(world: World, last: int | None, *steps: Callable[[], None]) -> list[tuple[str, Any]]:
    """What a viewer hears who has entry `last`, while these steps are taken."""

    async def run() -> list[tuple[str, Any]]:
        heard: list[tuple[str, Any]] = []
        events = world.hub.tables["hall-1.final"].listen(last, for_operator=False)

        async def follow() -> None:
            async for data in events:
                lines = dict(line.split(": ", 1) for line in data.decode().splitlines() if ": " in line)
                if "data" in lines:
                    heard.append((lines["event"], json.loads(lines["data"])))

        task = asyncio.create_task(follow())
        await asyncio.sleep(0)
        for step in steps:
            step()
            await asyncio.sleep(0)
        await asyncio.sleep(0.01)
        task.cancel()
        return heard

    return asyncio.run(run())


def test_a_viewer_hears_each_entry_once_also_those_of_a_gap(world: World) -> None:
    send_commands(world.game, "play 8D HRAKI")
    world.be_there()
    world.publish(world.message())
    send_commands(world.game, "pass", "pass")
    later = world.message()
    send_commands(world.game, "undo")
    last = world.message()

    def take_late() -> None:
        world.publish(last)
        world.publish(later)  # an older message that comes once more

    heard = listen(world, None, lambda: world.publish(later), take_late)
    assert [change["sequence"] for kind, change in heard if kind == "change"] == [1, 2, 3, 4]
    assert [change["state"] is not None for _, change in heard] == [True, False, True, True]
    assert [change["sequence"] for _, change in listen(world, 2)] == [3, 4]
    assert [change["sequence"] for _, change in listen(world, 4)] == [4]


def test_late_viewers_hear_the_last_entries_of_a_game_that_was_archived_meanwhile(
    world: World, tmp_path: Path
) -> None:
    with Tournament(notify=pytest.fail) as tournament:
        settings = GameSettings(name="final", edition="english", players=("Anna", "Ben"))
        game = tournament.open_table(settings, tmp_path / "event.db")
        states = [game.state]
        game.add_listener(states.append)
        send_commands(game, "play 8D HORNS", "challenge", "end Anna=A, Ben=", "new-game as-is")
        stream = GameStream(game, lambda: world.now_s)
        messages: list[TableMessage] = []
        for before, state in pairwise(states):
            if state.sequence > before.sequence:
                moments = find_moments(before.game, state.game, [event.kind for event in state.events])
                made = make_message(stream, state, moments, world.now_s)
                messages.append(made.model_copy(update={"run": "one", "revision": len(messages)}))
        game.close()
    world.be_there()
    world.publish(messages[0])
    heard = listen(world, None, *(partial(world.publish, message) for message in messages[1:]))
    changes = [change for kind, change in heard if kind == "change"]
    assert [[event["event"] for event in change["events"]] for change in changes[1:]] == [
        ["withdrawn"],
        ["settled", "settled"],
        ["archived"],
        ["new-game"],
    ]
    assert [moment["kind"] for change in changes for moment in change["moments"]] == [
        "challenge",
        "game-over",
    ]


def test_a_game_that_begins_anew_is_shown(world: World, tmp_path: Path) -> None:
    send_commands(world.game, "play 8D HRAKI", "pass")
    world.be_there()
    world.publish(world.message())
    (tmp_path / "new").mkdir()
    new = open_table(tmp_path / "new")
    world.be_there(connected=False)
    heard = listen(world, None, lambda: world.publish(world.message(new, run="two", revision=1)))
    assert [change["sequence"] for _, change in heard] == [2]  # then the viewer is sent away, and comes back
    assert [change["sequence"] for _, change in listen(world, 2)] == [0]


def test_an_edition_that_was_changed_is_shown(world: World) -> None:
    world.be_there()
    message = world.message()
    world.publish(message)
    edition = message.edition.model_copy(update={"values": {**message.edition.values, "A": 7}})
    world.be_there(connected=False)
    heard = listen(world, None, lambda: world.publish(world.message(edition=edition, run="two", revision=1)))
    assert len(heard) == 1  # then the viewer is sent away, comes back, and asks for the edition
    assert world.hub.tables["hall-1.final"].edition() == edition


def test_of_two_machines_of_one_name_the_first_is_shown_and_the_hub_reports_them(
    world: World, tmp_path: Path
) -> None:
    (tmp_path / "other").mkdir()
    other = open_table(tmp_path / "other", players=("Carl", "Dora"))
    report = "two machines publish as hall-1; give one of them another --machine NAME"

    def names() -> list[str]:
        return [player.name for player in world.hub.tables["hall-1.final"].view().players]

    world.be_there()
    world.publish(world.message())
    for _ in range(3):
        world.now_s += SETTINGS.heartbeat_s
        world.be_there("third", run="two")
        world.publish(world.message(other, run="two"))
        world.be_there(connected=False, run="two")
        assert (names(), world.hub.away) == (["Anna", "Jón"], [])
        world.be_there()
    assert world.hub.problem == report
    assert world.said == [report]
    world.now_s += SETTINGS.silence_s + 1  # the first one is not heard any more
    world.be_there(run="two")
    world.publish(world.message(other, run="two"))
    assert (names(), world.hub.problem) == (["Carl", "Dora"], "")


@pytest.mark.parametrize("noticed", ["at once", "soon", "late"])
def test_a_machine_that_is_started_again_is_taken_over(world: World, noticed: str) -> None:
    world.be_there()
    if noticed == "at once":  # the broker sees that the program was killed
        world.be_there(connected=False)
        world.be_there(run="two")
    elif noticed == "soon":  # its network was cut, and the broker waits
        world.now_s += 12
        world.be_there(run="two")
        world.now_s += 3
        world.be_there(connected=False)  # by the old connection
        world.be_there(run="two")
    else:
        world.be_there(run="two")
        world.now_s += SETTINGS.silence_s
        world.be_there(run="two")
        world.be_there(connected=False)  # by the old connection
    world.publish(world.message(run="two"))
    world.be_there(run="two")
    assert world.hub.tables["hall-1.final"].is_connected
    assert (world.hub.problem, world.said) == ("", [])


def test_a_machine_that_goes_is_reported_to_the_viewers(world: World) -> None:
    world.be_there()
    world.publish(world.message())
    world.publish(world.message(view=world.message().view.model_copy(update={"watching": True})))
    table = world.hub.tables["hall-1.final"]
    assert (world.hub.away, table.view().watching) == ([], True)
    heard = listen(world, None, lambda: world.be_there(connected=False))
    assert heard[-1] == ("status", {"watching": False, "status": ""})
    assert (world.hub.away, table.view().watching) == (["hall-1.final"], False)
    world.be_there("other")  # the machine is started with other tables
    assert world.hub.tables == {}


def test_what_a_broker_kept_from_last_week_is_not_shown(world: World) -> None:
    old = world.message()
    world.now_s += SETTINGS.max_age_s + 10
    world.be_there(connected=False, is_kept=True)
    world.publish(old)
    assert world.hub.tables == {}


def test_what_is_no_message_is_refused_with_one_line(world: World) -> None:
    for _ in range(3):
        world.hub.take(TABLE, b"{}")
        world.hub.take(ABOUT, b"\xff\xfe")
        world.hub.take(TABLE, b"x" * (SETTINGS.max_message + 1))
    assert [line.partition(":")[0] for line in world.said] == [TABLE, ABOUT]
    assert "install the same on all machines" in world.said[0]
    for topic in ("tilesight/v1/Hall/about", "other/v1/hall-1/about", "tilesight/v1/hall-1/tables/a/b"):
        world.hub.take(topic, world.message().model_dump_json().encode())
    world.publish(world.message(), "tilesight/v1/hall-1/tables/other")  # the topic of another table
    assert world.hub.tables == {}
    assert len(world.said) == 3


@pytest.mark.parametrize("number", [float("inf"), float("-inf"), float("nan")])
def test_numbers_that_json_does_not_have_are_refused(world: World, number: float) -> None:
    def publish(topic: str, content: dict[str, Any]) -> None:
        world.hub.take(topic, json.dumps(content).encode())

    world.be_there()
    table = world.message().model_dump(mode="json")
    publish(TABLE, {**table, "now_s": number})
    publish(TABLE, {**table, "view": {**table["view"], "now_s": number}})
    table["hall"]["players"][0]["clock"] = {"left_s": number, "running": True}
    publish(TABLE, table)
    publish(ABOUT, {"connected": True, "now_s": number})
    event = {"title": "", "round": "", "starts_s": number, "now_s": 0, "standings": []}
    publish(ABOUT, {"connected": True, "event": event})
    assert world.hub.tables == {}
    assert world.hub.event().starts_s is None
    assert [line.partition(":")[0] for line in world.said] == [TABLE, ABOUT]


def test_a_hub_takes_no_more_than_it_can_show(world: World) -> None:
    for number in range(SETTINGS.max_machines):
        world.hub.take(
            f"tilesight/v1/m-{number}/about", MachineMessage(connected=True).model_dump_json().encode()
        )
    world.publish(world.message())
    assert world.hub.tables == {}
    assert world.said == [f"{TABLE}: more than {SETTINGS.max_machines} machines"]


def test_a_game_without_a_file_says_why(world: World) -> None:
    world.publish(world.message(gcg="", gcg_message="it began in the middle"))
    with pytest.raises(GameError, match="it began in the middle"):
        world.hub.tables["hall-1.final"].gcg()


def test_racks_are_in_a_message_only_when_viewers_may_see_them(tmp_path: Path) -> None:
    game = open_table(tmp_path, rack_delay_s=30.0)
    send_commands(game, "rack Anna DULARFU", "exchange DUL")
    stream = GameStream(game)
    message = make_message(stream, stream.shown.state, (), 0.0).model_dump_json()
    assert "DULARFU" not in message
    assert '"D","U","L"' not in message
    assert "#rack" not in message


def test_the_standings_of_machines_are_joined(world: World) -> None:
    def standing(name: str, wins: float, spread: int) -> StandingView:
        return StandingView(
            place=1, name=name, games=1, wins=wins, spread=spread, points=300, rating=None, club="", flag=""
        )

    assert world.hub.event().title == ""
    for machine, lines in (
        ("a", [standing("Anna", 1, 50), standing("Ben", 0, -50)]),
        ("b", [standing("Ben", 1, 90), standing("Carl", 1, 40)]),
        ("c", [standing("Ben", 0, -10).model_copy(update={"rating": 1500, "club": "Hugin", "flag": "is"})]),
        ("d", [standing("Ben", 0, -10)]),  # without the list of players
    ):
        event = EventView(title="Cup", round="2", starts_s=None, now_s=0.0, standings=lines)
        about = MachineMessage(connected=True, event=event)
        world.hub.take(f"tilesight/v1/{machine}/about", about.model_dump_json().encode())
    shown = world.hub.event()
    assert (shown.title, shown.round) == ("Cup", "2")
    assert [(line.place, line.name, line.games, line.wins, line.spread) for line in shown.standings] == [
        (1, "Anna", 1, 1, 50),
        (2, "Carl", 1, 1, 40),
        (3, "Ben", 4, 1, 20),
    ]
    ben = shown.standings[2]
    assert (ben.rating, ben.club, ben.flag) == (1500, "Hugin", "is")


def test_standings_are_joined_once_for_all_viewers(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    joined = Mock(return_value=[])
    monkeypatch.setattr("tilesight.web.hub.remote_tables.join_standings", joined)
    for number in range(1, 3):
        world.be_there()
        for _ in range(3):
            world.hub.event()
        assert joined.call_count == number


def test_the_event_that_a_broker_kept_of_a_machine_is_shown_unless_it_is_old(world: World) -> None:
    def keep(title: str, now_s: float) -> str:
        event = EventView(title=title, round="", starts_s=None, now_s=0.0, standings=[])
        about = MachineMessage(connected=True, run=title, now_s=now_s, event=event)
        world.hub.take("tilesight/v1/hall-1/event", about.model_dump_json().encode(), is_kept=True)
        return world.hub.event().title

    world.now_s += 2 * SETTINGS.max_age_s
    assert keep("Last week", world.now_s - SETTINGS.max_age_s - 10) == ""
    world.be_there(connected=False, run="Cup", is_kept=True)
    assert keep("Cup", world.now_s - 60) == "Cup"
    assert world.hub.tables == {}
    assert keep("Before", world.now_s - 70) == "Cup"
    world.be_there()  # an event is no more
    assert keep("Cup", world.now_s - 60) == ""
    assert keep("Other", world.now_s + 1) == ""  # of another machine of that name


def test_the_round_of_connected_machines_is_shown_and_a_machine_can_be_removed(world: World) -> None:
    def publish(machine: str, topic: str, round_: str, starts_s: float | None) -> None:
        title = "Cup" if round_ else ""
        line = StandingView(
            place=1, name="Anna", games=1, wins=1, spread=50, points=300, rating=None, club="", flag=""
        )
        event = EventView(title=title, round=round_, starts_s=starts_s, now_s=0.0, standings=[line])
        about = MachineMessage(connected=True, run=machine, now_s=world.now_s, event=event)
        world.hub.take(f"tilesight/v1/{machine}/{topic}", about.model_dump_json().encode())

    def shown() -> tuple[str, float | None, list[float]]:
        event = world.hub.event()
        return event.round, event.starts_s, [line.games for line in event.standings]

    publish("hall-1", "event", "3", 400.0)  # it is off
    world.be_there(connected=False, run="hall-1", is_kept=True)
    world.publish(world.message())
    assert shown() == ("3", 400.0, [1])
    publish("hall-2", "about", "", None)  # without an event
    assert shown() == ("3", 400.0, [2])
    publish("hall-3", "about", "5", None)
    assert shown() == ("5", None, [3])
    assert list(world.hub.tables) == ["hall-1.final"]
    for machine in ("hall-1", "hall-3", "hall-9"):
        world.hub.take(f"tilesight/v1/{machine}/event", b"")
    assert shown() == ("5", None, [2]), "a machine that is connected stays"
    assert world.hub.tables == {}


def test_a_game_that_several_machines_list_in_their_results_counts_once(tmp_path: Path, world: World) -> None:
    (tmp_path / "r.csv").write_text("round,player,points,opponent,opponent-points\n1,Ana,412,Ben,388\n")
    event = tmp_path / "event.toml"
    event.write_text(
        'title = "Cup"\nresults = "r.csv"\nplayer.Ben.club = "Hugin"\nplayer.Ana.rating = 1500\n'
    )
    one, two = Tournament(event, notify=world.said.append), Tournament(event, notify=world.said.append)
    played = "2,Ben,300,Ana,310\n2,Bye,0,Ida,50\n"
    (tmp_path / "r.csv").write_text(f"{(tmp_path / 'r.csv').read_text()}{played}")
    two.refresh()
    with one.open_table(
        GameSettings(name="t", edition="english", players=("Ana", "Eva")), tmp_path / "t.db"
    ) as game:
        send_commands(game, "name Ana Anna", "play 8H CAB", "end Anna=AAAAAAA Eva=EEEEEEE")
        for machine, tournament in (("a", one), ("b", two), ("c", two)):
            about = MachineMessage(connected=True).model_copy(update=describe_event(tournament))
            world.hub.take(f"tilesight/v1/{machine}/about", about.model_dump_json().encode())
    lines = {
        line.name: (line.games, line.wins, line.rating, line.club) for line in world.hub.event().standings
    }
    assert lines == {
        "Anna": (3, 3.0, 1500, ""),
        "Ben": (2, 0.0, None, "Hugin"),
        "Eva": (1, 0.0, None, ""),
        "Ida": (1, 1.0, None, ""),
    }


@pytest.mark.parametrize(
    ("others", "was", "now", "shown"),
    [
        ({"Ana": 1, "Ida": 1}, "Ana", "Anna", {"Anna": 3, "Ben": 2, "Ida": 2}),
        ({"Ana": 1, "Anna": 1}, "Ana", "Anna", {"Ana": 2, "Anna": 2, "Ben": 2, "Ida": 1}),
        ({"Ana": 1, "Ida": 1}, "Ben", "Ana", {"Ana": 3, "Ben": 2, "Ida": 2}),
        ({"Ida": 1}, "Bye", "Anna", {"Ana": 1, "Anna": 1, "Ben": 2, "Ida": 2}),
    ],
)
def test_a_player_who_was_renamed_at_one_machine_has_the_new_name_in_the_standings_of_all(
    world: World, others: dict[str, int], was: str, now: str, shown: dict[str, int]
) -> None:
    """Another player who took the seat, as in the last three, gets no results of the former one."""

    def publish(machine: str, games: dict[str, int], **content: Any) -> None:
        lines = [
            StandingView(
                place=1, name=name, games=count, wins=0, spread=0, points=0, rating=None, club="", flag=""
            )
            for name, count in games.items()
        ]
        event = EventView(title="Cup", round="2", starts_s=None, now_s=0.0, standings=lines)
        about = MachineMessage(connected=True, event=event, **content)
        world.hub.take(f"tilesight/v1/{machine}/about", about.model_dump_json().encode())

    results = [("1", "Ana", 400, "Ben", 300), ("1", "Ida", 50, "Bye", 0)]
    publish("a", {now: 1, "Ben": 1}, renamed={was: now}, results=results)
    publish("b", others, results=results)
    assert {line.name: line.games for line in world.hub.event().standings} == shown
