"""A folding board that is not flat: each half is a plane of its own."""

from __future__ import annotations

import math

import cv2
import numpy as np

from samples.arrays import Floats, Picture
from samples.optics.camera import View

__all__ = ["fold_image", "fold_points"]


def fold_image(image: Picture, view: View, degrees: float, *, across: bool) -> Picture:
    """Bend the picture of a flat board along its fold; the table around it bends too.

    Parameters
    ----------
    image : (height, width, 3) uint8
        The picture of the flat board, BGR.
    view : View
        The camera in front of that board.
    degrees : float
        Angle between the halves' planes, 0 for flat; above 0 the outer edges rise, below 0 the middle does.
    across : bool
        Whether the fold runs along the rows; else it runs along the columns.
    """
    height, width = image.shape[:2]
    x, y = np.meshgrid(np.arange(width, dtype=np.float64), np.arange(height, dtype=np.float64))
    pixels = np.column_stack([x.ravel(), y.ravel()])
    source = np.empty((height * width, 2))
    hinge = _fold_line(view, across=across)
    halves = [_half_from_flat(view, degrees, half, across=across) for half in (0, 1)]
    flat_grid = _apply(_inverse(view.image_from_plane(0.0)), pixels)
    # the fold does not move: it divides the bent picture where it divides the flat one
    second = flat_grid[:, int(across)] > hinge
    for half, chosen in enumerate((~second, second)):
        source[chosen] = _apply(_inverse(halves[half]), pixels[chosen])
    maps = source.reshape(height, width, 2).astype(np.float32)
    return np.asarray(
        cv2.remap(image, maps[..., 0], maps[..., 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE),
        np.uint8,
    )


def fold_points(places: Floats, view: View, degrees: float, *, across: bool) -> Floats:
    """Project places of the grid on the bent board.

    Parameters
    ----------
    places : (count, 2) float64
        In cells.
    view, degrees, across
        As of `fold_image`.

    Returns
    -------
    (count, 2) float64
        Pixels.
    """
    second = places[:, int(across)] > _fold_line(view, across=across)
    flat_px = view.apply(places)
    first_px, second_px = (
        _apply(_half_from_flat(view, degrees, half, across=across), flat_px) for half in (0, 1)
    )
    return np.where(second[:, None], second_px, first_px)


def _fold_line(view: View, *, across: bool) -> int:
    """Number of the grid line next to the middle, where `draw_board` draws the crease."""
    return ((view.rows if across else view.columns) + 1) // 2


def _half_from_flat(view: View, degrees: float, half: int, *, across: bool) -> Floats:
    """Compute the (3, 3) matrix from pixels of the flat board to pixels of a tilted half."""
    along, side = int(across), -1 if half == 0 else 1
    angle, hinge = math.radians(degrees / 2), _fold_line(view, across=across)
    # (x, y, -height, 1) of a place of the tilted half
    tilted = np.zeros((4, 3))
    tilted[[0, 1, 3], [0, 1, 2]] = 1
    tilted[along, along], tilted[along, 2] = math.cos(angle), hinge * (1 - math.cos(angle))
    tilted[2, along], tilted[2, 2] = -side * math.sin(angle), side * hinge * math.sin(angle)
    result: Floats = view.projection @ tilted @ _inverse(view.image_from_plane(0.0))
    return result


def _apply(matrix: Floats, points: Floats) -> Floats:
    flat = points @ matrix[:, :2].T + matrix[:, 2]
    result: Floats = flat[:, :2] / flat[:, 2:]
    return result


def _inverse(matrix: Floats) -> Floats:
    return np.asarray(np.linalg.inv(matrix), np.float64)
