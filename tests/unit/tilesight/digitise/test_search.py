"""Patterns of words: letters, single tiles, any number of letters, and blanks whose letter is not known."""

from __future__ import annotations

import pytest

from tilesight.digitise.search import index_word, list_letters, make_matcher


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
        ("*" * 30 + "x", list("ABCDEFGHIJKLMNO"), False),
        ("*" * 30 + "o", list("ABCDEFGHIJKLMNO"), True),
    ],
)
def test_a_word_of_unknown_blanks_matches_no_letters(pattern: str, word: list[str], is_match: bool) -> None:
    assert make_matcher(pattern, list_letters(pattern, {}, word))(index_word(word)) is is_match


@pytest.mark.parametrize(
    ("pattern", "found"),
    [
        ("kış", ["KIŞ"]),
        ("KIŞ", ["KIŞ"]),
        ("kiş", ["KİŞ"]),
        ("iş", ["İŞ", "?Ş"]),
        ("i\u0307ş", ["İŞ", "?Ş"]),
        ("?ş", ["İŞ", "?Ş"]),
        ("k?ş", ["KIŞ", "KİŞ"]),
    ],
)
def test_where_there_is_a_dotted_capital_it_is_that_of_i(pattern: str, found: list[str]) -> None:
    words = {"KIŞ": ("K", "I", "Ş"), "İŞ": ("İ", "Ş"), "KİŞ": ("K", "i\u0307", "Ş"), "?Ş": ("?", "Ş")}
    letters = list_letters(pattern, {}, (token for word in words.values() for token in word))
    matches = make_matcher(pattern, letters)
    assert [word for word, tokens in words.items() if matches(index_word(tokens))] == found


def test_where_there_is_none_a_dotless_i_is_an_i_too() -> None:
    for pattern in ("kiş", "kış"):
        assert make_matcher(pattern, list_letters(pattern, {}, "KIŞ"))(index_word("KIŞ"))


@pytest.mark.parametrize(
    ("edition", "pattern", "word", "is_match"),
    [
        ("french", "été", "ETE", True),
        ("french", "?t*é", "ETE", True),
        ("french", "œuf*", "OEUFS", True),
        ("icelandic", "áta", "ATA", False),
        ("icelandic", "áta", "ÁTA", True),
        ("an edition without its letters", "été", "ETE", False),
        ("an edition without its letters", "été", "ÉTÉ", True),
        ("an edition without its letters", "λόγος", "ΛΌΓΟΣ", True),
        (None, "e\u0301t*", "ETE", False),
        (None, "e\u0301t*", "ÉTÉ", True),
    ],
)
def test_accents_that_no_tile_of_an_edition_has_are_left_out(
    edition: str | None, pattern: str, word: str, is_match: bool
) -> None:
    assert (
        make_matcher(pattern, list_letters(pattern, {"edition": edition}, word))(index_word(word)) is is_match
    )
