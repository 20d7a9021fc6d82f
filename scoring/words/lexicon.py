"""Word lists. A list never decides: every list has words that a game does not allow, and lacks others."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from scoring.errors import DataFileError
from scoring.input_file import read_file
from scoring.tiles import Alphabet, capitalize, designated, letters_of

__all__ = ["Lexicon", "load_lexicon", "parse_words", "read_words", "spell_words"]

_LIGATURES = {"Æ": "AE", "Œ": "OE"}  # of Latin letters; they have no decomposition in Unicode


@dataclass(frozen=True, slots=True)
class Lexicon:
    """A set of words.

    Parameters
    ----------
    words : frozenset of str
        The words in upper case, composed (NFC), without brackets: SZ may be one tile or two.
    """

    words: frozenset[str]

    @classmethod
    def of(cls, words: Iterable[str]) -> Lexicon:
        """Return the lexicon of these words, given in any case."""
        return cls(words=frozenset(map(_normalise, words)))

    def contains(self, tokens: Sequence[str]) -> bool:
        """Return whether the tiles spell a word; a blank is its letter, and ``"?"`` fits no word."""
        return "".join(map(designated, tokens)) in self.words

    def __contains__(self, word: object) -> bool:
        """Return whether a word, as a text in any case or as tiles, is in the lexicon."""
        if isinstance(word, str):
            return _normalise(word) in self.words
        return isinstance(word, (tuple, list)) and self.contains(word)

    def __repr__(self) -> str:
        return f"<Lexicon of {len(self.words)} words>"

    def __len__(self) -> int:
        return len(self.words)


def load_lexicon(path: str | Path, alphabet: Alphabet) -> Lexicon:
    """Load the words of a file that the letters of an edition can spell.

    Parameters
    ----------
    path : str or Path
        One word per line, UTF-8 or else ISO 8859-1, or ISO 8859-2 for letters that it lacks, such as Ő.
        Accents of letters that the edition has only without them are removed: with French tiles, "été" is ETE. Lines
        with other characters than letters of the edition, such as spaces or hyphens, are skipped.
    alphabet : Edition or iterable of str
        The edition, or its letters in upper case.

    Raises
    ------
    DataFileError
        If the file cannot be read, or has no word of these letters.
    """
    return parse_words(path, read_words(path), letters_of(alphabet))


def read_words(path: str | Path) -> bytes:
    """Read the file of a word list.

    Raises
    ------
    DataFileError
        If it cannot be read.
    """
    try:
        return read_file(path)
    except OSError as error:
        raise DataFileError(
            path, None, f"the word list cannot be read: {error.strerror}; name a file with one word a line"
        ) from error


def parse_words(path: str | Path, content: bytes, letters: Sequence[str]) -> Lexicon:
    """Parse the content of a word list, as `load_lexicon` does.

    Raises
    ------
    DataFileError
        If it is no text, or has no word of these letters.
    """
    if b"\0" in content:
        raise DataFileError(path, None, "no word list, as it is no text; name a file with one word a line")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = content.decode(_latin_encoding(letters))
    spellable = re.compile("(?:" + "|".join(map(re.escape, letters)) + ")+").fullmatch
    lines = spell_words(text, letters).splitlines()
    words = frozenset(word for word in map(str.strip, lines) if spellable(word))
    if not words:
        raise DataFileError(
            path, None, f"no line is a word of the letters {' '.join(letters)}; is it a word list?"
        )
    return Lexicon(words=words)


def _latin_encoding(letters: Sequence[str]) -> str:
    """Return the 8-bit encoding of a list of words in these letters."""
    try:
        "".join(letters).encode("iso-8859-1")
    except UnicodeEncodeError:
        return "iso-8859-2"
    return "iso-8859-1"


def spell_words(text: str, alphabet: Alphabet) -> str:
    """Return a text in upper case, without the accents that tiles lack, as `load_lexicon` spells a word list.

    Parameters
    ----------
    text : str
        The words.
    alphabet : Edition or iterable of str
        The edition, or its letters in upper case.
    """
    text = capitalize(text, alphabet)
    table = {ord(sign): _spell_without_marks(sign) for sign in set(text) - set("".join(letters_of(alphabet)))}
    return text.translate(table)


def _normalise(word: str) -> str:
    return unicodedata.normalize("NFC", word.strip().upper())


def _spell_without_marks(sign: str) -> str:
    """Return a letter without its accents, a ligature as two letters; empty for an accent of its own."""
    parts = unicodedata.normalize("NFD", _LIGATURES.get(sign, sign))
    return "".join(part for part in parts if not unicodedata.combining(part))
