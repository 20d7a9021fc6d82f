"""Whose turn a change is: a play that goes on, the side of the hand, and the pause."""

from __future__ import annotations

import numpy as np
import pytest

from scoring import COVERED, Placement, PlayEvent
from tests.support.positions import tiles
from tests.support.stable_boards import (
    BARE,
    EARLY_S,
    HRAK,
    KIND,
    LOKI,
    ONE,
    TWO,
    WHOLE,
    Seat,
    alternating,
    kinds,
    opposite,
    state_command,
    words,
)
from vision.game_events.record import apply_command, parse_command
from vision.game_events.turn_state import TurnDecision
from vision.game_events.updates import NoticeKind


def test_a_play_in_two_goes_is_one_play(seat: Seat) -> None:
    begun = BARE.with_tiles(tiles("HRAK", 7, 4))
    whole = BARE.with_tiles(tiles("HRAKI", 7, 4))
    (half,) = seat.sees(begun).updates
    assert words((half,)) == ["HRAK"]
    assert half.is_provisional
    assert half.replaces is None
    assert half.step is not None
    assert isinstance(half.step.event, PlayEvent)
    (again,) = seat.sees(whole, after_s=0.3).updates
    assert (again.kind, again.replaces, again.is_provisional) == (KIND.PLAY, half.step.event.play, True)
    assert words((again,)) == ["HRAKI"]
    assert len(seat.detector.game.events) == 1
    assert seat.detector.game.totals[1] == 0
    assert seat.detector.game.turn == 1


def test_the_same_tiles_later_are_the_next_players(seat: Seat) -> None:
    seat.sees(BARE.with_tiles(tiles("HRAK", 7, 4)))
    assert kinds(seat.sees(BARE.with_tiles(tiles("HRAKI", 7, 4)))) == [KIND.PLAY]
    assert seat.detector.game.turn == 0


def test_a_player_who_thinks_in_mid_play_goes_on_with_it() -> None:
    seat = opposite(ONE)
    seat.sees(TWO.without([LOKI[2]]), hand=180)
    half = seat.detector.game
    assert half.totals[1] > 0
    (whole,) = seat.sees(TWO, after_s=12.0, hand=172).updates
    assert words((whole,)) == ["LOKI"]
    assert whole.replaces == half.state.plays[-1].play
    assert seat.detector.game.totals == (28, 15)


def test_a_player_who_exchanges_a_tile_and_goes_on_makes_one_play() -> None:
    seat = opposite(ONE)
    seat.sees(TWO.without([LOKI[2]]).with_tiles(tiles("Á", 8, 6)), hand=180)
    seat.sees(TWO.with_tiles(tiles("A", 9, 6)), after_s=1.0, hand=172)
    first, second = seat.detector.game.state.plays
    assert [tile.token for tile in second.play] == ["L", "O", "I", "A"]
    assert (first.player, second.player) == (0, 1)


@pytest.mark.parametrize(("pause_s", "is_doubted"), [(12.0, False), (90.0, True)])
def test_a_play_that_goes_on_after_a_minute_may_be_another_one_after_a_pass(
    pause_s: float, *, is_doubted: bool
) -> None:
    seat = opposite(ONE)
    seat.sees(TWO.without([LOKI[2]]), hand=180)
    decision = seat.sees(TWO, after_s=pause_s, hand=180)
    assert [update.replaces is not None for update in decision.updates] == [True]
    doubts = [notice.message for notice in decision.notices if "Anna passed or exchanged" in notice.message]
    assert bool(doubts) is is_doubted


@pytest.mark.parametrize(
    ("pause_s", "message"),
    [
        (1.4, "the tiles count as a part of the play before; if they are another play, undo"),
        (2.9, "the tiles count as another play; if they belong to the play before, undo and correct"),
    ],
)
def test_the_doubt_of_a_single_players_pause_names_no_player(pause_s: float, message: str) -> None:
    seat = Seat(("Anna",))
    for board in (BARE, ONE, TWO.without([LOKI[2]])):
        seat.sees(board, rest_s=1.4)
    half = seat.detector.game
    decision = seat.sees(TWO, after_s=pause_s - 1.4)
    assert [notice.message.startswith(message) for notice in decision.notices] == [True]
    joined = apply_command(parse_command("correct G6 LOKI"), half)[-1].game
    is_joined = decision.updates[0].replaces is not None
    assert (seat.detector.game.totals == joined.totals) is is_joined


