"""A source of few frames is reported, and one that stalls is not taken for one."""

from __future__ import annotations

import pytest

from vision.tracking import SourceGaps


def report(intervals_s: list[float]) -> list[str]:
    gaps, messages = SourceGaps(), []
    for interval_s in intervals_s:
        gaps.measure(interval_s)
        messages.append(gaps.few_frames_message())
    return [message for message in messages if message is not None]


def test_a_source_of_a_frame_a_second_is_reported_once() -> None:
    (message,) = report(30 * [1.0])
    assert "a frame only every 1.0 s" in message


@pytest.mark.parametrize("intervals_s", [30 * [0.5], 9 * [0.04] + 4 * [5.0] + 9 * [0.04], 5 * [1.0]])
def test_two_frames_a_second_a_stall_and_a_short_film_are_not_reported(intervals_s: list[float]) -> None:
    assert report(intervals_s) == []
