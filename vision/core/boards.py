"""The values between the stages of one image: rectified board, square probabilities, decoded board."""

from __future__ import annotations

import enum
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar, overload

import cv2
import numpy as np
from numpy.typing import NDArray

from scoring import COVERED, Board
from vision.core.arrays import Floats, Image, Mask, Square, freeze
from vision.core.geometry import Grid, Homography

__all__ = [
    "PROBABILITY_FIELDS",
    "BoardPlanes",
    "BoardReading",
    "Candidate",
    "DecodedBoard",
    "Doubt",
    "DoubtReason",
    "Occupancy",
    "RectifiedBoard",
    "SquareProbabilities",
    "measure_letter_clarity",
    "rectified_from_image",
]

PROBABILITY_FIELDS = ("occupancy", "letters", "values", "turns")
"""Names of the arrays of `SquareProbabilities` that hold a square's probabilities."""

Source = TypeVar("Source")

_ANTICLOCKWISE = {1: cv2.ROTATE_90_COUNTERCLOCKWISE, 2: cv2.ROTATE_180, 3: cv2.ROTATE_90_CLOCKWISE}


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

    image_bgr: Image
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

    @property
    def interior_bgr(self) -> Image:
        """(rows * cell_px, columns * cell_px, 3) the image without its margin."""
        first = self.margin_px
        return self.image_bgr[
            first : first + self.rows * self.cell_px, first : first + self.columns * self.cell_px
        ]

    def cell(self, row: int, column: int, context_px: int = 0) -> Image:
        """Return the pixels of one square.

        Parameters
        ----------
        row, column : int
            The square.
        context_px : int
            Additional pixels on each side, at most the margin.

        Returns
        -------
        (side, side, 3) uint8
            BGR, side = cell_px + 2 * context_px.
        """
        y, x = (
            self.margin_px + row * self.cell_px - context_px,
            self.margin_px + column * self.cell_px - context_px,
        )
        side = self.cell_px + 2 * context_px
        return self.image_bgr[y : y + side, x : x + side]

    def rotate(self, quarter_turns: int) -> RectifiedBoard:
        """Return the same board named from another side, as `Grid.rotate`: the image turns anticlockwise."""
        steps = quarter_turns % 4
        if steps == 0:
            return self
        rows, columns = (self.rows, self.columns)[:: 1 if steps == 2 else -1]
        return replace(
            self,
            image_bgr=np.asarray(cv2.rotate(self.image_bgr, _ANTICLOCKWISE[steps]), np.uint8),
            rows=rows,
            columns=columns,
        )

    def resize(self, cell_px: int, margin_px: int, interpolation: int = cv2.INTER_LINEAR) -> RectifiedBoard:
        """Return the same board with cells of another size.

        Parameters
        ----------
        cell_px, margin_px : int
            The new sizes. Bilinear sampling skips no line where the cells become smaller by half at most.
        interpolation : int
            One of OpenCV's methods.
        """
        if (cell_px, margin_px) == (self.cell_px, self.margin_px):
            return self
        size = (self.columns * cell_px + 2 * margin_px, self.rows * cell_px + 2 * margin_px)
        image = np.asarray(cv2.resize(self.image_bgr, size, interpolation=interpolation), np.uint8)
        return replace(self, image_bgr=image, cell_px=cell_px, margin_px=margin_px)


class BoardPlanes(Sequence[RectifiedBoard]):
    """A board rectified at several heights, each when it is first asked for: often the first one is clear.

    Parameters
    ----------
    sources : sequence
        What a plane is made of: heights, or planes that are changed.
    rectify : callable
        Makes the plane of a source.
    """

    def __init__(self, sources: Sequence[Source], rectify: Callable[[Source], RectifiedBoard]) -> None:
        def make(number: int) -> RectifiedBoard:
            return rectify(sources[number])

        self._make = make
        self._numbers = range(len(sources))
        self._made: dict[int, RectifiedBoard] = {}

    @overload
    def __getitem__(self, index: int) -> RectifiedBoard: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[RectifiedBoard]: ...

    def __getitem__(self, index: int | slice) -> RectifiedBoard | Sequence[RectifiedBoard]:
        if isinstance(index, slice):
            return [self[number] for number in self._numbers[index]]
        number = self._numbers[index]
        if number not in self._made:
            self._made[number] = self._make(number)
        return self._made[number]

    def __len__(self) -> int:
        return len(self._numbers)


