"""The reader for an enrolled tile set: the network's letters fused with those of the set's prototypes."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from scoring import BLANK
from vision.core import Floats, Image, Mask, Occupancy, RectifiedBoard, SquareProbabilities
from vision.recognition.cascade import CascadeReader
from vision.recognition.preprocessing import crop_cells
from vision.recognition.prototypes import Prototypes

__all__ = ["EnrolledReader", "rotate_upright"]


@dataclass(frozen=True, slots=True, kw_only=True)
class FewShotSettings:
    """Thresholds of the reader for an enrolled set; all chosen.

    Parameters
    ----------
    min_tile : float
        Probability of a tile, with the log-odds that the prototypes may add, from which a square is compared with the
        set's letters.
    min_turned : float
        Probability of a turned letter, by the network, from which the square is also read after turning it upright.
    upright_log_odds : float
        Prior log-odds that a tile is not turned, for typefaces that the network hardly knows.
    llr_tolerance : float
        By how much less a letter of a new photo may resemble its prototype than the examples did, in nats.
    max_printed_log_odds : float
        Log-odds at most that resemblance adds for or against a printed letter, compared with one written on a blank.
    """

    min_tile: float = 0.3
    min_turned: float = 0.5
    upright_log_odds: float = 2.0
    llr_tolerance: float = 3.0
    max_printed_log_odds: float = 3.0


SETTINGS = FewShotSettings()


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class EnrolledReader:
    """Read the letters of one tile set, including letters that the network was never trained on.

    Parameters
    ----------
    network : CascadeReader
        Loaded with features.
    prototypes : Prototypes
        The set's letters in that network's feature space. A blank may be among them.
    tokens : tuple of str
        The alphabet of the readings.
    """

    network: CascadeReader
    prototypes: Prototypes
    tokens: tuple[str, ...]

    @property
    def cell_px(self) -> int:
        """Side of a cell as for the network."""
        return self.network.cell_px

    @property
    def margin_px(self) -> int:
        """Margin as for the network."""
        return self.network.margin_px

    def read(self, rectified: RectifiedBoard, squares: Mask | None = None) -> SquareProbabilities:
        """Return the probabilities of every square.

        Parameters
        ----------
        rectified : RectifiedBoard
            Rectified with this reader's `cell_px` and `margin_px`.
        squares : (rows, columns) bool, optional
            Not used: all squares are read.

        Raises
        ------
        ValueError
            If the board was rectified to another size.
        """
        reading, features = self.network.read_with_features(rectified)
        shape = reading.occupancy.shape[:2]
        piece = reading.occupancy[..., [Occupancy.TILE, Occupancy.BLANK]].sum(axis=-1)
        boosted = piece * np.exp(self.prototypes.max_tile_log_odds)
        is_likely = boosted / (boosted + 1 - piece) > SETTINGS.min_tile
        letters = np.full((*shape, len(self.tokens)), 1 / len(self.tokens), np.float32)
        occupancy = np.array(reading.occupancy, np.float64)
        if is_likely.any():
            ratios = self._log_likelihood_ratios(rectified, reading, features, is_likely)
            letters[is_likely] = self.prototypes.fuse_letters(
                ratios, reading.letters[is_likely], reading.tokens, self.tokens
            )
            occupancy[is_likely] = self._reweight_occupancy(
                occupancy[is_likely], ratios, reading.letters[is_likely]
            )
        return replace(
            reading,
            reader="network+prototypes",
            tokens=self.tokens,
            occupancy=occupancy.astype(np.float32),
            letters=letters,
            letter_factors=(),  # the prototypes have a uniform prior
        )

    def _log_likelihood_ratios(
        self,
        rectified: RectifiedBoard,
        reading: SquareProbabilities,
        features: NDArray[np.float32],
        is_likely: Mask,
    ) -> Floats:
        """Return the ratios (n, letters) of the squares that may hold tiles, the better of upright and turned."""
        ratios = self.prototypes.log_likelihood_ratios(features[is_likely])
        is_turned = is_likely & (reading.turns[..., 1:].max(axis=-1) > SETTINGS.min_turned)
        if is_turned.any():
            cells = crop_cells(rectified, self.margin_px, np.flatnonzero(is_turned))
            upright = rotate_upright(cells, reading.turns[is_turned][:, 1:].argmax(axis=-1) + 1)
            turned = self.prototypes.log_likelihood_ratios(self.network.extract_features(upright))
            rows = is_turned[is_likely]
            ratios[rows] = np.maximum(ratios[rows], turned - SETTINGS.upright_log_odds)
        return ratios

    def _reweight_occupancy(self, occupancy: Floats, ratios: Floats, letters: NDArray[np.float32]) -> Floats:
        """Return the occupancy (n, 4), reweighted by how much squares resemble the set's letters.

        Parameters
        ----------
        occupancy : (n, 4) float64
            By the network.
        ratios : (n, enrolled letters) float64
            By the prototypes.
        letters : (n, network letters) float32
            Probabilities by the network.
        """
        known = self.prototypes
        columns = [column for column, token in enumerate(known.tokens) if token != BLANK]
        best_ratio = ratios[:, columns].max(axis=1)
        result = np.array(occupancy)
        # What resembles no letter may still be a letter in bad light, so it is not made less probable.
        result[:, Occupancy.TILE] *= np.exp(np.clip(best_ratio, 0.0, known.max_tile_log_odds))
        limit = SETTINGS.max_printed_log_odds
        printed = np.clip(best_ratio - known.min_in_class_llr + SETTINGS.llr_tolerance, -limit, limit)
        # A letter without an example resembles none, and so do all where the network doubts the set's tiles.
        is_enrolled = np.isin(np.array(self.network.tokens)[letters.argmax(axis=1)], known.tokens)
        printed[(printed < 0) & (~is_enrolled | (known.max_tile_log_odds > 0))] = 0.0
        either = [Occupancy.TILE, Occupancy.BLANK]
        both = result[:, either].sum(axis=1, keepdims=True)
        weights = result[:, either] * np.exp(np.stack([printed, np.zeros_like(printed)], axis=1))
        result[:, either] = both * weights / np.maximum(weights.sum(axis=1, keepdims=True), 1e-12)
        return np.asarray(result / result.sum(axis=1, keepdims=True))


def rotate_upright(cells: Image, quarter_turns: NDArray[np.integer]) -> Image:
    """Turn squares (n, side, side, 3) back by their clockwise quarter turns."""
    return np.stack([np.rot90(cell, int(turn)) for cell, turn in zip(cells, quarter_turns, strict=True)])
