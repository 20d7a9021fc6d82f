"""The board's picture as viewers see it: as late as everything else of its table."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable

from tilesight.live.clocks import steady_s

__all__ = ["DelayedPictures"]

MIN_INTERVAL_S = 1.0
"""Seconds between two pictures of a short delay; chosen."""
MAX_PICTURES = 120
"""Pictures that are kept at once: a long delay has fewer of them a minute; chosen, some 15 MB."""


class DelayedPictures:
    """Pictures that are taken at intervals and shown when the table's delay is over; they are never shown earlier.

    Parameters
    ----------
    take : callable
        Gives the picture now; None if there is none.
    delay_s : float
        Seconds by which viewers see everything late.
    now : callable
        Seconds that no step of the computer's clock changes.
    """

    def __init__(
        self, take: Callable[[], bytes | None], delay_s: float, now: Callable[[], float] = steady_s
    ) -> None:
        self._take = take
        self._now = now
        self._delay_s = delay_s
        self._lock = threading.Lock()
        self._pictures: deque[tuple[float, bytes | None]] = deque()
        self.interval_s = max(MIN_INTERVAL_S, delay_s / MAX_PICTURES)

    def sample(self) -> None:
        """Take a picture; `picture` gives it later."""
        taken = (self._now(), self._take())
        with self._lock:
            self._pictures.append(taken)
            self._drop_old()

    @property
    def picture(self) -> bytes | None:
        """The picture that viewers see now; None if none was taken at that time."""
        shown_s = self._now() - self._delay_s
        with self._lock:
            self._drop_old()
            taken_s, picture = self._pictures[0] if self._pictures else (float("inf"), None)
        return picture if shown_s - 3 * self.interval_s <= taken_s <= shown_s else None

    def _drop_old(self) -> None:
        """Drop what is older than the picture that is shown now."""
        shown_s = self._now() - self._delay_s
        while len(self._pictures) > 1 and self._pictures[1][0] <= shown_s:
            self._pictures.popleft()
