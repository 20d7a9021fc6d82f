"""Live games: commands change them, and the journal keeps them."""

from __future__ import annotations

import threading
import time
from pathlib import Path

import pytest

from scoring import format_gcg, load_edition
from tests.support.live_games import PLAYS, again
from tests.support.on_air import journal_of, open_table, send_commands
from tilesight.live import LiveGame, StaleCommandError, steady_s
from tilesight.live.fields import format_field
from tilesight.live.journal import Journal
from tilesight.web.serializers import serialize_for_operator, serialize_for_viewers
from vision.errors import SettingsError
from vision.game_events.record.commands import Command, Verb, parse_command


def test_every_change_is_in_the_journal_and_comes_back(table: LiveGame, tmp_path: Path) -> None:
    send_commands(table, *PLAYS, "rack Anna ABÐ", "start", "title The final", "letter D8 K", "pass", "undo")
    assert table.state.game.totals == (24, 15)
    back = again(table, tmp_path)
    assert back.game.events == table.state.game.events
    for name in ("operator", "sequence", "undoable", "redoable", "title"):
        assert getattr(back, name) == getattr(table.state, name), name


def test_undo_and_redo_go_through_the_record_both_ways(table: LiveGame, tmp_path: Path) -> None:
    send_commands(table, *PLAYS, "letter D8 K", "challenge")
    games = [table.state.game]
    for _ in range(4):
        send_commands(table, "undo")
        games.append(table.state.game)
    assert [len(game.events) for game in games] == [3, 2, 2, 1, 0]
    assert not table.state.undoable
    for game in reversed(games[:-1]):
        send_commands(table, "redo")
        assert table.state.game.events == game.events
    assert not table.state.redoable
    send_commands(table, "undo", "pass")
    assert not table.state.redoable, "what happens after an undo ends what could be done again"
    assert again(table, tmp_path).game.events == table.state.game.events


def test_undo_after_a_restart_goes_on(table: LiveGame, tmp_path: Path) -> None:
    send_commands(table, *PLAYS, "undo")
    journal_of(table).close()
    other = open_table(tmp_path, clock_s=60.0)
    assert (other.state.undoable, other.state.redoable) == (True, True)
    assert send_commands(other, "redo").state.game.totals == (28, 15)
    journal_of(other).close()


@pytest.mark.parametrize(
    ("commands", "message"),
    [
        (["undo"], "nothing is there to undo"),
        (["redo"], "nothing is there to redo"),
        (["undo 3"], "write undo alone"),
    ],
)
def test_what_cannot_be_undone_is_refused(table: LiveGame, commands: list[str], message: str) -> None:
    with pytest.raises(SettingsError, match=message):
        send_commands(table, *commands)
    assert table.state.sequence == 0


def test_a_command_for_an_earlier_state_is_refused(table: LiveGame) -> None:
    send_commands(table, PLAYS[0])
    with pytest.raises(StaleCommandError, match="moved on"):
        table.apply_command(Command(verb=Verb.UNDO), sequence=0)
    send_commands(table, "rack Anna A", "title The final")
    state, _ = table.apply_command(Command(verb=Verb.UNDO), sequence=1)
    assert state.game.events == (), "the game is as it was then"
    with pytest.raises(StaleCommandError, match="moved on"):
        table.apply_command(Command(verb=Verb.REDO), sequence=99)


def test_the_running_clock_goes_over_with_the_turn_and_stops_at_the_end(tmp_path: Path) -> None:
    now = [0.0]
    table = open_table(tmp_path, clock_s=60.0, now=lambda: now[0])
    send_commands(table, "start")
    now[0] = 10.0
    send_commands(table, PLAYS[0])
    now[0] = 15.0
    clocks = table.state.clocks(now[0])
    assert clocks is not None
    assert (clocks.left_s, clocks.running) == ((50.0, 55.0), 1)
    send_commands(table, "title of no consequence", "pass", "pass", "pass", "pass")
    clocks = table.state.clocks(100.0)
    assert clocks is not None
    assert clocks.running is None, "everybody passed twice: the game is over"
    journal_of(table).close()


SETTLED = ("play 8D HRAKI", "end Anna=A Jón=")
PASSED = ("play 8D HRAKI", *["pass"] * 4)


@pytest.mark.parametrize(
    ("ended", "reopened", "running"),
    [
        (SETTLED, ("undo",), 1),
        (SETTLED, ("challenge", "delete 2"), 1),
        (SETTLED, ("withdraw", "delete 2"), 0),
        (PASSED, ("undo",), 0),
        (PASSED, ("time Anna 0:30", "undo"), 0),
        (PASSED, ("undo", "undo", "redo"), 0),
        (PASSED, ("undo", "stop", "pass", "undo"), None),
        (("stop", *SETTLED), ("undo",), None),
    ],
)
@pytest.mark.parametrize("is_restarted", [False, True])
def test_clocks_that_the_end_stopped_run_again_if_the_game_goes_on(
    tmp_path: Path, ended: tuple[str, ...], reopened: tuple[str, ...], running: int | None, is_restarted: bool
) -> None:
    now = [100.0]
    table = open_table(tmp_path, clock_s=60.0, now=lambda: now[0])
    send_commands(table, "start Anna", *ended)
    now[0] = 150.0
    if is_restarted:
        table.close()
        table = open_table(tmp_path, clock_s=60.0, now=lambda: now[0])
    send_commands(table, *reopened)
    clocks = table.state.clocks(now[0])
    assert clocks is not None
    assert clocks.running == running
    assert min(clocks.left_s) >= 30.0, "no time is taken off while the game was over"
    table.close()


