"""Report that a board is no longer where it was calibrated."""

from __future__ import annotations

from vision.core import Grid
from vision.tracking.board_pose import displaced_cells

__all__ = ["BoardDrift"]

MAX_DRIFT_CELLS = 0.2
"""Distance from where it was calibrated, in cells, from which a board counts as moved; chosen."""


class BoardDrift:
    """Reports, once each, that the board is no longer where it was calibrated, and that it is again."""

    def __init__(self) -> None:
        self._is_displaced = False

    def new_message(self, grid: Grid, expected: Grid) -> str | None:
        """Compare a board's grid with the one that was calibrated; return a line for the user where that changed."""
        away = displaced_cells(grid, expected)
        if (away > MAX_DRIFT_CELLS) is self._is_displaced:
            return None
        self._is_displaced = not self._is_displaced
        if not self._is_displaced:
            return "the board is where it was calibrated again"
        return (
            f"the board is {away:.1f} squares from where it was calibrated: it or the camera has moved, and it was "
            "searched; if it stays there, run 'tilesight calibrate board --fixed' again"
        )
