"""Read a board at several heights and pool what was read, for views from near the table.

Seen from a chair, a tile's face is up to a square away from its square. A face is read at its own height; how high the
tiles are differs between sets. A wrong height shows parts of two tiles in a cell, which no letter fits clearly.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.core import Mask, Occupancy, RectifiedBoard, SquareProbabilities, softmax
from vision.recognition.base import SquareReader

__all__ = ["HeightMemory", "PlanesReading", "read_planes"]


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanesSettings:
    """Chosen with boards 1000 to 1059 of `tests.sets.low_views`."""

    clarity_weight: float = 10.0
    """Natural logarithm of odds between two heights, for each unit of the mean log-probability of the letters."""
    min_plausible: float = 0.25
    """Weight of a height that may be the right one, relative to the best one's."""
    max_disagreement: float = 0.1
    """Share of the tiles that plausible heights read differently, from which the height is uncertain."""
    min_log_clarity: float = -0.015
    """Mean log-probability of the letters from which on a height is the right one."""
    memory_weight: float = 5.0
    """Weight of what earlier frames showed, in reads as clear as their mean; chosen."""
    memory_rate: float = 0.2
    """Share of a new read in the running mean of earlier frames; chosen."""
    least_log_clarity: float = -1.0
    """Clarity of a height at which no letter is seen, or none clearly."""
    min_empty: float = 0.95
    """Probability from which on a square is empty on the first plane, so that the others need not be read."""
    max_on_empty: float = 0.2
    """Share of the letters on squares that are empty by the first plane, from which on a height is wrong. Heights that
    are off by a whole square have 0.27 and more, right ones 0.09 at most."""
    floor: float = 1e-6
    """Least probability, so that one height excludes nothing."""


SETTINGS = PlanesSettings()


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class PlanesReading:
    """What was read at all heights together.

    Parameters
    ----------
    probabilities : SquareProbabilities
        Pooled over the heights.
    is_height_uncertain : bool
        Whether heights at which letters are read about as clearly give different boards.
    """

    probabilities: SquareProbabilities
    is_height_uncertain: bool = False


