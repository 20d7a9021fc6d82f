"""Tiles that were told in doubt: what is remembered of them, and what leans on them."""

from __future__ import annotations

import numpy as np
import pytest

from scoring import Board, Game, load_edition, parse_play
from vision.core.boards import Candidate, DecodedBoard
from vision.game_events.uncertain_tiles import UncertainTiles
from vision.game_events.updates import Correction, GameUpdate, UpdateKind

EDITION = load_edition("icelandic")
NEW = Game(edition=EDITION, players=("Anna", "Jón"))
FIRST = NEW.with_play(parse_play("8D HRAKI", EDITION.tokens))
SECOND = FIRST.with_play(parse_play("G6 LO.I", EDITION.tokens, FIRST.board))
ELSEWHERE = FIRST.with_play(parse_play("H7 Á.A", EDITION.tokens, FIRST.board))
K = (7, 6)


def seen(
    board: Board, sure: dict[tuple[int, int], float], candidates: dict[str, float] | None = None
) -> DecodedBoard:
    confidence = np.full(board.size, 0.99)
    for square, value in sure.items():
        confidence[square] = value
    others = tuple(Candidate(token=t, probability=p) for t, p in (candidates or {}).items())
    return DecodedBoard(
        board=board, confidence=confidence, alternatives={K: others} if others else {}, doubts=()
    )


def with_k_as(token: str) -> Board:
    return Board.from_rows([[token if t == "K" else t for t in row] for row in FIRST.board.rows])


def play(game: Game, confidence: float = 1.0) -> GameUpdate:
    return GameUpdate(kind=UpdateKind.PLAY, game=game, step=game.steps[-1], confidence=confidence)


@pytest.fixture
def doubts() -> UncertainTiles:
    """The K of HRAKI was read with 60%."""
    return UncertainTiles().with_update(play(FIRST), seen(FIRST.board, {K: 0.6}, {"K": 0.6, "N": 0.4}), 1.0)


def test_a_doubtful_tile_is_known_by_its_square(doubts: UncertainTiles) -> None:
    assert K in doubts
    assert (7, 5) not in doubts
    assert np.argwhere(doubts.mark_squares(FIRST.board)).tolist() == [list(K)]
    assert doubts.remove_from(FIRST.board) == FIRST.board.without(
        [tile for tile in FIRST.board.tiles() if tile.token == "K"]
    )


def test_a_play_whose_words_use_a_doubtful_tile_is_as_doubtful(doubts: UncertainTiles) -> None:
    assert doubts.weigh(play(SECOND)).confidence == pytest.approx(0.6)
    assert doubts.weigh(play(ELSEWHERE, 0.98)).confidence == pytest.approx(0.98)
    withdrawn = FIRST.with_withdrawal(turn_lost=True)
    back = GameUpdate(kind=UpdateKind.WITHDRAWN, game=withdrawn, step=withdrawn.steps[-1])
    assert doubts.weigh(back) == back


def test_a_tile_that_is_read_the_same_again_and_again_is_in_doubt_no_more(doubts: UncertainTiles) -> None:
    _, doubts = doubts.reread(seen(FIRST.board, {K: 0.9}, {"K": 0.9, "N": 0.1}), FIRST.board, 9.0)
    surer = doubts.weigh(play(SECOND)).confidence
    assert 0.6 < surer < 0.97
    for began_s in (20.0, 30.0, 40.0):
        _, doubts = doubts.reread(seen(FIRST.board, {K: 0.98}), FIRST.board, began_s)
    assert K not in doubts
    assert doubts.weigh(play(SECOND)).confidence == 1.0


def test_one_rest_that_reads_otherwise_does_not_outvote_three(doubts: UncertainTiles) -> None:
    for began_s in (10.0, 20.0):
        _, doubts = doubts.reread(seen(FIRST.board, {K: 0.7}, {"K": 0.7, "N": 0.3}), FIRST.board, began_s)
    other = seen(with_k_as("N"), {K: 0.95}, {"N": 0.95, "K": 0.05})
    together, doubts = doubts.reread(other, FIRST.board, 30.0)
    assert together.confidence[K] < 0.6
    assert {candidate.token for candidate in together.alternatives[K]} == {"K", "N"}
    again, doubts = doubts.reread(other, FIRST.board, 40.0)
    assert again.board[K] == "N"
    assert again.confidence[K] > together.confidence[K]


def test_more_looks_at_one_rest_take_the_place_of_fewer(doubts: UncertainTiles) -> None:
    first, doubts = doubts.reread(seen(FIRST.board, {K: 0.7}, {"K": 0.7, "N": 0.3}), FIRST.board, 9.0)
    again, doubts = doubts.reread(seen(FIRST.board, {K: 0.7}, {"K": 0.7, "N": 0.3}), FIRST.board, 9.0)
    assert again.confidence[K] == first.confidence[K]


def test_the_rests_of_long_ago_are_forgotten(doubts: UncertainTiles) -> None:
    for number in range(40):  # the K of the fixture among them
        other = seen(with_k_as("N"), {K: 0.7}, {"N": 0.7, "K": 0.3})
        together, doubts = doubts.reread(other, FIRST.board, 10.0 * (number + 2))
    alone = 0.7**1.5 / (0.7**1.5 + 0.3**1.5)
    assert together.confidence[K] == pytest.approx(alone)


def test_what_is_hidden_or_gone_is_left_as_it_is_seen(doubts: UncertainTiles) -> None:
    hidden = seen(with_k_as("#"), {})
    assert doubts.reread(hidden, FIRST.board, 9.0)[0].board == hidden.board
    assert K in doubts
    gone = seen(with_k_as("."), {})
    assert doubts.reread(gone, FIRST.board, 9.0)[0].board == gone.board
    _, doubts = doubts.reread(seen(NEW.board, {}), NEW.board, 12.0)
    assert K not in doubts


def test_a_correction_settles_a_doubt_or_keeps_it(doubts: UncertainTiles) -> None:
    tile = next(tile for tile in FIRST.board.tiles() if (tile.row, tile.column) == K)
    corrected = GameUpdate(
        kind=UpdateKind.CORRECTION,
        game=FIRST,
        step=FIRST.steps[-1],
        correction=Correction(was=tile, now=tile),
    )
    doubts = doubts.with_update(corrected, seen(FIRST.board, {K: 0.85}), 9.0)
    assert K in doubts
    doubts = doubts.with_update(corrected, seen(FIRST.board, {}), 9.0)
    assert K not in doubts
    doubts = doubts.with_update(
        GameUpdate(kind=UpdateKind.PASS, game=FIRST), seen(FIRST.board, {K: 0.1}), 9.0
    )
    assert K not in doubts


def test_a_tile_laid_where_a_doubtful_one_was_is_another(doubts: UncertainTiles) -> None:
    doubts = doubts.with_update(play(FIRST), seen(FIRST.board, {K: 0.5}, {"K": 0.5, "R": 0.5}), 50.0)
    together, doubts = doubts.reread(seen(FIRST.board, {K: 0.5}, {"K": 0.5, "R": 0.5}), FIRST.board, 60.0)
    assert {candidate.token for candidate in together.alternatives[K]} == {"K", "R"}
