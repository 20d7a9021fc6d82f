"""A few letters that are read upside down are not taken for a mirrored picture."""

from __future__ import annotations

import pytest

from samples import Camera, Light, icelandic_style, render_photo
from scoring import load_edition
from vision.core import BoardReading, Grid
from vision.pipeline import load_recognizer
from vision.recognition.viewpoint import is_mirrored
from vision.rectification import rectify_at_tile_height

pytestmark = pytest.mark.slow

ICELANDIC = load_edition("icelandic")


@pytest.mark.parametrize("word", ["IÁNLÍ", "LEÁIÍ"])
def test_a_word_that_is_read_upside_down_is_not_mirrored(word: str) -> None:
    rows = [["."] * 15 for _ in range(15)]
    for row, letter in enumerate(word, 3):
        rows[row][7] = letter
    photo = render_photo(
        rows, ICELANDIC, style=icelandic_style(), camera=Camera(cell_px=20), light=Light(), seed=1
    )
    reader = load_recognizer("network", ICELANDIC)
    upside_down = Grid.from_corners(photo.corners_px, 15, 15).rotate(2)
    rectified = rectify_at_tile_height(photo.image_bgr, upside_down, reader)
    reading = BoardReading(grid=upside_down, rectified=rectified, probabilities=reader.read(rectified))
    assert not is_mirrored(reading, reader)
