"""The reader for printed and plastic tiles: three small networks, each for what the one before leaves open.

1. `glance` reads all squares of a board together, at 16 pixels each, and finds those that are plainly empty. It knows
   what an empty square of this board looks like, since it compares them.
2. `cells` reads the others together, at 32 pixels each, and compares them with each other: content and rotation.
3. `tiles` reads those that are not surely empty likewise, at 48 pixels each: small values, accents, and whether a
   letter is printed or written on a blank by hand. Letters that stay unclear are read again in a shifted view.

The outputs are multiplied, each weighted by how far it can be trusted.

The weights are ONNX files. The JSON file next to each names the letters and values of its outputs, the size of its
input, and how it was trained and measured. Running them needs no training package.

ONNX Runtime is used and not OpenCV's own engine: on one core it took 37 ms for a board's 225 squares where OpenCV 5.0
took 93 ms, before the networks were quantised and the pixels prepared outside (`preprocessing`). Now 225 squares take
13 ms in `cells` and 2 ms in `glance`, and 50 tiles 6 ms in `tiles` (processor time).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from scoring import Layout
from vision.core import (
    Image,
    Mask,
    Occupancy,
    RectifiedBoard,
    SquareProbabilities,
    measure_letter_clarity,
)
from vision.recognition.appearance import face_colours, may_hold_something, weigh_appearance, weigh_value_ink
from vision.recognition.cascade_networks import load_networks
from vision.recognition.embedding import LdaProjection
from vision.recognition.network_outputs import (
    CELL_OUTPUTS,
    CellOutputs,
    TileOutputs,
    join_features,
    scatter_rows,
)
from vision.recognition.onnx_model import OnnxModel
from vision.recognition.pooling import pool_occupancy, pool_opinions
from vision.recognition.preprocessing import (
    crop_blocks,
    crop_cells,
    resize_cells,
    shift_board,
    space_to_depth,
)
from vision.weights import WEIGHTS

__all__ = ["CASCADE_SETTINGS", "CascadeReader"]

Probabilities = NDArray[np.float32]

_EMPTY = np.array([0.9997, 0.0001, 0.0001, 0.0001], np.float32)
"""Occupancy of a square that is not read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CascadeSettings:
    """Thresholds of the cascade, in probabilities, and a distance; all are chosen.

    Parameters
    ----------
    skip_min_empty : float
        `cells` skips squares that `glance` holds for empty with at least this probability.
    tile_stage_max_empty : float
        `tiles` reads squares that the others hold for empty with less than this probability.
    min_letter_clarity : float
        Squares whose letter has less than this probability are read in a shifted view too. Of 1,000 rendered boards
        (`tests.sets.club_boards`, 20 and 40 px, seeds 1009100 to 1009199) 903 were read whole without it, 910 with it.
    max_no_letter : float
        Probability of a tile with a letter up to which its letter does not matter.
    view_shift_px : int
        How far the view is shifted. With two views, 912 of these boards were read whole; four, or scaled and turned
        ones, gained no more.
    """

    skip_min_empty: float = 0.9995
    tile_stage_max_empty: float = 0.95
    min_letter_clarity: float = 0.95
    max_no_letter: float = 0.05
    view_shift_px: int = 2


CASCADE_SETTINGS = CascadeSettings()


