"""What the players scored by plays alone, from the totals on a score sheet."""

from __future__ import annotations

from collections.abc import Sequence

from scoring import Board, Edition, Game, settle_racks, unseen_tiles

__all__ = ["totals_before_settlement"]


def totals_before_settlement(
    totals: Sequence[int], board: Board, edition: Edition, *, settled: bool
) -> tuple[tuple[int, ...], ...]:
    """Return the points for plays that may have led to these totals.

    Parameters
    ----------
    totals : sequence of int
        Each player's total.
    board : Board
        The board at the end.
    edition : Edition
        The rules.
    settled : bool
        Whether the totals include the settlement of the tiles left at the end. Of two players one then has no tiles
        left, and the other has all tiles that are not on the board. Otherwise the settlement is unknown.

    Returns
    -------
    tuple of tuple of int
        Each player's points, for each player who may have gone out; none if the settlement is unknown.
    """
    if not settled:
        return (tuple(totals),)
    unseen = unseen_tiles(board, edition)
    if len(totals) != 2 or unseen is None or not edition.end.rack_empty:
        return ()
    left = tuple(tile for tile, count in unseen.items() for _ in range(count))
    if len(left) > edition.rack_size:
        return ()
    found = []
    for last in range(2):
        game = Game(edition=edition, players=("1", "2"))
        for event in settle_racks({last: (), 1 - last: left}, edition):
            game = game.with_event(event)
        points = tuple(total - change for total, change in zip(totals, game.totals, strict=True))
        if min(points) >= 0:
            found.append(points)
    return tuple(found)
