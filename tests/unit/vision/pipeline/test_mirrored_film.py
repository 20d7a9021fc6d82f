"""The plays of a film that turns out to be mirrored are played again as the mirror image shows them."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

from scoring import Board, Game, load_edition
from vision.capture import Frame
from vision.core import DecodedBoard, Grid
from vision.game_events import GameUpdate, UpdateKind
from vision.pipeline import mirrored_film

EMPTY = Game(edition=load_edition("english"), players=("Anna", "Jón"))
FRAME = Frame(image_bgr=np.zeros((400, 400, 3), np.uint8), source="film.mp4")
GRID = Grid.from_corners(np.array([[50.0, 50], [350, 50], [350, 350], [50, 350]]), 15, 15)


def reread(
    monkeypatch: pytest.MonkeyPatch, seen: Game, board: Board, confidence: float
) -> tuple[GameUpdate, ...] | None:
    """Read plays again in a mirror image with this board; None where they are not replaced."""
    found = SimpleNamespace(grid=GRID, probabilities=None)
    decoded = DecodedBoard(
        board=board, confidence=np.full(board.size, confidence), alternatives={}, doubts=()
    )
    monkeypatch.setattr(mirrored_film, "resolve_orientation", lambda *_: SimpleNamespace(reading=found))
    monkeypatch.setattr(mirrored_film, "decode_board", lambda *_: decoded)
    result = mirrored_film.reread_plays(
        seen,
        frozenset(),
        GRID,
        FRAME,
        cast("Any", SimpleNamespace(find_again=lambda *_: found)),
        cast("Any", SimpleNamespace(recognizer=None, lexicon=None)),
    )
    return None if result is None else result[1]


def test_a_play_that_was_taken_back_takes_no_other_one_with_it(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = EMPTY.with_play("8H OCAT").with_pass().with_play("H8 .NE").with_withdrawal().with_pass()
    board = EMPTY.with_play("8E TACO").board
    updates = reread(monkeypatch, seen, board, 0.99) or ()
    made = [update.kind for update in updates if update.kind is not UpdateKind.UNDONE]
    assert made == [UpdateKind.PLAY, UpdateKind.PASS, UpdateKind.PASS]
    assert updates[-1].game.board == board


@pytest.mark.parametrize(
    ("board", "confidence"), [(EMPTY.with_play("8E TACO").board, 0.8), (EMPTY.board, 0.99)]
)
def test_a_mirror_image_that_shows_no_sure_play_replaces_none(
    board: Board, confidence: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert reread(monkeypatch, EMPTY.with_play("8H OCAT"), board, confidence) is None
