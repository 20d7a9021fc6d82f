"""Re-score the occupancy of ambiguous squares by the colours of the board's own tiles and empty squares.

One square's pixels cannot always tell. A pale square between tiles resembles a blank, a wooden blank resembles a wooden
board, the print of a premium square now and then a letter, and a plain square without lines a sleeve. But on one board
all tiles have one kind of face, and empty squares have a few colours that occur elsewhere on it too.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.core import Occupancy, RectifiedBoard, median

__all__ = ["occupancy_by_colour"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ColourSettings:
    """Thresholds of the comparison of colours; all chosen.

    Parameters
    ----------
    min_reference : float
        Probability from which a square is a reference for its kind.
    min_references : int
        Number of references of a kind from which it is known.
    min_ambiguous : float
        A square is re-scored where both a piece and an empty square have at least this probability.
    noise_lab : float
        Lab distance of squares of one kind, from noise, print and wood grain.
    lightness_weight : float
        Shadows and glare change the lightness of a colour more than its hue, so it counts for less.
    light_per_board_lab : float
        Lab distance that light adds across the whole board.
    max_log_odds : float
        Log-odds at most that colour adds.
    usual_tile_lab : float
        Distance of tiles from squares on a board with hardly a tile.
    max_log_odds_unknown : float
        Log-odds at most against a tile on such a board.
    min_cover_lab : float
        Usual distance of covers from squares, at least.
    near_empty_rank : int
        Rank, from 0, of the nearest empty square that is compared: not the nearest one, which may be misread.
    near_tile_quantile : float
        Quantile of the distances to tiles: all faces have one colour, so a good part of them must be near.
    """

    min_reference: float = 0.9
    min_references: int = 5
    min_ambiguous: float = 0.004
    noise_lab: float = 2.0
    lightness_weight: float = 0.5
    light_per_board_lab: float = 4.0
    max_log_odds: float = 3.25
    usual_tile_lab: float = 8.0
    max_log_odds_unknown: float = 2.0
    min_cover_lab: float = 6.0
    near_empty_rank: int = 1
    near_tile_quantile: float = 0.3


SETTINGS = ColourSettings()

_FAR = 1e3
"""Distance of a square from itself, so that it is not its own reference."""


def occupancy_by_colour(rectified: RectifiedBoard, occupancy: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the occupancy after comparing ambiguous squares with the board's tiles and empty squares.

    Parameters
    ----------
    rectified : RectifiedBoard
        The rectified board.
    occupancy : (rows, columns, 4) float32
        The occupancy of each square by itself.

    Returns
    -------
    (rows, columns, 4) float32
        Unchanged where no square is ambiguous, or there is too little to compare with.
    """
    empty, tile, blank = (occupancy[..., kind] for kind in (Occupancy.EMPTY, Occupancy.TILE, Occupancy.BLANK))
    piece, covered = tile + blank, occupancy[..., Occupancy.COVERED]
    is_ambiguous = (np.minimum(np.maximum(piece, covered), empty) > SETTINGS.min_ambiguous) & (
        empty + piece + covered > 0.5
    )
    empties, tiles = empty > SETTINGS.min_reference, tile > SETTINGS.min_reference
    if not is_ambiguous.any() or empties.sum() < SETTINGS.min_references:
        return occupancy
    colours = _face_colours(rectified)
    positions = np.moveaxis(np.indices(empty.shape, np.float32), 0, -1)
    at = np.nonzero(is_ambiguous)
    # from every ambiguous square to every square
    distances = np.linalg.norm(colours - colours[at][:, None, None], axis=-1)
    distances += (
        SETTINGS.light_per_board_lab
        * np.linalg.norm(positions - positions[at][:, None, None], axis=-1)
        / max(empty.shape)
    )
    distances[np.arange(len(distances)), *at] = _FAR
    to_empty = np.partition(distances[:, empties], SETTINGS.near_empty_rank, axis=1)[
        :, SETTINGS.near_empty_rank
    ]
    limits = (-SETTINGS.max_log_odds, SETTINGS.max_log_odds)
    if tiles.sum() >= SETTINGS.min_references:
        to_tile = np.quantile(distances[:, tiles], SETTINGS.near_tile_quantile, axis=1)
    else:
        to_tile = np.full(len(distances), SETTINGS.usual_tile_lab)
        limits = (-SETTINGS.max_log_odds_unknown, 0.0)
    variance = 2 * SETTINGS.noise_lab**2
    for_piece = np.clip((to_empty**2 - to_tile**2) / variance, *limits)
    # The colour of covers is not known; but a square that looks like the board is not covered.
    against_cover = np.clip((SETTINGS.min_cover_lab**2 - to_empty**2) / variance, 0, SETTINGS.max_log_odds)
    result = occupancy.copy()
    result[..., Occupancy.TILE][at] *= np.exp(for_piece)
    result[..., Occupancy.BLANK][at] *= np.exp(for_piece)
    result[..., Occupancy.COVERED][at] *= np.exp(-against_cover)
    result[at] /= result[at].sum(axis=-1, keepdims=True)
    return result


def _face_colours(rectified: RectifiedBoard) -> NDArray[np.float32]:
    """Return the median Lab colour (rows, columns, 3) of each square's middle; ink is too little to move it."""
    rows, columns, cell = rectified.rows, rectified.columns, rectified.cell_px
    border = cell // 4
    cells = rectified.interior_bgr.reshape(rows, cell, columns, cell, 3).swapaxes(1, 2)
    # every second pixel is enough, and is picked before the costly conversion of colours
    picked = cells[:, :, border : cell - border : 2, border : cell - border : 2].astype(np.float32) / 255
    lab = cv2.cvtColor(picked.reshape(rows * columns, -1, 3), cv2.COLOR_BGR2Lab)
    # channels first: each median is of numbers that are next to each other in memory
    faces = median(np.ascontiguousarray(lab.reshape(rows, columns, -1, 3).swapaxes(2, 3)))
    return np.asarray(faces, np.float32) * np.array((SETTINGS.lightness_weight, 1, 1), np.float32)
