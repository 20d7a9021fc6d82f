"""Say that a part of the board stays out of the picture, where tiles may be placed that nobody sees."""

from __future__ import annotations

import math
from dataclasses import dataclass

from vision.observation import describe_squares_outside

__all__ = ["FramingMonitor"]


@dataclass(frozen=True, slots=True, kw_only=True)
class FramingSettings:
    """When a part of the board counts as out of the picture; chosen."""

    report_after_s: float = 8.0
    """Seconds after which squares that stay out of the picture are reported, and after which the report is over."""


SETTINGS = FramingSettings()


class FramingMonitor:
    """Watches for how long squares of the board have been out of the picture."""

    def __init__(self) -> None:
        self._complete_s: float | None = None
        """Time at which the whole board was last in the picture."""
        self._cut_s = -math.inf
        """Time at which it last was not."""
        self._is_reported = False

    def update(self, time_s: float, outside: int) -> str | None:
        """Take in a frame.

        Parameters
        ----------
        time_s : float
            Its time.
        outside : int
            Number of squares that it does not show.

        Returns
        -------
        str or None
            What helps, once for each time in which a part of the board stays out of the picture.
        """
        if outside:
            self._cut_s = time_s
        if self._complete_s is None or not outside:
            self._complete_s = time_s
        if time_s - self._cut_s >= SETTINGS.report_after_s:
            self._is_reported = False
        if self._is_reported or time_s - self._complete_s < SETTINGS.report_after_s:
            return None
        self._is_reported = True
        return describe_squares_outside(outside)
