"""The board: the token of every square, its text form, and the check that it is possible."""

from __future__ import annotations

import enum
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain, groupby
from typing import TypeAlias

from scoring.coordinates import column_name, format_square
from scoring.edition import Edition
from scoring.errors import IllegalPlayError, NotationError, PlayRule
from scoring.layout import Layout
from scoring.tiles import (
    BLANK,
    COVERED,
    EMPTY,
    Alphabet,
    bag_tile,
    bracket_tokens,
    designated,
    format_tokens,
    letters_of,
    parse_tokens,
)

__all__ = [
    "Board",
    "BoardProblem",
    "Placement",
    "Square",
    "check_size",
    "format_board",
    "parse_board",
    "unseen_tiles",
]


Square: TypeAlias = tuple[int, int]
"""Row and column of a square, from 0."""

_CGP_PART = re.compile(r"(\d+)|\[([^\[\]]+)\]|(.)")


@dataclass(frozen=True, slots=True, order=True)
class Placement:
    """A token on a square.

    Parameters
    ----------
    row, column : int
        The square, from 0.
    token : str
        A tile, or what else a square of a `Board` can show.
    """

    row: int
    column: int
    token: str

    @property
    def square(self) -> Square:
        """Row and column of the square."""
        return self.row, self.column


class BoardProblem(enum.Flag):
    """The reasons why a board is impossible in its edition."""

    NONE = 0
    WRONG_SIZE = enum.auto()
    UNKNOWN_LETTER = enum.auto()
    MORE_THAN_BAG = enum.auto()
    START_EMPTY = enum.auto()
    FLOATING_TILES = enum.auto()
    NO_FIRST_WORD = enum.auto()


