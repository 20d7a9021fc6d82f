"""Which play may have been the last one on a board, how plausible that is, and what it scored.

What the rules allow is certain; what is plausible is said by how many tiles people play, by how seldom a word is made
longer that lay there before, and by a word list where one is given.

A board is a number here, a bit for each of its new tiles: tens of thousands of boards are looked at. What a line tells
depends on its tiles and on the words that cross it, and comes again on most boards, so that it is worked out once.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from scoring import (
    BLANK,
    COVERED,
    Board,
    BoardProblem,
    Edition,
    Lexicon,
    Placement,
    Play,
    StartRule,
    is_blank,
    is_tile,
    word_score,
)

__all__ = ["LastPlay", "LastPlays", "Square", "plausibility_of"]

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
LEAST = -14.0
"""Plays that make more words longer than this costs are not looked at."""
MAX_IN_A_LINE = 300
"""Plays that are remembered of a line: of a row full of tiles, the most plausible."""

MAX_REMEMBERED = 300_000
"""Plays that are remembered of all lines."""


def plausibility_of(tiles: int) -> float:
    """How plausible it is that a play lays so many tiles: the logarithm of a share."""
    return TILES.get(tiles, MORE_TILES)


@dataclass(frozen=True, slots=True)
class LastPlay:
    """A play that may have been the last one.

    Parameters
    ----------
    taken : int
        Its tiles, as bits.
    tiles : int
        How many.
    score : int
        What it scored.
    weight : float
        How plausible it is: the logarithm of a share.
    """

    taken: int
    tiles: int
    score: int
    weight: float


@dataclass(frozen=True, slots=True)
class _Line:
    """A row or a column: its squares, the bits of those that hold a new tile (0 elsewhere), and the tiles' values."""

    down: bool
    squares: tuple[Square, ...]
    bits: tuple[int, ...]
    values: tuple[int, ...]


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

    Attributes
    ----------
    all_tiles : int
        The new tiles of the whole board, as bits.
    most_tiles : int
        How many tiles a play may lay.
    possible : bool
        Whether the tiles are the edition's, no more than its bag holds, and hang together.
    covered : bool
        Whether a square beside the tiles, or the start of a board without tiles there, cannot be seen.
    cut : bool
        Whether plays were left out because they are too implausible.
    """

    def __init__(
        self, board: Board, base: frozenset[Square], edition: Edition, lexicon: Lexicon | None
    ) -> None:
        self._board, self._base, self._edition, self._lexicon = board, base, edition, lexicon
        self.possible = self._is_possible()
        rows, columns = board.size
        self._stride = columns + 1  # an empty column, so that neighbours do not run on to the next row
        self._rows, self._columns = (1 << columns) - 1, columns
        covered = self._mask(
            (row, column)
            for row, tokens in enumerate(board.rows)
            for column, token in enumerate(tokens)
            if token == COVERED
        )
        self._fixed = self._mask(base) | covered
        tiles = self._mask((tile.row, tile.column) for tile in board.tiles())
        self.all_tiles = tiles & ~self._fixed
        self.most_tiles = edition.rack_size
        self._start = self._mask(edition.layout.start)
        on_start = bool(tiles & self._start) or bool(base)
        self.covered = bool(covered & (self._beside(tiles) | (0 if on_start else self._start)))
        across = [[(row, column) for column in range(columns)] for row in range(rows)]
        down = [[(row, column) for row in range(rows)] for column in range(columns)]
        self._lines = [self._line_of(line, False) for line in across] + [
            self._line_of(line, True) for line in down
        ]
        self._turned: dict[int, int] = {}
        self._ends: dict[tuple[int, int], tuple[int, ...]] = {}
        self._crossed: dict[tuple[bool, Square, int], tuple[int, float] | None] = {}
        self._known: dict[tuple[int, int, tuple[int, ...]], tuple[LastPlay, ...]] = {}
        self.cut = False
        self._remembered = 0

    def _is_possible(self) -> bool:
        """Whether the new tiles are the edition's, no more than its bag holds, and hang together."""
        problems = self._board.problems(self._edition)
        if BoardProblem.UNKNOWN_LETTER in problems or BoardProblem.FLOATING_TILES in problems:
            return False
        for token, count in self._edition.counts.items():
            lying = [
                (tile.row, tile.column)
                for tile in self._board.tiles()
                if (BLANK if is_blank(tile.token) else tile.token) == token
            ]
            if count is not None and len(lying) > count and not self._base.issuperset(lying):
                return False
        return True

    def in_lines(self, left: int) -> list[tuple[LastPlay, ...]]:
        """What may have been played last on this board, line by line, whether or not the rest may be a board."""
        filled = left | self._fixed
        rows, columns = self._board.size
        row_masks = [(filled >> row * self._stride) & self._rows for row in range(rows)]
        turned = 0
        for row, mask in enumerate(row_masks):
            turned |= self._turn(mask, rows) << row
        column_masks = [(turned >> column * rows) & ((1 << rows) - 1) for column in range(columns)]
        ends_across = [self._ends_in(mask, columns) for mask in row_masks]
        ends_down = [self._ends_in(mask, rows) for mask in column_masks]
        known, found = self._known, []
        for number, (mask, crossing) in enumerate(
            (*zip(row_masks, zip(*ends_down, strict=True), strict=True),
             *zip(column_masks, zip(*ends_across, strict=True), strict=True))
        ):  # fmt: skip
            if mask & (mask >> 1):
                key = number, mask, crossing
                plays = known.get(key)
                if plays is None:
                    plays = known[key] = self._in_line(self._lines[number], mask, crossing)
                    self._remembered += len(plays)
                if plays:
                    found.append(plays)
        return found

    def forget(self) -> bool:
        """Forgets what the lines told if that is so much that it fills a memory; says whether it did."""
        if self._remembered <= MAX_REMEMBERED:
            return False
        self._known.clear()
        self._remembered = 0
        return True

    def may_be(self, taken: int, rest: int) -> bool:
        """Whether the rest may be a board, when these tiles are taken off one: it hangs together on the start."""
        first = self._edition.first_play
        if not self._base:
            if not rest:
                on_start = taken & -taken if first.start is StartRule.FIRST_LETTER else taken
                return taken.bit_count() >= first.shortest and bool(on_start & self._start)
            if rest.bit_count() < first.shortest or not rest & self._start:
                return False
        filled = rest | self._fixed
        near = self._beside(taken) & filled
        reached = near & -near
        # The board as it was hangs together, so that the rest does where all round the play does.
        while near & ~reached:
            wider = (reached | self._beside(reached)) & filled
            if wider == reached:
                return False
            reached = wider
        return bool(near)

    def play(self, taken: int) -> Play:
        """The play of these tiles."""
        return Play(
            placements=tuple(
                Placement(row=row, column=column, token=self._board[row, column])
                for row, column in self.squares(taken)
            )
        )

    def squares(self, taken: int) -> list[Square]:
        """The squares of these bits."""
        found = []
        while taken:
            lowest = taken & -taken
            found.append(divmod(lowest.bit_length() - 1, self._stride))
            taken ^= lowest
        return found

    def _mask(self, squares: Iterator[Square] | frozenset[Square]) -> int:
        return sum(1 << (row * self._stride + column) for row, column in squares)

    def _beside(self, mask: int) -> int:
        """The squares that share an edge with these."""
        return mask << 1 | mask >> 1 | mask << self._stride | mask >> self._stride

    def _line_of(self, squares: Sequence[Square], down: bool) -> _Line:
        bits = tuple((1 << (row * self._stride + column)) & self.all_tiles for row, column in squares)
        tokens = [self._board[square] for square in squares]
        values = tuple(
            self._edition.value_of(token) if self.possible and is_tile(token) else 0 for token in tokens
        )
        return _Line(down, tuple(squares), bits, values)

    def _turn(self, mask: int, rows: int) -> int:
        """A row's bits, so far apart as those of a row are in a board whose columns are rows."""
        turned = self._turned.get(mask)
        if turned is None:
            turned = sum(1 << (at * rows) for at in range(self._columns) if mask >> at & 1)
            self._turned[mask] = turned
        return turned

    def _ends_in(self, mask: int, length: int) -> tuple[int, ...]:
        """For each square of a line the word of two tiles or more on it, as one number of its ends; 0 for none."""
        ends = self._ends.get((mask, length))
        if ends is None:
            found = [0] * length
            for first, last in runs(mask):
                found[first : last + 1] = [first << 8 | last] * (last + 1 - first)
            ends = self._ends[mask, length] = tuple(found)
        return ends

    def _in_line(self, line: _Line, mask: int, crossing: tuple[int, ...]) -> tuple[LastPlay, ...]:
        """What may have been played last along a line, by its tiles and the words that cross it."""
        found = [
            (weight + plausibility_of(len(taken)), taken, first, last)
            for first, last in runs(mask)
            if all(self._board[line.squares[at]] != COVERED for at in range(first, last + 1))
            for taken, weight in self._taken_from(line, first, last, crossing)
        ]
        found.sort(key=lambda each: (-each[0], each[1]))
        self.cut = self.cut or len(found) > MAX_IN_A_LINE
        return tuple(
            LastPlay(
                sum(line.bits[at] for at in taken),
                len(taken),
                self._score(line, first, last, taken, crossing),
                weight,
            )
            for weight, taken, first, last in found[:MAX_IN_A_LINE]
        )

    def _taken_from(
        self, line: _Line, first: int, last: int, crossing: tuple[int, ...]
    ) -> Iterator[tuple[list[int], float]]:
        """The tiles of a word that one play may have laid, and what it costs that the others lay there before."""
        costs = {
            at: cost for at in range(first, last + 1) if (cost := self._cost(line, at, crossing)) is not None
        }
        # A piece lay there before: a word that crosses it held it, or it is older; else it is all there was.
        holds = [crossing[at] != 0 or line.bits[at] == 0 for at in range(first, last + 1)]
        alone = not any(holds)
        waiting: list[tuple[int, list[int], int, float]] = [(first, [], first - 1, 0.0)]
        while waiting:
            at, taken, ended, weight = waiting.pop()
            if weight < LEAST:
                self.cut = True
                continue
            if at > last:
                if len(taken) > 1 or (taken and not (line.down and crossing[taken[0]])):
                    yield taken, weight  # a tile alone that forms two words is the row's
                continue
            if at in costs and len(taken) < self.most_tiles:
                waiting.append((at + 1, [*taken, at], ended, weight + costs[at]))
            if ended == at and at > first:
                continue
            hangs = alone
            for end in range(at, last + 1):
                hangs = hangs or holds[end - first]
                if hangs and (end == last or line.bits[end + 1]):
                    longer = self._longer(line, at, end) if end > at else 0.0
                    waiting.append((end + 1, taken, end + 1, weight + longer))

    def _cost(self, line: _Line, at: int, crossing: tuple[int, ...]) -> float | None:
        """What it costs that a tile of a line was laid: by the word across it; None if it was not."""
        if not line.bits[at]:
            return None
        if not crossing[at]:
            return 0.0
        cross = self._cross(not line.down, line.squares[at], crossing[at])
        return cross[1] if cross is not None else None

    def _score(
        self, line: _Line, first: int, last: int, taken: Sequence[int], crossing: tuple[int, ...]
    ) -> int:
        """What the play of these tiles of a word scores."""
        edition, score = self._edition, 0
        for at in taken:
            cross = self._cross(not line.down, line.squares[at], crossing[at]) if crossing[at] else None
            score += cross[0] if cross is not None else 0
        new = [(line.values[at], edition.layout[line.squares[at]]) for at in taken]
        old = sum(line.values[first : last + 1]) - sum(value for value, _ in new)
        score += word_score(old, new, edition.scheme)
        if edition.bonus is not None:
            score += edition.bonus.earned(len(taken), edition.rack_size)
        return score

    def _cross(self, down: bool, square: Square, ends: int) -> tuple[int, float] | None:
        """The score and the plausibility of the word that a tile of the play forms across it."""
        key = down, square, ends
        if key not in self._crossed:
            rows, _ = self._board.size
            line = self._lines[rows + square[1] if down else square[0]]
            at, first, last = square[not down], ends >> 8, ends & 255
            tokens = [self._board[line.squares[each]] for each in range(first, last + 1)]
            cross = None
            if COVERED not in tokens:
                own, old = line.values[at], sum(line.values[first : last + 1]) - line.values[at]
                score = word_score(old, [(own, self._edition.layout[square])], self._edition.scheme)
                longer = sum(
                    self._longer(line, *piece)
                    for piece in ((first, at - 1), (at + 1, last))
                    if piece[0] < piece[1]
                )
                cross = score, CROSS_WORD + longer
            self._crossed[key] = cross
        return self._crossed[key]

    def _longer(self, line: _Line, first: int, last: int) -> float:
        """What it costs that these tiles of a line were a word before it became longer."""
        tokens = [self._board[square] for square in line.squares[first : last + 1]]
        unknown = self._lexicon is not None and not self._lexicon.contains(tokens)
        return LONGER_WORD + NO_WORD * unknown


def runs(mask: int) -> list[tuple[int, int]]:
    """The first and the last bit of each group of two bits or more."""
    found, at = [], 0
    while mask:
        skipped = (mask & -mask).bit_length() - 1
        mask >>= skipped
        at += skipped
        length = (~mask & mask + 1).bit_length() - 1
        if length > 1:
            found.append((at, at + length - 1))
        mask >>= length
        at += length
    return found
