"""What a change of the pixels says about a reading: readings in, readings out.

A board whose empty squares are known by sight: what looks as it did then is empty, and what does not is not.
"""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
from numpy.typing import NDArray

from scoring import EMPTY, Board
from vision.core import Occupancy, RectifiedBoard, SquareProbabilities

__all__ = ["compare_with_empty_board", "weigh_changed_squares"]

EMPTY_THOUGH_CHANGED, STRONG = 0.1, 2.0
"""Shadows and nudges change empty squares too, but fewer of them than tiles do, and seldom more strongly than
so many times what counts as a change: beyond, the odds fall with the square of the strength."""
TILES_LAID, SQUARES_LIT = 14, 60
"""Two plays change fewer squares than the first; a lamp or another pose of the board more than the second,
and then a change says nothing of a square."""
COVERED_BY_NOTHING = 0.01
"""An empty square that looks covered while no hand reaches over the board's edge is an odd square."""


def weigh_changed_squares(
    reading: SquareProbabilities, strength: NDArray[np.float64], board: Board, *, may_hide: bool
) -> SquareProbabilities:
    """The reading, with the pixels' change as a witness: where nothing lay, a change makes emptiness less likely.

    Parameters
    ----------
    reading : BoardReading
        What the reader saw.
    strength : (rows, columns) float64
        How strongly each square changed; above 1 counts as a change.
    board : Board
        What lay there before.
    may_hide : bool
        Whether a hand or a thing that came over the board's edge can lie there. What covers a tile is believed in
        any case: no tile looks covered by itself.
    """
    was_empty = np.array([[token == EMPTY for token in row] for row in board.rows])
    changed = strength > 1.0
    many = (int(changed.sum()) - TILES_LAID) / (SQUARES_LIT - TILES_LAID)
    filled = changed & was_empty
    odds = EMPTY_THOUGH_CHANGED * np.minimum(1.0, (STRONG / strength[filled]) ** 2)
    occupancy = reading.occupancy.copy()
    occupancy[filled, Occupancy.EMPTY] *= np.maximum(odds, min(max(many, 0.0), 1.0)).astype(np.float32)
    if not may_hide:
        occupancy[was_empty, Occupancy.COVERED] *= COVERED_BY_NOTHING
    occupancy /= occupancy.sum(axis=-1, keepdims=True)
    return replace(reading, occupancy=occupancy)


Floats = NDArray[np.float64]

_SURELY_EMPTY = 0.9
_MIN_EMPTY = 30
"""Squares that the reader is sure of: the light is measured on them."""

_ALIKE, _UNLIKE = 3.0, 8.0
"""Deviations of empty squares' differences, up to which a square looks empty, and from which it does not."""

_MIN_SPREAD = 1.5
_MIN_UNLIKE = 14.0
"""Grey levels: a shadow's edge changes a square by less than that."""

_WEIGHT = np.log(20.0)
"""A witness that is wrong once in twenty: shadows fall, and tiles of the board's own colour exist."""

_SHIFTS = ((1, 0), (-1, 0), (0, 1), (0, -1))


