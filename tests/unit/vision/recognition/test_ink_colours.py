"""Tiles whose ink differs from that of the other tiles are more probably blanks."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from vision.core import Occupancy, RectifiedBoard
from vision.recognition.ink_colours import weigh_ink

CELL_PX, MARGIN_PX = 32, 8
BLACK, PURPLE = (30, 30, 30), (150, 40, 160)
LETTERS = [(0, column) for column in range(8)]
SIGN = (1, 0)


def board(sign_bgr: tuple[int, int, int] | None, ink_bgr: tuple[int, int, int] = BLACK) -> RectifiedBoard:
    """Two rows of eight tiles: letters in the first, and in the second a disc or nothing on the first tile."""
    image = np.full((2 * CELL_PX + 2 * MARGIN_PX, 8 * CELL_PX + 2 * MARGIN_PX, 3), (190, 225, 235), np.uint8)
    for row, column in [*LETTERS, SIGN]:
        x, y = (MARGIN_PX + CELL_PX * place + CELL_PX // 2 for place in (column, row))
        if (row, column) != SIGN:
            cv2.putText(image, "RNAEKSTU"[column], (x - 6, y + 6), cv2.FONT_HERSHEY_SIMPLEX, 0.6, ink_bgr, 2)
        elif sign_bgr is not None:
            cv2.circle(image, (x, y), 7, sign_bgr, cv2.FILLED)
    return RectifiedBoard(image, 2, 8, CELL_PX, MARGIN_PX)


def occupancy() -> np.ndarray:
    """Certain letters in the first row, and in the second a tile that is probably one; the rest is empty."""
    result = np.zeros((2, 8, 4), np.float32)
    result[..., Occupancy.EMPTY] = 1.0
    for square in LETTERS:
        result[square] = np.eye(4)[Occupancy.TILE] * 0.98 + 0.005
    result[SIGN] = np.eye(4)[Occupancy.TILE] * 0.7 + np.eye(4)[Occupancy.BLANK] * 0.2 + 0.025
    return result


@pytest.mark.parametrize("ink_bgr", [BLACK, (40, 40, 200)], ids=["black print", "red print"])
def test_a_coloured_disc_is_rather_a_blank(ink_bgr: tuple[int, int, int]) -> None:
    before, after = occupancy(), weigh_ink(board(PURPLE, ink_bgr), occupancy())
    assert after[SIGN][Occupancy.BLANK] > 0.6
    assert after[SIGN][Occupancy.EMPTY] == pytest.approx(before[SIGN][Occupancy.EMPTY])
    assert after.sum(axis=-1) == pytest.approx(before.sum(axis=-1))
    assert after[0, :, Occupancy.TILE].min() > 0.97


@pytest.mark.parametrize("sign_bgr", [BLACK, None], ids=["the ink of the letters", "no ink"])
def test_the_same_ink_and_none_say_hardly_anything(sign_bgr: tuple[int, int, int] | None) -> None:
    # a disc has a little more ink than the blurred strokes of letters
    assert weigh_ink(board(sign_bgr), occupancy())[SIGN] == pytest.approx(occupancy()[SIGN], abs=0.1)


def test_few_letters_are_no_comparison() -> None:
    few = occupancy()
    few[0, :4] = np.eye(4)[Occupancy.EMPTY]
    assert weigh_ink(board(PURPLE), few) is few
