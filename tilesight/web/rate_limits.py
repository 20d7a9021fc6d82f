"""How much one address may ask for."""

from __future__ import annotations

import contextlib
import time
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterator

__all__ = ["ConnectionLimit", "TokenBucket"]

MAX_ADDRESSES = 4096


class TokenBucket:
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
        while len(self._left) > MAX_ADDRESSES:
            self._left.popitem(last=False)
        return True

    def left(self, address: str) -> float:
        """How many permissions an address has."""
        left, since_s = self._left.get(address, (self._at_once, self._clock()))
        return min(self._at_once, left + (self._clock() - since_s) * self._a_second)


class ConnectionLimit:
    """Connections that are held open.

    Parameters
    ----------
    most : int
        How many there may be at once.
    most_each : int
        How many of those one address may hold; the empty one, which stands for this machine, may hold all.
    """

    def __init__(self, most: int, most_each: int) -> None:
        self._most = most
        self._most_each = most_each
        self._held: Counter[str] = Counter()

    def free(self, address: str) -> bool:
        """Whether an address may have one more."""
        return self._held.total() < self._most and (not address or self._held[address] < self._most_each)

    @contextlib.contextmanager
    def taken(self, address: str) -> Iterator[None]:
        """Holds a place for an address."""
        self._held[address] += 1
        try:
            yield
        finally:
            self._held[address] -= 1
            if not self._held[address]:
                del self._held[address]
