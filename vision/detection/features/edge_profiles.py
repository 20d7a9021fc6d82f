"""Where the lines between cells lie in a flat view of a lattice."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

__all__ = ["EdgePeaks", "edge_profiles", "edge_strengths"]

_MIDDLE = 0.6
"""Share of an edge's length that is looked at: corners of tiles and premium squares are round or toothed."""

_ON_EDGE = 0.16
"""A peak within this part of a cell counts as on the edge; one peak in three would by chance."""


@dataclass(frozen=True, slots=True, eq=False)
class EdgePeaks:
    """On which edges between neighbouring cells the strongest step of colour lies where it should.

    Parameters
    ----------
    upright_on : (rows, columns - 1) bool
        Edges between a cell and the next of its row.
    level_on : (rows - 1, columns) bool
        Edges between a cell and the one below it.
    """

    upright_on: NDArray[np.bool_]
    level_on: NDArray[np.bool_]


def edge_profiles(
    flat_bgr: NDArray[np.uint8], cell_px: int, rim_px: int
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Steps of colour across each edge inside a flat view.

    Parameters
    ----------
    flat_bgr : (rows * cell_px + 2 * rim_px, columns * cell_px + 2 * rim_px, 3) uint8
        A flat view of some cells.
    cell_px : int
        Side of a cell, even.
    rim_px : int
        What is seen around the cells: nothing, for their inner edges alone, or more than half a cell.

    Returns
    -------
    upright : (rows, columns - 1 or columns + 1, cell_px) float32
        Mean absolute step across the edges between the cells of a row, with a rim those at their ends too, from half a
        cell before each edge to half behind.
    level : (rows - 1 or rows + 1, columns, cell_px) float32
        The same across the edges between the cells of a column.

    Notes
    -----
    The edge itself lies between the samples ``cell_px / 2 - 1`` and ``cell_px / 2``.
    """
    upright = _upright_profiles(flat_bgr, cell_px, rim_px)
    level = _upright_profiles(np.asarray(cv2.transpose(flat_bgr), dtype=np.uint8), cell_px, rim_px)
    return upright, level.transpose(1, 0, 2)


def edge_strengths(flat_bgr: NDArray[np.uint8], cell_px: int) -> EdgePeaks:
    """On which edges of a flat view a line or a step of colour is found."""
    return EdgePeaks(*(peaks_on_edge(profile) for profile in edge_profiles(flat_bgr, cell_px, 0)))


def peaks_on_edge(profiles: NDArray[np.float32]) -> NDArray[np.bool_]:
    """Whether the strongest step of each profile lies on its edge."""
    cell_px = profiles.shape[-1]
    offset = np.abs(profiles.argmax(axis=-1) - (cell_px - 1) / 2) / cell_px
    result: NDArray[np.bool_] = (offset < _ON_EDGE) & (profiles.max(axis=-1) > 0)
    return result


def _upright_profiles(flat_bgr: NDArray[np.uint8], cell_px: int, rim_px: int) -> NDArray[np.float32]:
    rows = (flat_bgr.shape[0] - 2 * rim_px) // cell_px
    first = round(cell_px * (1 - _MIDDLE) / 2)
    cells = flat_bgr[rim_px : len(flat_bgr) - rim_px].reshape(rows, cell_px, -1)
    # The mean along the edge first: what is not parallel to it cancels, and little is left to differentiate.
    middle = cells[:, first : cell_px - first]
    along = np.add.reduce(middle, axis=1, dtype=np.uint16) / np.float32(middle.shape[1])
    apart = np.abs(along[:, 6:] - along[:, :-6])
    steps = apart[:, 0::3] + apart[:, 1::3] + apart[:, 2::3]  # a fifth of the time of a sum over three
    start = (rim_px + cell_px // 2) % cell_px - 1  # the first step is that across the second pixel
    edges = (steps.shape[1] - start) // cell_px
    profiles: NDArray[np.float32] = steps[:, start : start + edges * cell_px].reshape(rows, edges, cell_px)
    return profiles
