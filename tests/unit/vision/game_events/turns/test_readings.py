"""Uncertain readings: what is reported late, corrected, or left as it was."""

from __future__ import annotations

import pytest

from scoring import BLANK, EMPTY, Placement
from tests.support.positions import tiles
from tests.support.stable_boards import BARE, EARLY_S, HRAKI, KIND, ONE, TWO, Seat, kinds, words
from vision.game_events.record import apply_command, parse_command
from vision.game_events.turn_state import TurnDecision


def test_a_doubtful_play_waits_and_is_then_reported_with_its_doubt(seat: Seat) -> None:
    doubt = {(7, 7): {"I": 0.6, "Í": 0.4}}
    assert not seat.sees(ONE, rest_s=EARLY_S, doubts=doubt).is_resolved
    (play,) = seat.sees(ONE, rest_s=1.4, doubts=doubt).updates
    assert play.confidence == pytest.approx(0.6 * 0.99**4)


def test_a_play_is_no_surer_than_that_it_is_complete(seat: Seat) -> None:
    perhaps = {(7, 8): {EMPTY: 0.7, "?": 0.3}}
    assert not seat.sees(ONE, rest_s=EARLY_S, doubts=perhaps).is_resolved
    (play,) = seat.sees(ONE, after_s=0.0, rest_s=1.4, doubts=perhaps).updates
    assert play.confidence == pytest.approx(0.7)


def test_what_changed_elsewhere_says_nothing_of_a_play(seat: Seat) -> None:
    (play,) = seat.sees(ONE, doubts={(2, 2): {EMPTY: 0.7, "?": 0.3}}).updates
    assert play.confidence == pytest.approx(0.99**5)


def test_a_hopeless_letter_is_reported_in_the_end(seat: Seat) -> None:
    doubt = {(7, 7): {"I": 0.2, "Í": 0.15, "L": 0.15}}
    assert not seat.sees(ONE, rest_s=1.4, doubts=doubt).is_resolved
    (play,) = seat.sees(ONE, rest_s=3.5, doubts=doubt).updates
    assert play.confidence < 0.25


def test_another_reading_makes_a_play_legal(seat: Seat) -> None:
    gap = ONE.without([HRAKI[2]])
    doubt = {(7, 5): {".": 0.5, "A": 0.5}}
    assert not seat.sees(gap, rest_s=EARLY_S, doubts=doubt).is_resolved
    assert words(seat.sees(gap, rest_s=1.4, doubts=doubt).updates) == ["HRAKI"]


def test_what_did_not_change_is_what_it_was(played: Seat) -> None:
    stray = ONE.with_tiles(tiles("Ð", 8, 4))
    assert played.sees(stray, unchanged={(8, 4)}) == TurnDecision(is_resolved=True)
    gone = ONE.without([HRAKI[4]])
    assert played.sees(gone, unchanged={(7, 7)}) == TurnDecision(is_resolved=True)


def test_a_wrong_letter_is_corrected_when_it_is_nearly_certain(played: Seat) -> None:
    misread = ONE.without([HRAKI[4]]).with_tiles(tiles("Í", 7, 7))
    waited_for = played.sees(misread, doubts={(7, 7): {"Í": 0.95, "I": 0.05}})
    assert waited_for == TurnDecision(is_resolved=True, unresolved_squares=frozenset({(7, 7)}))
    (correction,) = played.sees(misread).updates
    assert correction.kind is KIND.CORRECTION
    assert played.detector.game.board[7, 7] == "Í"


def test_an_earlier_tile_that_is_knocked_askew_is_no_blank(played: Seat) -> None:
    played.sees(TWO)
    askew = TWO.without(HRAKI[:1]).with_tiles(tiles(BLANK, 7, 3))
    assert played.sees(askew) == TurnDecision(is_resolved=True, unresolved_squares=frozenset({(7, 3)}))
    assert words(played.sees(askew.with_tiles(tiles("ÓL", 8, 3, down=True))).updates) == ["HÓL"]


def test_an_earlier_tile_that_was_in_doubt_is_corrected_to_a_blank(seat: Seat) -> None:
    seat.sees(ONE, doubts={(7, 3): {"H": 0.6, BLANK: 0.4}})
    blank = TWO.without(HRAKI[:1]).with_tiles(tiles(BLANK, 7, 3))
    seat.sees(TWO, doubts={(7, 3): {"H": 0.5, BLANK: 0.5}})
    for _ in range(2):
        seat.sees(blank)
    assert seat.detector.game.board[7, 3] == BLANK
    assert len(seat.detector.game.state.plays) == 2


def test_a_lone_tile_that_waits_is_part_of_the_play_that_follows(seat: Seat) -> None:
    lone = BARE.with_tiles([tiles("I", 7, 3)[0]])
    waited_for = seat.sees(lone, rest_s=4.5)
    assert waited_for == TurnDecision(is_resolved=True, unresolved_squares=frozenset({(7, 3)}))
    assert words(seat.sees(BARE.with_tiles(tiles("IRAKI", 7, 3))).updates) == ["IRAKI"]


