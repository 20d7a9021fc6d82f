"""Timelines of single squares: when a tile was placed on each square and which one it is, by all photos of a game.

A tile is on every photo from the one after its play on. A photo that misreads, misses or imagines it is corrected by
the others. The timeline of a square is a sequence of intervals, each empty or with one tile: a left-to-right hidden
Markov model per square. Which timelines of different squares are possible together is for the rules, see `play_search`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tilesight.digitise.reconstruction.evidence import BLANK_STATE, EMPTY_STATE
from vision.core import Floats, softmax

__all__ = ["SquareTimelines", "TileSpan"]

REMOVAL_COST = 2.0
"""Cost (natural log-odds) of each tile that was removed again; without it, 2 of 24 rendered games have errors."""
SURE_LETTER = 3.0
"""By these log-odds a letter must be more likely than a blank or nothing to count as seen; chosen."""


class TileSpan(NamedTuple):
    """A tile on the board: its square, the photo from which it is there, and the one from which it is not."""

    square: int
    placed: int
    removed: int


class SquareTimelines:
    """Log-likelihoods of all timelines of all squares, by those of each state in each photo: (photos, squares, states).

    Costs are log-likelihoods lost against the best timeline of the same square.
    """

    def __init__(self, states: Floats) -> None:
        self.photo_count, self.square_count, _ = states.shape
        self._empty = states[..., EMPTY_STATE]
        zero = np.zeros((1, *states.shape[1:]))
        self._sums = np.concatenate([zero, np.cumsum(states, axis=0)])
        self._tile_sums = self._sums[..., BLANK_STATE:]
        # best_from[a]: best log-likelihood of the photos from a on if the square is empty before a;
        # _best_removed[a][b]: the same if a tile was placed at a and is removed after b photos more;
        # _best_kept[a][b]: the same if it stays for at least b photos more.
        self.best_from = np.zeros((self.photo_count + 1, self.square_count))
        self._best_removed: list[Floats] = [np.zeros((0, self.square_count))] * self.photo_count
        self._best_kept: list[Floats] = [np.zeros((0, self.square_count))] * self.photo_count
        for start in range(self.photo_count - 1, -1, -1):
            tile = (self._tile_sums[start + 1 :] - self._tile_sums[start]).max(axis=-1)
            removed = tile + self.best_from[start + 1 :]
            removed[:-1] -= REMOVAL_COST
            self._best_removed[start] = removed
            self._best_kept[start] = np.maximum.accumulate(removed[::-1], axis=0)[::-1]
            self.best_from[start] = np.maximum(
                self._empty[start] + self.best_from[start + 1], self._best_kept[start][0]
            )

    def cost_of_staying_empty(self, photo: int) -> Floats:
        """Return the cost for each square if no tile is placed on it at this photo, (squares,)."""
        return np.asarray(self.best_from[photo] - self._empty[photo] - self.best_from[photo + 1])

    def cost_of_placing(self, photo: int) -> Floats:
        """Return the cost for each square if a tile is placed on it at this photo, (squares,)."""
        return np.asarray(self.best_from[photo] - self._best_kept[photo][0])

    def cost_of_keeping(self, placed_at: NDArray[np.intp], photo: int) -> Floats:
        """Return the cost for each square if its tile is still there at this photo, (squares,).

        `placed_at` is the photo at which each tile was placed. Without one before `photo` a square costs nothing.
        """
        cost = np.zeros(self.square_count)
        for start in np.unique(placed_at[(placed_at >= 0) & (placed_at < photo)]).tolist():
            at = placed_at == start
            kept = self._best_kept[start]
            cost[at] = kept[photo - start - 1, at] - kept[photo - start, at]
        return cost

    def cost_of_removing(self, square: int, placed: int, photo: int) -> float:
        """Return the cost for a square if its tile, placed at an earlier photo, is gone at this one."""
        before = photo - placed - 1
        return float(self._best_kept[placed][before, square] - self._best_removed[placed][before, square])

    def placement_probabilities(self, tile: TileSpan) -> Floats:
        """Return the probability that a tile was placed at each photo, by its own square alone, (photos,)."""
        square, _, end = tile
        before = self._sums[:end, square, EMPTY_STATE]
        after = (self._tile_sums[end, square] - self._tile_sums[:end, square]).max(axis=-1)
        logs = np.full(self.photo_count, -np.inf)
        logs[:end] = before + after
        return softmax(logs)

    def kind_log_likelihoods(self, tile: TileSpan) -> Floats:
        """Return the log-likelihood of each kind of tile, a blank or one of the letters, (states - 1,)."""
        square, placed, end = tile
        return np.asarray(self._tile_sums[end, square] - self._tile_sums[placed, square])

    def squares_with_letter(self, photo: int) -> list[int]:
        """List the squares on which this photo by itself surely shows a letter."""
        states = self._sums[photo + 1] - self._sums[photo]
        others = states[:, : BLANK_STATE + 1].max(axis=1)
        seen = states[:, BLANK_STATE + 1 :].max(axis=1) > others + SURE_LETTER
        return [int(square) for square in np.flatnonzero(seen)]
