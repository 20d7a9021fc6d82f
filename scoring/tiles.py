"""Tiles as tokens, and their text form.

A token is a `str` that says what one square shows:

=========  =====================================================
``"."``    nothing
``"A"``    a tile; ``"SZ"`` is one tile too
``"?"``    a blank whose letter is not known
``"a"``    a blank designated as that letter; ``"sz"`` is one too
``"#"``    a covered square, whose content cannot be seen
=========  =====================================================

A row of tokens is written without separators and read by longest match: in an alphabet with SZ, ``"SZ"`` is
one tile. Brackets mark one tile each: ``"[S]Z"`` is two tiles, ``"[SZ]"`` is one. Game files (GCG, CGP) bracket
every tile of several letters and nothing else: there ``"SZ"`` is two tiles.

In an alphabet with İ, as in Turkish, the text of the blanks for İ and I is i and ı. Their tokens are those of any
alphabet, ``"İ".lower()``, which is i with a combining dot, and ``"i"``. The blank for Σ is σ at the end of a word, too.
"""

from __future__ import annotations

import functools
import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from typing import Protocol, TypeAlias

from scoring.errors import NotationError

__all__ = [
    "BLANK",
    "COVERED",
    "EMPTY",
    "Alphabet",
    "as_blank",
    "bag_tile",
    "bracket_tokens",
    "capitalize",
    "designated",
    "find_token_readings",
    "format_tokens",
    "has_bare_tiles",
    "is_blank",
    "is_tile",
    "letters_of",
    "parse_tokens",
    "spell_words",
]

EMPTY = "."
BLANK = "?"
COVERED = "#"
_LIGATURES = {"Æ": "AE", "Œ": "OE", "Ǆ": "DŽ", "Ǉ": "LJ", "Ǌ": "NJ", "Ǳ": "DZ", "Ĳ": "IJ", "Ŀ": "L·"}
"""Signs of several letters, which have no canonical decomposition in Unicode."""
_SIGNS = (EMPTY, BLANK, COVERED)
_MAX_QUOTED = 60  # characters of a text that a message quotes; chosen
_BRACKETED = re.compile(r"\[([^\[\]]+)\]|(.)", re.DOTALL)
_IN_BRACKETS = re.compile(r"\[[^\[\]]*\]")


class _HasTokens(Protocol):
    """An object with an alphabet, such as an `Edition`."""

    @property
    def tokens(self) -> tuple[str, ...]:
        """The letters, upper case."""


Alphabet: TypeAlias = _HasTokens | Iterable[str]
"""An edition, or its letters in upper case."""


def letters_of(alphabet: Alphabet) -> tuple[str, ...]:
    """Return the letters of an edition, or the letters themselves."""
    if isinstance(alphabet, tuple):
        return alphabet
    tokens: Iterable[str] = alphabet.tokens if hasattr(alphabet, "tokens") else alphabet
    return tuple(tokens)


def is_tile(token: str) -> bool:
    """Return whether the token is a visible tile."""
    return token != EMPTY and token != COVERED


def is_blank(token: str) -> bool:
    """Return whether the tile is a blank, with or without a known letter."""
    return token == BLANK or token.islower()


def as_blank(letter: str) -> str:
    """Return the token of a blank designated as `letter`."""
    return unicodedata.normalize("NFC", letter.lower()).replace("ς", "σ")


def bag_tile(token: str) -> str:
    """Return the tile as it is in the bag: ``"?"`` for every blank, else the token itself."""
    return BLANK if is_blank(token) else token


def designated(token: str) -> str:
    """Return the letter that a tile stands for; ``"?"`` for a blank whose letter is not known.

    >>> designated("sz"), designated("SZ"), designated("?")
    ('SZ', 'SZ', '?')
    """
    # Lower case decomposes some letters ("İ" becomes "i" and a combining dot), so compose again.
    return unicodedata.normalize("NFC", token.upper()) if token.islower() else token


def capitalize(text: str, alphabet: Alphabet) -> str:
    """Return a text in upper case, composed (NFC); a dotted i keeps its dot where there is a tile of it, as in Turkish.

    Parameters
    ----------
    text : str
        A word or a rack.
    alphabet : Edition or iterable of str
        The edition, or its tokens.

    >>> capitalize("ışık iş", ("I", "İ", "K", "S", "Ş"))
    'IŞIK İŞ'
    """
    if "İ" in letters_of(alphabet):
        text = text.replace("i\u0307", "İ").replace("i", "İ")
    return unicodedata.normalize("NFC", text.upper())


