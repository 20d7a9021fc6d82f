"""Pool the opinions of several networks on the same squares: the logarithmic opinion pool."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from vision.core import Occupancy, softmax

__all__ = ["pool_occupancy", "pool_opinions", "presence_probabilities", "tile_kind_probabilities"]

Probabilities = NDArray[np.float32]

_FLOOR = 1e-9
"""Added to every probability before its logarithm is taken (chosen)."""

_TILE_OR_BLANK = [int(Occupancy.TILE), int(Occupancy.BLANK)]


def pool_opinions(opinions: Sequence[Probabilities], trust: Sequence[float]) -> Probabilities:
    """Pool opinions, each (n, classes), by the product of their powers.

    Parameters
    ----------
    opinions : sequence of (n, classes) float32
        Probabilities by several networks.
    trust : sequence of float
        The exponent of each.

    References
    ----------
    Genest and Zidek, "Combining Probability Distributions", 1986, section 3: the logarithmic opinion pool.
    """
    logs = [power * np.log(each + _FLOOR) for each, power in zip(opinions, trust, strict=True)]
    return np.asarray(softmax(np.asarray(sum(logs))), np.float32)


def pool_occupancy(
    opinions: Sequence[Probabilities], whether: Sequence[float], which: Sequence[float]
) -> Probabilities:
    """Pool opinions on the occupancy in two steps: whether there is a tile, and which kind it is.

    The network that recognises tiles best is not the one that tells blanks best.

    Parameters
    ----------
    opinions : sequence of (n, 4) float32
        In the order of `Occupancy`.
    whether, which : sequence of float
        The exponents of each for the presence of a tile, and for its kind.
    """
    presence = pool_opinions([presence_probabilities(each) for each in opinions], whether)
    kinds = pool_opinions([tile_kind_probabilities(each) for each in opinions], which)
    result = np.empty_like(opinions[0])
    result[:, [int(Occupancy.EMPTY), int(Occupancy.COVERED)]] = presence[:, [0, 2]]
    result[:, _TILE_OR_BLANK] = presence[:, [1]] * kinds
    return result


def presence_probabilities(occupancy: Probabilities) -> Probabilities:
    """Return the probabilities (n, 3) that squares are empty, hold a tile of any kind, or are covered."""
    empty, covered = occupancy[:, int(Occupancy.EMPTY)], occupancy[:, int(Occupancy.COVERED)]
    return np.stack([empty, occupancy[:, _TILE_OR_BLANK].sum(axis=1), covered], axis=1)


def tile_kind_probabilities(occupancy: Probabilities) -> Probabilities:
    """Return the probabilities (n, 2) that a tile, if there is one, has a letter or is a blank."""
    kinds = occupancy[:, _TILE_OR_BLANK] + np.float32(_FLOOR)
    return np.asarray(kinds / kinds.sum(axis=1, keepdims=True), np.float32)