@dataclass(frozen=True, slots=True, repr=False)
class Board:
    """The token of every square.

    `str` gives the board with its coordinates; `repr` gives a text that makes it again.

    Parameters
    ----------
    rows : tuple of tuple of str
        Tokens (see `scoring.tiles`), row by row from the top left.

    Raises
    ------
    NotationError
        If the rows differ in length, or there is none.
    """

    rows: tuple[tuple[str, ...], ...]
    _counts: dict[str, int] | None = field(default=None, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        lengths = {len(row) for row in self.rows}
        if len(lengths) != 1 or lengths == {0}:
            raise NotationError(f"board: its rows must all have one length, got lengths {sorted(lengths)}")

    @classmethod
    def empty(cls, layout: Layout | Edition) -> Board:
        """Return an empty board of the size of a layout, or of the layout of an edition."""
        if isinstance(layout, Edition):
            layout = layout.layout
        return cls(rows=((EMPTY,) * layout.columns,) * layout.rows)

    @classmethod
    def from_rows(cls, rows: Iterable[Iterable[str]]) -> Board:
        """Return a board of these tokens; a string counts as one-character tokens."""
        return cls(rows=tuple(tuple(row) for row in rows))

    @classmethod
    def from_cgp(cls, text: str) -> Board:
        """Return the board of CGP rows, such as ``15/4QUIZ7/3[SZ]11``, of any alphabet.

        Numbers are runs of empty squares, and every tile of several letters is in brackets.

        Raises
        ------
        NotationError
            If the rows differ in length, or a number has more than two digits.

        Examples
        --------
        >>> board = Board.from_cgp("3/[SZ]Ó1/3")
        >>> board[1, 0], board.size
        ('SZ', (3, 3))
        >>> print(board)
          A  B  C
        1 .  .  .
        2 SZ Ó  .
        3 .  .  .
        """
        rows = []
        for row in text.split("/"):
            tokens: list[str] = []
            for number, several, single in _CGP_PART.findall(row):
                tokens += empty_run(number) if number else [several or single]
            rows.append(tuple(tokens))
        return cls(rows=tuple(rows))

    def __str__(self) -> str:
        width = max(len(token) for row in self.rows for token in row)
        rows, columns = self.size
        cells = [[" ", *map(column_name, range(columns))]]
        cells += [[str(row + 1), *tokens] for row, tokens in enumerate(self.rows)]
        width = max(width, len(cells[0][-1]))
        first = len(str(rows))
        return "\n".join(
            " ".join([head.rjust(first), *(cell.ljust(width) for cell in line)]).rstrip()
            for head, *line in cells
        )

    def __repr__(self) -> str:
        rows = []
        for tokens in self.rows:
            runs = groupby(tokens, key=lambda token: token == EMPTY)
            rows.append("".join(str(len(list(run))) if empty else bracket_tokens(run) for empty, run in runs))
        return f"Board.from_cgp({'/'.join(rows)!r})"

    def __getitem__(self, square: tuple[int, int]) -> str:
        row, column = square
        return self.rows[row][column]

    @property
    def size(self) -> tuple[int, int]:
        """Number of rows and number of columns."""
        return len(self.rows), len(self.rows[0])

    def holds(self, row: int, column: int) -> bool:
        """Return whether a square is on the board.

        Parameters
        ----------
        row, column : int
            The square, from 0; negative numbers are off the board.
        """
        return 0 <= row < len(self.rows) and 0 <= column < len(self.rows[0])

    def tiles(self) -> Iterator[Placement]:
        """Generate the visible tiles, row by row."""
        for row, tokens in enumerate(self.rows):
            for column, token in enumerate(tokens):
                if token != EMPTY and token != COVERED:  # not `is_tile`: 225 calls take longer
                    yield Placement(row=row, column=column, token=token)

    @property
    def tile_counts(self) -> Mapping[str, int]:
        """The number of each visible tile, as it is in the bag: ``"?"`` for every blank."""
        if self._counts is None:
            counts: dict[str, int] = {}
            for token, number in Counter(chain.from_iterable(self.rows)).items():
                if token != EMPTY and token != COVERED:
                    tile = bag_tile(token)
                    counts[tile] = counts.get(tile, 0) + number
            object.__setattr__(self, "_counts", counts)
        assert self._counts is not None
        return self._counts

    @property
    def is_empty(self) -> bool:
        """Whether no square shows a tile."""
        return not self.tile_counts

    def with_tiles(self, placements: Iterable[Placement | tuple[int, int, str]]) -> Board:
        """Return the board with more tiles on it: placements, or triples of row, column and token.

        Raises
        ------
        IllegalPlayError
            If a square is off the board or not free.
        """
        changed: dict[int, list[str]] = {}
        counts = dict(self.tile_counts)
        for placement in placements:
            if isinstance(placement, tuple):
                placement = Placement(*placement)
            row, column = placement.row, placement.column
            if not self.holds(row, column):
                raise off_board_error(self, placement)
            tokens = changed.setdefault(row, list(self.rows[row]))
            if tokens[column] != EMPTY:
                raise occupied_error(tokens[column], placement)
            token = tokens[column] = placement.token
            if token != EMPTY and token != COVERED:
                tile = bag_tile(token)
                counts[tile] = counts.get(tile, 0) + 1
        return self._with_rows(changed, counts)

    def without(self, squares: Iterable[Square | Placement]) -> Board:
        """Return the board with these squares empty.

        Raises
        ------
        IllegalPlayError
            If a square is off the board.
        """
        changed: dict[int, list[str]] = {}
        for square in squares:
            row, column = (square.row, square.column) if isinstance(square, Placement) else square
            if not self.holds(row, column):
                raise off_board_error(self, Placement(row=row, column=column, token="the square"))
            changed.setdefault(row, list(self.rows[row]))[column] = EMPTY
        return self._with_rows(changed, None)

    def transposed(self) -> Board:
        """Return the board with rows and columns exchanged."""
        return Board(rows=tuple(zip(*self.rows, strict=True)))

    def problems(self, edition: Edition) -> BoardProblem:
        """Return why the board is impossible in the edition.

        A covered square never causes a problem.
        """
        layout = edition.layout
        if self.size != layout.size:
            return BoardProblem.WRONG_SIZE
        found = BoardProblem.NONE
        letters = {*edition.tokens, BLANK}
        used = self.tile_counts
        if any(designated(tile.token) not in letters for tile in self.tiles()):
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
        """Return whether all tiles are connected along rows and columns, also through covered squares."""
        # a bit for each square, and a free one at the end of each row
        stride = len(self.rows[0]) + 1
        tokens = [token for row in self.rows for token in (*row, EMPTY)]
        filled = int("".join(["0" if token == EMPTY else "1" for token in tokens]), 2)
        tiles = int("".join(["0" if token in (EMPTY, COVERED) else "1" for token in tokens]), 2)
        before, reached = 0, tiles & -tiles
        while reached != before:
            before = reached
            near = reached << 1 | reached >> 1 | reached << stride | reached >> stride
            reached |= near & filled
        return not tiles & ~reached

    def _longest_run(self) -> int:
        """Return the length of the longest run of tiles and covered squares in a row or column."""
        longest = 0
        for line in (*self.rows, *zip(*self.rows, strict=True)):
            run = 0
            for token in line:
                run = 0 if token == EMPTY else run + 1
                longest = max(longest, run)
        return longest

    def _with_rows(self, changed: dict[int, list[str]], counts: dict[str, int] | None) -> Board:
        """Return the board with other rows of the same length, which are not checked again."""
        rows = list(self.rows)
        for row, tokens in changed.items():
            rows[row] = tuple(tokens)
        board = object.__new__(Board)
        object.__setattr__(board, "rows", tuple(rows))
        object.__setattr__(board, "_counts", counts)
        return board


def parse_board(text: str, alphabet: Alphabet) -> Board:
    """Read a board: one line per row, tokens without separators or with spaces between them.

    A board as ``tilesight read`` prints it is read too: rows with numbers below a line with the columns' letters, and
    ``·`` for an empty square.

    Parameters
    ----------
    text : str
        The rows, from the top; empty lines do not count.
    alphabet : Edition or iterable of str
        The edition, or its letters in upper case.

    Raises
    ------
    NotationError
        If a line cannot be read, or the lines differ in their number of tokens.
    """
    letters = letters_of(alphabet)
    # a tile such as the Catalan L·L has the sign too; next to such tiles it is an empty square only alone
    dot = r"(?<!\S)·(?!\S)" if any("·" in letter for letter in letters) else "·"
    lines = [words for line in re.sub(dot, EMPTY, text).splitlines() if (words := line.split())]
    rows = [words[1:] for words in lines if len(words) > 1 and words[0].isdecimal()] or lines
    return Board(
        rows=tuple(tuple(token for word in row for token in parse_tokens(word, letters)) for row in rows)
    )


def format_board(board: Board, alphabet: Alphabet) -> str:
    """Return the board as text that `parse_board` reads.

    Parameters
    ----------
    board : Board
        The board.
    alphabet : Edition or iterable of str
        The edition, or its letters in upper case.

    Raises
    ------
    NotationError
        If a letter of the board is not in the alphabet.
    """
    letters = letters_of(alphabet)
    return "".join(format_tokens(row, letters) + "\n" for row in board.rows)


def check_size(board: Board, edition: Edition) -> None:
    """Check that the board has the size of the edition.

    Parameters
    ----------
    board : Board
        The board.
    edition : Edition
        The edition, with its layout.

    Raises
    ------
    NotationError
        If it has another size.
    """
    layout = edition.layout
    if board.size != layout.size:
        rows, columns = board.size
        raise NotationError(
            f"the board has {rows} rows and {columns} columns, {edition.name} has {layout.rows} "
            f"and {layout.columns}; name the edition of this board"
        )


def unseen_tiles(
    board: Board, edition: Edition, racks: Iterable[Iterable[str]] = ()
) -> Mapping[str, int] | None:
    """Return how many of each tile are neither on the board nor on a visible rack.

    Parameters
    ----------
    board : Board
        The board.
    edition : Edition
        The edition, which defines the full bag.
    racks : iterable of iterable of str
        The tiles of each visible rack.

    Returns
    -------
    mapping of str to int, or None
        Positive counts by tile; None if the edition does not say what the bag holds.
    """
    if edition.bag_size is None:
        return None
    seen = Counter(board.tile_counts)
    seen.update(bag_tile(token) for rack in racks for token in rack)
    # a board with more of a tile than the bag holds has a problem; it must not give a negative count here
    unseen = {tile: (count or 0) - seen[tile] for tile, count in edition.counts.items()}
    return {tile: count for tile, count in unseen.items() if count > 0}


def empty_run(number: str) -> list[str]:
    """Return the empty squares that a number of CGP stands for; NotationError if no board has as many in a row."""
    if len(number) > 2:
        raise NotationError(f"CGP: a run of {number[:20]} empty squares is longer than any board")
    return [EMPTY] * int(number)


def off_board_error(board: Board, placement: Placement) -> IllegalPlayError:
    """Return the error for a tile off the board."""
    rows, columns = board.size
    row, column = placement.row, placement.column
    # squares above or left of A1 have no name
    where = format_square(row, column) if min(row, column) >= 0 else "a square above or left of A1"
    message = f"{placement.token} on {where} is off the board of {rows} rows and {columns} columns"
    return IllegalPlayError(PlayRule.OFF_BOARD, message)


def occupied_error(token: str, placement: Placement) -> IllegalPlayError:
    """Return the error for a tile on a square that shows `token` and so is not free."""
    square = format_square(placement.row, placement.column)
    why = "which cannot be seen" if token == COVERED else f"where {token} is"
    return IllegalPlayError(PlayRule.OCCUPIED, f"{placement.token} cannot be laid on {square}, {why}")
