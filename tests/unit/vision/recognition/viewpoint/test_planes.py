from __future__ import annotations

import numpy as np
import pytest

from samples import RenderedPhoto
from scoring import load_edition
from tests.sets.low_views import low_view
from vision.core import Grid, Mask, Occupancy, RectifiedBoard, SquareProbabilities
from vision.pipeline import load_recognizer
from vision.recognition import HeightMemory, read_planes
from vision.rectification import OTHER_HEIGHTS, read_board

TOKENS = ("A", "B", "C")
WORD = "ABCAB"


def seen(word: str, clarity: float, covered: bool = False, row: int = 0) -> SquareProbabilities:
    """A word in a row of a board of 5 x 5, each letter read with a probability."""
    occupancy = np.full((5, 5, 4), 0.001, np.float32)
    occupancy[..., Occupancy.EMPTY] = 0.997
    letters = np.full((5, 5, 3), 1 / 3, np.float32)
    for column, letter in enumerate(word):
        if letter != ".":
            occupancy[row, column] = (0.001, 0.997, 0.001, 0.001)
            letters[row, column] = (1 - clarity) / 2
            letters[row, column, TOKENS.index(letter)] = clarity
    if covered:
        occupancy[4, 4] = (0.001, 0.001, 0.001, 0.997)
    return SquareProbabilities(
        reader="fake",
        tokens=TOKENS,
        value_labels=(1, None),
        occupancy=occupancy,
        letters=letters,
        values=np.full((5, 5, 2), 0.5, np.float32),
        turns=np.full((5, 5, 4), 0.25, np.float32),
    )


class FakeReader:
    """Gives a reading for each plane, which is known by the grey of its pixels."""

    cell_px, margin_px = 1, 0

    def __init__(self, *readings: SquareProbabilities) -> None:
        self._readings = readings
        self.asked: list[Mask | None] = []
        self.planes = [
            RectifiedBoard(
                image_bgr=np.full((5, 5, 3), number, np.uint8), rows=5, columns=5, cell_px=1, margin_px=0
            )
            for number in range(len(readings))
        ]

    def read(self, rectified: RectifiedBoard, squares: Mask | None = None) -> SquareProbabilities:
        self.asked.append(squares)
        return self._readings[int(rectified.image_bgr[0, 0, 0])]


def word_of(reading: SquareProbabilities) -> str:
    letters = reading.letters.argmax(axis=-1)[0]
    return "".join(
        TOKENS[letter] if shows else "."
        for letter, shows in zip(letters, reading.shows_letter[0], strict=True)
    )


def test_one_plane_is_read_as_it_is() -> None:
    reader = FakeReader(seen(WORD, 0.9))
    assert read_planes(reader.planes, reader).probabilities is reader.read(reader.planes[0])


def test_other_planes_are_read_near_tiles_only() -> None:
    reader = FakeReader(seen(WORD, 0.6), seen(WORD, 0.95))
    read_planes(reader.planes, reader)
    usual, other = reader.asked
    assert usual is None
    assert other is not None
    assert other.all(axis=1).tolist() == [True, True, False, False, False]
    assert not other[2:].any()


def test_the_clearest_height_decides() -> None:
    reader = FakeReader(seen("CCCCC", 0.6), seen(WORD, 0.95), seen("BBBBB", 0.5))
    read = read_planes(reader.planes, reader)
    assert word_of(read.probabilities) == WORD
    assert not read.is_height_uncertain


def test_a_photo_is_read_up_to_the_first_height_that_is_clear_a_film_at_each() -> None:
    readings = seen("CCCCC", 0.6), seen(WORD, 0.99), seen(WORD, 0.995)
    photo, film = FakeReader(*readings), FakeReader(*readings)
    read_planes(photo.planes, photo)
    read_planes(film.planes, film, HeightMemory())
    assert [len(photo.asked), len(film.asked)] == [2, 3]


def test_a_height_that_is_off_by_a_whole_square_is_wrong_however_clear_it_is() -> None:
    reader = FakeReader(seen(WORD, 0.6), seen(WORD, 0.9), seen(WORD, 0.99, row=1))
    read = read_planes(reader.planes, reader)
    assert word_of(read.probabilities) == WORD
    assert not read.probabilities.shows_letter[1:].any()
    assert not read.is_height_uncertain


