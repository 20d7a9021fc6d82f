"""Tell what covers a board in a video: a hand, or an object that stays."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from vision.core import Floats, Mask, Occupancy, SquareProbabilities
from vision.tracking.changes import ChangeDetector, add_neighbours, select_border_squares, select_margin_cells
from vision.tracking.motion import BOARD, MotionState, cell_change
from vision.tracking.thumbnail import CELL_PX, BoardThumbnail

__all__ = ["OcclusionEstimator"]


@dataclass(frozen=True, slots=True, kw_only=True)
class OcclusionSettings:
    """When a square counts as covered. All values are chosen."""

    covered_from: float = 0.5
    """Probability from which on a square is covered."""
    object_after_s: float = 4.0
    """Seconds after which what covers squares and has not moved is not a hand, but a cup or a sleeve that stays."""
    min_hand_cells: int = 2
    """Cells of the margin, each with the square next to it, that a hand covers when it reaches over the edge."""
    max_hand_share: float = 0.5
    """Share of the margin's cells from which on the light has changed, and no hand has come."""
    hand_rest_s: float = 1.0
    """Seconds without motion of the square after which such a cell is a hand's only if the square looks covered: the
    light may have changed, or the picture of a tile at the edge."""
    hand_covered_from: float = 0.25
    """Probability from which on such a square looks covered."""
    rest_s: float = 0.25
    """Seconds without motion after which a changed square shows what is on it; a board is read after as many."""


SETTINGS = OcclusionSettings()


class OcclusionEstimator:
    """Tells which changed squares a hand covers, and which an object that stays.

    Parameters
    ----------
    view : BoardThumbnail
        The view in which the board was found.
    time_s : float
        Its time.

    Attributes
    ----------
    occluded : (rows, columns) bool
        Changed squares that a hand covers, or something else that may soon move on.
    objects : (rows, columns) bool
        Changed squares that something covers which stays.
    reached_over : bool
        Whether something new is over the board's edge that moves or looks covered: a hand that has not left.
    """

    def __init__(self, view: BoardThumbnail, time_s: float) -> None:
        cells = (view.grey.shape[0] // CELL_PX, view.grey.shape[1] // CELL_PX)
        self._same_since_s: Floats = np.full(cells, time_s)
        self._began_s = time_s
        self._last = view
        self.reached_over = False
        self.clear()

    @property
    def any_covered(self) -> bool:
        """Whether anything covers squares."""
        return bool((self.occluded | self.objects).any())

    def clear(self) -> None:
        """Nothing covers the board."""
        self.occluded: Mask = np.zeros_like(self._same_since_s[BOARD], dtype=np.bool_)
        self.objects: Mask = self.occluded

    def limit_to(self, squares: Mask) -> None:
        """Only these squares (rows, columns) may be covered."""
        self.occluded, self.objects = self.occluded & squares, self.objects & squares

    def estimate(
        self,
        view: BoardThumbnail,
        probabilities: SquareProbabilities,
        changes: ChangeDetector,
        motion: MotionState,
        threshold: float,
        time_s: float,
    ) -> None:
        """Find what covers the board, after it was read.

        Parameters
        ----------
        view : BoardThumbnail
            The present view.
        probabilities : SquareProbabilities
            All reads of the board.
        changes : ChangeDetector
            What has changed.
        motion : MotionState
            How long each square has been at rest.
        threshold : float
            Change of a cell that counts, in grey levels.
        time_s : float
            The present time.
        """
        changed, occupancy = changes.changed, probabilities.occupancy
        covered = (occupancy[..., Occupancy.COVERED] > SETTINGS.covered_from) & changed
        # Some plain squares look like skin. A hand has moved since the board came into view, and comes over
        # the board's edge.
        has_moved = time_s - motion.squares_s > self._began_s
        # A hand that passes over a cup leaves it as it was.
        self._same_since_s[cell_change(view, self._last) > threshold] = time_s
        self._last = view
        is_old = time_s - self._same_since_s >= SETTINGS.object_after_s
        stays = is_old[BOARD] | motion.flickering
        covered &= has_moved & changes.is_margin_changed
        moving = (motion.squares_s < SETTINGS.rest_s) & ~motion.flickering & changed
        self.occluded, self.objects = covered & ~stays | moving, covered & stays
        tiles = probabilities.shows_tile & changed
        # A tile at the edge rises over the margin next to it; a change of most of the margin is the light's.
        is_moving = select_border_squares(motion.squares_s) < SETTINGS.hand_rest_s
        is_border_covered = (
            select_border_squares(occupancy[..., Occupancy.COVERED]) > SETTINGS.hand_covered_from
        )
        hand = (
            changes.find_hand_cells()
            & ~select_border_squares(add_neighbours(tiles))
            & ~select_margin_cells(is_old)
        )
        hand &= is_moving | is_border_covered
        self.reached_over = SETTINGS.min_hand_cells <= int(hand.sum()) < SETTINGS.max_hand_share * hand.size

    def replace_view(self, view: BoardThumbnail) -> None:
        """Go on with a board that is seen at another place."""
        self._last = view

    def rotate(self, quarter_turns: int, view: BoardThumbnail) -> None:
        """Go on with a board that is named from another side."""
        self._last = view
        self._same_since_s = np.rot90(self._same_since_s, quarter_turns).copy()
        self.occluded = np.rot90(self.occluded, quarter_turns)
        self.objects = np.rot90(self.objects, quarter_turns)
