"""Which edition's tiles lie on a board."""

from __future__ import annotations

import itertools
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from scoring import Edition, edition_names, load_edition
from vision.core.boards import SquareProbabilities
from vision.decoding.edition_guess import guess_editions

EDITIONS = [load_edition(name) for name in edition_names() if load_edition(name).layout.rows == 15]
TOKENS = tuple(sorted({token for edition in EDITIONS for token in edition.tokens}))
VALUES = (None, *range(1, 13))


def reading(edition: Edition, letters: list[str], *, printed: bool = True) -> SquareProbabilities:
    """What a sure reader sees of these tiles."""
    occupancy = np.zeros((15, 15, 4), np.float32)
    occupancy[..., 0] = 1
    seen = np.full((15, 15, len(TOKENS)), 1 / len(TOKENS), np.float32)
    values = np.full((15, 15, len(VALUES)), 1 / len(VALUES), np.float32)
    for at, letter in enumerate(letters):
        row, column = divmod(at, 15)
        occupancy[row, column] = (0, 1, 0, 0)
        seen[row, column] = np.eye(len(TOKENS))[TOKENS.index(letter)]
        values[row, column] = np.eye(len(VALUES))[VALUES.index(edition.values[letter] if printed else None)]
    turns = np.full((15, 15, 4), 0.25, np.float32)
    return SquareProbabilities(
        reader="network",
        tokens=TOKENS,
        value_labels=VALUES,
        occupancy=occupancy,
        letters=seen,
        values=values,
        turns=turns,
    )


def drawn(edition: Edition, number: int, seed: int) -> list[str]:
    bag = [token for token in edition.tokens for _ in range(edition.counts.get(token) or 3)]
    return list(np.random.default_rng(seed).choice(bag, number, replace=False))


@pytest.mark.parametrize("edition", EDITIONS, ids=lambda edition: edition.name)
def test_thirty_tiles_tell_the_edition(edition: Edition) -> None:
    right = 0
    for seed in range(10):
        best = guess_editions(reading(edition, drawn(edition, 30, seed)), EDITIONS)[0]
        # Two bags of one language may differ in a single tile: then its language is all that can be told.
        right += best.edition.language == edition.language
    assert right == 10


def test_values_that_cannot_be_seen_do_not_speak_for_editions_with_many_small_ones() -> None:
    danish = load_edition("danish")
    seen = reading(danish, drawn(danish, 30, 2), printed=False)
    factors = (1.0, 3.9, 1.6, 1.1, 0.9, *[0.2] * 8)
    shares = np.array(factors, np.float32) / np.float32(sum(factors))
    unclear = np.broadcast_to(shares, seen.values.shape)
    even = np.full_like(seen.values, 1 / len(VALUES))
    said, wanted = (
        {guess.edition.name: guess.probability for guess in guess_editions(each, EDITIONS)}
        for each in (
            replace(seen, values=unclear, value_factors=factors),
            replace(seen, values=even),
        )
    )
    assert said == pytest.approx(wanted, abs=1e-4)


def test_diacritics_tell_without_values() -> None:
    icelandic = load_edition("icelandic")
    guesses = guess_editions(reading(icelandic, list("HRAKIÞÐÖA"), printed=False), EDITIONS)
    assert guesses[0].edition.language == "is"
    assert sum(guess.probability for guess in guesses if guess.edition.language == "is") > 0.99


@pytest.mark.filterwarnings("error")
def test_an_edition_without_any_letter_of_the_reader_is_impossible() -> None:
    danish = load_edition("danish")
    greek = replace(
        danish, name="greek", tokens=("Γ", "Δ"), values={"Γ": 1, "Δ": 2, "?": 0}, counts={"Γ": 5, "Δ": 5}
    )
    best, last = guess_editions(reading(danish, list("HAV")), [greek, danish])
    assert (best.edition, best.probability, last.probability) == (danish, 1, 0)


def test_values_tell_where_letters_do_not() -> None:
    norwegian, damm = load_edition("norwegian"), load_edition("norwegian-damm")
    letters = list("BARBEBO")
    assert guess_editions(reading(norwegian, letters), [damm, norwegian])[0].edition is norwegian
    assert guess_editions(reading(damm, letters), [norwegian, damm])[0].edition is damm


def test_more_tiles_of_a_letter_than_the_bag_holds_speak_against_an_edition() -> None:
    english, french = load_edition("english"), load_edition("french")
    assert (english.counts["O"], french.counts["O"]) == (8, 6)
    odds = []
    for number in (5, 6, 7, 8):
        shares = {
            guess.edition.name: guess.probability
            for guess in guess_editions(reading(french, ["O"] * number), [english, french])
        }
        odds.append(shares["french"] / shares["english"])
    within, seventh, eighth = (after / before for before, after in itertools.pairwise(odds))
    assert seventh == pytest.approx(within / 10)
    assert eighth == pytest.approx(within / 10)


def test_a_set_with_tiles_of_another_one_is_of_no_edition_with_unknown_counts() -> None:
    english = load_edition("english")
    tiles = drawn(english, 98, 1) + list("EEEEEEEECCCKKMM")
    best = guess_editions(reading(english, tiles, printed=False), EDITIONS)[0]
    assert best.edition is english


def test_values_of_another_game_prove_no_edition() -> None:
    english = load_edition("english")
    sure = []
    for seed in range(10):
        seen = reading(english, drawn(english, 60, seed))
        other = np.random.default_rng(seed).integers(1, len(VALUES), len(TOKENS))
        values = np.eye(len(VALUES), dtype=np.float32)[other[seen.letters.argmax(axis=-1)]]
        best = guess_editions(replace(seen, values=values), EDITIONS)[0]
        sure.append(best.edition is not english and best.probability > 0.9)
    assert not any(sure)


def test_english_is_first_where_its_tiles_fit_nearly_as_well_as_others() -> None:
    english = load_edition("english")
    guesses = guess_editions(reading(english, list("HORSE")), EDITIONS)
    assert guesses[0].edition is english
    assert 0.3 < guesses[0].probability < 0.9  # others are named, too


def test_an_empty_board_tells_nothing() -> None:
    guesses = guess_editions(reading(EDITIONS[0], []), EDITIONS)
    english = load_edition("english")
    assert [guess.edition for guess in guesses] == [english, *(each for each in EDITIONS if each != english)]
    assert guesses[0].probability == pytest.approx(2 / (len(EDITIONS) + 1))
    assert sum(guess.probability for guess in guesses) == pytest.approx(1)


def test_a_letter_that_the_reader_does_not_know_is_never_seen(tmp_path: Path) -> None:
    head = 'title = "Mixed"\nlanguage = "ru"\nlayout = "standard"\nrack-size = 7\nscheme = "standard"\n'
    tiles = '[tiles]\n"Ж" = { count = 5, value = 5 }\nA = { count = 5, value = 1 }\n"?" = { value = 0 }\n'
    (tmp_path / "mixed.toml").write_text(head + tiles)
    mixed = load_edition(str(tmp_path / "mixed.toml"))
    guesses = guess_editions(reading(EDITIONS[0], list("AAAA")), [mixed, EDITIONS[0]])
    assert guesses[0].edition is mixed  # half of its tiles are an A
