"""Several plays at once, and boards that nothing explains."""

from __future__ import annotations

import numpy as np
import pytest

from scoring import COVERED, Game, Placement
from tests.support.positions import tiles
from tests.support.stable_boards import (
    BARE,
    EARLY_S,
    EDITION,
    HRAKI,
    KIND,
    LOKI,
    ONE,
    TWO,
    Seat,
    kinds,
    words,
)
from vision.game_events.updates import NoticeKind


def test_two_plays_at_once_are_reported_late(seat: Seat) -> None:
    assert not seat.sees(TWO, rest_s=EARLY_S).is_resolved
    assert kinds(seat.sees(TWO, rest_s=1.4)) == [KIND.PLAY, KIND.PLAY]


def test_two_plays_are_in_doubt_where_the_board_was_out_of_sight(seat: Seat) -> None:
    game = Game(edition=EDITION, players=("Anna", "Jón")).with_play("8D HRAKI")
    board = TWO.with_tiles(tiles("RÓ", 8, 7))
    again = Seat(game=game)
    again.first = False  # the journal's picture shows the board as it was
    assert "2 plays were seen at once" in again.sees(board, rest_s=3.5).notices[0].message
    seat.sees(ONE)
    assert not seat.sees(board, rest_s=3.5).notices


def test_three_plays_that_were_missed_are_reported_in_doubt_and_the_game_goes_on(played: Seat) -> None:
    board = TWO.with_tiles(tiles("RÓ", 8, 7)).with_tiles(tiles("AR", 5, 7))
    decision = played.sees(board, rest_s=1.4)
    assert kinds(decision) == [KIND.PLAY] * 3
    assert played.detector.game.board == board
    assert decision.updates[0].confidence < 0.6
    assert "3 plays were seen at once" in decision.notices[0].message
    assert kinds(played.sees(board.with_tiles(tiles("T", 5, 9)))) == [KIND.PLAY]


@pytest.mark.parametrize(("after_s", "n_plays"), [(2.5, 0), (2.7, 3)])
def test_three_plays_are_not_made_within_four_seconds(played: Seat, after_s: float, n_plays: int) -> None:
    board = TWO.with_tiles(tiles("RÓ", 8, 7)).with_tiles(tiles("AR", 5, 7))
    assert kinds(played.sees(board, after_s=after_s, rest_s=1.4)) == [KIND.PLAY] * n_plays


def test_plays_that_were_missed_are_in_doubt_where_the_rules_allow_one_order(played: Seat) -> None:
    board = TWO.with_tiles(tiles("ARARARA", 5, 7)).with_tiles(tiles("GINGINR", 6, 13, down=True))
    decision = played.sees(board, rest_s=1.4)
    assert kinds(decision) == [KIND.PLAY] * 3
    assert all(0.4 < update.confidence < 0.6 for update in decision.updates)


def test_the_number_of_possible_orders_does_not_hold_back_plays_that_were_missed(played: Seat) -> None:
    board = TWO.with_tiles(tiles("AR", 5, 7) + tiles("A", 8, 3) + tiles("R", 6, 4) + tiles("Ó", 8, 7))
    decision = played.sees(board, rest_s=1.4)
    assert played.detector.game.board == board
    assert decision.updates[0].confidence < 0.05


def test_plays_that_were_missed_are_reported_in_the_order_in_which_their_tiles_were_seen(
    played: Seat,
) -> None:
    first, second = tiles("RÓ", 8, 7), LOKI
    for order in ((first, second), (second, first)):
        seat = Seat(game=played.detector.game)
        seat.first = False
        begun = ONE.with_tiles(order[0])
        assert not seat.sees(begun, rest_s=1.2, hidden={(0, 0)}).is_resolved
        decision = seat.sees(begun.with_tiles(order[1]), rest_s=3.5)
        assert [set(u.step.event.play.placements) for u in decision.updates] == [set(order[0]), set(order[1])]  # type: ignore[union-attr]


def test_a_rest_too_short_for_a_decision_tells_the_order_of_two_plays(played: Seat) -> None:
    first, second = tiles("RÓ", 8, 7), LOKI
    for order in ((first, second), (second, first)):
        seat = Seat(game=played.detector.game)
        seat.first = False
        filled = np.zeros(BARE.size, bool)
        for began_s, new in zip((10.0, 12.0), order, strict=True):
            filled[[tile.row for tile in new], [tile.column for tile in new]] = True
            seat.detector.note_short_rest(filled, began_s)
        decision = seat.sees(ONE.with_tiles([*first, *second]), rest_s=3.5)
        assert [set(u.step.event.play.placements) for u in decision.updates] == [set(order[0]), set(order[1])]  # type: ignore[union-attr]


