"""Does the board still lie where it lay? Asked of a camera that stays where it is, before anything is searched."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from scoring.layout import Layout
from vision.geometry import Grid, Homography
from vision.locating.pattern import Pattern
from vision.locating.refining import refined
from vision.locating.verifying import gather
from vision.locating.views import Views

__all__ = ["confirmed"]

_MOST_DRIFT = 0.2
"""Cells by which a corner may have moved; a shift by half a cell and more could be taken for another line's."""


def confirmed(image_bgr: NDArray[np.uint8], known: Grid, layout: Layout) -> Grid | None:
    """The grid fitted anew close to where it was, or None where the picture does not show it there.

    Parameters
    ----------
    image_bgr : (height, width, 3) uint8
        The picture, BGR.
    known : Grid
        Where the board lay, letters upright.
    layout : Layout
        The board's premium squares.

    Returns
    -------
    Grid or None
        Refined on this picture's own lines and verified as any found grid is, its corners named as before; None where
        it moved further than a fifth of a cell, or is hidden: then it must be searched.
    """
    if (known.rows, known.columns) != (layout.rows, layout.columns):
        return None
    views, pattern = Views.of(image_bgr), Pattern.from_layout(layout)
    try:
        matrix = refined(views, known.image_from_grid.matrix, pattern, rounds=1)
        evidence = gather(views, matrix, pattern)
        grid = Grid(
            image_from_grid=Homography(matrix=matrix),
            rows=known.rows,
            columns=known.columns,
            fit=evidence.edges,
        )
    except (ValueError, np.linalg.LinAlgError):  # the known place is far outside of this picture
        return None
    drift = np.linalg.norm(grid.corners_px - known.corners_px, axis=1).max() / known.cell_px
    return grid if evidence.accepted and drift <= _MOST_DRIFT else None