def test_heights_that_are_as_clear_and_differ_are_reported() -> None:
    reader = FakeReader(seen(WORD, 0.95), seen("BCABC", 0.94))
    assert read_planes(reader.planes, reader).is_height_uncertain


def test_the_height_that_earlier_frames_showed_decides_where_a_frame_is_unclear() -> None:
    clear = FakeReader(seen("CCCCC", 0.6), seen("BBBBB", 0.8), seen(WORD, 0.97))
    unclear = FakeReader(seen("CCCCC", 0.6), seen("BCABC", 0.93), seen(WORD, 0.9))
    memory = HeightMemory()
    assert word_of(read_planes(unclear.planes, unclear).probabilities) == "BCABC"
    for _ in range(2):
        assert word_of(read_planes(clear.planes, clear, memory).probabilities) == WORD
    assert word_of(read_planes(unclear.planes, unclear, memory).probabilities) == WORD


def test_a_clear_read_at_a_height_that_the_tiles_do_not_have_is_not_believed() -> None:
    clear = FakeReader(seen("CCCCC", 0.6), seen(WORD, 0.97))
    by_chance = FakeReader(seen("A....", 0.99), seen(WORD, 0.97))
    memory = HeightMemory()
    assert word_of(read_planes(by_chance.planes, by_chance, memory).probabilities) == "A...."
    read_planes(clear.planes, clear, memory)
    assert word_of(read_planes(by_chance.planes, by_chance, memory).probabilities) == WORD
    empty = FakeReader(seen(".....", 0.9), seen(".....", 0.9))
    assert word_of(read_planes(empty.planes, empty, memory).probabilities) == "....."


def test_a_cover_is_recognised_by_the_first_plane_alone() -> None:
    high = FakeReader(seen(WORD, 0.9), seen(WORD, 0.9, covered=True))
    low = FakeReader(seen(WORD, 0.9, covered=True), seen(WORD, 0.9))
    shown = [read_planes(each.planes, each).probabilities.occupancy[4, 4].argmax() for each in (high, low)]
    assert shown == [Occupancy.EMPTY, Occupancy.COVERED]


def test_a_board_without_letters_is_read_on_the_first_plane() -> None:
    reader = FakeReader(seen(".....", 0.9), seen(".....", 0.9))
    assert read_planes(reader.planes, reader).probabilities is reader.read(reader.planes[0])


def share_of_letters_read(photo: RenderedPhoto, reading: SquareProbabilities) -> float:
    rows = np.array(photo.rows)
    letters = np.array(reading.tokens)[reading.letters.argmax(axis=-1)]
    return float((letters == rows)[(rows != ".") & (rows != "?")].mean())


@pytest.mark.parametrize(("seed", "size"), [(1007, "usual"), (1029, "coarse")])
def test_thick_tiles_seen_from_a_chair_are_read_in_their_squares(seed: int, size: str) -> None:
    photo = low_view(seed, size)
    recognizer = load_recognizer("network", load_edition(photo.edition))
    reading = read_board(photo.image_bgr, Grid.from_corners(photo.corners_px, 15, 15), recognizer)
    assert len(reading.planes) == 1 + len(OTHER_HEIGHTS)
    assert share_of_letters_read(photo, reading.probabilities) > 0.97
    at_one_height = share_of_letters_read(photo, recognizer.read(reading.rectified))
    assert at_one_height < share_of_letters_read(photo, reading.probabilities)


@pytest.mark.parametrize("seed", [1027, 1034])
def test_tiles_that_are_level_with_the_grid_are_read_in_their_squares(seed: int) -> None:
    photo = low_view(seed, tiles="flat")
    recognizer = load_recognizer("network", load_edition(photo.edition))
    reading = read_board(photo.image_bgr, Grid.from_corners(photo.corners_px, 15, 15), recognizer)
    assert share_of_letters_read(photo, reading.probabilities) > 0.96
