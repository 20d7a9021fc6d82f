"""However many plays lie between two boards that are understood, the game goes on."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from scoring import Board, Game, load_edition
from tests.support.random_games import random_play
from vision.core.boards import DecodedBoard
from vision.game_events.play_sequences import find_play_orders
from vision.game_events.turn_state import StableBoard, TurnDecision
from vision.game_events.turns.decision import TurnDetector

pytestmark = [pytest.mark.slow, pytest.mark.no_cover]

EDITION = load_edition("icelandic")


def plays_only(seed: int, plays: int) -> list[Game]:
    """A game after each of its plays, from the empty board on."""
    rng = random.Random(seed)
    bag = [tile for tile, count in EDITION.counts.items() for _ in range(count or 4)]
    rng.shuffle(bag)
    games = [Game(edition=EDITION, players=("Anna", "Jón"))]
    while len(games) <= plays and len(bag) > EDITION.rack_size:
        play = random_play(rng, games[-1].board, EDITION, bag[: EDITION.rack_size])
        if play is not None:
            games.append(games[-1].with_play(play))
        rng.shuffle(bag)
    return games


def sees(detector: TurnDetector, board: Board, time_s: float, rest_s: float) -> TurnDecision:
    changed = np.array(
        [
            [a != b for a, b in zip(*rows, strict=True)]
            for rows in zip(board.rows, detector.game.board.rows, strict=True)
        ]
    )
    return detector.decide(
        StableBoard(
            decoded=DecodedBoard(
                board=board, confidence=np.full(board.size, 0.99), alternatives={}, doubts=()
            ),
            changed=changed,
            occluded=np.zeros(board.size, dtype=np.bool_),
            reached_over=False,
            rest_s=rest_s,
            motion_started_s=time_s - rest_s - 2.0,
            time_s=time_s,
            is_first=False,
            is_late=rest_s > 1.3,
        )
    )


@given(st.integers(0, 2**32), st.integers(1, 8))
@example(850, 5)
@settings(max_examples=12)
def test_a_game_goes_on_however_many_plays_were_missed(seed: int, missed: int) -> None:
    games = plays_only(seed, missed + 5)
    detector, time_s = TurnDetector(games[1]), 0.0
    for game in games[min(missed, len(games) - 4) + 1 :][:4]:
        for rest_s in (1.5, 4.5):
            time_s += 30.0
            if sees(detector, game.board, time_s, rest_s).updates:
                break
    assert detector.game.board == game.board


@given(st.integers(0, 2**32), st.integers(1, 4))
@settings(max_examples=12)
def test_missed_plays_are_explained_by_legal_ones_and_no_more_than_were_made(seed: int, plays: int) -> None:
    games = plays_only(seed, 4 + plays)
    before, after = games[-1 - plays].board, games[-1].board
    added = [tile for tile in after.tiles() if before[tile.row, tile.column] != tile.token]
    orders = find_play_orders(before, added, EDITION)
    assert orders
    assert len(orders[0]) <= plays
    for order in orders:
        game = Game(edition=EDITION, players=("Anna", "Jón"), start=before)
        for play in order:
            game = game.with_play(play)
        assert game.board == after
