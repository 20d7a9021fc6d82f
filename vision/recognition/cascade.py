"""Several networks' opinions on the same squares, as one.

The reader for printed and plastic tiles: three small networks, each for what the one before leaves open.

The first takes a glance at all squares of a board, 16 pixels each, and says which are plainly empty: it sees them
beside each other, and so knows what is bare on this board. The second sees the others one by one, 32 pixels each, and
says what lies on them and how it is turned. The third looks closer, 48 pixels a square, at those that are not surely
empty: small values, accents, and whether a letter is printed or written on a blank by hand. What they say is
multiplied, each weighted by how far it can be trusted.

The weights are ONNX files; the JSON file beside each says which letters and values its outputs stand for,
how large its input is, and how it was trained and measured. Running them needs no training package.

ONNX Runtime and not OpenCV's own engine, since on one core it took 37 ms for a board's 225 squares where OpenCV 5.0
took 93, before the arithmetic became one of small integers and the pixels were prepared outside (`preparing`). Now 225
squares take 13 ms of the second network, 2 of the glance, and 50 tiles 6 of the third (processor time, while decoding a
1504 px JPEG takes 6).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.core import Occupancy, RectifiedBoard, SquareProbabilities
from vision.errors import SettingsError
from vision.recognition.colour_context import occupancy_by_colour
from vision.recognition.embedding import LdaProjection
from vision.recognition.onnx_model import OnnxModel
from vision.recognition.preprocessing import crop_blocks, crop_cells, resize_cells, space_to_depth
from vision.weights import WEIGHTS

__all__ = [
    "BOARD_OUTPUTS",
    "CELL_OUTPUTS",
    "LOOKED_AT",
    "PLAINLY_EMPTY",
    "TILE_OUTPUTS",
    "CascadeReader",
    "pool_occupancy",
    "pool_opinions",
    "presence_probabilities",
    "tile_kind_probabilities",
]

Probabilities = NDArray[np.float32]

_NEVER = 1e-9
_LAID = [int(Occupancy.TILE), int(Occupancy.BLANK)]


def pool_opinions(opinions: Sequence[Probabilities], trust: Sequence[float]) -> Probabilities:
    """Opinions, each (n, classes), as one: their product, each to the power that it is trusted with.

    References
    ----------
    Genest and Zidek, "Combining Probability Distributions", 1986, section 3: the logarithmic opinion pool.
    """
    logs = sum(power * np.log(each + _NEVER) for each, power in zip(opinions, trust, strict=True))
    weights = np.exp(logs - np.max(logs, axis=1, keepdims=True))
    return np.asarray(weights / weights.sum(axis=1, keepdims=True), np.float32)


def pool_occupancy(
    opinions: Sequence[Probabilities], whether: Sequence[float], which: Sequence[float]
) -> Probabilities:
    """Opinions on what lies on squares, each (n, 4), as one.

    Two questions, since who sees best whether a tile lies there does not see best whether it is a blank.

    Parameters
    ----------
    opinions : sequence of (n, 4) float32
        In the order of `Occupancy`.
    whether, which : sequence of float
        How far each is trusted to say whether a tile lies there, and which kind of tile it is.
    """
    laid = pool_opinions([presence_probabilities(each) for each in opinions], whether)
    kinds = pool_opinions([tile_kind_probabilities(each) for each in opinions], which)
    result = np.empty_like(opinions[0])
    result[:, [int(Occupancy.EMPTY), int(Occupancy.COVERED)]] = laid[:, [0, 2]]
    result[:, _LAID] = laid[:, [1]] * kinds
    return result


def presence_probabilities(occupancy: Probabilities) -> Probabilities:
    """(n, 3) whether squares are bare, hold a tile of any kind, or are covered."""
    bare, covered = occupancy[:, int(Occupancy.EMPTY)], occupancy[:, int(Occupancy.COVERED)]
    return np.stack([bare, occupancy[:, _LAID].sum(axis=1), covered], axis=1)


def tile_kind_probabilities(occupancy: Probabilities) -> Probabilities:
    """(n, 2) whether a tile, if one lies there, has a letter or is a blank."""
    kinds = occupancy[:, _LAID] + np.float32(_NEVER)
    return np.asarray(kinds / kinds.sum(axis=1, keepdims=True), np.float32)


BOARD_OUTPUTS = ("occupancy",)
CELL_OUTPUTS = ("occupancy", "letter", "value", "turn")
TILE_OUTPUTS = ("occupancy", "letter", "value")
LOOKED_AT = 0.95
"""Squares that are less surely empty than this get the second look."""

PLAINLY_EMPTY = 0.9995
"""Squares that are at least as surely empty at a glance are not looked at again."""


@dataclass(frozen=True, slots=True, eq=False)
class CascadeReader:
    """Reads every square of a straightened board.

    Parameters
    ----------
    cells : SquareNetwork
        Sees every square that is not plainly empty.
    tiles : SquareNetwork
        Sees more closely what may be a tile. Its card's ``trust`` says for each output how much the first
        and how much the second network counts, its ``value_factors`` how much more frequent each value is on real
        tiles than it was in training, its ``letter_factors`` how much likelier than others both hold a letter for since
        training showed it oftener.
    glance : SquareNetwork or None
        Sees all squares of a board from farther away, ten times as fast as `cells`, which then need not look at those
        that are plainly empty; None where it must look at all. Its card's ``trust`` says how much the three count for
        what lies on a square.
    directions : Directions or None
        Along which what `tiles` sees is kept in a reading.
    """

    cells: OnnxModel
    tiles: OnnxModel
    glance: OnnxModel | None = None
    directions: LdaProjection | None = None

    @classmethod
    def load(cls, folder: Path | None = None, threads: int = 1, *, features: bool = False) -> CascadeReader:
        """The networks of a folder: ``glance.onnx``, ``cells.onnx`` and ``tiles.onnx``, each with its JSON file.

        The directions of ``appearance.npz`` lie beside them.

        Parameters
        ----------
        folder : Path, optional
            Where they lie; the shipped weights by default.
        threads : int
            Threads that one reading may use.
        features : bool
            Whether `read_with_features` or `features` will be asked.

        Raises
        ------
        SettingsError
            If a file is missing, is not a network of this form, or the two do not belong together.
        """
        weights = folder if folder is not None else WEIGHTS
        cells = OnnxModel.load(weights / "cells.onnx", CELL_OUTPUTS, threads, features=features)
        tiles = OnnxModel.load(weights / "tiles.onnx", TILE_OUTPUTS, threads, features=True)
        if (cells.tokens, cells.value_labels) != (tiles.tokens, tiles.value_labels):
            raise SettingsError(
                f"network weights: cells.onnx and tiles.onnx in {weights} know different letters or values; "
                "train both again"
            )
        missing = {"trust", "letter_factors", "value_factors"} - tiles.card.keys()
        if missing:
            raise SettingsError(
                f"network weights: {weights / 'tiles.json'} lacks {', '.join(sorted(missing))}; train again"
            )
        directions = LdaProjection.load(weights)
        if directions.network != tiles.fingerprint:
            raise SettingsError(
                f"network weights: appearance.npz in {weights} is not of tiles.onnx; make it anew with "
                "python -m calibration.training.train_tile_embedding"
            )
        glance = None if features else OnnxModel.load(weights / "glance.onnx", BOARD_OUTPUTS, threads)
        if glance is not None and "trust" not in glance.card:
            raise SettingsError(
                f"network weights: {weights / 'glance.json'} lacks trust; "
                "fit it with python -m calibration.training.fit_board_pooling"
            )
        return cls(cells=cells, tiles=tiles, glance=glance, directions=directions)

    @property
    def tokens(self) -> tuple[str, ...]:
        """The letters that the networks know."""
        return self.cells.tokens

    @property
    def value_labels(self) -> tuple[int | None, ...]:
        """The printed values that the networks know."""
        return self.cells.value_labels

    @property
    def fingerprint(self) -> str:
        """Tells the weights that features come from from others."""
        return f"{self.cells.fingerprint} {self.tiles.fingerprint}"

    @property
    def cell_px(self) -> int:
        """The side of a cell that the rectified board must have."""
        return self.tiles.cell_px

    @property
    def margin_px(self) -> int:
        """The margin that the rectified board must have, for the surroundings of its outer squares."""
        ratio = self.tiles.cell_px / self.cells.cell_px
        return max(self.tiles.context_px, round(ratio * self.cells.context_px))

    def read(self, rectified: RectifiedBoard) -> SquareProbabilities:
        """Probabilities for every square of the board.

        Parameters
        ----------
        rectified : RectifiedBoard
            Straightened with this reader's `cell_px` and `margin_px`.

        Raises
        ------
        ValueError
            If the board was straightened to another size.
        """
        return self.read_with_features(rectified)[0]

    def read_with_features(
        self, rectified: RectifiedBoard
    ) -> tuple[SquareProbabilities, NDArray[np.float32]]:
        """The same, and (rows, columns, n) what both networks saw; n is 0 if they were loaded without features.

        Of squares that are surely empty, what the second network did not look at is 0.
        """
        if (rectified.cell_px, rectified.margin_px) != (self.cell_px, self.margin_px):
            raise ValueError(
                f"rectified: expected cells of {self.cell_px} px and a margin of {self.margin_px} px, "
                f"got {rectified.cell_px} and {rectified.margin_px} px"
            )
        small = _smaller(rectified, self.cells.cell_px, self.cells.context_px)
        glanced = [] if self.glance is None else [_at_a_glance(self.glance, small)]
        seen = list(self.first_look(small, *glanced))
        opinions = [*glanced, seen[0]]
        seen[0] = self._occupancy(opinions)
        squares = np.flatnonzero(seen[0][:, Occupancy.EMPTY] < LOOKED_AT)
        if not squares.size and len(seen) > len(CELL_OUTPUTS):
            squares = np.array([0])  # so that there are features of both networks
        appearance = None
        if squares.size:
            crops = crop_cells(rectified, self.tiles.context_px, squares)
            closer = self.tiles.probabilities(space_to_depth(crops))
            seen[0][squares] = self._occupancy([*(each[squares] for each in opinions), closer[0]])
            for number, name in enumerate(TILE_OUTPUTS[1:], start=1):
                both = pool_opinions((seen[number][squares], closer[number]), self.tiles.card["trust"][name])
                seen[number][squares] = self._as_in_bags(both) if name == "value" else both
            if self.directions is not None:
                along = self.directions.of(closer[-1])
                appearance = np.full((len(seen[0]), along.shape[1]), np.nan, np.float32)
                appearance[squares] = along
            if len(seen) > len(CELL_OUTPUTS):
                second = np.zeros((len(seen[0]), closer[-1].shape[1]), np.float32)
                second[squares] = closer[-1]
                seen[-1] = _side_by_side(seen[-1], second)
        board = (rectified.rows, rectified.columns, -1)
        occupancy, letters, values, turns, *more = (output.reshape(board) for output in seen)
        reading = SquareProbabilities(
            reader="network",
            tokens=self.cells.tokens,
            value_labels=self.cells.value_labels,
            occupancy=occupancy_by_colour(small, occupancy),
            letters=letters,
            values=values,
            turns=turns,
            letter_factors=tuple(self.tiles.card["letter_factors"]),
            value_factors=self._value_factors,
            embedding=appearance.reshape(board) if appearance is not None else None,
        )
        return reading, more[0] if more else np.zeros((*board[:2], 0), np.float32)

    def first_look(
        self, small: RectifiedBoard, glanced: Probabilities | None = None
    ) -> tuple[Probabilities, ...]:
        """What `cells` says of every square, row by row, of a board of its own cell size and context.

        Of one that is plainly empty at a glance only that is said.
        """
        if glanced is None:
            return self.cells.probabilities(crop_blocks(small, self.cells.context_px))
        squares = np.flatnonzero(glanced[:, Occupancy.EMPTY] < PLAINLY_EMPTY)
        seen = tuple(
            np.full((len(glanced), classes), 1 / classes, np.float32)
            for classes in (len(Occupancy), len(self.tokens), len(self.value_labels), 4)
        )
        seen[0][:] = glanced
        if squares.size:
            closer = self.cells.probabilities(crop_blocks(small, self.cells.context_px, squares))
            for every, some in zip(seen, closer, strict=True):
                every[squares] = some
        return seen

    def features(self, cells: NDArray[np.uint8]) -> NDArray[np.float32]:
        """What both networks, loaded with features, see in single squares.

        Parameters
        ----------
        cells : (n, side, side, 3) uint8
            BGR, with this reader's `cell_px` and `margin_px`.

        Returns
        -------
        (n, m) float32
        """
        first, second = self._looks(cells)
        return _side_by_side(first[-1], second[-1])

    def letters(self, cells: NDArray[np.uint8]) -> Probabilities:
        """(n, len(tokens)) probability of each letter in single squares as `features` takes them."""
        return self._of_single(cells, "letter")

    def occupancy(self, cells: NDArray[np.uint8]) -> Probabilities:
        """(n, 4) probability of what lies on single squares as `features` takes them."""
        return self._of_single(cells, "occupancy")

    def _of_single(self, cells: NDArray[np.uint8], name: str) -> Probabilities:
        first, second = self._looks(cells)
        place = CELL_OUTPUTS.index(name)
        return pool_opinions((first[place], second[place]), self.tiles.card["trust"][name])

    def _looks(self, cells: NDArray[np.uint8]) -> tuple[tuple[Probabilities, ...], tuple[Probabilities, ...]]:
        """What either network says of single squares."""
        spare = self.margin_px - self.tiles.context_px
        inner = cells[:, spare : cells.shape[1] - spare, spare : cells.shape[2] - spare]
        small = self.cells.probabilities(self._small_blocks(cells))
        return small, self.tiles.probabilities(space_to_depth(np.ascontiguousarray(inner)))

    def _occupancy(self, opinions: Sequence[Probabilities]) -> Probabilities:
        """What lies on squares by those that looked, in this order: the glance where there is one, `cells`, `tiles`."""
        if len(opinions) == 1:
            return opinions[0]
        if self.glance is None:
            return pool_opinions(opinions, self.tiles.card["trust"]["occupancy"])
        whether, which = (
            self.glance.card["trust"][question][len(opinions) - 2] for question in ("whether", "which")
        )
        return pool_occupancy(opinions, whether, which)

    @property
    def _value_factors(self) -> tuple[float, ...]:
        return tuple(self.tiles.card["value_factors"])

    def _as_in_bags(self, values: Probabilities) -> Probabilities:
        """Values as probable as bags have them, from what networks say for which all were as frequent."""
        weights = values * np.array(self._value_factors, np.float32)
        return np.asarray(weights / weights.sum(axis=1, keepdims=True), np.float32)

    def _small_blocks(self, cells: NDArray[np.uint8]) -> NDArray[np.uint8]:
        side = self.cells.cell_px + 2 * self.cells.context_px
        return space_to_depth(resize_cells(cells, side))


def _at_a_glance(glance: OnnxModel, small: RectifiedBoard) -> Probabilities:
    """What lies on every square, row by row, of a board with cells twice as large as the glance's."""
    smaller = _smaller(small, glance.cell_px, glance.context_px)
    (occupancy,) = glance.probabilities(crop_blocks(smaller, glance.context_px))
    return occupancy


def _side_by_side(first: Probabilities, second: Probabilities) -> Probabilities:
    """The features (n, ...) of both networks, each at length 1, so that neither outweighs the other."""
    lengths = (np.linalg.norm(each, axis=1, keepdims=True) + 1e-6 for each in (first, second))
    return np.hstack([each / length for each, length in zip((first, second), lengths, strict=True)])


def _smaller(rectified: RectifiedBoard, cell_px: int, margin_px: int) -> RectifiedBoard:
    """The same board with cells that are smaller by half at most: plain sampling misses no line then."""
    size = (rectified.columns * cell_px + 2 * margin_px, rectified.rows * cell_px + 2 * margin_px)
    image = cv2.resize(rectified.image_bgr, size, interpolation=cv2.INTER_LINEAR)
    return RectifiedBoard(
        image_bgr=np.asarray(image, np.uint8),
        rows=rectified.rows,
        columns=rectified.columns,
        cell_px=cell_px,
        margin_px=margin_px,
    )
