"""What all photos of a game say together of each square: when its tile was laid, and which one it is.

A tile stands in every photo from the one after its play on, so that one that is misread, overlooked or imagined in
some of them is seen in the others. A square's history is a row of intervals, empty or with one tile; its likelihood
is the product of what the photos say. Which histories go together is for the rules to say, see `turns`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from scoring import BLANK, COVERED, EMPTY, Edition
from vision.core import SquareProbabilities
from vision.decoding import square_probabilities

__all__ = [
    "BLANK_STATE",
    "CORRECTED",
    "EMPTY_STATE",
    "Square",
    "SquareTimelines",
    "Tile",
    "state_log_likelihoods",
    "states_of",
]

# Natural logarithms of odds or probabilities, chosen and not fitted.
MISLED = 1e-3
"""How often a photo says nothing whatever of a square: a hand, a reflex, a picture that was cut."""
FAINTEST = 1e-4
"""Of a letter that is less likely than this no photo says how unlikely it is."""
SURE = 3.0
"""A letter that is so much likelier than a blank or nothing is said to be seen."""
TAKEN_UP = 2.0
"""For each tile that was taken up again."""
CORRECTED = -1e6
"""What people say of a square is certain, however many photos show something else."""
EMPTY_STATE, BLANK_STATE = 0, 1

Square = tuple[int, int]
"""Row and column."""
Tile = tuple[int, int, int]
"""A tile that lay there: its square, the look at which it was laid, and the look before which it was gone."""


def states_of(edition: Edition) -> tuple[str, ...]:
    """What a square may hold: nothing, a blank, or one of the letters."""
    return (EMPTY, BLANK, *edition.tokens)


def state_log_likelihoods(
    reading: SquareProbabilities, edition: Edition
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """What one photo says of each square, whatever letters the reader has seen oftener.

    Returns
    -------
    states : (rows, columns, states) float64
        The logarithm of how likely each state is. What covers a square says nothing of what lies there.
    letters : (rows, columns, letters) float64
        The logarithm of how likely each letter is if a tile with one lies there.

    Raises
    ------
    SettingsError
        If the reader does not know a letter of the edition.
    """
    even = replace(reading, letters=reading.letter_likelihoods.astype(np.float32), letter_factors=())
    tokens, probabilities = square_probabilities(even, edition)
    covered = probabilities[..., tokens.index(COVERED), None]
    columns = [tokens.index(state) for state in states_of(edition)]
    letters = probabilities[..., columns[BLANK_STATE + 1 :]]
    shares = letters / letters.sum(axis=-1, keepdims=True)
    return np.log(probabilities[..., columns] + covered + MISLED), np.log(shares + FAINTEST)


class SquareTimelines:
    """The likelihoods of all histories of all squares.

    Parameters
    ----------
    looks : (looks, squares, states) float64
        The logarithm of how likely each state is, look by look.
    letters : (looks, squares, letters) float64
        The logarithm of how likely each letter is if a tile with one lies there, summed over the photos of a look.
    photos : sequence of int
        How many photos each look is the sum of.
    appearance : (photos, squares, k) float64, optional
        How the tile with a letter on each square looks, photo by photo; NaN where none is seen.
    """

    def __init__(
        self,
        looks: NDArray[np.float64],
        letters: NDArray[np.float64],
        photos: Sequence[int],
        appearance: NDArray[np.float64] | None = None,
    ) -> None:
        self.looks, self.squares, _ = looks.shape
        self._letters = letters
        self._appearance = np.zeros((sum(photos), self.squares, 0)) if appearance is None else appearance
        self._photos = np.concatenate([[0], np.cumsum(photos)])
        self.empty = looks[..., EMPTY_STATE]
        zero = np.zeros((1, *looks.shape[1:]))
        self._sums = np.concatenate([zero, np.cumsum(looks, axis=0)])
        # rest[a]: the best that can be said of the looks from a on, where the square is empty before;
        # lying[a][b]: the same where a tile was laid at look a and lies at least until look b.
        self.rest = np.zeros((self.looks + 1, self.squares))
        self._ended: list[NDArray[np.float64]] = [np.zeros((0, self.squares))] * self.looks
        self._lying: list[NDArray[np.float64]] = [np.zeros((0, self.squares))] * self.looks
        for start in range(self.looks - 1, -1, -1):
            tile = (self._sums[start + 1 :, :, BLANK_STATE:] - self._sums[start, :, BLANK_STATE:]).max(
                axis=-1
            )
            ended = tile + self.rest[start + 1 :]
            ended[:-1] -= TAKEN_UP
            self._ended[start] = ended
            self._lying[start] = np.maximum.accumulate(ended[::-1], axis=0)[::-1]
            self.rest[start] = np.maximum(self.empty[start] + self.rest[start + 1], self._lying[start][0])

    def stays_empty(self, look: int) -> NDArray[np.float64]:
        """What is lost for each square if nothing is laid on it at this look, (squares,)."""
        return np.asarray(self.rest[look] - self.empty[look] - self.rest[look + 1])

    def is_laid(self, look: int) -> NDArray[np.float64]:
        """What is lost for each square if a tile is laid on it at this look, (squares,)."""
        return np.asarray(self.rest[look] - self._lying[look][0])

    def stays(self, laid: NDArray[np.intp], look: int) -> NDArray[np.float64]:
        """What is lost for each square if its tile, laid at an earlier look, lies at this one, too.

        Parameters
        ----------
        laid : (squares,) int
            The look at which each was laid; squares with another number than an earlier look's lose nothing.
        """
        lost = np.zeros(self.squares)
        for start in np.unique(laid[(laid >= 0) & (laid < look)]).tolist():
            at = laid == start
            lost[at] = self._lying[start][look - start - 1, at] - self._lying[start][look - start, at]
        return lost

    def is_taken_up(self, square: int, laid: int, look: int) -> float:
        """What is lost for a square if its tile, laid at an earlier look, is gone at this one."""
        before = look - laid - 1
        return float(self._lying[laid][before, square] - self._ended[laid][before, square])

    def laid_at(self, tile: Tile) -> NDArray[np.float64]:
        """How probable it is that a tile was laid at each look, by the photos of its own square alone, (looks,)."""
        square, _, end = tile
        before = self._sums[:end, square, EMPTY_STATE]
        after = (self._sums[end, square, BLANK_STATE:] - self._sums[:end, square, BLANK_STATE:]).max(axis=-1)
        weights = np.full(self.looks, -np.inf)
        weights[:end] = before + after
        return np.asarray(np.exp(weights - np.logaddexp.reduce(weights)))

    def tile(self, tile: Tile) -> NDArray[np.float64]:
        """The logarithm of how likely each kind of tile is, (states - 1,)."""
        square, laid, end = tile
        return np.asarray(self._sums[end, square, BLANK_STATE:] - self._sums[laid, square, BLANK_STATE:])

    def letters_at(self, look: int) -> list[int]:
        """The squares on which this look by itself surely shows a letter."""
        states = self._sums[look + 1] - self._sums[look]
        others = states[:, : BLANK_STATE + 1].max(axis=1)
        return [int(at) for at in np.flatnonzero(states[:, BLANK_STATE + 1 :].max(axis=1) > others + SURE)]

    def letters(self, tile: Tile) -> NDArray[np.float64]:
        """The logarithm of how likely each letter is on the average of the photos, (letters,)."""
        square, laid, end = tile
        return np.asarray(self._letters[laid:end, square].sum(axis=0) / self.photos(tile))

    def appearance(self, tile: Tile) -> tuple[NDArray[np.float64], int]:
        """How a tile looks on the average of the photos that tell it, (k,), and how many these are."""
        square, laid, end = tile
        seen = self._appearance[self._photos[laid] : self._photos[end], square]
        seen = seen[np.isfinite(seen).all(axis=1)] if seen.shape[1] else seen[:0]
        return (seen.mean(axis=0) if len(seen) else np.zeros(seen.shape[1])), len(seen)

    def photos(self, tile: Tile) -> int:
        """How many photos show it."""
        _, laid, end = tile
        return int(self._photos[end] - self._photos[laid])
