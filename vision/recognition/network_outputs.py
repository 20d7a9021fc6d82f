"""The outputs of the three networks of the cascade, and what is done to their rows."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "CELL_OUTPUTS",
    "GLANCE_OUTPUTS",
    "TILE_OUTPUTS",
    "CellOutputs",
    "TileOutputs",
    "join_features",
    "scatter_rows",
]

Probabilities = NDArray[np.float32]

GLANCE_OUTPUTS = ("occupancy",)
CELL_OUTPUTS = ("occupancy", "letter", "value", "turn")
TILE_OUTPUTS = ("occupancy", "letter", "value")


class CellOutputs(NamedTuple):
    """Outputs of `cells`, each (n, classes); `features` only where it was loaded with them."""

    occupancy: Probabilities
    letters: Probabilities
    values: Probabilities
    turns: Probabilities
    features: Probabilities | None = None


class TileOutputs(NamedTuple):
    """Outputs of `tiles`, each (n, classes), and its features (n, m)."""

    occupancy: Probabilities
    letters: Probabilities
    values: Probabilities
    features: Probabilities


def scatter_rows(
    rows: NDArray[np.float32], numbers: NDArray[np.intp], count: int, fill: float
) -> NDArray[np.float32]:
    """Return `count` rows that are `fill` except for those numbered."""
    result = np.full((count, rows.shape[1]), fill, np.float32)
    result[numbers] = rows
    return result


def join_features(first: Probabilities, second: Probabilities) -> Probabilities:
    """Concatenate the features (n, ...) of both networks, each at unit length, so that neither outweighs the other."""
    lengths = (np.linalg.norm(each, axis=1, keepdims=True) + 1e-6 for each in (first, second))
    return np.hstack([each / length for each, length in zip((first, second), lengths, strict=True)])