@dataclass(frozen=True, slots=True, eq=False)
class CascadeReader:
    """Read every square of a rectified board with three networks.

    Parameters
    ----------
    cell_net : OnnxModel
        Reads every square that is not plainly empty.
    tile_net : OnnxModel
        Reads what may be a tile. Its card's ``trust`` gives, for each output, the exponents of `cell_net` and of
        `tile_net`. Its ``value_factors`` are the frequencies of values on real tiles relative to training, and
        its ``letter_factors`` the priors of letters in the training data of both, relative to uniform.
    projection : LdaProjection
        Makes the `embedding` of a reading from the features of `tile_net`.
    glance_net : OnnxModel or None
        Reads all squares of a board, ten times as fast as `cell_net`, which then skips those that are plainly empty.
        Without it, `cell_net` reads all squares. Its card's ``trust`` gives the exponents of all three networks for
        the occupancy.
    layout : Layout or None
        The board's premium squares, for the comparison of squares with others of their class.
    possible_letters : tuple of str
        The letters that the tiles may have; none if any may be. A doubt about others needs no second look.
    """

    cell_net: OnnxModel
    tile_net: OnnxModel
    projection: LdaProjection
    glance_net: OnnxModel | None = None
    layout: Layout | None = None
    possible_letters: tuple[str, ...] = ()

    @classmethod
    def load(
        cls,
        folder: Path | None = None,
        *,
        features: bool = False,
        layout: Layout | None = None,
        possible_letters: Sequence[str] = (),
    ) -> CascadeReader:
        """Load ``glance.onnx``, ``cells.onnx`` and ``tiles.onnx`` with their JSON files, and ``appearance.npz``.

        Parameters
        ----------
        folder : Path, optional
            The folder of the weights; the shipped ones by default.
        features : bool
            Whether `read_with_features` or `extract_features` will be called.
        layout : Layout, optional
            The board's premium squares.
        possible_letters : sequence of str
            The letters that the tiles may have; none if any may be.

        Raises
        ------
        SettingsError
            If a file is missing, is not a network of this form, or the networks do not belong together.
        """
        networks = load_networks(folder if folder is not None else WEIGHTS, features=features)
        return cls(**networks._asdict(), layout=layout, possible_letters=tuple(possible_letters))

    @property
    def tokens(self) -> tuple[str, ...]:
        """The letters that the networks know."""
        return self.cell_net.tokens

    @property
    def value_labels(self) -> tuple[int | None, ...]:
        """The printed values that the networks know."""
        return self.cell_net.value_labels

    @property
    def fingerprint(self) -> str:
        """Hash of the weights that features come from."""
        return f"{self.cell_net.fingerprint} {self.tile_net.fingerprint}"

    @property
    def cell_px(self) -> int:
        """Side of a cell that the rectified board must have, in pixels."""
        return self.tile_net.cell_px

    @property
    def margin_px(self) -> int:
        """Margin that the rectified board must have, for the context of its outer squares, in pixels."""
        ratio = self.tile_net.cell_px / self.cell_net.cell_px
        return max(self.tile_net.context_px, round(ratio * self.cell_net.context_px))

    def read(self, rectified: RectifiedBoard, squares: Mask | None = None) -> SquareProbabilities:
        """Return the probabilities of every square of the board.

        Parameters
        ----------
        rectified : RectifiedBoard
            Rectified with this reader's `cell_px` and `margin_px`.
        squares : (rows, columns) bool, optional
            Squares that may hold something; where there is a `glance_net`, the others are taken as empty.

        Raises
        ------
        ValueError
            If the board was rectified to another size.
        """
        return self.read_with_features(rectified, squares)[0]

    def read_with_features(
        self, rectified: RectifiedBoard, squares: Mask | None = None
    ) -> tuple[SquareProbabilities, NDArray[np.float32]]:
        """Return the probabilities of every square, and the features of both networks.

        Parameters
        ----------
        rectified : RectifiedBoard
            Rectified with this reader's `cell_px` and `margin_px`.
        squares : (rows, columns) bool, optional
            As for `read`.

        Returns
        -------
        reading : SquareProbabilities
            The probabilities.
        features : (rows, columns, n) float32
            n is 0 if the networks were loaded without features. The part of `tile_net` is 0 for squares that it did not
            read.

        Raises
        ------
        ValueError
            If the board was rectified to another size.
        """
        if (rectified.cell_px, rectified.margin_px) != (self.cell_px, self.margin_px):
            raise ValueError(
                f"rectified: expected cells of {self.cell_px} px and a margin of {self.margin_px} px, "
                f"got {rectified.cell_px} and {rectified.margin_px} px"
            )
        small = rectified.resize(self.cell_net.cell_px, self.cell_net.context_px)
        coarse = small.resize(small.cell_px // 2, small.margin_px // 2)
        board, colours = (rectified.rows, rectified.columns, -1), face_colours(small)
        by_glance = None
        if self.glance_net is not None:
            by_glance = _run_glance(self.glance_net, coarse, squares)
            # some tiles look like empty squares in 16 pixels: where their colour says otherwise, the others decide
            is_doubtful = may_hold_something(colours, by_glance.reshape(board), self.layout)
            if squares is not None:
                is_doubtful &= squares
            by_glance[is_doubtful.ravel()] = 1 / len(Occupancy)
        cells = self.read_cells(small, by_glance)
        opinions = [cells.occupancy] if by_glance is None else [by_glance, cells.occupancy]
        cells = cells._replace(occupancy=self._pool_occupancy(opinions))
        numbers = self._squares_for_tile_net(cells)
        embedding = None
        if numbers.size:
            context_px, no_value = self.tile_net.context_px, self.value_labels.index(None)
            crops = crop_cells(rectified, context_px, numbers)
            tiles = TileOutputs(*self.tile_net.probabilities(space_to_depth(crops)))
            cells = self._merge(cells, tiles, numbers, opinions)
            cells = self._read_shifted(cells, rectified, numbers)
            occupancy, values = cells.occupancy[numbers], cells.values[numbers]
            occupancy, values = weigh_value_ink(crops, context_px, occupancy, values, no_value)
            cells.occupancy[numbers], cells.values[numbers] = occupancy, values
            seen = self.projection.embed(tiles.features)
            embedding = scatter_rows(seen, numbers, len(cells.occupancy), np.nan)
        occupancy, letters = cells.occupancy.reshape(board), cells.letters.reshape(board)
        cells = cells._replace(occupancy=weigh_appearance(coarse, occupancy, self.layout, colours, letters))
        reading = self._reading(cells, board[:2], embedding)
        if cells.features is None:
            return reading, np.zeros((*board[:2], 0), np.float32)
        return reading, cells.features.reshape(board)

    def read_tiles(self, rectified: RectifiedBoard, squares: Mask) -> SquareProbabilities:
        """Return the letters, values and turns of `squares` (rows, columns), which hold tiles; the others are empty."""
        numbers = np.flatnonzero(squares)
        read = self._read_crops(crop_cells(rectified, self.margin_px, numbers))
        outputs = CellOutputs(
            np.eye(len(Occupancy), dtype=np.float32)[np.where(squares, Occupancy.TILE, Occupancy.EMPTY)],
            *(
                scatter_rows(rows, numbers, squares.size, 1 / rows.shape[1])
                for rows in (
                    self._pool_crops(read, "letter"),
                    self._apply_value_prior(self._pool_crops(read, "value")),
                    read[0][CELL_OUTPUTS.index("turn")],
                )
            ),
        )
        return self._reading(outputs, squares.shape)

    def read_cells(self, small: RectifiedBoard, by_glance: Probabilities | None = None) -> CellOutputs:
        """Run `cell_net` on the squares of a board.

        Parameters
        ----------
        small : RectifiedBoard
            The board in the sizes of `cell_net`.
        by_glance : (n, 4) float32, optional
            Occupancy by `glance_net`. Squares that are plainly empty by it are skipped: they keep this occupancy,
            and their other outputs are uniform.

        Returns
        -------
        CellOutputs, row by row
        """
        if by_glance is None:
            return CellOutputs(*self.cell_net.probabilities(crop_blocks(small, self.cell_net.context_px)))
        squares = np.flatnonzero(by_glance[:, Occupancy.EMPTY] < CASCADE_SETTINGS.skip_min_empty)
        outputs = CellOutputs(
            by_glance.copy(),
            *(
                np.full((len(by_glance), classes), 1 / classes, np.float32)
                for classes in (len(self.tokens), len(self.value_labels), 4)
            ),
        )
        if squares.size:
            crops = crop_blocks(small, self.cell_net.context_px, squares)
            for output, part in zip(outputs[:4], self.cell_net.probabilities(crops), strict=True):
                output[squares] = part
        return outputs

    def extract_features(self, cells: Image) -> NDArray[np.float32]:
        """Return the features of crops by both networks, which must be loaded with them; each is of one crop alone.

        Parameters
        ----------
        cells : (n, side, side, 3) uint8
            BGR, with this reader's `cell_px` and `margin_px`.

        Returns
        -------
        (n, m) float32
        """
        by_cell_net, by_tile_net = self._read_crops(cells)
        return join_features(by_cell_net[-1], by_tile_net[-1])

    def letter_probabilities(self, cells: Image) -> Probabilities:
        """Return each letter's probability (n, len(tokens)) for crops as in `extract_features`; they are compared."""
        return self._pool_crops(self._read_crops(cells), "letter")

    def occupancy_probabilities(self, cells: Image) -> Probabilities:
        """Return each occupancy's probability (n, 4) for crops as in `extract_features`; they are compared."""
        return self._pool_crops(self._read_crops(cells), "occupancy")

    def _squares_for_tile_net(self, cells: CellOutputs) -> NDArray[np.intp]:
        """Return the numbers of the squares that may hold a tile."""
        squares = np.flatnonzero(cells.occupancy[:, Occupancy.EMPTY] < CASCADE_SETTINGS.tile_stage_max_empty)
        if not squares.size and cells.features is not None:
            return np.array([0])  # the features of both networks have their size also on an empty board
        return squares

    def _merge(
        self,
        cells: CellOutputs,
        tiles: TileOutputs,
        squares: NDArray[np.intp],
        opinions: Sequence[Probabilities],
    ) -> CellOutputs:
        """Pool the outputs of `tile_net` on some squares, by their numbers (n,), with those of the other networks.

        `opinions` are the occupancy (all, 4) by each network that ran before.
        """
        occupancy, letters, values = cells.occupancy.copy(), cells.letters.copy(), cells.values.copy()
        occupancy[squares] = self._pool_occupancy([*(each[squares] for each in opinions), tiles.occupancy])
        trust = self.tile_net.card["trust"]
        letters[squares] = pool_opinions((letters[squares], tiles.letters), trust["letter"])
        values[squares] = self._apply_value_prior(
            pool_opinions((values[squares], tiles.values), trust["value"])
        )
        features = cells.features
        if features is not None:
            features = join_features(features, scatter_rows(tiles.features, squares, len(features), 0.0))
        return CellOutputs(occupancy, letters, values, cells.turns, features)

    def _read_shifted(
        self, cells: CellOutputs, rectified: RectifiedBoard, squares: NDArray[np.intp]
    ) -> CellOutputs:
        """Read the unclear letters of some squares also a little off their place, and pool both."""
        clarity = measure_letter_clarity(cells.letters[squares], self.tokens, self.possible_letters)
        may_be_letter = cells.occupancy[squares, Occupancy.TILE] > CASCADE_SETTINGS.max_no_letter
        unclear = squares[(clarity < CASCADE_SETTINGS.min_letter_clarity) & may_be_letter]
        # a board that is turned is read anew from its other side
        if not unclear.size or cells.turns[squares[may_be_letter]].mean(axis=0).argmax() != 0:
            return cells
        view = shift_board(rectified, CASCADE_SETTINGS.view_shift_px)
        read = self._read_crops(crop_cells(view, view.margin_px, unclear))
        letters = cells.letters.copy()
        letters[unclear] = pool_opinions([letters[unclear], self._pool_crops(read, "letter")], (0.5, 0.5))
        return cells._replace(letters=letters)

    def _pool_crops(
        self, read: tuple[Sequence[Probabilities], Sequence[Probabilities]], name: str
    ) -> Probabilities:
        """Pool one of the outputs of both networks on crops of squares."""
        number = CELL_OUTPUTS.index(name)
        return pool_opinions([outputs[number] for outputs in read], self.tile_net.card["trust"][name])

    def _read_crops(self, cells: Image) -> tuple[tuple[Probabilities, ...], tuple[Probabilities, ...]]:
        """Run both networks on crops of squares, which they compare with each other."""
        spare = self.margin_px - self.tile_net.context_px
        inner = cells[:, spare : cells.shape[1] - spare, spare : cells.shape[2] - spare]
        small = resize_cells(cells, self.cell_net.cell_px + 2 * self.cell_net.context_px)
        return (
            self.cell_net.probabilities(space_to_depth(small)),
            self.tile_net.probabilities(space_to_depth(np.ascontiguousarray(inner))),
        )

    def _pool_occupancy(self, opinions: Sequence[Probabilities]) -> Probabilities:
        """Pool the occupancy (n, 4) by the networks that ran: `glance_net` if any, `cell_net` and `tile_net`."""
        if len(opinions) == 1:
            return opinions[0]
        if self.glance_net is None:
            return pool_opinions(opinions, self.tile_net.card["trust"]["occupancy"])
        trust = self.glance_net.card["trust"]
        which = len(opinions) - 2
        return pool_occupancy(opinions, trust["whether"][which], trust["which"][which])

    def _reading(
        self, outputs: CellOutputs, size: tuple[int, int], embedding: NDArray[np.float32] | None = None
    ) -> SquareProbabilities:
        """Return what was read on a board of rows and columns, with what the networks know."""
        board = (*size, -1)
        return SquareProbabilities(
            reader="network",
            tokens=self.tokens,
            value_labels=self.value_labels,
            occupancy=outputs.occupancy.reshape(board),
            letters=outputs.letters.reshape(board),
            values=outputs.values.reshape(board),
            turns=outputs.turns.reshape(board),
            letter_factors=tuple(self.tile_net.card["letter_factors"]),
            value_factors=self._value_factors,
            embedding=None if embedding is None else embedding.reshape(board),
            possible_letters=self.possible_letters,
        )

    @property
    def _value_factors(self) -> tuple[float, ...]:
        return tuple(self.tile_net.card["value_factors"])

    def _apply_value_prior(self, values: Probabilities) -> Probabilities:
        """Weight values (n, classes) by their frequency in bags; the networks were trained on a uniform prior."""
        weights = values * np.array(self._value_factors, np.float32)
        return np.asarray(weights / weights.sum(axis=1, keepdims=True), np.float32)


def _run_glance(glance_net: OnnxModel, coarse: RectifiedBoard, squares: Mask | None) -> Probabilities:
    """Return the occupancy (n, 4), row by row, by `glance_net`; the squares that hold nothing are empty."""
    own_size = coarse.resize(glance_net.cell_px, glance_net.context_px)
    numbers = np.arange(coarse.rows * coarse.columns) if squares is None else np.flatnonzero(squares)
    occupancy = np.tile(_EMPTY, (coarse.rows * coarse.columns, 1))
    if numbers.size:
        crops = crop_blocks(own_size, glance_net.context_px, numbers)
        (occupancy[numbers],) = glance_net.probabilities(crops)
    return occupancy
