"""Crops of squares, and their pixels as the networks take them: blocks of 2 x 2 pixels, normalised in contrast."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from vision.core import Image, RectifiedBoard, contrast_floor

__all__ = ["crop_blocks", "crop_cells", "normalize_contrast", "resize_cells", "shift_board", "space_to_depth"]

# This equals the normalisation in training (`calibration.training.models.square_networks`).
_ROW_STEP = 4  # distance of the sampled rows: the result is the same, in a quarter of the time

_PIXEL_PAIR = np.dtype("V6")
"""Two BGR pixels as one item: copying them takes a third of the time of six numbers."""


def space_to_depth(pixels: Image) -> Image:
    """Turn blocks of 2 x 2 pixels into channels: (..., height, width, 3) to (..., height / 2, width / 2, 12).

    The order of the twelve is row in the block, column in the block, colour. Height and width must be even.
    """
    *many, height, width, _ = pixels.shape
    pairs = np.ascontiguousarray(pixels).reshape(-1, 2, width * 3).view(_PIXEL_PAIR)
    result = np.empty((len(pairs), width // 2, 2), _PIXEL_PAIR)
    for line in (0, 1):
        result[..., line] = pairs[:, line]
    return result.view(np.uint8).reshape(*many, height // 2, width // 2, 12)


def normalize_contrast(cells: Image, scale: float, zero: int) -> Image:
    """Normalise the mean and the contrast of each square, as quantised integers.

    Parameters
    ----------
    cells : (n, side, side, 12) uint8
        From `space_to_depth`.
    scale, zero : float, int
        Quantisation of the result: ``number = (integer - zero) * scale``.

    Returns
    -------
    (n, side, side, 12) uint8
    """
    count, height = cells.shape[:2]
    lines = np.ascontiguousarray(cells).reshape(count, height, -1)
    sampled = np.ascontiguousarray(lines.view(_PIXEL_PAIR)[:, :: _ROW_STEP // 2, ::2])
    sample = sampled.view(np.uint8).reshape(count, -1).astype(np.float32)
    mean = sample.mean(axis=1)
    variance = np.einsum("ij,ij->i", sample, sample) / sample.shape[1] - mean**2
    contrast = np.maximum(np.sqrt(np.maximum(variance, 0)), contrast_floor(mean))
    # looking up 256 levels is much faster than computing thousands of pixels
    levels = (np.arange(256, dtype=np.float32) - mean[:, None]) / (contrast[:, None] * np.float32(scale))
    tables = np.clip(np.rint(levels) + zero, 0, 255).astype(np.uint8)
    result = np.empty_like(lines)
    for line, table, target in zip(lines, tables, result, strict=True):
        cv2.LUT(line, table, target)
    return result.reshape(cells.shape)


def crop_cells(rectified: RectifiedBoard, context_px: int, squares: NDArray[np.intp] | None = None) -> Image:
    """Cut out squares with some context.

    Tiles are up to a quarter of a cell off their square and, seen obliquely, shifted by their height. The context of a
    square is therefore part of its picture.

    Parameters
    ----------
    rectified : RectifiedBoard
        The rectified board; its margin must hold the context of the outer squares.
    context_px : int
        Pixels beyond the square on each side.
    squares : (n,) int, optional
        Numbers of the squares, row by row; all of them by default.

    Returns
    -------
    (n, side, side, 3) uint8
        BGR, side = cell_px + 2 * context_px.

    Raises
    ------
    ValueError
        If the margin of `rectified` is narrower than `context_px`.
    """
    _check_context(rectified, context_px)
    return _crop(rectified, rectified.image_bgr, context_px, squares, 1)


def crop_blocks(rectified: RectifiedBoard, context_px: int, squares: NDArray[np.intp] | None = None) -> Image:
    """Return `space_to_depth` of `crop_cells`, faster for most of a board: neighbours share their context.

    Parameters
    ----------
    rectified, context_px, squares
        As for `crop_cells`.

    Returns
    -------
    (n, side / 2, side / 2, 12) uint8

    Raises
    ------
    ValueError
        If the margin of `rectified` is narrower than `context_px`, or a size is odd.
    """
    _check_context(rectified, context_px)
    if any(size % 2 for size in (rectified.cell_px, rectified.margin_px, context_px)):
        raise ValueError(
            f"rectified: cells of {rectified.cell_px} px, a margin of {rectified.margin_px} px and a context of "
            f"{context_px} px do not fall into blocks of 2 px; choose even sizes"
        )
    return _crop(rectified, space_to_depth(rectified.image_bgr), context_px, squares, 2)


def resize_cells(cells: Image, side_px: int) -> Image:
    """Resize cells (n, side, side, 3) to (n, side_px, side_px, 3), each on its own; to half the size at most."""
    return np.stack([cv2.resize(cell, (side_px, side_px), interpolation=cv2.INTER_LINEAR) for cell in cells])


def shift_board(rectified: RectifiedBoard, shift_px: int) -> RectifiedBoard:
    """Move a rectified board along its diagonal, up and to the left.

    Parameters
    ----------
    rectified : RectifiedBoard
        The board; its border is repeated.
    shift_px : int
        Distance in x and in y.
    """
    image_bgr = rectified.image_bgr[shift_px:, shift_px:]
    wider_bgr = cv2.copyMakeBorder(image_bgr, 0, shift_px, 0, shift_px, cv2.BORDER_REPLICATE)
    return replace(rectified, image_bgr=np.asarray(wider_bgr, np.uint8))


def _check_context(rectified: RectifiedBoard, context_px: int) -> None:
    if not 0 <= context_px <= rectified.margin_px:
        raise ValueError(
            f"context_px: {context_px} px do not fit the margin of {rectified.margin_px} px; "
            "rectify with a wider margin"
        )


def _crop(
    rectified: RectifiedBoard,
    image: Image,
    context_px: int,
    squares: NDArray[np.intp] | None,
    shrink: int,
) -> Image:
    """Cut squares out of the board's image, or of one that is `shrink` times smaller with any number of channels."""
    side = (rectified.cell_px + 2 * context_px) // shrink
    first, step = (rectified.margin_px - context_px) // shrink, rectified.cell_px // shrink
    windows = sliding_window_view(image[first:, first:], (side, side), axis=(0, 1))
    cells = np.moveaxis(windows[: rectified.rows * step : step, : rectified.columns * step : step], 2, -1)
    if squares is None:
        return np.ascontiguousarray(cells).reshape(-1, side, side, image.shape[2])
    return np.ascontiguousarray(cells[np.divmod(squares, rectified.columns)])
