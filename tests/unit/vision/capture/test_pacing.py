"""Frames of a stream that arrive in bursts are held back until they are due."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import accumulate
from typing import Any, cast

import cv2
import numpy as np
import pytest

from tests.support.passing_time import PassingTime
from vision.capture import lag, live
from vision.capture.live import open_stream
from vision.capture.pacing import FramePacer
from vision.core import Frame, Image

FRAME_S = 1 / 12


class StreamInBursts:
    """A stream of `cv2.VideoCapture` that gives five frames at once each 0.5 s, with time stamps a tenth apart."""

    def __init__(self, *_: object) -> None:
        self.number = -1

    def isOpened(self) -> bool:  # noqa: N802
        return True

    def grab(self) -> bool:
        self.number += 1
        clock = cast(Any, live).time
        clock.sleep(max(0.0, 0.5 * (self.number // 5) - clock.monotonic()))
        return True

    def retrieve(self) -> tuple[bool, Image]:
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


@pytest.mark.parametrize("fault_s", [5.0, 14.0])
def test_after_a_fault_of_the_network_no_second_of_film_is_passed_on_at_once(fault_s: float) -> None:
    passed = play(film(240.0, lambda stamp_s: max(stamp_s, 30.0 + fault_s) if stamp_s >= 30.0 else stamp_s))
    second = round(1 / FRAME_S)
    after = [later - before for before, later in zip(passed, passed[second:], strict=False)]
    assert min(after) > 0.5


@pytest.mark.parametrize(("segment_s", "fetch_s"), [(2.0, 0.5), (4.0, 0.6), (6.0, 0.8)])
def test_segments_that_take_long_to_fetch_do_not_fall_ever_further_behind(
    segment_s: float, fetch_s: float
) -> None:
    """FFmpeg fetches a segment when its first frame is asked for."""
    pacer, now_s, delays = FramePacer(), 3 * segment_s, []
    for number in range(round(240.0 / FRAME_S)):
        stamp_s, asked_s = number * FRAME_S, now_s
        if number % round(segment_s / FRAME_S) == 0:
            now_s = max(now_s, stamp_s + segment_s) + fetch_s
        now_s += pacer.hold_s(stamp_s, asked_s, now_s)
        delays.append(now_s - stamp_s)
    assert max(delays) < 3 * segment_s + 2.5


@pytest.mark.parametrize("rate", [1.2, 2.0, 5.0])
def test_time_stamps_that_do_not_fit_the_clock_hold_nothing_back_for_long(rate: float) -> None:
    frames = [
        (stamp_s * rate, arrives_s)
        for stamp_s, arrives_s in film(600.0, lambda stamp_s: 10.0 if 5 <= stamp_s < 10 else stamp_s)
    ]
    delays = [at_s - arrives_s for at_s, (_, arrives_s) in zip(play(frames), frames, strict=True)]
    assert max(delays) < 50.0
    assert min(delays[-1200:]) < 8.0


def test_the_clock_of_the_camera_may_differ() -> None:
    passed = play(
        (stamp_s, arrives_s * 1.0003) for stamp_s, arrives_s in film(3600.0, lambda s: s // 2 * 2 + 2)
    )
    second = round(1 / FRAME_S)
    assert (
        min(later - before for before, later in zip(passed[60:], passed[60 + second :], strict=False)) > 0.75
    )


def test_a_jump_of_the_time_stamps_holds_nothing_back() -> None:
    frames = film(20.0, lambda stamp_s: (stamp_s // 2 + 1) * 2)
    jumped = [(stamp_s + 3600.0 * (stamp_s > 11), arrives_s) for stamp_s, arrives_s in frames]
    assert play(jumped)[-1] < 24.0


def test_every_frame_of_a_stream_in_bursts_is_seen_with_the_time_at_which_it_was_due(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    clock = PassingTime()
    clock.stand_in(monkeypatch, live)
    monkeypatch.setattr(lag, "time", clock)
    monkeypatch.setattr(cv2, "VideoCapture", StreamInBursts)
    frames = open_stream("rtsp://camera/board").frames()
    found = [next(frames) for _ in range(20)]
    frames.close()  # type: ignore[attr-defined]
    seen = {int(frame.image_bgr[0, 0, 0]): frame.time_s for frame in found if isinstance(frame, Frame)}
    assert set(range(10, 18)) <= set(seen)
    assert seen[17] - seen[10] == pytest.approx(0.7, abs=0.25)
