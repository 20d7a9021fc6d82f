"""The stage that tells motion from rest: small views in, how long each cell has been at rest out.

Every cell keeps an anchor, the view in which it came to rest. A cell that differs from its anchor has moved, be
it fast or slowly, and gets a new one. A change of light that all cells share is taken out first.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.core import freeze
from vision.tracking.thumbnail import CELL_PX, MARGIN_CELLS, BoardThumbnail

__all__ = [
    "BOARD",
    "MotionDetector",
    "MotionState",
    "cell_change",
    "cell_slope",
    "colour_change",
    "gain_between",
    "lit_alike",
]

Mask = NDArray[np.bool_]

BOARD = (slice(MARGIN_CELLS, -MARGIN_CELLS), slice(MARGIN_CELLS, -MARGIN_CELLS))
"""The grid's own cells among all."""
MIN_CHANGE = 2.5
"""Grey levels, averaged over a cell: a sensor's noise leaves below one after shrinking."""
CHANGE_SHARE = 0.06
"""Of the picture's spread of levels: a nudge by a tenth of a cell changes that much of it."""
NOISE_FACTOR = 4.0
"""A change must stand out of the usual difference between two views of one scene."""
QUIET_SHARE = 0.1
"""Of the cells: more of them move when a hand does, or the camera."""
FOLLOW_S = 2.0
"""How fast the anchor of a cell at rest follows the light."""
RESTLESS_S = 6.0
"""A cell that keeps changing for so long is a reflection or a lamp, not a hand."""


@dataclass(frozen=True, slots=True, eq=False)
class MotionState:
    """How long each cell has been at rest.

    Parameters
    ----------
    cells_s : (rows + 2 * AROUND, columns + 2 * AROUND) float64
        Seconds since each cell last changed, those beside the grid too.
    around_s : float
        Seconds since anything changed beside the grid.
    frames : int
        Views since any square that is not restless changed.
    restless : (rows, columns) bool
        Squares that never come to rest; they say nothing.
    """

    cells_s: NDArray[np.float64]
    around_s: float
    frames: int
    restless: Mask

    def __post_init__(self) -> None:
        object.__setattr__(self, "cells_s", freeze(self.cells_s, (None, None), np.float64, "cells_s"))
        object.__setattr__(self, "restless", freeze(self.restless, self.still_s.shape, np.bool_, "restless"))

    @property
    def still_s(self) -> NDArray[np.float64]:
        """Seconds since each square last changed, (rows, columns)."""
        return self.cells_s[BOARD]

    @property
    def rest_s(self) -> float:
        """Seconds since any square changed, restless ones apart."""
        calm = self.still_s[~self.restless]
        return float(calm.min()) if calm.size else 0.0


def cell_change(now: BoardThumbnail, then: BoardThumbnail) -> NDArray[np.float64]:
    """Mean difference of levels in each cell, apart from a common change of light and from small shifts.

    Every cell may lie up to an eighth of a cell elsewhere: a board that is found again at another place, and
    a tile that was straightened, look the same.

    Parameters
    ----------
    now, then : Preview
        Two views of one size.

    Returns
    -------
    (rows + 2 * AROUND, columns + 2 * AROUND) float64
    """
    padded = np.pad(lit_alike(then.grey, now.grey), 1, mode="edge")
    height, width = now.grey.shape
    differences = [
        _cells(np.abs(now.grey - padded[y : y + height, x : x + width])) for y in range(3) for x in range(3)
    ]
    return np.asarray(np.min(differences, axis=0))


