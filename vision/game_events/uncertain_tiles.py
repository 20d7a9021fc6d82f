"""Remember tiles that were reported with low confidence, and fuse what later reads say of them.

One of many reads is wrong now and then, and must not outvote the others. What depends on an uncertain tile is uncertain
too.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from scoring import BLANK, COVERED, EMPTY, Board, Direction, Placement, ScoredWord
from vision.core import Candidate, DecodedBoard, Mask, Square, fuse_log_probabilities
from vision.game_events.placements import replace_tokens, squares_of
from vision.game_events.updates import Correction, GameUpdate, UpdateKind

__all__ = ["MIN_CONFIDENCE", "UncertainTiles"]

MIN_CONFIDENCE = 0.9
"""Probability from which on a tile or a play is reported without doubt, and no operator is asked. Chosen."""


@dataclass(frozen=True, slots=True, kw_only=True)
class UncertaintySettings:
    """When an uncertain tile is forgotten. All values are chosen."""

    min_certain: float = 0.97
    """Probability of an uncertain tile, from which on it is certain."""
    max_rests: int = 24
    """Rests of the board that are remembered of one tile, so that memory stays bounded for a whole evening."""
    min_probability: float = 0.005
    """Probability of a token that is not among a square's candidates."""


SETTINGS = UncertaintySettings()


@dataclass(frozen=True, slots=True)
class _TileHistory:
    """What the rests of a board showed of one uncertain tile.

    `rests` holds the log-probability of each token, by the start of the rest. A certain tile that was corrected is kept
    for good (`is_corrected`): the next read must not correct it back by itself.
    """

    confidence: float
    rests: Mapping[float, Mapping[str, float]] = field(default_factory=dict)
    is_corrected: bool = False

    def with_rest(self, candidates: Iterable[Candidate], began_s: float) -> _TileHistory:
        """Add what a rest showed; a rest that is known is replaced."""
        least = SETTINGS.min_probability
        shown = {each.token: math.log(max(each.probability, least)) for each in candidates}
        rests = {**self.rests, began_s: shown}
        if len(rests) > SETTINGS.max_rests:
            del rests[next(iter(rests))]
        return replace(self, rests=rests)

    def fuse(self) -> tuple[Candidate, ...]:
        """Return what all rests together show, the most probable token first."""
        least = math.log(SETTINGS.min_probability)
        tokens = sorted({token for rest in self.rests.values() for token in rest})
        sums = np.array([sum(rest.get(token, least) for rest in self.rests.values()) for token in tokens])
        shares = fuse_log_probabilities(sums, len(self.rests)).tolist()
        candidates = [Candidate(token=t, probability=p) for t, p in zip(tokens, shares, strict=True)]
        return tuple(sorted(candidates, key=lambda each: -each.probability))


