"""Tell where a source has stalled, and whether it has few frames.

It may have stalled in mid-play, so that what was not seen is no rest.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

import numpy as np

__all__ = ["SourceGaps"]


@dataclass(frozen=True, slots=True, kw_only=True)
class GapSettings:
    """When two frames have a gap between them. All values are chosen."""

    gap_s: float = 0.6
    """Seconds between two frames from which on they are a gap."""
    gap_intervals: float = 4.0
    """The same in usual intervals between frames; the larger of the two counts."""
    max_usual_s: float = 0.7
    """Usual seconds between frames from which on users are warned: at 1 s, a film lost one of two plays 3.6 s apart."""
    recent_intervals: int = 9
    """Intervals of which the median is the usual one: a stall does not change it, a slower source soon does."""


SETTINGS = GapSettings()


class SourceGaps:
    """Follows the intervals between the frames of a source."""

    def __init__(self) -> None:
        self._intervals_s = deque[float](maxlen=SETTINGS.recent_intervals)
        self._usual_s: float | None = None
        self._is_reported = False

    def measure(self, passed_s: float) -> float:
        """Return how many seconds were not seen since the last frame, which was so long ago; 0 without a gap."""
        usual_s = passed_s if self._usual_s is None else self._usual_s
        self._intervals_s.append(passed_s)
        self._usual_s = float(np.median(self._intervals_s))
        is_gap = passed_s > max(SETTINGS.gap_s, SETTINGS.gap_intervals * usual_s)
        return passed_s - usual_s if is_gap else 0.0

    def few_frames_message(self) -> str | None:
        """Return, once, what a source of few frames may lose."""
        usual_s, is_known = self._usual_s, len(self._intervals_s) == SETTINGS.recent_intervals
        if self._is_reported or not is_known or usual_s is None or usual_s < SETTINGS.max_usual_s:
            return None
        self._is_reported = True
        return (
            f"there is a frame only every {usual_s:.1f} s, so plays in quick succession may be joined; "
            "film at 2 frames a second or more"
        )
