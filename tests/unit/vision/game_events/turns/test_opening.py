"""The first board: a game that begins on it, goes on from it, or is hidden."""

from __future__ import annotations

import pytest

from scoring import COVERED, Game, Placement
from tests.support.positions import tiles
from tests.support.stable_boards import BARE, EARLY_S, EDITION, KIND, LOKI, ONE, TWO, Seat, kinds, words
from vision.game_events.inference import EARLIER
from vision.game_events.record import apply_command, parse_command
from vision.game_events.turn_state import TurnDecision
from vision.game_events.turns import TurnDetector
from vision.game_events.updates import NoticeKind


def test_print_that_looks_like_tiles_is_no_game() -> None:
    seat = Seat()
    corners = [Placement(row=r, column=c, token="T") for r in (0, 14) for c in (0, 14)]
    assert seat.sees(BARE.with_tiles(corners), rest_s=1.4) == TurnDecision(is_resolved=True)
    assert seat.detector.game.board == BARE


def test_a_game_that_was_begun_goes_on_from_its_board() -> None:
    seat = Seat()
    begun = TWO.with_tiles([*tiles("REI.A", 9, 3), *tiles("Ð", 9, 6)])
    (said,) = seat.sees(begun, rest_s=1.4).notices
    assert "are on the board already" in said.message
    assert "counts as Anna's; if another player is on turn, give the command turn NAME" in said.message
    assert seat.detector.game.board == begun
    assert seat.detector.game.totals == (0, 0)
    seat.detector.apply_external(apply_command(parse_command("turn Jón"), seat.detector.game))
    seat.sees(begun.with_tiles(tiles("AR", 5, 7)))
    assert [total > 0 for total in seat.detector.game.totals] == [False, True]


@pytest.mark.parametrize("dim", [(8, 6), (7, 7)])
def test_a_game_whose_connecting_tiles_a_hand_hides_begins_once_they_are_seen(dim: tuple[int, int]) -> None:
    begun = TWO.with_tiles([*tiles("REI.A", 9, 3), *tiles("Ð", 9, 6)])
    covered = Placement(row=8, column=9, token=COVERED)
    hidden, seat = begun.without([dim]).with_tiles([covered]), Seat()
    assert seat.sees(hidden) == TurnDecision(is_resolved=False)
    decision = seat.sees(hidden, after_s=0.0, rest_s=4.0)
    assert not decision.is_resolved
    assert "take it away, and the game goes on" in decision.notices[0].message
    assert "are on the board already" in seat.sees(begun).notices[0].message
    assert words(seat.sees(begun.with_tiles(tiles("AR", 5, 7))).updates) == ["LAR"]


def test_tiles_that_a_hand_hides_as_the_film_begins_are_no_play_once_it_has_left() -> None:
    begun = TWO.with_tiles([*tiles("REI.A", 9, 3), *tiles("Ð", 9, 6)])
    hand = [Placement(row=9, column=7, token=COVERED), Placement(row=10, column=7, token=COVERED)]
    hidden, seat = begun.without([(9, 7)]).with_tiles(hand), Seat()
    assert seat.sees(hidden) == TurnDecision(is_resolved=False)
    decision = seat.sees(begun)
    assert (decision.updates, seat.detector.game.board) == ((), begun)
    stays = Seat()
    assert not stays.sees(hidden).is_resolved
    assert "are on the board already" in stays.sees(hidden, after_s=0.0, rest_s=4.0).notices[0].message


def test_a_cup_on_a_board_whose_print_looks_like_tiles_hides_no_game() -> None:
    corners = [Placement(row=r, column=c, token="T") for r in (0, 14) for c in (0, 14)]
    cup = Placement(row=8, column=9, token=COVERED)
    assert Seat().sees(BARE.with_tiles([*corners, cup])) == TurnDecision(is_resolved=True)
    assert words(Seat().sees(ONE.with_tiles([*corners, cup])).updates) == ["HRAKI"]


def test_a_misread_tile_of_the_first_board_is_corrected_and_stops_no_play() -> None:
    begun = TWO.with_tiles([*tiles("REI.A", 9, 3), *tiles("Ð", 9, 6)])
    misread = begun.without([(9, 5)]).with_tiles(tiles("S", 9, 5))
    for first in (misread, begun):
        seat = Seat()
        seat.sees(first)
        decision = seat.sees(begun.with_tiles(tiles("AR", 5, 7)), rest_s=12.0)
        assert kinds(decision) == [KIND.CORRECTION] * (first is misread) + [KIND.PLAY]
        assert seat.detector.game.start == begun
        assert seat.detector.game.totals == (4, 0)
    seat = Seat()
    seat.sees(misread)
    assert kinds(seat.sees(begun)) == [KIND.CORRECTION]


