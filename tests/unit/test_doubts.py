"""Tiles that were told in doubt: what is remembered of them, and what leans on them."""

from __future__ import annotations

import numpy as np
import pytest

from scoring import Board, load_edition, parse_play
from scoring.game import Game
from vision.decoded import DecodedBoard
from vision.doubts import Doubts
from vision.happenings import Happening, HappeningKind

EDITION = load_edition("icelandic")
NEW = Game(edition=EDITION, players=("Anna", "Jón"))
FIRST = NEW.play(parse_play("8D HRAKI", EDITION.tokens))
SECOND = FIRST.play(parse_play("G6 LO.I", EDITION.tokens, FIRST.board))
ELSEWHERE = FIRST.play(parse_play("H7 Á.A", EDITION.tokens, FIRST.board))
K = (7, 6)


def seen(board: Board, sure: dict[tuple[int, int], float]) -> DecodedBoard:
    confidence = np.full(board.size, 0.99)
    for square, value in sure.items():
        confidence[square] = value
    return DecodedBoard(board=board, confidence=confidence, alternatives={}, doubts=())


def play(game: Game, confidence: float = 1.0) -> Happening:
    return Happening(kind=HappeningKind.PLAY, game=game, step=game.steps[-1], confidence=confidence)


@pytest.fixture
def doubts() -> Doubts:
    """The K of HRAKI was read with 60%."""
    doubts = Doubts()
    doubts.note(play(FIRST), seen(FIRST.board, {K: 0.6}))
    return doubts


def test_a_doubtful_tile_is_known_by_its_square(doubts: Doubts) -> None:
    assert K in doubts
    assert (7, 5) not in doubts
    assert np.argwhere(doubts.squares(FIRST.board)).tolist() == [list(K)]
    assert doubts.without(FIRST.board) == FIRST.board.without(
        [tile for tile in FIRST.board.tiles() if tile.token == "K"]
    )


def test_a_play_whose_words_use_a_doubtful_tile_is_as_doubtful(doubts: Doubts) -> None:
    assert doubts.weighed(play(SECOND)).confidence == pytest.approx(0.6)
    assert doubts.weighed(play(ELSEWHERE, 0.98)).confidence == pytest.approx(0.98)
    withdrawn = FIRST.withdrawn(turn_lost=True)
    back = Happening(kind=HappeningKind.WITHDRAWN, game=withdrawn, step=withdrawn.steps[-1])
    assert doubts.weighed(back) == back


def test_a_tile_that_is_read_surely_later_is_in_doubt_no_more(doubts: Doubts) -> None:
    doubts.look_again(seen(FIRST.board, {K: 0.8}), FIRST.board)
    assert doubts.weighed(play(SECOND)).confidence == pytest.approx(0.8)
    doubts.look_again(seen(FIRST.board, {K: 0.5}), FIRST.board)
    assert doubts.weighed(play(SECOND)).confidence == pytest.approx(0.8)
    doubts.look_again(seen(FIRST.board, {K: 0.98}), FIRST.board)
    assert K not in doubts
    assert doubts.weighed(play(SECOND)).confidence == 1.0


def test_what_is_gone_or_read_otherwise_is_handled(doubts: Doubts) -> None:
    other = Board.from_rows([["N" if t == "K" else t for t in row] for row in FIRST.board.rows])
    doubts.look_again(seen(other, {}), FIRST.board)
    assert K in doubts
    doubts.look_again(seen(NEW.board, {}), NEW.board)
    assert K not in doubts


def test_a_correction_settles_a_doubt_or_keeps_it(doubts: Doubts) -> None:
    tile = next(tile for tile in FIRST.board.tiles() if (tile.row, tile.column) == K)
    corrected = Happening(kind=HappeningKind.CORRECTION, game=FIRST, step=FIRST.steps[-1], was=tile, now=tile)
    doubts.note(corrected, seen(FIRST.board, {K: 0.85}))
    assert K in doubts
    doubts.note(corrected, seen(FIRST.board, {}))
    assert K not in doubts
    doubts.note(Happening(kind=HappeningKind.UNCLEAR, game=FIRST), seen(FIRST.board, {K: 0.1}))
    assert K not in doubts
