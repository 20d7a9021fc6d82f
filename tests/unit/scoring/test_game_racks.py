"""Racks of the end phase: once the bag is empty they follow from the later plays and the tiles left."""

from __future__ import annotations

import itertools
import random
from collections import Counter
from dataclasses import replace

import pytest

from scoring import (
    Ending,
    EndRack,
    Event,
    ExchangeEvent,
    Game,
    PassEvent,
    Play,
    PlayEvent,
    WithdrawnEvent,
    deduce_racks,
    format_gcg,
    load_edition,
    parse_gcg,
    parse_play,
    settle_racks,
)
from tests.support.random_games import random_game

ENGLISH = load_edition("english")


def without_racks(game: Game) -> Game:
    """Return the game as a camera sees it."""
    turns = PlayEvent | PassEvent | ExchangeEvent
    events = tuple(replace(event, rack=None) if isinstance(event, turns) else event for event in game.events)
    return Game(edition=game.edition, players=game.players, events=events)


def finished_game(players: int = 2) -> Game:
    games = (random_game(random.Random(seed), ENGLISH, players=players, turns=120) for seed in range(40))
    return next(game for game in games if game.ending is Ending.OUT)


def compare(game: Game, seen: Game) -> int:
    """Check the deduced racks against the true ones, and return the number of deduced racks."""
    deduced = deduce_racks(seen.steps, ENGLISH)
    found = 0
    for event, step, rack in zip(game.events, seen.steps, deduced, strict=False):
        true = getattr(event, "rack", None)
        if rack is not None and true is not None:
            assert Counter(rack) == Counter(true)
            assert step.before.tiles_in_bag == 0
            found += 1
    return found


@pytest.mark.parametrize("players", [1, 2])
def test_a_finished_game_tells_them(players: int) -> None:
    game = finished_game(players)
    seen = without_racks(game)
    turns = [step for step in seen.steps if step.before.tiles_in_bag == 0 and hasattr(step.event, "rack")]
    assert compare(game, seen) == len(turns) > 0
    assert compare(game, seen.with_settlement()) == len(turns)


def test_three_players_need_a_settlement() -> None:
    game = finished_game(3)
    seen = without_racks(game)
    unsettled = deduce_racks(seen.steps, ENGLISH)
    out = seen.state.rack_counts.index(0)
    turns = [step for step in seen.steps if step.before.tiles_in_bag == 0 and hasattr(step.event, "rack")]
    assert {step.event.player for step in turns if unsettled[step.index] is not None} == {out}


def test_an_unfinished_game_tells_those_that_follow_from_a_known_rack() -> None:
    game = finished_game()
    last = max(step.index for step in game.steps if isinstance(step.event, PlayEvent))
    cut = Game(edition=ENGLISH, players=game.players, events=game.events[:last])
    seen = without_racks(cut)
    assert compare(cut, seen) == 0
    event = cut.events[-1]
    known = seen.with_correction(len(cut.events) - 1, event)
    assert compare(cut, known) > 1


def test_a_settlement_that_cannot_be_true_tells_nothing() -> None:
    seen = without_racks(finished_game())
    wrong: Event = EndRack(player=0, tiles=("Z",) * 3)
    deduced = deduce_racks(seen.with_event(wrong).steps, ENGLISH)
    assert (
        all(rack is None for rack, event in zip(deduced, seen.events, strict=False) if event.player == 0)
        or seen.state.rack_counts[0] == 0
    )


def test_a_known_rack_without_the_tiles_played_later_tells_nothing_of_the_racks_after() -> None:
    counts = dict.fromkeys(ENGLISH.counts, 0) | {"A": 2, "T": 8, "N": 4}
    game = Game(edition=replace(ENGLISH, counts=counts), players=("Anna", "Ben"))
    known = ("N",) * 4 + ("T",) * 3
    game = (
        game.with_event(PassEvent(player=0, rack=known))
        .with_pass()
        .with_play("8G TAN")
        .with_pass()
        .with_pass()
    )
    assert deduce_racks(game.steps, game.edition) == (known, None, known, None, None)


