"""What a change of the pixels says about a reading: readings in, readings out."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from scoring import Board
from scoring.tiles import EMPTY
from vision.readings import BoardReading, Occupancy

__all__ = ["with_changes"]

EMPTY_THOUGH_CHANGED, STRONG = 0.1, 2.0
"""Shadows and nudges change empty squares too, but fewer of them than tiles do, and seldom more strongly than
so many times what counts as a change: beyond, the odds fall with the square of the strength."""
TILES_LAID, SQUARES_LIT = 14, 60
"""Two plays change fewer squares than the first; a lamp or another pose of the board more than the second,
and then a change says nothing of a square."""
COVERED_BY_NOTHING = 0.01
"""An empty square that looks covered while no hand reaches over the board's edge is an odd square."""


def with_changes(
    reading: BoardReading, strength: NDArray[np.float64], board: Board, *, may_hide: bool
) -> BoardReading:
    """The reading, with the pixels' change as a witness: where nothing lay, a change makes emptiness less likely.

    Parameters
    ----------
    reading : BoardReading
        What the reader saw.
    strength : (rows, columns) float64
        How strongly each square changed; above 1 counts as a change.
    board : Board
        What lay there before.
    may_hide : bool
        Whether a hand or a thing that came over the board's edge can lie there. What covers a tile is believed in
        any case: no tile looks covered by itself.
    """
    was_empty = np.array([[token == EMPTY for token in row] for row in board.rows])
    changed = strength > 1.0
    many = (int(changed.sum()) - TILES_LAID) / (SQUARES_LIT - TILES_LAID)
    filled = changed & was_empty
    odds = EMPTY_THOUGH_CHANGED * np.minimum(1.0, (STRONG / strength[filled]) ** 2)
    occupancy = reading.occupancy.copy()
    occupancy[filled, Occupancy.EMPTY] *= np.maximum(odds, min(max(many, 0.0), 1.0)).astype(np.float32)
    if not may_hide:
        occupancy[was_empty, Occupancy.COVERED] *= COVERED_BY_NOTHING
    occupancy /= occupancy.sum(axis=-1, keepdims=True)
    return replace(reading, occupancy=occupancy)
