"""Estimate the direction from which a hand reaches over the board.

An arm crosses the border of what the camera sees of the board and its margin, as long as its hand is at work. The cells
along that border that move during a visit, seen from the squares that changed, give the direction.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from vision.core import Floats, Grid, Mask, Square
from vision.tracking.motion import MotionState
from vision.tracking.thumbnail import MARGIN_CELLS

__all__ = ["ReachEstimator"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReachSettings:
    """When motion along the border is an arm's. All values are chosen."""

    forget_s: float = 0.5
    """Time constant with which motion next to an explained board is forgotten: an arm comes shortly before its hand."""
    max_moved_share: float = 0.25
    """Share of the border above which a change is the light's or the camera's, not an arm's."""
    min_moved_s: float = 0.5
    """Cells times seconds of motion that an arm gives at least."""
    min_concentration: float = 0.5
    """Length of the mean direction of all moved cells, from which on they belong to one arm: a hand next to the edge is
    seen under a wide angle."""


SETTINGS = ReachSettings()


class ReachEstimator:
    """Collects the motion around the grid while a board is being changed.

    Parameters
    ----------
    rows, columns : int
        Size of the board.
    """

    def __init__(self, rows: int, columns: int) -> None:
        self._moved_s: Floats = np.zeros((rows + 2 * MARGIN_CELLS, columns + 2 * MARGIN_CELLS))
        self._is_visible: Mask = np.ones(self._moved_s.shape, dtype=np.bool_)

    def update(self, motion: MotionState, passed_s: float, is_visible: Mask, *, is_resolved: bool) -> None:
        """Take in the motion of a view.

        Parameters
        ----------
        motion : MotionState
            The motion up to this view.
        passed_s : float
            Seconds since the view before.
        is_visible : (rows + 2 * MARGIN_CELLS, columns + 2 * MARGIN_CELLS) bool
            Cells that lie in the frame.
        is_resolved : bool
            Whether nothing has moved on the board since it was explained.
        """
        if is_resolved:
            self._moved_s *= math.exp(-passed_s / SETTINGS.forget_s)
            self._is_visible[:] = True
        self._is_visible &= is_visible
        moved, border = np.asarray(motion.cells_s <= 0.0), self._border()
        # a camera that pans may have seen no cell all the time
        if border.any() and moved[border].mean() <= SETTINGS.max_moved_share:
            self._moved_s += passed_s * moved

    def _border(self) -> Mask:
        """The outermost cells of those that the camera has seen all the time, as many as the margin is wide."""
        kernel = np.ones((2 * MARGIN_CELLS + 1, 2 * MARGIN_CELLS + 1), np.uint8)
        inner = cv2.erode(
            self._is_visible.astype(np.uint8), kernel, borderType=cv2.BORDER_CONSTANT, borderValue=0
        )
        return np.asarray(self._is_visible & (inner == 0))

    def clear(self) -> None:
        """Forget all motion: the board is explained."""
        self._moved_s[:] = 0.0

    def rotate(self, quarter_turns: int) -> None:
        """Go on with a board that is named from another side."""
        self._moved_s = np.rot90(self._moved_s, quarter_turns).copy()
        self._is_visible = np.rot90(self._is_visible, quarter_turns).copy()

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
        mask = self._border() & ~_cells(squares, self._moved_s.shape)
        if not mask.any():
            return None
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


def _cells(squares: Sequence[Square], shape: tuple[int, ...]) -> Mask:
    """The cells of these squares: tiles move there."""
    cells = np.zeros(shape, dtype=np.bool_)
    for row, column in squares:
        cells[row + MARGIN_CELLS, column + MARGIN_CELLS] = True
    return cells
