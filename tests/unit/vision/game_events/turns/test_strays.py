"""Tiles that are no part of a play: cups, crumbs, racks, and tiles that were pushed or lifted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pytest

from scoring import COVERED, EMPTY, Game, Placement
from tests.support.positions import tiles
from tests.support.stable_boards import EARLY_S, EDITION, HRAKI, KIND, LOKI, ONE, TWO, Seat, kinds, words
from vision.game_events.turn_state import TurnDecision
from vision.game_events.updates import NoticeKind


def test_a_tile_next_to_hidden_ones_is_no_stray_once_a_hand_is_gone(played: Seat) -> None:
    first, second, last = LOKI
    covered = [replace(tile, token=COVERED) for tile in (second, last)]
    assert played.sees(ONE.with_tiles([first, *covered]), rest_s=4.0).updates == ()
    both = TWO.with_tiles(tiles(".Á", 7, 3, down=True))
    assert words(played.sees(both).updates) == ["LOKI", "HÁ"]


def test_the_edge_of_a_thing_that_touches_no_tile_of_the_game_stops_no_play_though_it_looks_like_a_tile(
    played: Seat,
) -> None:
    thing = [Placement(row=12, column=column, token=token) for column, token in ((12, "?"), (13, COVERED))]
    assert played.sees(ONE.with_tiles(thing), rest_s=4.0).updates == ()
    assert words(played.sees(TWO.with_tiles(thing)).updates) == ["LOKI"]


def test_a_short_play_is_reported_though_a_rack_was_pushed_over_the_edge_meanwhile(played: Seat) -> None:
    rack = tiles("NSTÚ", 14, 4)
    longer = ONE.with_tiles(tiles("Á", 7, 8))
    assert words(played.sees(longer.with_tiles(rack), rest_s=4.0).updates) == ["HRAKIÁ"]


@pytest.mark.parametrize("rest_s", [1.4, 4.5])
def test_what_is_no_tile_for_certain_stops_neither_a_withdrawal_nor_two_plays_however_long_it_stayed(
    played: Seat, rest_s: float
) -> None:
    rim = tiles("ABDE", 14, 10)
    unsure = {(t.row, t.column): {t.token: 0.4, "O": 0.3} for t in rim}
    both = TWO.with_tiles(tiles("MATS", 9, 3))
    assert words(played.sees(both.with_tiles(rim), rest_s=rest_s, doubts=unsure).updates) == ["LOKI", "MATS"]
    assert kinds(played.sees(TWO.with_tiles(rim), rest_s=rest_s, doubts=unsure)) == [KIND.WITHDRAWN]


def test_a_board_that_nothing_explains_is_reported_once(played: Seat) -> None:
    odd = ONE.with_tiles([*tiles("ÞÆ", 0, 0), *tiles("Ö", 12, 12)])
    assert played.sees(odd, rest_s=2.0) == TurnDecision(is_resolved=False)
    (said,) = played.sees(odd, rest_s=4.5).notices
    assert said.kind is NoticeKind.UNCLEAR
    assert "the game waits" in said.message
    assert "A1: nothing in the game, Þ seen; B1: nothing in the game, Æ seen" in said.message
    assert played.sees(odd, rest_s=5.0).notices == ()


@pytest.mark.parametrize("moved", [[], [HRAKI[0]]])
def test_a_tile_that_stays_on_a_wrong_square_delays_none_of_the_next_plays(
    played: Seat, moved: list[Placement]
) -> None:
    stray = tiles("H", 0, 0)
    played.sees(ONE.without(moved).with_tiles(stray), rest_s=4.5)
    board = ONE
    for play in (LOKI, tiles("RÓ", 8, 7)):
        board = board.with_tiles(play)
        assert kinds(played.sees(board.without(moved).with_tiles(stray))) == [KIND.PLAY]
    assert played.detector.game.board == board
    assert not played.sees(board).updates, "it is where it was"


def test_a_tile_that_was_lifted_for_long_and_put_down_elsewhere_is_no_play(played: Seat) -> None:
    played.sees(TWO)
    lifted = TWO.without(HRAKI[:1])
    assert not played.sees(lifted, rest_s=12.0).is_resolved
    moved = lifted.with_tiles(tiles("H", 8, 4))
    assert not played.sees(moved).updates
    assert "D8: H in the game, nothing seen" in played.sees(moved, after_s=0.0, rest_s=4.5).notices[0].message
    assert words(played.sees(moved.with_tiles(tiles("RÓ", 8, 7))).updates) == ["IRÓ"]


@pytest.mark.parametrize("rest_s", [EARLY_S, 6.0])
def test_an_earlier_tile_that_was_lifted_a_moment_ago_delays_no_play(played: Seat, rest_s: float) -> None:
    played.sees(TWO)
    lifted = TWO.without(HRAKI[:1])
    assert not played.sees(lifted, rest_s=rest_s).is_resolved
    assert words(played.sees(lifted.with_tiles(tiles("RÓ", 8, 7)), after_s=2.0).updates) == ["IRÓ"]
    assert not played.sees(TWO.with_tiles(tiles("RÓ", 8, 7)), after_s=2.0).updates, "it is back"


@pytest.mark.parametrize("square", [(6, 3), (8, 3), (7, 2)])
def test_a_tile_that_is_pushed_onto_the_next_square_stops_no_play(
    played: Seat, square: tuple[int, int]
) -> None:
    pushed = TWO.without(HRAKI[:1]).with_tiles(tiles("H", *square))
    decision = played.sees(pushed)
    assert words(decision.updates) == ["LOKI"]
    assert decision.unresolved_squares == {(7, 3), square}
    assert words(played.sees(pushed.with_tiles(tiles("RÓ", 8, 7))).updates) == ["IRÓ"]
    assert not played.sees(TWO.with_tiles(tiles("RÓ", 8, 7))).updates, "it is where it was"


@pytest.mark.parametrize(
    ("letter", "square", "doubts"),
    [("G", (6, 3), None), ("H", (8, 4), None), ("H", (6, 3), {(6, 3): {"H": 0.6, "K": 0.4}})],
    ids=["another letter", "farther", "unsure"],
)
def test_a_missing_tile_is_waited_for_where_the_next_square_does_not_surely_show_it(
    played: Seat,
    letter: str,
    square: tuple[int, int],
    doubts: Mapping[tuple[int, int], Mapping[str, float]] | None,
) -> None:
    gone = TWO.without(HRAKI[:1]).with_tiles(tiles(letter, *square))
    assert not played.sees(gone, doubts=doubts).is_resolved


def test_a_tile_that_is_pushed_without_a_play_is_waited_for(played: Seat) -> None:
    played.sees(TWO)
    pushed = TWO.without(HRAKI[:1]).with_tiles(tiles("H", 6, 3))
    assert played.sees(pushed) == TurnDecision(is_resolved=False)
    assert "D8: H in the game, nothing seen" in played.sees(pushed, rest_s=4.5).notices[0].message


def test_a_tile_at_the_edge_that_is_gone_is_waited_for() -> None:
    start = ONE.with_tiles(tiles("AKRANES", 8, 3, down=True))
    seat = Seat(game=Game(edition=EDITION, players=("Anna", "Jón"), start=start))
    seat.sees(start)
    assert not seat.sees(start.without([(14, 3)]).with_tiles(LOKI)).is_resolved


def test_a_word_that_is_put_right_after_the_next_play_stops_no_play_and_adds_none(played: Seat) -> None:
    wrong = TWO.with_tiles(tiles("REIÐA", 9, 4))
    later, last = tiles("AR", 5, 7), tiles("TÓ", 3, 8, down=True)
    for board in (TWO, wrong, wrong.with_tiles(later)):
        played.sees(board)
    right = TWO.with_tiles([*tiles("REIÐA", 9, 3), *later])
    assert played.sees(right, rest_s=4.5).updates == ()
    decision = played.sees(right.with_tiles(last))
    assert words(decision.updates) == ["TÓR"]
    assert decision.unresolved_squares == {(9, column) for column in range(3, 9)}
    assert played.detector.game.board == wrong.with_tiles([*later, *last])


def test_a_crumb_does_not_stop_the_game(played: Seat) -> None:
    crumb = tiles("?", 0, 0)
    crumbs = frozenset({(0, 0)})
    assert played.sees(ONE.with_tiles(crumb), rest_s=4.5) == TurnDecision(
        is_resolved=True, unresolved_squares=crumbs
    )
    assert words(played.sees(TWO.with_tiles(crumb), unchanged={(0, 0)}).updates) == ["LOKI"]


def test_what_looks_like_tiles_next_to_a_play_does_not_stop_it(played: Seat) -> None:
    rim = tiles("I", 11, 1) + tiles("GJ", 12, 3, down=True)
    unsure = {(t.row, t.column): {t.token: 0.4, EMPTY: 0.35} for t in rim}
    seen = TWO.with_tiles(rim)
    assert not played.sees(seen, rest_s=EARLY_S, doubts=unsure).is_resolved
    assert words(played.sees(seen, after_s=0.0, rest_s=1.4, doubts=unsure).updates) == ["LOKI"]


def test_tiles_that_are_surely_read_next_to_a_gap_are_waited_for(played: Seat) -> None:
    gap = ONE.with_tiles(tiles("L", 6, 6) + tiles("I", 4, 6))
    assert played.sees(gap, rest_s=1.4) == TurnDecision(is_resolved=False)
