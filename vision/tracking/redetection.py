"""Search the board of a video, find it again after it was moved, and compare it with its calibrated place."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from scoring import Game
from vision.capture import Frame
from vision.core import BoardReading, Grid, SquareProbabilities, mirror_corners
from vision.detection import ImagePyramid, track_grid
from vision.errors import BoardNotFoundError
from vision.recognition import (
    MIN_BOARD_MATCH,
    SquareReader,
    is_mirrored,
    may_be_mirrored,
    score_board_match,
)
from vision.rectification import read_board, read_squares
from vision.tracking.board_pose import displaced_cells, find_board
from vision.tracking.board_tracker import BoardTracker
from vision.tracking.monitors import HIDDEN, REVERSED, BoardDrift

__all__ = ["Redetector"]


@dataclass(frozen=True, slots=True, kw_only=True)
class RedetectionSettings:
    """When a board is searched, and when it counts as moved. All values are chosen."""

    search_every_s: float = 0.5
    """Seconds between searches for a board that is not in view, at first."""
    search_rarely_s: float = 3.0
    """The same at most."""
    search_share: float = 0.25
    """The same as a share of the time for which it has been missing, or the picture has been the same."""
    report_after_s: float = 8.0
    """Seconds without the board of a game with tiles before the reason is reported: a hand may be over it."""
    check_drift_every_s: float = 3.0
    """Seconds between two checks whether a board has left the grid that is read."""
    max_creep_cells: float = 0.1
    """Distance of a calibrated board from the grid that is read, from which on it is found again; grids that are fitted
    to two frames differ by 0.03."""
    mirror_plays: int = 3
    """Plays until which it is checked whether the picture is mirrored; one play may show too few letters."""


SETTINGS = RedetectionSettings()


class Redetector:
    """Searches the board of a game, and tells whether it is still in place.

    Parameters
    ----------
    recognizer : SquareReader
        Reads the squares.
    corners_px : four (x, y) or None
        The grid's outer corners; the board is then not searched.
    is_mirrored : bool
        Whether the frames are known to be mirrored, and were mirrored back.
    """

    def __init__(
        self,
        recognizer: SquareReader,
        corners_px: Sequence[Sequence[float]] | None,
        *,
        is_mirrored: bool = False,
    ) -> None:
        self.is_mirrored = is_mirrored
        self._recognizer = recognizer
        self._corners_px = corners_px
        self._drift = BoardDrift()
        self._checked_s = -np.inf
        self._searched_s: float | None = None
        self._missing_s: float | None = None
        self._is_reported = False
        self._size_px: tuple[int, int] | None = None
        self._near: Grid | None = None
        self.refusal = ""
        """Why the board of the game was not found last."""
        self.unreported = ""
        """Why it has not been found so far, if that was not reported yet."""

    @property
    def is_given(self) -> bool:
        """Whether a user gave the corners."""
        return self._corners_px is not None

    def mirror(self, width_px: int) -> Redetector:
        """Return the redetector for the mirror image of frames of a width."""
        corners_px = self._corners_px
        if corners_px is not None:
            corners_px = mirror_corners(corners_px, width_px).tolist()
        return Redetector(self._recognizer, corners_px, is_mirrored=True)

    def search(self, frame: Frame, game: Game) -> BoardReading | None:
        """Search the board of a game.

        Returns
        -------
        BoardReading or None
            None while it stays missing, or was searched a moment ago.

        Raises
        ------
        BoardNotFoundError
            If it is not there. This is raised once, since the reason differs from frame to frame, and once more if the
            picture turns out to be mirrored. In a game with tiles it must be missing for some seconds.
        """
        if self._searched_s is not None:
            since_s = self._missing_s if self._missing_s is not None else self._searched_s
            if frame.time_s - self._searched_s < _search_pause(self._searched_s - since_s):
                return None
        self._searched_s = frame.time_s
        try:
            found = self._find(frame, game, near=self._near, check_mirror=not self.is_mirrored)
        except BoardNotFoundError as error:
            if self._missing_s is None:
                self._missing_s = frame.time_s
            is_early = frame.time_s - self._missing_s < SETTINGS.report_after_s
            waits = is_early and not (game.board.is_empty or self.is_given)
            if (waits or self._is_reported) and not error.is_mirrored:
                self.unreported = "" if self._is_reported else str(error)
                return None
            self._is_reported, self.unreported = True, ""
            raise
        self._missing_s = self._near = None
        self._is_reported, self.unreported = False, ""
        return found

    def may_search(self, time_s: float, rest_s: float = 0.0) -> bool:
        """Whether enough time has passed since the last search to search a lost board again.

        Parameters
        ----------
        time_s : float
            Time of the frame.
        rest_s : float
            Seconds for which the picture has shown the same.
        """
        pause_s = _search_pause(rest_s)
        is_due = self._searched_s is None or time_s - self._searched_s >= pause_s
        if is_due:
            self._searched_s = time_s
        return is_due and not self.is_given

    def find_again(self, frame: Frame, grid: Grid, game: Game) -> BoardReading | None:
        """Find the board where it shows the game's tiles, near a grid if it can; None if it is not found."""
        try:
            return self._find(frame, game, near=grid, check_mirror=True)
        except BoardNotFoundError as error:  # the tiles were withdrawn, or a hand covers them
            self.refusal = REVERSED if error.is_mirrored else str(error)
            return None

    def forget(self, grid: Grid, before: Frame, now: Frame) -> None:
        """Search anew in frames of another size; the board is then named from the same side as this grid was."""
        corners = grid.corners_px * (np.array(now.size_px) / np.array(before.size_px))
        self._near = Grid.from_corners(corners, grid.rows, grid.columns)
        self._searched_s = None

    def shows_game(self, frame: Frame, grid: Grid, game: Game) -> bool:
        """Whether the game's tiles are read at a grid; a hand may hide the lines.

        Where it also hides most of the tiles, `refusal` says so.
        """
        match = score_board_match(read_squares(frame.image_bgr, grid, self._recognizer), game.board)
        if match == 0.0 and not game.board.is_empty:
            self.refusal = HIDDEN
        return match >= MIN_BOARD_MATCH

    def shows_mirror_image(self, frame: Frame, board: BoardTracker, game: Game) -> bool:
        """Whether the first letters that are seen, on a new board or in a new game, are those of a mirror image."""
        if self.is_mirrored or not (board.is_new or len(game.state.plays) < SETTINGS.mirror_plays):
            return False
        if not may_be_mirrored(board.probabilities):
            return False
        return is_mirrored(read_board(frame.image_bgr, board.grid, self._recognizer), self._recognizer)

    def is_misplaced(self, probabilities: SquareProbabilities, game: Game) -> bool:
        """Whether the game's tiles are not where they should be: the board may have been turned."""
        if self.is_given or game.board.is_empty:
            return False
        return score_board_match(probabilities, game.board) < MIN_BOARD_MATCH

    def has_drifted(self, frame: Frame, grid: Grid, game: Game, has_followed: bool) -> bool:
        """Whether a board has left the grid that is read, in steps too small to show.

        Parameters
        ----------
        frame : Frame
            The present frame.
        grid : Grid
            The grid that is read.
        game : Game
            The game, for the board's layout.
        has_followed : bool
            Whether the grid was moved along with the camera. Without that, only a calibrated board may drift.
        """
        may_drift = has_followed or self._expected(frame) is not None
        if not may_drift or frame.time_s - self._checked_s < SETTINGS.check_drift_every_s:
            return False
        self._checked_s = frame.time_s
        tracked = track_grid(ImagePyramid.of(frame.image_bgr), grid, game.edition.layout)
        return tracked is not None and displaced_cells(tracked, grid) > SETTINGS.max_creep_cells

    def drift_message(self, frame: Frame, grid: Grid) -> str | None:
        """Report, once each, that the board is no longer where it was calibrated, and that it is again."""
        expected = self._expected(frame)
        return None if expected is None else self._drift.new_message(grid, expected)

    def _find(self, frame: Frame, game: Game, near: Grid | None, *, check_mirror: bool) -> BoardReading:
        if self._corners_px is not None:
            self._check_size(frame)
            layout = game.edition.layout
            grid = Grid.from_corners(self._corners_px, layout.rows, layout.columns)
            grid.check_in_picture(frame.size_px)
            return read_board(frame.image_bgr, grid, self._recognizer)
        return find_board(
            frame.image_bgr,
            game,
            self._recognizer,
            near=near,
            expected=self._expected(frame),
            check_mirror=check_mirror,
        )

    def _check_size(self, frame: Frame) -> None:
        """Refuse frames of another size than the first one: corners are pixels of that."""
        width, height = frame.size_px
        self._size_px = self._size_px or (width, height)
        if self._size_px != (width, height):
            raise BoardNotFoundError(
                f"the frames are {width}x{height} px now, and the corners were given for {self._size_px[0]}x"
                f"{self._size_px[1]}; set the camera back, or leave the corners out"
            )

    def _expected(self, frame: Frame) -> Grid | None:
        return None if self.is_given else frame.expected_grid


def _search_pause(seconds: float) -> float:
    """Seconds between two searches of a board that has been missing for some seconds."""
    return min(max(SETTINGS.search_every_s, SETTINGS.search_share * seconds), SETTINGS.search_rarely_s)
