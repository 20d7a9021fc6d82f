"""Detect tiles by the colour changes of squares through a game.

A blank of nearly the board's colour is missed in photo after photo, and a bare square's print is taken for a tile. But
a blank changes its square's colour from one photo to the next and for good; print never does. Colours are measured as
a share of the way from the bare squares' colour to the tiles' colour in the same photo, which cancels the light. The
evidence is a change-point likelihood per square, over the photos sorted by that share.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scoring import Layout, Premium
from tilesight.digitise.reading import DARK_LEVELS
from vision.core import Floats, Mask

__all__ = ["score_tiles_by_colour"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ColourSettings:
    """Colour evidence, chosen by rendered games whose seeds no reported result uses.

    Log-odds and log-likelihoods are natural. A share is 0 at the bare squares' colour and 1 at the tiles'.
    """

    max_log_odds: float = 8.0
    """Cap on one photo's log-odds."""
    max_darker_log_odds: float = 5.0
    """Cap on one photo's log-odds where the square is darker than a bare one: usually a neighbouring tile's shadow."""
    max_against_tile: float = 4.0
    """Cap on one photo's log-odds against a tile: some have their square's colour, and are seen by print alone."""
    outlier_log_likelihood: float = -7.5
    """Log-likelihood of any share at all: a hand, a reflex."""
    min_noise: float = 0.06
    """Least standard deviation of a bare square's share from photo to photo."""
    min_spread: float = 0.05
    """Least standard deviation of the shares of bare squares of one premium."""
    shade_sd: float = 0.2
    """Additional standard deviation of a bare square in the shadow of a tile or under its edge."""
    shade_probability: float = 0.1
    """Probability that a bare square is shaded."""
    tile_share: float = 1.05
    """Mean share of a tile's square: blanks, without print, are above 1."""
    tile_sd: float = 0.22
    """Standard deviation of a tile's share."""
    other_tile_log_likelihood: float = -2.6
    """Log-likelihood of any share for a tile: blanks may be of another wood, or reflect the light differently."""
    tile_cost: float = 3.0
    """Cost of a tile on a square: most squares never hold one."""
    max_bare_share: float = 0.5
    """A square whose share is above this in all photos may be printed so, or hold a tile from the first play on."""
    min_decisive: float = 2.0
    """Log-odds above which one photo's colours decide."""
    min_bare_squares: int = 3
    """Bare squares of a premium that are needed to know its colour."""
    min_way: float = 0.06
    """Least distance of the tiles' colour from the bare one, in log brightness."""
    sd_per_mad: float = 1.5
    """Standard deviation of a normal distribution over its median absolute deviation, about."""
    max_off_way: float = 1.0
    """Colours farther than this from the line between bare squares and tiles, as a share of it, are neither."""


SETTINGS = ColourSettings()


def score_tiles_by_colour(
    colours: Sequence[NDArray[np.uint8] | None],
    bare: Mask,
    lettered: Mask,
    layout: Layout,
    blanks: int,
) -> Floats:
    """Compute the log-odds of a tile on each square by its colours.

    Parameters
    ----------
    colours : sequence of (rows, columns, 3) uint8, or None
        Median colour of each photo's squares, BGR.
    bare, lettered : (photos, rows, columns) bool
        Squares that seem bare, and squares that seem to hold a tile with a letter.
    layout : Layout
        The board: squares of one premium have one colour.
    blanks : int
        Number of blanks in the bag. More squares than these are shadows of their neighbours.

    Returns
    -------
    (photos, rows, columns) float64
        The log-odds; 0 where the colours decide nothing.
    """
    log_odds = np.zeros(bare.shape)
    known = np.array([index for index, each in enumerate(colours) if each is not None], np.intp)
    if len(known) < 2:
        return log_odds
    stacked = np.stack([each for each in colours if each is not None])
    logs = np.log(stacked.astype(np.float64) + DARK_LEVELS)
    of_premium: dict[Premium, Mask] = {}
    for row, column in np.ndindex(layout.rows, layout.columns):
        if (row, column) not in layout.start:
            of_premium.setdefault(layout[row, column], np.zeros(bare.shape[1:], bool))[row, column] = True
    for squares in of_premium.values():
        shares = tile_shares(logs, bare[known] & squares, lettered[known])
        if shares is not None:
            log_odds[known] += np.where(squares, change_log_odds(shares, bare[known] & squares), 0.0)
    return limit_to_blanks(log_odds, np.asarray(lettered.any(axis=0)), blanks)