def test_a_play_taken_back_comes_back_to_the_rack() -> None:
    game = finished_game()
    last = max(step.index for step in game.steps if isinstance(step.event, PlayEvent))
    event = game.events[last]
    assert isinstance(event, PlayEvent)
    first = replace(event, play=Play(placements=event.play.placements[:1]))
    events = (*game.events[:last], first, WithdrawnEvent(player=event.player, turn_lost=False), event)
    tried = Game(edition=ENGLISH, players=game.players, events=events)
    assert compare(tried, without_racks(tried)) > 1


def test_an_edition_without_counts_tells_nothing() -> None:
    unknown = replace(ENGLISH, counts=dict.fromkeys(ENGLISH.counts))
    game = Game(edition=unknown, players=("A",)).with_pass()
    assert deduce_racks(game.steps, unknown) == (None,)
    assert deduce_racks((), unknown) == ()


def test_the_file_has_them_and_says_so() -> None:
    seen = without_racks(finished_game())
    lines = format_gcg(seen).splitlines()
    marked = [line for line, note in itertools.pairwise(lines) if note == "#note [tilesight] rack-deduced"]
    assert marked
    assert parse_gcg("\n".join(lines)).game == seen


def test_a_deduced_rack_of_just_the_tiles_played_is_written_in_their_order() -> None:
    icelandic = load_edition("icelandic")
    small = replace(icelandic, counts={token: 4 * (token in "HRAKI") for token in icelandic.counts})
    game = Game(small, ("Anna", "Ben")).with_play("8D HRAKI").with_play("D8 .RAKI")
    out = game.with_event(PlayEvent(player=0, play=parse_play("12D .HRAKIHK", small)))
    assert ">Anna: HRAKIHK 12D .HRAKIHK" in format_gcg(out)
    assert parse_gcg(format_gcg(out), small).game == out
    fewer = game.with_event(PlayEvent(player=0, play=parse_play("12D .HRAKIH", small)))
    settled = fewer.with_withdrawal().with_settlement({0: tuple("AHHIKKR")})
    assert ">Anna: AHHIKKR -- " in format_gcg(settled)
    assert parse_gcg(format_gcg(settled), small).game.events[:4] == settled.events[:4]


def test_only_a_settlement_of_two_players_is_doubled() -> None:
    edition = load_edition("english+tournament")
    assert settle_racks({0: (), 1: ("Q",)}, edition) == (
        EndRack(player=0, tiles=("Q",), gained=True, doubled=True),
    )
    assert settle_racks({0: (), 1: ("Q",), 2: ("E",)}, edition) == (
        EndRack(player=0, tiles=("Q", "E"), gained=True),
        EndRack(player=1, tiles=("Q",)),
        EndRack(player=2, tiles=("E",)),
    )


def test_a_tournament_settlement_follows_a_correction() -> None:
    game = finished_game()
    edition = load_edition("english+tournament")
    settled = Game(edition, game.players, events=game.events).with_settlement()
    last = settled.events[-1]
    assert isinstance(last, EndRack)
    assert last.doubled
    index = settled.state.plays[0].index
    event = settled.events[index]
    assert isinstance(event, PlayEvent)
    first = event.play.placements[0]
    tile = next(tile for tile in last.tiles if tile != first.token)
    swapped = Play(placements=(replace(first, token=tile), *event.play.placements[1:]))
    corrected = settled.with_correction(index, replace(event, play=swapped, rack=None)).with_new_settlement()
    now = corrected.events[-1]
    assert isinstance(now, EndRack)
    assert now.doubled
    assert Counter(now.tiles) == Counter(last.tiles) - Counter([tile]) + Counter([first.token])
    assert settled.with_new_settlement() == settled
