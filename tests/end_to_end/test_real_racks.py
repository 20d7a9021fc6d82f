"""The rack that a real film shows: it is pushed about and turned, and its place was marked once."""

from __future__ import annotations

from pathlib import Path

import pytest

from scoring import load_edition
from tests.sets.real_racks import FILM_PLACE, FILM_RACKS
from vision.capture import open_picture
from vision.pipeline.rack import read_rack
from vision.pipeline.recognizers import GameContext, load_recognizer

pytestmark = [pytest.mark.slow, pytest.mark.boards]


@pytest.mark.parametrize("number", ["000", "006", "060", "083", "092"])
def test_every_tile_of_the_rack_is_read(shared: Path, number: str) -> None:
    edition = load_edition("english")
    frame = open_picture(shared / "boards" / "english-film" / f"frame_{number}.jpg")
    truth = next(tiles for numbers, tiles in FILM_RACKS.items() if number in numbers.split())
    reading = read_rack(
        frame.image_bgr,
        GameContext(edition=edition, recognizer=load_recognizer("network", edition)),
        corners_px=FILM_PLACE,
    )
    assert "".join(reading.tokens) == truth
