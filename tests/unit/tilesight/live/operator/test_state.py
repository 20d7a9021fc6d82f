"""The operator's state: clocks, racks, uncertain tiles, titles, and how they follow from journal events."""

from __future__ import annotations

from dataclasses import replace

import pytest

from scoring import Game, PlayEvent, load_edition, parse_play
from tilesight.live.clocks import Clocks, format_clock, parse_clock
from tilesight.live.operator.commands import convert_command
from tilesight.live.operator.state import OperatorState
from tilesight.output import ConfirmedEvent, UncertainTile, parse_event
from vision.errors import SettingsError
from vision.game_events.record.commands import parse_command

EDITION = load_edition("icelandic")
GAME = Game(edition=EDITION, players=("Anna", "Jón")).with_play(parse_play("8D HRAKI", EDITION.tokens))
NEW = OperatorState(racks=((), ()), clocks=Clocks(left_s=(60.0, 60.0)))


def apply(text: str, state: OperatorState = NEW, now_s: float = 100.0) -> OperatorState:
    return state.after(convert_command(parse_command(text), GAME, state, now_s), GAME)


@pytest.mark.parametrize(
    ("left_s", "text"),
    [
        (1500, "25:00"),
        (59.2, "1:00"),
        (0.1, "0:01"),
        (0, "0:00"),
        (-0.1, "-0:01"),
        (-65, "-1:05"),
        (3600, "60:00"),
    ],
)
def test_a_clock_shows_whole_seconds_and_none_before_it_is_over(left_s: float, text: str) -> None:
    assert format_clock(left_s) == text


@pytest.mark.parametrize(
    ("text", "seconds"), [("25:00", 1500), ("1:00:00", 3600), ("-0:07", -7), ("90:30", 5430)]
)
def test_a_time_is_read(text: str, seconds: float) -> None:
    assert parse_clock(text) == seconds


@pytest.mark.parametrize("text", ["", "25", "1:2", "12:60", "99:99:99", "x"])
def test_what_is_no_time_is_refused(text: str) -> None:
    with pytest.raises(SettingsError, match="write minutes and seconds"):
        parse_clock(text)


def test_a_running_clock_runs_and_the_other_stands() -> None:
    running = apply("start", now_s=100.0)
    assert running.clocks is not None
    assert running.clocks.running == 1, "Jón is on turn after Anna's play"
    assert running.clocks.at(130.0).left_s == (60.0, 30.0)
    stopped = apply("stop", running, 110.0)
    assert stopped.clocks is not None
    assert stopped.clocks.at(500.0).left_s == (60.0, 50.0)


def test_a_clock_is_set_while_it_runs() -> None:
    clocks = apply("time Jón 12:30", apply("start Jón"), 105.0).clocks
    assert clocks is not None
    assert clocks.running == 1
    assert clocks.at(115.0).left_s == (60.0, 740.0)


def test_clocks_are_made_by_setting_one() -> None:
    none = OperatorState(racks=((), ()))
    with pytest.raises(SettingsError, match="write time Jón 25:00 first"):
        apply("start", none)
    made = apply("time Anna 5:00", none).clocks
    assert made is not None
    assert made.left_s == (300.0, 0.0)


def test_racks_wait_for_their_delay_and_lose_what_is_laid() -> None:
    state = apply("rack Jón LOIAÐ?", now_s=100.0)
    assert state.rack(1, 100.0) == ("L", "O", "I", "A", "Ð", "?")
    assert state.rack(1, 120.0, delay_s=30) == ()
    assert state.next_rack_s(120.0, 30) == 130.0
    assert state.next_rack_s(131.0, 30) is None
    after = GAME.with_play(parse_play("G6 LO.i", EDITION.tokens))
    event = {"event": "play", "player": "Jón", "placed": [[5, 6, "L"], [6, 6, "O"], [8, 6, "i"]]}
    laid = state.after(parse_event(event), after)
    assert laid.rack(1, 140.0, delay_s=30) == ("I", "A", "Ð"), "the blank's letter is not on the rack"


def test_a_rack_is_known_from_the_moment_at_which_it_is_typed() -> None:
    now_s = 100.0006  # journals round to milliseconds, so up
    assert apply("rack Jón AB", now_s=now_s).rack(1, now_s) == ("A", "B")


def test_a_rack_that_lacks_what_was_laid_was_seen_afterwards() -> None:
    state = apply("rack Jón AÐ")
    event = {"event": "play", "player": "Jón", "placed": [[5, 6, "L"], [6, 6, "A"]]}
    assert state.after(parse_event(event), GAME).rack(1, 200.0) == ("A", "Ð")


def test_an_empty_rack_says_that_it_is_not_known() -> None:
    assert apply("rack Jón", apply("rack Jón AB")).rack(1, 200.0) == ()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("rack", "write 'rack Anna"),
        ("rack Björn A", "does not play"),
        ("rack Anna QQ", "has no tile"),
        ("rack Anna AAAAAAAA", "holds up to 7 tiles"),
        ("rack Anna XX", "rack XX: X is too much"),
        ("rack Anna A.", "holds up to 7 tiles"),
        ("confirm H8", "nothing is in doubt on"),
        ("confirm Z99", "Z99"),
        ("stop now", "write 'stop'"),
        ("time Anna soon", "no time left"),
        ("title " + "x" * 200, "up to 120 characters"),
    ],
)
def test_what_makes_no_sense_is_refused(text: str, message: str) -> None:
    with pytest.raises(SettingsError, match=message):
        apply(text)