def rectified_from_image(grid: Grid, cell_px: int, margin_px: int) -> Homography:
    """Return the projection from image pixels to pixels of the rectified board.

    Parameters
    ----------
    grid : Grid
        The board's grid in the image.
    cell_px, margin_px : int
        Sizes of the rectified board, as in `RectifiedBoard`.
    """
    # Pixel centres have integer coordinates, so the grid's edge is half a pixel before the first centre.
    offset = margin_px - 0.5
    rectified_from_grid = Homography(matrix=np.array([[cell_px, 0, offset], [0, cell_px, offset], [0, 0, 1]]))
    return rectified_from_grid @ grid.image_from_grid.inverse


class Occupancy(enum.IntEnum):
    """What is on a square; the index into the last axis of `SquareProbabilities.occupancy`."""

    EMPTY = 0
    TILE = 1
    BLANK = 2
    COVERED = 3


@dataclass(frozen=True, slots=True, eq=False)
class SquareProbabilities:
    """What a reader saw on every square, before anything is decided.

    Parameters
    ----------
    reader : str
        Name of the reader, such as ``network`` or ``tesseract``.
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
        Probability that the tile's letter is turned by 0, 90, 180 and 270 degrees clockwise.
    letter_factors : tuple of float
        The reader's prior of each letter, relative to uniform; empty for a uniform prior.
    value_factors : tuple of float
        The same for each value.
    embedding : (rows, columns, k) float32 or None
        What was seen, projected by `vision.recognition.LdaProjection`; NaN for squares that `tiles` did not read.
        None from a reader without a projection.
    possible_letters : tuple of str
        The letters that the tiles may have, those of the editions in question; empty if all of `tokens` may be.

    Raises
    ------
    ValueError
        If the shapes do not fit together.
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
    embedding: NDArray[np.float32] | None = None
    possible_letters: tuple[str, ...] = ()

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
        if self.embedding is not None:
            array = freeze(self.embedding, (rows, columns, None), np.float32, "embedding")
            object.__setattr__(self, "embedding", array)
        for name, factors, of in (
            ("letter_factors", self.letter_factors, self.tokens),
            ("value_factors", self.value_factors, self.value_labels),
        ):
            if len(factors) not in (0, len(of)):
                raise ValueError(f"{name}: expected one for each of {len(of)}, got {len(factors)}")

    @property
    def shows_letter(self) -> Mask:
        """(rows, columns) squares that more probably hold a tile with a letter than anything else."""
        return np.asarray(self.occupancy[..., Occupancy.TILE] > 0.5)

    @property
    def shows_tile(self) -> Mask:
        """(rows, columns) the squares that probably hold a tile, with a letter or blank."""
        return np.asarray(self.occupancy[..., [Occupancy.TILE, Occupancy.BLANK]].sum(axis=-1) > 0.5)

    @property
    def letter_clarity(self) -> NDArray[np.float32]:
        """(rows, columns) the probability of the most probable of the letters that the tiles may have."""
        return measure_letter_clarity(self.letters, self.tokens, self.possible_letters)

    @property
    def letter_likelihoods(self) -> Floats:
        """(rows, columns, len(tokens)) each letter's probability under a uniform prior."""
        return _without_prior(self.letters, self.letter_factors)

    @property
    def value_likelihoods(self) -> Floats:
        """(rows, columns, len(value_labels)) each value's probability under a uniform prior."""
        return _without_prior(self.values, self.value_factors)


