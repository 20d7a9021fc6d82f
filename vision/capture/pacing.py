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
        Share by which frames follow each other sooner than in the film, so that the delay of a single fault of the
        network ends.
    max_hold_s : float
        Seconds that a frame is held back at most; more is a jump of the time stamps.
    patience_s : float
        Seconds within which a frame must be late once. If all are early, the time stamps do not fit the clock, and the
        delay would grow.
    """

    min_wait_s: float = 0.3
    catch_up: float = 0.1
    max_hold_s: float = 2.0
    patience_s: float = 60.0


SETTINGS = PacingSettings()


class FramePacer:
    """How long each frame of a stream is held back: not at all, until a first burst is expected."""

    def __init__(self) -> None:
        self._stamp_s: float | None = None
        self._due_s: float | None = None  # when the last frame was due; None while none is held back
        self._late_s = 0.0

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
        step_s = stamp_s - self._stamp_s if self._stamp_s is not None else 0.0
        self._stamp_s = stamp_s
        is_late = now_s - asked_s > max(SETTINGS.min_wait_s, 2 * step_s)
        if self._due_s is not None:
            hold_s = self._due_s + (1 - SETTINGS.catch_up) * step_s - now_s
            if 0 < hold_s <= SETTINGS.max_hold_s and now_s - self._late_s <= SETTINGS.patience_s:
                self._due_s = now_s + hold_s
                return hold_s
            is_late = is_late or hold_s <= 0
        self._due_s = now_s if is_late else None
        self._late_s = now_s
        return 0.0
