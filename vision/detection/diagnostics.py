"""Why a board was not found, and what would help, in one line."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.detection.verification import MIN_LEAD, FitScores

__all__ = ["reason"]

_DARK_LEVEL, _DIM_LEVEL = 25, 80
_BRIGHT_LEVEL = 245
_FLAT_LEVELS = 6
_BLUR = 0.6
"""Crete et al.'s measure of photos in focus is about 0.3, of ones that cannot be read 0.6 and more."""

_CLEAR_EDGES = 0.5
"""Lines are there, as on a crossword; of all guesses at no board half have fewer."""


def reason(image_bgr: NDArray[np.uint8], evidence: FitScores | None) -> str:
    """The message of a refusal.

    Parameters
    ----------
    image_bgr : (height, width, 3) uint8
        The picture at about 800 px.
    evidence : Evidence or None
        What spoke for the best guess; None if there was none.

    References
    ----------
    F. Crete, T. Dolmiere, P. Ladret, M. Nicolas: The blur effect. Proc. SPIE 6492, 2007.
    """
    grey = np.asarray(cv2.cvtColor(image_bgr, cv2.COLOR_BGR2GRAY), dtype=np.uint8)
    middle = float(np.median(grey))
    low, high = np.percentile(grey, [2, 98])
    if evidence is not None and evidence.seems_there:
        light = "add light, " if high < _DIM_LEVEL else "expose shorter, " if middle > _BRIGHT_LEVEL else ""
        return (
            f"no board found: a board seems to be there, but its corners are not certain (lines lie on "
            f"{evidence.edges:.0%} of its edges, the worst corner is good to {evidence.spread:.2f} cells); "
            f"{light}come closer, hold still, look more from above, or move hands away"
        )
    if evidence is not None and evidence.edges > _CLEAR_EDGES:
        return (
            f"no board found: lines lie on {evidence.edges:.0%} of a grid's edges, but its premium squares "
            f"do not show (lead {evidence.layout_lead:.0f}, {MIN_LEAD:.0f} is needed); show the whole board, without "
            "hands, and check the edition"
        )
    if high < _DARK_LEVEL or (middle < _DARK_LEVEL and evidence is None):
        return f"no board found: the picture is dark (median level {middle:.0f} of 255); add light"
    if middle > _BRIGHT_LEVEL:
        return f"no board found: the picture is too bright (median level {middle:.0f} of 255); expose shorter"
    if high - low < _FLAT_LEVELS:
        return f"no board found: one plain surface (levels {low:.0f} to {high:.0f}); point at the board"
    blur = _blur(grey)
    if blur > _BLUR:
        return (
            f"no board found: the picture is blurred ({blur:.2f}, sharp ones are below 0.4); "
            "hold still, focus, or add light"
        )
    if evidence is None:
        return "no board found: no pattern of equal squares; show the whole board, from above, and larger"
    return (
        f"no board found: lines lie on {evidence.edges:.0%} of the best grid's edges, and no premium squares "
        "show; show the whole board, come closer, look more from above, or avoid glare"
    )


def _blur(grey: NDArray[np.uint8]) -> float:
    """How blurred a picture is, 0 to 1."""
    from skimage.measure import blur_effect  # slow to import, and of use on refusal alone

    return float(blur_effect(grey, h_size=11))
