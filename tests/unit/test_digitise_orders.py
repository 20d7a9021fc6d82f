"""The orders in which a board may have been played."""

from __future__ import annotations

import random

import pytest

from scoring import Board, Lexicon, load_edition, parse_board, parse_play, score_play
from tests.random_games import random_play
from vision.digitise.orders import OrderOfPlay, orders_of_play

ICELANDIC, ENGLISH, KRYDSORD = (load_edition(name) for name in ("icelandic", "english", "krydsord"))
EMPTY = Board.empty(ENGLISH.layout)


def board_of(*plays: str, edition: str = "english") -> Board:
    rules = load_edition(edition)
    board = Board.empty(rules.layout)
    for play in plays:
        board = board.with_tiles(parse_play(play, rules.tokens, board))
    return board


def replayed(way: OrderOfPlay, before: Board = EMPTY) -> tuple[Board, list[int]]:
    scores = []
    for play in way.plays:
        scores.append(score_play(before, play, ENGLISH).total)
        before = before.with_tiles(play)
    return before, scores


def test_one_word_is_one_play() -> None:
    board = board_of("8D CABLE")
    orders = orders_of_play(EMPTY, board, ENGLISH)
    assert len(orders.ways[0].plays) == 1
    assert orders.ways[0].scores == (24,)
    assert orders.ways[0].share > 0.5
    assert not orders.decided  # CABLE may have been ABLE


def test_with_the_score_sheet_the_order_is_decided() -> None:
    board = board_of("8D CABLE", "7H SO", "D8 .AR")
    totals = [score_play(EMPTY, parse_play("8D CABLE", ENGLISH.tokens), ENGLISH).total, 0]
    after = board_of("8D CABLE")
    for turn, text in ((1, "7H SO"), (0, "D8 .AR")):
        play = parse_play(text, ENGLISH.tokens, after)
        totals[turn] += score_play(after, play, ENGLISH).total
        after = after.with_tiles(play)
    orders = orders_of_play(EMPTY, board, ENGLISH, totals=totals)
    assert orders.ways
    for way in orders.ways:
        end, scores = replayed(way)
        assert end == board
        assert scores == list(way.scores)
        points = [
            sum(s for s, who in zip(scores, way.players, strict=True) if who == player) for player in (0, 1)
        ]
        assert points == totals
    assert orders_of_play(EMPTY, board, ENGLISH, totals=[1, 2]).ways == ()


@pytest.mark.parametrize("seed", range(4))
def test_what_is_found_leads_from_board_to_board_by_the_rules(seed: int) -> None:
    rng = random.Random(seed)
    boards = [EMPTY]
    while len(boards) < 9:
        play = random_play(rng, boards[-1], ENGLISH, list("EATRINS"))
        if play is not None:
            boards.append(boards[-1].with_tiles(play))
    for before, after in ((boards[5], boards[8]), (boards[0], boards[4])):
        orders = orders_of_play(before, after, ENGLISH, steps=500)
        assert orders.ways
        for way in orders.ways:
            assert replayed(way, before) == (after, list(way.scores))
        assert sum(way.share for way in orders.ways) <= 1.0 + 1e-9


def test_a_word_list_prefers_words_that_were_there() -> None:
    board = board_of("8E CARES")
    listed = orders_of_play(EMPTY, board, ENGLISH, lexicon=Lexicon.of(["care", "cares"]))
    steps = {tuple(len(play) for play in way.plays) for way in listed.ways}
    assert (5,) in steps
    two = next(way for way in listed.ways if len(way.plays) == 2)
    assert [len(play) for play in two.plays] == [4, 1]


def test_what_cannot_be_is_not_found() -> None:
    board = board_of("8D CABLE")
    assert orders_of_play(board, EMPTY, ENGLISH).ways == ()
    nothing = orders_of_play(board, board, ENGLISH)
    assert (nothing.ways, nothing.found, nothing.complete) == ((), 0, True)
    off_centre = parse_board("\n".join(["ABLE..........."] + ["..............."] * 14), ENGLISH.tokens)
    assert orders_of_play(EMPTY, off_centre, ENGLISH).ways == ()


def test_limits_end_the_search_and_are_said() -> None:
    board = board_of("8D CABLE", "7H SO", "D8 .AR")
    for steps in (0, 1):
        orders = orders_of_play(EMPTY, board, ENGLISH, steps=steps)
        assert not orders.complete
        assert not orders.decided


def test_the_first_letter_may_have_to_lie_on_the_start() -> None:
    start = sorted(KRYDSORD.layout.start)[0]
    rows = [["."] * 16 for _ in range(16)]
    for at, letter in enumerate("HEST"):
        rows[start[0]][start[1] + at] = letter
    empty = Board.empty(KRYDSORD.layout)
    assert orders_of_play(empty, Board.from_rows(rows), KRYDSORD).ways
    shifted = [[*row[1:], "."] for row in rows]
    assert not orders_of_play(empty, Board.from_rows(shifted), KRYDSORD).ways
