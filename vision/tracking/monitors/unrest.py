"""Say why a board does not come to rest, so that a film in which nothing can be read does not end in silence."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scoring import format_square
from vision.core import Mask, squares_in

__all__ = ["HIDDEN", "REVERSED", "UnrestMonitor"]

HIDDEN = "the board is hidden or out of sight; see that the camera shows all of it"
"""Why nothing can be read where most of the game's tiles are covered, or no frame matches an earlier one."""
REVERSED = (
    "the picture is now the mirror image of what it was; set the camera back, or, if the game has a journal, stop and "
    "start the same command again"
)
"""Why nothing can be read where a camera was set to mirror its picture, or no longer to, in mid-game."""


@dataclass(frozen=True, slots=True, kw_only=True)
class UnrestSettings:
    """When a board counts as restless, and why. All values are chosen."""

    report_after_s: float = 8.0
    """Seconds without rest after which the reason is reported."""
    min_frames: int = 20
    """Frames without rest before a reason is reported that follows from what they show: a time lapse has few."""
    min_share: float = 0.5
    """Share of the frames from which on the board is out of sight, as they match no earlier one, or from which on a
    square that changes in them never comes to rest."""
    min_camera_px: float = 0.5
    """Mean motion of the camera from frame to frame, from which on it is named as the reason."""
    max_named: int = 3
    """Restless squares that are named."""


SETTINGS = UnrestSettings()


class UnrestMonitor:
    """Watches for how long a board has not been at rest.

    Parameters
    ----------
    rows, columns : int
        Size of the board.
    time_s : float
        Time of the first frame.
    """

    def __init__(self, rows: int, columns: int, time_s: float) -> None:
        self._moved: NDArray[np.int64] = np.zeros((rows, columns), dtype=np.int64)
        self.clear(time_s)

    def clear(self, time_s: float) -> None:
        """The board is at rest."""
        self._rested_s = time_s
        self._moved[:] = 0
        self._frames = self._unmatched = 0
        self._camera_px = 0.0
        self._is_reported = False

    def skip(self, seconds: float) -> None:
        """Let time pass in which nothing was seen; it does not count as time without rest."""
        self._rested_s += seconds

    def update(self, time_s: float, moved: Mask, camera_px: float | None, refusal: str = "") -> str | None:
        """Take in a frame without rest, or one whose board is not that of the game.

        Parameters
        ----------
        time_s : float
            Its time.
        moved : (rows, columns) bool
            Squares that changed.
        camera_px : float or None
            Motion of the camera since the frame before, in pixels; None for a frame that matches no earlier one.
        refusal : str
            Why the board of the game is not found in the picture, if it was searched there.

        Returns
        -------
        str or None
            What keeps the board from being read and what helps, once for each time without rest.
        """
        self._frames += 1
        self._moved += moved
        if camera_px is None:
            self._unmatched += 1
        else:
            self._camera_px += camera_px
        if self._is_reported or time_s - self._rested_s < SETTINGS.report_after_s:
            return None
        if not refusal and self._frames < SETTINGS.min_frames:
            return None
        self._is_reported = True
        return f"nothing could be read for {time_s - self._rested_s:.0f} s: {refusal or self._reason()}"

    def _reason(self) -> str:
        matched = self._frames - self._unmatched
        if self._unmatched > SETTINGS.min_share * self._frames:
            return HIDDEN
        if self._camera_px > SETTINGS.min_camera_px * matched:
            return (
                f"the camera moves by about {self._camera_px / matched:.0f} px from frame to frame; "
                "put it on a stand that does not touch the table"
            )
        restless = squares_in(self._moved > SETTINGS.min_share * self._frames)
        if not restless:
            return "something moves over the board all the time"
        named = " ".join(format_square(*square) for square in restless[: SETTINGS.max_named])
        more = len(restless) - SETTINGS.max_named
        return (
            f"the picture keeps changing at {named}{f' (+{more})' if more > 0 else ''}; "
            "a lamp, a reflection or a shadow that moves may be the cause"
        )
