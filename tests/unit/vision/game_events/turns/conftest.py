"""A turn detector that has seen the empty board, and one that has seen a play."""

from __future__ import annotations

import pytest

from tests.support.stable_boards import BARE, KIND, ONE, Seat, kinds


@pytest.fixture
def seat() -> Seat:
    seat = Seat()
    assert seat.sees(BARE).is_resolved
    return seat


@pytest.fixture
def played(seat: Seat) -> Seat:
    assert kinds(seat.sees(ONE)) == [KIND.PLAY]
    return seat
