"""Learn from which side each player's hand comes, and weigh who made a change of the board.

Players keep their seats, so a hand's direction tells them apart if they do not sit next to each other. Each player's
directions are a mixture of von Mises densities, one for each hand seen, and of a uniform share for hands that reached
round (Fisher, Statistical Analysis of Circular Data, 1993, section 2.4 on kernel estimates).
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

__all__ = ["HandDirection", "PlayerSides"]

HandDirection: TypeAlias = tuple[float, float]
"""A unit vector (x, y) in the frame."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SideSettings:
    """How the directions of hands are weighed. All values are chosen."""

    concentration: float = 4.0
    """Concentration of the density around each direction seen: a standard deviation of about 30 degrees."""
    stray_share: float = 0.1
    """Share of hands that come from anywhere, after one was seen of a player; it falls with their number."""
    min_stray_share: float = 0.02
    """The same at least."""
    max_directions: int = 12
    """Latest directions of a player that are kept."""
    min_known: int = 2
    """Directions seen of each player, from which on the sides are reported."""
    min_known_log_odds: float = 2.0
    """How clearly each player's mean direction must be that player's, for the sides to be reported."""


SETTINGS = SideSettings()


def _bessel_i0(x: float) -> float:
    """The modified Bessel function of order 0, by its series."""
    return sum((x / 2) ** (2 * n) / math.factorial(n) ** 2 for n in range(20))


_PEAK = 1.0 / (2.0 * math.pi * _bessel_i0(SETTINGS.concentration))
_UNIFORM = 1.0 / (2.0 * math.pi)

_SIDES = ("right", "bottom right", "bottom", "bottom left", "left", "top left", "top", "top right")
"""Sides of the frame, clockwise as seen, each an eighth of a turn from the next; y points down."""


@dataclass(frozen=True, slots=True)
class PlayerSides:
    """The directions from which each player's hands came; each change gives a new value."""

    seen: tuple[tuple[HandDirection, ...], ...]

    @classmethod
    def unknown(cls, players: int) -> PlayerSides:
        """Return what is known of this number of players before the first play."""
        return cls(((),) * players)

    def learn(self, player: int, direction: HandDirection | None) -> PlayerSides:
        """Add the direction of a hand that was this player's; None adds nothing."""
        if direction is None:
            return self
        kept = (*self.seen[player], direction)[-SETTINGS.max_directions :]
        return replace(self, seen=(*self.seen[:player], kept, *self.seen[player + 1 :]))

    def log_odds(self, player: int, other: int, direction: HandDirection | None) -> float:
        """Weigh whose hand came from a direction.

        Returns
        -------
        float
            Natural logarithm of the likelihood ratio of `player` to `other`; 0 where nothing speaks for either.
        """
        if direction is None:
            return 0.0
        return math.log(self._density(player, direction) / self._density(other, direction))

    def describe(self, names: Sequence[str]) -> str:
        """Say from which side of the picture each player's hand comes; empty until the players differ."""
        players = range(len(self.seen))
        if len(self.seen) < 2 or min(map(len, self.seen)) < SETTINGS.min_known:
            return ""
        angles = [math.atan2(sum(y for _, y in seen), sum(x for x, _ in seen)) for seen in self.seen]
        clear = (
            self.log_odds(player, other, (math.cos(angles[player]), math.sin(angles[player])))
            for player, other in itertools.permutations(players, 2)
        )
        if min(clear) < SETTINGS.min_known_log_odds:
            return ""
        sides = [_SIDES[round(angle / (math.pi / 4)) % 8] for angle in angles]
        return ", ".join(f"{name}'s from the {side}" for name, side in zip(names, sides, strict=True))

    def _density(self, player: int, direction: HandDirection) -> float:
        seen = self.seen[player]
        if not seen:
            return _UNIFORM
        stray = max(SETTINGS.min_stray_share, SETTINGS.stray_share / len(seen))
        cosines = [direction[0] * x + direction[1] * y for x, y in seen]
        near = sum(_PEAK * math.exp(SETTINGS.concentration * cosine) for cosine in cosines) / len(seen)
        return stray * _UNIFORM + (1.0 - stray) * near
