"""Estimate the direction from which a hand reaches over the board.

An arm crosses the margin around the grid as long as its hand is at work. The cells of the margin that move during a
visit, seen from the squares that changed, give the direction.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from vision.core import Floats, Grid, Mask, Square
from vision.tracking.motion import BOARD, MotionState
from vision.tracking.thumbnail import MARGIN_CELLS

__all__ = ["ReachEstimator"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReachSettings:
    """When motion in the margin is an arm's. All values are chosen."""

    forget_s: float = 0.5
    """Time constant with which motion next to an explained board is forgotten: an arm comes shortly before its hand."""
    max_moved_share: float = 0.25
    """Share of the margin above which a change is the light's or the camera's, not an arm's."""
    min_moved_s: float = 0.5
    """Cells times seconds of motion that an arm gives at least."""
    min_concentration: float = 0.5
    """Length of the mean direction of all moved cells, from which on they belong to one arm: a hand next to the edge is
    seen under a wide angle."""


SETTINGS = ReachSettings()

RIM_CELLS = 2
"""Rows and columns of squares at the edge, on which an arm is seen where the margin is not; chosen."""


class ReachEstimator:
    """Collects the motion around the grid while a board is being changed.

    Parameters
    ----------
    rows, columns : int
        Size of the board.
    """

    def __init__(self, rows: int, columns: int) -> None:
        self._moved_s: Floats = np.zeros((rows + 2 * MARGIN_CELLS, columns + 2 * MARGIN_CELLS))
        self._is_margin: Mask = np.ones(self._moved_s.shape, dtype=np.bool_)
        self._is_margin[BOARD] = False
        self._is_rim: Mask = ~self._is_margin
        inner = MARGIN_CELLS + RIM_CELLS
        self._is_rim[inner:-inner, inner:-inner] = False

    def update(self, motion: MotionState, passed_s: float, *, is_resolved: bool) -> None:
        """Take in the motion of a view.

        Parameters
        ----------
        motion : MotionState
            The motion up to this view.
        passed_s : float
            Seconds since the view before.
        is_resolved : bool
            Whether nothing has moved on the board since it was explained.
        """
        if is_resolved:
            self._moved_s *= math.exp(-passed_s / SETTINGS.forget_s)
        moved = np.asarray(motion.cells_s <= 0.0)
        if moved[self._is_margin].mean() <= SETTINGS.max_moved_share:
            self._moved_s += passed_s * moved

    def clear(self) -> None:
        """Forget all motion: the board is explained."""
        self._moved_s[:] = 0.0

    def rotate(self, quarter_turns: int) -> None:
        """Go on with a board that is named from another side."""
        self._moved_s = np.rot90(self._moved_s, quarter_turns).copy()
        self._is_margin = np.rot90(self._is_margin, quarter_turns)
        self._is_rim = np.rot90(self._is_rim, quarter_turns)

    def direction(self, grid: Grid, squares: Sequence[Square]) -> tuple[float, float] | None:
        """Estimate where the hand came from.

        Parameters
        ----------
        grid : Grid
            The grid in the frame.
        squares : sequence of (row, column)
            Squares at which the hand worked.

        Returns
        -------
        (x, y) or None
            A unit vector in the frame that points from the squares along the arm; None where nothing or more than one
            arm moved around the board.
        """
        # A camera that is close sees no margin: then the squares at the edge tell.
        sees_margin = self._moved_s[self._is_margin].sum() >= SETTINGS.min_moved_s
        mask = self._is_margin if sees_margin else self._is_rim & ~_around(squares, self._moved_s.shape)
        # What moves around the whole board is the light, or the camera.
        arm_s = self._moved_s - np.median(self._moved_s[mask])
        arm_s[~mask] = 0.0
        cells = np.argwhere(arm_s > 0.0)
        moved_s = arm_s[tuple(cells.T)]
        if not squares or moved_s.sum() < SETTINGS.min_moved_s:
            return None
        weights = moved_s**2  # an arm stays while its hand is at work, a shadow passes
        from_px = grid.image_from_grid.apply(np.array(squares)[:, ::-1] + 0.5).mean(axis=0)
        rays = grid.image_from_grid.apply(cells[:, ::-1] + 0.5 - MARGIN_CELLS) - from_px
        rays /= np.linalg.norm(rays, axis=1, keepdims=True)
        x, y = (weights @ rays / weights.sum()).tolist()
        length = math.hypot(x, y)
        return (x / length, y / length) if length >= SETTINGS.min_concentration else None


def _around(squares: Sequence[Square], shape: tuple[int, ...]) -> Mask:
    """The cells of these squares and their neighbours: tiles move there."""
    cells = np.zeros(shape, dtype=np.bool_)
    for row, column in squares:
        top, left = row + MARGIN_CELLS - 1, column + MARGIN_CELLS - 1
        cells[top : top + 3, left : left + 3] = True
    return cells
