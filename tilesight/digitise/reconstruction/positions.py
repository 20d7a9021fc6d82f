"""The result of a reconstruction: the positions of a game, and the photos that show each of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from scoring import BLANK, EMPTY, Board, Edition, is_blank
from tilesight.digitise.reconstruction.evidence import BLANK_STATE, EMPTY_STATE, PhotoEvidence, states_of
from tilesight.digitise.reconstruction.play_search import Hypothesis
from tilesight.digitise.reconstruction.square_timelines import SquareTimelines, TileSpan
from vision.core import Candidate, DecodedBoard, Floats, Square
from vision.decoding import DECODING_SETTINGS

__all__ = ["GameReconstruction", "Position", "Turn"]


class Turn(NamedTuple):
    """A play, or its retraction: the squares of its tiles."""

    squares: tuple[Square, ...]
    is_retraction: bool = False


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Position:
    """One position of a game, and the photos that show it."""

    photos: tuple[str, ...]
    decoded: DecodedBoard
    left_out: tuple[Square, ...] = ()
    """Squares on which a letter is seen that no play explains."""
    turns: tuple[Turn, ...] = ()
    """What leads to it from the position before."""
    overruled: tuple[tuple[str, Square], ...] = ()
    """The photos and squares of corrections that no play explains."""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class GameReconstruction:
    """What the photos of a game show together, in one order."""

    groups: tuple[tuple[PhotoEvidence, ...], ...]
    """The photos. Those that follow one another and were read identically are one group."""
    edition: Edition
    squares: tuple[Square, ...]
    """The squares that may hold a tile."""
    timelines: SquareTimelines
    hypothesis: Hypothesis
    kinds: Mapping[TileSpan, Floats]
    """Log-likelihood of each kind of each tile, (states - 1,), see `tile_letters.decide_kinds`."""

    @property
    def log_likelihood(self) -> float:
        """The log-likelihood of all photos."""
        return float(self.timelines.best_from[0].sum()) - self.hypothesis.cost

    def photos_by_tiles(self) -> list[int]:
        """Order the photos, by index, by the number of tiles of the last position that they show.

        Ties: a photo with tiles that no photo with fewer tiles shows comes later; it has merely missed some old ones.
        """
        last = self.hypothesis.tiles_at(self.timelines.group_count - 1)
        rows, columns = np.array([self.squares[tile.square] for tile in last], np.intp).reshape(-1, 2).T
        states = np.array([BLANK_STATE + self.kinds[tile].argmax() for tile in last], np.intp)
        photos = [photo for group in self.groups for photo in group]
        log_odds = [
            photo.states[rows, columns, states] - photo.states[rows, columns, EMPTY_STATE] for photo in photos
        ]
        shown = np.array(log_odds) > 0
        count = shown.sum(axis=1)
        before = np.array([shown[count < each].any(axis=0) for each in count])
        new = (shown & ~before).sum(axis=1)
        return sorted(range(len(photos)), key=lambda index: (int(count[index]), int(new[index])))

    def positions(self) -> list[Position]:
        """List the positions; groups that follow one another with the same tiles are one."""
        positions: list[Position] = []
        before: frozenset[TileSpan] = frozenset()
        turns: list[Turn] = []
        for number, group in enumerate(self.groups):
            names = tuple(name for photo in group for name in (photo.name, *photo.others))
            tiles = frozenset(self.hypothesis.tiles_at(number))
            turns += self._turns_at(number)
            if tiles and tiles == before:
                last = positions[-1]
                positions[-1] = replace(
                    last,
                    photos=(*last.photos, *names),
                    overruled=(*last.overruled, *self._overruled(number, last.decoded.board)),
                )
            elif tiles:
                positions.append(self._position_of(number, names, tuple(turns)))
                turns.clear()
            before = tiles
        return positions

    def _turns_at(self, group: int) -> Iterator[Turn]:
        """Yield what happened between a group and the one before it."""
        for play in self.hypothesis.plays:
            if play.removed == group:
                yield Turn(tuple(self.squares[square] for square in play.squares), is_retraction=True)
        for play in self.hypothesis.plays:
            if play.placed == group:
                yield Turn(tuple(self.squares[square] for square in play.squares))

    def _position_of(self, group: int, names: tuple[str, ...], turns: tuple[Turn, ...]) -> Position:
        """Return the position that a group shows, to which these turns lead."""
        decoded = self._decode(group)
        seen = (self.squares[square] for square in self.timelines.squares_with_letter(group))
        return Position(
            photos=names,
            decoded=decoded,
            left_out=tuple(square for square in seen if decoded.board[square] == EMPTY),
            turns=turns,
            overruled=self._overruled(group, decoded.board),
        )

    def _decode(self, group: int) -> DecodedBoard:
        """Return the board at a group, with the alternatives of its tiles."""
        layout, states = self.edition.layout, states_of(self.edition)[BLANK_STATE:]
        rows = [[EMPTY] * layout.columns for _ in range(layout.rows)]
        confidence = np.ones((layout.rows, layout.columns))
        alternatives = {}
        for tile in self.hypothesis.tiles_at(group):
            row, column = self.squares[tile.square]
            shares = np.exp(self.kinds[tile] - np.logaddexp.reduce(self.kinds[tile]))
            order = np.argsort(-shares, kind="stable")
            tokens = [states[kind] if states[kind] != BLANK else self._blank_token(tile) for kind in order]
            is_placed = (
                self.timelines.placement_probabilities(tile)[tile.placed] if tile.placed == group else 1.0
            )
            rows[row][column] = tokens[0]
            confidence[row, column] = shares[order[0]] * is_placed
            if shares[order[0]] < 1 - DECODING_SETTINGS.min_alternative:
                alternatives[row, column] = tuple(
                    Candidate(token=token, probability=float(shares[kind]))
                    for token, kind in zip(tokens, order, strict=True)
                    if shares[kind] >= DECODING_SETTINGS.min_alternative
                )
        return DecodedBoard(
            board=Board.from_rows(rows), confidence=confidence, alternatives=alternatives, doubts=()
        )

    def _overruled(self, group: int, board: Board) -> tuple[tuple[str, Square], ...]:
        """List the photos and squares of corrections with which the board at a group does not agree."""
        return tuple(
            (photo.name, square)
            for photo in self.groups[group]
            for square, token in photo.corrections.items()
            if board[square] != token and not (token == BLANK and is_blank(board[square]))
        )

    def _blank_token(self, tile: TileSpan) -> str:
        """Return the letter of a blank: by a correction, otherwise by most photos; ``?`` if no photo has one."""
        square = self.squares[tile.square]
        photos = [photo for group in self.groups[tile.placed : tile.removed] for photo in group]
        for photo in photos:
            token = photo.corrections.get(square, BLANK)
            if token != BLANK and is_blank(token):
                return token
        tokens = [photo.board[square] for photo in photos]
        counts = Counter(token for token in tokens if token != BLANK and is_blank(token))
        return max(sorted(counts), key=counts.__getitem__, default=BLANK)
