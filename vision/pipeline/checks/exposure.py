"""Check the exposure of a board that was read, and how even its light is.

Over-exposed boards are refused, because a tile that is burnt to white looks like no tile.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from scoring import Layout, Premium
from vision.core import Floats, Mask, Occupancy, RectifiedBoard, SquareProbabilities
from vision.errors import BoardNotFoundError

__all__ = ["check_exposure", "find_burnt_squares", "find_white_squares", "has_uneven_light"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ExposureSettings:
    """When a board is refused as too bright, and when a square is white. Chosen, where nothing else is said."""

    white_level: int = 250
    """Level of all three colours from which on a pixel is white."""
    max_white_share: float = 0.12
    """Share of white pixels of the board. Scenes 60,000 to 60,013 of `tests.sets.scenes`, made 1.6 to 4.5 times as
    bright: those that lost more than one tile have 0.22 and more. None of the labelled photos has 0.01."""
    ink_percentile: float = 2.0
    """Percentile of grey levels that is the ink's, of the board and of each tile."""
    max_ink_level: int = 125
    """Level of the ink even where the board itself is white, as on a screen."""
    max_face_level: int = 235
    """Median level of a tile whose face the light has not burnt."""
    min_clear_letters: float = 0.9
    """Mean probability of the letters of an undamaged board. Of those scenes that lost more than one tile, one exceeds
    it, and its ink is burnt."""
    max_burnt_share: float = 0.3
    """Share of white pixels of a square whose colour shows. Where half of the empty squares have more, the board itself
    is white, as on a screen."""
    min_hidden_share: float = 0.6
    """Share of white pixels of a square on which no tile would show."""
    max_light_ratio: float = 2.0
    """Level of the brightest squares of a kind, relative to the darkest ones, in even light: 1.94 at most on 107
    labelled photos. With the sun on a part of the board (`tests.sets.altered_photos`), it is 3.6 and more."""
    extreme_percentile: float = 5.0
    """Percentile of the levels, at either end, that is that of the darkest and the brightest squares."""
    min_squares: int = 8
    """Squares of a kind whose levels can be compared."""


SETTINGS = ExposureSettings()


def check_exposure(board: RectifiedBoard, probabilities: SquareProbabilities) -> None:
    """Refuse an over-exposed board.

    Parameters
    ----------
    board : RectifiedBoard
        The rectified board.
    probabilities : SquareProbabilities
        What was read on it.

    Raises
    ------
    BoardNotFoundError
        If much of it is pure white, and nothing on it is dark.
    """
    white = _white_shares(board).mean()
    if white < SETTINGS.max_white_share:
        return
    grey = np.asarray(cv2.cvtColor(board.interior_bgr[::2, ::2], cv2.COLOR_BGR2GRAY), np.uint8)
    ink = float(np.percentile(grey, SETTINGS.ink_percentile))
    if ink > SETTINGS.max_ink_level and not _has_clear_ink(grey, probabilities):
        raise BoardNotFoundError(
            f"no board found: the board is too bright to be read, {white:.0%} of it are pure white and hardly anything "
            f"is darker than level {ink:.0f} of 255; expose shorter, or avoid glare"
        )


def _has_clear_ink(grey: NDArray[np.uint8], probabilities: SquareProbabilities) -> bool:
    """Whether tiles are read clearly, and each has dark ink or a face that is not white: then none was burnt."""
    tiles = probabilities.shows_letter
    if not tiles.any() or probabilities.letters[tiles].max(axis=-1).mean() < SETTINGS.min_clear_letters:
        return False
    rows, columns = tiles.shape
    cells = (
        np.array_split(np.array_split(grey, rows)[row], columns, axis=1)[column]
        for row, column in np.argwhere(tiles)
    )
    return all(
        np.percentile(cell, SETTINGS.ink_percentile) <= SETTINGS.max_ink_level
        or np.median(cell) < SETTINGS.max_face_level
        for cell in cells
    )


def find_burnt_squares(board: RectifiedBoard, probabilities: SquareProbabilities) -> Mask:
    """Find squares that look empty since the mirror image of a lamp, or a flash, may hide a tile there.

    Parameters
    ----------
    board : RectifiedBoard
        The rectified board.
    probabilities : SquareProbabilities
        What was read on it.

    Returns
    -------
    (rows, columns) bool
        None on a board that is white itself.
    """
    is_empty = probabilities.occupancy[..., Occupancy.EMPTY] > 0.5
    return _find_white(board, is_empty, SETTINGS.min_hidden_share)


def find_white_squares(board: RectifiedBoard, empty: Mask) -> Mask:
    """Find empty squares (rows, columns) whose colour does not show, since a lamp burns them to white."""
    return _find_white(board, empty, SETTINGS.max_burnt_share)


def has_uneven_light(board: RectifiedBoard, probabilities: SquareProbabilities, layout: Layout) -> bool:
    """Whether tiles, or plain empty squares, are much brighter on one part of the board than on another.

    Parameters
    ----------
    board : RectifiedBoard
        The rectified board.
    probabilities : SquareProbabilities
        What was read on it.
    layout : Layout
        The board's layout.
    """
    grey = cv2.cvtColor(board.interior_bgr, cv2.COLOR_BGR2GRAY)
    levels = cv2.resize(grey, (board.columns, board.rows), interpolation=cv2.INTER_AREA).astype(np.float64)
    is_plain = np.array([[premium is Premium.PLAIN for premium in row] for row in layout.premiums])
    is_empty = probabilities.occupancy[..., Occupancy.EMPTY] > 0.5
    for kind in (probabilities.shows_letter, is_empty & is_plain):
        if kind.sum() >= SETTINGS.min_squares:
            ends = SETTINGS.extreme_percentile, 100 - SETTINGS.extreme_percentile
            darkest, brightest = np.percentile(levels[kind], ends)
            if brightest > SETTINGS.max_light_ratio * darkest:
                return True
    return False


def _find_white(board: RectifiedBoard, empty: Mask, min_share: float) -> Mask:
    """Find empty squares (rows, columns) that a lamp burns to white, by the share of their pixels that is white.

    There are none on a board that is white itself, as on a screen.
    """
    share = _white_shares(board)
    is_white_itself = 2 * np.count_nonzero(share[empty] > SETTINGS.max_burnt_share) >= np.count_nonzero(empty)
    return np.asarray(empty & (share > min_share) & (not is_white_itself))


@functools.lru_cache(maxsize=1)  # several checks of one photo ask
def _white_shares(board: RectifiedBoard) -> Floats:
    """Share (rows, columns) of pure white pixels of each square."""
    # every other row: half the time
    is_white = cv2.inRange(board.interior_bgr[::2], (SETTINGS.white_level,) * 3, (255,) * 3)
    size = board.columns, board.rows
    return np.asarray(cv2.resize(is_white, size, interpolation=cv2.INTER_AREA) / 255, np.float64)
