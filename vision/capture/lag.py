"""Keep up with a stream that is decoded more slowly than it is sent.

Such a stream falls ever further behind, as its frames wait in buffers where none can be dropped. For 4K of 10 bits,
the conversion to BGR takes far longer than the decoding. So fewer frames are converted, where that suffices.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

__all__ = ["FrameSkipper", "SlowStreamError"]


@dataclass(frozen=True, slots=True, kw_only=True)
class LagSettings:
    """When a stream counts as behind, and what is tried then; all chosen."""

    window_s: float = 2.0
    """Seconds of which the smallest lag counts."""
    max_lag_s: float = 1.0
    """Seconds that a stream may lag behind the clock, compared with its most recent frame since it was opened."""
    min_growth_s: float = 0.02
    """Seconds by which the lag of a stream that is behind grows from window to window; clocks differ by less."""
    max_held: float = 0.5
    """Share of a window for which the frames of a stream that is behind may be held back."""
    reopen_s: float = 30.0
    """Seconds after which a stream that remains too slow may be opened again."""
    speed: float = 1.1
    """Multiple of its own speed at which a stream is then followed."""
    max_spacing_s: float = 0.5
    """Seconds of film between two frames that are converted; hands are not followed with fewer."""
    trial_s: float = 1.0
    """Seconds for which a stream's speed is measured, and of the pause before it is measured again."""
    queued: float = 1.5
    """Multiple of its speed that a stream has after a pause if its reader had waited for each frame: these were queued
    meanwhile, so it is not behind, and its time stamps are wrong."""
    max_step_s: float = 2.0
    """Seconds between the time stamps of two frames; more is a jump of the time stamps."""


SETTINGS = LagSettings()


class SlowStreamError(Exception):
    """A stream that is decoded more slowly than it is sent."""


class FrameSkipper:
    """Chooses the frames of a stream that are converted: all of them, until it is behind.

    Parameters
    ----------
    grab : callable
        Decodes the next frame, and returns its time stamp in seconds from any origin.
    """

    def __init__(self, grab: Callable[[], float]) -> None:
        self._grab = grab
        self._spacing_s: float | None = 0.0  # None if the time stamps are wrong
        self._stamp_s = self._converted_s = float("nan")
        self._step_s = 0.0
        self._opened_s = time.monotonic()
        self._delay_s = 0.0  # the least that the clock is ahead of a time stamp
        self._window_from_s = self._held_s = self._convert_s = 0.0
        self._lag_s = self._earlier_lag_s = float("inf")  # the least in this window, and in the one before
        self._grew = False  # in the window before
        self._n_converted = 0

    @property
    def skips(self) -> bool:
        """Whether frames are left out, which needs their time, so that none is to be held back."""
        return bool(self._spacing_s)

    def takes(self, stamp_s: float, now_s: float, hold_s: float) -> bool:
        """Check whether a frame is to be converted; convert fewer ones from now on if the stream is behind.

        Parameters
        ----------
        stamp_s : float
            Its time stamp.
        now_s : float
            When it was decoded.
        hold_s : float
            For how long it was held back then.

        Raises
        ------
        SlowStreamError
            If the stream remains too slow without conversion.
        """
        self._step_s, self._stamp_s = stamp_s - self._stamp_s, stamp_s
        delay_s = now_s - stamp_s
        if not 0 < self._step_s <= SETTINGS.max_step_s:  # also the first frame
            self._delay_s = delay_s
            self._restart(now_s)
        self._delay_s = min(self._delay_s, delay_s)
        self._lag_s = min(self._lag_s, delay_s - self._delay_s)
        self._held_s += hold_s
        if now_s - self._window_from_s >= SETTINGS.window_s and self._is_behind(now_s):
            return False
        return not self._spacing_s or not 0 <= stamp_s - self._converted_s < self._spacing_s

    def converted(self, seconds: float) -> None:
        """Take in how long the conversion of the last frame took."""
        self._converted_s = self._stamp_s
        self._n_converted += 1
        self._convert_s += seconds

    def _restart(self, now_s: float, earlier_lag_s: float = float("inf")) -> None:
        """Begin a window of time."""
        self._window_from_s, self._earlier_lag_s = now_s, earlier_lag_s
        self._lag_s = float("inf")
        self._held_s = self._convert_s = 0.0
        self._n_converted = 0

    def _is_behind(self, now_s: float) -> bool:
        """Check, at the end of a window, whether the stream is behind; if so, do something about it."""
        seconds, earlier_grew = now_s - self._window_from_s, self._grew
        is_held = self._held_s > SETTINGS.max_held * seconds
        self._grew = self._lag_s - self._earlier_lag_s >= SETTINGS.min_growth_s
        # After a pause, as for the first conversion, the lag has grown once, and the frames that were queued follow.
        if (
            self._spacing_s is None
            or is_held
            or self._lag_s <= SETTINGS.max_lag_s
            or not (self._grew and earlier_grew)
        ):
            self._restart(now_s, self._lag_s)
            return False
        self._keep_up(self._convert_s / max(1, self._n_converted))
        self._restart(time.monotonic())
        return True

    def _keep_up(self, convert_s: float) -> None:
        """Measure how fast frames are decoded, and convert as many as the remaining time allows."""
        speed = self._decode()
        if speed <= 1:
            time.sleep(SETTINGS.trial_s)
            if self._decode() >= SETTINGS.queued * speed:
                self._spacing_s = None
                return
        spared_s = 1 / SETTINGS.speed - 1 / max(speed, 0.1)  # for conversion, of each second of film
        if spared_s > 0 and self._spacing_s != SETTINGS.max_spacing_s:
            spacing_s = min(convert_s / spared_s, SETTINGS.max_spacing_s)
            self._spacing_s = spacing_s if spacing_s > self._step_s else 0.0  # the delay was one of a moment
            return
        if time.monotonic() - self._opened_s >= SETTINGS.reopen_s:
            raise SlowStreamError
        self._spacing_s = SETTINGS.max_spacing_s

    def _decode(self) -> float:
        """Decode frames for a while, and convert none; return the seconds of film a second."""
        first_s, from_s = self._stamp_s, time.monotonic()
        now_s = from_s
        while now_s - from_s < SETTINGS.trial_s:
            self._stamp_s = self._grab()
            now_s = time.monotonic()
        return (self._stamp_s - first_s) / (now_s - from_s)
