"""How much one address may ask for."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable

__all__ = ["Allowance"]

MOST_ADDRESSES = 4096


class Allowance:
    """A bucket of permissions for each address, which fills again with time.

    Parameters
    ----------
    a_second : float
        How many permissions come back a second.
    at_once : float
        How many there are at most.
    clock : callable
        Seconds from anywhere.
    """

    def __init__(self, a_second: float, at_once: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._a_second = a_second
        self._at_once = at_once
        self._clock = clock
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def take(self, address: str) -> bool:
        """Takes one permission; False if none is left."""
        left = self.left(address)
        if left < 1.0:
            return False
        self._left[address] = (left - 1.0, self._clock())
        self._left.move_to_end(address)
        while len(self._left) > MOST_ADDRESSES:
            self._left.popitem(last=False)
        return True

    def left(self, address: str) -> float:
        """How many permissions an address has."""
        left, since_s = self._left.get(address, (self._at_once, self._clock()))
        return min(self._at_once, left + (self._clock() - since_s) * self._a_second)