class HeightMemory:
    """How clearly the same tiles were read at each height in earlier frames: they do not become thicker."""

    def __init__(self) -> None:
        self._mean: NDArray[np.float64] | None = None

    @property
    def tells_usual(self) -> bool:
        """Whether nothing speaks for another height than the usual one."""
        return self._mean is None or int(self._mean.argmax()) == 0

    def weigh(self, clarity: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the clarity (heights,) of a read together with that of earlier ones, and remember it."""
        if self._mean is None:
            self._mean = clarity
            return clarity
        together = clarity + SETTINGS.memory_weight * self._mean
        self._mean = self._mean + SETTINGS.memory_rate * (clarity - self._mean)
        return together


def _is_read_clearly(reading: SquareProbabilities) -> bool:
    """Whether a board was read at the height of its tiles, or has no letters that could tell."""
    return not reading.shows_letter.any() or _log_clarity(reading) >= SETTINGS.min_log_clarity


def read_planes(
    planes: Sequence[RectifiedBoard],
    reader: SquareReader,
    memory: HeightMemory | None = None,
    squares: Mask | None = None,
) -> PlanesReading:
    """Read a board at several heights.

    Parameters
    ----------
    planes : sequence of RectifiedBoard
        The board rectified at each height, that of half a usual tile first. It alone tells covers: behind the board's
        far side, a higher plane shows what is beyond the board. The first height at which letters are clear is the
        last one that is read.
    reader : SquareReader
        Reads the squares.
    memory : HeightMemory, optional
        What earlier frames of the same tiles showed; none for a photo.
    squares : (rows, columns) bool, optional
        Squares that may hold something; the others need not be read.
    """
    first = reader.read(planes[0], squares)
    if len(planes) == 1 or (_is_read_clearly(first) and (memory is None or memory.tells_usual)):
        return PlanesReading(probabilities=first)
    squares = _squares_near_tiles(first) if squares is None else squares
    is_empty = first.occupancy[..., Occupancy.EMPTY] > SETTINGS.min_empty
    readings, clarities = [first], [_log_clarity(first)]
    for plane in itertools.islice(planes, 1, None):
        readings.append(reader.read(plane, squares))
        clarities.append(_log_clarity(readings[-1], is_empty))
        # a film remembers how clear each height is
        if memory is None and clarities[-1] >= SETTINGS.min_log_clarity:
            break
    clarity = np.array(clarities)
    weights = _weigh_by_clarity(clarity if memory is None else memory.weigh(clarity))
    best = readings[int(weights.argmax())]
    occupancy = _pool([reading.occupancy for reading in readings], weights)
    covered = first.occupancy[..., [Occupancy.COVERED]]
    occupancy[..., Occupancy.COVERED] = 0.0
    occupancy *= (1 - covered) / np.maximum(occupancy.sum(axis=-1, keepdims=True), SETTINGS.floor)
    occupancy[..., [Occupancy.COVERED]] = covered
    pooled = replace(
        best,
        occupancy=occupancy,
        letters=_pool([reading.letters for reading in readings], weights),
        values=_pool([reading.values for reading in readings], weights),
        turns=_pool([reading.turns for reading in readings], weights),
    )
    return PlanesReading(probabilities=pooled, is_height_uncertain=_disagree(readings, weights))


def _squares_near_tiles(reading: SquareProbabilities) -> Mask:
    """(rows, columns) squares that may hold something, and those that share a side with them.

    A tile hides a part of its own square on every plane. On the others, a higher plane shows the board askew.
    """
    may_hold = (reading.occupancy[..., Occupancy.EMPTY] < SETTINGS.min_empty).astype(np.uint8)
    return np.asarray(cv2.dilate(may_hold, cv2.getStructuringElement(cv2.MORPH_CROSS, (3, 3))) > 0)


def _log_clarity(reading: SquareProbabilities, is_empty: Mask | None = None) -> float:
    """Return the mean log-probability of the letters that are seen.

    A plane that is off by a whole square shows letters as clearly as the right one, but on squares that are empty
    (rows, columns) by the first plane.
    """
    shows = reading.shows_letter
    if not shows.any():
        return SETTINGS.least_log_clarity
    if is_empty is not None and is_empty[shows].mean() > SETTINGS.max_on_empty:
        return SETTINGS.least_log_clarity
    return max(float(np.log(reading.letters[shows].max(axis=-1)).mean()), SETTINGS.least_log_clarity)


def _weigh_by_clarity(clarity: NDArray[np.float64]) -> NDArray[np.float32]:
    """Weigh each height by how clearly its letters are read."""
    return np.asarray(softmax(SETTINGS.clarity_weight * clarity), np.float32)


def _pool(opinions: Sequence[NDArray[np.float32]], weights: NDArray[np.float32]) -> NDArray[np.float32]:
    """Pool probabilities (rows, columns, classes) by the weighted product."""
    logs = np.tensordot(weights, np.log(np.maximum(opinions, SETTINGS.floor)), axes=1)
    return np.asarray(softmax(logs), np.float32)


def _disagree(readings: Sequence[SquareProbabilities], weights: NDArray[np.float32]) -> bool:
    """Whether the plausible heights show different letters."""
    plausible = [
        np.where(reading.shows_letter, reading.letters.argmax(axis=-1), -1)
        for reading, weight in zip(readings, weights, strict=True)
        if weight >= SETTINGS.min_plausible * weights.max()
    ]
    tiles = float(np.mean([(letters >= 0).sum() for letters in plausible]))
    differ: Mask = np.max(plausible, axis=0) != np.min(plausible, axis=0)
    return bool(differ.sum() > SETTINGS.max_disagreement * tiles)
