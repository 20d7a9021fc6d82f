"""The plays of a film that turns out to be mirrored are played again as the mirror image shows them."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

from scoring import Game, load_edition
from vision.capture import Frame
from vision.core import DecodedBoard, Grid
from vision.game_events import UpdateKind
from vision.pipeline import mirrored_film

ENGLISH = load_edition("english")
FRAME = Frame(image_bgr=np.zeros((400, 400, 3), np.uint8), source="film.mp4")
GRID = Grid.from_corners(np.array([[50.0, 50], [350, 50], [350, 350], [50, 350]]), 15, 15)


def test_a_play_that_was_taken_back_takes_no_other_one_with_it(monkeypatch: pytest.MonkeyPatch) -> None:
    empty = Game(edition=ENGLISH, players=("Anna", "Jón"))
    seen = empty.with_play("8H OCAT").with_pass().with_play("H8 .NE").with_withdrawal().with_pass()
    board = empty.with_play("8E TACO").board
    decoded = DecodedBoard(board=board, confidence=np.full(board.size, 0.9), alternatives={}, doubts=())
    found = SimpleNamespace(grid=GRID, probabilities=None)
    monkeypatch.setattr(mirrored_film, "resolve_orientation", lambda *_: SimpleNamespace(reading=found))
    monkeypatch.setattr(mirrored_film, "decode_board", lambda *_: decoded)
    _, updates = mirrored_film.reread_plays(
        seen,
        frozenset(),
        GRID,
        FRAME,
        cast("Any", SimpleNamespace(find_again=lambda *_: found)),
        cast("Any", SimpleNamespace(recognizer=None, lexicon=None)),
    )
    made = [update.kind for update in updates if update.kind is not UpdateKind.UNDONE]
    assert made == [UpdateKind.PLAY, UpdateKind.PASS, UpdateKind.PASS]
    assert updates[-1].game.board == board
