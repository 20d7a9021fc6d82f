"""Tells tiles and covers from empty squares by the rest of the board, which one square's pixels cannot always do.

A pale square between tiles looks like a blank, a wooden blank like a wooden board, the print of a premium square
now and then like a letter, and a plain square without lines like a sleeve. But on one board all tiles
have one kind of face, and empty squares come in a few colours that stand elsewhere on it too.
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.core import Occupancy, RectifiedBoard, median

__all__ = ["occupancy_by_colour"]

# The squares that others are compared with: how sure they must be, and how many there must be of each kind.
_SURE, _LEAST = 0.9, 5
# How likely both a tile and an empty square must be for the question to be open.
_OPEN = 0.004
# Lab distance that squares of one kind have anyway, from noise, print and wood grain.
_NOISE = 2.0
# Shadows and glare change the lightness of a colour more than its hue, so it counts for less.
_LIGHTNESS = 0.5
# Light changes across the board: a square a whole board away counts as this much further off in colour.
_LIGHT = 4.0
# The natural logarithm of the odds that colour alone may add; the network's own may be larger.
_MOST = 3.25
# On a board with hardly a tile nobody knows what tiles look like: how far from the squares they usually are, and
# what it may say against a tile that looks like a square.
_USUAL, _MAX_UNKNOWN = 8.0, 2.0
# How far covers usually are from the squares at least.
_COVER = 6.0
_FAR = 1e3


def occupancy_by_colour(rectified: RectifiedBoard, occupancy: NDArray[np.float32]) -> NDArray[np.float32]:
    """Occupancy after comparing doubtful squares with the board's tiles and empty squares.

    Parameters
    ----------
    rectified : RectifiedBoard
        The straightened board.
    occupancy : (rows, columns, 4) float32
        What was seen on each square by itself.

    Returns
    -------
    (rows, columns, 4) float32
        The same where there is nothing to decide or too little to compare with.
    """
    empty, tile, blank = (occupancy[..., kind] for kind in (Occupancy.EMPTY, Occupancy.TILE, Occupancy.BLANK))
    piece, covered = tile + blank, occupancy[..., Occupancy.COVERED]
    open_squares = (np.minimum(np.maximum(piece, covered), empty) > _OPEN) & (empty + piece + covered > 0.5)
    sure_empty, sure_tile = empty > _SURE, tile > _SURE
    if not open_squares.any() or sure_empty.sum() < _LEAST:
        return occupancy
    colours = _face_colours(rectified)
    places = np.moveaxis(np.indices(empty.shape, np.float32), 0, -1)
    at = np.nonzero(open_squares)
    # from every open square to every square
    apart = np.linalg.norm(colours - colours[at][:, None, None], axis=-1)
    apart += _LIGHT * np.linalg.norm(places - places[at][:, None, None], axis=-1) / max(empty.shape)
    apart[np.arange(len(apart)), *at] = _FAR
    # Faces are all alike, so a good part of them must be near; empty squares come in several colours, so a few
    # must. Not the nearest one, which may have been misread.
    to_empty = np.partition(apart[:, sure_empty], 1, axis=1)[:, 1]
    if sure_tile.sum() >= _LEAST:
        to_tile, most = np.quantile(apart[:, sure_tile], 0.3, axis=1), (-_MOST, _MOST)
    else:
        to_tile, most = np.full(len(apart), _USUAL), (-_MAX_UNKNOWN, 0.0)
    evidence = np.clip((to_empty**2 - to_tile**2) / (2 * _NOISE**2), *most)
    # Nobody knows what covers look like either; but one that looks like the board is none.
    alike = np.clip((_COVER**2 - to_empty**2) / (2 * _NOISE**2), 0, _MOST)
    result = occupancy.copy()
    result[..., Occupancy.TILE][at] *= np.exp(evidence)
    result[..., Occupancy.BLANK][at] *= np.exp(evidence)
    result[..., Occupancy.COVERED][at] *= np.exp(-alike)
    result[at] /= result[at].sum(axis=-1, keepdims=True)
    return result


def _face_colours(rectified: RectifiedBoard) -> NDArray[np.float32]:
    """The median Lab colour of each square's middle, (rows, columns, 3); ink is too little to move it."""
    cell, margin = rectified.cell_px, rectified.margin_px
    rows, columns, edge = rectified.rows, rectified.columns, cell // 4
    grid = rectified.image_bgr[margin : margin + rows * cell, margin : margin + columns * cell]
    cells = grid.reshape(rows, cell, columns, cell, 3).swapaxes(1, 2)
    # every second pixel says the same, and is picked before the costly change of colours
    picked = cells[:, :, edge : cell - edge : 2, edge : cell - edge : 2].astype(np.float32) / 255
    lab = cv2.cvtColor(picked.reshape(rows * columns, -1, 3), cv2.COLOR_BGR2Lab)
    # channels first: each median is of numbers that lie side by side
    faces = median(np.ascontiguousarray(lab.reshape(rows, columns, -1, 3).swapaxes(2, 3)))
    return np.asarray(faces, np.float32) * np.array((_LIGHTNESS, 1, 1), np.float32)
