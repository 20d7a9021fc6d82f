"""Which tiles of a game were told in doubt: they are looked at again, and what leans on them is in doubt too.

What each later rest of the board tells of such a tile is put together with what the rests before told: one of many
readings is wrong now and then, and must not outvote the others.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from scoring import BLANK, COVERED, EMPTY, Board, Direction, Placement, PlayEvent, ScoredWord
from vision.core import Candidate, DecodedBoard
from vision.game_events.inference import with_tokens
from vision.game_events.updates import GameUpdate, UpdateKind

__all__ = ["SURE", "UncertainTiles"]

SURE = 0.9
"""Probability from which on a reading is told without a doubt."""
SURE_ENOUGH = 0.97
"""Of a tile that was in doubt: from there on it is forgotten that it was."""
MAX_WEIGHT = 1.5
"""However many rests tell of a tile, it is never surer than so many independent ones make it."""
MAX_RESTS = 24
"""Only so many are remembered: a tile that stays in doubt for a whole evening must not fill the memory."""
LEAST = 0.005
"""Probability of what is not among a square's candidates."""
Square = tuple[int, int]


@dataclass(slots=True)
class _Told:
    """What a board's rests told of one tile: the logarithm of each token's probability, by the rest's beginning."""

    rests: dict[float, dict[str, float]] = field(default_factory=dict)

    def hear(self, candidates: tuple[Candidate, ...], began_s: float) -> None:
        self.rests[began_s] = {each.token: math.log(max(each.probability, LEAST)) for each in candidates}
        if len(self.rests) > MAX_RESTS:
            del self.rests[next(iter(self.rests))]

    def together(self) -> tuple[Candidate, ...]:
        """What all of them say, the likeliest first."""
        rests, least = self.rests.values(), math.log(LEAST)
        tokens = sorted({token for rest in rests for token in rest})
        sums = {token: sum(rest.get(token, least) for rest in rests) for token in tokens}
        weight = min(math.sqrt(len(self.rests)), MAX_WEIGHT) / len(self.rests)
        top = max(sums.values())
        odds = {token: math.exp(weight * (logs - top)) for token, logs in sums.items()}
        whole = sum(odds.values())
        ordered = sorted(tokens, key=lambda token: -odds[token])
        return tuple(Candidate(token=token, probability=odds[token] / whole) for token in ordered)


class UncertainTiles:
    """The squares of doubtful tiles, each with the probability that it was read rightly."""

    def __init__(self) -> None:
        self._sure: dict[Square, float] = {}
        self._told: dict[Square, _Told] = {}

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

    def note(self, update: GameUpdate, seen: DecodedBoard, began_s: float) -> None:
        """Takes in a play or a correction that is told by this reading, of a rest that began then."""
        event = update.step.event if update.step is not None else None
        tiles: tuple[Placement, ...]
        if update.correction is not None:
            tiles = (update.correction.now,)
        elif update.kind is UpdateKind.PLAY and isinstance(event, PlayEvent):
            tiles = event.play.placements
            self._forget({(tile.row, tile.column) for tile in tiles})
        else:
            return
        for square, token in (((tile.row, tile.column), tile.token) for tile in tiles):
            if seen.confidence[square] >= SURE or token == BLANK:
                self._forget({square})
                continue
            self._sure[square] = float(seen.confidence[square])
            if square not in self._told:  # what a correction rests on was heard before
                self._told[square] = _Told()
                self._told[square].hear(candidates_of(seen, square), began_s)

    def look_again(self, seen: DecodedBoard, board: Board, began_s: float) -> DecodedBoard:
        """The reading with what earlier rests told of doubtful tiles that still lie there; those gone are forgotten.

        Parameters
        ----------
        seen : DecodedBoard
            What is read in the present rest.
        board : Board
            The game's.
        began_s : float
            When the present rest began: what is read in it again takes the place of what was.
        """
        tokens, alternatives, confidence = [], dict(seen.alternatives), seen.confidence.copy()
        for square in list(self._sure):
            if board[square] == EMPTY:
                self._forget({square})
            elif seen.board[square] not in (EMPTY, COVERED):
                told = self._told[square]
                told.hear(candidates_of(seen, square), began_s)
                best, *others = told.together()
                tokens.append(Placement(row=square[0], column=square[1], token=best.token))
                confidence[square] = best.probability
                alternatives[square] = (best, *others)
                sure = {each.token: each.probability for each in (best, *others)}
                self._sure[square] = sure.get(board[square], LEAST)
                if self._sure[square] >= SURE_ENOUGH:
                    self._forget({square})
        return replace(
            seen, board=with_tokens(seen.board, tokens), confidence=confidence, alternatives=alternatives
        )

    def _forget(self, squares: set[Square]) -> None:
        for square in squares:
            self._sure.pop(square, None)
            self._told.pop(square, None)

    def weighed(self, update: GameUpdate) -> GameUpdate:
        """A play, as sure as the older tiles in its words are."""
        scored = update.step.scored if update.step is not None else None
        if update.kind is not UpdateKind.PLAY or scored is None or not self._sure:
            return update
        laid = {(tile.row, tile.column) for tile in scored.play}
        old = {square for word in scored.words for square in squares_of(word)} - laid
        share = float(np.prod([self._sure.get(square, 1.0) for square in old]))
        return replace(update, confidence=update.confidence * share)


def candidates_of(seen: DecodedBoard, square: Square) -> tuple[Candidate, ...]:
    """What may lie on a square by this reading; where it was sure, that alone."""
    sure = Candidate(token=seen.board[square], probability=float(seen.confidence[square]))
    return seen.alternatives.get(square, (sure,))


def squares_of(word: ScoredWord) -> Iterator[Square]:
    """The squares that a word lies on."""
    down = word.direction is Direction.DOWN
    return ((word.row + n * down, word.column + n * (not down)) for n in range(len(word.tokens)))
