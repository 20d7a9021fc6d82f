"""What people state, and the end of the game."""

from __future__ import annotations

import pytest

from scoring import EMPTY
from tests.support.positions import tiles
from tests.support.stable_boards import BARE, HRAKI, KIND, ONE, TWO, Seat, kinds, state_command, words
from vision.game_events.record import apply_command, parse_command
from vision.game_events.turn_state import TurnDecision
from vision.game_events.turns import TurnDetector
from vision.game_events.updates import Notice, NoticeKind


def test_a_play_stated_as_taken_back_is_not_seen_again_before_it_is_lifted(played: Seat) -> None:
    updates = apply_command(parse_command("challenge"), played.detector.game)
    played.detector.apply_external(updates)
    assert played.detector.game.board[7, 3] == EMPTY
    assert not played.sees(ONE).is_resolved
    assert played.sees(BARE) == TurnDecision(is_resolved=True)
    assert words(played.sees(ONE).updates) == ["HRAKI"]


def test_tiles_taken_back_before_a_restart_are_not_seen_again_before_they_are_lifted(played: Seat) -> None:
    game, laid = played.detector.game, tiles("HRAKI", 7, 3)
    again = Seat(game=apply_command(parse_command("challenge"), game)[-1].game)
    again.detector.expect_removal(laid)
    assert not again.sees(ONE).is_resolved
    assert again.sees(BARE) == TurnDecision(is_resolved=True)
    assert words(again.sees(ONE).updates) == ["HRAKI"]


def test_what_was_taken_back_is_locked_no_more(played: Seat) -> None:
    played.detector.apply_external(apply_command(parse_command("letter D8 K"), played.detector.game))
    played.detector.lock_squares([])
    told = played.sees(TWO, unchanged={(7, 3)}).updates
    assert [each.kind for each in told] == [KIND.CORRECTION, KIND.PLAY]


def test_no_look_corrects_what_people_stated() -> None:
    for vouched in (False, True):
        seat = Seat()
        seat.sees(ONE)
        if vouched:
            seat.detector.apply_external(apply_command(parse_command("letter D8 K"), seat.detector.game))
        else:
            seat.detector = TurnDetector(
                apply_command(parse_command("letter D8 K"), seat.detector.game)[-1].game
            )
        decision = seat.sees(TWO, unchanged={(7, 3)})
        kinds = [update.kind for update in decision.updates]
        assert kinds == ([KIND.PLAY] if vouched else [KIND.CORRECTION, KIND.PLAY])


@pytest.mark.parametrize("text", ["letter D8 H", "correct 8D HRAKI"])
def test_no_read_corrects_what_a_command_confirmed(played: Seat, text: str) -> None:
    command = parse_command(text)
    played.detector.confirm(command, apply_command(command, played.detector.game))
    other = ONE.without([HRAKI[0]]).with_tiles(tiles("K", 7, 3))
    assert not played.sees(other).updates
    assert played.detector.game.board == ONE


def test_tiles_swept_off_the_board_are_the_end_and_no_withdrawal(played: Seat) -> None:
    played.sees(TWO)
    assert played.sees(BARE) == TurnDecision(is_resolved=False)
    (said,) = played.sees(BARE, rest_s=4.5).notices
    assert said.kind is NoticeKind.UNCLEAR
    assert "the tiles are off the board" in said.message
    assert len(played.detector.game.events) == 2


@pytest.mark.parametrize("is_swept_seen", [True, False])
def test_the_next_game_on_the_same_board_leaves_the_finished_one_as_it_was(
    played: Seat, *, is_swept_seen: bool
) -> None:
    played.sees(TWO)
    finished, board, said = played.detector.game, BARE, list[Notice]()
    if is_swept_seen:
        said += played.sees(BARE, rest_s=4.5).notices
    for word, row, column in (("ARA", 7, 6), ("GIN", 8, 8), ("LO", 9, 10), ("RÓ", 6, 6), ("ÁR", 10, 11)):
        board = board.with_tiles(tiles(word, row, column))
        decision = played.sees(board, rest_s=3.0)
        said += decision.notices
        assert not decision.updates
    assert played.detector.game is finished
    assert [notice.message[:27] for notice in said] == ["the tiles are off the board"]


def test_a_play_after_a_settlement_names_the_command_that_takes_it_out(played: Seat) -> None:
    played.detector.apply_external(apply_command(parse_command("end Anna=AB Jón="), played.detector.game))
    (notice,) = played.sees(TWO).notices
    assert notice.message == "the settlement at move 2 still counts; the command delete 2 takes it out"


def test_a_film_that_ends_names_tiles_that_the_record_lacks_and_none_that_were_cleared_away(
    played: Seat,
) -> None:
    played.sees(TWO, rest_s=2.0)
    played.sees(TWO.without(TWO.tiles()), rest_s=2.0)
    assert played.detector.check_record(played.time_s, is_settled=True, is_last=True) == ()
    played.sees(TWO.with_tiles(tiles("TT", 0, 0)), rest_s=2.0)
    assert played.detector.check_record(played.time_s, is_settled=False, is_last=True) == ()
    (notice,) = played.detector.check_record(played.time_s, is_settled=True, is_last=True)
    assert "the record lacks: A1 B1;" in notice.message


def test_a_board_that_is_cleared_after_the_settlement_takes_no_play_back(played: Seat) -> None:
    assert kinds(played.sees(TWO)) == [KIND.PLAY]
    state_command(played, "end Anna=AB Jón=D")
    totals = played.detector.game.totals
    for left in (ONE, BARE.with_tiles(HRAKI[:4]), BARE):  # the last play first
        decision = played.sees(left)
        assert (kinds(decision), played.detector.game.totals) == ([], totals)
    (notice,) = played.sees(BARE, rest_s=5.0).notices
    assert "the tiles are off the board; the game is as it was" in notice.message
    played.sees(TWO)
    for _ in range(2):  # the settlement of each rack
        state_command(played, "undo")
    assert kinds(played.sees(ONE)) == [KIND.WITHDRAWN]
