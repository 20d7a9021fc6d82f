"""Whether the letters stand upright: told by several letters together, or not at all."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from vision.decode import board_turn
from vision.readings import BoardReading, Occupancy

__all__ = ["LETTERS_TO_TURN", "letters_turn", "letters_upright"]

Mask = NDArray[np.bool_]

LETTERS_TO_TURN = 2.5
"""Expected number of letters from which they say which way is up; a single false one must not."""
SURE_TURN = 0.9


def letters_turn(reading: BoardReading, squares: Mask | None = None, least: float = LETTERS_TO_TURN) -> int:
    """Quarter turns after which the letters stand upright; 0 unless several say so clearly.

    Parameters
    ----------
    reading : BoardReading
        What was read.
    squares : (rows, columns) bool, optional
        Which squares are asked; all of them by default.
    least : float
        Expected number of letters from which they are heard.
    """
    turn, confidence = _turn_of(reading, squares, least)
    return turn if confidence >= SURE_TURN else 0


def letters_upright(
    reading: BoardReading, squares: Mask | None = None, least: float = LETTERS_TO_TURN
) -> bool:
    """Whether the letters on these squares say clearly that they stand upright."""
    turn, confidence = _turn_of(reading, squares, least)
    return turn == 0 and confidence >= SURE_TURN


def _turn_of(reading: BoardReading, squares: Mask | None, least: float) -> tuple[int, float]:
    """What the letters on these squares say, with no confidence where they are too few."""
    tiles = np.where(
        reading.occupancy[..., Occupancy.TILE] > 0.5, reading.occupancy[..., Occupancy.TILE], np.float32(0)
    )
    if squares is not None:
        tiles = tiles * squares
    if float(tiles.sum()) < least:
        return 0, 0.0
    occupancy = np.zeros_like(reading.occupancy)
    occupancy[..., Occupancy.TILE] = tiles
    return board_turn(replace(reading, occupancy=occupancy))
