"""The straightened board: the value between `rectify` and `read`.

What a reader saw on each square, before anything is decided: the value between `read` and `decode`.

What was decided about a board, and what was not sure: the value between `decode` and `settle`.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from scoring import Board
from vision.core.arrays import freeze
from vision.core.geometry import Grid, Homography

__all__ = [
    "Candidate",
    "DecodedBoard",
    "Doubt",
    "DoubtReason",
    "Occupancy",
    "RectifiedBoard",
    "SquareProbabilities",
    "rectified_from_image",
]


@dataclass(frozen=True, slots=True, eq=False)
class RectifiedBoard:
    """The board seen from straight above, with a margin around it.

    Parameters
    ----------
    image_bgr : (height, width, 3) uint8
        BGR; height = rows * cell_px + 2 * margin_px, width likewise.
    rows, columns : int
        Number of squares.
    cell_px : int
        Side of a cell in pixels.
    margin_px : int
        Width of the margin around the grid in pixels.
    """

    image_bgr: NDArray[np.uint8]
    rows: int
    columns: int
    cell_px: int
    margin_px: int

    def __post_init__(self) -> None:
        height = self.rows * self.cell_px + 2 * self.margin_px
        width = self.columns * self.cell_px + 2 * self.margin_px
        object.__setattr__(
            self, "image_bgr", freeze(self.image_bgr, (height, width, 3), np.uint8, "image_bgr")
        )

    def cell(self, row: int, column: int, context_px: int = 0) -> NDArray[np.uint8]:
        """The pixels of one square, with `context_px` (at most the margin) more on each side."""
        y, x = (
            self.margin_px + row * self.cell_px - context_px,
            self.margin_px + column * self.cell_px - context_px,
        )
        side = self.cell_px + 2 * context_px
        return self.image_bgr[y : y + side, x : x + side]

    def rotate(self, quarter_turns: int) -> RectifiedBoard:
        """The same board named from another side, as of `vision.core.geometry.Grid.rotate`: turned anticlockwise."""
        rows, columns = (self.rows, self.columns)[:: 1 if quarter_turns % 2 == 0 else -1]
        return replace(
            self,
            image_bgr=np.ascontiguousarray(np.rot90(self.image_bgr, quarter_turns)),
            rows=rows,
            columns=columns,
        )


def rectified_from_image(grid: Grid, cell_px: int, margin_px: int) -> Homography:
    """The projection from image pixels to the pixels of the rectified board."""
    # A pixel's centre has whole coordinates, so the grid's edge lies half a pixel before the first one.
    offset = margin_px - 0.5
    rectified_from_grid = Homography(matrix=np.array([[cell_px, 0, offset], [0, cell_px, offset], [0, 0, 1]]))
    return rectified_from_grid @ grid.image_from_grid.inverse


class Occupancy(enum.IntEnum):
    """What a square shows; the index into the last axis of `SquareProbabilities.occupancy`."""

    EMPTY = 0
    TILE = 1
    BLANK = 2
    COVERED = 3


@dataclass(frozen=True, slots=True, eq=False)
class SquareProbabilities:
    """Probabilities for every square, as one reader gives them.

    Parameters
    ----------
    reader : str
        Which reader it was: ``network`` or ``tesseract``.
    tokens : tuple of str
        The letters that the reader knows, upper case, in the order of the last axis of `letters`.
    value_labels : tuple of int or None
        The values that the reader knows, None for a tile without a value, in the order of `values`.
    occupancy : (rows, columns, 4) float32
        Probability of each `Occupancy`.
    letters : (rows, columns, len(tokens)) float32
        Probability of each letter, given that the square holds a tile with one.
    values : (rows, columns, len(value_labels)) float32
        Probability of each printed value, given that the square holds a tile with a letter.
    turns : (rows, columns, 4) float32
        Probability that the tile's letter stands turned by 0, 90, 180 and 270 degrees clockwise.
    letter_factors : tuple of float
        How many times as frequent as the others the reader takes each letter to be, before it looks; empty where it
        takes all alike.
    value_factors : tuple of float
        The same of each value.
    appearance : (rows, columns, k) float32 or None
        Where what was seen lies along the directions of `vision.recognition.embedding`, k of them; NaN for squares that
        were not looked at closely. None from a reader that knows no directions.
    """

    reader: str
    tokens: tuple[str, ...]
    value_labels: tuple[int | None, ...]
    occupancy: NDArray[np.float32]
    letters: NDArray[np.float32]
    values: NDArray[np.float32]
    turns: NDArray[np.float32]
    letter_factors: tuple[float, ...] = ()
    value_factors: tuple[float, ...] = ()
    appearance: NDArray[np.float32] | None = None

    def __post_init__(self) -> None:
        rows, columns = self.occupancy.shape[:2]
        last_axes = {
            "occupancy": 4,
            "letters": len(self.tokens),
            "values": len(self.value_labels),
            "turns": 4,
        }
        for name, last in last_axes.items():
            array = freeze(getattr(self, name), (rows, columns, last), np.float32, name)
            object.__setattr__(self, name, array)
        if self.appearance is not None:
            array = freeze(self.appearance, (rows, columns, None), np.float32, "appearance")
            object.__setattr__(self, "appearance", array)
        for name, factors, of in (
            ("letter_factors", self.letter_factors, self.tokens),
            ("value_factors", self.value_factors, self.value_labels),
        ):
            if len(factors) not in (0, len(of)):
                raise ValueError(f"{name}: expected one for each of {len(of)}, got {len(factors)}")

    @property
    def letter_likelihoods(self) -> NDArray[np.float64]:
        """(rows, columns, len(tokens)) each letter's probability by the picture alone, were all as frequent."""
        return _without(self.letters, self.letter_factors)

    @property
    def value_likelihoods(self) -> NDArray[np.float64]:
        """(rows, columns, len(value_labels)) each value's probability by the picture alone, were all as frequent."""
        return _without(self.values, self.value_factors)


def _without(probabilities: NDArray[np.float32], factors: tuple[float, ...]) -> NDArray[np.float64]:
    """The probabilities of what a reader would say that takes everything to be as frequent."""
    if not factors:
        return probabilities.astype(np.float64)
    seen = probabilities / np.array(factors)
    return np.asarray(seen / seen.sum(axis=-1, keepdims=True))


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
            self, "confidence", freeze(self.confidence, self.board.size, np.float64, "confidence")
        )
        object.__setattr__(self, "alternatives", MappingProxyType(dict(self.alternatives)))
