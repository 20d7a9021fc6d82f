"""Find the order in which several plays led to a board that was not understood in between."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from scoring import (
    EMPTY,
    Board,
    BoardProblem,
    Edition,
    IllegalPlayError,
    Placement,
    Play,
    check_play,
    neighbours,
)
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
    search = _Search(edition=edition)
    least = -(-len(tiles) // edition.rack_size)
    for n_plays in range(max(1, least), SETTINGS.max_plays + 1):
        orders = tuple(itertools.islice(search.orders(board, tiles, n_plays), SETTINGS.max_orders))
        if orders or search.n_checks >= SETTINGS.max_checks:
            return orders
    return ()


def most_likely_orders(
    orders: Iterable[tuple[Play, ...]], first_seen_s: Mapping[Square, float]
) -> tuple[tuple[Play, ...], ...]:
    """Keep the orders that contradict least when the tiles were first seen.

    Parameters
    ----------
    orders : iterable of tuple of Play
        Possible orders.
    first_seen_s : mapping of (row, column) to float
        When tiles were seen that nothing explained; the others are new.
    """
    known = [(_contradictions(order, first_seen_s), order) for order in orders]
    least = min((count for count, _ in known), default=0)
    return tuple(order for count, order in known if count == least)


def _contradictions(order: tuple[Play, ...], first_seen_s: Mapping[Square, float]) -> int:
    """Count the pairs of plays of which the later was seen before the earlier was complete, and breaks in plays."""
    times = [{first_seen_s.get(t.square, float("inf")) for t in play} for play in order]
    pairs = sum(min(later) < max(earlier) for earlier, later in itertools.combinations(times, 2))
    return pairs + sum(len(each) - 1 for each in times)


@dataclass(slots=True)
class _Search:
    """A depth-first search that remembers dead ends."""

    edition: Edition
    n_checks: int = 0
    dead_ends: set[tuple[frozenset[Placement], int]] = field(default_factory=set)

    def orders(self, board: Board, tiles: frozenset[Placement], n_plays: int) -> Iterator[tuple[Play, ...]]:
        """Yield the legal orders of this number of plays that place the tiles."""
        if not tiles:
            if not n_plays:
                yield ()
            return
        if len(tiles) > n_plays * self.edition.rack_size or (tiles, n_plays) in self.dead_ends:
            return
        is_dead = True
        for part in self._first_parts(board, tiles) if n_plays > 1 else (tiles,):
            if self.n_checks >= SETTINGS.max_checks:
                return
            self.n_checks += 1
            play = Play(placements=tuple(part))
            try:
                check_play(board, play, self.edition)
            except IllegalPlayError:
                continue
            for rest in self.orders(board.with_tiles(part), tiles - part, n_plays - 1):
                is_dead = False
                yield (play, *rest)
        if is_dead:
            self.dead_ends.add((tiles, n_plays))

    def _first_parts(self, board: Board, tiles: frozenset[Placement]) -> Iterator[frozenset[Placement]]:
        """Yield the parts of the tiles that fill a stretch of one line; the longest come first."""
        lines: dict[tuple[str, int], list[Placement]] = {}
        for tile in sorted(tiles, key=lambda each: each.square):
            lines.setdefault(("row", tile.row), []).append(tile)
            lines.setdefault(("column", tile.column), []).append(tile)
        parts = {
            frozenset(line[start:stop])
            for line in lines.values()
            for start, stop in itertools.combinations(range(len(line) + 1), 2)
            if stop - start <= self.edition.rack_size and _is_joined(board, line[start:stop])
        }
        yield from sorted(parts, key=lambda part: (-len(part), min(each.square for each in part)))


def _is_joined(board: Board, part: list[Placement]) -> bool:
    """Whether the tiles of one line leave no gap and touch a tile of the board, if it has any."""
    first, last = part[0], part[-1]
    is_touching = board.is_empty or any(
        board.holds(*square) and board[square] != EMPTY for tile in part for square in neighbours(tile.square)
    )
    if not is_touching:
        return False
    placed = {tile.square for tile in part}
    between = itertools.product(range(first.row, last.row + 1), range(first.column, last.column + 1))
    return all(square in placed or board[square] != EMPTY for square in between)
