"""Colours of the cells of a fronto-parallel view."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.core import Image, halve_image

__all__ = ["SETTINGS", "cell_colours", "squared_distances"]


@dataclass(frozen=True, slots=True, kw_only=True)
class CellColourSettings:
    """How the colour of a cell is measured. Values without a source are chosen."""

    cell_px: int = 10
    """Side of a cell in a view for colours. From this side on every second pixel is enough."""
    border_divisor: int = 5
    """A fifth of a cell is left out on each side: edges, and tiles that overlap."""


SETTINGS = CellColourSettings()


def cell_colours(view_bgr: Image, cell_px: int) -> NDArray[np.float32]:
    """Compute the median colour of the middle of each cell.

    Parameters
    ----------
    view_bgr : (rows * cell_px, columns * cell_px, 3) uint8
        Fronto-parallel view of the cells, BGR.
    cell_px : int
        Side of a cell.

    Returns
    -------
    (rows, columns, 3) float32
        CIE L*a*b*, in OpenCV's 8-bit scaling.
    """
    if cell_px >= SETTINGS.cell_px:
        # Means of four pixels first: a fifth of the work, and print covers less than half of them as well.
        view_bgr, cell_px = halve_image(view_bgr), cell_px // 2
    lab = cv2.cvtColor(view_bgr, cv2.COLOR_BGR2Lab)
    rows, columns = lab.shape[0] // cell_px, lab.shape[1] // cell_px
    border = cell_px // SETTINGS.border_divisor
    middle = slice(border, cell_px - border)
    cells = lab.reshape(rows, cell_px, columns, cell_px, 3)[:, middle, :, middle]
    # 16 bits: bytes would be sorted ten times slower.
    stacked = cells.transpose(0, 2, 4, 1, 3).astype(np.int16, order="C").reshape(rows, columns, 3, -1)
    return np.sort(stacked, axis=-1)[..., stacked.shape[-1] // 2].astype(np.float32)


def squared_distances(first: NDArray[np.floating], second: NDArray[np.floating]) -> NDArray[np.floating]:
    """Compute the squared distances between all rows of (n, 3) and of (m, 3) colours, as (n, m)."""
    squares = np.square(first).sum(axis=1)[:, None] + np.square(second).sum(axis=1)
    squares -= 2 * first @ second.T
    return np.asarray(squares)