def colour_change(now: BoardThumbnail, then: BoardThumbnail) -> NDArray[np.float64]:
    """Difference of colour in each cell, in levels, apart from a common change of light; 0 where it is not known.

    A wooden tile may be as bright as the board that it lies on.

    Parameters
    ----------
    now, then : Preview
        Two views of one size.

    Returns
    -------
    (rows + 2 * AROUND, columns + 2 * AROUND) float64
    """
    if now.chroma is None or then.chroma is None:
        return np.zeros((now.grey.shape[0] // CELL_PX, now.grey.shape[1] // CELL_PX))
    difference = now.chroma - then.chroma * gain_between(then.grey, now.grey)
    difference -= np.median(difference, axis=(0, 1))
    return np.asarray(np.abs(difference).max(axis=-1), dtype=np.float64)


def cell_slope(view: BoardThumbnail) -> NDArray[np.float64]:
    """How much the levels change from pixel to pixel in each cell: what a shift by one pixel would change.

    Parameters
    ----------
    view : Preview
        The view.

    Returns
    -------
    (rows + 2 * AROUND, columns + 2 * AROUND) float64
    """
    across = np.abs(np.diff(view.grey, axis=1, append=view.grey[:, -1:]))
    down = np.abs(np.diff(view.grey, axis=0, append=view.grey[-1:]))
    return _cells(np.asarray((across + down) / 2, dtype=np.float32))


class MotionDetector:
    """Follows the views of a film and says after each how long its cells have been at rest.

    Parameters
    ----------
    first : Preview
        The first view.
    time_s : float
        Its time.
    """

    def __init__(self, first: BoardThumbnail, time_s: float) -> None:
        self._anchor = first.grey.copy()
        cells = (first.grey.shape[0] // CELL_PX, first.grey.shape[1] // CELL_PX)
        self._moved_s = np.full(cells, time_s)
        self._calm_since_s = np.full(cells, time_s)
        self._last = first.grey
        self._noise = 0.0
        self._frames = 0
        self._last_s = time_s
        self.threshold = self._threshold(first.grey)

    def update(self, view: BoardThumbnail, time_s: float) -> MotionState:
        """What has come to rest, now that this view is seen.

        Parameters
        ----------
        view : Preview
            Of the same size as the first.
        time_s : float
            Its time, not before the last one's.
        """
        anchor = lit_alike(self._anchor, view.grey)
        change = _cells(np.abs(view.grey - anchor))
        moved = change > self.threshold
        if moved.mean() < QUIET_SHARE:  # then the median cell shows noise alone
            noise = float(np.median(_cells(np.abs(view.grey - lit_alike(self._last, view.grey)))))
            self._noise += 0.05 * (noise - self._noise)
            self.threshold = self._threshold(view.grey)
        # The anchor follows light that changes slowly, far slower than any hand.
        follow = 1.0 - math.exp((self._last_s - time_s) / FOLLOW_S)
        self._anchor = anchor + np.where(_pixels(moved), 1.0, follow).astype(np.float32) * (
            view.grey - anchor
        )
        self._last = view.grey
        was_calm = time_s - self._moved_s > 1.0
        self._calm_since_s[was_calm] = time_s
        self._moved_s[moved] = time_s
        self._last_s = time_s
        restless = time_s - self._calm_since_s > RESTLESS_S
        if moved.mean() > QUIET_SHARE / 2:  # a hand that stays long over the board is no reflection
            self._calm_since_s[moved] = np.maximum(self._calm_since_s[moved], time_s - RESTLESS_S / 2)
        self._frames = 0 if (moved & ~restless)[BOARD].any() else self._frames + 1
        ring = np.ones(moved.shape, np.bool_)
        ring[BOARD] = False
        calm_ring = ring & ~restless
        around_s = time_s - float(self._moved_s[calm_ring].max()) if calm_ring.any() else 0.0
        return MotionState(
            cells_s=time_s - self._moved_s,
            around_s=around_s,
            frames=self._frames,
            restless=restless[BOARD],
        )

    def pass_over(self, seconds: float) -> None:
        """So much time has passed in which nothing was seen: it counts as no rest."""
        self._moved_s += seconds
        self._calm_since_s += seconds
        self._last_s += seconds

    def see_from_elsewhere(self, view: BoardThumbnail) -> None:
        """The board is seen in another place from now on; what rested goes on resting."""
        self._anchor = view.grey.copy()
        self._last = view.grey

    def turn(self, quarter_turns: int, view: BoardThumbnail) -> None:
        """The board is named from another side from now on."""
        self._anchor = view.grey.copy()
        self._last = view.grey
        self._moved_s = np.rot90(self._moved_s, quarter_turns).copy()
        self._calm_since_s = np.rot90(self._calm_since_s, quarter_turns).copy()

    def _threshold(self, grey: NDArray[np.float32]) -> float:
        low, high = np.percentile(grey[::4, ::4], [5, 95])
        return max(MIN_CHANGE, CHANGE_SHARE * float(high - low) / 2, NOISE_FACTOR * self._noise)


def gain_between(grey: NDArray[np.float32], like: NDArray[np.float32]) -> float:
    """How much brighter the median cell is in the other view."""
    return float(np.median((_cells(like) + 1.0) / (_cells(grey) + 1.0)))


def lit_alike(grey: NDArray[np.float32], like: NDArray[np.float32]) -> NDArray[np.float32]:
    """The view with its levels scaled so that the median cell is as bright as in the other one."""
    gain = gain_between(grey, like)
    # A hand or its shadow does not move the median. What is below half a level changes nothing.
    return grey if abs(gain - 1.0) < 0.002 else np.asarray(grey * gain, dtype=np.float32)


def _cells(grey: NDArray[np.float32]) -> NDArray[np.float64]:
    """The mean of every cell."""
    size = (grey.shape[1] // CELL_PX, grey.shape[0] // CELL_PX)
    return np.asarray(cv2.resize(grey, size, interpolation=cv2.INTER_AREA), dtype=np.float64)


def _pixels(cells: Mask) -> Mask:
    """The mask of cells as a mask of pixels."""
    return np.repeat(np.repeat(cells, CELL_PX, axis=0), CELL_PX, axis=1)
