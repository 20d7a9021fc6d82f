"""Several networks' opinions on the same squares, as one."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from vision.readings import Occupancy

__all__ = ["kinds_of_tile", "pooled", "pooled_occupancy", "whether_laid"]

Probabilities = NDArray[np.float32]

_NEVER = 1e-9
_LAID = [int(Occupancy.TILE), int(Occupancy.BLANK)]


def pooled(opinions: Sequence[Probabilities], trust: Sequence[float]) -> Probabilities:
    """Opinions, each (n, classes), as one: their product, each to the power that it is trusted with.

    References
    ----------
    Genest and Zidek, "Combining Probability Distributions", 1986, section 3: the logarithmic opinion pool.
    """
    logs = sum(power * np.log(each + _NEVER) for each, power in zip(opinions, trust, strict=True))
    weights = np.exp(logs - np.max(logs, axis=1, keepdims=True))
    return np.asarray(weights / weights.sum(axis=1, keepdims=True), np.float32)


def pooled_occupancy(
    opinions: Sequence[Probabilities], whether: Sequence[float], which: Sequence[float]
) -> Probabilities:
    """Opinions on what lies on squares, each (n, 4), as one.

    Two questions, since who sees best whether a tile lies there does not see best whether it is a blank.

    Parameters
    ----------
    opinions : sequence of (n, 4) float32
        In the order of `Occupancy`.
    whether, which : sequence of float
        How far each is trusted to say whether a tile lies there, and which kind of tile it is.
    """
    laid = pooled([whether_laid(each) for each in opinions], whether)
    kinds = pooled([kinds_of_tile(each) for each in opinions], which)
    result = np.empty_like(opinions[0])
    result[:, [int(Occupancy.EMPTY), int(Occupancy.COVERED)]] = laid[:, [0, 2]]
    result[:, _LAID] = laid[:, [1]] * kinds
    return result


def whether_laid(occupancy: Probabilities) -> Probabilities:
    """(n, 3) whether squares are bare, hold a tile of any kind, or are covered."""
    bare, covered = occupancy[:, int(Occupancy.EMPTY)], occupancy[:, int(Occupancy.COVERED)]
    return np.stack([bare, occupancy[:, _LAID].sum(axis=1), covered], axis=1)


def kinds_of_tile(occupancy: Probabilities) -> Probabilities:
    """(n, 2) whether a tile, if one lies there, has a letter or is a blank."""
    kinds = occupancy[:, _LAID] + np.float32(_NEVER)
    return np.asarray(kinds / kinds.sum(axis=1, keepdims=True), np.float32)
