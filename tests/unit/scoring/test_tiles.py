"""Tiles: tokens, their text form and its ambiguities."""

import itertools
import re
import tracemalloc

import pytest

from scoring import (
    NotationError,
    as_blank,
    designated,
    format_tokens,
    is_blank,
    is_tile,
    load_edition,
    parse_tokens,
)
from scoring.tiles import find_token_readings

HUNGARIAN = load_edition("hungarian").tokens
ENGLISH = load_edition("english").tokens


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("", ()),
        ("SZER", ("SZ", "E", "R")),
        ("[S]ZER", ("S", "Z", "E", "R")),
        ("S[Z]ER", ("S", "Z", "E", "R")),
        ("[SZ]ER", ("SZ", "E", "R")),
        ("szER", ("sz", "E", "R")),
        ("sZER", ("s", "Z", "E", "R")),
        ("SzER", ("S", "z", "E", "R")),
        ("E.?#r", ("E", ".", "?", "#", "r")),
        ("ERŐFÖLÉNY", ("E", "R", "Ő", "F", "Ö", "L", "É", "NY")),
        ("E\u0301G", ("É", "G")),  # a letter and its mark written apart
    ],
)
def test_text_is_read_longest_match_first(text: str, tokens: tuple[str, ...]) -> None:
    assert parse_tokens(text, HUNGARIAN) == tokens


@pytest.mark.parametrize(
    ("text", "sign"),
    [
        ("QZÆ", "'Q' (character 1)"),
        ("NÉV!", "'!' (character 4)"),
        ("[SZ", "'[' (character 1)"),
        ("SZ]", "']' (character 3)"),
        ("E[SZER]", "'[SZER]' (character 2)"),
        ("[]", "'[' (character 1)"),
        ("Ð", "'Ð' (character 1)"),
        ("A B", "' ' (character 2)"),
    ],
)
def test_the_sign_that_is_no_tile_is_named(text: str, sign: str) -> None:
    with pytest.raises(NotationError, match=re.escape(f"{text!r} has no tile at {sign}")):
        parse_tokens(text, HUNGARIAN)


@pytest.mark.parametrize(
    ("tokens", "text"),
    [
        (("SZ", "E"), "SZE"),
        (("S", "Z", "E"), "[S]ZE"),
        (("s", "z"), "[s]z"),
        (("S", "z"), "Sz"),
        (("C", "S", "Z"), "C[S]Z"),
        (("C", "SZ"), "[C]SZ"),
        (("CS", "Z"), "CSZ"),
        ((".", "?", "#"), ".?#"),
    ],
)
def test_brackets_stand_where_they_are_needed_and_nowhere_else(tokens: tuple[str, ...], text: str) -> None:
    assert format_tokens(tokens, HUNGARIAN) == text
    assert parse_tokens(text, HUNGARIAN) == tokens


def test_a_token_of_another_alphabet_is_not_printed() -> None:
    with pytest.raises(NotationError, match="'SZ' is no tile"):
        format_tokens(["SZ"], ENGLISH)


def test_blanks_and_what_they_stand_for() -> None:
    assert [token for token in ("?", "a", "sz", "ð", "A", "SZ", ".", "#") if is_blank(token)] == [
        "?",
        "a",
        "sz",
        "ð",
    ]
    assert [designated(token) for token in ("?", "a", "sz", "ð", "A", ".")] == ["?", "A", "SZ", "Ð", "A", "."]
    assert [token for token in ("?", "a", "A", ".", "#") if is_tile(token)] == ["?", "a", "A"]


def test_a_dotted_capital_i_keeps_its_dot_as_a_blank() -> None:
    turkish = ("I", "İ", "K")
    blank = "İ".lower()
    assert designated(blank) == "İ"
    assert designated("i") == "I"
    assert parse_tokens(format_tokens([blank, "i", "İ", "I"], turkish), turkish) == (blank, "i", "İ", "I")


def test_in_an_alphabet_with_a_dotted_capital_i_blanks_are_written_with_and_without_a_dot() -> None:
    turkish, dotted = ("I", "İ", "K", "Lİ"), "i\u0307"
    for text, tokens in (
        ("ikı", (dotted, "k", "i")),
        (f"{dotted}KI", (dotted, "K", "I")),
        ("liI", (f"l{dotted}", "I")),
    ):
        assert parse_tokens(text, turkish) == tokens
        assert tokens in find_token_readings(text, turkish)
        assert format_tokens(tokens, turkish) == text.replace(dotted, "i")
    assert format_tokens([dotted, "i", f"l{dotted}"], turkish, bracketed=True) == "iı[li]"
    assert parse_tokens("iı[li][i]", turkish, bracketed=True) == (dotted, "i", f"l{dotted}", dotted)
    assert parse_tokens("ık", ("I", "K")) == parse_tokens("ik", ("I", "K")) == ("i", "k")


def test_a_blank_for_sigma_may_be_written_as_at_the_end_of_a_word() -> None:
    greek = ("Α", "Ο", "ΟΣ", "Σ")
    assert as_blank("ΟΣ") == "οσ"
    assert designated("οσ") == "ΟΣ"
    for text, tokens in (("ΑΣ", ("α", "σ")), ("ΑΟΣ", ("α", "οσ"))):
        assert text.lower().endswith("ς")
        assert parse_tokens(text.lower(), greek) == tokens
        assert next(iter(find_token_readings(text.lower(), greek))) == tokens
        assert parse_tokens(format_tokens(tokens, greek), greek) == tokens
    assert parse_tokens("Α[ος]ς", greek, bracketed=True) == ("Α", "οσ", "σ")


@pytest.mark.parametrize("text", ["SZS", "ZSZ", "CSZS", "GYNYSZ", "szsZS", "[S]ZS", "E.?#", ""])
def test_readings_are_all_there_once_and_the_longest_match_is_the_first(text: str) -> None:
    readings = list(find_token_readings(text, HUNGARIAN))
    assert readings[0] == parse_tokens(text, HUNGARIAN)
    assert len(set(readings)) == len(readings)
    bare = text.replace("[", "").replace("]", "")
    known = {*HUNGARIAN, *(letter.lower() for letter in HUNGARIAN), ".", "?", "#"}
    cuts = itertools.product((False, True), repeat=max(0, len(bare) - 1))
    parted = {
        tuple("".join(c + " " * cut for c, cut in zip(bare, (*cut, False), strict=False)).split())
        for cut in cuts
    }
    every = {tokens for tokens in parted if known >= set(tokens)}
    assert set(readings) == (every if "[" not in text else {("S", "ZS"), ("S", "Z", "S")})


def test_a_text_with_another_sign_has_no_reading() -> None:
    assert list(find_token_readings("S!", HUNGARIAN)) == []


def test_a_long_text_of_digraphs_is_read_in_little_memory() -> None:
    tracemalloc.start()
    try:
        assert len(parse_tokens("SZ" * 5_000, ("S", "SZ", "Z"))) == 5_000
        assert tracemalloc.get_traced_memory()[1] < 150e6
    finally:
        tracemalloc.stop()
