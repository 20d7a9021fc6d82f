"""The character set of a text that is not UTF-8 and declares none."""

from __future__ import annotations

import unicodedata
from collections import Counter

from scoring.tiles import Alphabet, letters_of, spell_words

__all__ = ["LATIN_1", "find_character_set", "is_other_script", "is_utf8"]

LATIN_1 = "windows-1252"
"""ISO 8859-1, with signs where that has control characters."""
# The weights of letters whose accents no tile has; chosen. Latin 1 lacks a third of these in Romanian, and one in a
# hundred in French or English. Cyrillic sets are left out: each reads the letters of another one as Cyrillic, too.
_CHARACTER_SETS = {
    LATIN_1: 1.25,
    "ISO-8859-15": 1.1,  # it has letters for some signs of Latin 1, such as an accent typed as an apostrophe
    **dict.fromkeys(("ISO-8859-2", "windows-1250", "ISO-8859-16", "windows-1254"), 1.0),
    **dict.fromkeys(
        ("ISO-8859-3", "windows-1253", "ISO-8859-7", "windows-1257", "IBM850", "IBM852", "macintosh"), 0.0
    ),
}


def is_utf8(content: bytes) -> bool:
    """Return whether a text has more characters beyond ASCII in UTF-8 than bytes that are not UTF-8."""
    text = content.decode("utf-8", "ignore")
    bad_bytes = len(content) - len(text.encode())
    return len(text) - len(text.encode("ascii", "ignore")) > bad_bytes


def is_other_script(alphabet: Alphabet) -> bool:
    """Return whether an alphabet has letters that are neither Latin nor Greek, so that no character set is found."""
    names = (unicodedata.name(letter[0], "") for letter in letters_of(alphabet))
    return not all(name.startswith(("LATIN", "GREEK")) for name in names)


def find_character_set(content: bytes, alphabet: Alphabet) -> str:
    """Return the name of the 8-bit character set in which a text has most letters of an edition.

    Letters whose accents no tile has decide between sets that agree on the others.

    Parameters
    ----------
    content : bytes
        The text.
    alphabet : Edition or iterable of str
        The edition, or its letters in upper case.
    """
    letters = letters_of(alphabet)
    signs = set("".join(letters))
    counts = Counter(content.translate(None, bytes(range(128))))

    def count_letters(name: str) -> tuple[int, float]:
        own = spelt = 0
        for byte, count in counts.items():
            spelling = spell_words(bytes([byte]).decode(name, "replace"), letters)
            if spelling and signs.issuperset(spelling):
                spelt += count
                own += 0 if spelling.isascii() else count
        return own, _CHARACTER_SETS[name] * spelt

    return max(_CHARACTER_SETS, key=count_letters)
