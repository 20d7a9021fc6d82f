"""Tell blanks from letters by the colour of their ink, compared with the other tiles of the board.

The letters of a set are printed in one ink. A sticker, a coloured dot or a letter in pen on a blank mostly has another
colour or another depth.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.core import Floats, Mask, Occupancy, RectifiedBoard, median

__all__ = ["weigh_ink"]


@dataclass(frozen=True, slots=True, kw_only=True)
class InkSettings:
    """Weights and thresholds of the comparison. The weights are fitted, the others chosen.

    Parameters
    ----------
    weight, bias : float
        Of the comparison in the log-odds of a blank, and what is added to them. Fitted by logistic regression on the
        tiles of 290 rendered boards of `tests.sets.hard_blanks`, typefaces of training.
    max_log_odds : float
        Log-odds at most that are added.
    min_reference : float
        Probability of a letter from which a tile is compared with.
    min_references : int
        Number of such tiles that is needed.
    ring : (float, float)
        Where the bare face is seen: distances from the square's edge, as shares of its side.
    min_difference_lab : float
        Difference from the face from which a pixel is ink.
    min_ink_lab : float
        Mean difference, over the middle of a tile, from which there is ink at all.
    min_scale_lab : float
        Usual distance of the ink of one letter from that of all, at least.
    scale_per_median : float
        The same as a multiple of the median distance of the board's letters.
    """

    weight: float = 0.82
    bias: float = -1.3
    max_log_odds: float = 3.0
    min_reference: float = 0.9
    min_references: int = 5
    ring: tuple[float, float] = (0.13, 0.23)
    min_difference_lab: float = 8.0
    min_ink_lab: float = 0.5
    min_scale_lab: float = 4.0
    scale_per_median: float = 1.5


SETTINGS = InkSettings()

_CELL_PX = 16
"""Side of a cell in which ink is measured; letters need not be legible."""


def weigh_ink(rectified: RectifiedBoard, occupancy: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the occupancy with tiles more probably blanks whose ink differs from that of the others.

    That there is a tile stays as probable as it was.

    Parameters
    ----------
    rectified : RectifiedBoard
        The rectified board.
    occupancy : (rows, columns, 4) float32
        The occupancy of each square.
    """
    pieces = occupancy[..., Occupancy.TILE] + occupancy[..., Occupancy.BLANK]
    is_piece, is_letter = pieces > 0.5, occupancy[..., Occupancy.TILE] > SETTINGS.min_reference
    if is_letter.sum() < SETTINGS.min_references:
        return occupancy
    differences = _compare_ink(rectified, is_piece, is_letter[is_piece])
    log_odds = (SETTINGS.weight * differences + SETTINGS.bias).clip(0, SETTINGS.max_log_odds)
    blank = occupancy[is_piece, Occupancy.BLANK] * np.exp(log_odds)
    tile = occupancy[is_piece, Occupancy.TILE]
    result = occupancy.copy()
    result[is_piece, Occupancy.BLANK] = pieces[is_piece] * blank / (blank + tile)
    result[is_piece, Occupancy.TILE] = pieces[is_piece] * tile / (blank + tile)
    return result


def _compare_ink(rectified: RectifiedBoard, is_piece: Mask, is_letter: Mask) -> Floats:
    """Compare the ink of tiles with that of the certain letters.

    Parameters
    ----------
    rectified : RectifiedBoard
        The rectified board.
    is_piece : (rows, columns) bool
        The squares with tiles, n of them.
    is_letter : (n,) bool
        Which of them are certain letters.

    Returns
    -------
    (n,) float64
        Negative log-likelihood of a Cauchy distribution, up to a constant; 0 for a tile without ink.
    """
    ink, amount = _measure_ink(rectified, is_piece)
    has_ink = amount > SETTINGS.min_ink_lab
    printed = ink[is_letter & has_ink]
    if len(printed) < SETTINGS.min_references:
        return np.zeros(len(ink))
    distances = np.linalg.norm(ink - np.median(printed, axis=0), axis=-1)
    usual = SETTINGS.scale_per_median * float(np.median(distances[is_letter & has_ink]))
    scale = max(SETTINGS.min_scale_lab, usual)
    return np.where(has_ink, np.log1p((distances / scale) ** 2), 0.0)


def _measure_ink(rectified: RectifiedBoard, is_piece: Mask) -> tuple[Floats, Floats]:
    """Return the mean difference (n, 3) of each tile's ink from its face in Lab, and the amount (n,) of ink."""
    small = rectified.resize(_CELL_PX, rectified.margin_px * _CELL_PX // rectified.cell_px)
    cells = small.interior_bgr.reshape(small.rows, _CELL_PX, small.columns, _CELL_PX, 3).swapaxes(1, 2)
    tiles = cells[is_piece].reshape(-1, _CELL_PX**2, 3).astype(np.float32) / 255
    lab = cv2.cvtColor(tiles, cv2.COLOR_BGR2Lab)
    from_edge = np.minimum(np.arange(_CELL_PX), np.arange(_CELL_PX)[::-1])
    depth = np.minimum(from_edge[:, None], from_edge).ravel()
    first, last = (round(share * _CELL_PX) for share in SETTINGS.ring)
    faces = median(np.ascontiguousarray(lab[:, (depth >= first) & (depth < last)].swapaxes(1, 2)))
    differences = lab[:, depth >= last] - faces[:, None]
    weights = np.maximum(np.linalg.norm(differences, axis=-1) - SETTINGS.min_difference_lab, 0)
    total = weights.sum(axis=1)
    ink = (weights[..., None] * differences).sum(axis=1) / np.maximum(total, 1e-6)[:, None]
    return np.asarray(ink, np.float64), np.asarray(total / weights.shape[1], np.float64)
