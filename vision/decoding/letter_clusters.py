"""Decide the letters of tiles together: by each tile's picture, by the other tiles, and by the bag.

In some typefaces the reader takes every M for an N. But the Ms differ from the Ns in appearance. Tiles are therefore
clustered into letters by three terms: what the reader sees, how similar the tiles of one letter are (probabilistic
LDA), and how many of each letter a bag would give.

References
----------
Ioffe, "Probabilistic Linear Discriminant Analysis" (2006).
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vision.core import Floats, Mask
from vision.recognition import LdaProjection

__all__ = ["TileAppearance", "assign_letters", "log_ways_to_draw"]


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
    """The same for a letter that no other tile has: an odd appearance may be a reflex."""
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
    while True:
        gain, moved = max(clusters.moves(), key=lambda move: move[0], default=(0.0, {}))
        if gain < SETTINGS.min_gain:
            return clusters.letters
        for tile, letter in moved.items():
            clusters.letters[tile] = letter


class LetterClusters:
    """The tiles by letter, with the gain in log-likelihood of each change."""

    def __init__(self, logs: Floats, appearance: TileAppearance | None, counts: Sequence[int | None]) -> None:
        self._logs = logs
        self.letters: NDArray[np.intp] = logs.argmax(axis=1)
        best = logs.max(axis=1, keepdims=True)
        self._is_tried = logs > best - SETTINGS.max_behind
        self._is_tried_alone = logs > best - SETTINGS.max_behind_alone
        self._in_bag = [log_ways_to_draw(count, len(logs)) for count in counts]
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

    def moves(self) -> Iterator[tuple[float, dict[int, int]]]:
        """Yield each possible change with its gain, as new letters by tile."""
        present = np.unique(self.letters).tolist()
        for letter in present:
            tiles = np.flatnonzero(self.letters == letter)
            others = np.flatnonzero(self._is_tried[tiles].any(axis=0)).tolist()
            for other in others:
                if other != letter:
                    yield from self._moves_to(letter, other)
        for first, second in itertools.combinations(present, 2):
            yield self._exchange(first, second)

    def _moves_to(self, letter: int, other: int) -> Iterator[tuple[float, dict[int, int]]]:
        """Yield the moves of one tile, or several, from one letter to another."""
        source, target = self.letters == letter, self.letters == other
        tried = self._is_tried if target.any() else self._is_tried_alone
        tiles = np.flatnonzero(source & tried[:, other])
        before = self._cluster_score(source, letter) + self._cluster_score(target, other)

        def gain(moved: Sequence[int]) -> float:
            stays, joins = source.copy(), target.copy()
            stays[moved], joins[moved] = False, True
            read = float((self._logs[moved, other] - self._logs[moved, letter]).sum())
            return read + self._cluster_score(stays, letter) + self._cluster_score(joins, other) - before

        ranked = sorted(tiles.tolist(), key=lambda tile: -gain([tile]))
        for count in range(1, len(ranked) + 1):
            yield gain(ranked[:count]), dict.fromkeys(ranked[:count], other)

    def _exchange(self, first: int, second: int) -> tuple[float, dict[int, int]]:
        """Return the exchange of all tiles of two letters."""
        of_first, of_second = self.letters == first, self.letters == second
        gain = float((self._logs[of_first, second] - self._logs[of_first, first]).sum())
        gain += float((self._logs[of_second, first] - self._logs[of_second, second]).sum())
        for cluster, before, after in ((of_first, first, second), (of_second, second, first)):
            count = int(cluster.sum())
            gain += self._in_bag[after][count] - self._in_bag[before][count]
        moved = dict.fromkeys(np.flatnonzero(of_first).tolist(), second)
        return gain, moved | dict.fromkeys(np.flatnonzero(of_second).tolist(), first)

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


def log_ways_to_draw(count: int | None, tiles: int) -> Floats:
    """Return the log of the number of ways to draw 0, 1, ... `tiles` tiles of a letter of which there are `count`.

    Each tile beyond `count` has a fixed cost.
    """
    if count is None:
        return np.zeros(tiles + 1)
    ways = [math.log(math.comb(count, min(drawn, count))) for drawn in range(tiles + 1)]
    return np.array(ways) - SETTINGS.surplus_cost * np.maximum(np.arange(tiles + 1) - count, 0)
