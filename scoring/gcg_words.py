"""The tiles of a line in GCG, and every way to read them.

Tiles of several letters are written bare by most programs, so that a written SZ may be one tile or two.
The longest match comes first; the other readings are for a reader who knows more, such as the score.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from typing import TypeAlias

from scoring.errors import NotationError
from scoring.tiles import COVERED, EMPTY, parse_tokens, token_readings

__all__ = ["Word", "tile_readings", "word_readings"]

Word: TypeAlias = tuple[tuple[str, bool], ...]

_MOST_READINGS = 64  # of one word; Hungarian words of a rack's length have a dozen
_OLD = re.compile(r"\([^()]*\)|[^()]+|[()]")


def tile_readings(text: str, letters: tuple[str, ...]) -> tuple[tuple[str, ...], ...]:
    """Each way to read tiles, the longest match first; never more than some dozens.

    Brackets say which tile is meant, and who writes them writes them wherever they are needed; then there
    is only one reading.

    Raises
    ------
    NotationError
        If a part of the text is no tile.
    """
    most = 1 if "[" in text else _MOST_READINGS
    # without any reading, parsing says which part of the text is no tile
    return tuple(itertools.islice(token_readings(text, letters), most)) or (parse_tokens(text, letters),)


def word_readings(text: str, letters: tuple[str, ...]) -> Iterator[Word]:
    """Each way to read a word: its tokens, and whether each is an old tile.

    Parameters
    ----------
    text : str
        Letters for new tiles. A dot is an old tile, and so is what stands in parentheses. Brackets say
        which tile is meant; then there is only one reading.
    letters : tuple of str
        The edition's letters.

    Raises
    ------
    NotationError
        If a part of the text is no tile.
    """
    if COVERED in text:
        raise NotationError(f"{text!r} has a {COVERED}, which is no tile")
    parts = []
    for part in _OLD.findall(text):
        old = len(part) > 1 and part[0] == "("
        readings = tile_readings(part[1:-1] if old else part, letters)[: 1 if "[" in text else None]
        parts.append([tuple((token, old or token == EMPTY) for token in reading) for reading in readings])
    for choice in itertools.islice(itertools.product(*parts), _MOST_READINGS):
        yield tuple(itertools.chain.from_iterable(choice))
