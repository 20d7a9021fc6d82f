"""Racks: rendered ones with typefaces that training never saw, on a place that is marked roughly, and found alone."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from samples import Camera, Light, RenderedRack, SpecificationError, icelandic_style, render_rack
from scoring import load_edition
from vision.detection.racks import find_tile_rows
from vision.errors import BoardNotFoundError, SettingsError
from vision.pipeline.rack import move_row, read_rack
from vision.pipeline.recognizers import GameContext, load_recognizer
from vision.recognition.base import SquareReader

pytestmark = pytest.mark.slow

EDITION = load_edition("icelandic")


def rendered(tiles: str, gaps: tuple[float, ...] | None = None, **camera: float) -> RenderedRack:
    return render_rack(
        tuple(tiles),
        EDITION,
        style=icelandic_style(),
        camera=Camera(cell_px=46.0, margins=(0.1, 1.0, 0.1, 1.0), **camera),
        light=Light(),
        rack_bgr=(50, 80, 40),
        gaps=gaps or (0.4,) + (0.02,) * (len(tiles) - 1),
        seed=3,
    )


@pytest.fixture(scope="module")
def reader() -> SquareReader:
    return load_recognizer("network", EDITION)


@pytest.mark.parametrize(
    ("tiles", "gaps", "camera"),
    [
        ("HRAKIÐÞ", None, {}),
        ("EEAAIÍI", (0.3, 0.0, 0.0, 0.8, 0.0, 0.02, 0.0), {"tilt_deg": 20.0}),
        ("Æ", (3.0,), {"roll_deg": 4.0}),
    ],
)
def test_a_rack_is_read_tile_by_tile(
    reader: SquareReader, tiles: str, gaps: tuple[float, ...] | None, camera: dict[str, float]
) -> None:
    rack = rendered(tiles, gaps, **camera)
    reading = read_rack(
        rack.image_bgr, GameContext(edition=EDITION, recognizer=reader), corners_px=rack.corners_px.tolist()
    )
    assert reading.tokens == rack.tiles
    assert 0.5 < reading.confidence <= 1.0


def test_the_place_may_be_marked_roughly(reader: SquareReader) -> None:
    rack = rendered("LOÓDSVÚ")
    rough = move_row(rack.corners_px, 0.8, 0.05, 1.0)
    assert (
        read_rack(
            rack.image_bgr, GameContext(edition=EDITION, recognizer=reader), corners_px=rough.tolist()
        ).tokens
        == rack.tiles
    )


def test_a_row_is_found_without_a_place(reader: SquareReader) -> None:
    rack = rendered("HRAKIÐÞ")
    assert read_rack(rack.image_bgr, GameContext(edition=EDITION, recognizer=reader)).tokens == rack.tiles


def test_an_empty_place_holds_nothing_and_an_empty_picture_no_row(reader: SquareReader) -> None:
    grey = np.full((200, 600, 3), 110, np.uint8)
    place = [[50, 60], [550, 60], [550, 120], [50, 120]]
    assert read_rack(grey, GameContext(edition=EDITION, recognizer=reader), corners_px=place).tokens == ()
    assert find_tile_rows(grey) == ()
    with pytest.raises(BoardNotFoundError, match="no row of tiles"):
        read_rack(grey, GameContext(edition=EDITION, recognizer=reader))


def test_what_is_no_picture_is_refused(reader: SquareReader) -> None:
    """Levels from 0 to 1 were read as a black picture, without a tile."""
    context = GameContext(edition=EDITION, recognizer=reader)
    place = [[50, 60], [550, 60], [550, 120], [50, 120]]
    levels: Any = np.full((200, 600, 3), 0.4, np.float32)
    with pytest.raises(ValueError, match="expected uint8 with levels from 0 to 255, got float32"):
        read_rack(levels, context, corners_px=place)
    with pytest.raises(ValueError, match="expected shape"):
        read_rack(np.full((200, 600), 110, np.uint8), context)
    with pytest.raises(BoardNotFoundError, match="no row of tiles"):
        read_rack(np.zeros((0, 600, 3), np.uint8), context)


@pytest.mark.parametrize("size_px", [(1, 1), (4, 4), (5, 400), (4000, 20), (1, 3000)])
def test_a_picture_too_small_for_a_row_has_none(size_px: tuple[int, int]) -> None:
    assert find_tile_rows(np.full((*size_px, 3), 110, np.uint8)) == ()


def test_the_row_of_a_large_picture_is_found_where_it_is() -> None:
    large = np.full((1440, 2560, 3), 60, np.uint8)
    large[600:760, 400:1360] = 230
    row = find_tile_rows(large)[0]
    assert row.mean(axis=0) == pytest.approx([879.5, 679.5], abs=0.3)


def test_a_place_that_is_no_row_is_refused(reader: SquareReader) -> None:
    tall = [[50, 0], [60, 0], [60, 190], [50, 190]]
    with pytest.raises(SettingsError, match="times as long as it is high"):
        read_rack(
            np.zeros((200, 600, 3), np.uint8),
            GameContext(edition=EDITION, recognizer=reader),
            corners_px=tall,
        )


@pytest.mark.parametrize(
    ("place", "message"),
    [
        ([[1100, 100], [1500, 100], [1500, 160], [1100, 160]], "outside the picture of 600x200"),
        ([[100, -900], [500, -900], [500, -840], [100, -840]], "outside the picture of 600x200"),
        ([[100, 100], [107, 100], [107, 101], [100, 101]], "1.0 pixels a square"),
    ],
)
def test_a_place_outside_of_the_picture_or_too_small_is_refused(
    reader: SquareReader, place: list[list[int]], message: str
) -> None:
    grey = np.full((200, 600, 3), 110, np.uint8)
    with pytest.raises(SettingsError, match=message):
        read_rack(grey, GameContext(edition=EDITION, recognizer=reader), corners_px=place)


@pytest.mark.parametrize(
    ("tiles", "gaps", "message"),
    [
        ("AB", (0.1,), "give one a tile"),
        ("A", (9.0,), "all fit"),
        ("A", (-1.0,), "none below 0"),
        ("Q", (0.1,), "no Q"),
    ],
)
def test_racks_that_cannot_be_are_not_rendered(tiles: str, gaps: tuple[float, ...], message: str) -> None:
    with pytest.raises(SpecificationError, match=message):
        rendered(tiles, gaps)
