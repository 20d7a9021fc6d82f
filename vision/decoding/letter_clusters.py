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

import numpy as np
from numpy.typing import NDArray

from vision.core import Floats, Mask, SquareProbabilities, freeze, log_sum
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
    relative = letters - letters.max(axis=1, keepdims=True)
    for tile in clusters.open_tiles:
        for letter, gain in clusters.gains(tile).items():
            relative[tile, letter] = gain
    result = weights.copy()
    result[is_tile, FIRST_LETTER:] = relative + (log_sum(letters) - log_sum(relative))[:, None]
    return result


@functools.cache
def shipped_projection() -> LdaProjection:
    """Load the projection of the shipped networks."""
    return LdaProjection.load()


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
        self._in_bag = [log_ways_to_draw(count, len(logs), SETTINGS.surplus_cost) for count in counts]
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
        self._known_clusters: dict[bytes, float] = {}

    def search(self) -> None:
        """Change the letters by greedy local search until no change is a gain."""
        while True:
            gain, moved = max(self._changes(), key=lambda change: change[0], default=(0.0, {}))
            if gain < SETTINGS.min_gain:
                return
            for tile, letter in moved.items():
                self.letters[tile] = letter

    @property
    def open_tiles(self) -> list[int]:
        """The tiles whose own picture leaves several letters open."""
        return np.flatnonzero(self._is_tried.sum(axis=1) > 1).tolist()

    def gains(self, tile: int) -> dict[int, float]:
        """Compute the gain of each letter that a tile's own picture leaves open, if the other tiles keep theirs."""
        letter = int(self.letters[tile])
        is_present = np.bincount(self.letters, minlength=self._logs.shape[1]) > 0
        tried = np.where(is_present, self._is_tried[tile], self._is_tried_alone[tile])
        others = [other for other in np.flatnonzero(tried).tolist() if other != letter]
        return {letter: 0.0} | {other: self._gain([tile], letter, other) for other in others}

    def _changes(self) -> Iterator[tuple[float, dict[int, int]]]:
        """Yield each possible change with its gain, as new letters by tile."""
        for letter in np.unique(self.letters).tolist():
            tiles = np.flatnonzero(self.letters == letter)
            others = np.flatnonzero(self._is_tried[tiles].any(axis=0)).tolist()
            for other in others:
                if other != letter:
                    yield from self._moves(letter, other)

    def _moves(self, letter: int, other: int) -> Iterator[tuple[float, dict[int, int]]]:
        """Yield the moves of one tile, or several, from one letter to another."""
        source, target = self.letters == letter, self.letters == other
        tried = self._is_tried if target.any() else self._is_tried_alone
        tiles = np.flatnonzero(source & tried[:, other]).tolist()
        ranked = sorted(tiles, key=lambda tile: -self._gain([tile], letter, other))
        for count in range(1, len(ranked) + 1):
            yield self._gain(ranked[:count], letter, other), dict.fromkeys(ranked[:count], other)

    def _gain(self, tiles: Sequence[int], letter: int, other: int) -> float:
        """Compute the gain of moving tiles from one letter to another."""
        source, target = self.letters == letter, self.letters == other
        before = self._cluster_score(source, letter) + self._cluster_score(target, other)
        source[tiles], target[tiles] = False, True
        read = float((self._logs[tiles, other] - self._logs[tiles, letter]).sum())
        return read + self._cluster_score(source, letter) + self._cluster_score(target, other) - before

    def _cluster_score(self, cluster: Mask, letter: int) -> float:
        """Return the log-likelihood that these tiles, and no others, have a letter."""
        in_bag = float(self._in_bag[letter][int(cluster.sum())])
        return SETTINGS.appearance_weight * self._appearance_log_likelihood(cluster) + in_bag

    def _appearance_log_likelihood(self, cluster: Mask) -> float:
        """Return the log-likelihood of the tiles' appearance if they have one letter, up to a constant."""
        key = cluster.tobytes()
        if key not in self._known_clusters:
            precision, first, second = self._statistics[cluster].sum(axis=0)
            spread = 1 + self._between * precision
            logs = self._between * first**2 / spread - second - np.log(spread)
            self._known_clusters[key] = float(logs.sum() / 2)
        return self._known_clusters[key]


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
