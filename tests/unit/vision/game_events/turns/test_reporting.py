"""When a play at rest is reported: patience, hands, and plays of few tiles."""

from __future__ import annotations

import pytest

from scoring import COVERED, Board, Placement
from tests.support.positions import tiles
from tests.support.stable_boards import BARE, EARLY_S, HRAKI, KIND, ONE, TWO, Seat, kinds, words
from vision.game_events.turn_state import TurnDecision


def test_plays_are_reported_as_they_rest(seat: Seat) -> None:
    assert words(seat.sees(ONE).updates) == ["HRAKI"]
    assert words(seat.sees(TWO).updates) == ["LOKI"]
    assert seat.detector.game.totals == (28, 15)


def test_an_unchanged_board_is_understood_and_nothing_to_tell(played: Seat) -> None:
    assert played.sees(ONE) == TurnDecision(is_resolved=True)


def test_a_hand_on_the_board_is_waited_for(seat: Seat) -> None:
    assert not seat.sees(ONE, hidden={(9, 9)}).is_resolved
    assert not seat.sees(ONE, reached_over=True).is_resolved


def test_new_tiles_under_a_hand_that_stays_are_reported(seat: Seat) -> None:
    assert seat.sees(ONE, hidden={(9, 9)}).notices == ()
    assert seat.sees(ONE, hidden={(9, 9)}, after_s=0.0, rest_s=4.0).notices == ()
    (notice,) = seat.sees(ONE, hidden={(9, 9)}, after_s=0.0, rest_s=5.0).notices
    assert "a hand stays over the board" in notice.message
    assert kinds(seat.sees(ONE)) == [KIND.PLAY]


def test_new_tiles_under_a_hand_that_stays_are_reported_by_the_first_of_them(seat: Seat) -> None:
    part = BARE.with_tiles(HRAKI[:3])
    for board, after_s in ((part, 20.0), (part, 0.0), (ONE, 0.0)):
        assert seat.sees(board, hidden={(9, 9)}, after_s=after_s, rest_s=2.0).notices == ()
    (notice,) = seat.sees(ONE, hidden={(9, 9)}, after_s=0.0, rest_s=4.0).notices
    assert "a hand stays over the board" in notice.message


def test_new_tiles_next_to_a_hand_on_the_last_board_are_reported(seat: Seat) -> None:
    assert seat.sees(ONE, hidden={tile.square for tile in HRAKI}, is_last=True).notices == ()
    (notice,) = seat.sees(ONE, hidden={(7, 3)}, after_s=0.0, is_last=True).notices
    assert notice.message.startswith("the last picture shows new tiles and a hand")


def test_a_cup_on_the_board_is_played_around(seat: Seat) -> None:
    board = Board.from_rows(
        [["#" if (r, c) == (0, 0) else t for c, t in enumerate(row)] for r, row in enumerate(ONE.rows)]
    )
    assert words(seat.sees(board).updates) == ["HRAKI"]


def test_a_play_next_to_a_square_out_of_the_picture_is_in_doubt_until_it_shows(seat: Seat) -> None:
    begun = BARE.with_tiles([*tiles("HRAK", 7, 4), Placement(row=7, column=8, token=COVERED)])
    outside = {(7, 8)}  # what cannot be seen has not changed
    assert seat.sees(begun, rest_s=EARLY_S, unchanged=outside) == TurnDecision(is_resolved=False)
    (part,) = seat.sees(begun, unchanged=outside).updates
    assert (words((part,)), part.confidence) == (["HRAK"], 0.5)
    (whole,) = seat.sees(BARE.with_tiles(tiles("HRAKI", 7, 4))).updates
    assert words((whole,)) == ["HRAKI"]
    assert whole.replaces is not None


def test_a_play_next_to_what_has_just_covered_a_square_waits_longer(seat: Seat) -> None:
    begun = BARE.with_tiles([*tiles("HRAK", 7, 4), Placement(row=7, column=8, token=COVERED)])
    assert seat.sees(begun) == TurnDecision(is_resolved=False)
    (part,) = seat.sees(begun, rest_s=3.0).updates
    assert (words((part,)), part.confidence) == (["HRAK"], 0.35)


def test_half_a_play_that_is_not_legal_waits(seat: Seat) -> None:
    assert seat.sees(BARE.with_tiles(HRAKI[:2])) == TurnDecision(is_resolved=False)
    assert words(seat.sees(ONE).updates) == ["HRAKI"]


def test_a_full_rack_is_no_provisional_play(seat: Seat) -> None:
    (play,) = seat.sees(BARE.with_tiles(tiles("HRAKINA", 7, 3))).updates
    assert not play.is_provisional


@pytest.mark.parametrize("word", ["R", "RÓ"])
def test_a_play_of_few_tiles_is_reported_late_since_the_next_one_may_be_on_its_way(
    played: Seat, word: str
) -> None:
    begun = ONE.with_tiles(tiles(word, 8, 7))
    assert played.sees(begun, rest_s=EARLY_S) == TurnDecision(is_resolved=False)
    assert words(played.sees(begun).updates)


def test_a_play_of_three_tiles_is_reported_early(played: Seat) -> None:
    assert words(played.sees(TWO, rest_s=EARLY_S).updates) == ["LOKI"]


def test_a_tile_moved_in_mid_turn_is_not_yet_two_plays(played: Seat) -> None:
    played.sees(TWO)
    moving = ONE.with_tiles(tiles("LO", 5, 6, down=True)).with_tiles(tiles("I", 8, 3))
    assert played.sees(moving, rest_s=1.4) == TurnDecision(is_resolved=False)
    told = kinds(played.sees(moving, after_s=0.0, rest_s=3.2))
    assert told == [KIND.WITHDRAWN, KIND.PLAY, KIND.PLAY]
