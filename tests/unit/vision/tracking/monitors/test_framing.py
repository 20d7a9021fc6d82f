"""A part of the board that stays out of the picture is reported once, until all of it has been in the picture."""

from __future__ import annotations

import numpy as np

from vision.core import Mask
from vision.tracking.monitors.framing import FramingMonitor


def first_squares(outside: int) -> Mask:
    """The first squares of a board, in rows."""
    return np.arange(225).reshape(15, 15) < outside


def reports(*parts: tuple[float, int]) -> list[tuple[float, str]]:
    """What is reported when, where each part is a number of seconds and of squares that they do not show."""
    monitor, time_s, found = FramingMonitor(), 0.0, []
    for seconds, outside in parts:
        for _ in range(round(seconds / 0.5)):
            message = monitor.update(time_s, first_squares(outside))
            found += [] if message is None else [(time_s, message)]
            time_s += 0.5
    return found


def test_squares_that_stay_out_of_the_picture_are_reported_once() -> None:
    message = "squares of the board outside of the picture: 15; show the whole board"
    assert reports((5, 0), (60, 15)) == [(12.5, message)]


def test_a_moment_out_of_the_picture_is_not_reported() -> None:
    assert not reports((5, 0), (4, 15), (1, 0), (7, 30), (5, 0))


def test_the_report_comes_again_only_after_the_whole_board_was_shown_for_long() -> None:
    assert len(reports((20, 15), (2, 0), (20, 15))) == 1
    assert len(reports((20, 15), (10, 0), (20, 15))) == 2


def test_the_framing_rests_while_the_same_squares_are_out_of_the_picture() -> None:
    monitor, rests_s = FramingMonitor(), list[float]()
    for number, outside in enumerate([15, 15, 15, 30, 30, 0]):
        monitor.update(0.5 * number, first_squares(outside))
        rests_s.append(monitor.rest_s)
    assert rests_s == [0.0, 0.5, 1.0, 0.0, 0.5, 0.0]
