"""Where a film's board lies: searched until found, found again when it was moved, compared with a calibrated place.

Composes what finds and confirms a grid; `vision.pipeline.video` asks it before each look.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from scoring import Game
from vision.capture import Frame
from vision.core import BoardReading, Grid
from vision.detection import track_grid
from vision.errors import BoardNotFoundError
from vision.recognition import MIN_BOARD_MATCH, SquareReader, score_board_match
from vision.rectification import read_board
from vision.tracking.board_pose import displaced_cells, find_pose, look
from vision.tracking.board_tracker import BoardTracker

__all__ = ["Redetector"]

MAX_DRIFT, MAX_CREEP = 0.2, 0.1
"""Cells by which a calibrated board may lie elsewhere untold, and beside the grid that is read; grids that are fitted
to two frames differ by 0.03."""


class Redetector:
    """Knows where the board lies.

    Parameters
    ----------
    reader : SquareReader
        What reads the cells.
    corners_px : four (x, y) or None
        The grid's outer corners; the board is then not searched.
    search_every_s, search_seldom_s : float
        Seconds between searches for a board that is not in view: at first, and when it has long been missing.
    """

    def __init__(
        self,
        reader: SquareReader,
        *,
        corners_px: Sequence[Sequence[float]] | None,
        search_every_s: float,
        search_seldom_s: float,
    ) -> None:
        self._reader = reader
        self._corners_px = corners_px
        self._every_s, self._seldom_s = search_every_s, search_seldom_s
        self._displaced = False
        self._checked_s = -np.inf
        self._searched_s: float | None = None
        self._missing_s: float | None = None
        self._size: tuple[int, int] | None = None
        self._near: Grid | None = None

    @property
    def is_given(self) -> bool:
        """Whether somebody said where the board lies."""
        return self._corners_px is not None

    def search(self, frame: Frame, game: Game) -> BoardReading | None:
        """The board of this game; None while it stays missing, or was searched a moment ago.

        Raises
        ------
        BoardNotFoundError
            If it is not there, once: the reason differs from frame to frame.
        """
        if self._searched_s is not None:
            since_s = self._missing_s if self._missing_s is not None else self._searched_s
            pause_s = min(max(self._every_s, (self._searched_s - since_s) / 4), self._seldom_s)
            if frame.time_s - self._searched_s < pause_s:
                return None
        self._searched_s = frame.time_s
        try:
            pose = self._pose(frame, game, near=self._near)
        except BoardNotFoundError:
            if self._missing_s is not None:
                return None
            self._missing_s = frame.time_s
            raise
        self._missing_s = self._near = None
        return pose

    def lose(self, grid: Grid, was: Frame, now: Frame) -> None:
        """The frames have another size: the board is searched anew, and named from the same side as this grid was."""
        (height, width), (tall, wide) = was.image_bgr.shape[:2], now.image_bgr.shape[:2]
        corners = grid.corners_px * np.array([wide / width, tall / height])
        self._near = Grid.from_corners(corners, grid.rows, grid.columns)
        self._searched_s = None

    def is_in_place(self, frame: Frame, scene: BoardTracker, game: Game) -> bool:
        """Whether the board's place is known: where it lay, or where it is found again."""
        if self.is_given or not (scene.has_moved or self._has_crept(frame, scene, game)):
            return True
        if self.find_elsewhere(frame, scene, game):
            return True
        # A hand may hide the lines; the tiles then still say whether the board lies where it lay.
        return (
            score_board_match(look(frame.image_bgr, scene.grid, self._reader), game.board) >= MIN_BOARD_MATCH
        )

    def is_astray(self, scene: BoardTracker, game: Game) -> bool:
        """Whether the tiles that the game has laid are not where they should be: the board may have been turned."""
        if self.is_given or scene.is_new or game.board.is_empty:
            return False
        return score_board_match(scene.evidence.reading(), game.board) < MIN_BOARD_MATCH

    def find_elsewhere(self, frame: Frame, scene: BoardTracker, game: Game) -> bool:
        """Whether the board is found where it shows the game's tiles; the scene then follows it there."""
        try:
            pose = self._pose(frame, game, near=scene.grid)
        except BoardNotFoundError:
            return False  # the tiles were taken back, or a hand hides them
        scene.move_to(pose, frame)
        return True

    def word(self, frame: Frame, grid: Grid) -> str | None:
        """Said once: that the board is no longer where it was calibrated, or that it is again."""
        place = self._expected(frame)
        if place is None:
            return None
        away = displaced_cells(grid, place)
        if (away > MAX_DRIFT) is self._displaced:
            return None
        self._displaced = not self._displaced
        if not self._displaced:
            return "the board lies where it was calibrated again"
        return (
            f"the board lies {away:.1f} squares from where it was calibrated: it or the camera has moved, and it was "
            "searched; if it stays there, run 'tilesight calibrate board --fixed' again"
        )

    def _pose(self, frame: Frame, game: Game, near: Grid | None) -> BoardReading:
        if self._corners_px is not None:
            self._check_size(frame)
            grid = Grid.from_user_corners(
                self._corners_px, game.edition.layout.rows, game.edition.layout.columns, frame.size_px
            )
            return read_board(frame.image_bgr, grid, self._reader)
        last_play = game.state.plays[-1].play if game.state.plays else None
        return find_pose(
            frame.image_bgr, game.board, game.edition, self._reader, near, self._expected(frame), last_play
        )

    def _check_size(self, frame: Frame) -> None:
        """Corners are pixels of the first frame's size."""
        height, width = frame.image_bgr.shape[:2]
        self._size = self._size or (width, height)
        if self._size != (width, height):
            raise BoardNotFoundError(
                f"the frames are {width}x{height} px now, and the corners were given for {self._size[0]}x"
                f"{self._size[1]}; set the camera back, or leave the corners out"
            )

    def _expected(self, frame: Frame) -> Grid | None:
        return frame.expected_grid if not self.is_given else None

    def _has_crept(self, frame: Frame, scene: BoardTracker, game: Game) -> bool:
        """Whether a board that should stay has come away from where it is followed, by less at a time than shows."""
        if self._expected(frame) is None or frame.time_s - self._checked_s < self._seldom_s:
            return False
        self._checked_s = frame.time_s
        seen = track_grid(frame.image_bgr, scene.grid, game.edition.layout)
        return seen is not None and displaced_cells(seen, scene.grid) > MAX_CREEP
