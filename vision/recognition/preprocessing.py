"""Pixels as the networks take them: four as one place, without their square's own mean and contrast.

The pixels of squares with some of their surroundings, as one batch.
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from vision.core import RectifiedBoard

__all__ = ["crop_blocks", "crop_cells", "normalize_contrast", "resize_cells", "space_to_depth"]

# As in training (`square_networks.normalised`): every fourth line says the same, in a quarter of the time;
# the floor under the contrast is a share of the mean, so that a plain square stays plain.
_SAMPLED, _FLOOR_SHARE, _FLOOR = 4, 0.1, 2.0

_PAIR = np.dtype("V6")


def space_to_depth(pixels: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Each 2 x 2 pixels as one place: (..., height, width, 3) to (..., height / 2, width / 2, 12).

    The twelve are line in the block, column in the block, colour. The sizes must be even.
    """
    *many, height, width, _ = pixels.shape
    # pairs of pixels are copied as one piece of six bytes each: a third of the time that six numbers take
    pairs = np.ascontiguousarray(pixels).reshape(-1, 2, width * 3).view(_PAIR)
    result = np.empty((len(pairs), width // 2, 2), _PAIR)
    for line in (0, 1):
        result[..., line] = pairs[:, line]
    return result.view(np.uint8).reshape(*many, height // 2, width // 2, 12)


def normalize_contrast(cells: NDArray[np.uint8], scale: float, zero: int) -> NDArray[np.uint8]:
    """Squares in another light look alike: their mean and contrast taken out, as small integers.

    Parameters
    ----------
    cells : (n, side, side, 12) uint8
        As `space_to_depth` makes them.
    scale, zero : float, int
        ``(integer - zero) * scale`` is the number that an integer of the result stands for.
    """
    count, height = cells.shape[:2]
    lines = np.ascontiguousarray(cells).reshape(count, height, -1)
    upper = np.ascontiguousarray(lines.view(_PAIR)[:, :: _SAMPLED // 2, ::2])
    sample = upper.view(np.uint8).reshape(count, -1).astype(np.float32)
    mean = sample.mean(axis=1)
    variance = np.einsum("ij,ij->i", sample, sample) / sample.shape[1] - mean**2
    contrast = np.maximum(np.sqrt(np.maximum(variance, 0)), _FLOOR_SHARE * mean + _FLOOR)
    # 256 levels are looked up much faster than thousands of pixels are computed
    levels = (np.arange(256, dtype=np.float32) - mean[:, None]) / (contrast[:, None] * np.float32(scale))
    tables = np.clip(np.rint(levels) + zero, 0, 255).astype(np.uint8)
    result = np.empty_like(lines)
    for line, table, target in zip(lines, tables, result, strict=True):
        cv2.LUT(line, table, target)
    return result.reshape(cells.shape)


def crop_cells(
    rectified: RectifiedBoard, context_px: int, squares: NDArray[np.intp] | None = None
) -> NDArray[np.uint8]:
    """Squares' pixels with `context_px` more on each side.

    Tiles lie up to a quarter of a cell off their square and, seen from the side, stand above it, so the
    surroundings belong to the picture of a square.

    Parameters
    ----------
    rectified : RectifiedBoard
        The straightened board; its margin must hold the surroundings of the outer squares.
    context_px : int
        Pixels beyond the square on each side.
    squares : (n,) int, optional
        Which squares, numbered row by row; all of them by default.

    Returns
    -------
    (n, side, side, 3) uint8
        BGR, side = cell_px + 2 * context_px.

    Raises
    ------
    ValueError
        If the margin of `rectified` is narrower than `context_px`.
    """
    _check(rectified, context_px)
    return _crops(rectified, rectified.image_bgr, context_px, squares, 1)


def crop_blocks(
    rectified: RectifiedBoard, context_px: int, squares: NDArray[np.intp] | None = None
) -> NDArray[np.uint8]:
    """What `space_to_depth` makes of `crop_cells`, faster for most of a board: neighbours share their surroundings.

    Parameters
    ----------
    rectified, context_px, squares
        As of `crop_cells`.

    Returns
    -------
    (n, side / 2, side / 2, 12) uint8

    Raises
    ------
    ValueError
        If the margin of `rectified` is narrower than `context_px`, or a size is odd.
    """
    _check(rectified, context_px)
    if any(size % 2 for size in (rectified.cell_px, rectified.margin_px, context_px)):
        raise ValueError(
            f"rectified: cells of {rectified.cell_px} px, a margin of {rectified.margin_px} px and a context of "
            f"{context_px} px do not fall into blocks of 2 px; choose even sizes"
        )
    return _crops(rectified, space_to_depth(rectified.image_bgr), context_px, squares, 2)


def resize_cells(cells: NDArray[np.uint8], side_px: int) -> NDArray[np.uint8]:
    """Cells (n, side, side, 3) as (n, side_px, side_px, 3), each by itself; smaller by half at most."""
    return np.stack([cv2.resize(cell, (side_px, side_px), interpolation=cv2.INTER_LINEAR) for cell in cells])


def _check(rectified: RectifiedBoard, context_px: int) -> None:
    if not 0 <= context_px <= rectified.margin_px:
        raise ValueError(
            f"context_px: {context_px} px do not fit the margin of {rectified.margin_px} px; "
            "rectify with a wider margin"
        )


def _crops(
    rectified: RectifiedBoard,
    image: NDArray[np.uint8],
    context_px: int,
    squares: NDArray[np.intp] | None,
    shrunk: int,
) -> NDArray[np.uint8]:
    """Crops of the board's image, or of one that is `shrunk` times smaller with any number of channels."""
    side = (rectified.cell_px + 2 * context_px) // shrunk
    first, step = (rectified.margin_px - context_px) // shrunk, rectified.cell_px // shrunk
    windows = sliding_window_view(image[first:, first:], (side, side), axis=(0, 1))
    cells = np.moveaxis(windows[: rectified.rows * step : step, : rectified.columns * step : step], 2, -1)
    if squares is None:
        return np.ascontiguousarray(cells).reshape(-1, side, side, image.shape[2])
    return np.ascontiguousarray(cells[np.divmod(squares, rectified.columns)])
