"""Mirrored pictures are told by letters and values; a few letters that are read upside down are none."""

from __future__ import annotations

import numpy as np
import pytest

from samples import Camera, Light, RenderedPhoto, icelandic_style, render_photo
from scoring import load_edition
from vision.core import BoardReading, Grid, Image
from vision.pipeline import load_recognizer
from vision.recognition.viewpoint import is_mirrored
from vision.rectification import rectify_at_tile_height

pytestmark = pytest.mark.slow

ICELANDIC = load_edition("icelandic")


def photo_of(word: str) -> RenderedPhoto:
    rows = [["."] * 15 for _ in range(15)]
    for row, letter in enumerate(word, 3):
        rows[row][7] = letter
    return render_photo(
        rows, ICELANDIC, style=icelandic_style(), camera=Camera(cell_px=20), light=Light(), seed=1
    )


def is_read_as_mirrored(image_bgr: Image, grid: Grid) -> bool:
    reader = load_recognizer("network", ICELANDIC)
    rectified = rectify_at_tile_height(image_bgr, grid, reader)
    reading = BoardReading(grid=grid, rectified=rectified, probabilities=reader.read(rectified))
    return is_mirrored(reading, reader)


@pytest.mark.parametrize("word", ["IÁNLÍ", "LEÁIÍ"])
def test_a_word_that_is_read_upside_down_is_not_mirrored(word: str) -> None:
    photo = photo_of(word)
    assert not is_read_as_mirrored(photo.image_bgr, Grid.from_corners(photo.corners_px, 15, 15).rotate(2))


@pytest.mark.parametrize("word", ["HRATT", "KRAMTI", "KRATT", "AUMAT", "OTTUM"])
def test_a_word_of_letters_that_hardly_differ_in_the_mirror_tells_it_by_its_values(word: str) -> None:
    photo = photo_of(word)
    corners = photo.corners_px
    assert not is_read_as_mirrored(photo.image_bgr, Grid.from_corners(corners, 15, 15))
    mirrored_bgr = np.ascontiguousarray(photo.image_bgr[:, ::-1])
    mirrored = np.column_stack([photo.image_bgr.shape[1] - 1 - corners[:, 0], corners[:, 1]])[[1, 0, 3, 2]]
    assert is_read_as_mirrored(mirrored_bgr, Grid.from_corners(mirrored, 15, 15))
