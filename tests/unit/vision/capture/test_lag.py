"""A stream that is decoded more slowly than it is sent is followed with fewer frames, or opened again."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise
from types import SimpleNamespace
from typing import Any, cast

import cv2
import numpy as np
import pytest

from tests.support.passing_time import PassingTime
from vision.capture import Interruption, lag, live
from vision.capture.lag import SlowStreamError
from vision.capture.live import LiveSource, ReconnectPolicy, _VideoConnection
from vision.capture.pacing import FramePacer
from vision.core import Image

FRAME_S = 1 / 30


class Stream:
    """Stands in for the clock, and for a `cv2.VideoCapture` whose decoding and conversion take time by it."""

    def __init__(
        self,
        decode_s: float,
        convert_s: float,
        first_s: float,
        stamp_rate: float,
        arrival_s: Callable[[float], float],
    ) -> None:
        self.number, self.now_s = 0, 0.0
        self.sent_s = 0.0
        self._costs_s = (decode_s, convert_s)
        self._first_s = first_s
        self._stamp_rate = stamp_rate
        self._arrival_s = arrival_s

    def grab(self) -> bool:
        self.number += 1
        self.sent_s = self.number * FRAME_S
        self.now_s = max(self.now_s, self._arrival_s(self.sent_s)) + self._costs_s[0]
        return True

    def retrieve(self) -> tuple[bool, Image]:
        self.now_s += self._costs_s[1] + self._first_s
        self._first_s = 0.0
        return True, np.zeros((4, 4, 3), np.uint8)

    def get(self, _: int) -> float:
        return 1000 * self.sent_s * self._stamp_rate

    def monotonic(self) -> float:
        return self.now_s

    def sleep(self, seconds: float) -> None:
        self.now_s += seconds


@pytest.fixture
def follow(monkeypatch: pytest.MonkeyPatch) -> Callable[..., list[tuple[float, float]]]:
    """Follow a stream for a while; give when each picture was sent, and when it was there."""

    def run(
        decode_s: float = 0.005,
        convert_s: float = 0.003,
        *,
        first_s: float = 0.0,
        stamp_rate: float = 1.0,
        arrival_s: Callable[[float], float] = lambda sent_s: sent_s,
    ) -> list[tuple[float, float]]:
        stream = Stream(decode_s, convert_s, first_s, stamp_rate, arrival_s)
        monkeypatch.setattr(lag, "time", stream)
        monkeypatch.setattr(live, "time", stream)
        connection = _VideoConnection(cast("cv2.VideoCapture", stream), "rtsp://camera", FramePacer())
        seen = []
        while stream.now_s < 120.0:
            connection.read()
            seen.append((stream.sent_s, stream.now_s))
        return seen

    return run


@pytest.mark.parametrize(("decode_s", "convert_s"), [(0.016, 0.14), (0.02, 0.02), (0.022, 0.11)])
def test_where_conversion_is_too_slow_fewer_frames_are_converted_and_the_stream_is_followed(
    decode_s: float, convert_s: float, follow: Callable[..., list[tuple[float, float]]]
) -> None:
    seen = [(sent_s, at_s) for sent_s, at_s in follow(decode_s, convert_s) if at_s > 40]
    assert max(at_s - sent_s for sent_s, at_s in seen) < 1.5
    assert max(later - sent for (sent, _), (later, _) in pairwise(seen)) < 0.7


def test_a_stream_whose_decoding_is_too_slow_is_given_up_after_half_a_minute(
    follow: Callable[..., list[tuple[float, float]]],
) -> None:
    with pytest.raises(SlowStreamError):
        follow(0.045, 0.01)
    assert 30 < cast(Any, lag).time.monotonic() < 45


@pytest.mark.parametrize("stamp_rate", [0.0, 0.5, 0.9, 1.5])
def test_a_stream_whose_time_stamps_are_wrong_is_not_slow(
    stamp_rate: float, follow: Callable[..., list[tuple[float, float]]]
) -> None:
    seen = follow(stamp_rate=stamp_rate)
    assert len([at_s for _, at_s in seen if at_s > 60]) == pytest.approx(60 / FRAME_S, rel=0.01)


@pytest.mark.parametrize(
    "arrival_s",
    [
        lambda sent_s: sent_s // 2 * 2 + 2,
        lambda sent_s: sent_s // 6 * 6 + 6,
        lambda sent_s: sent_s // 4 * 4 + 4.6,
        lambda sent_s: max(sent_s, 34.0) if sent_s > 30 else sent_s,
    ],
)
def test_a_stream_in_bursts_and_one_that_stalls_lose_no_frame(
    arrival_s: Callable[[float], float], follow: Callable[..., list[tuple[float, float]]]
) -> None:
    sent = [round(sent_s / FRAME_S) for sent_s, _ in follow(arrival_s=arrival_s)]
    assert sent == list(range(1, len(sent) + 1))


@pytest.mark.parametrize("convert_s", [0.003, 0.02, 0.025])
@pytest.mark.parametrize(
    ("first_s", "arrival_s"),
    [(6.0, lambda sent_s: sent_s), (0.0, lambda sent_s: max(sent_s, 14.0) if sent_s > 10 else sent_s)],
)
def test_frames_that_are_queued_during_a_first_conversion_or_a_stall_are_all_seen_at_about_their_own_speed(
    convert_s: float,
    first_s: float,
    arrival_s: Callable[[float], float],
    follow: Callable[..., list[tuple[float, float]]],
) -> None:
    seen = follow(0.004, convert_s, first_s=first_s, arrival_s=arrival_s)
    numbers = [round(sent_s / FRAME_S) for sent_s, _ in seen]
    assert numbers == list(range(1, len(seen) + 1))
    for (sent_s, at_s), (later_s, later_at_s) in zip(seen, seen[30:], strict=False):
        assert later_s - sent_s < 1.5 * (later_at_s - at_s)
    assert all(at_s - sent_s < 1 for sent_s, at_s in seen if at_s > 60)


def test_a_stream_that_is_too_slow_is_opened_again_and_reported_once(monkeypatch: pytest.MonkeyPatch) -> None:
    PassingTime().stand_in(monkeypatch, live)
    opened: Iterator[int] = iter(range(9))

    def connect() -> SimpleNamespace:
        next(opened)
        steps = iter(range(2))

        def read() -> Image:
            if next(steps, None) is None:
                raise SlowStreamError
            return np.zeros((4, 4, 3), np.uint8)

        return SimpleNamespace(read=read, close=lambda: None)

    source = LiveSource("rtsp://camera", connect, ReconnectPolicy(first_pause_s=0.05))
    frames = source.frames()
    items = [next(frames) for _ in range(5)]
    frames.close()  # type: ignore[attr-defined]
    reports = [item for item in items if isinstance(item, Interruption)]
    assert [report.over for report in reports] == [True]
    assert "decoded more slowly than it is sent" in reports[0].message
