"""Decide the letters of tiles together: by each tile's picture, by the other tiles, and by the bag.

In some typefaces the reader takes every M for an N. But the Ms differ from the Ns in appearance. Tiles are therefore
clustered into letters by three terms: what the reader sees, how similar the tiles of one letter are (probabilistic
LDA), and how many of each letter a bag would give.

References
----------
Ioffe, "Probabilistic Linear Discriminant Analysis" (2006).
"""

from __future__ import annotations

import functools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from vision.core import Floats, SquareProbabilities, freeze, log_sum
from vision.decoding.scores import FIRST_LETTER
from vision.recognition import LdaProjection

__all__ = ["TileAppearance", "assign_letters", "log_ways_to_draw", "shipped_projection", "weigh_letters"]


@dataclass(frozen=True, slots=True, kw_only=True)
class LetterSettings:
    """Weights (natural logarithms) of the assignment, chosen by 720 rendered games whose seeds no result uses."""

    appearance_weight: float = 0.065
    """Weight of the appearance: its directions are correlated, and the photos of a tile err alike."""
    surplus_cost: float = 3.0
    """Cost of each tile of a letter beyond the number in the bag."""
    max_behind: float = 6.0
    """Letters that are this much less likely than a tile's first one are not tried."""
    max_behind_alone: float = 4.0
    """The same for a letter that no other tile has: an odd appearance may be a reflection. With 6.0, 639 squares of
    969 rendered and labelled boards are wrong in place of 636, and the log-loss is 1,940 in place of 1,925."""
    min_upright: float = 0.05
    """Probability of being upright below which a tile's appearance is not compared (chosen); an O has half."""
    min_gain: float = 1e-6
    """Least gain of a move."""


SETTINGS = LetterSettings()


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class TileAppearance:
    """The appearance of tiles.

    Parameters
    ----------
    embeddings : (tiles, k) float64
        Coordinates of each tile along the projection's axes, averaged over its photos.
    photos : (tiles,) int
        Number of photos that were embedded; 0 if nothing is known.
    projection : LdaProjection
        The axes, and the variances along them.
    """

    embeddings: Floats
    photos: NDArray[np.intp]
    projection: LdaProjection


def assign_letters(
    letters: Floats, appearance: TileAppearance | None, counts: Sequence[int | None]
) -> NDArray[np.intp]:
    """Assign a letter to each tile by greedy local search.

    Parameters
    ----------
    letters : (tiles, letters) float64
        Log-likelihood of each letter by the tile's own photos.
    appearance : TileAppearance or None
        The appearance of the tiles, if it is known.
    counts : sequence of int or None
        Number of each letter in the bag; None if it is unlimited.

    Returns
    -------
    (tiles,) int
        Index of each tile's letter.
    """
    if not len(letters):
        return np.zeros(0, np.intp)
    clusters = LetterClusters(letters, appearance, counts)
    clusters.search()
    return clusters.letters


def weigh_letters(weights: Floats, reading: SquareProbabilities, counts: Sequence[int | None]) -> Floats:
    """Return the log-weights of states with the letters of a board's tiles decided together.

    That there is a tile stays as probable as it was. Letters that the picture leaves open are as probable as they are
    if all other tiles have the letters that were decided.

    Parameters
    ----------
    weights : (rows, columns, states) float64
        Log-weights of the states of each square.
    reading : SquareProbabilities
        What was read; without an embedding, the weights stay as they are.
    counts : sequence of int or None
        Number of each letter in the bag; None if it is unlimited.
    """
    is_tile = weights.argmax(axis=-1) >= FIRST_LETTER
    if reading.embedding is None or not is_tile.any():
        return weights
    letters = weights[is_tile][:, FIRST_LETTER:]
    embeddings = reading.embedding[is_tile].astype(np.float64)
    # A tile that is turned does not look like the upright ones of its letter.
    is_known = np.isfinite(embeddings).all(axis=-1) & (reading.turns[is_tile][:, 0] > SETTINGS.min_upright)
    appearance = TileAppearance(
        embeddings=np.where(is_known[:, None], embeddings, 0.0),
        photos=is_known.astype(np.intp),
        projection=shipped_projection(),
    )
    clusters = LetterClusters(letters, appearance, counts)
    clusters.search()
    gains = clusters.gains()
    relative = np.where(np.isnan(gains), letters - letters.max(axis=1, keepdims=True), gains)
    result = weights.copy()
    result[is_tile, FIRST_LETTER:] = relative + (log_sum(letters) - log_sum(relative))[:, None]
    return result


