"""Plays that are taken back, shortened or restored, and whose the tiles are that follow."""

from __future__ import annotations

import pytest

from scoring import Board, Game, Play, PlayEvent
from tests.support.positions import tiles
from tests.support.stable_boards import (
    BARE,
    EDITION,
    HRAKI,
    KIND,
    LOKI,
    ONE,
    TWO,
    Seat,
    alternating,
    kinds,
    words,
)
from vision.game_events.turn_state import TurnDecision
from vision.game_events.updates import GameUpdate


@pytest.mark.parametrize("after_s", [3.0, 20.0])
@pytest.mark.parametrize(("hand", "player"), [(5, 0), (175, 1)])
def test_other_tiles_after_a_play_was_taken_back_are_those_of_the_hand(
    after_s: float, hand: float, player: int
) -> None:
    seat = alternating(6)
    before = seat.detector.game.board
    assert kinds(seat.sees(before.with_tiles(tiles("EL", 8, 9, down=True)), hand=0)) == [KIND.PLAY]
    assert kinds(seat.sees(before, after_s=2.0, hand=0)) == [KIND.WITHDRAWN]
    other = before.with_tiles(tiles("ÁRU", 8, 9, down=True))
    assert words(seat.sees(other, after_s=after_s, hand=hand).updates) != []
    assert seat.detector.game.events[-1].player == player
    assert seat.detector.game.turn == 1 - player


@pytest.mark.parametrize(("hand", "player"), [(5, 0), (175, 1)])
def test_other_tiles_on_squares_of_a_play_that_was_taken_back_are_a_play_at_once(
    hand: float, player: int
) -> None:
    seat = alternating(6)
    before = seat.detector.game.board
    assert kinds(seat.sees(before.with_tiles(tiles("ELS", 8, 9, down=True)), hand=0)) == [KIND.PLAY]
    decision = seat.sees(before.with_tiles(tiles("ÁR", 8, 9, down=True)), after_s=2.0, hand=hand)
    assert kinds(decision) == [KIND.WITHDRAWN, KIND.PLAY]
    assert seat.detector.game.events[-1].player == player


@pytest.mark.parametrize("hand", [None, 0, 180])
def test_a_play_that_was_shortened_keeps_its_player_though_the_next_one_follows_at_once(
    hand: float | None,
) -> None:
    seat = alternating(6)
    before = seat.detector.game.board
    shorter = before.with_tiles(tiles("EL", 8, 9, down=True))
    assert kinds(seat.sees(shorter.with_tiles(tiles("S", 10, 9)), hand=0)) == [KIND.PLAY]
    following = shorter.with_tiles(tiles("IN", 2, 4))
    decision = seat.sees(following, after_s=2.0, rest_s=4.5, hand=hand)
    assert kinds(decision) == [KIND.WITHDRAWN, KIND.PLAY, KIND.PLAY]
    first, second = (update.step.event for update in decision.updates[1:] if update.step is not None)
    assert isinstance(first, PlayEvent)
    assert isinstance(second, PlayEvent)
    assert (first.player, second.player) == (0, 1)
    assert {tile.token for tile in first.play.placements} == {"E", "L"}


def test_a_play_that_is_challenged_is_taken_back_and_the_turn_lost(played: Seat) -> None:
    assert kinds(played.sees(BARE)) == [KIND.WITHDRAWN]
    assert (played.detector.game.totals, played.detector.game.turn) == ((0, 0), 1)


def test_tiles_laid_again_are_their_players(played: Seat) -> None:
    played.sees(BARE, after_s=2.0)
    elsewhere = BARE.with_tiles(tiles("HRAKI", 7, 5))
    assert words(played.sees(elsewhere, after_s=3.0).updates) == ["HRAKI"]
    assert (played.detector.game.totals[1], played.detector.game.turn) == (0, 1)


def test_tiles_moved_between_two_looks_are_one_players(played: Seat) -> None:
    assert kinds(played.sees(BARE.with_tiles(tiles("KARHI", 7, 5)))) == [KIND.WITHDRAWN, KIND.PLAY]
    assert played.detector.game.turn == 1


