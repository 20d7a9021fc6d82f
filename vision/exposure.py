"""Is so much of a board burnt to pure white that letters may be gone? It is refused: a lost tile looks like no tile."""

from __future__ import annotations

import cv2
import numpy as np

from vision.errors import BoardNotFoundError
from vision.rectified import RectifiedBoard

__all__ = ["check_exposure"]

_WHITE, _MOST_WHITE = 250, 0.12
"""Levels of all three colours, and the share of the board's pixels: of labelled photos none has 0.01, of rendered ones
that a person can read none 0.06; those that lost letters have 0.16 and more."""

_NOTHING_DARK = 125
"""Level below which a fiftieth of the board lies even where white is its colour, as on a screen: the ink."""


def check_exposure(board: RectifiedBoard) -> None:
    """Passes a board that is not burnt out.

    Parameters
    ----------
    board : RectifiedBoard
        The straightened picture.

    Raises
    ------
    BoardNotFoundError
        If much of it is pure white and nothing on it dark.
    """
    rim = board.margin_px
    image_bgr = board.image_bgr[rim : -rim or None : 2, rim : -rim or None : 2]
    white = float((image_bgr.min(axis=2) >= _WHITE).mean())
    if white < _MOST_WHITE:
        return
    dark = float(np.percentile(cv2.cvtColor(image_bgr, cv2.COLOR_BGR2GRAY), 2))
    if dark > _NOTHING_DARK:
        raise BoardNotFoundError(
            f"no board found: the board is too bright to be read, {white:.0%} of it are pure white and hardly anything "
            f"is darker than level {dark:.0f} of 255; expose shorter, or avoid glare"
        )
