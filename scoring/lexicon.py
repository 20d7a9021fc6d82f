"""A word list, as advice: it accepts more and less than any game does, so nothing is refused for it."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from scoring.errors import EditionError
from scoring.tiles import designated

__all__ = ["Lexicon", "load_lexicon"]


@dataclass(frozen=True, slots=True)
class Lexicon:
    """A set of words, kept as upper case text.

    Parameters
    ----------
    words : frozenset of str
        Upper case, composed (NFC), no brackets: a written SZ stands for one tile and for two.
    """

    words: frozenset[str]

    @classmethod
    def of(cls, words: Iterable[str]) -> Lexicon:
        """The lexicon of these words, in any case."""
        return cls(words=frozenset(map(_upper, words)))

    def contains(self, tokens: Sequence[str]) -> bool:
        """Whether the tiles spell a word of the list; a blank counts as its letter, ``"?"`` as none."""
        return "".join(map(designated, tokens)) in self.words

    def __contains__(self, tokens: object) -> bool:
        return isinstance(tokens, (tuple, list)) and self.contains(tokens)

    def __len__(self) -> int:
        return len(self.words)


def load_lexicon(path: str | Path, alphabet: Iterable[str]) -> Lexicon:
    """The words of a file that the edition's tiles can spell.

    Parameters
    ----------
    path : str or Path
        One word a line, UTF-8 or else ISO 8859-1. Lines with anything but letters of the edition, such as
        spaces or hyphens, are left out.
    alphabet : iterable of str
        The edition's letters.

    Raises
    ------
    EditionError
        If the file cannot be read, or has no word of these letters.
    """
    letters = tuple(alphabet)
    try:
        content = Path(path).read_bytes()
    except OSError as error:
        raise EditionError(path, None, f"the word list cannot be read: {error.strerror}") from error
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = content.decode("iso-8859-1")
    spellable = re.compile("(?:" + "|".join(map(re.escape, letters)) + ")+").fullmatch
    words = frozenset(word for word in map(_upper, text.splitlines()) if spellable(word))
    if not words:
        raise EditionError(
            path, None, f"no line is a word of the letters {' '.join(letters)}; is it a word list?"
        )
    return Lexicon(words=words)


def _upper(word: str) -> str:
    return unicodedata.normalize("NFC", word.strip().upper())
