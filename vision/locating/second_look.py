"""The grid fitted once more, when a reader has said on which squares something lies: that pulls a grid away."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from scoring.layout import Layout
from vision.errors import BoardNotFoundError, SettingsError
from vision.geometry import Grid
from vision.locating.candidates import Candidate, fitted_where_shown
from vision.locating.pattern import Pattern
from vision.locating.refusing import reason
from vision.locating.views import Views

__all__ = ["fitted_again"]

_KNOWN_WITHIN = 0.15
"""Cells: standard deviation of a corner of a first fit that deserves a second one; farther off, it was wrong."""


def fitted_again(
    image_bgr: NDArray[np.uint8], known: Grid, layout: Layout, hidden: NDArray[np.bool_]
) -> Grid:
    """The grid on those lines and coloured squares that nothing hides.

    Parameters
    ----------
    image_bgr : (height, width, 3) uint8
        The picture, BGR.
    known : Grid
        Where the board was found, off by less than half a cell, named from a side that the layout allows.
    layout : Layout
        The board's premium squares.
    hidden : (rows, columns) bool
        Squares of that grid on which tiles, hands or anything else were seen.

    Raises
    ------
    BoardNotFoundError
        If the board does not show well enough beside all that to be sure of its corners.
    """
    views, pattern = Views.of(image_bgr), Pattern.from_layout(layout)
    found = fitted_where_shown(views, known.image_from_grid.matrix, pattern, hidden)
    if found is None or not found.evidence.accepted:
        raise _refusal(views, found)
    share = 1.0
    if found.apart(known.image_from_grid.matrix) < _KNOWN_WITHIN:
        # Where little shows beside what lies there, the first fit, which saw all of it, still counts.
        share = _KNOWN_WITHIN**2 / (_KNOWN_WITHIN**2 + found.evidence.spread**2)
    corners_px = known.corners_px + share * (found.corners_px - known.corners_px)
    try:
        return Grid.from_corners(corners_px, known.rows, known.columns, fit=found.evidence.edges)
    except SettingsError as error:
        raise _refusal(views, found) from error


def _refusal(views: Views, found: Candidate | None) -> BoardNotFoundError:
    refusal = BoardNotFoundError(reason(views.coarse_bgr, None if found is None else found.evidence))
    refusal.tried_px = None if found is None else found.corners_px
    return refusal
