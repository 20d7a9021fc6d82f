"""What lies on the board: a value, its text form, and whether it is possible."""

from __future__ import annotations

import enum
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from scoring.coordinates import format_square
from scoring.errors import IllegalPlayError, NotationError, Refusal
from scoring.layout import Layout
from scoring.tiles import BLANK, COVERED, EMPTY, designated, format_tokens, is_blank, is_tile, parse_tokens

if TYPE_CHECKING:
    from scoring.edition import Edition

__all__ = ["Board", "BoardProblem", "Placement", "format_board", "parse_board"]


@dataclass(frozen=True, slots=True, order=True)
class Placement:
    """A tile on a square; row and column count from 0."""

    row: int
    column: int
    token: str


class BoardProblem(enum.Flag):
    """What makes a board impossible under its edition's rules."""

    NONE = 0
    WRONG_SIZE = enum.auto()
    UNKNOWN_LETTER = enum.auto()
    MORE_THAN_BAG = enum.auto()
    START_EMPTY = enum.auto()
    FLOATING_TILES = enum.auto()
    NO_FIRST_WORD = enum.auto()


@dataclass(frozen=True, slots=True)
class Board:
    """The tokens of every square.

    Parameters
    ----------
    rows : tuple of tuple of str
        Tokens (see `scoring.tiles`), one row after the other, from the top left.

    Raises
    ------
    NotationError
        If the rows differ in length or there are none.
    """

    rows: tuple[tuple[str, ...], ...]

    def __post_init__(self) -> None:
        lengths = {len(row) for row in self.rows}
        if len(lengths) != 1 or lengths == {0}:
            raise NotationError(f"board: its rows must all have one length, got lengths {sorted(lengths)}")

    @classmethod
    def empty(cls, layout: Layout) -> Board:
        """A board of the layout's size without tiles."""
        return cls(rows=((EMPTY,) * layout.columns,) * layout.rows)

    @classmethod
    def from_rows(cls, rows: Iterable[Iterable[str]]) -> Board:
        """A board of these tokens; any iterables will do, a string counts as one-character tokens."""
        return cls(rows=tuple(tuple(row) for row in rows))

    def __getitem__(self, square: tuple[int, int]) -> str:
        row, column = square
        return self.rows[row][column]

    @property
    def size(self) -> tuple[int, int]:
        """Number of rows and of columns."""
        return len(self.rows), len(self.rows[0])

    def holds(self, row: int, column: int) -> bool:
        """Whether the square is on the board."""
        return 0 <= row < len(self.rows) and 0 <= column < len(self.rows[0])

    def tiles(self) -> Iterator[Placement]:
        """The tiles that can be seen, row by row."""
        for row, tokens in enumerate(self.rows):
            for column, token in enumerate(tokens):
                if token != EMPTY and token != COVERED:
                    yield Placement(row=row, column=column, token=token)

    @property
    def is_empty(self) -> bool:
        """Whether no square holds a tile."""
        return not any(True for _ in self.tiles())

    def with_tiles(self, placements: Iterable[Placement]) -> Board:
        """The board with more tiles on it.

        Raises
        ------
        IllegalPlayError
            If a square is off the board or not free.
        """
        changed: dict[int, list[str]] = {}
        for placement in placements:
            row, column = placement.row, placement.column
            if not self.holds(row, column):
                raise IllegalPlayError(Refusal.OFF_BOARD, off_board_message(self, placement))
            tokens = changed.setdefault(row, list(self.rows[row]))
            if tokens[column] != EMPTY:
                raise IllegalPlayError(Refusal.OCCUPIED, occupied_message(tokens[column], placement))
            tokens[column] = placement.token
        return self._with_rows(changed)

    def without(self, squares: Iterable[tuple[int, int] | Placement]) -> Board:
        """The board with these squares emptied."""
        changed: dict[int, list[str]] = {}
        for square in squares:
            row, column = (square.row, square.column) if isinstance(square, Placement) else square
            changed.setdefault(row, list(self.rows[row]))[column] = EMPTY
        return self._with_rows(changed)

    def transposed(self) -> Board:
        """The same board with rows and columns exchanged."""
        return Board(rows=tuple(zip(*self.rows, strict=True)))

    def problems(self, edition: Edition) -> BoardProblem:
        """What makes the board impossible in the edition; a covered square has the benefit of the doubt."""
        layout = edition.layout
        if self.size != (layout.rows, layout.columns):
            return BoardProblem.WRONG_SIZE
        found = BoardProblem.NONE
        letters = set(edition.tokens)
        used: Counter[str] = Counter()
        for tile in self.tiles():
            used[BLANK if is_blank(tile.token) else tile.token] += 1
            if tile.token != BLANK and designated(tile.token) not in letters:
                found |= BoardProblem.UNKNOWN_LETTER
        for token, number in used.items():
            count = edition.counts.get(token)
            if count is not None and number > count:
                found |= BoardProblem.MORE_THAN_BAG
        if not used:
            return found
        if all(self[square] == EMPTY for square in layout.start):
            found |= BoardProblem.START_EMPTY
        if not self.is_connected():
            found |= BoardProblem.FLOATING_TILES
        if self._longest_run() < edition.first_play.shortest:
            found |= BoardProblem.NO_FIRST_WORD
        return found

    def is_connected(self) -> bool:
        """Whether all tiles hang together, side by side; covered squares may join them."""
        filled = {
            (row, column)
            for row, tokens in enumerate(self.rows)
            for column, token in enumerate(tokens)
            if token != EMPTY
        }
        tiles = {square for square in filled if is_tile(self[square])}
        if not tiles:
            return True
        waiting = [next(iter(tiles))]
        filled.discard(waiting[0])
        while waiting:
            row, column = waiting.pop()
            tiles.discard((row, column))
            for square in ((row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1)):
                if square in filled:
                    filled.discard(square)
                    waiting.append(square)
        return not tiles

    def _longest_run(self) -> int:
        longest = 0
        for line in (*self.rows, *zip(*self.rows, strict=True)):
            run = 0
            for token in line:
                run = 0 if token == EMPTY else run + 1
                longest = max(longest, run)
        return longest

    def _with_rows(self, changed: dict[int, list[str]]) -> Board:
        return Board(
            rows=tuple(
                tuple(changed[row]) if row in changed else tokens for row, tokens in enumerate(self.rows)
            )
        )