UNDER_HAND = TWO.without([LOKI[2]]).with_tiles([Placement(row=8, column=6, token=COVERED)])


def covering() -> Seat:
    """A detector of two plays; a hand hides the end of the second one's word, beyond a tile of the first one."""
    seat = opposite(ONE)
    assert not seat.sees(UNDER_HAND, hand=180).is_resolved
    (part,) = seat.sees(UNDER_HAND, rest_s=3.0, hand=180).updates
    assert part.confidence == 0.35
    return seat


@pytest.mark.parametrize("is_clock_pressed", [False, True])
def test_tiles_that_show_once_a_hand_is_gone_belong_to_the_play_whose_line_it_covered(
    *, is_clock_pressed: bool
) -> None:
    seat = covering()
    if is_clock_pressed:
        seat.detector.end_turn()
    (whole,) = seat.sees(TWO, after_s=12.0, hand=5).updates
    assert words((whole,)) == ["LOKI"]
    assert whole.replaces is not None
    assert seat.detector.game.totals == (28, 15)


def test_they_belong_to_it_also_where_the_next_play_is_seen_at_once() -> None:
    seat = covering()
    whole, following = seat.sees(TWO.with_tiles(tiles(".Á", 7, 3, down=True)), hand=5).updates
    assert words((whole, following)) == ["LOKI", "HÁ"]
    assert whole.replaces is not None
    assert [placed.player for placed in seat.detector.game.state.plays] == [0, 1, 0]


def test_whose_they_are_is_not_doubted_where_the_next_play_comes_after_a_minute() -> None:
    decision = covering().sees(TWO.with_tiles(tiles(".Á", 7, 3, down=True)), after_s=90.0, hand=5)
    assert words(decision.updates) == ["LOKI", "HÁ"]
    assert not [notice for notice in decision.notices if "passed or exchanged" in notice.message]


def test_they_belong_to_it_also_where_the_next_play_is_in_the_same_line() -> None:
    seat = covering()
    shown = np.zeros(BARE.size, bool)
    shown[8, 6] = True
    seat.detector.note_short_rest(shown, seat.time_s + 10.0)
    longer = TWO.with_tiles(tiles("....Ð", 5, 6, down=True))
    assert not seat.sees(longer, rest_s=EARLY_S, hand=5).is_resolved
    whole, following = seat.sees(longer, after_s=0.0, hand=5).updates
    assert words((whole, following)) == ["LOKI", "LOKIÐ"]
    assert [placed.player for placed in seat.detector.game.state.plays] == [0, 1, 0]


def test_tiles_on_squares_that_were_seen_empty_meanwhile_are_the_next_players() -> None:
    seat = covering()
    assert seat.sees(TWO.without([LOKI[2]])) == TurnDecision(is_resolved=True)
    (play,) = seat.sees(TWO, after_s=12.0, hand=5).updates
    assert play.replaces is None


def test_a_board_that_is_turned_ends_the_turn_and_the_sides_are_learnt_anew() -> None:
    seat = opposite(ONE)
    seat.sees(TWO.without([LOKI[2]]), hand=180)
    n_events = len(seat.detector.game.events)
    seat.detector.notice_rotation()
    (update,) = seat.sees(TWO, after_s=1.0, hand=180).updates
    assert update.replaces is None
    assert len(seat.detector.game.events) == n_events + 1
    assert seat.detector.game.events[-1].player == 0


def test_the_next_player_lengthens_a_word_soon_after_it() -> None:
    seat = opposite()
    seat.sees(HRAK.with_tiles(tiles("ÓL", 5, 7, down=True)), hand=180)
    assert seat.detector.game.turn == 0
    longer = HRAK.with_tiles(tiles("ÓL", 5, 7, down=True)).with_tiles(tiles("P", 4, 7))
    assert kinds(seat.sees(longer, after_s=1.0, hand=-10)) == [KIND.PLAY]
    assert len(seat.detector.game.events) == 3


def test_where_nothing_is_known_of_the_hand_the_pause_decides_and_a_close_call_is_reported() -> None:
    for after_s, events, told in ((1.0, 1, True), (3.0, 2, True), (20.0, 2, False)):
        seat = Seat()
        seat.sees(BARE)
        seat.sees(HRAK, rest_s=1.0)
        decision = seat.sees(WHOLE, after_s=after_s - 1.0)
        assert len(seat.detector.game.events) == events
        assert bool(decision.notices) is told


