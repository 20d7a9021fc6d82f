"""Pace the frames of a stream that arrive in bursts.

A playlist (HLS) is sent in segments of some seconds, and some senders collect frames. FFmpeg returns the frames of a
segment as fast as it decodes them: two seconds of film in a twentieth of a second, and then none for two seconds.
Hands and rest cannot be recognised in these. So the frames of such a stream are held back until they are due by their
time stamps.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["FramePacer"]


@dataclass(frozen=True, slots=True, kw_only=True)
class PacingSettings:
    """When frames are held back, and how long; all chosen.

    Parameters
    ----------
    min_wait_s : float
        Seconds without a frame after which a burst is expected. Plays of a film were lost from 0.75 s on.
    catch_up : float
        Share by which frames follow each other sooner than in the film, so that a delay does not stay.
    catch_up_growth : float
        By how much the share grows a second until the newest frame is reached: after a fault of the network, where
        segments take long to fetch, or where the time stamps do not fit the clock.
    max_step_s : float
        Seconds between the time stamps of two frames; more is a jump of the time stamps.
    drift : float
        By how much the smallest delay grows a second, since the clocks of computer and camera differ.
    """

    min_wait_s: float = 0.3
    catch_up: float = 0.1
    catch_up_growth: float = 0.01
    max_step_s: float = 2.0
    drift: float = 0.01


SETTINGS = PacingSettings()


class FramePacer:
    """How long each frame of a stream is held back: not at all, until a first burst is expected."""

    def __init__(self) -> None:
        self._stamp_s = float("nan")
        self._due_s: float | None = None  # when the last frame was due; None while none is held back
        self._late_s = 0.0  # when a frame was late last
        self._delay_s = 0.0  # the least that the clock is ahead of the time stamp of a late frame
        self._newest_s = 0.0  # when it was as little last

    def hold_s(self, stamp_s: float, asked_s: float, now_s: float) -> float:
        """Return for how long to hold back a frame.

        Parameters
        ----------
        stamp_s : float
            Its time stamp in the stream, in seconds from any origin.
        asked_s, now_s : float
            When it was asked for, and when it came, by one clock.

        Returns
        -------
        float
            Seconds; 0 for a frame that is due, or late.
        """
        step_s, delay_s = stamp_s - self._stamp_s, now_s - stamp_s
        self._stamp_s = stamp_s
        if not 0 <= step_s <= SETTINGS.max_step_s:  # also the first frame
            self._delay_s = delay_s
            is_burst = self._due_s is not None
        elif self._due_s is None:
            is_burst = now_s - asked_s > max(SETTINGS.min_wait_s, 2 * step_s)
            self._newest_s = now_s
        else:
            share = SETTINGS.catch_up + SETTINGS.catch_up_growth * (now_s - self._newest_s)
            due_s = self._due_s + (1 - share) * step_s
            if due_s > now_s:
                self._due_s = due_s
                return due_s - now_s
            is_burst = True
        if is_burst:
            self._delay_s = min(delay_s, self._delay_s + SETTINGS.drift * (now_s - self._late_s))
            if delay_s <= self._delay_s + SETTINGS.min_wait_s:
                self._newest_s = now_s
            self._due_s = self._late_s = now_s
        return 0.0
