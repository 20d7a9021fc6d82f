"""Find the order in which several plays led to a board that was not understood in between."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from scoring import Board, BoardProblem, Edition, Placement, Play, PlayOrderSearch
from vision.core import Square

__all__ = ["IMPOSSIBLE", "find_play_orders", "most_likely_orders"]


@dataclass(frozen=True, slots=True, kw_only=True)
class SequenceSettings:
    """Limits of the search. All values are chosen."""

    max_plays: int = 6
    """Plays between two boards: a hand or a shadow hid the board for so many turns."""
    max_checks: int = 6000
    """Plays that are tried, so that no frame takes longer than half a second."""
    max_orders: int = 60
    """Orders that are compared."""


SETTINGS = SequenceSettings()

IMPOSSIBLE = BoardProblem.FLOATING_TILES | BoardProblem.START_EMPTY | BoardProblem.MORE_THAN_BAG
"""Problems that no board of a game has."""


def find_play_orders(
    board: Board, added: Iterable[Placement], edition: Edition
) -> tuple[tuple[Play, ...], ...]:
    """Find the fewest legal plays that place some tiles, in every legal order up to a limit.

    Parameters
    ----------
    board : Board
        The board before.
    added : iterable of Placement
        All the new tiles.
    edition : Edition
        The rules.

    Returns
    -------
    tuple of tuple of Play
        The orders; none if there is no legal one within the limits.
    """
    tiles = frozenset(added)
    if not tiles or board.with_tiles(tiles).problems(edition) & IMPOSSIBLE:
        return ()
    return _find_play_orders(board, tiles, edition)


@functools.lru_cache(maxsize=8)
def _find_play_orders(
    board: Board, tiles: frozenset[Placement], edition: Edition
) -> tuple[tuple[Play, ...], ...]:
    """The same, remembered: a board that nothing explains is read again and again."""
    search = PlayOrderSearch(edition, SETTINGS.max_checks)
    least = -(-len(tiles) // edition.rack_size)
    for n_plays in range(max(1, least), SETTINGS.max_plays + 1):
        orders = tuple(itertools.islice(search.find(board, tiles, n_plays), SETTINGS.max_orders))
        if orders or search.checks_left <= 0:
            return orders
    return ()


def most_likely_orders(
    orders: Iterable[tuple[Play, ...]], first_seen_s: Mapping[Square, float]
) -> tuple[tuple[Play, ...], ...]:
    """Keep the orders that contradict least when the tiles were first seen, those of the briefest plays first.

    Parameters
    ----------
    orders : iterable of tuple of Play
        Possible orders.
    first_seen_s : mapping of (row, column) to float
        When tiles were seen that nothing explained; the others are new.
    """
    known = [(_rate(order, first_seen_s), order) for order in orders]
    least = min((count for (count, _), _ in known), default=0)
    likely = [(seconds, order) for (count, seconds), order in known if count == least]
    return tuple(order for _, order in sorted(likely, key=lambda one: one[0]))


def _rate(order: tuple[Play, ...], first_seen_s: Mapping[Square, float]) -> tuple[int, float]:
    """Count the contradictions, and sum the seconds from each play's first to its last tile.

    A contradiction is a break in a play, or a play that was seen before an earlier one was complete.
    """
    times = [{first_seen_s.get(t.square, float("inf")) for t in play} for play in order]
    pairs = sum(min(later) < max(earlier) for earlier, later in itertools.combinations(times, 2))
    seconds = sum(max(each) - min(each) for each in times if len(each) > 1)
    return pairs + sum(len(each) - 1 for each in times), seconds
