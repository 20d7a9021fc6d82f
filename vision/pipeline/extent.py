"""Check whether a board and its picture cover the same squares: squares outside of the picture, lines that go on."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from vision.core import Grid, Mask, Occupancy, SquareProbabilities, find_squares_outside
from vision.detection import ImagePyramid, find_edge_peaks

__all__ = ["continues_outside", "cover_squares"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtentSettings:
    """When squares are missing, or more than the edition's. Chosen with 30 rendered boards each."""

    cell_px: int = 16
    """Side of a cell in the view of the surroundings, in pixels."""
    min_continuing: float = 0.72
    """Share of lines that go on outside of the grid, from which the board has more squares. Boards of 17 x 17 had 0.5
    to 1, at the median 0.95; boards of 15 x 15 0 to 0.5, labelled photos 0.64 at most."""
    min_visible: float = 0.7
    """Share of the squares next to a side that must be in the picture, so that the side counts."""
    min_sides: int = 3
    """Sides that must count."""


SETTINGS = ExtentSettings()


def cover_squares(
    probabilities: SquareProbabilities, squares: Mask, probability: float = 1.0
) -> SquareProbabilities:
    """Return a reading in which some squares cannot be seen.

    Parameters
    ----------
    probabilities : SquareProbabilities
        What was read.
    squares : (rows, columns) bool
        The squares.
    probability : float
        The probability that they cannot be seen.
    """
    if not squares.any():
        return probabilities
    occupancy = probabilities.occupancy.copy()
    covered = np.eye(len(Occupancy), dtype=np.float32)[Occupancy.COVERED]
    occupancy[squares] = probability * covered + (1 - probability) * occupancy[squares]
    return replace(probabilities, occupancy=occupancy)


def continues_outside(pyramid: ImagePyramid, grid: Grid) -> bool:
    """Tell whether the lines between the squares go on outside of a grid: the board has more squares.

    Parameters
    ----------
    pyramid : ImagePyramid
        The picture.
    grid : Grid
        The board's grid in it.
    """
    box = (-1, -1, grid.columns + 1, grid.rows + 1)
    view = pyramid.warp_plane(grid.image_from_grid.matrix, box, SETTINGS.cell_px)
    edges = find_edge_peaks(view, SETTINGS.cell_px)
    outside = find_squares_outside(grid.enlarge(1), pyramid.size_px)
    inner = slice(1, -1)
    sides = (
        (edges.vertical[0, inner], outside[0]),
        (edges.vertical[-1, inner], outside[-1]),
        (edges.horizontal[inner, 0], outside[:, 0]),
        (edges.horizontal[inner, -1], outside[:, -1]),
    )
    shares = [float(on_line.mean()) for on_line, hidden in sides if 1 - hidden.mean() >= SETTINGS.min_visible]
    return len(shares) >= SETTINGS.min_sides and float(np.mean(shares)) >= SETTINGS.min_continuing