def test_others_tiles_after_a_challenge_are_the_next_players(played: Seat) -> None:
    assert kinds(played.sees(BARE.with_tiles(tiles("BÓL", 7, 7)))) == [KIND.WITHDRAWN, KIND.PLAY]
    assert played.detector.game.totals[0] == 0
    assert played.detector.game.totals[1] > 0


def test_a_tile_taken_up_looked_at_and_put_back_is_no_event(played: Seat) -> None:
    played.sees(TWO)
    for lifted in (HRAKI[1], LOKI[0]):
        assert played.sees(TWO.without([lifted]), rest_s=3.0) == TurnDecision(is_resolved=False)
        assert played.sees(TWO.without([lifted]), after_s=0.0, rest_s=6.0) == TurnDecision(is_resolved=False)
        assert played.sees(TWO) == TurnDecision(is_resolved=True)
    assert kinds(played.sees(ONE)) == [KIND.WITHDRAWN]


def test_a_play_that_stays_shorter_is_its_players(played: Seat) -> None:
    whole = TWO.with_tiles(tiles("R", 9, 6))
    played.sees(whole)
    assert kinds(played.sees(TWO, rest_s=11.0)) == [KIND.WITHDRAWN, KIND.PLAY]
    assert (played.detector.game.totals, played.detector.game.turn) == ((28, 15), 0)


def shortened(played: Seat) -> Board:
    """The board before Jón's last tile was lifted for so long that his play counts without it."""
    whole = TWO.with_tiles(tiles("R", 9, 6))
    played.sees(whole)
    assert kinds(played.sees(TWO, rest_s=11.0)) == [KIND.WITHDRAWN, KIND.PLAY]
    return whole


def test_a_tile_that_was_lifted_for_long_and_comes_back_restores_the_play(played: Seat) -> None:
    whole = shortened(played)
    (back,) = played.sees(whole, hand=5).updates
    assert (back.kind, back.message) == (
        KIND.UNDONE,
        "lifted tiles are back, so the play counts as before",
    )
    assert [event.kind for event in played.detector.game.events] == ["play", "play"]
    assert (played.detector.game.board, played.detector.game.totals) == (whole, (28, 16))
    assert played.sees(whole) == TurnDecision(is_resolved=True)
    (play,) = played.sees(whole.with_tiles(tiles("ÓL", 9, 7))).updates
    assert (words((play,)), played.detector.game.events[-1].player) == (["RÓL"], 0)


def lifted() -> tuple[Seat, Board]:
    """A detector that knows both players' sides, and the board before a tile of Anna's last play was lifted."""
    seat = alternating(6)
    whole = seat.detector.game.board.with_tiles(tiles("ELI", 8, 9, down=True))
    assert kinds(seat.sees(whole, hand=0)) == [KIND.PLAY]
    shorter = whole.without(tiles("..I", 8, 9, down=True))
    assert kinds(seat.sees(shorter, hand=0, after_s=3.0, rest_s=11.0)) == [KIND.WITHDRAWN, KIND.PLAY]
    return seat, whole


@pytest.mark.parametrize(
    ("hand", "after_s", "is_put_back"),
    [(None, 20.0, True), (None, 90.0, True), (0.0, 90.0, True), (180.0, 20.0, False), (180.0, 90.0, False)],
)
def test_a_tile_like_the_one_that_was_lifted_is_the_next_players_by_the_hand(
    hand: float | None, after_s: float, is_put_back: bool
) -> None:
    seat, whole = lifted()
    decision = seat.sees(whole, hand=hand, after_s=after_s)
    assert kinds(decision) == [KIND.UNDONE if is_put_back else KIND.PLAY]
    assert seat.detector.game.events[-1].player == (0 if is_put_back else 1)
    messages = [notice.message for notice in decision.notices]
    assert messages == (
        []
        if is_put_back
        else [
            "the tiles count as Jón's play; if Anna went on with the play before, undo and correct it",
        ]
    )


def test_a_lifted_tile_that_comes_back_with_a_play_elsewhere_restores_the_play(played: Seat) -> None:
    board = shortened(played).with_tiles(tiles("ÓL", 8, 3, down=True))
    assert kinds(played.sees(board)) == [KIND.UNDONE, KIND.PLAY]
    assert [event.player for event in played.detector.game.events] == [0, 1, 0]


