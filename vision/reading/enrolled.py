"""The reader for a set of tiles that was enrolled: the network, and beside it what the set's own tiles look like."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from vision.reading.crops import cell_crops
from vision.reading.network import NetworkReader
from vision.reading.prototypes import Prototypes
from vision.readings import BoardReading, Occupancy
from vision.rectified import RectifiedBoard

__all__ = ["EnrolledReader", "upright_cells"]

_MAY_BE_TILE = 0.02
"""Probability from which a square is compared with the set's letters."""

_PERHAPS_TURNED = 0.5
"""Of the network's turns: such a tile is turned upright and looked at again."""

_FOR_UPRIGHT = 2.0
"""Logarithm of the odds that a tile is not turned, of whose typeface the network knows little."""

_MOST_FOR_TILE, _MOST_BESIDE_BLANKS = 4.0, 1.0
"""Logarithm of the odds by which likeness to a letter may speak for a letter and against a blank. Less where blanks are
enrolled: they may carry the same letters in pen, and there is no telling of what kind the next one is."""


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

    network: NetworkReader
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

    def read(self, rectified: RectifiedBoard) -> BoardReading:
        """Probabilities for every square.

        Raises
        ------
        ValueError
            If the board was straightened to another size.
        """
        seen, features = self.network.read_with_features(rectified)
        shape = seen.occupancy.shape[:2]
        likely = seen.occupancy[..., Occupancy.TILE] + seen.occupancy[..., Occupancy.BLANK] > _MAY_BE_TILE
        letters = np.full((*shape, len(self.tokens)), 1 / len(self.tokens), np.float32)
        occupancy = np.array(seen.occupancy, np.float64)
        if likely.any():
            advantage = self._advantage(rectified, seen, features, likely)
            letters[likely] = self.prototypes.letters(
                advantage, seen.letters[likely], seen.tokens, self.tokens
            )
            occupancy[likely, Occupancy.TILE] *= np.exp(self._for_letter(advantage))
            occupancy /= occupancy.sum(axis=-1, keepdims=True)
        return replace(
            seen,
            reader="network+prototypes",
            tokens=self.tokens,
            occupancy=occupancy.astype(np.float32),
            letters=letters,
        )

    def _advantage(
        self,
        rectified: RectifiedBoard,
        seen: BoardReading,
        features: NDArray[np.float32],
        likely: NDArray[np.bool_],
    ) -> NDArray[np.float64]:
        """(n, letters) of the squares that may hold tiles, each letter as it lies there best, upright or turned."""
        advantage = self.prototypes.advantage(features[likely])
        turned = likely & (seen.turns[..., 1:].max(axis=-1) > _PERHAPS_TURNED)
        if turned.any():
            cells = cell_crops(rectified, self.margin_px)[turned.ravel()]
            upright = upright_cells(cells, seen.turns[turned][:, 1:].argmax(axis=-1) + 1)
            again = self.prototypes.advantage(self.network.features(upright)) - _FOR_UPRIGHT
            place = turned[likely]
            advantage[place] = np.maximum(advantage[place], again)
        return advantage

    def _for_letter(self, advantage: NDArray[np.float64]) -> NDArray[np.float64]:
        """(n,) log odds that these are letters and not blanks."""
        blank = [column for column, token in enumerate(self.prototypes.tokens) if token == "?"]
        letters = np.delete(advantage, blank, axis=1).max(axis=1)
        if not blank:  # what is unlike every letter may still be a letter in bad light
            return np.asarray(np.clip(letters, 0.0, _MOST_FOR_TILE), np.float64)
        beside = letters - advantage[:, blank[0]]
        return np.asarray(np.clip(beside, -_MOST_BESIDE_BLANKS, _MOST_BESIDE_BLANKS), np.float64)


def upright_cells(cells: NDArray[np.uint8], turns: NDArray[np.integer]) -> NDArray[np.uint8]:
    """Squares (n, side, side, 3) turned back by that many quarters, counted clockwise."""
    return np.stack([np.rot90(cell, int(turn)) for cell, turn in zip(cells, turns, strict=True)])
