"""Properties of all games: tiles are conserved, and a game depends on its events only."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from scoring import (
    CgpPosition,
    Edition,
    Ending,
    EndRack,
    Game,
    IllegalPlayError,
    PassEvent,
    Play,
    PlayEvent,
    bag_tile,
    format_cgp,
    load_edition,
    parse_cgp,
    score_play,
)
from tests.support.random_games import random_game, random_play

pytestmark = pytest.mark.no_cover

EDITIONS = ("german", "hungarian", "icelandic", "krydsord", "romanian-rosian", "spanish")


@st.composite
def games(draw: st.DrawFn, max_turns: int = 12) -> Game:
    edition = load_edition(draw(st.sampled_from(EDITIONS)))
    rng = random.Random(draw(st.integers(0, 2**32)))
    return random_game(rng, edition, players=draw(st.integers(1, 4)), turns=draw(st.integers(0, max_turns)))


def tiles_on_board(game: Game) -> Counter[str]:
    return Counter(bag_tile(tile.token) for tile in game.board.tiles())


@given(games())
@settings(max_examples=60)
def test_the_rules_allow_what_was_drawn_by_the_rules(game: Game) -> None:
    assert game.problems == ()


@given(games())
@settings(max_examples=60)
def test_totals_are_the_sums_of_the_steps(game: Game) -> None:
    for player in range(len(game.players)):
        assert game.totals[player] == sum(step.changes[player] for step in game.steps)
    assert [each.total for each in game.standings] == sorted(game.totals, reverse=True)


@given(games())
@settings(max_examples=60)
def test_no_tile_appears_or_disappears(game: Game) -> None:
    unseen = game.unseen()
    if unseen is None:
        assert game.edition.bag_size is None
        return
    assert tiles_on_board(game) + Counter(unseen) == Counter(game.edition.counts)
    state = game.state
    assert state.tiles_in_bag is not None
    assert (
        state.tiles_in_bag + sum(state.rack_counts) + sum(tiles_on_board(game).values())
        == game.edition.bag_size
    )


@given(games())
@settings(max_examples=60)
def test_a_game_is_the_fold_of_its_events_however_it_was_put_together(game: Game) -> None:
    again = Game(edition=game.edition, players=game.players, events=game.events)
    assert again.steps == game.steps
    assert again == game


@given(games(), st.data())
@settings(max_examples=60)
def test_correcting_and_correcting_back_changes_nothing(game: Game, data: st.DataObject) -> None:
    if not game.events:
        return
    index = data.draw(st.integers(0, len(game.events) - 1))
    changed = game.with_correction(index, PassEvent(player=0))
    assert changed.with_correction(index, game.events[index]).steps == game.steps
    assert game.with_insertion(index, PassEvent(player=0)).without_event(index).steps == game.steps
    assert game.without_event(index).with_insertion(index, game.events[index]).steps == game.steps
    assert changed.steps[:index] == game.steps[:index]


@given(games(), st.integers(0, 2**32))
@settings(max_examples=60)
def test_a_play_taken_back_leaves_no_trace_but_the_turn(game: Game, seed: int) -> None:
    rng = random.Random(seed)
    rack = rng.sample(game.edition.tokens, game.edition.rack_size)
    play = random_play(rng, game.board, game.edition, rack)
    if play is None:
        return
    back = game.with_play(play).with_withdrawal()
    assert (back.board, back.totals) == (game.board, game.totals)
    assert (back.state.tiles_in_bag, back.state.rack_counts, back.state.plays) == (
        game.state.tiles_in_bag,
        game.state.rack_counts,
        game.state.plays,
    )
    assert back.turn == (game.turn + 1) % len(game.players)
    assert game.with_play(play).with_withdrawal(turn_lost=False).turn == game.turn


@given(games())
@settings(max_examples=60)
def test_each_play_is_worth_what_it_scores_on_the_board_before_it(game: Game) -> None:
    for step in game.steps:
        if isinstance(step.event, PlayEvent):
            assert step.score == score_play(step.before.board, step.event.play, game.edition).total


@given(games())
@settings(max_examples=60)
def test_a_position_goes_through_cgp_unchanged(game: Game) -> None:
    letters = game.edition.tokens
    position = CgpPosition(
        board=game.board,
        racks=tuple(tuple(letters[: game.edition.rack_size]) for _ in game.players),
        scores=game.totals,
        scoreless_turns=game.state.scoreless_turns,
        operations=(("ld", game.edition.name),),
    )
    assert parse_cgp(format_cgp(position, letters), letters) == position


@given(games(max_turns=8), st.data())
@settings(max_examples=60)
def test_any_correction_leaves_a_game_that_says_what_is_wrong(game: Game, data: st.DataObject) -> None:
    """After any replacement of an event, exactly the illegal plays are problems."""
    plays = [event for event in game.events if isinstance(event, PlayEvent)]
    if not plays:
        return
    index = data.draw(st.integers(0, len(game.events) - 1))
    changed = game.with_correction(index, data.draw(st.sampled_from(plays)))
    named = {problem.index for problem in changed.problems if problem.reason is not None}
    for step in changed.steps:
        if isinstance(step.event, PlayEvent):
            try:
                score_play(step.before.board, step.event.play, game.edition)
                allowed = True
            except IllegalPlayError:
                allowed = False
            assert allowed == (step.index not in named)


@st.composite
def finished_games(draw: st.DrawFn) -> Game:
    """A finished game with a small bag, whose settlement follows from the counts."""
    letters = ("A", "H", "I", "K", "R")
    edition = load_edition("icelandic")
    counts = {token: draw(st.integers(3, 6)) if token in letters else 0 for token in edition.counts}
    edition = replace(edition, counts=counts)
    rng = random.Random(draw(st.integers(0, 2**32)))
    game = random_game(rng, edition, players=2, turns=30)
    assume(game.ending is Ending.OUT)
    return game.with_settlement()


def is_conserved(game: Game) -> bool:
    """Return whether the board and the racks hold all tiles of the bag, and gains equal losses."""
    left = [event for event in game.events if isinstance(event, EndRack)]
    own = Counter(tile for event in left if not event.gained for tile in event.tiles)
    gained = Counter(tile for event in left if event.gained for tile in event.tiles)
    return tiles_on_board(game) + own == +Counter(game.edition.counts) and (not gained or gained == own)


@given(finished_games(), st.data())
@settings(max_examples=60, suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow])
def test_after_a_settlement_tiles_are_conserved_or_the_game_says_that_they_are_not(
    game: Game, data: st.DataObject
) -> None:
    assert is_conserved(game)
    assert not game.problems
    plays = [index for index, event in enumerate(game.events) if isinstance(event, PlayEvent)]
    index = data.draw(st.sampled_from(plays))
    event = game.events[index]
    assert isinstance(event, PlayEvent)
    tiles = list(event.play)
    changed = data.draw(st.integers(0, len(tiles) - 1))
    if data.draw(st.booleans()) and len(tiles) > 1:
        del tiles[changed]
    else:
        tiles[changed] = replace(tiles[changed], token=data.draw(st.sampled_from("AHIKR")))
    corrected = game.with_correction(index, PlayEvent(player=event.player, play=Play.of(tiles)))
    assert is_conserved(corrected) or corrected.problems
    again = corrected.with_new_settlement()
    assert is_conserved(again) or again.problems
    assert len(again.problems) <= len(corrected.problems)


def test_the_editions_drawn_from_cover_digraphs_unknown_counts_and_both_schemes() -> None:
    editions: list[Edition] = [load_edition(name) for name in EDITIONS]
    assert any(len(token) > 1 for edition in editions for token in edition.tokens)
    assert any(edition.bag_size is None for edition in editions)
    assert len({edition.scheme for edition in editions}) == 2
