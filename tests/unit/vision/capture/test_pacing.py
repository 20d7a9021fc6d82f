"""Frames of a stream that arrive in bursts are held back until they are due."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from itertools import accumulate

import cv2
import numpy as np
import pytest

from vision.capture.live import open_stream
from vision.capture.pacing import FramePacer
from vision.core import Frame, Image

FRAME_S = 1 / 12


class StreamInBursts:
    """A stream of `cv2.VideoCapture` that gives five frames at once each 0.5 s, with time stamps a tenth apart."""

    def __init__(self, *_: object) -> None:
        self.number = -1
        self.began_s = time.monotonic()

    def isOpened(self) -> bool:  # noqa: N802
        return True

    def read(self) -> tuple[bool, Image]:
        self.number += 1
        arrives_s = self.began_s + 0.5 * (self.number // 5)
        time.sleep(max(0.0, arrives_s - time.monotonic()))
        return True, np.full((4, 4, 3), self.number, np.uint8)

    def get(self, _: int) -> float:
        return 100.0 * self.number

    def release(self) -> None: ...


def play(frames: Iterable[tuple[float, float]]) -> list[float]:
    """Return when each frame is passed on: of frames with their time stamp, and the time at which they can be read."""
    pacer, now_s, passed = FramePacer(), 0.0, []
    for stamp_s, arrives_s in frames:
        asked_s, now_s = now_s, max(now_s, arrives_s)
        now_s += pacer.hold_s(stamp_s, asked_s, now_s)
        passed.append(now_s)
    return passed


def film(seconds: float, arrival_s: Callable[[float], float]) -> list[tuple[float, float]]:
    stamps = [number * FRAME_S for number in range(round(seconds / FRAME_S))]
    return [(stamp_s, arrival_s(stamp_s)) for stamp_s in stamps]


@pytest.mark.parametrize("burst_s", [0.5, 2.0, 6.0])
def test_after_the_first_burst_frames_are_passed_on_as_in_the_film(burst_s: float) -> None:
    def arrival_s(stamp_s: float) -> float:
        number = stamp_s // burst_s
        return (number + 1) * burst_s + 0.2 * (number == 1)

    passed = play(film(240.0, arrival_s))
    first = round(2 * burst_s / FRAME_S)
    steps = [after - before for before, after in zip(passed[first:], passed[first + 1 :], strict=False)]
    assert min(steps) > 0.8 * FRAME_S
    assert max(steps) < max(3 * FRAME_S, 0.2 * burst_s)  # a segment that is caught up with, at its end
    assert passed[-1] < 240.0 + 2 * burst_s


def test_frames_that_arrive_a_little_unevenly_are_not_held_back() -> None:
    frames = film(60.0, lambda stamp_s: stamp_s + 0.2 * (stamp_s * 7 % 1))
    assert play(frames) == list(accumulate((arrives_s for _, arrives_s in frames), max))


def test_the_delay_of_one_fault_of_the_network_ends() -> None:
    frames = film(120.0, lambda stamp_s: 15.0 if 10.0 <= stamp_s < 15.0 else stamp_s)
    passed = dict(zip((stamp_s for stamp_s, _ in frames), play(frames), strict=True))
    delays = {round(stamp_s): at_s - stamp_s for stamp_s, at_s in passed.items()}
    assert delays[11] > 3.0
    assert delays[100] < 0.2


def test_if_time_stamps_do_not_fit_the_clock_nothing_is_held_back_for_long() -> None:
    frames = [
        (stamp_s * 2, arrives_s) for stamp_s, arrives_s in film(200.0, lambda s: 10.0 if 5 <= s < 10 else s)
    ]
    assert play(frames)[-1] == pytest.approx(frames[-1][1], abs=0.1)


def test_a_jump_of_the_time_stamps_holds_nothing_back() -> None:
    frames = film(20.0, lambda stamp_s: (stamp_s // 2 + 1) * 2)
    jumped = [(stamp_s + 3600.0 * (stamp_s > 11), arrives_s) for stamp_s, arrives_s in frames]
    assert play(jumped)[-1] < 24.0


def test_every_frame_of_a_stream_in_bursts_is_seen_with_the_time_at_which_it_was_due(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(cv2, "VideoCapture", StreamInBursts)
    frames = open_stream("rtsp://camera/board").frames()
    found = [next(frames) for _ in range(20)]
    frames.close()  # type: ignore[attr-defined]
    seen = {int(frame.image_bgr[0, 0, 0]): frame.time_s for frame in found if isinstance(frame, Frame)}
    assert set(range(10, 18)) <= set(seen)
    assert seen[17] - seen[10] == pytest.approx(0.7, abs=0.25)
