"""Tables that viewers see late."""

from __future__ import annotations

import asyncio
import json
import time
from collections import deque
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.support.on_air import BEARER, journal_of, open_table, send_commands, serve_tables
from tilesight.live import DelayedGame, DelayedPictures, LiveGame, steady_s
from tilesight.web.sse import GameStream
from tilesight.web.webhook import Webhook

DESK = "/api/tables/final/desk"


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
