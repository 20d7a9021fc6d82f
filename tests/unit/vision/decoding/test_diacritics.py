"""A mark above a letter that is taken for another mark is still a mark."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from scoring import edition_names, load_edition
from vision.decoding.scores import map_to_edition
from vision.recognition.cascade import CascadeReader

KNOWN = ("A", "O", "E", "Á", "Ä", "Å", "Ó", "Ø", "Ą", "É")


def seen_as(token: str) -> NDArray[np.float32]:
    letters = np.full(len(KNOWN), 0.0, np.float32)
    letters[KNOWN.index(token)] = 1.0
    return letters


def test_a_mark_that_the_edition_lacks_is_one_that_it_has() -> None:
    for seen in "ÄÅ":
        assert map_to_edition(seen_as(seen), KNOWN, ("A", "Á")).argmax() == 1
    assert map_to_edition(seen_as("Ó"), KNOWN, ("A", "O", "Ø")).argmax() == 2
    several = map_to_edition(seen_as("Å"), KNOWN, ("A", "Á", "Ä"))
    assert several[0] == 0
    assert several[1] == pytest.approx(several[2])


def test_a_mark_below_that_the_edition_lacks_is_none() -> None:
    assert map_to_edition(seen_as("Ą"), KNOWN, ("A", "Á", "Ä")).argmax() == 0
    assert map_to_edition(seen_as("Ą"), KNOWN, ("A", "Á", "Ä"))[1:].tolist() == [0, 0]


def test_a_mark_of_another_letter_says_nothing() -> None:
    assert not map_to_edition(seen_as("Ą"), KNOWN, ("E", "O")).any()
    assert not map_to_edition(seen_as("É"), KNOWN, ("A", "Á")).any()
    assert not map_to_edition(seen_as("Á"), KNOWN, ("A", "E")).any()


def test_letters_of_the_edition_are_what_they_were() -> None:
    known = CascadeReader.load().tokens
    letters = np.random.default_rng(3).dirichlet(np.ones(len(known)), (3, 2)).astype(np.float32)
    for name in edition_names():
        tokens = load_edition(name).tokens
        if set(tokens) <= set(known):
            mixed = map_to_edition(letters, known, tokens)
            own = letters[..., [known.index(token) for token in tokens]]
            assert mixed.shape == (3, 2, len(tokens))
            assert (mixed >= own - 1e-6).all()
            assert (mixed.sum(axis=-1) <= 1 + 1e-6).all()
