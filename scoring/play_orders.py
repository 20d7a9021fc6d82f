"""Find the orders in which several plays may have placed some tiles."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass, field

from scoring.board import Board, Placement
from scoring.coordinates import neighbours
from scoring.edition import Edition
from scoring.errors import IllegalPlayError
from scoring.play import Play, check_play
from scoring.tiles import EMPTY

__all__ = ["PlayOrderSearch"]


@dataclass(slots=True)
class PlayOrderSearch:
    """A depth-first search that remembers dead ends; for one board and its new tiles.

    Parameters
    ----------
    edition : Edition
        The rules.
    checks_left : float
        Number of plays that may still be tried.
    """

    edition: Edition
    checks_left: float = math.inf
    _dead_ends: set[tuple[frozenset[Placement], int]] = field(default_factory=set, init=False)

    def find(self, board: Board, tiles: frozenset[Placement], n_plays: int) -> Iterator[tuple[Play, ...]]:
        """Yield the legal orders of plays that place the tiles.

        Parameters
        ----------
        board : Board
            The board before.
        tiles : frozenset of Placement
            All the new tiles.
        n_plays : int
            The number of plays.
        """
        if not tiles:
            if not n_plays:
                yield ()
            return
        if len(tiles) > n_plays * self.edition.rack_size or (tiles, n_plays) in self._dead_ends:
            return
        is_dead = True
        for part in self._first_parts(board, tiles) if n_plays > 1 else (tiles,):
            if self.checks_left <= 0:
                return
            self.checks_left -= 1
            play = Play(placements=tuple(part))
            try:
                check_play(board, play, self.edition)
            except IllegalPlayError:
                continue
            for rest in self.find(board.with_tiles(part), tiles - part, n_plays - 1):
                is_dead = False
                yield (play, *rest)
        if is_dead:
            self._dead_ends.add((tiles, n_plays))

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
    first, last, placed = part[0], part[-1], {tile.square for tile in part}
    between = itertools.product(range(first.row, last.row + 1), range(first.column, last.column + 1))
    if any(square not in placed and board[square] == EMPTY for square in between):
        return False
    near = (square for each in placed for square in neighbours(each) if board.holds(*square))
    return board.is_empty or any(board[square] != EMPTY for square in near)
