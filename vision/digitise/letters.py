"""Which letter each tile of a game is: by all photos in which it lies, by the other tiles, and by what the bag holds.

A typeface may be one in which the reader takes every M for an N, in photo after photo. But the Ms are taken for Ns
otherwise than the Ns are: the tiles of one letter look alike, and so does what the reader says of them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from scoring import Edition
from vision.digitise.blanks import BLANK_KIND, NOT_SEEN, Weights, lead, weights_of_tiles, without
from vision.digitise.histories import Histories, Tile
from vision.digitise.turns import Course

__all__ = ["letters_of"]

# Logarithms of probabilities, chosen by 60 rendered games whose seeds no result is reported of: of 2,971 pairs of
# tiles of one letter 99% are less unlike than 2.2, of 44 pairs of two letters that were read alike none is.
UNLIKE = 2.2
"""Two tiles of one letter differ less, in what a photo says of the likeliest letters."""
UNLIKE_ONCE = 1.6
"""They may differ by so much more where one of them is seen once only, by half of it where twice."""
ENOUGH = 3
"""A tile that is seen less often joins no others: it may look like the tiles of two letters."""
COMPARED = 5
"""So many of the likeliest letters are compared."""
CLEAR = 2.0
"""A letter that is so much likelier than any other is kept, whatever others of that letter look like."""
SURE = 4.0
"""The same where it is one more than the bag holds: sets are completed with tiles of others."""
FARTHEST = 3.0
"""A tile that would have to be a letter so much less likely than the first one stays what it was."""

Excluded = dict[Tile, tuple[int, ...]]


def letters_of(histories: Histories, course: Course, edition: Edition) -> Mapping[Tile, NDArray[np.float64]]:
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
    seen = {tile: means for tile, means in letters.items() if means.min() > NOT_SEEN}
    excluded = unlike_the_others(seen, {tile: histories.photos(tile) for tile in seen})
    counts = [edition.counts.get(token) for token in edition.tokens]
    excluded = beyond_the_bag(letters, excluded, [tile for tile in lying if tile in letters], counts)
    for tile, kinds in excluded.items():
        weights[tile] = without(weights[tile], [kind + 1 for kind in kinds])
    return weights


def unlike_the_others(letters: Weights, photos: Mapping[Tile, int]) -> Excluded:
    """The letters that tiles are not: those of tiles that are read alike and look otherwise.

    Parameters
    ----------
    letters : mapping of Tile to (letters,) float64
        The logarithm of how likely each letter is, on the average of the photos.
    photos : mapping of Tile to int
        How many photos show each.
    """
    excluded: Excluded = {}
    kept = set[Tile]()  # those that would have to be too unlikely a letter
    parted = True
    while parted:
        parted = False
        now = {tile: without(means, excluded.get(tile, ())) for tile, means in letters.items()}
        kinds: dict[int, list[Tile]] = {}
        for tile, means in now.items():
            kinds.setdefault(int(means.argmax()), []).append(tile)
        for kind, tiles in kinds.items():
            groups = alike(tiles, letters, photos)
            # The group for which it would cost most to be something else has the letter.
            groups.remove(max(groups, key=lambda group: sum(lead(now[tile]) for tile in group)))
            for group in groups:
                doubted = [tile for tile in group if tile not in kept]
                if doubted and np.mean([lead(now[tile]) for tile in group]) < CLEAR:
                    parted = True
                    for tile in doubted:
                        others = (*excluded.pop(tile, ()), kind)
                        cost = letters[tile].max() - without(letters[tile], others).max()
                        if cost < FARTHEST and len(others) < len(letters[tile]):
                            excluded[tile] = others
                        else:
                            kept.add(tile)
    return excluded


def alike(tiles: Sequence[Tile], letters: Weights, photos: Mapping[Tile, int]) -> list[list[Tile]]:
    """The tiles in groups: each looks like another one of its group, which is seen often enough to tell."""
    waiting, groups = sorted(tiles, key=lambda tile: -photos[tile]), []
    while waiting:
        group = [waiting.pop(0)]
        for tile in group:  # it grows meanwhile
            if photos[tile] < ENOUGH and tile is not group[0]:
                continue
            near = [
                other
                for other in waiting
                if unlikeness(letters[tile], letters[other])
                < UNLIKE + UNLIKE_ONCE / min(photos[tile], photos[other])
            ]
            group += near
            waiting = [other for other in waiting if other not in near]
        groups.append(group)
    return groups


def unlikeness(one: NDArray[np.float64], other: NDArray[np.float64]) -> float:
    """The root mean square of how otherwise the likeliest letters are said of two tiles."""
    likeliest = np.argsort(-np.maximum(one, other), kind="stable")[:COMPARED]
    return float(np.sqrt(((one - other)[likeliest] ** 2).mean()))


def beyond_the_bag(
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
