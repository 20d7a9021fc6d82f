"""Which squares hold a tile, by their colours through a game: a square with a tile is not of the colour that it had.

A blank of nearly the board's colour is overlooked in photo after photo, and a bare square's print is taken for a tile;
but a blank that was laid changed its square's colour from one photo to the next and for good, and print never did.
Measured along the way from the bare squares' colour to the tiles' in the same photo, it makes no difference what the
light was.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from scoring import Layout, Premium
from tilesight.digitise.reading.square_colours import DARKEST

__all__ = ["score_tiles_by_colour"]

# Natural logarithms of odds, and shares of the way from bare squares to tiles; chosen by rendered games whose seeds no
# result is reported of.
STRONGEST = 8.0
"""No photo's colours say more than this."""
ODD = -7.5
"""How likely it is that a square is of any colour whatever: under a hand, in a reflex."""
NOISE = 0.06
"""What a square's colour differs by from photo to photo, at least."""
SHADED, SHADED_SHARE = 0.2, 0.1
"""By how much more a bare square differs in some photos: it lies in the shadow of a tile, or under its edge."""
TILE_LEVEL, TILE_SPREAD = 1.05, 0.22
"""How far along a tile's square lies: one without print farther than the others."""
OTHER_TILE = -2.6
"""How likely a tile is of any colour: blanks may be of another wood, and lean otherwise to the light."""
MAY_BE_SHADE = 5.0
"""Beyond the bare squares' colour, seen from the tiles', a square may lie in the shadow of one: no photo says more."""
MAY_BE_ALIKE = 4.0
"""No photo says more against a tile: some are of their square's colour, and are seen by their print and edges alone."""
MIN_SPREAD = 0.05
"""Bare squares of one kind differ by at least so much."""
RARE = 3.0
"""Most squares never hold a tile."""
NEVER_BARE = 0.5
"""A square that is so far along in all photos may be printed so, or hold a tile from the first play on."""
SAID, MANY = 2.0, 4
"""By less no photo's colours say what lies there; one photo in so many may stand at the wrong place."""
MORE_PHOTOS = 0.01
"""What counts of squares that seem to hold a blank is how sure each photo is, and hardly how many there are."""
MIN_BARE, MIN_WAY = 3, 0.06
"""Bare squares of a kind that tell its colour, and how far away the tiles' must be, as a share of its brightness."""
DEVIATION = 1.5
"""About how many median absolute deviations of a normal curve its standard deviation is."""
FARTHEST = 1.0
"""What lies farther off the way is of another colour than bare squares and tiles."""

Floats = NDArray[np.float64]
Squares = NDArray[np.bool_]


def score_tiles_by_colour(
    colours: Sequence[NDArray[np.uint8] | None],
    bare: Squares,
    lettered: Squares,
    layout: Layout,
    blanks: int,
) -> Floats:
    """By how much a tile on each square is likelier than none by its colour, (photos, rows, columns).

    Parameters
    ----------
    colours : sequence of (rows, columns, 3) uint8, or None
        Of each photo's squares.
    bare, lettered : (photos, rows, columns) bool
        The squares that seem to be bare, and that seem to hold a tile with a letter.
    layout : Layout
        The board: squares of one kind look alike.
    blanks : int
        How many tiles without a letter there are: what more squares seem to be is the shadow of their neighbours.
    """
    said = np.zeros(bare.shape)
    known = np.array([number for number, each in enumerate(colours) if each is not None], np.intp)
    if len(known) < 2:
        return said
    seen = np.stack([each for each in colours if each is not None])
    logs = np.log(seen.astype(np.float64) + DARKEST)
    kinds: dict[Premium, Squares] = {}
    for row, column in np.ndindex(layout.rows, layout.columns):
        if (row, column) not in layout.start:
            kinds.setdefault(layout[row, column], np.zeros(bare.shape[1:], bool))[row, column] = True
    for kind in kinds.values():
        way = along(logs, bare[known] & kind, lettered[known])
        if way is not None:
            said[known] += np.where(kind, filled(way, bare[known] & kind), 0.0)
    return without_shadows(said, np.asarray(lettered.any(axis=0)), blanks)


def without_shadows(said: Floats, lettered: Squares, blanks: int) -> Floats:
    """What colours say without the tiles that nothing but they tell, but for as many as there are blanks.

    Parameters
    ----------
    said : (photos, rows, columns) float64
        By how much a tile is likelier than none.
    lettered : (rows, columns) bool
        The squares on which letters are seen.
    blanks : int
        How many tiles have none.
    """
    said = np.where(fickle(said), 0.0, said)
    positive = np.clip(said, 0.0, None)
    photos = (positive > 0).sum(axis=0)
    strength = np.where(lettered, 0.0, positive.sum(axis=0) / np.maximum(photos, 1) + MORE_PHOTOS * photos)
    blank = np.zeros(lettered.size, bool)
    blank[np.argsort(-strength, axis=None, kind="stable")[:blanks]] = True
    told = np.where(blank.reshape(lettered.shape), said, np.minimum(said, 0.0))
    return np.where(lettered, 0.0, told)


