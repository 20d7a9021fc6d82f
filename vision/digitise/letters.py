"""Which letter each tile of a game is: by all photos of it, by the other tiles, and by what the bag holds."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from scoring import Edition
from vision.digitise.alike import Appearance, letters_together
from vision.digitise.blanks import BLANK_KIND, NOT_SEEN, Weights, lead, weights_of_tiles, without
from vision.digitise.histories import Histories, Tile
from vision.digitise.turns import Course
from vision.reading.appearance import Directions

__all__ = ["letters_of"]

SURE = 4.0
"""A letter that is so much likelier than any other is kept where it is one more than the bag holds, too: sets are
completed with tiles of others."""

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
    lie = [tile for tile in lying if tile in letters]
    seen = {tile: letters[tile] for tile in lie if letters[tile].min() > NOT_SEEN}
    counts = [edition.counts.get(token) for token in edition.tokens]
    excluded = others_than_together(seen, histories, counts)
    excluded = beyond_the_bag(letters, excluded, lie, counts)
    for tile, kinds in excluded.items():
        if kinds:
            # By its own photos the letter that is left may be no likelier than many others.
            best, left = weights[tile][BLANK_KIND + 1 :].max(), int(without(letters[tile], kinds).argmax())
            weights[tile] = without(weights[tile], [BLANK_KIND + 1 + kind for kind in kinds])
            weights[tile][BLANK_KIND + 1 + left] = best
    return weights


def others_than_together(letters: Weights, histories: Histories, counts: Sequence[int | None]) -> Excluded:
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
    found = letters_together(likely, appearance, counts)
    return {
        tile: tuple(np.flatnonzero(means > means[letter]).tolist())
        for (tile, means), letter in zip(letters.items(), found.tolist(), strict=True)
    }


@functools.cache
def known_directions() -> Directions:
    """Those of the shipped networks."""
    return Directions.load()


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
