"""Convert squares and positions between text (``8D``) and numbers.

Columns have letters from the left (A ... Z, AA ...); rows have numbers from 1 at the top. ``8D`` starts at
column D of row 8 and runs across. ``D8`` starts at the same square and runs down. In code, rows and columns
count from 0.
"""

from __future__ import annotations

import enum
import re

from scoring.errors import NotationError

__all__ = [
    "Direction",
    "column_name",
    "format_position",
    "format_square",
    "neighbours",
    "parse_position",
    "parse_square",
]

_POSITION = re.compile(
    r"(?:(?P<row_first>[1-9][0-9]?)(?P<column_last>[A-Z]{1,2}))|(?:(?P<column_first>[A-Z]{1,2})(?P<row_last>[1-9][0-9]?))"
)


class Direction(enum.Enum):
    """The direction of a word; the value is its step as (row, column)."""

    ACROSS = (0, 1)
    DOWN = (1, 0)

    @property
    def other(self) -> Direction:
        """The perpendicular direction."""
        return Direction.DOWN if self is Direction.ACROSS else Direction.ACROSS

    def __repr__(self) -> str:
        return f"Direction.{self.name}"


def column_name(column: int) -> str:
    """Return the letters of a column, which counts from 0.

    Examples
    --------
    >>> column_name(7), column_name(26)
    ('H', 'AA')
    """
    return chr(65 + column) if column < 26 else chr(64 + column // 26) + chr(65 + column % 26)


def format_position(row: int, column: int, direction: Direction) -> str:
    """Return a position as text: row first for across, column first for down.

    Parameters
    ----------
    row, column : int
        The first square, from 0.
    direction : Direction
        The direction.

    Examples
    --------
    >>> format_position(7, 3, Direction.ACROSS), format_position(7, 3, Direction.DOWN)
    ('8D', 'D8')
    """
    letters, number = column_name(column), str(row + 1)
    return number + letters if direction is Direction.ACROSS else letters + number


def parse_position(text: str) -> tuple[int, int, Direction]:
    """Read a position such as ``8D`` or ``D8`` as row, column and direction.

    Raises
    ------
    NotationError
        If the text is not a row number and a column letter.
    """
    found = _POSITION.fullmatch(text.strip().upper())
    if found is None:
        raise NotationError(f"{text!r} is no position; write row and column, 8D for across or D8 for down")
    if found["row_first"]:
        return int(found["row_first"]) - 1, _column_number(found["column_last"]), Direction.ACROSS
    return int(found["row_last"]) - 1, _column_number(found["column_first"]), Direction.DOWN


def format_square(row: int, column: int) -> str:
    """Return a square as text, column first.

    Parameters
    ----------
    row, column : int
        The square, from 0.

    Examples
    --------
    >>> format_square(7, 7)
    'H8'
    """
    return format_position(row, column, Direction.DOWN)


def parse_square(text: str) -> tuple[int, int]:
    """Read a square such as ``H8`` (or ``8H``) as row and column.

    Raises
    ------
    NotationError
        If the text is not a column letter and a row number.
    """
    row, column, _ = parse_position(text)
    return row, column


def neighbours(square: tuple[int, int]) -> set[tuple[int, int]]:
    """Return the four squares that share a side with a square; they may be off the board."""
    row, column = square
    return {(row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1)}


def _column_number(letters: str) -> int:
    number = 0
    for letter in letters:
        number = number * 26 + ord(letter) - 64
    return number - 1
