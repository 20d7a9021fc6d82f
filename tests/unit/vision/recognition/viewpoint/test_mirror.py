"""Mirrored pictures are told by letters and values; a few letters that are read upside down are none."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from samples import Camera, Light, RenderedPhoto, icelandic_style, render_photo
from scoring import load_edition
from vision.core import BoardReading, Grid, Image, Mask, RectifiedBoard, SquareProbabilities
from vision.pipeline import load_recognizer
from vision.recognition.base import SquareReader
from vision.recognition.viewpoint import is_mirrored, mirror
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
    reading = BoardReading(grid=grid, planes=[rectified], probabilities=reader.read(rectified))
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


class CountingReader:
    """Reads as another reader does, and remembers how many squares each call was given."""

    def __init__(self, reader: SquareReader) -> None:
        self._reader = reader
        self.cell_px, self.margin_px = reader.cell_px, reader.margin_px
        self.counts: list[int] = []

    def read(self, rectified: RectifiedBoard, squares: Mask | None = None) -> SquareProbabilities:
        self.counts.append(rectified.rows * rectified.columns if squares is None else int(squares.sum()))
        return self._reader.read(rectified, squares)


@pytest.mark.parametrize("is_reversed", [False, True])
def test_only_a_board_that_may_be_mirrored_is_read_whole_in_the_mirror(
    is_reversed: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mirror, "SETTINGS", replace(mirror.SETTINGS, min_unclarity=0.0, n_sampled=6))
    photo = photo_of("HESTARNIRÐÖ")
    reader = CountingReader(load_recognizer("network", ICELANDIC))
    rectified = rectify_at_tile_height(photo.image_bgr, Grid.from_corners(photo.corners_px, 15, 15), reader)
    if is_reversed:
        image_bgr = np.ascontiguousarray(rectified.image_bgr[:, ::-1])
        rectified = replace(rectified, image_bgr=image_bgr)
    reading = BoardReading(
        grid=Grid.from_corners(photo.corners_px, 15, 15),
        planes=[rectified],
        probabilities=reader.read(rectified),
    )
    reader.counts.clear()
    assert is_mirrored(reading, reader) == is_reversed
    assert reader.counts[0] == 6
    assert (max(reader.counts) > 6) == is_reversed
