"""Parse what a person says is on a photographed board: the alphabet in order, typed rows, or a game."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np

from calibration.tiles.example import Rows
from scoring import BLANK, COVERED, EMPTY, Edition, column_name
from vision.core import Mask, read_text_file
from vision.errors import InputError

__all__ = ["ALPHABET", "alphabet_layout", "parse_rows", "read_labels"]

ALPHABET = "alphabet"
"""Given in place of rows: the edition's letters in order, row by row."""


def read_labels(text: str, edition: Edition, name: str) -> Rows | Callable[[Mask], Rows]:
    """Read the letters of a board, or how they are laid out on the tiles that are seen.

    Parameters
    ----------
    text : str
        ``alphabet`` for the edition's letters laid out in order, row by row. Otherwise a file: rows of tokens as
        ``tilesight read`` prints them (text or JSON), or a game (``.gcg``) whose last position is shown.
    edition : Edition
        The edition of the letters.
    name : str
        The photo's name, for messages.

    Raises
    ------
    InputError
        If the file cannot be read or holds no board.
    """
    if text == ALPHABET:
        return alphabet_layout(edition, name)
    path, advice = Path(text), "write 'alphabet', or name a file with the board's rows"
    if path.suffix.lower() != ".gcg":
        return parse_rows(read_text_file(path, advice), edition, text)
    from scoring import read_gcg  # the encoding is in the file

    try:
        return read_gcg(path, edition).game.board.rows
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror or error}); {advice}") from error


def parse_rows(content: str, edition: Edition, name: str) -> Rows:
    """Parse the rows of a board.

    Parameters
    ----------
    content : str
        Rows of tokens, or one line of JSON.
    edition : Edition
        The edition of the letters.
    name : str
        The source's name, for messages.

    Raises
    ------
    InputError
        If the content is no board of the edition's size.
    """
    rows = _json_rows(content) if content.lstrip().startswith("{") else _text_rows(content, edition)
    if len(rows) != edition.layout.rows or any(len(row) != edition.layout.columns for row in rows):
        shape = f"{len(rows)} rows of {sorted({len(row) for row in rows})}"
        raise InputError(
            f"{name}: {shape} tokens, the board has {edition.layout.rows} rows of {edition.layout.columns}; "
            "write one token for each square, '.' for an empty one"
        )
    return rows


def alphabet_layout(edition: Edition, name: str) -> Callable[[Mask], Rows]:
    """Return a function that lays the alphabet on the tiles that are seen; `name` is the photo's, for messages."""
    return lambda tiles: _lay_out_alphabet(tiles, edition, name)


def _lay_out_alphabet(tiles: Mask, edition: Edition, name: str) -> Rows:
    """Lay the alphabet on the squares where tiles are seen, row by row; one or two blanks may follow."""
    squares = np.argwhere(tiles).tolist()
    missing = len(edition.tokens) - len(squares)
    if not 0 >= missing >= -2:
        raise InputError(
            f"{name}: {len(squares)} tiles are seen, the alphabet of {edition.name} has {len(edition.tokens)} letters; "
            "lay out one tile of each letter in order, a gap between them, or type the board into a file"
        )
    rows = [[EMPTY] * tiles.shape[1] for _ in range(tiles.shape[0])]
    for (row, column), token in zip(squares, (*edition.tokens, BLANK, BLANK), strict=False):
        rows[row][column] = token
    return rows


def _json_rows(content: str) -> Rows:
    """Parse a line of ``tilesight read --format json``."""
    try:
        rows = json.loads(content.splitlines()[0])["rows"]
        return [[str(token) for token in row] for row in rows]
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise InputError(f"--letters: not a line of 'tilesight read --format json' ({error})") from error


def _text_rows(content: str, edition: Edition) -> Rows:
    """Parse rows of tokens, with spaces or, where all are single letters, without; skip heading, numbers and remarks.

    A row with a number may have any tokens, and others mostly those of the edition: a wrong one is named later.
    """
    heading = list(map(column_name, range(edition.layout.columns)))
    known = {EMPTY, COVERED, *edition.points}
    rows = []
    for line in content.splitlines():
        words = [EMPTY if word == "·" else word for word in line.split()]
        is_numbered = bool(words) and words[0].isdecimal()
        if is_numbered:
            words = words[1:]
        if len(words) == 1 and len(words[0]) == edition.layout.columns:
            words = list(words[0].replace("·", EMPTY))
        is_row = is_numbered or 2 * sum(word in known for word in words) > len(words)
        if len(words) == edition.layout.columns and is_row:
            rows.append(words)
    has_heading = len(rows) > edition.layout.rows and rows[0] == heading  # letters in this order may be a row
    return rows[1:] if has_heading else rows
