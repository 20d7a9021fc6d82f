"""Game files that we write, in all shapes: the exact text, and that it is read as the same game.

A change of a file is a change of what other programs read, so it is reviewed.
``python -m tests.golden.test_written_games`` writes the files anew.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from scoring import (
    ChallengeEvent,
    Edition,
    Ending,
    ExchangeEvent,
    Game,
    GcgHeader,
    NoPlayEvent,
    PassEvent,
    PlayEvent,
    edition_names,
    format_gcg,
    load_edition,
    parse_gcg,
    parse_play,
)
from tests.support.random_games import random_game

DATA = Path(__file__).parent / "data" / "written"


def game_of_edition(name: str) -> Game:
    """Return the first turns of a game with known racks."""
    return random_game(random.Random(7), load_edition(name), turns=9)


def finished_game(edition: Edition, players: int = 2) -> Game:
    """Return a game in which a player goes out."""
    games = (random_game(random.Random(seed), edition, players=players, turns=150) for seed in range(50))
    return next(game for game in games if game.ending is Ending.OUT)


def seen_game() -> Game:
    """Return a finished game as a camera sees it: without racks, with exchanges of unknown tiles."""
    game = finished_game(load_edition("english"))
    events = []
    for event in game.events:
        if isinstance(event, ExchangeEvent):
            event = replace(event, rack=None, tiles=None)
        elif isinstance(event, PlayEvent | PassEvent):
            event = replace(event, rack=None)
        events.append(event)
    return Game(game.edition, game.players, events=events).with_settlement()


def challenged_game() -> Game:
    """Return a game with every kind of challenge."""
    game = Game("hungarian", ["Réka Nagy", "Ödön"]).with_play("8F ELADÓ").with_challenge(upheld=False)
    game = game.with_play("J8 .K").with_challenge(upheld=True, note="not a word")
    game = game.with_play("8F .....K", player=0)
    game = game.with_event(ChallengeEvent(player=0, upheld=False, challenger=1, penalty=0))
    game = game.with_play("K8 .É[SZ]", player=1)
    game = game.with_event(ChallengeEvent(player=1, upheld=False, bonus=5))
    game = game.with_pass(player=0)
    return game.with_event(ChallengeEvent(player=1, upheld=False, challenger=0, penalty=0, turn_lost=True))


def second_thoughts() -> Game:
    """Return a game with plays that are taken back, with and without the turn."""
    game = Game("english", ["Ann", "Bo"]).with_play("8E QUIZ").with_withdrawal(turn_lost=False)
    game = game.with_play("8E QUIT").with_withdrawal(turn_lost=False, note="no")
    game = game.with_play("8F QUIZ", rack="QUIZABC").with_play("7H AX").with_withdrawal()
    game = game.with_play("7I AX?").with_withdrawal(turn_lost=False).with_event(NoPlayEvent(player=0))
    return game.with_play("9G IT").with_withdrawal(turn_lost=False)


def unplayable() -> Game:
    """Return a game with a play over tiles."""
    game = Game("english", ["Ann", "Bo"]).with_play("8E QUIZ")
    return game.with_event(PlayEvent(player=1, play=parse_play("8E CATS", game.edition)))


def after_the_end() -> Game:
    """Return a game with a challenge in vain, a time penalty and a pass after its last play."""
    game = finished_game(load_edition("english"))
    game = game.with_challenge(upheld=False, challenger=1 - game.state.plays[-1].player)
    return game.with_clock_penalty(10, player=0).with_pass(note="I cannot").with_settlement()


SHAPES: dict[str, Callable[[], Game]] = {
    **{f"edition-{name}": lambda name=name: game_of_edition(name) for name in edition_names()},  # type: ignore[misc]
    **{
        f"players-{players}": lambda players=players: finished_game(  # type: ignore[misc]
            load_edition("english"), players
        ).with_settlement(dict.fromkeys(range(players), ()) if players > 2 else None)
        for players in (1, 3, 4)
    },
    "racks-unknown": seen_game,
    "challenges": challenged_game,
    "second-thoughts": second_thoughts,
    "unplayable": unplayable,
    "after-the-end": after_the_end,
    "settled-each": lambda: finished_game(load_edition("english")).with_settlement(),
    "settled-tournament": lambda: finished_game(load_edition("english+tournament")).with_settlement(),
    "settled-krydsord": lambda: Game("krydsord", ["A", "B"]).with_settlement({0: (), 1: ("A", "?")}),
}
HEADER = GcgHeader(title="A game", description="of all shapes", note="racks are not known", incomplete=True)


@pytest.mark.parametrize("name", SHAPES)
def test_the_text_is_as_reviewed(name: str) -> None:
    assert format_gcg(SHAPES[name](), HEADER) == (DATA / f"{name}.gcg").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", SHAPES)
def test_the_text_is_read_as_the_same_game(name: str) -> None:
    game, text = SHAPES[name](), (DATA / f"{name}.gcg").read_text(encoding="utf-8")
    record = parse_gcg(text)
    assert record.differences == ()
    assert not any(problem.lost for problem in record.problems)
    assert record.game.totals == game.totals
    assert record.game.board == game.board
    assert [event.kind for event in record.game.events] == [event.kind for event in game.events]
    # a rack of exactly the tiles played is read as unknown; everything else is unchanged
    assert parse_gcg(format_gcg(record.game, record.header)).game == record.game


@pytest.mark.parametrize("name", SHAPES)
def test_other_programs_know_every_line(name: str) -> None:
    """No pragma but those that MAGPIE knows, no note before the first event, no bracket but around several letters."""
    lines = (DATA / f"{name}.gcg").read_text(encoding="utf-8").splitlines()
    events = [number for number, line in enumerate(lines) if line.startswith(">")]
    known = ("#character-encoding", "#player", "#title", "#description", "#tile-distribution", "#note", ">")
    assert all(line.startswith(known) for line in lines)
    assert not any(line.startswith("#note") for line in lines[: events[0]])
    assert not any(line.startswith("#") and not line.startswith("#note") for line in lines[events[0] :])


def write() -> None:
    """Write the files anew."""
    for name, make in SHAPES.items():
        (DATA / f"{name}.gcg").write_text(format_gcg(make(), HEADER), encoding="utf-8")


if __name__ == "__main__":
    argparse.ArgumentParser(description=write.__doc__).parse_args()
    write()
