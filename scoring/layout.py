"""The layout of a board: its premium squares and start squares."""

from __future__ import annotations

import enum
from dataclasses import dataclass, field

from scoring.coordinates import format_square, parse_square
from scoring.errors import NotationError

__all__ = ["MAX_LINES", "Layout", "Premium", "format_layout", "parse_layout", "parse_premiums"]

MAX_LINES = 99
"""Largest number of rows and of columns: positions, GCG and CGP write them with two digits."""


class Premium(enum.Enum):
    """The kind of a square; the value is its sign in the text of a layout.

    `letter` multiplies the value of a tile placed there, `word` the score of its word.
    """

    PLAIN = "."
    DOUBLE_LETTER = "d"
    TRIPLE_LETTER = "t"
    QUADRUPLE_LETTER = "q"
    DOUBLE_WORD = "D"
    TRIPLE_WORD = "T"
    QUADRUPLE_WORD = "Q"

    letter: int
    word: int

    def __init__(self, sign: str) -> None:
        factor = {"d": 2, "t": 3, "q": 4}.get(sign.lower(), 1)
        self.letter = factor if sign.islower() else 1
        self.word = factor if sign.isupper() else 1

    # Enum.__hash__ runs Python code, 225 times for a board; identity is enough
    __hash__ = object.__hash__


@dataclass(frozen=True, slots=True)
class Layout:
    """The premium squares and start squares of a board of any size.

    Parameters
    ----------
    premiums : tuple of tuple of Premium
        The squares, row by row from the top left.
    start : frozenset of (row, column)
        The squares that the first word must cover or start on. By default the middle: one square, or two or
        four if a side has an even number of squares.
    letter_factors, word_factors : tuple of tuple of int
        What each square multiplies a letter and a word by; derived from the squares.

    Raises
    ------
    NotationError
        If the rows differ in length, there is no row or more than 99, or a start square is off the board.
    """

    premiums: tuple[tuple[Premium, ...], ...]
    start: frozenset[tuple[int, int]] = frozenset()
    letter_factors: tuple[tuple[int, ...], ...] = field(init=False, repr=False, compare=False)
    word_factors: tuple[tuple[int, ...], ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        lengths = {len(row) for row in self.premiums}
        if len(lengths) != 1 or lengths == {0}:
            raise NotationError(f"layout: its rows must all have one length, got lengths {sorted(lengths)}")
        if max(self.rows, self.columns) > MAX_LINES:
            raise NotationError(
                f"layout: {self.rows} rows and {self.columns} columns, but at most {MAX_LINES} of each can be named"
            )
        start = self.start or frozenset(
            (row, column) for row in _middle(self.rows) for column in _middle(self.columns)
        )
        for row, column in sorted(start):
            if not (0 <= row < self.rows and 0 <= column < self.columns):
                raise NotationError(
                    f"layout: start square {format_square(row, column)} is off a board of "
                    f"{self.rows} rows and {self.columns} columns"
                )
        object.__setattr__(self, "start", start)
        letters, words = (
            tuple(tuple(getattr(premium, kind) for premium in row) for row in self.premiums)
            for kind in ("letter", "word")
        )
        object.__setattr__(self, "letter_factors", letters)
        object.__setattr__(self, "word_factors", words)

    def __repr__(self) -> str:
        return f"parse_layout({format_layout(self)!r})"

    @property
    def rows(self) -> int:
        """Number of rows."""
        return len(self.premiums)

    @property
    def columns(self) -> int:
        """Number of columns."""
        return len(self.premiums[0])

    @property
    def size(self) -> tuple[int, int]:
        """Number of rows and number of columns."""
        return self.rows, self.columns

    def __getitem__(self, square: tuple[int, int]) -> Premium:
        row, column = square
        return self.premiums[row][column]

    def transposed(self) -> Layout:
        """Return the layout with rows and columns exchanged."""
        return Layout(
            premiums=tuple(zip(*self.premiums, strict=True)),
            start=frozenset((column, row) for row, column in self.start),
        )


def parse_layout(text: str) -> Layout:
    """Read a layout: one line per row, one sign per square: ``. d t q D T Q``.

    A last line ``start: H8`` may name the start squares.

    Raises
    ------
    NotationError
        If a sign is unknown, rows differ in length, or a start square cannot be read.
    """
    rows, _, squares = text.partition("start:")
    return Layout(
        premiums=tuple(parse_premiums(row) for row in rows.split()),
        start=frozenset(parse_square(square) for square in squares.split()),
    )


def parse_premiums(row: str) -> tuple[Premium, ...]:
    """Read one row of the text of a layout.

    Raises
    ------
    NotationError
        If a sign is unknown.
    """
    signs = " ".join(premium.value for premium in Premium)
    for sign in row:
        if sign not in signs.split():
            raise NotationError(f"layout row {row!r}: {sign!r} is no premium square; the signs are {signs}")
    return tuple(Premium(sign) for sign in row)


def format_layout(layout: Layout) -> str:
    """Return the layout as text that `parse_layout` reads."""
    rows = ["".join(premium.value for premium in row) for row in layout.premiums]
    squares = " ".join(format_square(*square) for square in sorted(layout.start))
    return "\n".join([*rows, f"start: {squares}"]) + "\n"


def _middle(length: int) -> tuple[int, ...]:
    return (length // 2,) if length % 2 else (length // 2 - 1, length // 2)
