"""Boards as arrays of small numbers, so that many of them can be compared at once."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from scoring import BLANK, COVERED, EMPTY, bag_tile

__all__ = ["BoardCodes", "may_be_one_play"]

BLANK_CODE = 1
"""The code of every blank, whatever letter it stands for."""
MAX_CODE = 255
"""The largest code of a uint8; all further letters share it."""


class BoardCodes:
    """Encodes boards: 0 for an empty or covered square, `BLANK_CODE` for all blanks, one number a letter."""

    def __init__(self, squares: int) -> None:
        self.squares = squares
        self._numbers: dict[str, int] = {BLANK: BLANK_CODE}

    def encode(self, rows: Sequence[Sequence[str]], rack_size: int) -> NDArray[np.uint8]:
        """Encode one board row by row, (squares,) uint8; the rest is 0.

        Isolated tiles next to a first play are dropped. A board without rows, or larger than `squares`, has no tiles.
        """
        codes = np.zeros(self.squares, np.uint8)
        tokens = [token for row in rows for token in row]
        if 0 < len(tokens) <= self.squares:
            codes[: len(tokens)] = [self._number(token) for token in tokens]
            codes[: len(tokens)] *= drop_isolated_tiles(
                codes[: len(tokens)].reshape(len(rows), -1) > 0, rack_size
            ).ravel()
        return codes

    def _number(self, token: str) -> int:
        if token in (EMPTY, COVERED):
            return 0
        return self._numbers.setdefault(bag_tile(token), min(len(self._numbers) + 1, MAX_CODE))


def drop_isolated_tiles(is_filled: NDArray[np.bool_], rack_size: int) -> NDArray[np.bool_]:
    """Drop tiles without a neighbour, if the others may be a first play.

    The tiles of a first play touch one another, and print on an empty board is sometimes read as letters. Among more
    tiles one may seem isolated because a connecting tile was overlooked.
    """
    padded = np.pad(is_filled, 1)
    has_neighbour = padded[:-2, 1:-1] | padded[2:, 1:-1] | padded[1:-1, :-2] | padded[1:-1, 2:]
    connected: NDArray[np.bool_] = is_filled & has_neighbour
    return connected if 0 < connected.sum() <= rack_size else is_filled


def may_be_one_play(board: NDArray[np.uint8], columns: int, rack_size: int) -> bool:
    """Whether all tiles on a board, given as codes, may have been placed in one turn."""
    rows, places = np.divmod(np.flatnonzero(board), columns)
    return len(rows) <= rack_size and (len(set(rows)) == 1 or len(set(places)) == 1)
