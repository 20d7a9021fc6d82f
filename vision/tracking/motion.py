"""Detect motion: thumbnails in, the time that each cell has been at rest out.

Every cell keeps an anchor, the view in which it came to rest. A cell that differs from its anchor has moved, fast or
slowly, and gets a new anchor. A change of light that all cells share is removed first.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.core import Floats, Mask, freeze
from vision.tracking.thumbnail import CELL_PX, MARGIN_CELLS, BoardThumbnail

__all__ = [
    "BOARD",
    "MotionDetector",
    "MotionState",
    "cell_change",
    "cell_gradient",
    "colour_change",
    "estimate_gain",
    "match_light",
]

BOARD = (slice(MARGIN_CELLS, -MARGIN_CELLS), slice(MARGIN_CELLS, -MARGIN_CELLS))
"""The cells of the grid among all cells of a thumbnail."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MotionSettings:
    """When a cell counts as moved. All values are chosen."""

    min_change: float = 1.2
    """Smallest threshold of change, in grey levels averaged over a cell: a sensor's noise leaves below one after
    shrinking."""
    change_share: float = 0.06
    """Threshold as a share of half the picture's range of levels: a nudge by a tenth of a cell changes that much."""
    noise_factor: float = 4.0
    """Threshold as a multiple of the usual difference between two views of one scene."""
    noise_every_views: int = 4
    """Views between two measurements of that difference, which take a fifth of the time of a view."""
    noise_rate: float = 0.2
    """Share of a new measurement of that difference in its running mean."""
    max_quiet_share: float = 0.1
    """Share of moved cells up to which the noise is measured: more cells move when a hand or the camera does."""
    follow_light_s: float = 2.0
    """Time constant with which the anchor of a cell at rest follows the light."""
    quiet_after_s: float = 1.0
    """Seconds without a change after which a cell is quiet."""
    flickering_after_s: float = 6.0
    """Seconds of changes after which a cell is a reflection or a lamp, not a hand."""
    min_hand_share: float = 0.05
    """Share of moved cells from which on a hand may be over the board."""
    max_hand_changes_s: float = 3.0
    """Seconds of changes that count at most for a cell that moves with so many others."""
    misaligned_px: float = 0.2
    """Misalignment of two views of a moving camera that the registration leaves, in thumbnail pixels."""
    max_gain: float = 1.5
    """Largest change of light in a neighbourhood that is no motion."""
    min_gain_change: float = 0.002
    """Change of light that is corrected; below, no level changes by half."""


SETTINGS = MotionSettings()


@dataclass(frozen=True, slots=True, eq=False)
class MotionState:
    """How long each cell has been at rest.

    Parameters
    ----------
    cells_s : (rows + 2 * MARGIN_CELLS, columns + 2 * MARGIN_CELLS) float64
        Seconds since each cell last changed, with the margin around the grid.
    around_s : float
        Seconds since anything changed in the margin.
    frames : int
        Number of views since any square changed that does not flicker.
    flickering : (rows, columns) bool
        Squares that never come to rest; they show no motion.
    """

    cells_s: Floats
    around_s: float
    frames: int
    flickering: Mask

    def __post_init__(self) -> None:
        object.__setattr__(self, "cells_s", freeze(self.cells_s, (None, None), np.float64, "cells_s"))
        flickering = freeze(self.flickering, self.squares_s.shape, np.bool_, "flickering")
        object.__setattr__(self, "flickering", flickering)

    @property
    def squares_s(self) -> Floats:
        """(rows, columns) seconds since each square last changed."""
        return self.cells_s[BOARD]

    @property
    def rest_s(self) -> float:
        """Seconds since any square changed that does not flicker."""
        quiet = self.squares_s[~self.flickering]
        return float(quiet.min()) if quiet.size else 0.0

    def rotate(self, quarter_turns: int) -> MotionState:
        """Return the state named from another side, as `numpy.rot90` rotates."""
        return replace(
            self,
            cells_s=np.rot90(self.cells_s, quarter_turns),
            flickering=np.rot90(self.flickering, quarter_turns),
        )


def cell_change(now: BoardThumbnail, then: BoardThumbnail) -> Floats:
    """Measure how much each cell differs between two views, apart from a common change of light and small shifts.

    Every cell may be off by an eighth of a cell: a board that is found again at another place, and a tile that was
    straightened, look the same.

    Parameters
    ----------
    now, then : BoardThumbnail
        Two views of one size.

    Returns
    -------
    (rows + 2 * MARGIN_CELLS, columns + 2 * MARGIN_CELLS) float64
        Mean absolute difference, in grey levels.
    """
    padded = np.pad(match_light(then.grey, now.grey), 1, mode="edge")
    height, width = now.grey.shape
    differences = [
        _cell_means(np.abs(now.grey - padded[y : y + height, x : x + width]))
        for y in range(3)
        for x in range(3)
    ]
    return np.asarray(np.min(differences, axis=0))


