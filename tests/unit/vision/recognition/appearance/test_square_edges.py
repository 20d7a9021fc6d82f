from __future__ import annotations

import cv2
import numpy as np
import pytest

from vision.core import Mask, RectifiedBoard
from vision.recognition.appearance.square_edges import cauchy_log_ratio, compare_edges

CELL, MARGIN, SIDE = 32, 8, 9
BOARD, FACE, SHADOW = (150, 180, 190), (150, 178, 192), (90, 110, 120)
"""Tiles have nearly the board's colour: only their shadow tells."""
TILES = {(row, column) for row in (2, 5) for column in range(1, 8)} | {
    (row, column) for row in (3, 4) for column in (2, 4)
}


def board(tiles: set[tuple[int, int]]) -> RectifiedBoard:
    """Tiles that throw a shadow to the right and below, under which the next tile may lie."""
    size = SIDE * CELL + 2 * MARGIN
    image = np.full((size, size, 3), BOARD, np.uint8)
    for colour, shift in ((SHADOW, 3), (FACE, 0)):
        for row, column in tiles:
            y, x = MARGIN + row * CELL + shift, MARGIN + column * CELL + shift
            cv2.rectangle(image, (x + 1, y + 1), (x + CELL - 2, y + CELL - 2), colour, -1)
    noise = np.random.default_rng(2).normal(0, 2, image.shape)
    return RectifiedBoard(
        image_bgr=np.clip(image + noise, 0, 255).astype(np.uint8),
        rows=SIDE,
        columns=SIDE,
        cell_px=CELL,
        margin_px=MARGIN,
    )


def mask(squares: set[tuple[int, int]]) -> Mask:
    return np.array([(row, column) in squares for row in range(SIDE) for column in range(SIDE)])


def ratios(shown: set[tuple[int, int]], asked: list[tuple[int, int]]) -> list[float]:
    """Log-likelihood ratios of squares of which it is unknown what they hold."""
    numbers = np.array([row * SIDE + column for row, column in asked])
    known = mask(set(asked))
    found = compare_edges(board(shown), numbers, ~mask(shown) & ~known, mask(shown) & ~known)
    return [float(ratio) for ratio in found]


def test_a_tile_of_the_boards_colour_is_distinguished_from_an_empty_square_by_its_edges() -> None:
    tile, empty = ratios(TILES, [(5, 3), (6, 5)])
    assert tile > 2
    assert empty < -2


def test_squares_that_touch_no_tile_are_left_open() -> None:
    assert ratios(TILES, [(0, 0), (8, 8)]) == [0.0, 0.0]


def test_sides_of_which_too_few_are_known_are_left_open() -> None:
    few = {(4, 3), (4, 4), (4, 5)}
    assert ratios(few, [(4, 4), (3, 3)]) == [0.0, 0.0]


def test_one_number_for_each_square_also_where_a_part_of_the_board_is_seen() -> None:
    whole = board(TILES)
    part = RectifiedBoard(
        image_bgr=whole.image_bgr[: 7 * CELL + 2 * MARGIN],
        rows=7,
        columns=SIDE,
        cell_px=CELL,
        margin_px=MARGIN,
    )
    size = 7 * SIDE
    of_part = compare_edges(part, np.arange(size), ~mask(TILES)[:size], mask(TILES)[:size])
    assert of_part.shape == (size,)


def test_the_ratio_favours_the_nearer_kind() -> None:
    near_tile, between, near_empty = cauchy_log_ratio(np.array([3.0, 1.0, 0.0]), np.array([0.0, -1.0, 3.0]))
    assert near_tile == pytest.approx(np.log(10))
    assert between == 0
    assert near_empty == -near_tile
