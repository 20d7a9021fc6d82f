"""What keeps a board from coming to rest is named."""

from __future__ import annotations

import numpy as np
import pytest

from vision.tracking.monitors.unrest import UnrestMonitor

NOTHING = np.zeros((15, 15), dtype=np.bool_)
FPS = 10


def messages(moved: np.ndarray, camera_px: float | None, seconds: float = 12.0) -> list[tuple[float, str]]:
    monitor = UnrestMonitor(15, 15, 0.0)
    found = []
    for number in range(1, round(seconds * FPS)):
        message = monitor.update(number / FPS, moved, camera_px)
        if message is not None:
            found.append((number / FPS, message))
    return found


def restless(*squares: tuple[int, int]) -> np.ndarray:
    moved = NOTHING.copy()
    for square in squares:
        moved[square] = True
    return moved


@pytest.mark.parametrize(
    ("moved", "camera_px", "reason"),
    [
        (~NOTHING, None, "the board is hidden or out of sight"),
        (~NOTHING, 3.2, "the camera moves by about 3 px from frame to frame"),
        (restless((0, 0), (1, 0)), 0.0, "the picture keeps changing at A1 A2;"),
        (~NOTHING, 0.0, "A1 B1 C1 (+222)"),
        (NOTHING, 0.0, "something moves over the board all the time"),
    ],
)
def test_the_reason_is_reported_once_within_ten_seconds(
    moved: np.ndarray, camera_px: float | None, reason: str
) -> None:
    ((time_s, message),) = messages(moved, camera_px)
    assert time_s < 10
    assert reason in message


def test_a_rest_in_between_begins_anew() -> None:
    monitor = UnrestMonitor(15, 15, 0.0)
    for number in range(1, 300):
        if number % 50 == 0:
            monitor.clear(number / FPS)
        assert monitor.update(number / FPS, ~NOTHING, 5.0) is None


def test_time_without_frames_is_no_unrest() -> None:
    monitor = UnrestMonitor(15, 15, 0.0)
    found = []
    for number in range(1, 120):
        if number == 60:
            monitor.skip(90.0)
        time_s = number / FPS + (90.0 if number >= 60 else 0.0)
        message = monitor.update(time_s, ~NOTHING, 1.0)
        found += [] if message is None else [(time_s, message.partition(":")[0])]
    assert found == [(98.0, "nothing could be read for 8 s")]


def test_a_few_frames_of_a_time_lapse_give_no_reason() -> None:
    monitor = UnrestMonitor(15, 15, 0.0)
    assert [monitor.update(5.0 * number, ~NOTHING, 1.0) for number in range(1, 20)] == [None] * 19
    assert monitor.update(100.0, ~NOTHING, 1.0) is not None


def test_a_board_that_is_not_the_games_is_the_reason() -> None:
    monitor = UnrestMonitor(15, 15, 0.0)
    message = monitor.update(9.0, NOTHING, 0.0, "is it the board of this game?")
    assert message == "nothing could be read for 9 s: is it the board of this game?"
