"""Reconstruct the positions of a game from all its photos together, with the plays that lead from each to the next."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scoring import BLANK, EMPTY, Board, Edition, is_blank
from tilesight.digitise.reconstruction.evidence import BLANK_STATE, EMPTY_STATE, PhotoEvidence, states_of
from tilesight.digitise.reconstruction.play_search import search_plays
from tilesight.digitise.reconstruction.square_timelines import SquareTimelines, TileSpan
from tilesight.digitise.reconstruction.tile_letters import decide_kinds
from vision.core import Floats, Square, softmax

__all__ = ["Position", "reconstruct_positions"]

MIN_GROUP_LOG_ODDS = -3.0
"""Photos that differ in the squares with these log-odds of a tile, or more, are not one group: only later photos may
show the tile. Chosen."""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Position:
    """One position of a game, and the photos that show it."""

    photos: tuple[str, ...]
    board: Board
    confidence: Floats
    """(rows, columns) float64. Probability of each square's tile, and that it was placed by now."""
    turns: tuple[tuple[Square, ...], ...] = ()
    """What leads to it from the position before: the squares of each play, none where the last play is retracted."""
    left_out: tuple[Square, ...] = ()
    """Squares on which a letter is seen that no play explains."""
    overruled: tuple[tuple[str, Square], ...] = ()
    """The photos and squares of corrections that no play explains."""


def reconstruct_positions(
    photos: Sequence[PhotoEvidence],
    edition: Edition,
    progress: Callable[[float], None] = lambda share: None,
) -> list[Position]:
    """Reconstruct the positions of a game, and reorder the photos where that is more likely.

    The photos are in the order of play, as far as it is known. `progress` receives the share that is done: poor photos
    take seconds.
    """
    if not photos:
        return []
    best = GameReconstruction(photos, edition, lambda share: progress(share / 2))
    order = best.photos_by_tiles(photos).tolist()
    if order != sorted(order):
        reordered = [photos[index] for index in order]
        other = GameReconstruction(reordered, edition, lambda share: progress((1 + share) / 2))
        if other.log_likelihood > best.log_likelihood:
            best = other
    return list(best.positions())


class GameReconstruction:
    """What the photos of a game, at least one, show together in one order."""

    def __init__(
        self, photos: Sequence[PhotoEvidence], edition: Edition, progress: Callable[[float], None]
    ) -> None:
        self._edition = edition
        self._groups = group_identical_photos(photos)
        states = np.stack([np.sum([photo.states for photo in group], axis=0) for group in self._groups])
        self._timelines = SquareTimelines(states)
        self._hypothesis = search_plays(self._timelines, edition, progress)
        self._kinds = decide_kinds(self._groups, self._timelines, self._hypothesis, edition)

    @property
    def log_likelihood(self) -> float:
        """The log-likelihood of all photos."""
        return float(self._timelines.best_from[0].sum()) - self._hypothesis.cost

    def photos_by_tiles(self, photos: Sequence[PhotoEvidence]) -> NDArray[np.intp]:
        """Order the photos, by index, by the number of tiles of the last position that they show."""
        last = self._hypothesis.tiles_at(len(self._groups) - 1)
        squares = [tile.square for tile in last]
        kinds = [BLANK_STATE + int(self._kinds[tile].argmax()) for tile in last]
        shown = [photo.states[squares, kinds] > photo.states[squares, EMPTY_STATE] for photo in photos]
        return np.argsort(np.sum(shown, axis=1), kind="stable")

    def positions(self) -> Iterator[Position]:
        """Yield the positions; groups that follow one another with the same tiles are one."""
        turns: list[tuple[Square, ...]] = []
        for tiles, numbers in itertools.groupby(range(len(self._groups)), key=self._hypothesis.tiles_at):
            shown = list(numbers)
            turns += self._turns_at(shown[0])
            if tiles:
                yield self._position(tiles, shown, tuple(turns))
                turns.clear()

    def _turns_at(self, group: int) -> Iterator[tuple[Square, ...]]:
        """Yield what happened between a group and the one before it."""
        yield from (() for play in self._hypothesis.plays if play.removed == group)
        for play in self._hypothesis.plays:
            if play.placed == group:
                yield tuple(map(self._square, play.squares))

    def _position(
        self, tiles: Sequence[TileSpan], groups: Sequence[int], turns: tuple[tuple[Square, ...], ...]
    ) -> Position:
        """Return the position with these tiles, which these groups show and to which these turns lead."""
        layout, states = self._edition.layout, states_of(self._edition)[BLANK_STATE:]
        rows = [[EMPTY] * layout.columns for _ in range(layout.rows)]
        confidence = np.ones((layout.rows, layout.columns))
        for tile in tiles:
            row, column = self._square(tile.square)
            logs = self._kinds[tile]
            token = states[logs.argmax()]
            rows[row][column] = token if token != BLANK else self._blank_token(tile)
            confidence[row, column] = softmax(logs).max()
            if tile.placed == groups[0]:
                confidence[row, column] *= self._timelines.placement_probabilities(tile)[tile.placed]
        board = Board.from_rows(rows)
        photos = [photo for group in groups for photo in self._groups[group]]
        seen = map(self._square, self._timelines.squares_with_letter(groups[0]))
        return Position(
            photos=tuple(name for photo in photos for name in (photo.name, *photo.others)),
            board=board,
            confidence=confidence,
            turns=turns,
            left_out=tuple(square for square in seen if board[square] == EMPTY),
            overruled=tuple(
                (photo.name, square)
                for photo in photos
                for square, token in photo.corrections.items()
                if board[square] != token and not (token == BLANK and is_blank(board[square]))
            ),
        )

    def _blank_token(self, tile: TileSpan) -> str:
        """Return the letter of a blank: by corrections, otherwise by most photos; ``?`` if no photo has one."""
        square = self._square(tile.square)
        photos = [photo for group in self._groups[tile.placed : tile.removed] for photo in group]
        corrected = [photo.corrections[square] for photo in photos if square in photo.corrections]
        for tokens in (corrected, [photo.board[square] for photo in photos]):
            counts = Counter(token for token in tokens if token != BLANK and is_blank(token))
            if counts:
                return max(sorted(counts), key=counts.__getitem__)
        return BLANK

    def _square(self, index: int) -> Square:
        return divmod(index, self._edition.layout.columns)


def group_identical_photos(photos: Sequence[PhotoEvidence]) -> list[list[PhotoEvidence]]:
    """Group photos that follow one another and were read identically, doubtful squares included."""

    def reading_of(photo: PhotoEvidence) -> tuple[Board, bytes]:
        log_odds = photo.states[:, BLANK_STATE:].max(axis=-1) - photo.states[:, EMPTY_STATE]
        return photo.board, (log_odds > MIN_GROUP_LOG_ODDS).tobytes()

    return [list(group) for _, group in itertools.groupby(photos, key=reading_of)]
