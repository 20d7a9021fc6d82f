"""Patterns of words: letters, single tiles, any number of letters, and blanks whose letter is not known."""

from __future__ import annotations

import pytest

from tilesight.digitise.search import index_word, make_matcher


@pytest.mark.parametrize(
    ("pattern", "word", "is_match"),
    [
        ("hrak", ["H", "R", "A", "K"], True),
        ("hrak", ["H", "?", "A", "K"], True),
        ("hrak", ["?", "?", "A", "K"], True),
        ("hrak", ["?", "?", "?", "K"], False),
        ("hrak", ["?", "?", "?", "?"], False),
        ("????", ["?", "?", "?", "?"], True),
        ("*", ["?", "?"], True),
    ],
)
def test_a_word_of_unknown_blanks_matches_no_letters(pattern: str, word: list[str], is_match: bool) -> None:
    assert make_matcher(pattern)(index_word(word)) is is_match
