"""Small changes of light, place and sharpness, so that one rendered cell teaches more than once."""

from __future__ import annotations

from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

__all__ = ["TURNED", "augment_squares", "downscale_cells"]

# The share of cells that are turned by one, two or three quarters.
TURNED = 0.08

Cells = NDArray[np.uint8]


def downscale_cells(cells: Cells, side_px: int, shrink: float) -> Cells:
    """The middle of each cell as `side_px`, at 1 / `shrink` of its size: `augment_squares` without chance."""
    cells, shrink, _ = _less_fine(cells, shrink)
    wide = cells.shape[1]
    matrix = _small_to_wide(wide, side_px, np.eye(2) * shrink, np.zeros(2))
    return np.stack([_sampled(cell, matrix, side_px) for cell in cells])


def augment_squares(
    cells: Cells,
    turns: NDArray[np.int64],
    side_px: int,
    shrink: float,
    rng: np.random.Generator,
    boards: NDArray[np.int64] | None = None,
) -> tuple[Cells, NDArray[np.int64]]:
    """Cells of `side_px`, cut from wider ones at a jittered place, size and angle, in another light.

    Parameters
    ----------
    cells : (n, wide, wide, 3) uint8
        BGR, wider than `side_px`.
    turns : (n,) int64
        Quarter turns clockwise of the tile's letter.
    side_px : int
        Side of the result.
    shrink : float
        How many pixels of `cells` one of the result spans.
    rng : numpy.random.Generator
        Where the randomness comes from.
    boards : (n,) int64, optional
        The board of each cell, counted from 0: but for single tiles that are turned, cells of one board are changed
        alike, as one camera in one light would. By default each is changed by itself.

    Returns
    -------
    cells : (n, side_px, side_px, 3) uint8
    turns : (n,) int64
        Counted on where a cell was turned by a quarter or more.
    """
    cells, shrink, finer = _less_fine(cells, shrink)
    wide = cells.shape[1]
    alike = np.arange(len(cells)) if boards is None else boards
    count = int(alike[-1]) + 1
    quarter = np.where(rng.random(count) < TURNED, rng.integers(1, 4, count), 0)
    tilt = np.radians(rng.normal(0, 2.0, count))
    spanned = shrink * np.exp(rng.normal(0, 0.04, count))
    # mostly as far as corners are off, now and then as far as a careless tile
    spread = np.where(rng.random((count, 1)) < 0.15, 3.5, 1.5)
    shift = (rng.standard_normal((count, 2)) * spread).clip(-6, 6) / finer
    gain = np.exp(rng.normal(0, 0.15, (count, 1)) + rng.normal(0, 0.08, (count, 3)))
    offset = rng.normal(0, 6, (count, 1)) + rng.normal(0, 2, (count, 3))
    blurred = np.asarray(rng.random(count) < 0.2)
    noise = np.where(rng.random(count) < 0.3, rng.uniform(1, 8, count), 0)
    if boards is not None:  # single tiles are laid the wrong way round, too
        laid = (turns >= 0) & (rng.random(len(cells)) < TURNED)
        quarter = quarter[alike] + np.where(laid, rng.integers(1, 4, len(cells)), 0)
    result = np.empty((len(cells), side_px, side_px, 3), np.uint8)
    for cell_number, i in enumerate(alike):
        angle = tilt[i] + quarter[cell_number] * (np.pi / 2)
        cos, sin = np.cos(angle) * spanned[i], np.sin(angle) * spanned[i]
        # y runs down, so this turns the content clockwise by `angle`
        matrix = _small_to_wide(wide, side_px, np.array([[cos, sin], [-sin, cos]]), shift[i])
        cell: NDArray[Any] = _sampled(cells[cell_number], matrix, side_px)
        if blurred[i]:
            cell = cv2.GaussianBlur(cell, (3, 3), 0.4 + 0.5 * rng.random())
        light = cell * gain[i] + offset[i]
        if noise[i]:
            light += rng.standard_normal((side_px, side_px, 3), np.float32) * noise[i]
        result[cell_number] = np.clip(light, 0, 255)
    return result, (turns + quarter) % 4


def _less_fine(cells: Cells, shrink: float) -> tuple[Cells, float, float]:
    """The cells, halved where plain sampling would miss pixels; by what is left to shrink, and by what they were."""
    if shrink < 2:
        return cells, shrink, 1.0
    count, height, width, _ = cells.shape
    column = cells.reshape(count * height, width, 3)  # one below the other: no four pixels are of two cells
    half = cv2.resize(column, (width // 2, count * height // 2), interpolation=cv2.INTER_AREA)
    return np.asarray(half, np.uint8).reshape(count, height // 2, width // 2, 3), shrink / 2, 2.0


def _small_to_wide(
    wide: int, side_px: int, linear: NDArray[np.float64], shift: NDArray[np.float64]
) -> NDArray[np.float64]:
    """The affine map from pixels of the result to those of the wide cell, middle to middle but for `shift`."""
    middle, target = (wide - 1) / 2, (side_px - 1) / 2
    return np.column_stack([linear, middle + shift - linear @ (target, target)])


def _sampled(cell: Cells, matrix: NDArray[np.float64], side_px: int) -> Cells:
    warped = cv2.warpAffine(
        cell,
        matrix,
        (side_px, side_px),
        flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP,
        borderMode=cv2.BORDER_REPLICATE,
    )
    return np.asarray(warped, np.uint8)