def test_a_player_who_starts_the_others_clock_has_finished() -> None:
    seat = opposite()
    seat.detector.end_turn()
    assert kinds(seat.sees(WHOLE, after_s=0.5, hand=5)) == [KIND.PLAY]
    assert len(seat.detector.game.events) > 1


def test_a_hand_from_the_other_side_shows_that_a_turn_passed_unseen() -> None:
    seat = alternating(6)
    assert seat.detector.game.turn == 0
    board = seat.detector.game.board.with_tiles(tiles("EL", 8, 9, down=True))
    decision = seat.sees(board, hand=175)
    assert kinds(decision) == [KIND.NO_PLAY, KIND.PLAY]
    assert seat.detector.game.events[-1].player == 1
    assert "came from Jón's side" in decision.notices[0].message


@pytest.mark.parametrize(("hand", "names"), [(120.0, ["Ben"]), (240.0, [])])
def test_a_hand_alone_shows_that_one_turn_may_have_passed_unseen_and_not_two(
    hand: float, names: list[str]
) -> None:
    seat = alternating(6, ("Anna", "Ben", "Cyd"))
    assert seat.detector.game.turn == 0
    decision = seat.sees(seat.detector.game.board.with_tiles(tiles("EL", 8, 9, down=True)), hand=hand)
    assert kinds(decision) == [KIND.PLAY]
    doubts = [notice.message for notice in decision.notices if notice.kind is not NoticeKind.SIDES]
    assert [doubt.partition("'s side")[0] for doubt in doubts] == [
        f"the hand seems to have come from {name}" for name in names
    ]


def test_the_sides_that_were_learnt_are_reported_once_and_anew_after_the_board_was_turned() -> None:
    seat, told = alternating(3), []
    for row, hand in [(4, 180), (3, 180), (2, 0), (1, 180), (0, 0)]:
        board = seat.detector.game.board.with_tiles(tiles("IN", row, row))
        told.append([(notice.kind, notice.message) for notice in seat.sees(board, hand=hand).notices])
        if row == 4:
            seat.detector.notice_rotation()
    before = [(NoticeKind.SIDES, "hands seen so far: Anna's from the bottom, Jón's from the top")]
    after = [(NoticeKind.SIDES, "hands seen so far: Anna's from the top, Jón's from the bottom")]
    assert told == [before, [], [], [], after]


@pytest.mark.parametrize("plays", [4, 6])
def test_the_sides_are_learnt_anew_where_a_person_gives_plays_to_other_players(plays: int) -> None:
    seat = alternating(plays)
    state_command(seat, "insert 1 Anna pass")
    assert seat.detector.game.turn == 1
    decision = seat.sees(seat.detector.game.board.with_tiles(tiles("EL", 8, 9, down=True)), hand=0)
    assert (kinds(decision), decision.notices) == ([KIND.PLAY], ())
    assert seat.detector.game.events[-1].player == 1


def test_the_sides_are_learnt_anew_where_a_person_enters_a_play_as_another_players() -> None:
    seat = alternating(6)
    board = seat.detector.game.board.with_tiles(tiles("EL", 8, 9, down=True))
    assert kinds(seat.sees(board, hand=175)) == [KIND.NO_PLAY, KIND.PLAY]
    for text in ("undo", "undo", "play J9 EL"):
        state_command(seat, text)
    assert seat.detector.game.events[-1].player == 0
    seat.sees(board)
    assert kinds(seat.sees(board.with_tiles(tiles("IN", 1, 1)), hand=0)) == [KIND.PLAY]
    assert seat.detector.game.events[-1].player == 1


def test_a_pass_that_a_person_states_leaves_the_sides_as_they_are() -> None:
    seat = alternating(6)
    state_command(seat, "pass")
    board = seat.detector.game.board.with_tiles(tiles("EL", 8, 9, down=True))
    assert kinds(seat.sees(board, hand=5)) == [KIND.NO_PLAY, KIND.PLAY]
    assert seat.detector.game.events[-1].player == 0


def test_a_hand_from_the_other_side_is_reported_in_doubt_while_little_is_known() -> None:
    seat = alternating(2)
    board = seat.detector.game.board.with_tiles(tiles("EL", 8, 9, down=True))
    decision = seat.sees(board, hand=175)
    assert kinds(decision) == [KIND.PLAY]
    assert seat.detector.game.events[-1].player == 0
    assert "seems to have come from Jón's side" in decision.notices[0].message


def test_what_follows_at_once_elsewhere_is_another_play(played: Seat) -> None:
    assert kinds(played.sees(TWO, after_s=0.3)) == [KIND.PLAY]
