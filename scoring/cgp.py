"""Read and write CGP, a position in one line of text, as Macondo, MAGPIE and Woogles exchange it.

The line is ``rows racks scores scoreless-turns operations;``. Rows are separated by ``/``. A number is a run of
empty squares, and lower case is a blank. Every tile of several letters is in brackets, and nothing else is. Lines
of earlier versions, with brackets only where needed, are read too. CGP is UTF-8.

CGP cannot express two things. A blank whose letter is not known is written ``?``, which this module reads but
other programs refuse. A covered square is written as an empty one.

References
----------
https://github.com/domino14/macondo, ``cgp/README.md`` describes the format.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass

from scoring.board import Board, check_size, empty_run
from scoring.edition import Edition
from scoring.errors import NotationError
from scoring.tiles import (
    BLANK,
    COVERED,
    EMPTY,
    Alphabet,
    format_tokens,
    has_bare_tiles,
    letters_of,
    parse_tokens,
)

__all__ = ["CgpPosition", "format_cgp", "parse_cgp", "parse_cgp_operations"]

_RUN = re.compile(r"([0-9]+)|([^0-9]+)")
_SINGLE_IN_BRACKETS = re.compile(r"\[.\]")
_OPERATION_START = re.compile(r";|(?<!\S)-(?=[a-z])")  # MAGPIE writes options: -lex CSW24 -ld english


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
        """Return the position of a board, without racks and scores.

        Parameters
        ----------
        board : Board
            The board.
        edition : Edition
            The edition, which the operation ``ld`` names.
        """
        return cls(board=board, operations=(("ld", edition.name),))


def format_cgp(position: CgpPosition, alphabet: Alphabet) -> str:
    """Return a position as the line that `parse_cgp` reads.

    Parameters
    ----------
    position : CgpPosition
        The position.
    alphabet : Edition or iterable of str
        The edition, or its letters in upper case.

    Raises
    ------
    NotationError
        If a letter of the position is not in the alphabet.
    """
    letters = letters_of(alphabet)
    fields = [
        "/".join(_format_row(row, letters) for row in position.board.rows),
        # a single empty rack would be an empty field
        "/".join(format_tokens(rack, letters, bracketed=True) for rack in position.racks) or "/",
        "/".join(str(score) for score in position.scores),
        str(position.scoreless_turns),
        *(" ".join(filter(None, operation)) + ";" for operation in position.operations),
    ]
    return " ".join(fields)


def parse_cgp(text: str, alphabet: Alphabet) -> CgpPosition:
    """Read a line of CGP.

    Parameters
    ----------
    text : str
        The line.
    alphabet : Edition or iterable of str
        The edition, or its letters in upper case. The board must have the size of an edition.

    Raises
    ------
    NotationError
        If a field is missing or cannot be read, or the board does not have the size of the edition.
    """
    letters = letters_of(alphabet)
    fields = text.partition(";")[0].split(maxsplit=4)
    if len(fields) < 4:
        raise NotationError(
            f"CGP: expected 'rows racks scores scoreless-turns', got {len(fields)} of the 4 fields"
        )
    rows, racks, scores, turns, *_ = fields
    board, bracketed = _parse_rows(rows, racks, letters)
    if isinstance(alphabet, Edition):
        check_size(board, alphabet)
    held = racks.split("/")
    points = tuple(_parse_number(score, "a score") for score in scores.split("/"))
    if racks == "/" and len(points) == 1:
        held = [""]
    return CgpPosition(
        board=board,
        racks=tuple(_parse_rack(rack, letters, bracketed=bracketed) for rack in held),
        scores=points,
        scoreless_turns=_parse_number(turns, "the number of scoreless turns"),
        operations=parse_cgp_operations(text),
    )


def parse_cgp_operations(text: str) -> tuple[tuple[str, str], ...]:
    """Parse the operations of a line of CGP, such as ``ld german;``, into the name and argument of each."""
    position, _, rest = text.partition(";")
    # the text up to the first ";" may have the first operation
    written = ";".join((*position.split(maxsplit=4)[4:], rest))
    operations = (each.strip().partition(" ") for each in _OPERATION_START.split(written))
    return tuple((name, argument.strip()) for name, _, argument in operations if name)


def _format_row(row: Sequence[str], letters: tuple[str, ...]) -> str:
    runs = itertools.groupby(row, key=lambda token: token in (EMPTY, COVERED))
    return "".join(
        str(len(tuple(tokens))) if empty else format_tokens(tuple(tokens), letters, bracketed=True)
        for empty, tokens in runs
    )


def _parse_rows(text: str, racks: str, letters: tuple[str, ...]) -> tuple[Board, bool]:
    """Return the board, and whether every tile of several letters is in brackets.

    Earlier versions put a tile in brackets only where it would be misread: a single letter in brackets, a bare one
    that is no tile, or rows that otherwise differ in length, tell such a line.
    """
    rows, tiles = text.split("/"), f"{text} {racks}"
    if not (_SINGLE_IN_BRACKETS.search(tiles) or has_bare_tiles(tiles, letters)):
        parsed = tuple(_parse_row(row, letters, bracketed=True) for row in rows)
        if len(set(map(len, parsed))) == 1:
            return Board(rows=parsed), True
    return Board(rows=tuple(_parse_row(row, letters, bracketed=False) for row in rows)), False


def _parse_row(text: str, letters: tuple[str, ...], *, bracketed: bool) -> tuple[str, ...]:
    row: list[str] = []
    for number, tiles in _RUN.findall(text):
        row += empty_run(number) if number else parse_tokens(tiles, letters, bracketed=bracketed)
    return tuple(row)


def _parse_rack(text: str, letters: tuple[str, ...], *, bracketed: bool) -> tuple[str, ...]:
    rack = parse_tokens(text, letters, bracketed=bracketed)
    if wrong := [token for token in rack if token != BLANK and token not in letters]:
        raise NotationError(
            f"CGP: {wrong[0]!r} on the rack {text!r} is no tile; a blank is written {BLANK!r}"
        )
    return rack


def _parse_number(text: str, meaning: str) -> int:
    if not re.fullmatch(r"-?[0-9]{1,9}", text):
        raise NotationError(f"CGP: {text!r} is no whole number of up to 9 digits; {meaning} belongs here")
    return int(text)
