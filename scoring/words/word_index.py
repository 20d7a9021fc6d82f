"""An index of a word list that answers which words fit a pattern and a rack.

The words of one length are numbered. For each position and letter there is a set of the words that have the letter
there, as the bits of one integer. Intersections and unions of such sets are single operations on long integers, so
that a pattern is answered without a look at single words. A graph of nodes (DAWG, GADDAG) needs fewer bytes, but
Python visits its nodes one by one, which takes several times as long.

A tile has a code of one character here, also one of several letters. A word that can be read as several sequences
of tiles is indexed once for each of them, as SZ may be one tile or two.
"""

from __future__ import annotations

import functools
import hashlib
import json
import os
import re
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from scoring.files import write_atomically
from scoring.tiles import Alphabet, find_token_readings, letters_of
from scoring.words.lexicon import Lexicon, describe_other_lines, parse_words, read_words

__all__ = ["WordIndex", "WordsOfLength", "index_words", "load_word_index"]

MAX_LENGTH = 21
"""Number of tiles of the longest words that are indexed: the side of the largest board that is sold."""
_MAX_READINGS = 256  # of one word as tiles; a Hungarian word of 21 letters has some dozens
_NOT_EMPTY = re.compile(rb"\0*+[^\0]").finditer
_BITS = tuple(tuple(bit for bit in range(8) if byte >> bit & 1) for byte in range(256))
"""The bits of each byte."""
_MAGIC = b"tilesight words 6\n"  # changed whenever `parse_words` or `find_character_set` gives other words