def limit_to_blanks(log_odds: Floats, lettered: Mask, blanks: int) -> Floats:
    """Keep the evidence for tiles on as many squares as there are blanks, and drop it on all others.

    Parameters
    ----------
    log_odds : (photos, rows, columns) float64
        Log-odds of a tile.
    lettered : (rows, columns) bool
        Squares on which letters are seen; they are left to the reader.
    blanks : int
        Number of blanks in the bag.
    """
    log_odds = np.where(find_non_monotone(log_odds), 0.0, log_odds)
    positive = np.clip(log_odds, 0.0, None)
    photos = (positive > 0).sum(axis=0)
    mean = positive.sum(axis=0) / np.maximum(photos, 1)
    strength = np.where(lettered, 0.0, mean)
    is_blank = np.zeros(lettered.size, bool)
    is_blank[np.argsort(-strength, axis=None, kind="stable")[:blanks]] = True
    limited = np.where(is_blank.reshape(lettered.shape), log_odds, np.minimum(log_odds, 0.0))
    return np.where(lettered, 0.0, limited)


def find_non_monotone(log_odds: Floats) -> Mask:
    """Find the squares, (rows, columns), that seem to hold a tile before they seem to hold none: tiles stay."""
    holds = log_odds > SETTINGS.min_decisive
    gone = np.maximum.accumulate(holds, axis=0) & (log_odds < -SETTINGS.min_decisive)
    return np.asarray(gone.any(axis=0))


def tile_shares(logs: Floats, bare: Mask, lettered: Mask) -> Floats | None:
    """Measure how far each square's colour is on the way from the bare squares' colour to the tiles'.

    Parameters
    ----------
    logs : (photos, rows, columns, 3) float64
        Logarithm of each square's colour.
    bare, lettered : (photos, rows, columns) bool
        Bare squares of one premium, and squares with letters.

    Returns
    -------
    (photos, rows, columns) float64 or None
        The shares. NaN where a photo does not show the bare colour, or a square has neither colour. None if no photo
        shows enough bare squares, or the tiles have the squares' colour.
    """
    enough = bare.sum(axis=(1, 2)) >= SETTINGS.min_bare_squares
    if not enough.any():
        return None
    level = np.full((len(logs), 3), np.nan)
    level[enough] = [
        np.median(photo[squares], axis=0) for photo, squares in zip(logs[enough], bare[enough], strict=True)
    ]
    offset = logs - level[:, None, None]
    tiles = offset[lettered & enough[:, None, None]]
    if not len(tiles):
        return None
    way = np.median(tiles, axis=0)
    length = float(way @ way)
    if length < SETTINGS.min_way**2:
        return None
    share = offset @ way / length
    off_way = np.linalg.norm(offset - share[..., None] * way, axis=-1) / np.sqrt(length)
    return np.where(off_way < SETTINGS.max_off_way, share, np.nan)


