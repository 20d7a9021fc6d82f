"""The word list of a table: which words are in it, and which plays they allow."""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable, Sequence
from pathlib import Path

from scoring import Edition, Lexicon, ScoredPlay, WordIndex, load_lexicon, load_word_index

__all__ = ["WordList"]


@functools.cache
def load_shared_lexicon(
    path: Path, letters: tuple[str, ...], notify: Callable[[str], None] | None
) -> Lexicon:
    """Load a word list once for all tables that have it."""
    return load_lexicon(path, letters, notify=notify)


class WordList:
    """The word list of a table. A list never decides: every list lacks words that a game allows.

    Parameters
    ----------
    path : Path
        The file, one word a line.
    edition : Edition
        The edition, whose letters spell the words.
    notify : callable, optional
        As for `load_lexicon`.

    Raises
    ------
    DataFileError
        If the file cannot be read, or has no word of these letters.
    """

    def __init__(self, path: Path, edition: Edition, *, notify: Callable[[str], None] | None = None) -> None:
        self._path = path
        self._edition = edition
        self._lock = threading.Lock()
        self.lexicon: Lexicon = load_shared_lexicon(path, edition.tokens, notify)

    @property
    def index(self) -> WordIndex:
        """The index for `best_plays`; it is made at its first use, which takes seconds for a large list."""
        with self._lock:
            return self._index

    @functools.cached_property
    def _index(self) -> WordIndex:
        return load_word_index(self._path, self._edition)

    def contains(self, tokens: Sequence[str]) -> bool:
        """Return whether the tiles spell a word of the list; a blank is its letter."""
        return self.lexicon.contains(tokens)

    def has_word(self, text: str) -> bool:
        """Return whether a word, typed with or without the accents that no tile has, is in the list."""
        return text in self.lexicon

    def check_play(self, scored: ScoredPlay) -> list[bool]:
        """Return for each word of a play whether it is in the list."""
        return [self.contains(word.tokens) for word in scored.words]