def parse_board(text: str, alphabet: Iterable[str]) -> Board:
    """The board that a text stands for: a line a row, tokens without separators.

    Raises
    ------
    NotationError
        If a line cannot be read, or lines differ in their number of tokens.
    """
    letters = tuple(alphabet)
    return Board(rows=tuple(parse_tokens(line, letters) for line in text.split()))


def format_board(board: Board, alphabet: Iterable[str]) -> str:
    """The text that `parse_board` reads as this board.

    Raises
    ------
    NotationError
        If the board holds a letter that is not of the alphabet.
    """
    letters = tuple(alphabet)
    return "".join(format_tokens(row, letters) + "\n" for row in board.rows)


def check_size(board: Board, edition: Edition) -> None:
    """Whether the board is of the edition's size.

    Raises
    ------
    NotationError
        If it is not.
    """
    if board.size != (edition.layout.rows, edition.layout.columns):
        rows, columns = board.size
        raise NotationError(
            f"the board has {rows} rows and {columns} columns, {edition.name} has {edition.layout.rows} "
            f"and {edition.layout.columns}; name the edition of this board"
        )


def off_board_message(board: Board, placement: Placement) -> str:
    """One line about a tile beside the board."""
    rows, columns = board.size
    row, column = placement.row, placement.column
    # what lies above or left of A1 has no name
    where = f"on {format_square(row, column)}" if min(row, column) >= 0 else "above or left of A1"
    return f"{placement.token} {where} is off the board of {rows} rows and {columns} columns"


def occupied_message(token: str, placement: Placement) -> str:
    """One line about a tile on a square that is not free."""
    square = format_square(placement.row, placement.column)
    if token == COVERED:
        return f"{placement.token} cannot be laid on {square}, which cannot be seen"
    return f"{placement.token} cannot be laid on {square}, where {token} lies"