def test_a_lifted_tile_is_back_whoever_placed_the_play_that_was_seen_with_it() -> None:
    seat, whole = lifted()
    decision = seat.sees(whole.with_tiles(tiles("IN", 1, 1)), hand=180, after_s=90.0)
    assert kinds(decision) == [KIND.UNDONE, KIND.PLAY]
    assert (seat.detector.game.events[-1].player, decision.notices) == (1, ())


def test_a_lifted_square_is_free_for_the_next_player_once_the_turn_is_over(played: Seat) -> None:
    whole = shortened(played)
    played.detector.end_turn()
    assert kinds(played.sees(whole)) == [KIND.PLAY]
    assert [event.player for event in played.detector.game.events] == [0, 1, 1, 1, 0]


def test_plays_that_were_undone_while_a_tile_was_lifted_are_no_redo_when_it_is_back(played: Seat) -> None:
    three = TWO.with_tiles(tiles("ÓL", 8, 3, down=True))
    played.sees(TWO)
    played.sees(three)
    played.sees(three.without([LOKI[0]]), rest_s=3.0)
    undone = played.detector.game.with_events(played.detector.game.events[:1])
    played.detector.apply_external((GameUpdate(kind=KIND.UNDONE, game=undone, message="Jón: G6 LOKI"),))
    assert kinds(played.sees(three, rest_s=3.0)) == [KIND.PLAY, KIND.PLAY]


@pytest.mark.parametrize(("turn_lost", "player"), [(True, 0), (False, 0), (True, 1)])
def test_a_play_that_was_taken_back_does_not_count_again_by_the_tiles_of_others(
    turn_lost: bool, player: int
) -> None:
    game = Game(edition=EDITION, players=("Anna", "Jón")).with_play("8D HRAKI")
    longer = game.with_play(Play(placements=(*LOKI, *tiles("R", 9, 6))))
    withdrawn = longer.with_withdrawal(turn_lost=turn_lost)
    shorter = withdrawn.with_event(PlayEvent(player=player, play=Play(placements=tuple(LOKI))))
    seat = Seat(game=shorter)
    assert kinds(seat.sees(longer.board, rest_s=3.0)) == [KIND.PLAY]
    assert seat.detector.game.events[:-1] == shorter.events
    assert seat.detector.game.events[-1].player == shorter.turn


@pytest.mark.parametrize("word", ["S", "RÓL"])
def test_others_tiles_after_a_play_that_was_shortened_are_the_next_players(played: Seat, word: str) -> None:
    shortened(played)
    (play,) = played.sees(TWO.with_tiles(tiles(word, 9, 6))).updates
    assert (play.kind, played.detector.game.events[-1].player) == (KIND.PLAY, 0)
    assert len(played.detector.game.events) == 5


def test_second_thoughts_that_keep_both_tiles_are_one_players(played: Seat) -> None:
    pair = tiles("Ó.", 6, 3, down=True) + tiles("L", 8, 3)
    longer = [*tiles("TÓL", 5, 7, down=True)[:2], *tiles("LA", 8, 7, down=True)]
    played.sees(ONE.with_tiles(pair))
    played.sees(ONE.with_tiles(longer), rest_s=1.4)
    assert (played.detector.game.totals[0], played.detector.game.turn) == (28, 0)
    assert played.detector.game.totals[1] > 0


def test_the_hand_tells_whose_second_thoughts_they_are() -> None:
    for hand, turn in ((170.0, 0), (5.0, 1)):
        seat = alternating(2)
        board = seat.detector.game.board.without(seat.detector.game.state.plays[-1].play)
        assert kinds(seat.sees(board.with_tiles(tiles("EL", 8, 7, down=True)), hand=hand)) == [
            KIND.WITHDRAWN,
            KIND.PLAY,
        ]
        assert seat.detector.game.turn == turn


def test_a_few_letters_that_are_the_same_after_a_challenge_are_the_next_players(seat: Seat) -> None:
    seat.sees(BARE.with_tiles(tiles("AKA", 7, 6)))
    seat.sees(BARE, after_s=2.0)
    seat.sees(BARE.with_tiles(tiles("ÐAKIÓ", 7, 5)), after_s=6.0)
    assert seat.detector.game.totals[0] == 0
    assert seat.detector.game.totals[1] > 0
