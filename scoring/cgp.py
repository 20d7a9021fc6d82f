"""Read and write CGP, a position in one line of text, as Macondo, MAGPIE and Woogles exchange it.

The line is ``rows racks scores scoreless-turns operations;``. Rows are separated by ``/``. A number is a run of
empty squares, lower case is a blank, and brackets mark tiles of several letters where needed. CGP is UTF-8.

CGP cannot express two things. A blank whose letter is not known is written ``?``, which this module reads but
other programs refuse. A covered square is written as an empty one.

References
----------
https://github.com/domino14/macondo, ``cgp/README.md`` describes the format.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from scoring.board import Board
from scoring.edition import Edition
from scoring.errors import NotationError
from scoring.tiles import COVERED, EMPTY, format_tokens, parse_tokens

__all__ = ["CgpPosition", "format_cgp", "parse_cgp"]

_RUN = re.compile(r"([0-9]+)|([^0-9]+)")


@dataclass(frozen=True, slots=True, kw_only=True)
class CgpPosition:
    """A position in CGP.

    Parameters
    ----------
    board : Board
        The board.
    racks : tuple of tuple of str
        The rack of each player, the player on turn first; empty if not known.
    scores : tuple of int
        The score of each player, in the order of `racks`.
    scoreless_turns : int
        Number of consecutive turns that scored nothing.
    operations : tuple of (str, str)
        Names and arguments in their order, such as ``("lex", "CSW24")``.
    """

    board: Board
    racks: tuple[tuple[str, ...], ...] = ((), ())
    scores: tuple[int, ...] = (0, 0)
    scoreless_turns: int = 0
    operations: tuple[tuple[str, str], ...] = ()

    @classmethod
    def of_board(cls, board: Board, edition: Edition) -> CgpPosition:
        """Return the position of a board, with the edition in the operation ``ld``."""
        return cls(board=board, operations=(("ld", edition.name),))


def format_cgp(position: CgpPosition, alphabet: Iterable[str]) -> str:
    """Return a position as the line that `parse_cgp` reads.

    Parameters
    ----------
    position : CgpPosition
        The position.
    alphabet : iterable of str
        The letters of the edition, upper case.

    Raises
    ------
    NotationError
        If a letter of the position is not in the alphabet.
    """
    letters = tuple(alphabet)
    fields = [
        "/".join(_format_row(row, letters) for row in position.board.rows),
        "/".join(format_tokens(rack, letters) for rack in position.racks),
        "/".join(str(score) for score in position.scores),
        str(position.scoreless_turns),
        *(" ".join(filter(None, operation)) + ";" for operation in position.operations),
    ]
    return " ".join(fields)


def parse_cgp(text: str, alphabet: Iterable[str]) -> CgpPosition:
    """Read a line of CGP.

    Parameters
    ----------
    text : str
        The line.
    alphabet : iterable of str
        The letters of the edition, upper case.

    Raises
    ------
    NotationError
        If a field is missing or cannot be read.
    """
    letters = tuple(alphabet)
    position, _, rest = text.partition(";")
    fields = position.split(maxsplit=4)
    if len(fields) < 4:
        raise NotationError(
            f"CGP: expected 'rows racks scores scoreless-turns', got {len(fields)} of the 4 fields"
        )
    rows, racks, scores, turns, *operations = (
        fields  # the text up to the first ";" may have the first operation
    )
    return CgpPosition(
        board=Board(rows=tuple(_parse_row(row, letters) for row in rows.split("/"))),
        racks=tuple(parse_tokens(rack, letters) for rack in racks.split("/")),
        scores=tuple(_parse_number(score, "a score") for score in scores.split("/")),
        scoreless_turns=_parse_number(turns, "the number of scoreless turns"),
        operations=_parse_operations(";".join([*operations, rest])),
    )


def _format_row(row: Sequence[str], letters: tuple[str, ...]) -> str:
    runs = itertools.groupby(row, key=lambda token: token in (EMPTY, COVERED))
    return "".join(
        str(len(tuple(tokens))) if empty else format_tokens(tuple(tokens), letters) for empty, tokens in runs
    )


def _parse_row(text: str, letters: tuple[str, ...]) -> tuple[str, ...]:
    row: list[str] = []
    for number, tiles in _RUN.findall(text):
        if len(number) > 2:
            raise NotationError(f"CGP: a run of {number} empty squares in {text!r} is longer than any board")
        row += [EMPTY] * int(number) if number else parse_tokens(tiles, letters)
    return tuple(row)


def _parse_operations(text: str) -> tuple[tuple[str, str], ...]:
    operations = (operation.strip().partition(" ") for operation in text.split(";"))
    return tuple((name, argument.strip()) for name, _, argument in operations if name)


def _parse_number(text: str, meaning: str) -> int:
    if not re.fullmatch(r"-?[0-9]+", text):
        raise NotationError(f"CGP: {text!r} is no whole number; {meaning} belongs here")
    return int(text)
