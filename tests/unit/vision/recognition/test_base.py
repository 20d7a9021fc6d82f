"""A reader composed of two: tiles and values from one, letters from the other."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from vision.core import Mask
from vision.core.boards import Occupancy, RectifiedBoard, SquareProbabilities
from vision.recognition.base import CompositeReader

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


class Places:
    """Sees tiles and values, knows Latin letters only, and remembers what it was shown."""

    cell_px, margin_px = 16, 4

    def read(self, rectified: RectifiedBoard, squares: Mask | None = None) -> SquareProbabilities:
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