def fickle(said: Floats) -> Squares:
    """The squares, (rows, columns), that seem to hold a tile before they seem to hold none: tiles stay.

    One photo of many may stand at the wrong place.
    """
    holds = said > SAID
    gone = np.maximum.accumulate(holds, axis=0) & (said < -SAID)
    return np.asarray(gone.sum(axis=0) > holds.sum(axis=0) // MANY)


def along(logs: Floats, bare: Squares, lettered: Squares) -> Floats | None:
    """How far each square is on the way from bare ones to tiles, (photos, rows, columns); None where none tell it.

    NaN where a photo does not show the bare colour, or a square is of neither.
    """
    enough = bare.sum(axis=(1, 2)) >= MIN_BARE
    if not enough.any():
        return None
    level = np.full((len(logs), 3), np.nan)
    level[enough] = [
        np.median(each[seen], axis=0) for each, seen in zip(logs[enough], bare[enough], strict=True)
    ]
    offset = logs - level[:, None, None]
    tiles = offset[lettered & enough[:, None, None]]
    if not len(tiles):
        return None
    way = np.median(tiles, axis=0)
    length = float(way @ way)
    if length < MIN_WAY**2:
        return None
    share = offset @ way / length
    beside = np.linalg.norm(offset - share[..., None] * way, axis=-1) / np.sqrt(length)
    return np.where(beside < FARTHEST, share, np.nan)


def filled(way: Floats, bare: Squares) -> Floats:
    """By how much each square is likelier to hold a tile, photo by photo, (photos, rows, columns).

    A square's bare colour is a little another one than its kind's, the same in all photos: that those of its photos
    that are nearest to the bare colour show it bare, and the others with a tile, is tried for any number of them.
    """
    photos, rows, columns = way.shape
    own = np.where(bare, way, np.nan)
    if np.isnan(own).all():
        return np.zeros(way.shape)
    middle = nan_median(own)
    spread = max(MIN_SPREAD, DEVIATION * float(np.nanmedian(np.abs(middle))))
    noise = max(NOISE, DEVIATION * float(np.nanmedian(np.abs(own - middle))))
    values = way.reshape(photos, -1)
    nearest = np.nan_to_num(nan_median(np.where(np.abs(values) < NEVER_BARE, values, np.nan)))
    away = np.abs(values - nearest)
    order = np.argsort(np.where(np.isnan(away), np.inf, away), axis=0, kind="stable")
    ranked = np.take_along_axis(values, order, axis=0)
    seen = ~np.isnan(ranked)
    ranked = np.where(seen, ranked, 0.0)
    number = seen.sum(axis=0)
    sums = np.concatenate([np.zeros((1, ranked.shape[1])), np.cumsum(ranked, axis=0)])
    weights = np.full((photos + 1, ranked.shape[1]), -np.inf)
    on_tile = np.logaddexp(likely(ranked, TILE_LEVEL, TILE_SPREAD), OTHER_TILE)
    for split in range(photos + 1):
        # the first `split` are bare, the others hold a tile
        low = np.arange(photos)[:, None] < split
        plain = np.minimum(split, (number + 1) // 2)  # of many bare ones some are shaded
        level = np.take_along_axis(sums, plain[None], axis=0)[0] / noise**2
        level /= plain / noise**2 + 1 / spread**2
        each = np.where(low, bare_likely(ranked, level, noise), on_tile)
        weights[split] = np.where(seen, each, 0.0).sum(axis=0) - ((level / spread) ** 2) / 2
        weights[split] -= RARE * (split < number)
        weights[split, split > number] = -np.inf
    said = np.zeros_like(values)
    for place in range(photos):
        odds = np.logaddexp.reduce(weights[: place + 1]) - np.logaddexp.reduce(weights[place + 1 :])
        np.put_along_axis(said, order[place][None], np.where(seen[place], odds, 0.0)[None], axis=0)
    said[:, ~(np.abs(ranked[0]) < NEVER_BARE)] = 0.0
    strongest = STRONGEST * NOISE / noise  # what is measured badly may err in all photos alike
    most = np.where(values < 0, min(strongest, MAY_BE_SHADE), strongest)
    return np.clip(said, -min(strongest, MAY_BE_ALIKE), most).reshape(photos, rows, columns)


def likely(values: Floats, level: Floats | float, noise: float) -> Floats:
    """The logarithm of how likely values are around a level; odd ones are less unlikely than a normal curve has it."""
    normal = -(((values - level) / noise) ** 2) / 2 - np.log(noise * np.sqrt(2 * np.pi))
    return np.asarray(np.logaddexp(normal, ODD))


def bare_likely(values: Floats, level: Floats, noise: float) -> Floats:
    """The same of bare squares, of which some are shaded."""
    return np.asarray(
        np.logaddexp(
            np.log(1 - SHADED_SHARE) + likely(values, level, noise),
            np.log(SHADED_SHARE) + likely(values, level, noise + SHADED),
        )
    )


def nan_median(values: Floats) -> Floats:
    """The median of each square's photos, NaN where there is none."""
    known = ~np.isnan(values).all(axis=0)
    middle = np.full(values.shape[1:], np.nan)
    middle[known] = np.nanmedian(values[:, known], axis=0)
    return middle
