"""The letters of a game's tiles, found together: tiles of one letter look alike, and a bag holds so many of each.

A typeface may be one in which the reader takes every M for an N, in photo after photo. But the Ms look otherwise than
the Ns do, and no N of that game looks like both. Tiles are put together by what the reader calls them, by how they look
beside one another, and by what a bag would give.

Which letter each tile of a game is: by all photos of it, by the other tiles, and by what the bag holds.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scoring import Edition
from tilesight.digitise.reconstruction.blank_tiles import (
    BLANK_KIND,
    NOT_SEEN,
    Weights,
    lead,
    weights_of_tiles,
    without,
)
from tilesight.digitise.reconstruction.play_search import Hypothesis
from tilesight.digitise.reconstruction.square_timelines import SquareTimelines, Tile
from vision.recognition import LdaProjection

__all__ = ["Appearance", "assign_letters", "letters_of"]

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
MIN_GAIN = 1e-6

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
    directions: LdaProjection


def assign_letters(
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
        if gain < MIN_GAIN:
            return groups.letters
        groups.move(moved)


class Groups:
    """The tiles by letter, and how plausible that is."""

    def __init__(self, likely: Floats, appearance: Appearance | None, counts: Sequence[int | None]) -> None:
        self._likely = likely
        self.letters: NDArray[np.intp] = likely.argmax(axis=1)
        best = likely.max(axis=1, keepdims=True)
        self._tried, self._tried_alone = likely > best - FARTHEST, likely > best - FARTHEST_ALONE
        self._in_bag = [log_ways_to_draw(count, len(likely)) for count in counts]
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


NO_DIRECTIONS = LdaProjection(
    axes=np.zeros((0, 0), np.float32),
    between_letters=np.zeros(0, np.float32),
    between_photos=np.zeros(0, np.float32),
    network="",
)


def log_ways_to_draw(count: int | None, most: int) -> Floats:
    """The logarithm of in how many ways a bag gives 0, 1, ... `most` tiles of a letter of which it holds `count`."""
    if count is None:
        return np.zeros(most + 1)
    ways = [math.log(math.comb(count, min(drawn, count))) for drawn in range(most + 1)]
    return np.array(ways) - ONE_TOO_MANY * np.maximum(np.arange(most + 1) - count, 0)


SURE = 4.0
"""A letter that is so much likelier than any other is kept where it is one more than the bag holds, too: sets are
completed with tiles of others."""

Excluded = dict[Tile, tuple[int, ...]]


def letters_of(
    histories: SquareTimelines, course: Hypothesis, edition: Edition
) -> Mapping[Tile, NDArray[np.float64]]:
    """The logarithm of how likely each kind of tile is, for each tile that ever lay there, (states - 1,).

    The kinds are those of `states_of` without the empty square.

    Parameters
    ----------
    histories : Histories
        What the photos say of each square.
    course : Course
        When tiles were laid.
    edition : Edition
        Whose letters, and how many of each there are.
    """
    lying = course.lying_at(histories.looks)
    weights = weights_of_tiles(histories, course.gone, lying, edition)
    letters = {
        tile: histories.letters(tile) for tile, kinds in weights.items() if kinds.argmax() != BLANK_KIND
    }
    lie = [tile for tile in lying if tile in letters]
    seen = {tile: letters[tile] for tile in lie if letters[tile].min() > NOT_SEEN}
    counts = [edition.counts.get(token) for token in edition.tokens]
    excluded = others_than_together(seen, histories, counts)
    excluded = exclude_beyond_bag(letters, excluded, lie, counts)
    for tile, kinds in excluded.items():
        if kinds:
            # By its own photos the letter that is left may be no likelier than many others.
            best, left = weights[tile][BLANK_KIND + 1 :].max(), int(without(letters[tile], kinds).argmax())
            weights[tile] = without(weights[tile], [BLANK_KIND + 1 + kind for kind in kinds])
            weights[tile][BLANK_KIND + 1 + left] = best
    return weights


def others_than_together(
    letters: Weights, histories: SquareTimelines, counts: Sequence[int | None]
) -> Excluded:
    """The letters that tiles are not, though their own photos say so: beside the game's other tiles they are others.

    Parameters
    ----------
    letters : mapping of Tile to (letters,) float64
        The logarithm of how likely each letter is, on the average of the photos.
    histories : Histories
        What the photos say.
    counts : sequence of int or None
        How many of each letter there are.
    """
    looks = [histories.appearance(tile) for tile in letters]
    appearance = None
    if any(photos for _, photos in looks):
        appearance = Appearance(
            places=np.stack([place for place, _ in looks]),
            photos=np.array([photos for _, photos in looks]),
            directions=known_directions(),
        )
    likely = np.array(list(letters.values())).reshape(len(letters), len(counts))
    found = assign_letters(likely, appearance, counts)
    return {
        tile: tuple(np.flatnonzero(means > means[letter]).tolist())
        for (tile, means), letter in zip(letters.items(), found.tolist(), strict=True)
    }


@functools.cache
def known_directions() -> LdaProjection:
    """Those of the shipped networks."""
    return LdaProjection.load()


def exclude_beyond_bag(
    letters: Weights, excluded: Excluded, lying: Sequence[Tile], counts: Sequence[int | None]
) -> Excluded:
    """The letters that tiles are not, those too of which there would be more than the bag holds.

    Parameters
    ----------
    letters : mapping of Tile to (letters,) float64
        The logarithm of how likely each letter is, on the average of the photos.
    excluded : mapping of Tile to sequence of int
        The letters that are known not to be.
    lying : sequence of Tile
        The tiles that lie there at once.
    counts : sequence of int or None
        How many of each letter there are.
    """
    before, excluded = excluded, dict(excluded)
    while True:
        now = {tile: without(letters[tile], excluded.get(tile, ())) for tile in lying}
        best = {tile: int(means.argmax()) for tile, means in now.items()}
        number = np.bincount([*best.values()], minlength=len(counts))
        beyond = {kind for kind, count in enumerate(counts) if count is not None and number[kind] > count}
        doubtful = [
            tile
            for tile, kind in best.items()
            if kind in beyond and kind not in excluded.get(tile, ()) and lead(now[tile]) < SURE
        ]
        if not doubtful:
            astray = {tile for tile, kind in best.items() if kind in beyond}  # no better than what was read
            return {
                tile: before.get(tile, ()) if tile in astray else kinds for tile, kinds in excluded.items()
            }
        # One after another, the least sure first: a letter that one becomes may be used up, too.
        tile = min(doubtful, key=lambda each: lead(now[each]))
        excluded[tile] = (*excluded.get(tile, ()), best[tile])
