"""The orders in which a board may have been played."""

from __future__ import annotations

import functools
import itertools
import random
import re
from collections import Counter

import pytest

from scoring import (
    Board,
    Edition,
    IllegalPlayError,
    Lexicon,
    Play,
    load_edition,
    parse_board,
    parse_play,
    score_play,
)
from tests.support.random_games import random_play
from tilesight.digitise.reading.photo_record import orders_record
from tilesight.digitise.retrograde.position_search import earlier_boards
from tilesight.digitise.retrograde.reverse_moves import LastPlays, runs
from tilesight.digitise.retrograde.score_bounds import least_and_most
from tilesight.digitise.retrograde.solver import OrderOfPlay, Orders, orders_of_play

ICELANDIC, ENGLISH, KRYDSORD = (load_edition(name) for name in ("icelandic", "english", "krydsord"))
EMPTY = Board.empty(ENGLISH.layout)
Ways = Counter[tuple[tuple[Play, ...], tuple[int, ...]]]


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


def random_board(
    seed: int, plays: int, edition: Edition = ENGLISH, letters: str = "EATRINS"
) -> tuple[Board, list[int]]:
    """A board after so many random plays, and what each scored."""
    rng, board, scores = random.Random(seed), Board.empty(edition.layout), list[int]()
    while len(scores) < plays:
        play = random_play(rng, board, edition, list(letters))
        if play is not None:
            scores.append(score_play(board, play, edition).total)
            board = board.with_tiles(play)
    return board, scores


def all_orders(
    before: Board, after: Board, edition: Edition
) -> list[tuple[tuple[Play, ...], tuple[int, ...]]]:
    """Every order of play by the rules alone: each set of tiles is tried as the next play."""
    new = frozenset(after.tiles()) - frozenset(before.tiles())

    @functools.cache
    def onwards(left: frozenset) -> list[tuple[tuple[Play, ...], tuple[int, ...]]]:
        if not left:
            return [((), ())]
        board, found = after.without(left), []
        for number in range(1, min(len(left), edition.rack_size) + 1):
            for tiles in itertools.combinations(sorted(left), number):
                play = Play(placements=tiles)
                try:
                    score = score_play(board, play, edition).total
                except IllegalPlayError:
                    continue
                found += [((play, *plays), (score, *scores)) for plays, scores in onwards(left - set(tiles))]
        return found

    return onwards(new)


def shares_of(scores: tuple[int, ...], totals: tuple[int, ...]) -> int:
    """In how many ways these plays can be two players', whatever turns they leave out."""
    return sum(
        sum(score for score, who in zip(scores, whose, strict=True) if who == 0) == totals[0]
        and sum(scores) == sum(totals)
        for whose in itertools.product((0, 1), repeat=len(scores))
    )


SMALL_BOARDS = [
    (EMPTY, board_of("8D CABLE")),
    (EMPTY, board_of("8F CAB", "F8 .AR", "10F .AT")),
    (EMPTY, board_of("8G HE", "7G AD", "H7 ..A")),
    (board_of("8D CABLE"), board_of("8D CABLE", "7H SO", "D8 .AR", "10D .E")),
    (EMPTY, random_board(3, 3, letters="EAT")[0]),
    (EMPTY, random_board(5, 3, letters="EAT")[0]),
]


@pytest.mark.parametrize(("before", "after"), SMALL_BOARDS)
def test_all_orders_of_a_small_board_are_found_and_no_others(before: Board, after: Board) -> None:
    truth = all_orders(before, after, ENGLISH)
    orders = orders_of_play(before, after, ENGLISH, most=10_000)
    assert (orders.found, orders.complete) == (len(truth), True)
    sets = Counter(frozenset(plays) for plays, _ in truth)
    assert {frozenset(way.plays): way.alike for way in orders.ways} == sets
    assert sum(way.share for way in orders.ways) == pytest.approx(1)
    shares = [round(way.share, 4) for way in orders.ways]
    assert shares == sorted(shares, reverse=True)
    for way in orders.ways:
        assert (way.plays, way.scores) in truth


