"""Two readers of one board: who is heard about what."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pytest
from numpy.typing import NDArray

from vision.core.boards import Occupancy, RectifiedBoard, SquareProbabilities
from vision.recognition.base import TRUST, CompositeReader, asked_about, joined

Square = tuple[int, int]
SIZE = (2, 3)


def reading(
    tokens: str, letters: Mapping[Square, Mapping[str, float]], reader: str = "network", value: int = 1
) -> SquareProbabilities:
    """A board of tiles with these letters; even where nothing is said."""
    shares = np.full((*SIZE, len(tokens)), 1 / len(tokens), np.float32)
    for square, said in letters.items():
        shares[square] = [said.get(token, 0.0) for token in tokens]
    occupancy = np.zeros((*SIZE, 4), np.float32)
    occupancy[..., Occupancy.TILE] = 1
    values = np.zeros((*SIZE, 3), np.float32)
    values[..., value] = 1
    return SquareProbabilities(
        reader=reader,
        tokens=tuple(tokens),
        value_labels=(None, 1, 10),
        occupancy=occupancy,
        letters=shares,
        values=values,
        turns=np.full((*SIZE, 4), 0.25, np.float32),
    )


def best(seen: SquareProbabilities, square: Square) -> str:
    return seen.tokens[int(seen.letters[square].argmax())]


TORN = reading("OQD", {(0, 0): {"O": 0.52, "Q": 0.46, "D": 0.02}})


def test_a_witness_decides_between_two_letters() -> None:
    opinion = reading("QOD", {(0, 0): {"Q": 0.95, "O": 0.05}}, reader="tesseract")
    heard = joined(TORN, opinion, [(0, 0)])
    assert best(heard, (0, 0)) == "Q"
    assert heard.reader == "network+tesseract"
    assert heard.letters[0, 0].sum() == pytest.approx(1)


def test_a_witness_is_heard_only_where_it_was_asked() -> None:
    opinion = reading("QOD", {(0, 0): {"Q": 1.0}, (1, 1): {"Q": 1.0}})
    heard = joined(TORN, opinion, [(1, 1)])
    assert np.array_equal(heard.letters[0, 0], TORN.letters[0, 0])
    assert best(heard, (1, 1)) == "Q"
    assert np.array_equal(heard.occupancy, TORN.occupancy)
    assert np.array_equal(heard.values, TORN.values)


def test_a_witness_loses_against_a_clear_picture() -> None:
    sure = reading("OQD", {(0, 0): {"O": 0.97, "Q": 0.02, "D": 0.01}})
    heard = joined(sure, reading("OQD", {(0, 0): {"Q": 1.0}}), [(0, 0)])
    assert best(heard, (0, 0)) == "O"
    # odds of 48 to 1, against a witness whose word is worth 13 to 1
    worth = (TRUST + (1 - TRUST) / 3) / ((1 - TRUST) / 3)
    odds = float(heard.letters[0, 0, 0] / heard.letters[0, 0, 1])
    assert odds == pytest.approx(0.97 / 0.02 / worth, rel=1e-3)


def test_a_letter_that_the_witness_does_not_know_is_neither_helped_nor_ruled_out() -> None:
    first = reading("OÖ", {(0, 0): {"O": 0.4, "Ö": 0.6}})
    shrug = reading("OQ", {})
    heard = joined(first, shrug, [(0, 0)])
    assert heard.letters[0, 0].tolist() == pytest.approx([0.4, 0.6], abs=1e-6)


def test_a_witness_is_asked_about_these_squares_alone() -> None:
    asked = asked_about(TORN.occupancy, [(1, 2)])
    assert asked[1, 2].tolist() == TORN.occupancy[1, 2].tolist()
    assert asked.sum(axis=(0, 1)).tolist() == [5, 1, 0, 0]


class Places:
    """Sees tiles and values, knows Latin letters only, and remembers what it was shown."""

    cell_px, margin_px = 16, 4

    def read(self, rectified: RectifiedBoard) -> SquareProbabilities:
        assert (rectified.cell_px, rectified.margin_px) == (16, 4)
        assert rectified.image_bgr.max() == 200
        return reading("AB", {}, value=2)


class Letters:
    """Knows Cyrillic letters."""

    cell_px, margin_px = 64, 12

    def __init__(self) -> None:
        self.told: NDArray[np.float32] | None = None

    def read(
        self, rectified: RectifiedBoard, occupancy: NDArray[np.float32] | None = None
    ) -> SquareProbabilities:
        assert rectified.cell_px == 32
        self.told = occupancy
        return reading("ЖЩ", {(0, 1): {"Щ": 1.0}}, reader="tesseract", value=0)


def test_tiles_and_values_come_from_one_reader_and_letters_from_the_other() -> None:
    letters = Letters()
    pair = CompositeReader(squares=Places(), letters=letters)
    assert (pair.cell_px, pair.margin_px) == (32, 8)
    image = np.full((2 * 32 + 16, 3 * 32 + 16, 3), 200, np.uint8)
    seen = pair.read(RectifiedBoard(image_bgr=image, rows=2, columns=3, cell_px=32, margin_px=8))
    assert seen.tokens == ("Ж", "Щ")
    assert best(seen, (0, 1)) == "Щ"
    assert seen.values[0, 0].argmax() == 2
    assert seen.reader == "network+tesseract"
    assert letters.told is not None
    assert letters.told[0, 0].argmax() == Occupancy.TILE