@functools.cache
def shipped_projection() -> LdaProjection:
    """Load the projection of the shipped networks."""
    return LdaProjection.load()


class _Move(NamedTuple):
    """A change of the letters: the gain in log-likelihood, the tiles (n,), and their new letter."""

    gain: float
    tiles: NDArray[np.intp]
    letter: int


class LetterClusters:
    """The tiles by letter, with the gain in log-likelihood of each change.

    Parameters
    ----------
    logs : (tiles, letters) float64
        Log-likelihood of each letter by the tile's own photos.
    appearance : TileAppearance or None
        The appearance of the tiles, if it is known.
    counts : sequence of int or None
        Number of each letter in the bag; None if it is unlimited.
    """

    def __init__(self, logs: Floats, appearance: TileAppearance | None, counts: Sequence[int | None]) -> None:
        self._logs = logs
        self.letters: NDArray[np.intp] = logs.argmax(axis=1)
        best = logs.max(axis=1, keepdims=True)
        self._is_tried = logs > best - SETTINGS.max_behind
        self._is_tried_alone = logs > best - SETTINGS.max_behind_alone
        self._in_bag = np.stack(
            [log_ways_to_draw(count, len(logs), SETTINGS.surplus_cost) for count in counts]
        )
        if appearance is None:
            appearance = TileAppearance(
                embeddings=np.zeros((len(logs), 0)),
                photos=np.zeros(len(logs), np.intp),
                projection=NO_PROJECTION,
            )
        # Sufficient statistics of a cluster: sums of the precisions, and of the first two moments weighted by them.
        known = appearance.photos > 0
        noise = appearance.projection.between_photos / np.maximum(appearance.photos, 1)[:, None]
        precision = known[:, None] / (1 + noise)
        centre = appearance.embeddings[known].mean(axis=0) if known.any() else 0.0
        offsets = np.where(known[:, None], appearance.embeddings - centre, 0.0)
        log_precision = np.log(np.where(known[:, None], precision, 1.0))
        self._statistics = np.stack(
            [precision, precision * offsets, precision * offsets**2 - log_precision], axis=1
        )
        self._between = appearance.projection.between_letters.astype(np.float64)
        self._totals = np.zeros((logs.shape[1], *self._statistics.shape[1:]))
        self._sizes = np.zeros(logs.shape[1], np.intp)
        self._update(range(logs.shape[1]))
        self._best_moves: dict[tuple[int, int], _Move] = {}
        """The best move from one letter to another, as long as no tile comes to either or leaves it."""

    def search(self) -> None:
        """Change the letters by greedy local search until no change is a gain."""
        while True:
            for pair in self._pairs():
                if pair not in self._best_moves:
                    self._best_moves[pair] = self._best_move(*pair)
            best = max(self._best_moves.values(), key=lambda move: move.gain, default=None)
            if best is None or best.gain < SETTINGS.min_gain:
                return
            changed = *self.letters[best.tiles[:1]].tolist(), best.letter
            self.letters[best.tiles] = best.letter
            self._update(changed)
            kept = (pair for pair in self._best_moves if not set(changed) & set(pair))
            self._best_moves = {pair: self._best_moves[pair] for pair in kept}

    def gains(self) -> Floats:
        """Compute the gain of each letter for each tile, if the other tiles keep theirs.

        Returns
        -------
        (tiles, letters) float64
            NaN where a tile's own picture, or the other tiles, exclude a letter.
        """
        gains = np.full(self._logs.shape, np.nan)
        gains[np.arange(len(gains)), self.letters] = 0.0
        for letter, other in self._pairs():
            tiles = self._movable_tiles(letter, other)
            gains[tiles, other] = self._gains(tiles[:, None], letter, other)
        return gains

    def _pairs(self) -> Iterator[tuple[int, int]]:
        """Yield each letter that tiles have, with each other one that a tile of it may have."""
        for letter in np.unique(self.letters).tolist():
            is_tried = self._is_tried[self.letters == letter].any(axis=0)
            yield from ((letter, other) for other in np.flatnonzero(is_tried).tolist() if other != letter)

    def _movable_tiles(self, letter: int, other: int) -> NDArray[np.intp]:
        """Return the tiles (n,) of a letter that may have another one."""
        tried = self._is_tried if self._sizes[other] else self._is_tried_alone
        return np.flatnonzero((self.letters == letter) & tried[:, other])

    def _best_move(self, letter: int, other: int) -> _Move:
        """Return the best move of one tile, or several, from one letter to another."""
        tiles = self._movable_tiles(letter, other)
        if not tiles.size:
            return _Move(-math.inf, tiles, other)
        ranked = tiles[np.argsort(-self._gains(tiles[:, None], letter, other), kind="stable")]
        gains = self._gains(ranked[None], letter, other)
        best = int(gains.argmax())
        return _Move(float(gains[best]), ranked[: best + 1], other)

    def _gains(self, tiles: NDArray[np.intp], letter: int, other: int) -> Floats:
        """Compute the gains of moving the first of a set of tiles, the first two, and so on, to another letter.

        Parameters
        ----------
        tiles : (sets, n) int
            Tiles of one letter.
        letter, other : int
            That letter, and the other one.

        Returns
        -------
        (sets * n,) float64
        """
        # the clusters as they are, and then after each move
        moved = np.zeros((1 + tiles.size, *self._statistics.shape[1:]))
        moved[1:] = self._statistics[tiles].cumsum(axis=1).reshape(moved[1:].shape)
        counts = np.zeros(1 + tiles.size, np.intp)
        counts[1:] = np.arange(tiles.size) % tiles.shape[1] + 1
        pair, signs = np.array([[letter], [other]]), np.array([[-1], [1]])
        precision, first, second = (self._totals[pair] + signs[..., None, None] * moved).transpose(2, 0, 1, 3)
        spread = 1 + self._between * precision
        # log-likelihood of the appearance of tiles that have one letter, up to a constant
        appearance = (self._between * first**2 / spread - second - np.log(spread)).sum(axis=-1) / 2
        in_bag = self._in_bag[pair, self._sizes[pair] + signs * counts]
        scores = (SETTINGS.appearance_weight * appearance + in_bag).sum(axis=0)
        read = (self._logs[tiles, other] - self._logs[tiles, letter]).cumsum(axis=1).ravel()
        return np.asarray(read + scores[1:] - scores[0])

    def _update(self, letters: Sequence[int]) -> None:
        """Compute the statistics of the clusters of letters anew."""
        for letter in letters:
            cluster = self.letters == letter
            self._totals[letter] = self._statistics[cluster].sum(axis=0)
            self._sizes[letter] = cluster.sum()


NO_PROJECTION = LdaProjection(
    axes=np.zeros((0, 0), np.float32),
    between_letters=np.zeros(0, np.float32),
    between_photos=np.zeros(0, np.float32),
    network="",
)


@functools.lru_cache(maxsize=2048)
def log_ways_to_draw(count: int | None, tiles: int, surplus_cost: float) -> Floats:
    """Return the log of the number of ways to draw 0, 1, ... `tiles` tiles of a letter of which there are `count`.

    Each tile beyond `count` costs `surplus_cost`.
    """
    drawn = range(tiles + 1)
    if count is None:
        logs = [0.0 for _ in drawn]
    else:
        logs = [math.log(math.comb(count, min(n, count))) - surplus_cost * max(n - count, 0) for n in drawn]
    return freeze(logs, (tiles + 1,), np.float64, "logs")