def compare_with_empty_board(
    reading: SquareProbabilities, rectified: RectifiedBoard, empty_bgr: NDArray[np.uint8]
) -> SquareProbabilities:
    """The reading, its occupancy weighed with how each square looked when it was empty.

    Parameters
    ----------
    reading : BoardReading
        What a reader saw.
    rectified : RectifiedBoard
        The picture that it saw it in.
    empty_bgr : (rows * cell, columns * cell, 3) uint8
        The empty board from above, from any of its sides.

    Returns
    -------
    BoardReading
        Unchanged where too few squares are clearly empty to compare by.
    """
    rows, columns = rectified.rows, rectified.columns
    sure = reading.occupancy[..., Occupancy.EMPTY] > _SURELY_EMPTY
    if sure.sum() < _MIN_EMPTY or empty_bgr.shape[0] // rows != empty_bgr.shape[1] // columns:
        return reading
    cell_px = empty_bgr.shape[0] // rows
    seen_bgr, inner = _inner(rectified, cell_px), _inside_of_squares(rows, columns, cell_px)
    turns = range(4) if rows == columns else (0, 2)
    # boards look much alike from all four sides; their texts do not
    known = [_in_this_light(np.rot90(empty_bgr, turn), seen_bgr, sure, cell_px) for turn in turns]
    straight = [_difference(seen_bgr, board_bgr, inner, cell_px) for board_bgr in known]
    best = min(range(len(known)), key=lambda index: float(np.median(straight[index][sure])))
    shifted = [
        _difference(seen_bgr, np.roll(known[best], shift, axis=(0, 1)), inner, cell_px) for shift in _SHIFTS
    ]
    difference = np.minimum.reduce([straight[best], *shifted])
    usual = float(np.median(difference[sure]))
    spread = max(1.4826 * float(np.median(np.abs(difference[sure] - usual))), _MIN_SPREAD)
    away = (difference - usual) / spread
    empty = np.where(away < _ALIKE, _WEIGHT, 0.0)
    empty = np.where((away > _UNLIKE) & (difference > _MIN_UNLIKE), -_WEIGHT, empty)
    occupancy = reading.occupancy.astype(np.float64)
    occupancy[..., Occupancy.EMPTY] *= np.exp(empty)
    occupancy /= occupancy.sum(axis=-1, keepdims=True)
    return replace(reading, occupancy=occupancy.astype(np.float32))


def _inner(rectified: RectifiedBoard, cell_px: int) -> NDArray[np.uint8]:
    """The board without its margin, at so many pixels a cell."""
    margin = rectified.margin_px
    height, width = rectified.image_bgr.shape[:2]
    inner = rectified.image_bgr[margin : height - margin, margin : width - margin]
    size = (rectified.columns * cell_px, rectified.rows * cell_px)
    return np.asarray(cv2.resize(inner, size, interpolation=cv2.INTER_AREA), np.uint8)


def _inside_of_squares(rows: int, columns: int, cell_px: int) -> NDArray[np.uint8]:
    """255 inside of the squares, 0 on their rims, where lines and neighbours are."""
    square = np.zeros((cell_px, cell_px, 3), np.uint8)
    rim = max(1, cell_px // 8)
    square[rim:-rim, rim:-rim] = 255
    return np.tile(square, (rows, columns, 1))


def _in_this_light(
    empty_bgr: NDArray[np.uint8], seen_bgr: NDArray[np.uint8], sure: NDArray[np.bool_], cell_px: int
) -> NDArray[np.uint8]:
    """The empty board as bright as it is now, by the squares that are surely empty."""
    empty = np.ascontiguousarray(empty_bgr)
    now, then = (_means(image, cell_px)[sure] for image in (seen_bgr, empty))
    gain = np.median(now / np.maximum(then, 1.0), axis=0)
    return np.asarray(cv2.multiply(empty, np.array([*gain.tolist(), 0.0])), np.uint8)


def _means(image: NDArray[np.uint8], cell_px: int) -> Floats:
    """(rows, columns, 3) each square's mean."""
    size = (image.shape[1] // cell_px, image.shape[0] // cell_px)
    return np.asarray(cv2.resize(image, size, interpolation=cv2.INTER_AREA), np.float64)


def _difference(
    seen_bgr: NDArray[np.uint8], known_bgr: NDArray[np.uint8], inner: NDArray[np.uint8], cell_px: int
) -> Floats:
    """(rows, columns) mean difference in grey levels."""
    away = np.asarray(cv2.bitwise_and(cv2.absdiff(seen_bgr, known_bgr), inner), np.uint8)
    share = float(inner.mean()) / 255
    return np.asarray(_means(away, cell_px).mean(axis=-1) / share, np.float64)
