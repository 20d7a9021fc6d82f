"""Screens, pairs of boards and low cameras: reproducible, with the right truth."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from samples import Camera, Light, RenderedPhoto, render_photo
from samples.errors import SpecificationError
from samples.random.screens import SCREEN_MARKS, RenderedScreen, random_screen
from samples.random.two_boards import random_pair
from samples.rendering.icelandic_set import icelandic_style
from scoring import load_edition

ENGLISH = load_edition("english")
ROWS = [["."] * 15 for _ in range(15)]
ROWS[7][5:10] = ["Q", "U", "I", "?", "T"]


def screen(seed: int, *, own_marks: bool = False) -> RenderedScreen:
    return random_screen(ROWS, ENGLISH, np.random.default_rng(seed), own_marks=own_marks)


def board(seed: int) -> RenderedPhoto:
    above = Camera(cell_px=20, distance=3.5, margins=(0.0, 0.0, 0.0, 0.0))
    return render_photo(ROWS, ENGLISH, style=icelandic_style(), camera=above, light=Light(), seed=seed)


def side_px(corners: NDArray[np.float64]) -> float:
    return float(np.linalg.norm(corners[1] - corners[0]))


@pytest.mark.parametrize("own_marks", [False, True])
def test_a_screen_is_reproducible_and_its_board_lies_inside(own_marks: bool) -> None:
    seen = set()
    for seed in (1, 2):
        first, again = (screen(seed, own_marks=own_marks) for _ in range(2))
        assert np.array_equal(first.image_bgr, again.image_bgr)
        assert first.rows == tuple(map(tuple, ROWS))
        height, width = first.image_bgr.shape[:2]
        assert (first.corners_px > -1).all()
        assert (first.corners_px < [width, height]).all()
        seen.add(first.photographed)
    assert seen == {False, True}


def test_the_layouts_of_their_own_are_square_symmetrical_and_unlike_the_edition_s() -> None:
    usual = tuple("".join(premium.value for premium in line) for line in ENGLISH.layout.premiums)
    for layout in SCREEN_MARKS:
        assert {len(line) for line in layout} == {len(layout)} == {15}
        assert layout == layout[::-1] == tuple(line[::-1] for line in layout)
        assert layout != usual


def test_the_first_of_two_boards_is_the_larger_one_and_both_are_in_view() -> None:
    for seed in range(4):
        pair = random_pair(board(1), board(2), np.random.default_rng(seed))
        height, width = pair.image_bgr.shape[:2]
        larger, smaller = pair.corners_px
        assert side_px(larger) > 1.1 * side_px(smaller)
        for corners in pair.corners_px:
            assert (corners > -1).all()
            assert (corners < [width, height]).all()


def test_a_camera_may_look_from_close_above_the_table_but_not_from_below() -> None:
    low = Camera(cell_px=20, tilt_deg=82).view(15, 15, 1.0)
    assert low.width_px > 4 * low.height_px
    with pytest.raises(SpecificationError, match="82"):
        Camera(cell_px=20, tilt_deg=90)
