"""The reader for a set of tiles that was enrolled: the network, and beside it what the set's own tiles look like."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from scoring import BLANK
from vision.core import Occupancy, RectifiedBoard, SquareProbabilities
from vision.recognition.cascade import CascadeReader
from vision.recognition.preprocessing import crop_cells
from vision.recognition.prototypes import Prototypes

__all__ = ["EnrolledReader", "rotate_upright"]

_MAY_BE_TILE = 0.3
"""Probability, with what likeness may add to its odds, from which a square is compared with the set's letters."""

_PERHAPS_TURNED = 0.5
"""Of the network's turns: such a tile is turned upright and looked at again."""

_FOR_UPRIGHT = 2.0
"""Logarithm of the odds that a tile is not turned, of whose typeface the network knows little."""

_LESS_ALIKE, _MAX_BESIDE_BLANKS = 3.0, 3.0
"""Logarithms of odds: by how much less than the examples a letter of a new photo may be like its prototype, and how
much that says at most for a printed letter and against one that is written on a blank, or the other way round."""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class EnrolledReader:
    """Reads letters of one set, also ones that the network was never trained on.

    Parameters
    ----------
    network : NetworkReader
        Loaded with features.
    prototypes : Prototypes
        The set's letters, in that network's eyes. A blank may be among them.
    tokens : tuple of str
        The alphabet that is read.
    """

    network: CascadeReader
    prototypes: Prototypes
    tokens: tuple[str, ...]

    @property
    def cell_px(self) -> int:
        """What the network wants."""
        return self.network.cell_px

    @property
    def margin_px(self) -> int:
        """What the network wants."""
        return self.network.margin_px

    def read(self, rectified: RectifiedBoard) -> SquareProbabilities:
        """Probabilities for every square.

        Raises
        ------
        ValueError
            If the board was straightened to another size.
        """
        seen, features = self.network.read_with_features(rectified)
        shape = seen.occupancy.shape[:2]
        likely = seen.occupancy[..., Occupancy.TILE] + seen.occupancy[..., Occupancy.BLANK] > _MAY_BE_TILE / (
            _MAY_BE_TILE + (1 - _MAY_BE_TILE) * np.exp(self.prototypes.tile_boost)
        )
        letters = np.full((*shape, len(self.tokens)), 1 / len(self.tokens), np.float32)
        occupancy = np.array(seen.occupancy, np.float64)
        if likely.any():
            advantage = self._advantage(rectified, seen, features, likely)
            letters[likely] = self.prototypes.letters(
                advantage, seen.letters[likely], seen.tokens, self.tokens
            )
            occupancy[likely] = self._occupancy(occupancy[likely], advantage, seen.letters[likely])
        return replace(
            seen,
            reader="network+prototypes",
            tokens=self.tokens,
            occupancy=occupancy.astype(np.float32),
            letters=letters,
            letter_factors=(),  # likeness takes all letters to be as frequent
        )

    def _advantage(
        self,
        rectified: RectifiedBoard,
        seen: SquareProbabilities,
        features: NDArray[np.float32],
        likely: NDArray[np.bool_],
    ) -> NDArray[np.float64]:
        """(n, letters) of the squares that may hold tiles, each letter as it lies there best, upright or turned."""
        advantage = self.prototypes.advantage(features[likely])
        turned = likely & (seen.turns[..., 1:].max(axis=-1) > _PERHAPS_TURNED)
        if turned.any():
            cells = crop_cells(rectified, self.margin_px)[turned.ravel()]
            upright = rotate_upright(cells, seen.turns[turned][:, 1:].argmax(axis=-1) + 1)
            again = self.prototypes.advantage(self.network.features(upright)) - _FOR_UPRIGHT
            place = turned[likely]
            advantage[place] = np.maximum(advantage[place], again)
        return advantage

    def _occupancy(
        self, said: NDArray[np.float64], advantage: NDArray[np.float64], letters: NDArray[np.float32]
    ) -> NDArray[np.float64]:
        """What lies on squares (n, 4), by the network and by how like the set's letters they are."""
        known = self.prototypes
        columns = [column for column, token in enumerate(known.tokens) if token != BLANK]
        alike = advantage[:, columns].max(axis=1)
        occupancy = np.array(said)
        # What is unlike every letter may still be a letter in bad light.
        occupancy[:, Occupancy.TILE] *= np.exp(np.clip(alike, 0.0, known.tile_boost))
        printed = np.clip(alike - known.alike_from + _LESS_ALIKE, -_MAX_BESIDE_BLANKS, _MAX_BESIDE_BLANKS)
        # A letter without an example is like none, and so is all where the network doubts the set's tiles.
        enrolled = np.isin(np.array(self.network.tokens)[letters.argmax(axis=1)], known.tokens)
        printed[(printed < 0) & (~enrolled | (known.tile_boost > 0))] = 0.0
        either = [Occupancy.TILE, Occupancy.BLANK]
        both = occupancy[:, either].sum(axis=1, keepdims=True)
        weights = occupancy[:, either] * np.exp(np.stack([printed, np.zeros_like(printed)], axis=1))
        occupancy[:, either] = both * weights / np.maximum(weights.sum(axis=1, keepdims=True), 1e-12)
        return np.asarray(occupancy / occupancy.sum(axis=1, keepdims=True))


def rotate_upright(cells: NDArray[np.uint8], turns: NDArray[np.integer]) -> NDArray[np.uint8]:
    """Squares (n, side, side, 3) turned back by that many quarters, counted clockwise."""
    return np.stack([np.rot90(cell, int(turn)) for cell, turn in zip(cells, turns, strict=True)])
