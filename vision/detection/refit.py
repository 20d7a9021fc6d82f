"""Does the board still lie where it lay? Asked of a camera that stays where it is, before anything is searched.

The grid fitted once more, when a reader has said on which squares something lies: that pulls a grid away.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from scoring import Layout
from vision.core import Grid, Homography
from vision.detection.diagnostics import reason
from vision.detection.features import ImagePyramid, LayoutClasses
from vision.detection.fitting import OcclusionMask, refined
from vision.detection.hypotheses import FittedGrid, fitted_where_shown
from vision.detection.verification import score_fit
from vision.errors import BoardNotFoundError, SettingsError

__all__ = ["needs_refit", "refit_grid", "track_grid"]

_MAX_DRIFT = 0.2
"""Cells by which a corner may have moved; a shift by half a cell and more could be taken for another line's."""


def track_grid(image_bgr: NDArray[np.uint8], known: Grid, layout: Layout) -> Grid | None:
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
    views, pattern = ImagePyramid.of(image_bgr), LayoutClasses.from_layout(layout)
    try:
        matrix = refined(views, known.image_from_grid.matrix, pattern, rounds=1)
        evidence = score_fit(views, matrix, pattern)
        grid = Grid(
            image_from_grid=Homography(matrix=matrix),
            rows=known.rows,
            columns=known.columns,
            fit=evidence.edges,
        )
    except (ValueError, np.linalg.LinAlgError):  # the known place is far outside of this picture
        return None
    drift = np.linalg.norm(grid.corners_px - known.corners_px, axis=1).max() / known.cell_px
    return grid if evidence.accepted and drift <= _MAX_DRIFT else None


_KNOWN_WITHIN = 0.15
"""Cells: standard deviation of a corner of a first fit that deserves a second one; farther off, it was wrong."""

_CONFIRMED_WITHIN, _CONFIRMED_STRAYED = 0.05, 5
"""Cells from an accepted first fit, within which 153 of 170 second ones lay (rendered scenes, seeds from 130,000); and
squares that may rather lie beside, when both fits agree: a corner off by a cell has six."""

_ENOUGH_EDGES, _MAX_UNSEEN = 0.6, 1
"""Share of edges found, and squares taken for bare on which something lies, with which a second fit mends nothing: of
260 rendered club photos (seeds from 3,000) the p95 of the worst corner is 0.078 cell without it, and 0.077 where one is
made for each such square. So many edges must also be found on a doubted board."""


def needs_refit(views: ImagePyramid, known: Grid, layout: Layout, hidden: NDArray[np.bool_]) -> bool:
    """Whether tiles that the first fit did not recognise by colour may have pulled its grid away.

    Parameters
    ----------
    views : Views
        The picture.
    known : Grid
        What the first fit found.
    layout : Layout
        The board's premium squares.
    hidden : (rows, columns) bool
        Squares of that grid on which tiles, hands or anything else were seen.
    """
    if known.fit < _ENOUGH_EDGES:
        return True
    lying = OcclusionMask.on(views, known.image_from_grid.matrix, LayoutClasses.from_layout(layout))
    return int((hidden & ~lying.squares).sum()) > _MAX_UNSEEN


def refit_grid(
    views: ImagePyramid, known: Grid, layout: Layout, hidden: NDArray[np.bool_], *, uncertain: bool = False
) -> Grid:
    """The grid on those lines and coloured squares that nothing hides.

    Parameters
    ----------
    views : Views
        The picture.
    known : Grid
        Where the board was found, off by less than half a cell, named from a side that the layout allows.
    layout : Layout
        The board's premium squares.
    hidden : (rows, columns) bool
        Squares of that grid on which tiles, hands or anything else were seen.
    uncertain : bool
        Whether the board only seemed to be there: if this fit finds the same, most edges must then show lines for
        that to be enough.

    Raises
    ------
    BoardNotFoundError
        If the board does not show well enough beside all that to be sure of its corners.
    """
    pattern = LayoutClasses.from_layout(layout)
    found = fitted_where_shown(views, known.image_from_grid.matrix, pattern, hidden)
    if found is None:
        raise _refusal(views, found)
    apart = found.apart(known.image_from_grid.matrix)
    track_grid = (
        (not uncertain or found.evidence.edges > _ENOUGH_EDGES)
        and found.evidence.seems_there
        and found.evidence.strayed <= _CONFIRMED_STRAYED
        and apart < _CONFIRMED_WITHIN
    )
    if not (found.evidence.accepted or track_grid):
        raise _refusal(views, found)
    share = 1.0
    if apart < _KNOWN_WITHIN:
        # Where little shows beside what lies there, the first fit, which saw all of it, still counts.
        share = _KNOWN_WITHIN**2 / (_KNOWN_WITHIN**2 + found.evidence.spread**2)
    corners_px = known.corners_px + share * (found.corners_px - known.corners_px)
    try:
        return Grid.from_corners(corners_px, known.rows, known.columns, fit=found.evidence.edges)
    except SettingsError as error:
        raise _refusal(views, found) from error


def _refusal(views: ImagePyramid, found: FittedGrid | None) -> BoardNotFoundError:
    refusal = BoardNotFoundError(reason(views.coarse_bgr, None if found is None else found.evidence))
    refusal.tried_px = None if found is None else found.corners_px
    return refusal
