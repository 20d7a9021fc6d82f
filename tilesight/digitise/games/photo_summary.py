"""What is kept of each photo in memory to compare it with others: about a kilobyte."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import PurePath

import numpy as np
from numpy.typing import NDArray

from scoring import BLANK, COVERED, EMPTY, bag_tile
from tilesight.digitise.reading import Corners

__all__ = ["BoardCodes", "BoardKey", "PhotoSummary", "find_duplicate"]

BLANK_CODE = 1
"""The code of every blank, whatever letter it stands for."""
MAX_CODE = 255
"""The largest code of a uint8; all further letters share it."""
MAX_HASH_DISTANCE = 16
"""Bits of 256 by which the hashes of copies may differ. Copies at a quarter to full size and JPEG quality 30 to 75
differed by 5 (median) to 15, hand-held photos of other moments by 55 and more."""


BoardKey = tuple[str, int, int]
"""What photos of one game have in common: the folder, and the rows and columns of the board."""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class PhotoSummary:
    """What a photo is compared by."""

    index: int
    name: str
    taken: str | None
    """When it was taken, in ISO 8601."""
    rows: int = 15
    columns: int = 15
    tiles: int = 0
    rack_size: int = 7
    edition: str | None = None
    """The edition by which its board was read; None if there is no board."""
    editions: Mapping[str, float] = field(default_factory=dict)
    """The probabilities of its editions, by this photo alone; none if it does not show them."""
    quarter_turns: int = 0
    """Those of its `BoardRecord`."""
    tried_corners_px: Corners | None = None
    """Where a board may be that was refused."""

    @property
    def folder(self) -> str:
        """The folder of its file."""
        return str(PurePath(self.name).parent)

    @property
    def key(self) -> BoardKey:
        """The folder and the size of the board."""
        return self.folder, self.rows, self.columns


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