def test_a_play_that_is_laid_as_the_film_begins_is_the_first_one() -> None:
    begun = TWO.with_tiles([*tiles("REI.A", 9, 3), *tiles("Ð", 9, 6)])
    now = begun.with_tiles(tiles("AR", 5, 7))
    for look, plays in ((begun, 1), (now, 0), (BARE, 0), (begun.without([LOKI[1]]), 0)):
        seat = Seat()
        seat.first_reading = look
        decision = seat.sees(now, rest_s=1.4)
        assert kinds(decision) == [KIND.PLAY] * plays
        assert seat.detector.game.board == now
        assert "are on the board already" in decision.notices[0].message


def test_a_first_play_that_was_reported_with_its_game_can_be_given_to_the_other_player() -> None:
    begun = TWO.with_tiles([*tiles("REI.A", 9, 3), *tiles("Ð", 9, 6)])
    seat = Seat()
    seat.first_reading = begun
    (said,) = seat.sees(begun.with_tiles(tiles("AR", 5, 7)), rest_s=1.4).notices
    assert "counts as Anna's" in said.message
    assert "insert 1 pass after it" in said.message
    assert [total > 0 for total in seat.detector.game.totals] == [True, False]
    seat.detector.apply_external(apply_command(parse_command("insert 1 pass"), seat.detector.game))
    assert [total > 0 for total in seat.detector.game.totals] == [False, True]


def test_a_journalled_game_wants_certainty_at_first() -> None:
    before = Seat()
    before.sees(BARE)
    before.sees(ONE)
    seat = Seat(game=before.detector.game)
    doubt = {(5, 6): {"L": 0.7, "I": 0.3}}
    assert not seat.sees(TWO, rest_s=1.4, doubts=doubt).is_resolved
    assert words(seat.sees(TWO, rest_s=1.4).updates) == ["LOKI"]


def test_a_recording_that_is_shown_again_takes_nothing_back(played: Seat) -> None:
    played.sees(TWO)
    seat = Seat()
    seat.detector = TurnDetector(played.detector.game, may_replay=True)
    assert seat.sees(ONE, rest_s=EARLY_S) == TurnDecision(is_resolved=False)
    (said,) = seat.sees(ONE, rest_s=4.5).notices
    assert said.message == EARLIER
    assert seat.sees(TWO) == TurnDecision(is_resolved=True)
    assert kinds(seat.sees(ONE)) == [KIND.WITHDRAWN]


def test_printed_squares_that_look_like_tiles_do_not_stop_a_journalled_game() -> None:
    before = Seat()
    before.sees(BARE)
    before.sees(ONE)
    seat = Seat(game=before.detector.game)
    corners = [Placement(row=r, column=c, token="T") for r in (0, 14) for c in (0, 14)]
    assert words(seat.sees(TWO.with_tiles(corners), rest_s=1.4).updates) == ["LOKI"]


def test_tiles_in_doubt_on_the_first_board_of_a_journalled_game_are_reported_and_print_is_not() -> None:
    game = Game(edition=EDITION, players=("Anna", "Jón")).with_play("8D HRAKI")
    printed = ONE.with_tiles([*tiles("T", 0, 0), *tiles("T", 0, 14)])
    assert Seat(game=game).sees(printed, rest_s=4.5) == TurnDecision(is_resolved=True)
    seat, waiting = Seat(game=game), ONE.with_tiles(tiles("SA", 8, 7, down=True))
    decision = seat.sees(waiting, doubts={(9, 7): {"A": 0.85, "Á": 0.15}}, rest_s=4.5)
    assert decision == TurnDecision(is_resolved=True, unresolved_squares=frozenset({(8, 7), (9, 7)}))
    seat.detector.check_record(seat.time_s, is_settled=True)
    (notice,) = seat.detector.check_record(seat.time_s + 3.0, is_settled=True)
    assert notice.kind is NoticeKind.BOARD_DIFFERS
    assert "the record lacks: H9 H10;" in notice.message
    assert words(seat.sees(waiting, rest_s=2.0).updates) == ["ISA"]
    assert seat.detector.difference is None
