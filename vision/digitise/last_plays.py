"""Which play may have been the last one on a board, and how plausible that is.

What the rules allow is certain; what is plausible is said by how many tiles people play, by how seldom a word is made
longer that lay there before, and by a word list where one is given.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence

from scoring import Board, Edition, Lexicon
from scoring.rules import StartRule
from scoring.tiles import COVERED

__all__ = ["LastPlays", "Square", "plausibility_of"]

Square = tuple[int, int]

# Natural logarithms, chosen and not fitted: most plays lay two to five tiles, and seven earn a bonus.
TILES = {1: -2.5, 2: -1.8, 3: -1.6, 4: -1.6, 5: -1.8, 6: -2.5, 7: -2.4}
MORE_TILES = -5.0
LONGER_WORD = -2.0
"""For each word on the board that the play makes longer."""
CROSS_WORD = -0.4
"""For each further word that the play forms."""
NO_WORD = -8.0
"""For each word that the word list does not have."""
MOST_OPEN = 6
"""Tiles within a play's line that may have lain there before; of more, only the first are doubted."""


def plausibility_of(tiles: int) -> float:
    """How plausible it is that a play lays so many tiles: the logarithm of a share."""
    return TILES.get(tiles, MORE_TILES)


class LastPlays:
    """The plays that may have been made last, for any of a board's tiles.

    Parameters
    ----------
    board : Board
        The board after all plays.
    base : frozenset of (row, column)
        Tiles that lay there before any of them.
    edition : Edition
        Whose rules.
    lexicon : Lexicon or None
        Words.
    """

    def __init__(
        self, board: Board, base: frozenset[Square], edition: Edition, lexicon: Lexicon | None
    ) -> None:
        self._board = board
        self._base = base
        self._edition = edition
        self._lexicon = lexicon
        self._fixed = base | {
            (row, column)
            for row, tokens in enumerate(board.rows)
            for column, token in enumerate(tokens)
            if token == COVERED
        }
        self._known: dict[frozenset[Square], list[tuple[tuple[Square, ...], float]]] = {}

    def on(self, left: frozenset[Square]) -> list[tuple[tuple[Square, ...], float]]:
        """What may have been played last on this board, with its weight."""
        known = self._known.get(left)
        if known is None:
            filled = left | self._fixed
            found: dict[tuple[Square, ...], float] = {}
            for down in (False, True):
                for line in self._runs(filled, down):
                    for taken in self._taken_from(line, left, filled, down):
                        if self._may_be(left, frozenset(taken)):
                            weight = self._weight(taken, filled, down)
                            found[taken] = max(weight, found.get(taken, -math.inf))
            known = self._known[left] = list(found.items())
        return known

    def forget(self) -> None:
        """Forgets the plays of boards that do not come again: those of thousands of boards fill a memory."""
        self._known.clear()

    def _runs(self, filled: frozenset[Square], down: bool) -> Iterator[list[Square]]:
        """The words on the board in one direction."""
        for square in sorted(filled, key=lambda at: (at[down], at[not down]) if down else at):
            if step(square, down, -1) in filled or step(square, down, 1) not in filled:
                continue
            line = [square]
            while step(line[-1], down, 1) in filled:
                line.append(step(line[-1], down, 1))
            yield line

    def _taken_from(
        self, line: list[Square], left: frozenset[Square], filled: frozenset[Square], down: bool
    ) -> Iterator[tuple[Square, ...]]:
        """The tiles of a word that one play may have laid: the rest of it lay there before."""
        crossed = [step(at, not down, -1) in filled or step(at, not down, 1) in filled for at in line]
        for first, last in itertools.combinations_with_replacement(range(len(line)), 2):
            if line[first] not in left or line[last] not in left:
                continue
            inner = range(first + 1, last)
            doubtful = [at for at in inner if line[at] in left and crossed[at]][:MOST_OPEN]
            sure = [at for at in inner if line[at] in left and at not in doubtful]
            for number in range(len(doubtful) + 1):
                for laid in itertools.combinations(doubtful, number):
                    chosen = sorted({first, last, *sure, *laid})
                    if len(chosen) <= self._edition.rack_size:
                        yield tuple(line[at] for at in chosen)

    def _may_be(self, left: frozenset[Square], taken: frozenset[Square]) -> bool:
        """Whether the board before such a play is possible: one group of tiles on the start, or none."""
        rest = left - taken
        first = self._edition.first_play
        if not rest and not self._base:
            squares = sorted(taken)[:1] if first.start is StartRule.FIRST_LETTER else taken
            return len(taken) >= first.shortest and bool(self._edition.layout.start & set(squares))
        filled = rest | self._fixed
        if not self._base and (len(rest) < first.shortest or not self._edition.layout.start & filled):
            return False
        return connected(filled)

    def _weight(self, taken: tuple[Square, ...], filled: frozenset[Square], down: bool) -> float:
        """How plausible it is that these tiles were one play."""
        laid = set(taken)
        weight = plausibility_of(len(taken))
        weight += self._words_before(taken[0], filled, laid, down)
        for square in taken:
            if step(square, not down, -1) in filled or step(square, not down, 1) in filled:
                weight += CROSS_WORD + self._words_before(square, filled, laid, not down)
        return weight

    def _words_before(
        self, square: Square, filled: frozenset[Square], laid: set[Square], down: bool
    ) -> float:
        """What it costs that words in this line lay there before and are longer now."""
        at = square
        while step(at, down, -1) in filled:
            at = step(at, down, -1)
        cost, piece = 0.0, list[Square]()
        while at in filled or piece:
            if at in filled and at not in laid:
                piece.append(at)
            else:
                if len(piece) > 1:
                    cost += LONGER_WORD + self._unknown(piece)
                piece = []
            at = step(at, down, 1)
        return cost

    def _unknown(self, squares: Sequence[Square]) -> float:
        """What a word costs that the word list does not have."""
        if self._lexicon is None or self._lexicon.contains([self._board[square] for square in squares]):
            return 0.0
        return NO_WORD


def step(square: Square, down: bool, distance: int) -> Square:
    """The square so far along a line."""
    return (square[0] + distance, square[1]) if down else (square[0], square[1] + distance)


def connected(filled: frozenset[Square]) -> bool:
    """Whether all these squares hang together, side by side."""
    waiting = set(filled)
    front = [waiting.pop()] if waiting else []
    while front:
        row, column = front.pop()
        for near in ((row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1)):
            if near in waiting:
                waiting.discard(near)
                front.append(near)
    return not waiting
