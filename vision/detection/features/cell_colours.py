"""The squares' colours: how well a layout explains them, and which squares something hides."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.core import halve_image, median
from vision.detection.features.layout_classes import LayoutClasses

__all__ = ["cell_colours", "explained_share", "hidden_squares"]

_ODD_COLOUR = 3.0
"""Deviations from a class's usual colour, in its median deviations, from which a square may hold a tile."""

_MIN_DEVIATION = 6.0
"""Levels of L*a*b* within which squares of a class differ by the light alone."""

_MIN_SHARE = 0.15
"""Of the squares, that must be in view to judge the layout by."""

_MIN_MEMBERS = 3
"""Squares of a class in view: one alone would always explain itself."""

_MIN_TILES = 4
_TILE_LIKENESS = 0.3
"""A square this much nearer to the tiles' colour than plain squares are shows a tile."""


_MIN_HALVED_PX = 10
"""Side of a cell of which every second pixel is enough."""


def cell_colours(flat_bgr: NDArray[np.uint8], cell_px: int) -> NDArray[np.float32]:
    """(rows, columns, 3) median CIE L*a*b* of the middle of each cell of a flat view."""
    if cell_px >= _MIN_HALVED_PX:
        # Means of four pixels first: a fifth of the work, and print covers less than half of them as well.
        flat_bgr, cell_px = halve_image(flat_bgr), cell_px // 2
    lab = cv2.cvtColor(flat_bgr, cv2.COLOR_BGR2Lab)
    rows, columns = lab.shape[0] // cell_px, lab.shape[1] // cell_px
    edge = cell_px // 5
    cells = lab.reshape(rows, cell_px, columns, cell_px, 3)[
        :, edge : cell_px - edge, :, edge : cell_px - edge
    ]
    # 16 bits: as bytes they would be sorted ten times slower
    stacked = cells.transpose(0, 2, 4, 1, 3).astype(np.int16, order="C").reshape(rows, columns, 3, -1)
    middle = stacked.shape[-1] // 2
    return np.sort(stacked, axis=-1)[..., middle].astype(np.float32)


def explained_share(
    colours: NDArray[np.float32], pattern: LayoutClasses, weights: NDArray[np.float64] | None = None
) -> NDArray[np.float64]:
    """For each place of the pattern, the share of the colours' variance that its classes explain.

    Parameters
    ----------
    colours : (rows, columns, 3) float32
        Colours of the cells, at least as many as the pattern has.
    pattern : Pattern
        The layout as it would lie there.
    weights : (rows, columns) float64, optional
        How much each cell counts; 0 for one that a tile hides.

    Returns
    -------
    (rows - pattern.rows + 1, columns - pattern.columns + 1) float64
        Analysis of variance's adjusted R², at most 1 and about 0 by chance; it knows none of the board's
        colours.
    """
    squares = pattern.rows * pattern.columns
    weighed = np.ones(colours.shape[:2]) if weights is None else weights
    layers = np.concatenate(
        [
            weighed[..., None],
            colours * weighed[..., None],
            np.square(colours, dtype=np.float64).sum(axis=-1, keepdims=True) * weighed[..., None],
        ],
        axis=-1,
    )
    windows = np.lib.stride_tricks.sliding_window_view(layers, (pattern.rows, pattern.columns), axis=(0, 1))
    members = np.eye(pattern.class_count)[pattern.classes.ravel()]
    sums = windows.reshape(*windows.shape[:3], squares) @ members  # (y, x, layer, class)
    sums = np.where(sums[..., :1, :] >= _MIN_MEMBERS, sums, 0.0)
    counts, moments, powers = sums[..., 0, :], sums[..., 1:4, :], sums[..., 4, :].sum(axis=-1)
    number = np.maximum(counts.sum(axis=-1), 1e-9)
    mean_power = np.square(moments.sum(axis=-1)).sum(axis=-1) / number
    total = powers - mean_power
    between = (np.square(moments).sum(axis=-2) / np.maximum(counts, 1e-9)).sum(axis=-1) - mean_power
    seen = (counts > 0).sum(axis=-1)
    left_over = (total - between) * (number - 1) / np.maximum(number - seen, 1)
    share: NDArray[np.float64] = 1 - left_over / np.maximum(total, 1e-6)
    # Less than one level of scatter a cell is no colour at all; a few cells agree with any layout.
    return np.where((total > number) & (seen > 1) & (number > _MIN_SHARE * squares), share, 0.0)


def hidden_squares(colours: NDArray[np.float32], pattern: LayoutClasses) -> NDArray[np.bool_]:
    """Squares whose colour is not what most squares of their class show: probably tiles, or hands.

    Parameters
    ----------
    colours : (rows, columns, 3) float32
        L*a*b* colours of the board's cells.
    pattern : Pattern
        The layout as it lies there.
    """
    plain = pattern.plain
    board, spread = _usual(colours[plain])
    odd = plain & (np.linalg.norm(colours - board, axis=-1) > spread)
    tile_like = np.zeros_like(odd)
    if odd.sum() >= _MIN_TILES:
        # Plain squares, being many, tell what tiles look like; most squares of a small class may hold some.
        tile = median(colours[odd], axis=0)
        tile_like = np.linalg.norm(colours - tile, axis=-1) < _TILE_LIKENESS * np.linalg.norm(tile - board)
    odd, printed = np.zeros_like(odd), np.zeros_like(odd)
    for number in range(pattern.class_count):
        members = (pattern.classes == number) & ~tile_like
        if not members.any():
            continue
        usual, spread = _usual(colours[members])
        distance = np.linalg.norm(colours - usual, axis=-1)
        odd |= members & (distance > spread)
        # What looks like the print of other squares is no tile: else every shift would explain itself.
        printed |= distance < spread
    hidden: NDArray[np.bool_] = tile_like | (odd & ~printed)
    return hidden


def _usual(colours: NDArray[np.float32]) -> tuple[NDArray[np.float32], float]:
    """The colour that most of some squares have, and how far from it one is odd."""
    # The mode and not the median, which falls in between where half of the squares hold tiles.
    squares = np.einsum("ij,ij->i", colours, colours)
    apart = squares[:, None] + squares - 2 * colours @ colours.T  # squared
    near = apart < (_ODD_COLOUR * _MIN_DEVIATION) ** 2
    alike = near[near.sum(axis=1).argmax()]
    usual = median(colours[alike], axis=0)
    deviation = float(median(np.linalg.norm(colours[alike] - usual, axis=-1)))
    return usual, _ODD_COLOUR * max(deviation, _MIN_DEVIATION)
