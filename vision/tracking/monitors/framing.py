"""Say that a part of the board stays out of the picture, where tiles may be placed that nobody sees."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from vision.core import Mask
from vision.observation import describe_squares_outside

__all__ = ["FramingMonitor"]


@dataclass(frozen=True, slots=True, kw_only=True)
class FramingSettings:
    """When a part of the board counts as out of the picture; chosen."""

    report_after_s: float = 8.0
    """Seconds after which squares that stay out of the picture are reported, and after which the report is over."""


SETTINGS = FramingSettings()


class FramingMonitor:
    """Watches for how long squares of the board have been out of the picture.

    Attributes
    ----------
    rest_s : float
        Seconds since other squares were out of the picture than now.
    """

    def __init__(self) -> None:
        self.rest_s = 0.0
        self._out_of_view: Mask | None = None
        self._rested_from_s = 0.0
        self._complete_s: float | None = None
        """Time at which the whole board was last in the picture."""
        self._cut_s = -math.inf
        """Time at which it last was not."""
        self._is_reported = False

    def update(self, time_s: float, out_of_view: Mask) -> str | None:
        """Take in a frame.

        Parameters
        ----------
        time_s : float
            Its time.
        out_of_view : (rows, columns) bool
            Squares that it does not show.

        Returns
        -------
        str or None
            What helps, once for each time in which a part of the board stays out of the picture.
        """
        if self._out_of_view is None or not np.array_equal(out_of_view, self._out_of_view):
            self._out_of_view, self._rested_from_s = out_of_view, time_s
        self.rest_s = time_s - self._rested_from_s
        outside = int(out_of_view.sum())
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
