"""Compare a board with how it looked when it was last resolved."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.core import Floats, Mask, Square
from vision.tracking.motion import (
    BOARD,
    cell_change,
    cell_gradient,
    colour_change,
    estimate_gain,
    match_light,
)
from vision.tracking.thumbnail import CELL_PX, MARGIN_CELLS, BoardThumbnail

__all__ = ["ChangeDetector", "add_neighbours", "select_border_squares", "select_margin_cells"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeSettings:
    """When a square counts as changed. All values are chosen."""

    max_moved_share: float = 0.3
    """Share of changed squares up to which the board lies still: a hand with its sleeve covers a quarter, and a board
    that was moved changes nearly everywhere."""
    max_shift_px: float = 0.5
    """Shift of the board in thumbnail pixels, a sixteenth of a cell, from which on letters are read worse."""
    misplaced_px: float = 0.3
    """Misalignment in thumbnail pixels of a place that is found again."""
    colour_share: float = 0.5
    """Weight of a change of colour against one of brightness: the light's colour changes more easily."""
    hand_strength: float = 2.0
    """Change of a cell of the margin over which a hand reaches, as a multiple of the threshold."""


SETTINGS = ChangeSettings()


class ChangeDetector:
    """Finds the squares that look different from when the board was last resolved.

    Parameters
    ----------
    shape : (rows, columns)
        Size of the board.
    reference : BoardThumbnail, optional
        The board as it was last resolved, for a game that goes on.

    Attributes
    ----------
    reference : BoardThumbnail or None
        The board as it was last resolved; None until then.
    changed : (rows, columns) bool
        Squares that look different from then; all of them where there is no reference.
    strength : (rows, columns) float64
        How strongly each square changed, as a multiple of the threshold; 0 while there is no reference.
    """

    def __init__(self, shape: tuple[int, int], reference: BoardThumbnail | None = None) -> None:
        self.reference = reference
        self.changed: Mask = np.ones(shape, dtype=np.bool_)
        self.strength: Floats = np.zeros(shape)
        self._own: Floats = np.zeros(shape)
        """The same of each square alone; a square that has left the frame keeps what was last seen."""
        self._behind: Sequence[NDArray[np.intp]] = ()
        self._replaced: Mask = np.zeros(shape, dtype=np.bool_)
        self._cells: Floats | None = None
        """Change of all cells as a multiple of the threshold, the margin too."""

    def compare(self, view: BoardThumbnail, threshold: float, behind: NDArray[np.intp] | None = None) -> None:
        """Compare a view with the reference.

        Parameters
        ----------
        view : BoardThumbnail
            The view.
        threshold : float
            A change in grey levels.
        behind : (n, 2, rows, columns) int, optional
            Rows and columns of further squares at which a tile on each square may be seen.
        """
        if self.reference is None:
            self.changed = np.ones(self.changed.shape, dtype=np.bool_)
            return
        change = cell_change(view, self.reference) - SETTINGS.misplaced_px * cell_gradient(view)
        colours = SETTINGS.colour_share * colour_change(view, self.reference)
        for shown in (view.is_readable, self.reference.is_readable):
            change, colours = np.where(shown, change, 0.0), np.where(shown, colours, 0.0)
        own = np.maximum(change, colours)[BOARD] / threshold
        self._own = np.where(view.is_readable[BOARD], own, self._own)
        self._behind = () if behind is None else tuple(behind)
        self.strength = self.unexplained_strength(np.zeros_like(self.changed))
        self.changed = (self.strength > 1.0) | self._came_into_view(view) | self._replaced
        self._cells = change / threshold

    def unexplained_strength(self, tiles: Mask) -> Floats:
        """Return the strength (rows, columns), without the change of squares behind whose new tiles explain it.

        Parameters
        ----------
        tiles : (rows, columns) bool
            New tiles.
        """
        strength, unexplained = self._own, np.where(tiles, 0.0, self._own)
        for rows, columns in self._behind:
            strength = np.maximum(strength, unexplained[rows, columns])
        return strength

    def add_replaced(self, squares: Mask) -> None:
        """Count squares as changed, until the board is resolved, on which another letter was read."""
        self._replaced = self._replaced | squares
        self.changed = self.changed | squares

    def _came_into_view(self, view: BoardThumbnail) -> Mask:
        """Find the squares that the frame shows and the reference does not: what lies there is not known."""
        if self.reference is None:
            return np.zeros_like(self.changed)
        return np.asarray((view.is_readable & ~self.reference.is_readable)[BOARD])

    def has_moved(self, view: BoardThumbnail) -> bool:
        """Whether the board seems to be at another place than in the reference."""
        if self.reference is None or self.changed.mean() > SETTINGS.max_moved_share:
            return True
        window = cv2.createHanningWindow(view.grey.shape[::-1], cv2.CV_32F)
        (x, y), _ = cv2.phaseCorrelate(self.reference.grey, view.grey, window)
        return float(np.hypot(x, y)) > SETTINGS.max_shift_px

    @property
    def is_margin_changed(self) -> bool:
        """Whether anything next to the grid changed, or there is no reference."""
        return self._cells is None or bool((select_margin_cells(self._cells) > 1.0).any())

    def find_hand_cells(self) -> Mask:
        """Find the cells along the edge that changed strongly, together with the square next to them.

        Returns
        -------
        (2 * rows + 2 * columns) bool
            In the order of `select_margin_cells` and `select_border_squares`.
        """
        border = select_border_squares(self.changed)
        if self._cells is None:
            return np.zeros_like(border)
        return np.asarray((select_margin_cells(self._cells) > SETTINGS.hand_strength) & border)

    def set_reference(self, view: BoardThumbnail, but: Iterable[Square] = ()) -> None:
        """Resolve the board: what looks different from this view from now on has changed.

        Parameters
        ----------
        view : BoardThumbnail
            The present view.
        but : iterable of (row, column)
            Squares that are not resolved; they go on counting as changed.
        """
        grey, chroma, is_readable, then = view.grey, view.chroma, view.is_readable, self.reference
        cells = np.zeros((grey.shape[0] // CELL_PX, grey.shape[1] // CELL_PX), dtype=np.uint8)
        for square in but:
            cells[BOARD][square] = 1
        if then is not None:
            cells[~is_readable] = 1
            is_readable = is_readable | then.is_readable
        if then is not None and cells.any():
            kept = cv2.resize(cells, grey.shape[::-1], interpolation=cv2.INTER_NEAREST) > 0
            if chroma is not None and then.chroma is not None:
                gain = estimate_gain(then.grey, grey)
                chroma = np.where(cells[..., None] > 0, then.chroma * gain, chroma)
            grey = np.where(kept, match_light(then.grey, grey), grey)
        self.reference = BoardThumbnail(grey=grey, chroma=chroma, is_readable=is_readable)
        self.changed = np.zeros(self.changed.shape, dtype=np.bool_)
        self._replaced = np.zeros(self.changed.shape, dtype=np.bool_)
        self._own = np.zeros(self.changed.shape)

    def rotate(self, quarter_turns: int) -> None:
        """Go on with a board that is named from another side."""
        self.changed = np.rot90(self.changed, quarter_turns)
        self._replaced, self._behind = np.rot90(self._replaced, quarter_turns), ()
        self.strength = np.rot90(self.strength, quarter_turns)
        self._own = np.rot90(self._own, quarter_turns)
        if self._cells is not None:
            self._cells = np.rot90(self._cells, quarter_turns)
        if self.reference is not None:
            self.reference = self.reference.rotate(quarter_turns)


def add_neighbours(squares: Mask) -> Mask:
    """Return the squares and their eight neighbours, (rows, columns)."""
    return np.asarray(cv2.dilate(squares.astype(np.uint8), np.ones((3, 3), np.uint8)) > 0)


def select_margin_cells(cells: NDArray[Any]) -> NDArray[Any]:
    """Return the cells that touch the grid from outside, side by side with `select_border_squares`."""
    ring = cells[MARGIN_CELLS - 1 : 1 - MARGIN_CELLS, MARGIN_CELLS - 1 : 1 - MARGIN_CELLS]
    return np.concatenate([ring[0, 1:-1], ring[-1, 1:-1], ring[1:-1, 0], ring[1:-1, -1]])


def select_border_squares(squares: NDArray[Any]) -> NDArray[Any]:
    """Return the squares at the grid's edge."""
    return np.concatenate([squares[0], squares[-1], squares[:, 0], squares[:, -1]])
