"""More examples of a tile than there are photos: moved, turned, relit, and with other neighbours."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

__all__ = ["varied"]

Cells = NDArray[np.uint8]

_MOST_SHIFT, _MOST_TURN_DEG, _MOST_ZOOM = 0.05, 5.0, 0.06
"""Of the picture's side; degrees; share: how tiles of one set differ between squares and photos."""

_OTHER_NEIGHBOURS = 0.9
"""Share of the pictures around which another square's surroundings are put: a letter must not be known by them."""

_RIM = (0.08, 0.17)
"""Width of those surroundings as a share of the side."""

_MOST_BLUR = 0.02
"""Standard deviation as a share of the side."""


def varied(cells: Cells, copies: int, rng: np.random.Generator) -> Cells:
    """Each picture and `copies` variations of it, one behind the other.

    Parameters
    ----------
    cells : (n, side, side, 3) uint8
        Squares with some of their surroundings, BGR.
    copies : int
        How many variations of each.
    rng : numpy.random.Generator
        What chooses them.

    Returns
    -------
    (n * (copies + 1), side, side, 3) uint8
    """
    result = []
    for cell in cells:
        result.append(cell)
        result += [_variation(cell, cells, rng) for _ in range(copies)]
    return np.stack(result)


def _variation(cell: Cells, others: Cells, rng: np.random.Generator) -> Cells:
    side = cell.shape[0]
    middle = (side - 1) / 2
    turn = float(rng.uniform(-_MOST_TURN_DEG, _MOST_TURN_DEG))
    zoom = 1 + float(rng.uniform(-_MOST_ZOOM, _MOST_ZOOM))
    matrix = cv2.getRotationMatrix2D((middle, middle), turn, zoom)
    matrix[:, 2] += rng.uniform(-_MOST_SHIFT, _MOST_SHIFT, 2) * side
    moved = np.asarray(cv2.warpAffine(cell, matrix, (side, side), borderMode=cv2.BORDER_REPLICATE), np.uint8)
    if rng.random() < _OTHER_NEIGHBOURS:
        around = np.rot90(others[int(rng.integers(len(others)))], int(rng.integers(4))).copy()
        low, high = round(_RIM[0] * side), round(_RIM[1] * side)
        top, left, bottom, right = (int(width) for width in rng.integers(low, high, size=4))
        inner = slice(top, side - bottom), slice(left, side - right)
        around[inner] = moved[inner]
        moved = around
    if rng.random() < 0.5:
        moved = np.asarray(
            cv2.GaussianBlur(moved, (0, 0), float(rng.uniform(0.3, _MOST_BLUR * side))), np.uint8
        )
    return moved