def colour_change(now: BoardThumbnail, then: BoardThumbnail) -> Floats:
    """Measure how much each cell's colour differs between two views, apart from a common change of light.

    A wooden tile may be as bright as the board that it lies on.

    Parameters
    ----------
    now, then : BoardThumbnail
        Two views of one size.

    Returns
    -------
    (rows + 2 * MARGIN_CELLS, columns + 2 * MARGIN_CELLS) float64
        Larger difference of the two colour axes, in levels; 0 where a view has no colours.
    """
    if now.chroma is None or then.chroma is None:
        return np.zeros((now.grey.shape[0] // CELL_PX, now.grey.shape[1] // CELL_PX))
    difference = now.chroma - then.chroma * estimate_gain(then.grey, now.grey)
    difference -= np.median(difference, axis=(0, 1))
    return np.asarray(np.abs(difference).max(axis=-1), dtype=np.float64)


def cell_gradient(view: BoardThumbnail) -> Floats:
    """Measure how much a shift by one pixel would change each cell.

    Parameters
    ----------
    view : BoardThumbnail
        The view.

    Returns
    -------
    (rows + 2 * MARGIN_CELLS, columns + 2 * MARGIN_CELLS) float64
        Mean difference of neighbouring pixels, in grey levels.
    """
    across = np.abs(np.diff(view.grey, axis=1, append=view.grey[:, -1:]))
    down = np.abs(np.diff(view.grey, axis=0, append=view.grey[-1:]))
    return _cell_means(np.asarray((across + down) / 2, dtype=np.float32))


class MotionDetector:
    """Follows the views of a video and tells after each how long its cells have been at rest.

    Parameters
    ----------
    first : BoardThumbnail
        The first view.
    time_s : float
        Its time.

    Attributes
    ----------
    threshold : float
        Change of a cell that counts as motion, in grey levels.
    state : MotionState
        The state after the last view.
    """

    def __init__(self, first: BoardThumbnail, time_s: float) -> None:
        self._anchor = first.grey.copy()
        self._gradient = cell_gradient(first)
        self._measured: tuple[BoardThumbnail, Floats] | None = None
        cells = (first.grey.shape[0] // CELL_PX, first.grey.shape[1] // CELL_PX)
        self._moved_s = np.full(cells, time_s)
        self._quiet_since_s = np.full(cells, time_s)
        self._last, self._was_visible = first.grey, first.is_visible
        self._noise, self._n_views = 0.0, 0
        self._last_s = time_s
        self.threshold = self._adapt_threshold(first.grey)
        self.state = MotionState(
            cells_s=np.zeros(cells), around_s=0.0, frames=0, flickering=np.zeros(cells, dtype=np.bool_)[BOARD]
        )

    def update(self, view: BoardThumbnail, time_s: float) -> MotionState:
        """Take in a view.

        Parameters
        ----------
        view : BoardThumbnail
            Of the same size as the first.
        time_s : float
            Its time, not before the last one's.

        Returns
        -------
        MotionState
            The state after it.
        """
        anchor = match_light(self._anchor, view.grey)
        moved = self._change(view) > self.threshold
        moved_share = float(moved.mean())
        self._n_views += 1
        is_quiet = moved_share < SETTINGS.max_quiet_share  # then the median cell shows noise alone
        if is_quiet and self._n_views % SETTINGS.noise_every_views == 0:
            noise = float(np.median(local_change(view.grey, self._last)))
            self._noise += SETTINGS.noise_rate * (noise - self._noise)
            self.threshold = self._adapt_threshold(view.grey)
        # The anchor follows light that changes slowly, far slower than any hand.
        follow = 1.0 - math.exp((self._last_s - time_s) / SETTINGS.follow_light_s)
        rates = np.where(moved | ~self._in_both(view), 1.0, follow).astype(np.float32)
        self._anchor = anchor + _to_pixels(rates) * (view.grey - anchor)
        if moved.any():
            self._gradient = cell_gradient(view)
        self._last, self._was_visible, self._measured = view.grey, view.is_visible, None
        self._quiet_since_s[time_s - self._moved_s > SETTINGS.quiet_after_s] = time_s
        self._moved_s[moved] = time_s
        self._last_s = time_s
        flickering = time_s - self._quiet_since_s > SETTINGS.flickering_after_s
        if moved_share > SETTINGS.min_hand_share:  # a hand that stays long over the board is no reflection
            self._quiet_since_s[moved] = np.maximum(
                self._quiet_since_s[moved], time_s - SETTINGS.max_hand_changes_s
            )
        margin = ~flickering
        margin[BOARD] = False
        self.state = MotionState(
            cells_s=time_s - self._moved_s,
            around_s=time_s - float(self._moved_s[margin].max()) if margin.any() else 0.0,
            frames=0 if (moved & ~flickering)[BOARD].any() else self.state.frames + 1,
            flickering=flickering[BOARD],
        )
        return self.state

    def differs(self, view: BoardThumbnail) -> bool:
        """Whether any square differs from its anchor by half of what counts as motion."""
        return bool((self._change(view) > self.threshold / 2)[BOARD].any())

    def _change(self, view: BoardThumbnail) -> Floats:
        """How much each cell differs from its anchor, apart from light and from what misalignment explains."""
        if self._measured is None or self._measured[0] is not view:
            anchor, in_both = self._anchor, self._in_both(view)
            if not in_both.all():  # the others say nothing of the light either
                anchor = np.where(_to_pixels(in_both), anchor, view.grey)
            change = local_change(view.grey, anchor) - SETTINGS.misaligned_px * self._gradient
            change[~in_both] = 0.0
            self._measured = view, change
        return self._measured[1]

    def _in_both(self, view: BoardThumbnail) -> Mask:
        """Cells that were in the frame before, too: one that comes back into it has not moved."""
        return view.is_visible & self._was_visible

    def skip(self, seconds: float) -> None:
        """Let time pass in which nothing was seen; it does not count as rest."""
        self._moved_s += seconds
        self._quiet_since_s += seconds
        self._last_s += seconds

    def restart(self, squares: Mask) -> None:
        """Let the rest of some squares begin with the last view: they were out of the frame."""
        self._moved_s[BOARD][squares] = self._last_s
        self.state = replace(self.state, cells_s=self._last_s - self._moved_s)

    def replace_view(self, view: BoardThumbnail) -> None:
        """Go on with a board that is seen at another place; what was at rest stays at rest."""
        self._anchor = view.grey.copy()
        self._gradient = cell_gradient(view)
        self._last, self._was_visible, self._measured = view.grey, view.is_visible, None

    def rotate(self, quarter_turns: int, view: BoardThumbnail) -> None:
        """Go on with a board that is named from another side."""
        self.replace_view(view)
        self._moved_s = np.rot90(self._moved_s, quarter_turns).copy()
        self._quiet_since_s = np.rot90(self._quiet_since_s, quarter_turns).copy()
        self.state = self.state.rotate(quarter_turns)

    def _adapt_threshold(self, grey: NDArray[np.float32]) -> float:
        low, high = np.percentile(grey[::4, ::4], [5, 95])
        return max(
            SETTINGS.min_change,
            SETTINGS.change_share * float(high - low) / 2,
            SETTINGS.noise_factor * self._noise,
        )


def estimate_gain(grey: NDArray[np.float32], like: NDArray[np.float32]) -> float:
    """Estimate how much brighter the median cell is in another view.

    Parameters
    ----------
    grey, like : (height, width) float32
        A view, and the other one.
    """
    return float(np.median((_cell_means(like) + 1.0) / (_cell_means(grey) + 1.0)))


def match_light(grey: NDArray[np.float32], like: NDArray[np.float32]) -> NDArray[np.float32]:
    """Scale a view's levels so that its median cell is as bright as in another view.

    A hand or its shadow does not move the median. No level is above 255, as in the frames of a camera.

    Parameters
    ----------
    grey, like : (height, width) float32
        The view, and the other one.
    """
    gain = estimate_gain(grey, like)
    is_same = abs(gain - 1.0) < SETTINGS.min_gain_change
    return grey if is_same else np.asarray(np.minimum(grey * gain, 255.0), dtype=np.float32)


def local_change(now: NDArray[np.float32], then: NDArray[np.float32]) -> Floats:
    """Measure how much each cell differs between two views, apart from changes of light that neighbours share.

    The bands of a lamp and moving shadows are no motion; a tile is, and the outline of a hand. The light of a cell is
    the median of nine, which a tile does not change. At the edge of a shadow it is the mean around each pixel.

    Parameters
    ----------
    now, then : (height, width) float32
        Two views of one size.

    Returns
    -------
    (height / CELL_PX, width / CELL_PX) float64
        Mean absolute difference, in grey levels.
    """
    low, high = 1 / SETTINGS.max_gain, SETTINGS.max_gain
    cells = ((_cell_means(now) + 1.0) / (_cell_means(then) + 1.0)).astype(np.float32)
    gain = cv2.resize(
        cv2.medianBlur(np.clip(cells, low, high), 3), then.shape[::-1], interpolation=cv2.INTER_LINEAR
    )
    around = (5, 5)
    near = np.clip((cv2.blur(now, around) + 1.0) / (cv2.blur(then, around) + 1.0), low, high)
    return np.minimum(_cell_means(np.abs(now - gain * then)), _cell_means(np.abs(now - near * then)))


def _cell_means(grey: NDArray[np.float32]) -> Floats:
    """The mean of every cell."""
    size = (grey.shape[1] // CELL_PX, grey.shape[0] // CELL_PX)
    return np.asarray(cv2.resize(grey, size, interpolation=cv2.INTER_AREA), dtype=np.float64)


def _to_pixels(cells: NDArray[Any]) -> NDArray[Any]:
    """Values of cells as values of pixels."""
    return np.repeat(np.repeat(cells, CELL_PX, axis=0), CELL_PX, axis=1)
