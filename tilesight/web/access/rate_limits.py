"""Limits on the requests and connections of one address."""

from __future__ import annotations

import contextlib
import ipaddress
import time
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterator

from tilesight.web.settings import SETTINGS

__all__ = ["ConnectionLimit", "TokenBucket", "normalise_address", "spell_address"]


def spell_address(text: str) -> str:
    """Return a numeric address in its usual form, an IPv4 one also where IPv6 names it; empty if the text is none."""
    try:
        address = ipaddress.ip_address(text)
    except ValueError:
        return ""
    return str(getattr(address, "ipv4_mapped", None) or address)


def normalise_address(address: str) -> str:
    """Return an address as connections are counted by it; empty for this machine."""
    spelled = spell_address(address)
    return "" if spelled and ipaddress.ip_address(spelled).is_loopback else address


class TokenBucket:
    """A token bucket for each address.

    Parameters
    ----------
    per_second : float
        Tokens that are added each second.
    capacity : float
        Tokens of a full bucket.
    clock : callable
        A monotonic time in seconds.
    """

    def __init__(
        self, per_second: float, capacity: float, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._per_second = per_second
        self._capacity = capacity
        self._clock = clock
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def take(self, address: str) -> bool:
        """Take one token of an address; return False if none is left."""
        left = self.left(address)
        if left < 1.0:
            return False
        self._left[address] = (left - 1.0, self._clock())
        self._left.move_to_end(address)
        while len(self._left) > SETTINGS.max_addresses:
            self._left.popitem(last=False)
        return True

    def left(self, address: str) -> float:
        """Return how many tokens an address has."""
        left, since_s = self._left.get(address, (self._capacity, self._clock()))
        return min(self._capacity, left + (self._clock() - since_s) * self._per_second)


class ConnectionLimit:
    """A limit on open connections.

    Parameters
    ----------
    max_total : int
        Connections at once.
    max_per_address : int
        Connections of one address; the empty address, which is this machine, may have all.
    """

    def __init__(self, max_total: int, max_per_address: int) -> None:
        self._max_total = max_total
        self._max_per_address = max_per_address
        self._held: Counter[str] = Counter()

    def is_free(self, address: str) -> bool:
        """Check whether an address may have one more connection."""
        return self._held.total() < self._max_total and (
            not address or self._held[address] < self._max_per_address
        )

    @contextlib.contextmanager
    def hold(self, address: str) -> Iterator[None]:
        """Count a connection of an address until the block ends."""
        self._held[address] += 1
        try:
            yield
        finally:
            self._held[address] -= 1
            if not self._held[address]:
                del self._held[address]