@pytest.mark.parametrize("hides", ["decision", "short rest"])
def test_a_hand_over_waiting_tiles_leaves_the_order_of_two_plays(hides: str, played: Seat) -> None:
    first = tiles("ARA", 8, 3, down=True)
    begun, hidden = ONE.with_tiles(first), {(tile.row, tile.column) for tile in first}
    vague = {(tile.row, tile.column): {tile.token: 0.2, "Ú": 0.15} for tile in first}
    assert not played.sees(begun, doubts=vague, rest_s=1.4).is_resolved
    if hides == "decision":
        covered = [Placement(row=row, column=column, token=COVERED) for row, column in hidden]
        assert not played.sees(ONE.with_tiles(covered), hidden=hidden, rest_s=1.2).is_resolved
    else:
        filled = np.zeros(BARE.size, bool)
        played.detector.note_short_rest(filled, played.time_s + 10)
        filled[tuple(zip(*hidden, *((tile.row, tile.column) for tile in LOKI), strict=True))] = True
        played.detector.note_short_rest(filled, played.time_s + 20)
    decision = played.sees(begun.with_tiles(LOKI), rest_s=3.4)
    assert words(decision.updates) == ["HARA", "LOKI"]
    assert min(update.confidence for update in decision.updates) > 0.9


def test_a_board_that_nothing_explains_for_three_turns_is_taken_over(played: Seat) -> None:
    stairs = [(8 + n // 2, 7 + (n + 1) // 2) for n in range(14)]
    odd = [Placement(row=r, column=c, token=t) for (r, c), t in zip(stairs, "ARARARARAGIGIN", strict=True)]
    for extra in ([], tiles("E", 6, 3)):
        odd += extra
        assert not played.sees(ONE.with_tiles(odd), rest_s=3.0).updates
    odd += tiles("L", 6, 5)
    decision = played.sees(ONE.with_tiles(odd), rest_s=1.4)
    assert decision.is_taken_over
    assert "taken over without points" in decision.notices[0].message
    assert kinds(decision) == [KIND.PLAY] * 2  # the later tiles are a play each
    assert played.detector.game.totals == (33, 3)
    assert played.detector.game.board == ONE.with_tiles(odd)
    assert kinds(played.sees(ONE.with_tiles(odd).with_tiles(tiles("R", 14, 12)))) == [KIND.PLAY]


def test_after_more_tiles_than_two_plays_can_place_one_play_is_enough_to_go_on(played: Seat) -> None:
    stairs = [(8 + n // 2, 7 + (n + 1) // 2) for n in range(14)]
    odd = [Placement(row=r, column=c, token=t) for (r, c), t in zip(stairs, "ARARARARAGIGIN", strict=True)]
    odd += tiles("E", 6, 3)
    assert not played.sees(ONE.with_tiles(odd), rest_s=3.0).updates
    decision = played.sees(ONE.with_tiles([*odd, *tiles("L", 6, 5)]), rest_s=1.4)
    assert decision.is_taken_over
    assert kinds(decision) == [KIND.PLAY]
    assert "taken over without points" in decision.notices[0].message


def test_a_missing_tile_does_not_stop_the_game_for_ever(played: Seat) -> None:
    played.sees(TWO)
    board, gone = TWO, TWO.without([HRAKI[1]])
    for word in ("A", "R"):
        new = tiles(word, 5, 6 + 1 + (word == "R"))
        board, gone = board.with_tiles(new), gone.with_tiles(new)
        assert not played.sees(gone, rest_s=3.0).is_resolved
    new = tiles("T", 5, 9)
    decision = played.sees(gone.with_tiles(new), rest_s=3.0)
    assert decision.is_taken_over
    assert played.detector.game.board == board.with_tiles(new)
    assert "left out" in decision.notices[0].message
    played.detector.check_record(100.0, is_settled=True)
    notices = played.detector.check_record(104.0, is_settled=True)
    assert [notice.kind for notice in notices] == [NoticeKind.BOARD_DIFFERS]


def test_paper_that_looks_like_many_tiles_is_not_taken_over(played: Seat) -> None:
    for width in (2, 3, 4, 5):
        paper = [Placement(row=r, column=c, token="?") for r in range(5, 9) for c in range(8, 8 + width)]
        assert not played.sees(ONE.with_tiles(paper), rest_s=3.0).updates
    assert played.detector.game.board == ONE
