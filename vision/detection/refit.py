"""Refit of a known grid: where the board is expected, and after a reader saw which squares are covered."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from scoring import Layout
from vision.core import Grid, Homography, Image, Mask
from vision.detection.diagnostics import failure_reason
from vision.detection.features import ImagePyramid, LayoutClasses
from vision.detection.fitter import Effort, HypothesisFitter, fit_jointly
from vision.detection.fitting import AlignmentProblem, OcclusionMask, refine_on_lines
from vision.detection.proposals import GridHypothesis
from vision.detection.verification import ACCEPTANCE, FittedGrid, Verdict, score_fit
from vision.errors import BoardNotFoundError, SettingsError

__all__ = [
    "fits_better",
    "fits_other_layout",
    "measure_edge_share",
    "needs_refit",
    "refit_grid",
    "track_grid",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class RefitSettings:
    """Thresholds of tracking and refitting; lengths in cells. Values without a source are chosen."""

    max_drift: float = 0.2
    """Distance by which a corner may have moved; a shift by half a cell may be taken for the next line's."""
    first_fit_std: float = 0.15
    """Standard deviation of a corner of a first fit that needs a refit; farther off, the first fit was wrong."""
    confirmed_distance: float = 0.05
    """Distance from an accepted first fit within which 153 of 170 refits were (rendered scenes, seeds from 130,000)."""
    max_missed_squares: int = 1
    """Occupied squares taken for empty with which the refit is skipped. On 260 rendered club photos (seeds from 3,000)
    the p95 of the worst corner is 0.078 cell so, and 0.077 with a refit for each such square."""


SETTINGS = RefitSettings()


def track_grid(pyramid: ImagePyramid, known: Grid, layout: Layout) -> Grid | None:
    """Fit and verify the grid close to where it was, without a search.

    Parameters
    ----------
    pyramid : ImagePyramid
        The image.
    known : Grid
        Where the board was, letters upright.
    layout : Layout
        The board's premium squares.

    Returns
    -------
    Grid or None
        The grid on this image's own lines, its corners named as before. None where it moved by more than a fifth of a
        cell or is covered, so that it must be searched.
    """
    if (known.rows, known.columns) != (layout.rows, layout.columns):
        return None
    classes = LayoutClasses.from_layout(layout)
    problem = AlignmentProblem.unread(pyramid, classes)
    start = known.image_from_grid.matrix
    try:
        matrix = refine_on_lines(problem, start, problem.occlusion_at(start), max_rounds=1)
        fitted = FittedGrid(image_from_grid=matrix, classes=classes, scores=score_fit(problem, matrix))
        grid = Grid(
            image_from_grid=Homography(matrix=matrix),
            rows=known.rows,
            columns=known.columns,
            fit=fitted.scores.edge_share,
        )
    except (ValueError, np.linalg.LinAlgError):  # the known place is far outside of this image
        return None
    drift = np.linalg.norm(grid.corners_px - known.corners_px, axis=1).max() / known.cell_px
    return grid if fitted.scores.is_accepted and drift <= SETTINGS.max_drift else None


def fits_other_layout(image_bgr: Image, known: Grid, layout: Layout) -> bool:
    """Whether a board has the lines and colours of another layout, in the same place.

    A board of 16 x 16 squares may have been squeezed into 15 x 15. Of 109 rendered ones 108 are recognised so; of 39
    photos of 15 x 15 squares whose lines are not clear none is taken for 16 x 16.

    Parameters
    ----------
    image_bgr : (height, width, 3) uint8
        The image, BGR.
    known : Grid
        The grid that was found with the first layout.
    layout : Layout
        The other layout.
    """
    classes = LayoutClasses.from_layout(layout)
    outline = Grid.from_corners(known.corners_px, layout.rows, layout.columns).image_from_grid.matrix
    fitter = HypothesisFitter(ImagePyramid.of(image_bgr), Effort.FAST)
    hypothesis = GridHypothesis(image_from_grid=outline, classes=classes)
    fitted = fitter.fit(hypothesis, align_lines=True, allow_joint_fit=False)
    return fitted.scores.verdict >= Verdict.PLAUSIBLE and fitted.scores.edge_share > known.fit


