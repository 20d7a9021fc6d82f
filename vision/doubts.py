"""Which tiles of a game were told in doubt: they are looked at again, and what leans on them is in doubt too."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from scoring import Board, Placement
from scoring.coordinates import Direction
from scoring.events import PlayEvent
from scoring.score import ScoredWord
from scoring.tiles import BLANK, EMPTY
from vision.decoded import DecodedBoard
from vision.happenings import Happening, HappeningKind

__all__ = ["SURE", "Doubts"]

SURE = 0.9
"""Probability from which on a reading is told without a doubt."""
SURE_ENOUGH = 0.97
"""Of a tile that was in doubt: from there on it is forgotten that it was."""
Square = tuple[int, int]


class Doubts:
    """The squares of doubtful tiles, each with the probability that it was read rightly."""

    def __init__(self) -> None:
        self._sure: dict[Square, float] = {}

    def __contains__(self, square: Square) -> bool:
        return square in self._sure

    def squares(self, board: Board) -> NDArray[np.bool_]:
        """Where they lie, (rows, columns)."""
        mask = np.zeros(board.size, dtype=np.bool_)
        for square in self._sure:
            mask[square] = board[square] != EMPTY
        return mask

    def without(self, board: Board) -> Board:
        """The board without them."""
        tiles = [Placement(row=row, column=column, token=board[row, column]) for row, column in self._sure]
        return board.without(tile for tile in tiles if tile.token != EMPTY)

    def note(self, happening: Happening, seen: DecodedBoard) -> None:
        """Takes in a play or a correction that is told by this reading."""
        event = happening.step.event if happening.step is not None else None
        tiles: tuple[Placement, ...]
        if happening.now is not None:
            tiles = (happening.now,)
        elif happening.kind is HappeningKind.PLAY and isinstance(event, PlayEvent):
            tiles = event.play.placements
        else:
            return
        for tile in tiles:
            square = tile.row, tile.column
            self._sure.pop(square, None)
            if seen.confidence[square] < SURE and tile.token != BLANK:
                self._sure[square] = float(seen.confidence[square])

    def look_again(self, seen: DecodedBoard, board: Board) -> None:
        """Tiles that are read alike once more are a little surer, and those that are gone are forgotten."""
        for square, sure in list(self._sure.items()):
            if seen.board[square] == board[square]:
                self._sure[square] = sure = max(sure, float(seen.confidence[square]))
            if sure >= SURE_ENOUGH or board[square] == EMPTY:
                del self._sure[square]

    def weighed(self, happening: Happening) -> Happening:
        """A play, as sure as the older tiles in its words are."""
        scored = happening.step.scored if happening.step is not None else None
        if happening.kind is not HappeningKind.PLAY or scored is None or not self._sure:
            return happening
        laid = {(tile.row, tile.column) for tile in scored.play}
        old = {square for word in scored.words for square in squares_of(word)} - laid
        share = float(np.prod([self._sure.get(square, 1.0) for square in old]))
        return replace(happening, confidence=happening.confidence * share)


def squares_of(word: ScoredWord) -> Iterator[Square]:
    """The squares that a word lies on."""
    down = word.direction is Direction.DOWN
    return ((word.row + n * down, word.column + n * (not down)) for n in range(len(word.tokens)))
