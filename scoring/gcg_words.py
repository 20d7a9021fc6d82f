"""The word of a play in GCG, and every way to read it.

Tiles of several letters are written bare by most programs, so that a written SZ may be one tile or two.
The longest match comes first; the other readings are for a reader who knows more, such as the score.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from typing import TypeAlias

from scoring.errors import NotationError
from scoring.tiles import COVERED, EMPTY, parse_tokens

__all__ = ["Word", "word_readings"]

Word: TypeAlias = tuple[tuple[str, bool], ...]

_MOST_READINGS = 64  # six tiles that may be two; no word has more


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
    first = _longest_match(text, letters)
    yield first
    if "[" in text:
        return
    options = [[((token, old),), *_split(token, old, letters)] for token, old in first]
    for choice in itertools.islice(itertools.product(*options), 1, _MOST_READINGS):
        yield tuple(itertools.chain.from_iterable(choice))


def _longest_match(text: str, letters: tuple[str, ...]) -> Word:
    word = []
    for part in re.findall(r"\([^()]*\)|[^()]+|[()]", text):
        old = len(part) > 1 and part[0] == "("
        for token in parse_tokens(part[1:-1] if old else part, letters):
            if token == COVERED:
                raise NotationError(f"{text!r} has a {COVERED}, which is no tile")
            word.append((token, old or token == EMPTY))
    return tuple(word)


def _split(token: str, old: bool, letters: tuple[str, ...]) -> Iterator[Word]:
    """The ways to read one token's letters as several tokens."""
    for length in range(2, len(token) + 1):
        for cuts in itertools.combinations(range(1, len(token)), length - 1):
            parts = [token[start:end] for start, end in itertools.pairwise((0, *cuts, len(token)))]
            if all(part.upper() in letters for part in parts):
                yield tuple((part, old) for part in parts)
