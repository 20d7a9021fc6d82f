"""Word lists. A list never decides: every list has words that a game does not allow, and lacks others."""

from __future__ import annotations

import re
import string
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from scoring.character_sets import find_character_set, is_utf8
from scoring.errors import DataFileError, ScoringError
from scoring.files import read_file
from scoring.tiles import Alphabet, designated, letters_of, spell_words

__all__ = ["Lexicon", "describe_other_lines", "load_lexicon", "parse_words", "read_words"]

MAX_OTHER_SHARE = 0.01
"""Share of the lines that may have other signs than words without a message; chosen."""
MAX_EXAMPLE = 40
"""Characters of a line that a message quotes; chosen."""
_WORD_BYTES = string.ascii_letters.encode() + b"'-" + bytes(range(128, 256))
"""Bytes of words, also of those that no tiles spell: lists of a language have many such words."""


@dataclass(frozen=True, slots=True)
class Lexicon:
    """A set of words.

    Parameters
    ----------
    words : frozenset of str
        The words in upper case, composed (NFC), without brackets: SZ may be one tile or two.
    letters : tuple of str, optional
        The letters of the edition, by which a text is spelt that is looked up.
    """

    words: frozenset[str]
    letters: tuple[str, ...] | None = field(default=None, compare=False, repr=False)

    @classmethod
    def of(cls, words: Iterable[str], alphabet: Alphabet | None = None) -> Lexicon:
        """Return the lexicon of these words, given in any case.

        Parameters
        ----------
        words : iterable of str
            The words.
        alphabet : Edition or iterable of str, optional
            The edition, or its letters in upper case. With it, accents that no tile has are removed, and with İ, as in
            Turkish, the capital of i is İ. Without it, the words have all their accents.

        Raises
        ------
        ScoringError
            If the words are one text, whose letters would be words.
        """
        if isinstance(words, str):
            raise ScoringError(f"words is the text {words!r:.60}; give a list of words")
        letters = None if alphabet is None else letters_of(alphabet)
        return cls(words=frozenset(_spell(word, letters) for word in words), letters=letters)

    def contains(self, tokens: Sequence[str]) -> bool:
        """Return whether the tiles spell a word; a blank is its letter, and ``"?"`` fits no word."""
        return "".join(map(designated, tokens)) in self.words

    def __contains__(self, word: object) -> bool:
        """Return whether a word, as a text in any case or as tiles, is in the lexicon."""
        if isinstance(word, str):
            return _spell(word, self.letters) in self.words
        return isinstance(word, (tuple, list)) and self.contains(word)

    def __repr__(self) -> str:
        return f"<Lexicon of {len(self.words)} words>"

    def __len__(self) -> int:
        return len(self.words)


def load_lexicon(
    path: str | Path, alphabet: Alphabet, *, notify: Callable[[str], None] | None = None
) -> Lexicon:
    """Load the words of a file that the letters of an edition can spell.

    Parameters
    ----------
    path : str or Path
        One word per line, in UTF-8, or else in the 8-bit character set that fits the letters best.
        Accents of letters that the edition has only without them are removed: with French tiles, "été" is ETE. Lines
        with other characters than letters of the edition, such as spaces or hyphens, are skipped.
    alphabet : Edition or iterable of str
        The edition, or its letters in upper case.
    notify : callable, optional
        Called with one line for the user if more than a few lines have other signs than words.

    Raises
    ------
    DataFileError
        If the file cannot be read, or has no word of these letters.
    """
    content, letters = read_words(path), letters_of(alphabet)
    lexicon = parse_words(path, content, letters)
    if notify is not None and (problem := describe_other_lines(path, content, letters)):
        notify(problem)
    return lexicon


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
        problem = "no word list, as it is no text; name a file with one word a line, and save it as UTF-8"
        raise DataFileError(path, None, problem)
    encoding = "utf-8-sig" if is_utf8(content) else find_character_set(content, letters)
    single = {letter for letter in letters if len(letter) == 1}
    # without the tiles that others spell, as CS, with which a long line would backtrack for hours
    needed = (letter for letter in letters if letter in single or not single.issuperset(letter))
    spellable = re.compile("(?:" + "|".join(map(re.escape, needed)) + ")+").fullmatch
    text = content.decode(encoding, "replace")
    lines = spell_words(text, letters).splitlines()
    words = frozenset(word for word in map(str.strip, lines) if spellable(word))
    if not words:
        first = text.strip().partition("\n")[0].rstrip()[:MAX_EXAMPLE]
        is_guess = encoding != "utf-8-sig" and not content.isascii()
        hint = "if its letters are others, save it as UTF-8" if is_guess else "is it a word list?"
        raise DataFileError(
            path,
            None,
            f"no line is a word of the letters {' '.join(letters)}; the first is {first!r}; {hint}",
        )
    return Lexicon(words=words, letters=tuple(letters))


def describe_other_lines(path: str | Path, content: bytes, letters: Sequence[str]) -> str:
    """Describe the lines of a word list with other signs than words, such as flags or counts; "" if they are few."""
    word_bytes = _WORD_BYTES + "".join(letters).encode()
    if not content.translate(None, word_bytes + b"\r\n"):  # most lists; lines are slow
        return ""
    lines = [line for line in map(bytes.strip, content.splitlines()) if line]
    others = [line for line in lines if line.translate(None, word_bytes)]
    if len(others) <= MAX_OTHER_SHARE * len(lines):
        return ""
    return (
        f"{path}: lines that are no words are skipped: {len(others):,} of {len(lines):,}, such as "
        f"{others[0].decode('utf-8-sig', 'replace')[:MAX_EXAMPLE]!r}; write one word a line"
    )


def _spell(word: str, letters: tuple[str, ...] | None) -> str:
    word = word.strip()
    return unicodedata.normalize("NFC", word.upper()) if letters is None else spell_words(word, letters)
