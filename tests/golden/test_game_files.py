"""The text of written game files: other programs rely on it, so every change is reviewed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from scoring import Game, Play, format_gcg, load_edition, parse_play, read_gcg

DATA = Path(__file__).parent / "data"


def icelandic_sheet() -> Game:
    """Return the five plays of the Icelandic sheet as a game of two players."""
    example = json.loads((DATA / "worked-examples.json").read_text(encoding="utf-8"))["is"]
    game = Game(edition=load_edition(example["edition"]), players=("Anna", "Jón"))
    for play in example["plays"]:
        game = game.with_play(Play.of(map(tuple, play["placed"])))
    assert [step.score for step in game.steps] == [play["printed"] for play in example["plays"]]
    return game


def hungarian_events() -> Game:
    """Return a game with every kind of event, digraphs, and blanks with and without a known letter."""
    edition = load_edition("hungarian")
    game = Game(edition=edition, players=("Réka Nagy", "Ödön", "Zsófia"))
    game = game.with_play(
        parse_play("8E SZ[S]ZÓgy", edition.tokens), rack=("SZ", "S", "Z", "Ó", "?", "A", "LY")
    )
    game = game.with_challenge(upheld=False).with_exchange(
        ("A", "ZS"), rack=("A", "ZS", "B", "D", "E", "É", "F")
    )
    game = game.with_exchange(count=4).with_play(
        parse_play("H6 LE.?", edition.tokens), note="a blank of\nunknown letter"
    )
    game = game.with_challenge(upheld=True).with_no_play().with_pass().with_exchange()
    game = game.with_play(parse_play("I8 .Á", edition.tokens)).with_withdrawal(turn_lost=False)
    game = game.with_play(parse_play("I7 Á.", edition.tokens)).with_clock_penalty(10, player=2)
    return game.with_settlement({0: ("A", "ZS"), 1: (), 2: ("?",)})


GAMES = {"icelandic-sheet.gcg": icelandic_sheet, "hungarian-events.gcg": hungarian_events}


@pytest.mark.parametrize("name", GAMES)
def test_a_game_is_written_as_it_always_was(name: str) -> None:
    assert format_gcg(GAMES[name]()) == (DATA / name).read_text(encoding="utf-8")


@pytest.mark.parametrize("name", GAMES)
def test_a_written_game_is_read_as_it_was(name: str) -> None:
    record = read_gcg(DATA / name)
    game = GAMES[name]()
    assert record.game == game
    assert record.differences == ()
    assert [each.message for each in record.problems] == [each.message for each in game.problems]
