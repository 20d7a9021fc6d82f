"""Compare the edges of squares with those of a board's empty squares and tiles.

What is seen on a side of a square depends on both squares that meet there, and a lamp lights each side differently. So
only sides that touch a tile are compared, each with the same sides of other squares that touch a tile: between two
tiles there is a gap, and between an empty square and a tile the tile's edge and its shadow.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from vision.core import Floats, Image, Mask, RectifiedBoard

__all__ = ["LAB_WEIGHTS", "SETTINGS", "cauchy_log_ratio", "compare_edges"]


@dataclass(frozen=True, slots=True, kw_only=True)
class EdgeSettings:
    """Settings of the comparison, chosen by the log-loss of 1,770 rendered boards.

    Parameters
    ----------
    cell_px : int
        Side of a cell in the small image that is compared.
    outside_px, inside_px : int
        What is seen on both sides of an edge.
    corner_px : int
        What is left out at both ends of an edge.
    face_px : int
        The innermost of the inside pixels: their colour is subtracted.
    min_references : int
        Number of sides of each kind from which they are known.
    shrinkage : float
        Share of the covariance that is replaced by the mean variance.
    min_variance : float
        Added to each variance.
    min_scale : float
        Least usual deviation, between 0.5 for empty squares and -0.5 for tiles.
    """

    cell_px: int = 16
    outside_px: int = 4
    inside_px: int = 5
    corner_px: int = 3
    face_px: int = 2
    min_references: int = 4
    shrinkage: float = 0.05
    min_variance: float = 0.01
    min_scale: float = 0.15


SETTINGS = EdgeSettings()

LAB_WEIGHTS = np.array((0.5, 1, 1), np.float32)
"""Shadows and glare change the lightness of a colour more than its hue, so it counts for less (chosen)."""


def compare_edges(rectified: RectifiedBoard, squares: NDArray[np.intp], empties: Mask, tiles: Mask) -> Floats:
    """Compare the edges of some squares.

    Parameters
    ----------
    rectified : RectifiedBoard
        The rectified board.
    squares : (n,) int
        Numbers of the squares, row by row.
    empties, tiles : (rows * columns,) bool
        The empty squares and the tiles that are compared with.

    Returns
    -------
    (n,) float64
        Log-likelihood ratios, summed over the sides that touch a tile; positive for a tile.
    """
    around = np.pad(tiles.reshape(rectified.rows, rectified.columns), 1)
    neighbours = (around[:-2, 1:-1], around[2:, 1:-1], around[1:-1, :-2], around[1:-1, 2:])
    result = np.zeros(squares.size)
    for profiles, neighbour in zip(_side_profiles(rectified), neighbours, strict=True):
        touches = neighbour.ravel()
        asked = touches[squares]
        if asked.any():
            result[asked] += _compare_profiles(
                profiles[squares[asked]], profiles[empties & touches], profiles[tiles & touches]
            )
    return result


def _compare_profiles(asked: Floats, of_empties: Floats, of_tiles: Floats) -> Floats:
    """Compare profiles (n, values) with those of empty squares and of tiles along their linear discriminant."""
    if min(len(of_empties), len(of_tiles)) < SETTINGS.min_references:
        return np.zeros(len(asked))
    empty, tile = of_empties.mean(axis=0), of_tiles.mean(axis=0)
    within = np.concatenate([of_empties - empty, of_tiles - tile])
    covariance = within.T @ within / len(within)
    mean_variance = np.trace(covariance) / len(covariance)
    covariance *= 1 - SETTINGS.shrinkage
    covariance += (SETTINGS.shrinkage * mean_variance + SETTINGS.min_variance) * np.eye(len(covariance))
    axis = np.linalg.solve(covariance, empty - tile)
    axis /= max(float(axis @ (empty - tile)), 1e-9)
    scale = max(SETTINGS.min_scale, float((within @ axis).std()))
    at = asked @ axis - float((empty + tile) @ axis) / 2
    return cauchy_log_ratio((at - 0.5) / scale, (at + 0.5) / scale)


def cauchy_log_ratio(from_empty: Floats, from_tile: Floats) -> Floats:
    """Return the log-likelihood ratio for a tile of two Cauchy distributions, given the deviations from both."""
    return np.asarray(np.log1p(from_empty**2) - np.log1p(from_tile**2))


def _side_profiles(rectified: RectifiedBoard) -> tuple[Floats, Floats, Floats, Floats]:
    """Return the profiles (squares, values) across the upper, lower, left and right sides, from outside to inside."""
    margin = rectified.margin_px * SETTINGS.cell_px // rectified.cell_px
    image_bgr = rectified.resize(SETTINGS.cell_px, margin).image_bgr
    rows, columns = rectified.rows, rectified.columns
    upper, lower = _profiles_across(image_bgr, margin, rows, columns)
    left, right = _profiles_across(np.asarray(cv2.transpose(image_bgr), np.uint8), margin, columns, rows)
    upper, lower = (each.reshape(rows * columns, -1) for each in (upper, lower))
    left, right = (each.swapaxes(0, 1).reshape(rows * columns, -1) for each in (left, right))
    return upper, lower, left, right


def _profiles_across(image_bgr: Image, margin: int, rows: int, columns: int) -> tuple[Floats, Floats]:
    """Return the profiles (rows, columns, values) across the upper and lower sides, relative to the square's face."""
    cell, outside, inside = SETTINGS.cell_px, SETTINGS.outside_px, SETTINGS.inside_px
    length = cell - 2 * SETTINGS.corner_px
    along = cv2.boxFilter(image_bgr, cv2.CV_32F, (length, 1), anchor=(0, 0))
    along = along[:, margin + SETTINGS.corner_px :: cell][:, :columns]
    lab = np.asarray(cv2.cvtColor(along / 255, cv2.COLOR_BGR2Lab), np.float32) * LAB_WEIGHTS
    windows = np.moveaxis(sliding_window_view(lab, outside + inside, axis=0), -1, -2)
    upper = windows[margin - outside :: cell][:rows]
    lower = windows[margin + cell - inside :: cell][:rows, :, ::-1]
    return _without_face(upper), _without_face(lower)


def _without_face(profiles: NDArray[np.float32]) -> Floats:
    """Return the profiles (rows, columns, values) relative to the colour of the face."""
    face = profiles[..., -SETTINGS.face_px :, :].mean(axis=-2, keepdims=True)
    return np.asarray((profiles - face).reshape(*profiles.shape[:2], -1), np.float64)
