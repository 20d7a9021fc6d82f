"""Find photos that show nearly the same picture as an earlier one."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["find_duplicate"]

MAX_HASH_DISTANCE = 16
"""Bits of 256 by which the hashes of copies may differ. Copies at a quarter to full size and JPEG quality 30 to 75
differed by 5 (median) to 15, hand-held photos of other moments by 55 and more."""


def find_duplicate(hashes: NDArray[np.uint64], boards: NDArray[np.uint8], index: int) -> int | None:
    """Find the first picture before this one that shows the same.

    A camera on a stand takes nearly the same picture of two turns of a game. The tiles must therefore be on the same
    squares, too. Their letters do not count, as a copy that is compressed more may be read differently.

    Parameters
    ----------
    hashes : (pictures, HASH_WORDS) uint64
        The perceptual hashes.
    boards : (pictures, squares) uint8
        The codes of the boards, see `BoardCodes`.
    index : int
        The picture.

    Returns
    -------
    int or None
        Index of the earlier picture, None if there is none.
    """
    distance = np.bitwise_count(hashes[:index] ^ hashes[index]).sum(axis=1)
    near = np.flatnonzero(distance <= MAX_HASH_DISTANCE)
    same = near[((boards[near] > 0) == (boards[index] > 0)).all(axis=1)]
    return int(same[0]) if len(same) else None
