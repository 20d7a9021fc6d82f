"""The colours of premium squares are about the same in any light, and unknown where too few squares are bare."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pytest

from scoring import Board, Placement, Premium, load_edition
from tilesight.digitise.games.grouping import SETTINGS
from tilesight.digitise.reading.premium_colours import colour_distance, measure_premium_colours
from vision.core import RectifiedBoard

LAYOUT = load_edition("english").layout
CELL_PX = 16
PAINT = {
    Premium.PLAIN: (150, 160, 170),
    Premium.DOUBLE_LETTER: (200, 160, 120),
    Premium.TRIPLE_LETTER: (180, 90, 40),
    Premium.DOUBLE_WORD: (150, 150, 220),
    Premium.TRIPLE_WORD: (50, 50, 200),
}


def painted(light: Sequence[float] = (1.0, 1.0, 1.0), red: int = 0) -> RectifiedBoard:
    """A board in light of some blue, green and red, whose triple-word squares may have less red."""
    colours = np.array([[PAINT[premium] for premium in row] for row in LAYOUT.premiums], float)
    is_triple = np.array([[premium is Premium.TRIPLE_WORD for premium in row] for row in LAYOUT.premiums])
    colours[is_triple, 2] -= red
    image = np.kron(np.array(light) * colours, np.ones((CELL_PX, CELL_PX, 1))).astype(np.uint8)
    return RectifiedBoard(image_bgr=image, rows=15, columns=15, cell_px=CELL_PX, margin_px=0)


def distance(first: RectifiedBoard, second: RectifiedBoard) -> float:
    """The distance of two empty boards."""
    colours = [measure_premium_colours(each, Board.empty(LAYOUT), LAYOUT) for each in (first, second)]
    return colour_distance(*colours)


@pytest.mark.parametrize("light", [(0.8, 0.8, 0.8), (0.9, 1.0, 1.1), (1.2, 1.0, 0.8), (1.0, 1.0, 0.7)])
def test_another_light_changes_little(light: Sequence[float]) -> None:
    assert distance(painted(), painted(light)) < SETTINGS.same_board_distance


def test_a_channel_that_is_nearly_black_changes_little(monkeypatch: pytest.MonkeyPatch) -> None:
    one = painted()
    monkeypatch.setitem(PAINT, Premium.TRIPLE_LETTER, (180, 90, 2))
    assert distance(one, painted()) < SETTINGS.same_board_distance


def test_another_board_differs_much() -> None:
    assert distance(painted(), painted(red=120)) > SETTINGS.other_board_distance


def test_kinds_that_tiles_cover_are_unknown() -> None:
    corners = [
        Placement(row=row, column=column, token="A")
        for row, line in enumerate(LAYOUT.premiums)
        for column, premium in enumerate(line)
        if premium is Premium.TRIPLE_WORD
    ]
    full = measure_premium_colours(painted(), Board.empty(LAYOUT).with_tiles(corners), LAYOUT)
    known = {premium.name for premium, colour in zip(list(Premium)[1:], full, strict=True) if colour}
    assert known == {"DOUBLE_LETTER", "TRIPLE_LETTER", "DOUBLE_WORD"}
    assert math.isnan(colour_distance(full, [[]] * len(full)))


@pytest.mark.parametrize("unknown", [(), [[]] * 4])
def test_unknown_colours_have_no_distance(unknown: list[list[float]]) -> None:
    assert math.isnan(colour_distance(unknown, [[0.1, 0.2, 0.3]] * 4))
