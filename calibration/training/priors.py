"""Frequencies of letters, values, turns and blanks in training, against those of real boards."""

from __future__ import annotations

import math

import numpy as np

from calibration.training.data import TURNED, VALUE_LABELS, ShardFolder, all_tokens
from scoring import edition_names, load_edition
from vision.core import Floats

__all__ = ["blank_correction", "letter_factors", "turn_shares", "value_factors", "value_weights"]

MAX_FACTOR = 5.0
"""Cap on the ratio of a value's frequency in bags and in training; chosen: sets with other values exist."""
BLANK_ODDS = 1 / 30
"""Blanks per tile with a letter on real boards, about."""
VALUE_WEIGHT_POWER = -0.8
"""Power of a value's frequency in its weight; chosen. -1 would balance values completely, but makes for noise."""


def value_weights(shards: ShardFolder) -> Floats:
    """Return the weight of each printed value in the loss, (letters, values).

    Most sets print the value of the rules, so that a letter almost determines its value and a network would guess it.
    A value therefore counts the more the rarer it is with its letter.
    """
    counts = shards.value_counts(len(all_tokens())) + 1.0
    shares = counts / counts.sum(axis=1, keepdims=True)
    return np.asarray((len(VALUE_LABELS) * shares) ** VALUE_WEIGHT_POWER)


def turn_shares(shards: ShardFolder) -> list[float]:
    """Return the shares of letters that are turned by 0 to 3 quarters in training, augmentation included."""
    rendered = shards.turn_counts() / shards.turn_counts().sum()
    return [float((1 - TURNED) * rendered[k] + TURNED * (1 - rendered[k]) / 3) for k in range(4)]


def blank_correction(shards: ShardFolder) -> float:
    """Return the logarithm of the odds of a blank on real boards over those in training."""
    return math.log(BLANK_ODDS / shards.blank_odds())


def letter_factors(shards: ShardFolder, exponents: tuple[float, float]) -> list[float]:
    """Return the prior of each letter in the pool of `cells` and `tiles`, relative to a mean letter.

    Letters that are hard to tell apart are rendered twice as often, those of few editions rarely. Each network learns
    these odds, and the pool raises them to a power.

    Parameters
    ----------
    shards : ShardFolder
        What `tiles` was trained on; the letters of `cells` were as frequent.
    exponents : pair of float
        The exponents of the pool, see `vision.recognition.pool_opinions`.
    """
    counts = shards.letter_counts(len(all_tokens())) + 1.0
    return [round(float(factor), 4) for factor in (counts / counts.mean()) ** sum(exponents)]


def value_factors(shards: ShardFolder) -> list[float]:
    """Return the ratio of each value's frequency in the bags of the shipped editions and in training.

    The frequency of tiles without a value is left as it was. A factor is at most `MAX_FACTOR` and at least its inverse.
    """
    counts = shards.value_counts(len(all_tokens())).sum(axis=0) + 1.0
    in_training = counts[1:] / counts[1:].sum()
    in_bags = np.full(len(in_training), 0.01)
    for name in edition_names():
        edition = load_edition(name)
        tiles = {token: count for token, count in edition.counts.items() if token != "?" and count}
        for token, count in tiles.items():
            if edition.values[token] in VALUE_LABELS:
                in_bags[VALUE_LABELS.index(edition.values[token]) - 1] += count / sum(tiles.values())
    factors = np.clip(in_bags / in_bags.sum() / in_training, 1 / MAX_FACTOR, MAX_FACTOR)
    return [1.0, *(round(float(factor), 4) for factor in factors / (factors @ in_training))]