def test_doubts_come_with_a_play_and_go_when_they_are_answered() -> None:
    doubts = [
        UncertainTile(row=7, column=column, token=GAME.board[7, column], confidence=0.6) for column in (3, 4)
    ]
    event = {
        "event": "play",
        "player": "Anna",
        "placed": [],
        "doubts": [doubt.to_json() for doubt in doubts],
    }
    state = NEW.after(parse_event(event), GAME)
    assert state.uncertain_tiles == tuple(doubts)
    assert apply("confirm D8", state).uncertain_tiles == (doubts[1],)
    assert apply("confirm", state).uncertain_tiles == ()
    corrected = GAME.with_correction(0, PlayEvent(player=0, play=parse_play("8D KRAKI", EDITION.tokens)))
    assert state.after(parse_event({"event": "correction"}), corrected).uncertain_tiles == (doubts[1],), (
        "another letter lies there now"
    )


def test_a_doubt_survives_json() -> None:
    doubt = UncertainTile(row=7, column=3, token="sz", confidence=0.51234, others=(("S", 0.3), ("?", 0.1)))
    again = UncertainTile.from_json(doubt.to_json())
    assert again == UncertainTile(
        row=7, column=3, token="sz", confidence=0.5123, others=(("S", 0.3), ("?", 0.1))
    )


def test_what_is_unclear_stays_until_something_happens_or_somebody_has_seen_it() -> None:
    state = NEW.after(parse_event({"event": "unclear", "message": "two letters differ"}), GAME)
    assert state.question == "two letters differ"
    assert state.after(parse_event({"event": "pass"}), GAME).question == "two letters differ"
    assert state.after(parse_event({"event": "withdrawn"}), GAME).question == ""
    assert apply("confirm", state).question == ""


def test_the_other_way_of_two_plays_is_asked_without_words_between_them() -> None:
    plays = [
        {"position": "8D", "word": ["H", "R", "A"], "score": 5},
        {"position": "G6", "word": ["L", "O"], "score": 4},
    ]
    event = {"event": "play", "player": "Anna", "placed": [], "alternatives": [{"plays": plays}]}
    state = NEW.after(parse_event(event), GAME)
    assert state.question == "two plays at once; they may have been 8D HRA → G6 LO"


def test_a_question_that_was_seen_confirms_no_tile() -> None:
    doubt = UncertainTile(row=7, column=3, token="H", confidence=0.6)
    state = replace(NEW, question="tiles were moved", uncertain_tiles=(doubt,))
    answered = apply("confirm question", state)
    assert (answered.question, answered.uncertain_tiles) == ("", (doubt,))
    assert answered.locked_tiles == frozenset()
    both = apply("confirm", state)
    assert (both.question, both.uncertain_tiles) == ("", ())
    assert both.locked_tiles == {(7, 3, "H")}


def test_a_confirmation_of_older_journals_keeps_its_meaning() -> None:
    older = {"event": "confirmed", "squares": [], "by": "desk"}
    event = parse_event(older)
    assert event == ConfirmedEvent(squares=(), by="desk")
    assert event.to_json() == older
    seen = ConfirmedEvent(squares=(), question=True, by="desk")
    assert seen.to_json() == {"event": "confirmed", "squares": [], "question": True, "by": "desk"}
    assert parse_event(seen.to_json()) == seen


def test_a_play_that_goes_on_takes_only_its_new_tiles_off_the_rack() -> None:
    before = apply("rack Jón LOIIAÐ?", now_s=100.0)
    half = GAME.with_play(parse_play("G6 LO", EDITION.tokens))
    whole = GAME.with_play(parse_play("G6 LO.I", EDITION.tokens))
    laid = [[5, 6, "L"], [6, 6, "O"]]
    first = {"event": "play", "player": "Jón", "placed": laid, "provisional": True}
    state = before.after_entry([parse_event(first)], GAME, half)
    assert state.is_provisional
    joined = {"event": "play", "player": "Jón", "placed": [*laid, [8, 6, "I"]], "replaces": laid}
    state = state.after_entry([parse_event(joined)], half, whole)
    assert state.rack(1, 200.0) == ("I", "A", "Ð", "?")
    assert not state.is_provisional


def test_a_play_is_provisional_until_something_follows_or_the_clock_is_started() -> None:
    event = parse_event({"event": "play", "player": "Anna", "placed": [], "provisional": True})
    state = NEW.after_entry([event], Game(edition=EDITION, players=("Anna", "Jón")), GAME)
    assert state.is_provisional
    assert not state.after_entry([parse_event({"event": "pass"})], GAME, GAME.with_pass()).is_provisional
    started = convert_command(parse_command("start Jón"), GAME, state, 100.0)
    assert state.after_entry([started], GAME, GAME).is_provisional, "the clocks follow the camera's play"
    assert not state.after_entry([replace(started, by="desk")], GAME, GAME).is_provisional


def test_a_title_is_kept() -> None:
    assert apply("title Final, table 1").title == "Final, table 1"
    assert apply("title", apply("title x")).title == ""
