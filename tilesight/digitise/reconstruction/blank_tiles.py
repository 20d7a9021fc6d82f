"""Which of a game's tiles are blanks: bare squares look like them, they like bare squares, and people write on them.

A reader knows what blanks look like in most sets. In one set a bare square of some colour is taken for a blank in photo
after photo, in another one blanks are of nearly the board's colour; both are seen once the squares of one game are
compared with one another.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from scoring import BLANK, Edition, Layout, Premium
from tilesight.digitise.reconstruction.square_timelines import (
    BLANK_STATE,
    CORRECTED,
    EMPTY_STATE,
    SquareTimelines,
    Tile,
)

__all__ = [
    "BLANK_KIND",
    "NOT_SEEN",
    "Weights",
    "lead",
    "raise_faint_blanks",
    "suppress_misleading_blanks",
    "weights_of_tiles",
    "without",
]

# Natural logarithms of odds or probabilities, chosen by rendered games whose seeds no result is reported of.
NO_WITNESS = -0.2
"""For a blank on a square of which many look like blanks where none can lie."""
SEEN = 1.0
"""A square looks like a blank where one is so much likelier than none: what a hand covers may be either."""
FLOATING_KINDS = 2
"""So many squares of one kind must have looked like blanks that lay apart."""
APART = 2.0
"""A blank is so much likelier than on the squares of its kind that are bare."""
BARE_SHARE = 0.99
"""Of what photos say of bare squares so much is below the level that blanks are measured by: the rest is chance."""
MAX_RAISED = 3.5
"""Blanks are made so much likelier at most where they are nearly of the board's colour."""
RARITY = 1.8
"""How much less likely the reader holds a blank for than its looks alone say, since blanks are rare. On a square that
shows one in other photos of the game, that counts no more. Of 540 rendered games three more had every play right,
with 2.7 as well, and two with 0.9."""
UNSEEN_ONCE, CHANCE = 2.0, 1.5
"""One photo in which such a blank is lost in glare says no more against it than so much; and that it is one of many
bare squares which stands out by chance is so much more likely. Of 540 rendered games two more had every play right."""
PRINTED = 6.0
"""A letter that is so much likelier than any other stands on the tile. On 134 rendered blanks it led by less than 3.7,
or 6.6 where jokers bear a sign; on letters that were nearly taken for blanks by 6.7 and more."""
WRITTEN = 3.0
"""A blank on which somebody wrote a letter is seldom: it must be so much likelier than that letter, photo by photo."""
NOT_SEEN = -100.0
"""No photo says of a letter that it is so unlikely, only people do: such a tile is no example of how it looks."""
BLANK_KIND = 0

Weights = dict[Tile, NDArray[np.float64]]
"""The logarithm of how likely each kind of tile, a blank or one of the letters, or each letter is."""


def suppress_misleading_blanks(looks: NDArray[np.float64], layout: Layout) -> NDArray[np.float64]:
    """The likelihoods without those of blanks on premium squares that look like blanks by themselves.

    A bare square of one colour may be taken for a blank in photo after photo, which are no witnesses that do not know
    of one another. That it is so is seen where several of that kind look like blanks apart from all other tiles, where
    none can lie.

    Parameters
    ----------
    looks : (looks, rows, columns, states) float64
        The logarithm of how likely each state is, look by look.
    layout : Layout
        The board.
    """
    apart: dict[Premium, set[tuple[int, int]]] = {}
    best = looks.argmax(axis=-1)
    seen = (best == BLANK_STATE) & (looks[..., BLANK_STATE] - looks[..., EMPTY_STATE] > SEEN)
    for filled, blanks in zip(best != EMPTY_STATE, seen, strict=True):
        for row, column in np.argwhere(blanks).tolist():
            if not touches(filled, row, column) and (row, column) not in layout.start:
                apart.setdefault(layout[row, column], set()).add((row, column))
    misleading = {kind for kind, squares in apart.items() if len(squares) >= FLOATING_KINDS}
    if not misleading:
        return looks
    at = np.array(
        [
            [layout[row, column] in misleading for column in range(layout.columns)]
            for row in range(layout.rows)
        ]
    )
    told = at & (looks.min(axis=-1) > CORRECTED / 2)  # what people say is no look
    mended = looks.copy()
    mended[told, BLANK_STATE] = np.minimum(mended[told, BLANK_STATE], mended[told, EMPTY_STATE] + NO_WITNESS)
    return mended


