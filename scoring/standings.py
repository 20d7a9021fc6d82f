"""The players of a game by their points."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

__all__ = ["Standing", "ranked"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """A player's place in a game; players with the same total share the better place."""

    place: int
    player: int
    name: str
    total: int


def ranked(players: Sequence[str], totals: Sequence[int]) -> tuple[Standing, ...]:
    """The players with their places, the best first; those who share one in the order of play."""
    order = sorted(range(len(players)), key=lambda player: (-totals[player], player))
    return tuple(
        Standing(
            place=1 + sum(other > totals[player] for other in totals),
            player=player,
            name=players[player],
            total=totals[player],
        )
        for player in order
    )
