"""What the players had for their plays alone, by the totals that a score sheet gives."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from scoring import Board, Edition, Game, settlement, unseen_tiles

__all__ = ["Ending", "endings"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Ending:
    """One way in which the totals may have come about.

    Parameters
    ----------
    points : tuple of int
        Each player's points for plays.
    last : int or None
        Who made the last play; None if anybody may have.
    """

    points: tuple[int, ...]
    last: int | None = None


def endings(totals: Sequence[int], board: Board, edition: Edition, *, settled: bool) -> tuple[Ending, ...]:
    """The points for plays that may have led to these totals; none if it cannot be known.

    Parameters
    ----------
    totals : sequence of int
        Each player's total.
    board : Board
        The board at the end.
    edition : Edition
        Whose rules.
    settled : bool
        Whether the totals have in them what the tiles left at the end changed. Of two players one has none left then,
        after the last play, and the other has all that are not on the board; otherwise it cannot be known.
    """
    if not settled:
        return (Ending(points=tuple(totals)),)
    unseen = unseen_tiles(board, edition)
    if len(totals) != 2 or unseen is None or not edition.end.rack_empty:
        return ()
    left = tuple(tile for tile, count in unseen.items() for _ in range(count))
    if len(left) > edition.rack_size:
        return ()
    found = []
    for last in range(2):
        game = Game(edition=edition, players=("1", "2"))
        for event in settlement({last: (), 1 - last: left}, edition):
            game = game.with_event(event)
        points = tuple(total - change for total, change in zip(totals, game.totals, strict=True))
        if min(points) >= 0:
            found.append(Ending(points=points, last=last))
    return tuple(found)
