"""What was decided about a board, and what was not sure: the value between `decode` and `settle`."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from scoring.board import Board
from vision.geometry import frozen

__all__ = ["Candidate", "DecodedBoard", "Doubt", "DoubtReason"]

Square = tuple[int, int]


class DoubtReason(enum.StrEnum):
    """Why a square deserves a second look."""

    UNSURE = "another reading is likely too"
    VALUE = "the printed value belongs to another letter"
    NO_VALUE = "shows no value, as a blank with a letter"
    ALPHABET = "looks like a letter that the edition does not have"
    BAG = "more of these than the bag holds"
    FLOATING = "touches no other tile"


@dataclass(frozen=True, slots=True)
class Doubt:
    """A square, and one reason to doubt what was decided there."""

    row: int
    column: int
    reason: DoubtReason


@dataclass(frozen=True, slots=True)
class Candidate:
    """What may stand on a square, and how probable that is."""

    token: str
    probability: float


@dataclass(frozen=True, slots=True, eq=False)
class DecodedBoard:
    """A board with the probability of every square.

    Parameters
    ----------
    board : Board
        The most probable board.
    confidence : (rows, columns) float64
        Probability of what was decided on each square.
    alternatives : mapping of (row, column) to tuple of Candidate
        The likely tokens of each square that is not sure, best first, the decided one among them.
    doubts : tuple of Doubt
        Squares that deserve a second look, row by row.
    """

    board: Board
    confidence: NDArray[np.float64]
    alternatives: Mapping[Square, tuple[Candidate, ...]]
    doubts: tuple[Doubt, ...]

    def __post_init__(self) -> None:
        object.__setattr__(
            self, "confidence", frozen(self.confidence, self.board.size, np.float64, "confidence")
        )
        object.__setattr__(self, "alternatives", MappingProxyType(dict(self.alternatives)))
