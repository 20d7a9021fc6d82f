"""Is so much of a board burnt to pure white that letters may be gone? It is refused: a lost tile looks like no tile."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.errors import BoardNotFoundError
from vision.readings import BoardReading, Occupancy
from vision.rectified import RectifiedBoard

__all__ = ["check_exposure"]

_WHITE, _MOST_WHITE = 250, 0.12
"""Levels of all three colours, and the share of the board's pixels.

References
----------
Scenes 60,000 to 60,013 of `tests.benchmarks.scenes`, 1.6 to 4.5 times as bright as they are: those that lost more than
one tile have 0.22 and more. Checked on labelled photos, none of which has 0.01.
"""

_NOTHING_DARK = 125
"""Level below which a fiftieth of the board lies even where white is its colour, as on a screen: the ink. Early in a
game there is less of it, and a fiftieth of each tile that is read is as dark."""

_UNBURNT = 235
"""Level below which the middle of a tile lies that the light has not burnt: white is the board's own colour then."""

_CLEARLY_READ = 0.9
"""Mean probability of the letters of an unhurt board; of those scenes that lost more than one tile it is exceeded by
one alone, whose ink is burnt."""


def check_exposure(board: RectifiedBoard, reading: BoardReading) -> None:
    """Passes a board that is not burnt out.

    Parameters
    ----------
    board : RectifiedBoard
        The straightened picture.
    reading : BoardReading
        What was read of it.

    Raises
    ------
    BoardNotFoundError
        If much of it is pure white and nothing on it dark.
    """
    rim = board.margin_px
    image_bgr = board.image_bgr[rim : -rim or None, rim : -rim or None]
    is_white = cv2.inRange(image_bgr[::2], (_WHITE,) * 3, (255,) * 3)[:, ::2]
    white = np.count_nonzero(is_white) / is_white.size
    if white < _MOST_WHITE:
        return
    grey = np.asarray(cv2.cvtColor(image_bgr[::2, ::2], cv2.COLOR_BGR2GRAY), np.uint8)
    dark = float(np.percentile(grey, 2))
    if dark > _NOTHING_DARK and not _has_clear_ink(grey, reading):
        raise BoardNotFoundError(
            f"no board found: the board is too bright to be read, {white:.0%} of it are pure white and hardly anything "
            f"is darker than level {dark:.0f} of 255; expose shorter, or avoid glare"
        )


def _has_clear_ink(grey: NDArray[np.uint8], reading: BoardReading) -> bool:
    """Whether tiles are read, clearly, and each has dark ink or a face that is not white: then none was burnt away."""
    tiles = reading.occupancy[..., Occupancy.TILE] > 0.5
    if not tiles.any() or reading.letters[tiles].max(axis=-1).mean() < _CLEARLY_READ:
        return False
    rows, columns = tiles.shape
    cells = (
        np.array_split(np.array_split(grey, rows)[row], columns, axis=1)[column]
        for row, column in np.argwhere(tiles)
    )
    return all(np.percentile(cell, 2) <= _NOTHING_DARK or np.median(cell) < _UNBURNT for cell in cells)
