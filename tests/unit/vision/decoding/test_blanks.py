"""A blank's letter is inferred where the word list leaves no choice, and nowhere else."""

from __future__ import annotations

import pytest

from scoring import Board, Lexicon, load_edition
from vision.decoding.blanks import resolve_blanks

ENGLISH, HUNGARIAN = load_edition("english"), load_edition("hungarian")


def board(*rows: str) -> Board:
    """These rows in the middle of nothing; a dot is an empty square."""
    return Board.from_rows([(row + "." * 15)[:15] for row in (*rows, *[""] * (15 - len(rows)))])


def named(lexicon: str, *rows: str, unsure: tuple[tuple[int, int], ...] = ()) -> list[str]:
    found = resolve_blanks(board(*rows), ENGLISH, Lexicon.of(lexicon.split()), unsure)
    return ["".join(line)[: len(row)] for line, row in zip(found.rows, rows, strict=False)]


def test_one_word_fits() -> None:
    assert named("hat dog", "..H?T.") == ["..HaT."]


def test_two_words_fit_so_nothing_is_guessed() -> None:
    assert named("hat hot", "H?T") == ["H?T"]


def test_no_word_fits() -> None:
    assert named("dog", "H?T") == ["H?T"]


def test_each_word_through_the_blank_must_leave_one_choice() -> None:
    cross = ("H?T", ".D.", ".E.")
    assert named("hat ade", *cross) == ["HaT", ".D.", ".E."]
    # across says A, down says O: one of the readings is wrong
    assert named("hat ode", *cross) == ["H?T", ".D.", ".E."]
    # down leaves no choice, but two words fit across
    assert named("hat hot ode", *cross) == ["H?T", ".D.", ".E."]


def test_a_name_may_decide_the_next_one() -> None:
    rows = ("H?T", ".?.", ".E.")
    assert named("hat hut ade ave", *rows) == list(rows)
    assert named("hat ade", *rows) == ["HaT", ".d.", ".E."]


def test_two_blanks_in_one_word() -> None:
    assert named("cabin", "C?B?N") == ["CaBiN"]
    assert named("cabin cubin", "C?B?N") == ["C?B?N"]


@pytest.mark.parametrize("rows", [["..?.."], ["H?#"], ["????"]])
def test_a_lone_blank_a_covered_neighbour_and_too_many_blanks_stay(rows: list[str]) -> None:
    assert named("hat a four", *rows) == rows


def test_a_word_with_a_letter_in_doubt_says_nothing() -> None:
    assert named("hat", "H?T", unsure=((0, 0),)) == ["H?T"]
    assert named("hat", "H?T", unsure=((0, 1),)) == ["HaT"]


def test_named_blanks_count_as_their_letters() -> None:
    assert named("hats", "H?Ts") == ["HaTs"]


def test_a_blank_may_stand_for_a_digraph() -> None:
    rows = [["E", "?", "Ő", *["."] * 12], *[["."] * 15] * 14]
    lexicon = Lexicon.of(["esző"])
    found = resolve_blanks(Board.from_rows(rows), HUNGARIAN, lexicon)
    assert found[0, 1] == "sz"