def test_one_play_is_likelier_than_two_with_a_doubtful_tile(seat: Seat) -> None:
    smudge = (8, 3)
    board = BARE.with_tiles([*HRAKI, *tiles("Ð", *smudge)])
    doubts = {smudge: {"Ð": 0.5, ".": 0.4}}
    (play,) = seat.sees(board, rest_s=1.4, doubts=doubts).updates
    assert words((play,)) == ["HRAKI"]


def test_a_blank_that_looks_like_an_empty_square_is_no_change_once_its_play_is_reported(seat: Seat) -> None:
    square = (7, 5)
    without = ONE.without([Placement(row=7, column=5, token="A")])
    decision = seat.sees(without, rest_s=3.5, doubts={square: {".": 0.6, "?": 0.4}})
    assert [each.kind for each in decision.updates] == [KIND.PLAY]
    assert seat.detector.game.board[square] == "?"
    assert decision.unresolved_squares == frozenset()
    for passed_s in (0.0, 10.0):
        assert seat.detector.check_record(seat.time_s + passed_s, is_settled=True) == ()


def test_what_leans_on_a_doubtful_tile_is_in_doubt_until_it_is_read_surely(seat: Seat) -> None:
    seat.sees(ONE, rest_s=1.4, doubts={(7, 6): {"K": 0.6, "N": 0.4}})
    assert seat.detector.uncertain_squares[7, 6]
    assert seat.detector.certain_board[7, 6] == EMPTY
    (play,) = seat.sees(TWO, doubts={(7, 6): {"K": 0.7, "N": 0.3}}, unchanged={(7, 6)}).updates
    assert play.confidence == pytest.approx(0.708 * 0.99**3, abs=1e-3)
    for _ in range(2):
        seat.sees(TWO)
    assert not seat.detector.uncertain_squares.any()


@pytest.mark.parametrize("texts", [("letter H8 I",), ("letter H8 Í",), ("undo", "play 8D HRAKI"), ()])
def test_what_leans_on_a_doubtful_tile_is_certain_once_a_user_stated_it(
    texts: tuple[str, ...], seat: Seat
) -> None:
    seen, vague = ONE.without([HRAKI[4]]).with_tiles(tiles("Í", 7, 7)), {(7, 7): {"Í": 0.6, "I": 0.4}}
    seat.sees(seen, doubts=vague)
    seat.sees(seen, doubts=vague, rest_s=1.4)
    assert seat.detector.uncertain_squares[7, 7]
    for text in texts:
        command = parse_command(text)
        updates = apply_command(command, seat.detector.game)
        if updates:
            seat.detector.apply_external(updates)
        seat.detector.confirm(command, updates)
    if not texts:  # an operator confirmed it
        seat.detector.lock_squares({(7, 7)})
    assert not seat.detector.uncertain_squares.any()
    (play,) = seat.sees(seen.with_tiles(tiles("S", 8, 7)), doubts=vague, rest_s=1.4).updates
    assert play.confidence == pytest.approx(0.99)


def test_a_doubtful_tile_is_corrected_by_two_rests_that_agree(seat: Seat) -> None:
    seat.sees(ONE, rest_s=1.4, doubts={(7, 6): {"K": 0.6, "N": 0.4}})
    other = ONE.without([HRAKI[3]]).with_tiles(tiles("N", 7, 6))
    certain = {(7, 6): {"N": 0.95, "K": 0.05}}
    assert not seat.sees(other, doubts=certain).updates
    (correction,) = seat.sees(other, doubts=certain).updates
    assert correction.kind is KIND.CORRECTION


def test_a_play_is_as_certain_as_the_tile_that_is_corrected_with_it(seat: Seat) -> None:
    seat.sees(ONE, rest_s=1.4, doubts={(7, 6): {"K": 0.6, "N": 0.4}})
    other = TWO.without([HRAKI[3]]).with_tiles(tiles("N", 7, 6))
    certain = {(7, 6): {"N": 0.99, "K": 0.01}}
    correction, play = seat.sees(other, doubts=certain).updates
    assert (correction.kind, play.kind) == (KIND.CORRECTION, KIND.PLAY)
    assert play.confidence == pytest.approx(0.99**3)


def test_a_letter_does_not_flicker_between_two_reads(played: Seat) -> None:
    other = ONE.without([HRAKI[4]]).with_tiles(tiles("Í", 7, 7))
    corrections = [played.sees(board).updates for board in (other, ONE, other, ONE, other, ONE)]
    assert sum(map(len, corrections)) <= 2
    for _ in range(4):
        played.sees(ONE)
    assert played.detector.game.board == ONE


def test_a_tile_that_was_face_down_for_two_rests_is_put_right_at_once(played: Seat) -> None:
    for board in (ONE, TWO):
        played.sees(board.without([HRAKI[0]]).with_tiles(tiles(BLANK, 7, 3)))
        assert played.detector.game.board[7, 3] == BLANK
    assert kinds(played.sees(TWO)) == [KIND.CORRECTION]
    assert played.detector.game.board == TWO
