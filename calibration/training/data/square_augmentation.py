"""Augment square crops: small random changes of light, position, size, angle and sharpness."""

from __future__ import annotations

from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

__all__ = ["TURNED", "augment_squares", "downscale_cells"]

TURNED = 0.08
"""Share of cells that are rotated by one, two or three quarters; chosen."""

Cells = NDArray[np.uint8]


def downscale_cells(cells: Cells, side_px: int, shrink: float) -> Cells:
    """Cut the middle of each cell at 1 / `shrink` of its size, `side_px` wide: `augment_squares` without randomness."""
    cells, shrink, _ = _halve_if_fine(cells, shrink)
    wide = cells.shape[1]
    matrix = _small_to_wide(wide, side_px, np.eye(2) * shrink, np.zeros(2))
    return np.stack([_sample(cell, matrix, side_px) for cell in cells])


def augment_squares(
    cells: Cells,
    turns: NDArray[np.int64],
    side_px: int,
    shrink: float,
    rng: np.random.Generator,
    boards: NDArray[np.int64] | None = None,
) -> tuple[Cells, NDArray[np.int64]]:
    """Cut cells from wider ones at a random position, size and angle, and in another light.

    Parameters
    ----------
    cells : (n, wide, wide, 3) uint8
        The wider cells, BGR.
    turns : (n,) int64
        Quarter turns clockwise of each tile's letter.
    side_px : int
        Side of the result.
    shrink : float
        Pixels of `cells` per pixel of the result.
    rng : numpy.random.Generator
        Source of randomness.
    boards : (n,) int64, optional
        Index of each cell's board. Cells of one board get the same changes, as from one camera in one light, but for
        single tiles that are rotated. By default each cell gets its own changes.

    Returns
    -------
    cells : (n, side_px, side_px, 3) uint8
    turns : (n,) int64
        With the rotations added.
    """
    cells, shrink, finer = _halve_if_fine(cells, shrink)
    wide = cells.shape[1]
    group_of = np.arange(len(cells)) if boards is None else boards
    count = int(group_of[-1]) + 1
    quarter = np.where(rng.random(count) < TURNED, rng.integers(1, 4, count), 0)
    tilt = np.radians(rng.normal(0, 2.0, count))
    spanned = shrink * np.exp(rng.normal(0, 0.04, count))
    # Mostly like the errors of corners, sometimes like a carelessly placed tile.
    spread = np.where(rng.random((count, 1)) < 0.15, 3.5, 1.5)
    shift = (rng.standard_normal((count, 2)) * spread).clip(-6, 6) / finer
    gain = np.exp(rng.normal(0, 0.15, (count, 1)) + rng.normal(0, 0.08, (count, 3)))
    offset = rng.normal(0, 6, (count, 1)) + rng.normal(0, 2, (count, 3))
    blurred = np.asarray(rng.random(count) < 0.2)
    noise = np.where(rng.random(count) < 0.3, rng.uniform(1, 8, count), 0)
    if boards is not None:  # single tiles are placed the wrong way round, too
        is_rotated = (turns >= 0) & (rng.random(len(cells)) < TURNED)
        quarter = quarter[group_of] + np.where(is_rotated, rng.integers(1, 4, len(cells)), 0)
    result = np.empty((len(cells), side_px, side_px, 3), np.uint8)
    for cell_number, i in enumerate(group_of):
        angle = tilt[i] + quarter[cell_number] * (np.pi / 2)
        cos, sin = np.cos(angle) * spanned[i], np.sin(angle) * spanned[i]
        # The y axis points down, so that this rotates the content clockwise.
        matrix = _small_to_wide(wide, side_px, np.array([[cos, sin], [-sin, cos]]), shift[i])
        cell: NDArray[Any] = _sample(cells[cell_number], matrix, side_px)
        if blurred[i]:
            cell = cv2.GaussianBlur(cell, (3, 3), 0.4 + 0.5 * rng.random())
        light = cell * gain[i] + offset[i]
        if noise[i]:
            light += rng.standard_normal((side_px, side_px, 3), np.float32) * noise[i]
        result[cell_number] = np.clip(light, 0, 255)
    return result, (turns + quarter) % 4


def _halve_if_fine(cells: Cells, shrink: float) -> tuple[Cells, float, float]:
    """Halve the cells if plain sampling would miss pixels; return also the remaining and the applied shrinkage."""
    if shrink < 2:
        return cells, shrink, 1.0
    count, height, width, _ = cells.shape
    column = cells.reshape(
        count * height, width, 3
    )  # stacked vertically, so that no 2 x 2 block contains pixels of two cells
    half = cv2.resize(column, (width // 2, count * height // 2), interpolation=cv2.INTER_AREA)
    return np.asarray(half, np.uint8).reshape(count, height // 2, width // 2, 3), shrink / 2, 2.0


def _small_to_wide(
    wide: int, side_px: int, linear: NDArray[np.float64], shift: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the affine map from the result to the wide cell, middle to middle plus `shift`."""
    middle, target = (wide - 1) / 2, (side_px - 1) / 2
    return np.column_stack([linear, middle + shift - linear @ (target, target)])


def _sample(cell: Cells, matrix: NDArray[np.float64], side_px: int) -> Cells:
    warped = cv2.warpAffine(
        cell,
        matrix,
        (side_px, side_px),
        flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP,
        borderMode=cv2.BORDER_REPLICATE,
    )
    return np.asarray(warped, np.uint8)