def raise_faint_blanks(
    looks: NDArray[np.float64], photos: Sequence[int], layout: Layout, blanks: int
) -> NDArray[np.float64]:
    """The likelihoods with those of blanks raised on squares that stand out from the bare ones of their kind.

    A blank of nearly the board's colour is doubted in photo after photo, which are no witnesses that do not know of
    one another. But where squares are surely bare when they are bare, one that is only nearly so, and again and again,
    is not: its doubts are measured by the bare squares and not by those of other sets. A blank of the last play is
    seen once only, and must stand out from all that is seen of bare squares. Where some photos show a blank and others
    doubt it, these know less of it than they say.

    Parameters
    ----------
    looks : (looks, rows, columns, states) float64
        The logarithm of how likely each state is, look by look.
    photos : sequence of int
        How many photos each look is the sum of.
    layout : Layout
        The board.
    blanks : int
        How many blanks there are: what more squares than these look like is no blank.
    """
    number = np.array(photos)[:, None, None]
    lead = (looks[..., BLANK_STATE] - looks[..., EMPTY_STATE]) / number
    letters = (looks[..., BLANK_STATE + 1 :].max(axis=-1) > looks[..., EMPTY_STATE]).any(axis=0)
    said = (looks.min(axis=-1) < CORRECTED / 2).any(axis=0)
    kinds: dict[Premium, list[tuple[int, int]]] = {}
    for row, column in np.argwhere(~letters & ~said).tolist():
        kinds.setdefault(layout[row, column], []).append((row, column))
    mended = looks.copy()
    if len(looks) < 2:
        return mended
    again, once = np.partition(lead, -2, axis=0)[-2:]
    mended[:, (again > SEEN) & ~letters & ~said, BLANK_STATE] += RARITY * number[..., 0]
    for squares in kinds.values():
        faint = {
            square
            for leads in (again, once)
            for square in sorted(squares, key=leads.__getitem__, reverse=True)[:blanks]
        }
        bare = np.array([lead[:, *square] for square in squares if square not in faint])
        for square in sorted(faint) if bare.size else ():
            own = lead[:, *square]
            level = float(np.quantile(bare, BARE_SHARE))
            if number[own > level + APART].sum() == 1:
                level = float(bare.max())  # one photo alone must show more than any photo of a bare square
            shows = own > level + APART
            if shows.any():
                middle = (float(np.median(own[shows])) + level) / 2
                raised = float(np.clip(-middle, 0, MAX_RAISED))
                likely, empty = mended[:, *square, BLANK_STATE], mended[:, *square, EMPTY_STATE]
                likely[:] = np.maximum(likely + raised * number.ravel(), empty - UNSEEN_ONCE * number.ravel())
                likely[-1] -= CHANCE if raised else 0.0
    return mended


def touches(filled: NDArray[np.bool_], row: int, column: int) -> bool:
    """Whether a tile lies beside the square."""
    near = (
        filled[max(0, row - 1) : row + 2, column].sum() + filled[row, max(0, column - 1) : column + 2].sum()
    )
    return bool(near > 2 * filled[row, column])


def weights_of_tiles(
    histories: SquareTimelines, gone: Sequence[Tile], lying: Sequence[Tile], edition: Edition
) -> Weights:
    """The logarithm of how likely each kind of each tile is, (states - 1,), where no letter is taken for a blank.

    Whether a letter was printed or written is the same question in photo after photo, so that their answers are
    averaged and not added; and where other tiles with that letter look nearly like blanks, too, it was printed. Of
    what more blanks there are than the bag holds, the least sure are letters.

    Parameters
    ----------
    histories : Histories
        What the photos say of each square.
    gone, lying : sequence of Tile
        The tiles that were taken up, and those that lie there at last.
    edition : Edition
        Whose tiles.
    """
    weights = {tile: histories.tile(tile) for tile in (*gone, *lying)}
    letters = {tile: histories.letters(tile) for tile in weights}
    printed: dict[int, list[Tile]] = {}
    for tile, means in letters.items():
        if means.min() > NOT_SEEN and lead(means) > PRINTED:
            printed.setdefault(int(means.argmax()), []).append(tile)
    ahead = {tile: blank_ahead(weights[tile]) / histories.photos(tile) for tile in weights}
    for tiles in printed.values():
        nearly = max((ahead[tile] for tile in tiles if ahead[tile] < WRITTEN), default=0.0)
        for tile in tiles:
            if 0 < ahead[tile] < WRITTEN + max(0.0, nearly):
                weights[tile] = without(weights[tile], [BLANK_KIND])
    count = edition.counts.get(BLANK)
    blanks = sorted((tile for tile in lying if weights[tile].argmax() == BLANK_KIND), key=ahead.__getitem__)
    for tile in blanks[: len(blanks) - count] if count is not None and len(blanks) > count else ():
        weights[tile] = without(weights[tile], [BLANK_KIND])
    return weights


def blank_ahead(weights: NDArray[np.float64]) -> float:
    """By how much a blank is likelier than the likeliest letter."""
    return float(weights[BLANK_KIND] - weights[BLANK_KIND + 1 :].max())


def without(weights: NDArray[np.float64], kinds: Sequence[int]) -> NDArray[np.float64]:
    """The weights with these kinds the least likely ones."""
    changed = weights.copy()
    changed[list(kinds)] = weights.min() - 1.0
    return changed


def lead(weights: NDArray[np.float64]) -> float:
    """How far the likeliest kind is before the next."""
    second, first = np.partition(weights, -2)[-2:]
    return float(first - second)