def change_log_odds(shares: Floats, bare: Mask) -> Floats:
    """Compute the log-odds of a tile on each square, photo by photo, by one change of its colour.

    A square's own bare share differs a little from its premium's, by the same amount in all photos. The photos are
    ranked by their distance from it. Each number of nearest photos is tried as those that show the square bare.

    Parameters
    ----------
    shares : (photos, rows, columns) float64
        See `tile_shares`.
    bare : (photos, rows, columns) bool
        Squares of one premium that seem bare.

    Returns
    -------
    (photos, rows, columns) float64
        The log-odds.
    """
    own = np.where(bare, shares, np.nan)
    if np.isnan(own).all():
        return np.zeros(shares.shape)
    middle = nan_median(own)
    spread = max(SETTINGS.min_spread, SETTINGS.sd_per_mad * float(np.nanmedian(np.abs(middle))))
    noise = max(SETTINGS.min_noise, SETTINGS.sd_per_mad * float(np.nanmedian(np.abs(own - middle))))
    values = shares.reshape(len(shares), -1)
    near = np.where(np.abs(values) < SETTINGS.max_bare_share, values, np.nan)
    distance = np.abs(values - np.nan_to_num(nan_median(near)))
    order = np.argsort(np.where(np.isnan(distance), np.inf, distance), axis=0, kind="stable")
    ranked = np.take_along_axis(values, order, axis=0)
    by_split = split_log_likelihoods(ranked, spread, noise)
    log_odds = np.zeros_like(values)
    for rank in range(len(values)):
        odds = np.logaddexp.reduce(by_split[: rank + 1]) - np.logaddexp.reduce(by_split[rank + 1 :])
        is_known = ~np.isnan(ranked[rank])
        np.put_along_axis(log_odds, order[rank][None], np.where(is_known, odds, 0.0)[None], axis=0)
    log_odds[:, ~(np.abs(ranked[0]) < SETTINGS.max_bare_share)] = 0.0
    # What is measured badly may be wrong in all photos alike.
    most = SETTINGS.max_log_odds * SETTINGS.min_noise / noise
    upper = np.where(values < 0, min(most, SETTINGS.max_darker_log_odds), most)
    return np.clip(log_odds, -min(most, SETTINGS.max_against_tile), upper).reshape(shares.shape)


def split_log_likelihoods(ranked: Floats, spread: float, noise: float) -> Floats:
    """Compute the log-likelihood of each split of a square's photos into bare ones and ones with a tile.

    Parameters
    ----------
    ranked : (photos, squares) float64
        Shares, ranked by their distance from the square's bare share; NaN last.
    spread : float
        Standard deviation of the squares' own bare shares.
    noise : float
        Standard deviation of a square's share from photo to photo.

    Returns
    -------
    (photos + 1, squares) float64
        By the number of photos that show the square bare.
    """
    photos = len(ranked)
    is_known = ~np.isnan(ranked)
    ranked = np.where(is_known, ranked, 0.0)
    count = is_known.sum(axis=0)
    sums = np.concatenate([np.zeros((1, ranked.shape[1])), np.cumsum(ranked, axis=0)])
    with_tile = np.logaddexp(
        log_likelihood(ranked, SETTINGS.tile_share, SETTINGS.tile_sd), SETTINGS.other_tile_log_likelihood
    )
    logs = np.full((photos + 1, ranked.shape[1]), -np.inf)
    for split in range(photos + 1):
        is_bare = np.arange(photos)[:, None] < split
        unshaded = np.minimum(split, (count + 1) // 2)  # of many bare photos some are shaded
        # Posterior mean of the square's own bare share, with its premium's 0 as the prior mean.
        level = np.take_along_axis(sums, unshaded[None], axis=0)[0] / noise**2
        level /= unshaded / noise**2 + 1 / spread**2
        each = np.where(is_bare, bare_log_likelihood(ranked, level, noise), with_tile)
        logs[split] = np.where(is_known, each, 0.0).sum(axis=0) - ((level / spread) ** 2) / 2
        logs[split] -= SETTINGS.tile_cost * (split < count)
        logs[split, split > count] = -np.inf
    return logs


def log_likelihood(values: Floats, mean: Floats | float, sd: float) -> Floats:
    """Return the log-likelihood of values: a normal distribution with a floor for outliers."""
    normal = -(((values - mean) / sd) ** 2) / 2 - np.log(sd * np.sqrt(2 * np.pi))
    return np.asarray(np.logaddexp(normal, SETTINGS.outlier_log_likelihood))


def bare_log_likelihood(values: Floats, mean: Floats, sd: float) -> Floats:
    """Return the log-likelihood of bare squares, some of which are shaded."""
    return np.asarray(
        np.logaddexp(
            np.log(1 - SETTINGS.shade_probability) + log_likelihood(values, mean, sd),
            np.log(SETTINGS.shade_probability) + log_likelihood(values, mean, sd + SETTINGS.shade_sd),
        )
    )


def nan_median(values: Floats) -> Floats:
    """Return the median of each square's photos, NaN where there is none."""
    known = ~np.isnan(values).all(axis=0)
    middle = np.full(values.shape[1:], np.nan)
    middle[known] = np.nanmedian(values[:, known], axis=0)
    return middle