@dataclass(frozen=True, slots=True)
class UncertainTiles:
    """The uncertain tiles of a game, by their squares; each change gives a new value."""

    tiles: Mapping[Square, _TileHistory] = field(default_factory=dict)

    def __contains__(self, square: Square) -> bool:
        return square in self.tiles

    def mark_squares(self, board: Board) -> Mask:
        """Return a mask (rows, columns) of the squares of uncertain tiles on a board."""
        mask = np.zeros(board.size, dtype=np.bool_)
        for square in self.tiles:
            mask[square] = board[square] != EMPTY
        return mask

    def remove_from(self, board: Board) -> Board:
        """Return the board without the uncertain tiles."""
        tiles = [Placement(row=row, column=column, token=board[row, column]) for row, column in self.tiles]
        return board.without(tile for tile in tiles if tile.token != EMPTY)

    def without(self, squares: frozenset[Square]) -> UncertainTiles:
        """Return the uncertain tiles apart from those on some squares."""
        return UncertainTiles(
            {square: known for square, known in self.tiles.items() if square not in squares}
        )

    def with_update(self, update: GameUpdate, decoded: DecodedBoard, began_s: float) -> UncertainTiles:
        """Take in a reported play or correction.

        Parameters
        ----------
        update : GameUpdate
            The update; other kinds change nothing.
        decoded : DecodedBoard
            The reading that it was reported from.
        began_s : float
            When the rest of the board began that was read.
        """
        known = dict(self.tiles)
        if update.correction is not None:
            square = update.correction.now.square
            history = self._correct_history(update.correction, decoded, began_s)
            known.pop(square, None)
            return UncertainTiles(known if history is None else {**known, square: history})
        if update.play_event is None:
            return self
        for tile in update.play_event.play:
            square = tile.square
            known.pop(square, None)
            confidence = float(decoded.confidence[square])
            if confidence < MIN_CONFIDENCE and tile.token != BLANK:
                history = _TileHistory(confidence=confidence)
                known[square] = history.with_rest(_find_candidates(decoded, square), began_s)
        return UncertainTiles(known)

    def _correct_history(
        self, correction: Correction, decoded: DecodedBoard, began_s: float
    ) -> _TileHistory | None:
        """Return a corrected tile's history, with the token that was reported first; None if it is certain now."""
        was, now = correction
        square, confidence = now.square, float(decoded.confidence[now.square])
        known = self.tiles.get(square)
        if known is None:
            first = Candidate(token=was.token, probability=SETTINGS.min_certain)
            known = _TileHistory(confidence=confidence, is_corrected=True).with_rest((first,), -math.inf)
            return known.with_rest(_find_candidates(decoded, square), began_s)
        # A correction of an uncertain tile follows from rests that are known.
        is_settled = confidence >= MIN_CONFIDENCE and not known.is_corrected
        return None if is_settled else replace(known, confidence=confidence)

    def reread(
        self, decoded: DecodedBoard, board: Board, began_s: float, changed: Mask | None = None
    ) -> tuple[DecodedBoard, UncertainTiles]:
        """Fuse a reading with what earlier rests showed of uncertain tiles.

        Parameters
        ----------
        decoded : DecodedBoard
            What is read in the present rest.
        board : Board
            The game's board.
        began_s : float
            When the present rest began; what was read in it before is replaced.
        changed : (rows, columns) bool, optional
            Squares that look different from when the board was last resolved.

        Returns
        -------
        decoded : DecodedBoard
            The fused reading.
        uncertain : UncertainTiles
            The tiles that are still uncertain and on the board.
        """
        tokens, alternatives, confidence = [], dict(decoded.alternatives), decoded.confidence.copy()
        left: dict[Square, _TileHistory] = {}
        for square, known in self.tiles.items():
            if board[square] == EMPTY:
                continue
            if decoded.board[square] in (EMPTY, COVERED):
                left[square] = known
                continue
            if changed is not None and changed[square] and board[square] == BLANK:
                known = replace(known, rests={})  # a tile that lay face down has been turned up again
            history = known.with_rest(_find_candidates(decoded, square), began_s)
            best, *others = history.fuse()
            tokens.append(Placement(row=square[0], column=square[1], token=best.token))
            confidence[square] = best.probability
            alternatives[square] = (best, *others)
            shares = {each.token: each.probability for each in (best, *others)}
            in_game = shares.get(board[square], SETTINGS.min_probability)
            if in_game < SETTINGS.min_certain or history.is_corrected:
                left[square] = replace(history, confidence=in_game)
        fused = replace(
            decoded,
            board=replace_tokens(decoded.board, tokens),
            confidence=confidence,
            alternatives=alternatives,
        )
        return fused, UncertainTiles(left)

    def weigh(self, update: GameUpdate) -> GameUpdate:
        """Multiply the confidence of a play by that of the older uncertain tiles in its words."""
        scored = update.step.scored if update.step is not None else None
        if update.kind is not UpdateKind.PLAY or scored is None or not self.tiles:
            return update
        new = squares_of(scored.play)
        old = {square for word in scored.words for square in _squares_of_word(word)} - new
        share = math.prod(self.tiles[square].confidence for square in old if square in self.tiles)
        return replace(update, confidence=update.confidence * share)


def _find_candidates(decoded: DecodedBoard, square: Square) -> tuple[Candidate, ...]:
    """Return the candidates of a square; where it is certain, the decided token alone."""
    decided = Candidate(token=decoded.board[square], probability=float(decoded.confidence[square]))
    return decoded.alternatives.get(square, (decided,))


def _squares_of_word(word: ScoredWord) -> Iterator[Square]:
    """Return the squares of a word."""
    is_down = word.direction is Direction.DOWN
    return ((word.row + n * is_down, word.column + n * (not is_down)) for n in range(len(word.tokens)))
