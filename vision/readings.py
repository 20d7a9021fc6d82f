"""What a reader saw on each square, before anything is decided: the value between `read` and `decode`."""

from __future__ import annotations

import enum
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vision.geometry import frozen

__all__ = ["BoardReading", "Occupancy"]


class Occupancy(enum.IntEnum):
    """What a square shows; the index into the last axis of `BoardReading.occupancy`."""

    EMPTY = 0
    TILE = 1
    BLANK = 2
    COVERED = 3


@dataclass(frozen=True, slots=True, eq=False)
class BoardReading:
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
        Where what was seen lies along the directions of `vision.reading.appearance`, k of them; NaN for squares that
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
            array = frozen(getattr(self, name), (rows, columns, last), np.float32, name)
            object.__setattr__(self, name, array)
        if self.appearance is not None:
            array = frozen(self.appearance, (rows, columns, None), np.float32, "appearance")
            object.__setattr__(self, "appearance", array)
        for name, factors, of in (
            ("letter_factors", self.letter_factors, self.tokens),
            ("value_factors", self.value_factors, self.value_labels),
        ):
            if len(factors) not in (0, len(of)):
                raise ValueError(f"{name}: expected one for each of {len(of)}, got {len(factors)}")

    @property
    def letters_as_seen(self) -> NDArray[np.float64]:
        """(rows, columns, len(tokens)) each letter's probability by the picture alone, were all as frequent."""
        return _without(self.letters, self.letter_factors)

    @property
    def values_as_seen(self) -> NDArray[np.float64]:
        """(rows, columns, len(value_labels)) each value's probability by the picture alone, were all as frequent."""
        return _without(self.values, self.value_factors)


def _without(probabilities: NDArray[np.float32], factors: tuple[float, ...]) -> NDArray[np.float64]:
    """The probabilities of what a reader would say that takes everything to be as frequent."""
    if not factors:
        return probabilities.astype(np.float64)
    seen = probabilities / np.array(factors)
    return np.asarray(seen / seen.sum(axis=-1, keepdims=True))
