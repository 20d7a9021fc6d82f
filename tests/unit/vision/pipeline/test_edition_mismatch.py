"""An edition that does not fit the letters seen is told, and one that does is not."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from samples import Camera, Light, icelandic_style, render_photo
from scoring import load_edition
from vision.core.boards import SquareProbabilities
from vision.core.geometry import Grid
from vision.decoding.decoder import decode
from vision.pipeline.checks import check_tiles
from vision.pipeline.recognizers import load_recognizer
from vision.recognition.base import SquareReader
from vision.rectification import rectify_at_tile_height


def rows_of(words: dict[int, str]) -> list[list[str]]:
    rows = [["."] * 15 for _ in range(15)]
    for row, word in words.items():
        for column, letter in enumerate(word, start=3):
            rows[row][column] = letter
    return rows


@pytest.fixture(scope="module")
def icelandic() -> SquareProbabilities:
    """Ten Icelandic words as the network sees them."""
    edition = load_edition("icelandic")
    words = {2: "ÞÆÐI", 4: "HÖNÐ", 7: "ÍSÞÚR", 9: "ÓÐÝR", 11: "ÆÐUR"}
    photo = render_photo(
        rows_of(words), "icelandic", style=icelandic_style(), camera=Camera(cell_px=40), light=Light(), seed=1
    )
    reader: SquareReader = load_recognizer("network", edition)
    grid = Grid.from_corners(photo.corners_px, 15, 15)
    return reader.read(rectify_at_tile_height(photo.image_bgr, grid, reader))


def test_the_right_edition_is_not_doubted(icelandic: SquareProbabilities) -> None:
    edition = load_edition("icelandic")
    assert check_tiles(icelandic, decode(icelandic, edition), edition) is None


@pytest.mark.parametrize("name", ["english", "polish"])
def test_letters_that_an_edition_lacks_are_named_with_the_edition_that_has_them(
    name: str, icelandic: SquareProbabilities
) -> None:
    edition = load_edition(name)
    message = check_tiles(icelandic, decode(icelandic, edition), edition)
    assert message is not None
    assert message.startswith(f"edition {name}: letters are seen that it does not have: Þ on D3, Æ on E3")
    assert "they fit icelandic" in message
    assert "\n" not in message


def test_values_that_belong_to_another_edition_are_reported(icelandic: SquareProbabilities) -> None:
    shipped = load_edition("icelandic")
    other = replace(
        shipped, name="mine", values={token: value + 2 for token, value in shipped.values.items()}
    )
    message = check_tiles(icelandic, decode(icelandic, other), other)
    assert message is not None
    assert "tiles show another value than its letters have" in message
    assert "they fit icelandic" in message


def test_values_of_no_shipped_edition_are_reported_with_the_advice_to_write_one() -> None:
    edition = load_edition("english")
    printed = {token: value + 1 for token, value in edition.values.items()}
    words = {2: "QUARTZ", 4: "BOXING", 7: "JUMPED", 9: "WAVY", 11: "FLICK"}
    photo = render_photo(
        rows_of(words),
        replace(edition, values=printed),
        style=icelandic_style(),
        camera=Camera(cell_px=40),
        light=Light(),
        seed=1,
    )
    reader: SquareReader = load_recognizer("network", edition)
    seen = reader.read(
        rectify_at_tile_height(photo.image_bgr, Grid.from_corners(photo.corners_px, 15, 15), reader)
    )
    message = check_tiles(seen, decode(seen, edition), edition)
    assert message is not None
    assert "tiles show another value than its letters have" in message
    assert "write an edition file with these values" in message


def test_an_edition_that_has_the_letters_but_hardly_so_many_of_them_is_reported(
    icelandic: SquareProbabilities,
) -> None:
    """No letter is strange and no value is wrong: only how often each is drawn tells the editions apart."""
    shipped = load_edition("icelandic")
    rare = {token: 1 if token in "ÞÆÐÍÓÚÝÖ" else (count or 0) + 40 for token, count in shipped.counts.items()}
    other = replace(shipped, name="mine", counts=rare)
    message = check_tiles(icelandic, decode(icelandic, other), other)
    assert message == (
        "edition mine: the letters and values that are seen are rare in it; they fit icelandic; choose that edition"
    )


def test_one_strange_letter_may_be_a_smudge(icelandic: SquareProbabilities) -> None:
    edition = load_edition("english")
    occupancy = icelandic.occupancy.copy()
    occupancy[..., :] = [1.0, 0.0, 0.0, 0.0]
    occupancy[2, 3] = icelandic.occupancy[2, 3]
    lone = replace(icelandic, occupancy=occupancy)
    assert check_tiles(lone, decode(lone, edition), edition) is None


@pytest.mark.parametrize("marks", [2, 3, 4])
def test_dimples_below_two_letters_are_no_ogoneks(marks: int, icelandic: SquareProbabilities) -> None:
    edition = load_edition("icelandic")
    letters = icelandic.letters.copy()
    squares = list(zip(*np.nonzero(icelandic.shows_letter), strict=True))[:marks]
    for square in squares:
        letters[square] = 0.0
        letters[square][icelandic.tokens.index("Ą")] = 1.0
    dimpled = replace(icelandic, letters=letters)
    message = check_tiles(dimpled, decode(dimpled, edition), edition)
    assert (message is not None) is (marks >= 4)


def test_tiles_without_values_are_reported(icelandic: SquareProbabilities) -> None:
    values = icelandic.values.copy()
    values[...] = 0.01
    values[..., icelandic.value_labels.index(None)] = 0.88
    bare = replace(icelandic, values=values)
    edition = load_edition("icelandic")
    assert "show no values" in (check_tiles(bare, decode(bare, edition), edition) or "")
