"""Boards as arrays of small numbers, so that many of them can be compared at once."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from scoring import BLANK, COVERED, EMPTY, bag_tile

__all__ = ["BoardCodes", "find_duplicate"]

BLANK_CODE = 1
"""The code of every blank, whatever letter it stands for."""
MAX_CODE = 255
"""The largest code of a uint8; all further letters share it."""
MAX_HASH_DISTANCE = 16
"""Bits of 256 by which the hashes of copies may differ. Copies at a quarter to full size and JPEG quality 30 to 75
differed by 5 (median) to 15, hand-held photos of other moments by 55 and more."""


class BoardCodes:
    """Encodes boards: 0 for an empty or covered square, `BLANK_CODE` for all blanks, one number a letter."""

    def __init__(self, squares: int) -> None:
        self.squares = squares
        self._numbers: dict[str, int] = {EMPTY: 0, COVERED: 0, BLANK: BLANK_CODE}

    def encode(self, rows: Sequence[Sequence[str]]) -> NDArray[np.uint8]:
        """Encode one board row by row, (squares,) uint8; the rest is 0.

        A board without rows, or larger than `squares`, has no tiles.
        """
        codes = np.zeros(self.squares, np.uint8)
        tokens = [bag_tile(token) for row in rows for token in row]
        if len(tokens) <= self.squares:
            codes[: len(tokens)] = [
                self._numbers.setdefault(token, min(len(self._numbers) - 1, MAX_CODE)) for token in tokens
            ]
        return codes


def find_duplicate(hashes: NDArray[np.uint64], boards: NDArray[np.uint8], index: int) -> int | None:
    """Find the first picture before this one that shows the same.

    A camera on a stand takes nearly the same picture of two turns of a game. The tiles must therefore be on the same
    squares, too. Their letters do not count, as a copy that is compressed more may be read differently.

    `hashes` has the perceptual hashes, (pictures, HASH_WORDS), 0 for a picture without one; `boards` the codes.
    """
    distance = np.bitwise_count(hashes[:index] ^ hashes[index]).sum(axis=1)
    near = np.flatnonzero((distance <= MAX_HASH_DISTANCE) & hashes[:index].any(axis=1))
    same = near[((boards[near] > 0) == (boards[index] > 0)).all(axis=1)]
    return int(same[0]) if len(same) else None
