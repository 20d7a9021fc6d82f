"""Colour steps across the edges between the cells of a fronto-parallel view."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.core import Image, Mask

__all__ = ["EdgePeaks", "edge_profiles", "find_edge_peaks"]


@dataclass(frozen=True, slots=True, kw_only=True)
class EdgeProfileSettings:
    """How edges are sampled. Values without a source are chosen."""

    edge_length_share: float = 0.6
    """Middle part of an edge that is sampled: corners of tiles and premium squares are round or toothed."""
    max_peak_offset_cells: float = 0.16
    """Distance from the edge within which a peak counts as on it; one peak in three does by chance."""


SETTINGS = EdgeProfileSettings()


@dataclass(frozen=True, slots=True, eq=False)
class EdgePeaks:
    """On which edges the strongest colour step is where it should be.

    Parameters
    ----------
    vertical : (rows, columns - 1) bool
        Edges between a cell and its right neighbour.
    horizontal : (rows - 1, columns) bool
        Edges between a cell and the one below it.
    """

    vertical: Mask
    horizontal: Mask


def edge_profiles(
    view_bgr: Image, cell_px: int, margin_px: int
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Sample the colour step across each edge in a fronto-parallel view.

    Parameters
    ----------
    view_bgr : (rows * cell_px + 2 * margin_px, columns * cell_px + 2 * margin_px, 3) uint8
        The view, BGR.
    cell_px : int
        Side of a cell, even.
    margin_px : int
        Width of what is visible around the cells: 0 for inner edges only, or more than half a cell.

    Returns
    -------
    vertical : (rows, columns - 1 or columns + 1, cell_px) float32
        Mean absolute step across the edges between the cells of a row, from half a cell before each edge to half a
        cell behind. With a margin the edges at both ends are included.
    horizontal : (rows - 1 or rows + 1, columns, cell_px) float32
        The same across the edges between the cells of a column.

    Notes
    -----
    The edge itself is between the samples ``cell_px / 2 - 1`` and ``cell_px / 2``.
    """
    vertical = _vertical_profiles(view_bgr, cell_px, margin_px)
    horizontal = _vertical_profiles(np.asarray(cv2.transpose(view_bgr), dtype=np.uint8), cell_px, margin_px)
    return vertical, horizontal.transpose(1, 0, 2)


def find_edge_peaks(view_bgr: Image, cell_px: int) -> EdgePeaks:
    """Find the edges of a fronto-parallel view on which there is a line or a colour step.

    Parameters
    ----------
    view_bgr : (rows * cell_px, columns * cell_px, 3) uint8
        The view, BGR.
    cell_px : int
        Side of a cell, even.
    """
    return EdgePeaks(*(_has_peak_on_edge(profiles) for profiles in edge_profiles(view_bgr, cell_px, 0)))


def _has_peak_on_edge(profiles: NDArray[np.float32]) -> Mask:
    cell_px = profiles.shape[-1]
    offset = np.abs(profiles.argmax(axis=-1) - (cell_px - 1) / 2) / cell_px
    result: Mask = (offset < SETTINGS.max_peak_offset_cells) & (profiles.max(axis=-1) > 0)
    return result


def _vertical_profiles(view_bgr: Image, cell_px: int, margin_px: int) -> NDArray[np.float32]:
    rows = (view_bgr.shape[0] - 2 * margin_px) // cell_px
    first = round(cell_px * (1 - SETTINGS.edge_length_share) / 2)
    cells = view_bgr[margin_px : len(view_bgr) - margin_px].reshape(rows, cell_px, -1)
    # The mean along the edge comes first: what is not parallel to it cancels, and little is left to differentiate.
    middle = cells[:, first : cell_px - first]
    means = np.add.reduce(middle, axis=1, dtype=np.uint16) / np.float32(middle.shape[1])
    differences = np.abs(means[:, 6:] - means[:, :-6])  # two pixels apart, three interleaved channels
    steps = differences[:, 0::3] + differences[:, 1::3] + differences[:, 2::3]  # a fifth of the time of a sum
    start = (margin_px + cell_px // 2) % cell_px - 1  # the first step is that across the second pixel
    edges = (steps.shape[1] - start) // cell_px
    profiles: NDArray[np.float32] = steps[:, start : start + edges * cell_px].reshape(rows, edges, cell_px)
    return profiles