@pytest.mark.parametrize(("before", "after"), SMALL_BOARDS[:5])
def test_with_totals_all_orders_that_come_to_them_are_found(before: Board, after: Board) -> None:
    truth = all_orders(before, after, ENGLISH)
    _, scores = truth[len(truth) // 2]
    totals = (sum(scores[::2]), sum(scores[1::2]))
    orders = orders_of_play(before, after, ENGLISH, totals=totals, most=10_000)
    # whoever made the last play, anybody may have left out the turns before it
    assert orders.found == sum(shares_of(scores, totals) for _, scores in truth)
    assert orders.complete
    for way in orders.ways:
        had = [
            sum(s for s, who in zip(way.scores, way.players, strict=True) if who == player)
            for player in (0, 1)
        ]
        assert tuple(had) == totals
        assert (way.plays, way.scores) in truth


def test_one_order_alone_is_decided() -> None:
    board = board_of("8G HE")
    orders = orders_of_play(EMPTY, board, ENGLISH)
    assert orders.decided
    assert orders.ways[0].share == 1
    assert orders.ways[0].alike == 1
    more = orders_of_play(EMPTY, board_of("8D CABLE"), ENGLISH)
    assert more.found > 1
    assert not more.decided  # CABLE may have been ABLE


def test_a_word_is_most_plausibly_one_play() -> None:
    orders = orders_of_play(EMPTY, board_of("8D CABLE"), ENGLISH)
    assert len(orders.ways[0].plays) == 1
    assert orders.ways[0].scores == (24,)
    assert orders.ways[0].share > 0.5


@pytest.mark.parametrize(("edition", "seed"), [("english", 1), ("krydsord", 2), ("hungarian", 3)])
def test_last_plays_are_scored_as_the_rules_score_them(edition: str, seed: int) -> None:
    rules = load_edition(edition)
    board, _ = random_board(seed, 6, rules, letters="EATRIN?")
    last = LastPlays(board, frozenset(), rules, None)
    found = [play for line in last.in_lines(last.all_tiles) for play in line]
    assert len({play.taken for play in found}) == len(found)
    checked = 0
    for play in found:
        if last.may_be(play.taken, last.all_tiles & ~play.taken):
            rest = board.without(last.squares(play.taken))
            assert score_play(rest, last.play(play.taken), rules).total == play.score
            checked += 1
    assert checked > 5


@pytest.mark.parametrize("seed", range(2))
def test_the_totals_of_a_long_game_are_met(seed: int) -> None:
    board, scores = random_board(seed, 8)
    totals = (sum(scores[::2]), sum(scores[1::2]))
    told: list[int] = []
    orders = orders_of_play(EMPTY, board, ENGLISH, totals=totals, steps=400, progress=told.append)
    assert told == sorted(told)
    assert 0 <= told[0] <= told[-1] <= sum(1 for _ in board.tiles())
    assert orders.ways
    assert not orders.decided
    assert len({frozenset(way.plays) for way in orders.ways}) == len(orders.ways)
    for way in orders.ways:
        assert replayed(way) == (board, list(way.scores))
        for player in (0, 1):
            had = [s for s, who in zip(way.scores, way.players, strict=True) if who == player]
            assert sum(had) == totals[player]
    assert orders == orders_of_play(EMPTY, board, ENGLISH, totals=totals, steps=400)
    assert orders_of_play(EMPTY, board, ENGLISH, totals=(sum(totals), 10**9), steps=100).ways == ()


def test_three_players_share_the_points() -> None:
    board, scores = random_board(7, 7)
    totals = tuple(sum(scores[player::3]) for player in range(3))
    orders = orders_of_play(EMPTY, board, ENGLISH, totals=totals, steps=400)
    for way in orders.ways:
        had = Counter[int]()
        for score, player in zip(way.scores, way.players, strict=True):
            had[player] += score
        assert tuple(had[player] for player in range(3)) == totals
    assert orders.ways


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
    assert orders_of_play(EMPTY, board, ENGLISH, totals=(-1, 25)).ways == ()
    nothing = orders_of_play(board, board, ENGLISH)
    assert nothing == Orders(ways=(), found=0, complete=True)
    off_centre = parse_board("\n".join(["ABLE..........."] + ["..............."] * 14), ENGLISH.tokens)
    assert orders_of_play(EMPTY, off_centre, ENGLISH) == Orders(ways=(), found=0, complete=True)


@pytest.mark.parametrize(
    "rows", [{7: "...CABLE.......", 0: "QI............."}, {7: "...ZZZ..ZA....."}, {7: "...QÐQ........."}]
)
def test_tiles_that_are_no_board_of_the_edition_are_told(rows: dict[int, str]) -> None:
    board = Board.from_rows(rows.get(row, "." * 15) for row in range(15))
    assert "do not hang together" in orders_of_play(EMPTY, board, ENGLISH).why


def test_nothing_is_played_beside_a_covered_square() -> None:
    board = board_of("8G HE", "7G AD")
    covered = Board.from_rows(["#" + "." * 14, *board.rows[1:]])
    assert orders_of_play(EMPTY, covered, ENGLISH).found == orders_of_play(EMPTY, board, ENGLISH).found
    rows = [list(row) for row in board.rows]
    rows[7][5] = "#"  # the word that ends with HE is not known
    orders = orders_of_play(EMPTY, Board.from_rows(rows), ENGLISH)
    assert all(len({tile.row for tile in play}) == 2 for way in orders.ways for play in way.plays[:1])


@pytest.mark.parametrize(
    ("was", "now", "same"),
    [("C", "C", True), ("C", "#", True), ("?", "c", True), ("c", "?", True), ("C", "H", False), ("C", ".", False),
     ("c", "h", False), ("?", "C", False)],
)  # fmt: skip
def test_the_tiles_before_are_still_there(was: str, now: str, same: bool) -> None:
    before = Board.from_rows(f"......{was}AT......" if row == 7 else "." * 15 for row in range(15))
    after = Board.from_rows(f"......{now}ATS....." if row == 7 else "." * 15 for row in range(15))
    orders = orders_of_play(before, after, ENGLISH)
    assert orders.found == same
    for way in orders.ways:
        assert way.scores == (score_play(before, way.plays[0], ENGLISH).total,)


@pytest.mark.parametrize(
    ("square", "certain"), [((0, 0), True), ((6, 5), True), ((7, 9), False), ((6, 7), False), ((7, 6), False)]
)
def test_beside_a_covered_square_nothing_is_certain(square: tuple[int, int], certain: bool) -> None:
    rows = [list(row) for row in board_of("8G CAT").rows]
    rows[square[0]][square[1]] = "#"
    orders = orders_of_play(EMPTY, Board.from_rows(rows), ENGLISH)
    assert orders.complete == certain
    (gap,) = orders_record("game", "photo", ("A", "B"), None, orders, ENGLISH)["gaps"]
    assert ("squares beside its tiles are covered; correct them" in gap) != certain
    assert "wrong" not in gap


def test_a_covered_start_is_told() -> None:
    rows = [["."] * 15 for _ in range(15)]
    rows[7][7], rows[0][0:2] = "#", "AT"
    orders = orders_of_play(EMPTY, Board.from_rows(rows), ENGLISH)
    assert (orders.ways, orders.complete) == ((), False)
    assert "are covered" in orders.why


def test_limits_end_the_search_and_are_said() -> None:
    board = board_of("8D CABLE", "7H SO", "D8 .AR")
    for steps in (0, 1):
        orders = orders_of_play(EMPTY, board, ENGLISH, steps=steps)
        assert not orders.complete
        assert not orders.decided


@pytest.mark.parametrize(
    ("steps", "told"), [(100, "--orders-limit allows more time"), (20_000, "more time does not help")]
)
def test_more_time_is_advised_only_where_it_helps(steps: int, told: str) -> None:
    board, scores = random_board(0, 5)
    orders = orders_of_play(EMPTY, board, ENGLISH, totals=(sum(scores), 10**9), steps=steps)
    assert (orders.ways, orders.complete) == ((), False)
    (gap,) = orders_record("game", "photo", ("A", "B"), None, orders, ENGLISH)["gaps"]
    assert told in gap


@pytest.mark.parametrize("totals", [(10**26, 0), (1, 1), (0, 0, 0, 0), (11, 1)])
@pytest.mark.parametrize(
    ("steps", "told"), [(100, "--orders-limit allows more time"), (20_000, "more time does not help")]
)
def test_totals_that_no_order_comes_near_are_told(totals: tuple[int, ...], steps: int, told: str) -> None:
    board, _ = random_board(0, 5)
    orders = orders_of_play(EMPTY, board, ENGLISH, totals=totals, steps=steps)
    (gap,) = orders_record("game", "photo", "ABCD"[: len(totals)], totals, orders, ENGLISH)["gaps"]
    assert re.search(rf"come to \d+ to \d+ points in all, not to {sum(totals)}; check the totals", gap)
    assert told in gap


def test_totals_that_are_shared_otherwise_are_told() -> None:
    board, scores = random_board(0, 5)
    orders = orders_of_play(EMPTY, board, ENGLISH, totals=(sum(scores) - 1, 1), steps=100)
    assert (orders.ways, orders.complete) == ((), False)
    assert "come to other totals; check the totals" in orders.why


@pytest.mark.parametrize(
    "plays", [("8D CABLE",), ("8F CAB", "F8 .AR", "10F .AT"), ("8G HE", "7G AD", "H7 ..A")]
)
def test_the_fewest_and_the_most_points_are_those_of_all_orders(plays: tuple[str, ...]) -> None:
    board = board_of(*plays)
    sums = [sum(scores) for _, scores in all_orders(EMPTY, board, ENGLISH)]
    boards = earlier_boards(LastPlays(board, frozenset(), ENGLISH, None), 1000)
    assert least_and_most(boards) == (min(sums), max(sums))


def test_the_first_letter_may_have_to_lie_on_the_start() -> None:
    start = sorted(KRYDSORD.layout.start)[0]
    rows = [["."] * 16 for _ in range(16)]
    for at, letter in enumerate("HEST"):
        rows[start[0]][start[1] + at] = letter
    empty = Board.empty(KRYDSORD.layout)
    assert orders_of_play(empty, Board.from_rows(rows), KRYDSORD).ways
    shifted = [[*row[1:], "."] for row in rows]
    assert not orders_of_play(empty, Board.from_rows(shifted), KRYDSORD).ways


@pytest.mark.parametrize("seed", range(25))
def test_each_order_begins_on_the_start_and_one_is_found(seed: int) -> None:
    board, _ = random_board(seed, 3, KRYDSORD, letters="EATRINS")
    empty = Board.empty(KRYDSORD.layout)
    orders = orders_of_play(empty, board, KRYDSORD, steps=2000)
    assert orders.ways
    for way in orders.ways:  # scored by the rules, and so legal from the first play on
        assert score_play(empty, way.plays[0], KRYDSORD).total == way.scores[0]


def test_words_are_runs_of_bits() -> None:
    assert runs(0b1101110010) == [(4, 6), (8, 9)]
    assert runs(0) == []
    assert runs(0b111) == [(0, 2)]