def test_a_step_of_the_computers_clock_takes_nothing_off_a_running_clock(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    steady_s, step_s = [500.0], [0.0]
    monkeypatch.setattr("tilesight.live.clocks.steady_s", lambda: steady_s[0])
    monkeypatch.setattr(time, "time", lambda: 1e9 + steady_s[0] + step_s[0])
    table = open_table(tmp_path, clock_s=60.0, now=time.time)

    def left_s() -> tuple[float, ...]:
        clocks = table.state.clocks(time.time())
        assert clocks is not None
        return clocks.left_s

    send_commands(table, "start")
    steady_s[0] += 10
    assert left_s() == (50.0, 60.0)
    for step in (7200.0, -3600.0):
        step_s[0] = step
        assert left_s() == (50.0, 60.0)
    steady_s[0] += 5
    send_commands(table, PLAYS[0])
    steady_s[0] += 5
    assert left_s() == (45.0, 55.0)
    journal_of(table).close()
    table = open_table(tmp_path, clock_s=60.0, now=time.time)  # started again: the clock ran on
    steady_s[0] += 5
    assert left_s() == (45.0, 50.0)
    journal_of(table).close()


def test_the_clocks_run_on_while_the_computer_sleeps(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    awake_s, boot_s = [500.0], [500.0]
    monkeypatch.setattr(time, "CLOCK_BOOTTIME", 7, raising=False)
    monkeypatch.setattr(time, "clock_gettime", lambda _: boot_s[0], raising=False)
    monkeypatch.setattr(time, "monotonic", lambda: awake_s[0])
    monkeypatch.setattr(time, "time", lambda: 1e9 + boot_s[0])
    table = open_table(tmp_path, clock_s=3600.0, now=time.time)
    send_commands(table, "start")
    boot_s[0] += 600.0  # asleep: only the clock of the computer and the time since its boot run on
    for _ in range(2):
        clocks = table.state.clocks(time.time())
        assert clocks is not None
        assert clocks.left_s == (3000.0, 3600.0)
        journal_of(table).close()
        table = open_table(tmp_path, clock_s=3600.0, now=time.time)  # the same after a restart
    journal_of(table).close()
    monkeypatch.delattr(time, "CLOCK_BOOTTIME")  # as on a Mac
    assert steady_s() == awake_s[0]


def test_listeners_hear_every_state_in_order(table: LiveGame) -> None:
    heard: list[int] = []
    table.add_listener(lambda state: heard.append(state.sequence))
    send_commands(table, *PLAYS, "pass")
    assert heard == [1, 2, 3]


def test_what_was_missed_can_be_reported_again(table: LiveGame) -> None:
    send_commands(table, *PLAYS, "rack Anna A")
    state, missed = table.events_after(1)
    assert state.sequence == 3
    assert [(number, [event["event"] for event in events]) for number, events in missed] == [
        (2, ["play"]),
        (3, ["rack"]),
    ]


def test_two_threads_may_change_one_table(table: LiveGame) -> None:
    send_commands(table, PLAYS[0])

    def titles(name: str) -> None:
        for number in range(20):
            table.apply_command(parse_command(f"title {name} {number}"))

    threads = [threading.Thread(target=titles, args=(name,)) for name in "ab"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert table.state.sequence == 41
    assert isinstance(table.journal, Journal)
    assert journal_of(table).game(load_edition("icelandic")).totals == (28, 0)


@pytest.mark.parametrize(
    ("players", "rule", "command", "shown"),
    [
        ("Anna,Jón", "challenge-10", "challenge lost", (True, 1, 10)),
        ("Anna,Jón", "challenge-double", "challenge lost Jón", (True, 1, 0)),
        ("Anna", "challenge-10", "challenge lost", (True, None, 0)),
        ("Anna,Jón", "challenge-10", "challenge", (False, 1, 0)),
    ],
)
def test_a_challenge_names_its_ruling_and_what_the_challenger_loses(
    tmp_path: Path, players: str, rule: str, command: str, shown: tuple[bool, int | None, int]
) -> None:
    table = open_table(tmp_path, edition=f"english+{rule}", players=players.split(","))
    send_commands(table, "play 8G HORN", command)
    move = serialize_for_viewers(table.state, 0.0).moves[1]
    assert (move.valid, move.challenger, move.lost) == shown
    journal_of(table).close()


def test_viewers_hear_how_many_tiles_were_exchanged_while_racks_are_delayed(tmp_path: Path) -> None:
    for delay_s, shown in ((0.0, "AÐR"), (600.0, "3")):
        table = open_table(tmp_path, f"delayed-{delay_s:.0f}", rack_delay_s=delay_s)
        state = send_commands(table, PLAYS[0], "exchange AÐR").state
        assert format_field("last_play", state, 0.0) == f"LAST PLAY: Jón exch {shown} 0 0"
        assert serialize_for_viewers(state, 0.0).moves[1].text == f"Jón exch {shown} 0 0"
        assert serialize_for_operator(state, 0.0).moves[1].text == "Jón exch AÐR 0 0"
        assert ("AÐR" in format_gcg(state.shown_game)) == (not delay_s)
        journal_of(table).close()
