"""Squares of a board: neighbours, connected groups, and the lines through a square."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

import numpy as np

from scoring import EMPTY, Board, neighbours
from vision.core.arrays import Mask, Square

__all__ = ["connected_groups", "empty_squares", "lines_through", "neighbours_of", "squares_in"]


def squares_in(mask: Mask) -> list[Square]:
    """Return the squares of a mask (rows, columns), row by row."""
    rows, columns = np.nonzero(mask)
    return [*zip(rows.tolist(), columns.tolist(), strict=True)]


def empty_squares(board: Board) -> Mask:
    """(rows, columns) the squares of a board without a tile."""
    return np.array([[token == EMPTY for token in row] for row in board.rows])


def neighbours_of(squares: Iterable[Square]) -> frozenset[Square]:
    """Return the squares that share a side with one of these, which may be these too; some may be off the board."""
    return frozenset().union(*map(neighbours, squares))


def connected_groups(squares: Collection[Square]) -> list[frozenset[Square]]:
    """Group squares that are connected by their sides."""
    waiting = set(squares)
    groups = []
    while waiting:
        front = [waiting.pop()]
        group = set(front)
        while front:
            near = neighbours(front.pop()) & waiting
            waiting -= near
            group |= near
            front.extend(near)
        groups.append(frozenset(group))
    return groups


def lines_through(filled: Mask, square: Square) -> Iterator[tuple[Square, ...]]:
    """Yield the filled squares of the words across and down through a square; a line of one square is none.

    Parameters
    ----------
    filled : (rows, columns) bool
        The squares on which there is something.
    square : (row, column)
        A filled square.
    """
    row, column = square
    for line, place, is_across in ((filled[row], column, True), (filled[:, column], row, False)):
        first, last = place, place
        while first > 0 and line[first - 1]:
            first -= 1
        while last + 1 < len(line) and line[last + 1]:
            last += 1
        if last > first:
            yield tuple((row, at) if is_across else (at, column) for at in range(first, last + 1))