def fits_better(image_bgr: Image, known: Grid, other: Grid, layout: Layout) -> bool:
    """Whether one grid fits an image better than another; both are taken as they are.

    Parameters
    ----------
    image_bgr : (height, width, 3) uint8
        The image, BGR.
    known, other : Grid
        The two grids.
    layout : Layout
        The board's premium squares.
    """
    problem = AlignmentProblem.unread(ImagePyramid.of(image_bgr), LayoutClasses.from_layout(layout))
    ranks = [score_fit(problem, grid.image_from_grid.matrix).rank for grid in (known, other)]
    return ranks[0] > ranks[1]


def measure_edge_share(image_bgr: Image, known: Grid, layout: Layout) -> float:
    """Return the share of a grid's edges on which lines are seen; the grid is taken as it is.

    Parameters
    ----------
    image_bgr : (height, width, 3) uint8
        The image, BGR.
    known : Grid
        The grid.
    layout : Layout
        The board's premium squares.
    """
    problem = AlignmentProblem.unread(ImagePyramid.of(image_bgr), LayoutClasses.from_layout(layout))
    return score_fit(problem, known.image_from_grid.matrix).edge_share


def needs_refit(pyramid: ImagePyramid, known: Grid, layout: Layout, occluded: Mask) -> bool:
    """Whether tiles that the first fit did not recognise by colour may have pulled its grid away.

    Parameters
    ----------
    pyramid : ImagePyramid
        The image.
    known : Grid
        The grid of the first fit.
    layout : Layout
        The board's premium squares.
    occluded : (rows, columns) bool
        Squares of that grid on which a reader saw tiles, hands or anything else.
    """
    if known.fit < ACCEPTANCE.certain_edge_share:
        return True
    problem = AlignmentProblem.unread(pyramid, LayoutClasses.from_layout(layout))
    estimated = problem.occlusion_at(known.image_from_grid.matrix)
    return int((occluded & ~estimated.squares).sum()) > SETTINGS.max_missed_squares


def refit_grid(
    pyramid: ImagePyramid, known: Grid, layout: Layout, occluded: Mask, *, uncertain: bool = False
) -> Grid:
    """Fit the grid to the lines and coloured squares that nothing covers.

    Parameters
    ----------
    pyramid : ImagePyramid
        The image.
    known : Grid
        The first fit, off by less than half a cell, named from a side that the layout allows.
    layout : Layout
        The board's premium squares.
    occluded : (rows, columns) bool
        Squares of that grid on which a reader saw tiles, hands or anything else.
    uncertain : bool
        Whether the first fit was only plausible. That this fit agrees with it is then enough only if most edges show
        lines.

    Raises
    ------
    BoardNotFoundError
        If too little of the board shows to be sure of its corners.
    """
    start = known.image_from_grid.matrix
    occlusion = OcclusionMask(squares=occluded, is_known=True)
    fitted = fit_jointly(AlignmentProblem(pyramid, LayoutClasses.from_layout(layout), occlusion), start)
    distance = fitted.distance_cells(start)
    if not (fitted.scores.is_accepted or _is_confirmed(fitted, distance, uncertain=uncertain)):
        raise _not_found(pyramid, fitted)
    weight = 1.0
    if distance < SETTINGS.first_fit_std:
        # Where little shows between the tiles, the first fit, which used all of the board, still counts.
        first_variance = SETTINGS.first_fit_std**2
        weight = first_variance / (first_variance + fitted.scores.corner_std_cells**2)
    corners_px = known.corners_px + weight * (fitted.corners_px - known.corners_px)
    try:
        return Grid.from_corners(corners_px, known.rows, known.columns, fit=fitted.scores.edge_share)
    except SettingsError as error:
        raise _not_found(pyramid, fitted) from error


def _is_confirmed(fitted: FittedGrid, distance_cells: float, *, uncertain: bool) -> bool:
    """Whether a refit that is not accepted by itself agrees closely enough with the first fit."""
    scores = fitted.scores
    return (
        (not uncertain or scores.has_good_lines)
        and scores.verdict >= Verdict.PLAUSIBLE
        and distance_cells < SETTINGS.confirmed_distance
    )


def _not_found(pyramid: ImagePyramid, fitted: FittedGrid) -> BoardNotFoundError:
    return BoardNotFoundError(failure_reason(pyramid.coarse_bgr, fitted.scores), tried_px=fitted.corners_px)