@dataclass(frozen=True, slots=True)
class WordsOfLength:
    """The words of one length, as sets of bits: bit k stands for word k.

    Parameters
    ----------
    length : int
        Number of tiles.
    text : str
        The codes of all words, one after the other.
    at : tuple of mapping of str to int
        For each position, the set of the words that have a code there, by code.
    """

    length: int
    text: str
    at: tuple[Mapping[str, int], ...]
    all_words: int = field(init=False)
    _with_at_least: dict[str, tuple[int, ...]] = field(init=False, repr=False, default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "all_words", (1 << (len(self.text) // self.length)) - 1)

    def with_at_least(self, code: str, count: int) -> int:
        """Return the set of the words that have a code at least `count` times."""
        sets = self._with_at_least.get(code)
        if sets is None:
            counts = [0] * (self.length + 1)
            counts[0] = self.all_words
            for position in self.at:
                here = position.get(code, 0)
                for number in range(self.length, 0, -1):
                    counts[number] |= counts[number - 1] & here
            sets = self._with_at_least[code] = tuple(counts)
        return sets[count] if count <= self.length else 0

    def words_of(self, words: int) -> list[str]:
        """Return the words of a set as codes."""
        text, length, found = self.text, self.length, []
        data = words.to_bytes((words.bit_length() + 7) // 8, "little")
        for byte in _NOT_EMPTY(data):
            place = byte.end() - 1
            for bit in _BITS[data[place]]:
                at = (8 * place + bit) * length
                found.append(text[at : at + length])
        return found


@dataclass(frozen=True, slots=True)
class WordIndex:
    """The words of a list, by their number of tiles.

    Parameters
    ----------
    letters : tuple of str
        The letters of the edition; the code of a letter follows from its place.
    words : mapping of int to WordsOfLength
        The words, by their length.
    """

    letters: tuple[str, ...]
    words: Mapping[int, WordsOfLength]
    codes: Mapping[str, str] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "codes", _codes(self.letters))

    def __len__(self) -> int:
        return sum(len(words.text) // length for length, words in self.words.items())

    def __repr__(self) -> str:
        return f"<WordIndex of {len(self)} words>"


@functools.lru_cache(maxsize=8)
def _codes(letters: tuple[str, ...]) -> dict[str, str]:
    """Return the code of each letter: a character of one byte."""
    return {letter: chr(1 + number) for number, letter in enumerate(letters)}


def index_words(lexicon: Lexicon, alphabet: Alphabet) -> WordIndex:
    """Return the index of the words of a lexicon.

    Parameters
    ----------
    lexicon : Lexicon
        The words.
    alphabet : Edition or iterable of str
        The edition, or its letters in upper case. Words with other letters, or of more than 21 tiles, are left out.
    """
    return _index(lexicon, letters_of(alphabet))


@functools.lru_cache(maxsize=4)
def _index(lexicon: Lexicon, letters: tuple[str, ...]) -> WordIndex:
    by_length: dict[int, list[str]] = {}
    for word in _encode(lexicon.words, letters):
        by_length.setdefault(len(word), []).append(word)
    return _make_index(letters, {length: "".join(sorted(by_length[length])) for length in sorted(by_length)})


def _encode(words: Iterable[str], letters: tuple[str, ...]) -> Iterator[str]:
    """Generate the words as codes, once for each way to read them as tiles."""
    codes = _codes(letters)
    single = {ord(letter): code for letter, code in codes.items() if len(letter) == 1}
    several = [letter for letter in letters if len(letter) > 1]
    max_signs = MAX_LENGTH * max(map(len, letters), default=1)
    for word in words:
        if len(word) > max_signs:  # the readings of a line of a megabyte take hours
            continue
        if not any(letter in word for letter in several):
            if len(word) <= MAX_LENGTH and all(ord(sign) in single for sign in word):
                yield word.translate(single)
            continue
        readings = find_token_readings(word, letters)
        for number, tokens in enumerate(readings):
            if number == _MAX_READINGS:
                break
            if len(tokens) <= MAX_LENGTH:
                yield "".join(codes[token] for token in tokens)


def _make_index(letters: tuple[str, ...], texts: Mapping[int, str]) -> WordIndex:
    zeros = bytes([ord("0")]) * 256
    tables = {code: zeros[: ord(code)] + b"1" + zeros[ord(code) + 1 :] for code in _codes(letters).values()}
    words = {}
    for length, text in texts.items():
        data = text.encode("latin-1")
        positions = []
        for at in range(length):
            column = data[at::length][::-1]  # the last digit is bit 0
            present = set(column)
            positions.append(
                {
                    code: int(column.translate(table), 2)
                    for code, table in tables.items()
                    if ord(code) in present
                }
            )
        words[length] = WordsOfLength(length, text, tuple(positions))
    return WordIndex(letters, words)


def load_word_index(
    path: str | Path,
    alphabet: Alphabet,
    *,
    cache: str | Path | None = None,
    notify: Callable[[str], None] | None = None,
) -> WordIndex:
    """Load the index of a word list, from a cache file if there is one.

    Parameters
    ----------
    path : str or Path
        The word list, as for `load_lexicon`.
    alphabet : Edition or iterable of str
        The edition, or its letters in upper case.
    cache : str or Path, optional
        The folder of cache files; by default ``$XDG_CACHE_HOME/tilesight`` or ``~/.cache/tilesight``. If it cannot
        be written, the index is made anew each time.
    notify : callable, optional
        As for `load_lexicon`.

    Raises
    ------
    DataFileError
        If the word list cannot be read, or has no word of these letters.
    """
    letters = letters_of(alphabet)
    content = read_words(path)
    key = hashlib.sha256(json.dumps(letters).encode() + b"\0" + content).hexdigest()[:32]
    file = _cache_folder(cache) / f"{key}.words"
    texts = _read_cache(file)
    if texts is not None:
        index = _make_index(letters, texts)
    else:
        index = index_words(parse_words(path, content, letters), letters)
        _write_cache(file, index)
    if notify is not None and (problem := describe_other_lines(path, content, letters)):
        notify(problem)
    return index


def _cache_folder(cache: str | Path | None) -> Path:
    if cache is not None:
        return Path(cache)
    try:
        return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "tilesight"
    except RuntimeError:  # a user without a home, as in a container: nothing can be kept
        return Path(os.devnull)


def _read_cache(file: Path) -> dict[int, str] | None:
    """Return the words by length, None if the file is missing or damaged."""
    try:
        content = file.read_bytes()
    except OSError:
        return None
    if not content.startswith(_MAGIC):
        return None
    try:
        data = zlib.decompress(content[len(_MAGIC) :])
    except zlib.error:
        return None
    head, _, body = data.partition(b"\n")
    texts, at = {}, 0
    for length, count in json.loads(head):
        texts[length] = body[at : at + length * count].decode("latin-1")
        at += length * count
    return texts


def _write_cache(file: Path, index: WordIndex) -> None:
    """Write the words by length; a folder that cannot be written is no error."""
    head = [(length, len(words.text) // length) for length, words in index.words.items()]
    body = "".join(words.text for words in index.words.values()).encode("latin-1")
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(file, _MAGIC + zlib.compress(json.dumps(head).encode() + b"\n" + body, 1))
    except OSError:
        return