def spell_words(text: str, alphabet: Alphabet) -> str:
    """Return a text in upper case, without the accents that tiles lack.

    Parameters
    ----------
    text : str
        The words.
    alphabet : Edition or iterable of str
        The edition, or its letters in upper case.
    """
    text = capitalize(text, alphabet)
    own = frozenset("".join(letters_of(alphabet)))
    return text.translate({ord(sign): _spell_without_marks(sign, own) for sign in set(text) - own})


def parse_tokens(text: str, alphabet: Alphabet, *, bracketed: bool = False) -> tuple[str, ...]:
    """Read a text as tokens, by longest match.

    Parameters
    ----------
    text : str
        Tokens without separators; a token may be in brackets.
    alphabet : Edition or iterable of str
        The edition, or its letters in upper case.
    bracketed : bool
        Whether all tiles of several letters are in brackets, so that bare letters are one tile each.

    Raises
    ------
    NotationError
        If a part of the text is not a token.
    """
    letters = letters_of(alphabet)
    text = _compose(text, letters)
    tokens = _parse_bracketed(text, letters) if bracketed else _longest_match(text, letters)
    return _from_written(tokens, letters)


def has_bare_tiles(text: str, alphabet: Alphabet) -> bool:
    """Return whether a tile of several letters is without brackets, as the Y of a bare GY shows, which is no tile.

    Parameters
    ----------
    text : str
        Tokens without separators, among others.
    alphabet : Edition or iterable of str
        The edition, or its letters in upper case.

    >>> has_bare_tiles("GYÁR", ("A", "G", "GY", "R")), has_bare_tiles("[GY]ÁR", ("A", "G", "GY", "R"))
    (True, False)
    """
    letters = letters_of(alphabet)
    parts = set("".join(letters)).difference(letters)
    return not parts.isdisjoint(_IN_BRACKETS.sub("", text).upper())


def find_token_readings(text: str, alphabet: Alphabet) -> Iterator[tuple[str, ...]]:
    """Generate every way to read a text as tokens, those with the longest tiles first.

    Parameters
    ----------
    text : str
        Tokens without separators; the text in a pair of brackets is one token.
    alphabet : Edition or iterable of str
        The edition, or its letters in upper case.

    Yields
    ------
    tuple of str
        One reading, computed on demand: the number of readings grows exponentially with the length.

    Examples
    --------
    >>> ["·".join(reading) for reading in find_token_readings("SZS", ("S", "SZ", "Z", "ZS"))]
    ['SZ·S', 'S·ZS', 'S·Z·S']
    """
    letters = letters_of(alphabet)
    text = _compose(text, letters)
    steps = _steps(text, _known(letters))
    # whether text[i:] has a reading; so the search never backtracks in vain
    has_reading = [False for _ in text] + [True]
    for start in reversed(range(len(text))):
        has_reading[start] = any(has_reading[end] for end, _ in steps[start])
    if not has_reading[0]:
        return
    stack: list[tuple[int, tuple[str, ...]]] = [(0, ())]
    while stack:
        start, head = stack.pop()
        if start == len(text):
            yield _from_written(head, letters)
            continue
        for end, token in reversed(steps[start]):
            if has_reading[end]:
                stack.append((end, (*head, token)))


def format_tokens(tokens: Sequence[str], alphabet: Alphabet, *, bracketed: bool = False) -> str:
    """Return the text that `parse_tokens` reads as these tokens.

    Parameters
    ----------
    tokens : sequence of str
        The tokens, with empty and covered squares too.
    alphabet : Edition or iterable of str
        The edition, or its letters in upper case.
    bracketed : bool
        True puts every tile of several letters in brackets, and nothing else; False puts a tile in brackets
        only where it would be misread.

    Raises
    ------
    NotationError
        If a token is not in the alphabet.

    Examples
    --------
    >>> format_tokens(["S", "Z", "SZ"], ["S", "SZ", "Z"])
    '[S]ZSZ'
    >>> format_tokens(["S", "Z", "SZ"], ["S", "SZ", "Z"], bracketed=True)
    'SZ[SZ]'
    """
    letters = letters_of(alphabet)
    known = _known(letters)
    if "İ" in letters:
        tokens = [_as_written(token, letters) for token in tokens]
    for token in tokens:
        if token not in known:
            raise NotationError(f"{token!r} is no tile of this edition; its letters are {' '.join(letters)}")
    if bracketed:
        return bracket_tokens(tokens)
    pattern, text = _pattern(letters), ""
    if pattern is None:  # no tile has several letters
        return "".join(tokens)
    for token in reversed(tokens):
        bare = pattern.match(token + text)
        text = (token if bare is not None and bare.end() == len(token) else f"[{token}]") + text
    return text


