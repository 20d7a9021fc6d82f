"""The letters of a game's tiles, found together: tiles of one letter look alike, and a bag holds so many of each.

A typeface may be one in which the reader takes every M for an N, in photo after photo. But the Ms look otherwise than
the Ns do, and no N of that game looks like both. Tiles are put together by what the reader calls them, by how they look
beside one another, and by what a bag would give.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vision.reading.appearance import Directions

__all__ = ["Appearance", "letters_together"]

# Chosen by 720 rendered games whose seeds no result is reported of.
LIKENESS = 0.065
"""How much looks count beside a letter's likelihood: the directions know of one another, and photos err alike."""
BAG = 1.0
"""How much it counts what a bag would give: sets are completed with tiles of others."""
ONE_TOO_MANY = 3.0
"""The same for each tile more than the bag holds, in natural logarithms of odds."""
FARTHEST = 6.0
"""Letters that are so much less likely than the first one, by natural logarithms, are not tried."""
FARTHEST_ALONE = 4.0
"""The same where no other tile has that letter: one that looks odd may be in a reflex."""
LEAST_GAIN = 1e-6

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Appearance:
    """How tiles look beside one another.

    Parameters
    ----------
    places : (tiles, k) float64
        Where each lies along the directions, on the average of its photos.
    photos : (tiles,) int
        In how many photos it was looked at closely; of a tile with none nothing is known.
    directions : Directions
        Along which.
    """

    places: Floats
    photos: NDArray[np.intp]
    directions: Directions


def letters_together(
    likely: Floats, appearance: Appearance | None, counts: Sequence[int | None]
) -> NDArray[np.intp]:
    """The letter of each tile, (tiles,).

    Parameters
    ----------
    likely : (tiles, letters) float64
        The logarithm of how likely each letter is by the tile's own photos.
    appearance : Appearance or None
        How the tiles look beside one another, if that is known.
    counts : sequence of int or None
        How many of each letter the bag holds.
    """
    if not len(likely):
        return np.zeros(0, np.intp)
    groups = Groups(likely, appearance, counts)
    while True:
        gain, moved = max(groups.moves(), key=lambda move: move[0], default=(0.0, {}))
        if gain < LEAST_GAIN:
            return groups.letters
        groups.move(moved)


class Groups:
    """The tiles by letter, and how plausible that is."""

    def __init__(self, likely: Floats, appearance: Appearance | None, counts: Sequence[int | None]) -> None:
        self._likely = likely
        self.letters: NDArray[np.intp] = likely.argmax(axis=1)
        best = likely.max(axis=1, keepdims=True)
        self._tried, self._tried_alone = likely > best - FARTHEST, likely > best - FARTHEST_ALONE
        self._in_bag = [plausible_numbers(count, len(likely)) for count in counts]
        if appearance is None:
            appearance = Appearance(
                places=np.zeros((len(likely), 0)),
                photos=np.zeros(len(likely), np.intp),
                directions=NO_DIRECTIONS,
            )
        # The sums by which a group's likelihood is known: of precisions, of places and squares weighed by them.
        known = appearance.photos > 0
        noise = appearance.directions.between_photos / np.maximum(appearance.photos, 1)[:, None]
        precise = known[:, None] / (1 + noise)
        centre = appearance.places[known].mean(axis=0) if known.any() else 0.0
        places = np.where(known[:, None], appearance.places - centre, 0.0)
        logs = np.log(np.where(known[:, None], precise, 1.0))
        self._parts = np.stack([precise, precise * places, precise * places**2 - logs], axis=1)
        self._between = appearance.directions.between_letters.astype(np.float64)
        self._kept: dict[bytes, float] = {}

    def move(self, moved: dict[int, int]) -> None:
        """Gives tiles other letters."""
        for tile, letter in moved.items():
            self.letters[tile] = letter

    def moves(self) -> Iterator[tuple[float, dict[int, int]]]:
        """What may be changed at once, and by how much more plausible all is then."""
        present = np.unique(self.letters).tolist()
        for letter in present:
            tiles = np.flatnonzero(self.letters == letter)
            others = np.flatnonzero(self._tried[tiles].any(axis=0)).tolist()
            for other in others:
                if other != letter:
                    yield from self._given(letter, other)
        for one, other in itertools.combinations(present, 2):
            yield self._exchanged(one, other)

    def _given(self, letter: int, other: int) -> Iterator[tuple[float, dict[int, int]]]:
        """One tile of a letter, or several, with another one."""
        rest, grown = self.letters == letter, self.letters == other
        tiles = np.flatnonzero(rest & (self._tried if grown.any() else self._tried_alone)[:, other])
        before = self._plausible(rest, letter) + self._plausible(grown, other)

        def gain(added: Sequence[int]) -> float:
            stays, joins = rest.copy(), grown.copy()
            stays[added], joins[added] = False, True
            named = float((self._likely[added, other] - self._likely[added, letter]).sum())
            return named + self._plausible(stays, letter) + self._plausible(joins, other) - before

        ranked = sorted(tiles.tolist(), key=lambda tile: -gain([tile]))
        for number in range(1, len(ranked) + 1):
            yield gain(ranked[:number]), dict.fromkeys(ranked[:number], other)

    def _exchanged(self, one: int, other: int) -> tuple[float, dict[int, int]]:
        """Two letters that change their tiles."""
        first, second = self.letters == one, self.letters == other
        gain = float((self._likely[first, other] - self._likely[first, one]).sum())
        gain += float((self._likely[second, one] - self._likely[second, other]).sum())
        for group, before, after in ((first, one, other), (second, other, one)):
            number = int(group.sum())
            gain += BAG * (self._in_bag[after][number] - self._in_bag[before][number])
        moved = dict.fromkeys(np.flatnonzero(first).tolist(), other)
        return gain, moved | dict.fromkeys(np.flatnonzero(second).tolist(), one)

    def _plausible(self, group: NDArray[np.bool_], letter: int) -> float:
        """How plausible it is that these tiles, and no others, have a letter."""
        return LIKENESS * self._alike(group) + BAG * float(self._in_bag[letter][int(group.sum())])

    def _alike(self, group: NDArray[np.bool_]) -> float:
        """The logarithm of how likely the looks of these tiles are if they have one letter, but for a constant."""
        key = group.tobytes()
        if key not in self._kept:
            precise, places, squares = self._parts[group].sum(axis=0)
            spread = 1 + self._between * precise
            self._kept[key] = float((self._between * places**2 / spread - squares - np.log(spread)).sum() / 2)
        return self._kept[key]


NO_DIRECTIONS = Directions(
    axes=np.zeros((0, 0), np.float32),
    between_letters=np.zeros(0, np.float32),
    between_photos=np.zeros(0, np.float32),
    network="",
)


def plausible_numbers(count: int | None, most: int) -> Floats:
    """The logarithm of in how many ways a bag gives 0, 1, ... `most` tiles of a letter of which it holds `count`."""
    if count is None:
        return np.zeros(most + 1)
    ways = [math.log(math.comb(count, min(drawn, count))) for drawn in range(most + 1)]
    return np.array(ways) - ONE_TOO_MANY * np.maximum(np.arange(most + 1) - count, 0)