def measure_letter_clarity(
    letters: NDArray[np.float32], tokens: tuple[str, ...], possible_letters: tuple[str, ...]
) -> NDArray[np.float32]:
    """Return the probability of the most probable letter, given that it is one of those that are possible.

    Parameters
    ----------
    letters : (..., len(tokens)) float32
        The probability of each of `tokens`.
    tokens : tuple of str
        The letters that a reader knows.
    possible_letters : tuple of str
        The letters that the tiles may have; empty if all of `tokens` may be.

    Returns
    -------
    (...) float32
    """
    is_possible = np.isin(tokens, possible_letters)
    if not is_possible.any():
        return np.asarray(letters.max(axis=-1))
    possible = letters[..., is_possible]
    return np.asarray(possible.max(axis=-1) / np.maximum(possible.sum(axis=-1), np.finfo(np.float32).tiny))


def _without_prior(probabilities: NDArray[np.float32], factors: tuple[float, ...]) -> Floats:
    """Divide by a prior along the last axis and normalise; no factors mean a uniform prior."""
    if not factors:
        return probabilities.astype(np.float64)
    likelihoods = probabilities / np.array(factors)
    return np.asarray(likelihoods / likelihoods.sum(axis=-1, keepdims=True))


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class BoardReading:
    """One read of a board, named from one side.

    Parameters
    ----------
    grid : Grid
        Where the board is in the picture.
    planes : sequence of RectifiedBoard
        The board rectified at the usual height and, where it is seen from near the table, at others.
    probabilities : SquareProbabilities
        What the recognizer saw on each square.
    n_others : int
        Number of further boards in the picture, as far as they were searched.
    is_height_uncertain : bool
        Whether the height of the tiles remained uncertain.
    """

    grid: Grid
    planes: Sequence[RectifiedBoard]
    probabilities: SquareProbabilities
    n_others: int = 0
    is_height_uncertain: bool = False

    @property
    def rectified(self) -> RectifiedBoard:
        """The board rectified at the usual height."""
        return self.planes[0]


class DoubtReason(enum.StrEnum):
    """Why a square should be checked."""

    UNSURE = "another reading is likely too"
    VALUE = "the printed value belongs to another letter"
    NO_VALUE = "shows no value, as a blank with a letter"
    ALPHABET = "looks like a letter that the edition does not have"
    BAG = "more of these than the bag holds"
    FLOATING = "not connected with the other tiles"
    GAP = "a tile here would join tiles that do not touch"
    START = "empty, though the first play covers the start square"


_MUST_HOLD_A_TILE = (DoubtReason.GAP, DoubtReason.START)


@dataclass(frozen=True, slots=True)
class Doubt:
    """A square, and one reason to check what was decided there."""

    row: int
    column: int
    reason: DoubtReason


@dataclass(frozen=True, slots=True)
class Candidate:
    """A token that may be on a square, and its probability."""

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
        The likely tokens of each uncertain square, best first, the decided one among them.
    doubts : tuple of Doubt
        Squares that should be checked, row by row.
    """

    board: Board
    confidence: Floats = field(repr=False)
    alternatives: Mapping[Square, tuple[Candidate, ...]]
    doubts: tuple[Doubt, ...]

    def __post_init__(self) -> None:
        object.__setattr__(
            self, "confidence", freeze(self.confidence, self.board.size, np.float64, "confidence")
        )
        object.__setattr__(self, "alternatives", dict(self.alternatives))

    @property
    def expected_unread(self) -> float:
        """Expected number of misread squares; one that is covered, or empty where a tile must be, counts in full."""
        unread = {(doubt.row, doubt.column) for doubt in self.doubts if doubt.reason in _MUST_HOLD_A_TILE}
        unread |= {square for square in np.ndindex(*self.board.size) if self.board[square] == COVERED}
        return sum(1.0 if square in unread else 1 - p for square, p in np.ndenumerate(self.confidence))