def bracket_tokens(tokens: Iterable[str]) -> str:
    """Return tokens of any alphabet as text, with each of several letters in brackets."""
    return "".join(f"[{token}]" if len(token) > 1 else token for token in tokens)


def _compose(text: str, letters: tuple[str, ...]) -> str:
    """Return a text composed (NFC), in which a blank for İ has no dot of its own; without İ, ı is i; ς is σ."""
    text = unicodedata.normalize("NFC", text).replace("ς", "σ")
    return text.replace("i\u0307", "i") if "İ" in letters else text.replace("ı", "i")


def _as_written(token: str, letters: tuple[str, ...]) -> str:
    """Return a token as texts have it."""
    return token.replace("i", "ı").replace("ı\u0307", "i") if "İ" in letters else token


def _from_written(tokens: tuple[str, ...], letters: tuple[str, ...]) -> tuple[str, ...]:
    """Return the tokens of which a text consists."""
    if "İ" not in letters:
        return tokens
    return tuple(token.replace("i", "i\u0307").replace("ı", "i") for token in tokens)


@functools.lru_cache(maxsize=64)
def _known(letters: tuple[str, ...]) -> frozenset[str]:
    """Return all tokens as texts have them."""
    return frozenset((*letters, *(_as_written(as_blank(letter), letters) for letter in letters), *_SIGNS))


@functools.lru_cache(maxsize=64)
def _pattern(letters: tuple[str, ...]) -> re.Pattern[str] | None:
    """Return the pattern of one token, the longest first; None if all tokens are single characters."""
    longest_first = sorted(_known(letters), key=lambda token: (-len(token), token))
    if len(longest_first[0]) == 1:
        return None
    one = "|".join(re.escape(token) for token in longest_first)
    return re.compile(rf"({one})|\[({one})\]")


def _parse_bracketed(text: str, letters: tuple[str, ...]) -> tuple[str, ...]:
    """Read a text in which every tile of several letters, and possibly others, are in brackets."""
    known = _known(letters)
    if "[" not in text and known.issuperset(text):
        return tuple(text)
    tokens = []
    for found in _BRACKETED.finditer(text):
        if found[0] not in known and found[1] not in known:
            raise _no_tile_error(text, found.start(), letters)
        tokens.append(found[1] or found[2])
    return tuple(tokens)


def _no_tile_error(text: str, position: int, letters: tuple[str, ...]) -> NotationError:
    sign, text = next(_BRACKETED.finditer(text, position))[0][:_MAX_QUOTED], text[:_MAX_QUOTED]
    return NotationError(
        f"{text!r} has no tile at {sign!r} (character {position + 1}); "
        f"the letters are {' '.join(letters)}, in lower case for a blank"
    )


def _longest_match(text: str, letters: tuple[str, ...]) -> tuple[str, ...]:
    pattern, tokens, position = _pattern(letters), [], 0
    if pattern is None:
        return _parse_bracketed(text, letters)
    while position < len(text):
        found = pattern.match(text, position)
        if found is None:
            raise _no_tile_error(text, position, letters)
        tokens.append(found[1] or found[2])
        position = found.end()
    return tuple(tokens)


def _steps(text: str, known: frozenset[str]) -> list[list[tuple[int, str]]]:
    """Return, for each start in the text, the possible tokens with their ends, the longest first."""
    longest = max(map(len, known))
    steps = []
    for start, sign in enumerate(text):
        if sign == "[":
            close = text.find("]", start)
            found = [(close + 1, text[start + 1 : close])]
        else:
            ends = range(min(len(text), start + longest), start, -1)
            found = [(end, text[start:end]) for end in ends]
        steps.append([(end, token) for end, token in found if token in known])
    return steps


def _spell_without_marks(sign: str, own: frozenset[str]) -> str:
    """Return a letter without accents that are not its `own`, a ligature as two; empty for an accent of its own."""
    parts = (
        part if part in own else unicodedata.normalize("NFD", part) for part in _LIGATURES.get(sign, sign)
    )
    return "".join(part for part in "".join(parts) if not unicodedata.combining(part))
