"""Verification of a fitted grid: its scores, and the rules that accept or reject it."""

from __future__ import annotations

import enum
import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from operator import itemgetter

import numpy as np

from vision.core import Floats, Mask, Matrix, cell_sides, invert_matrix, project_points
from vision.detection.features import (
    CELL_COLOUR_SETTINGS,
    LIKELIHOOD_SETTINGS,
    Colours,
    ImagePyramid,
    LayoutClasses,
    block_margins,
    cell_colours,
    find_edge_peaks,
    flatten_lights,
    layout_log_likelihood_ratio,
)
from vision.detection.fitting import AlignmentProblem, edges_of_squares
from vision.detection.proposals import line_margin

__all__ = [
    "ACCEPTANCE",
    "AcceptanceSettings",
    "FitScores",
    "FittedGrid",
    "Verdict",
    "cell_size_px",
    "layout_shows",
    "score_fit",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoringSettings:
    """How the scores of a grid are measured. Values without a source are chosen."""

    cell_px: int = 12
    """Side of a cell in the view that is scored."""
    margin: int = 2
    """Cells around the grid that are scored as well: shifts by one or two cells are what goes wrong."""
    nats_in_two_lights: float = 2.0
    """Nats in two lights that count as one. Of seven labelled photos with the sun on a part of the board that one
    light did not explain, six had 34 to 97; two grids next to a board had 21 and 34."""
    rough_margin: int = 1
    """Cells by which a rough hypothesis is shifted in each direction."""


SETTINGS = ScoringSettings()


class Verdict(enum.IntEnum):
    """How far a fitted grid can be trusted."""

    REJECTED = 0
    """There is probably no board."""
    PLAUSIBLE = 1
    """The layout shows, so that there is a board, but its corners may be off."""
    ACCEPTED = 2
    """There is a board, and the grid is on its lines."""
    CERTAIN = 3
    """No other hypothesis needs to be tried."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AcceptanceSettings:
    """Thresholds of the verification.

    All thresholds were chosen on `tests.sets.scenes`, seeds 30,000 to 30,300, unless a line says otherwise. They
    interact: `min_support` with `nats_for_edges`.
    """

    min_margin_nats: float = 18.0
    """Layout margin of a board, and by which a position must be better than another. Of about 500 hypotheses on
    chessboards, crosswords, floors, number grids and other things that are no board none has more than 15. Of right
    ones the worst has 30 and half have 170; a labelled photo of a full board in one colour has 22. Smaller boards need
    as much: with 11 nats for 9 x 9 squares, 2 of 210 pictures without a board were taken for one."""
    min_support: float = 0.55
    """Support of a board, see `FitScores.support`. Chance puts 0.32 of all edges on a grid, and carelessly placed tiles
    hide as many, so a board with poor lines must show its layout more clearly."""
    nats_for_edges: float = 250.0
    """Layout margin that is worth as much as all edges."""
    max_corner_std_cells: float = 0.1
    """Standard deviation of the most uncertain corner of a board."""
    max_misaligned_squares: int = 4
    """Misaligned squares of one block from which a grid is rejected. A fit whose corner is off by a cell has six; tiles
    of a premium square's colour may look like as many."""
    clear_edge_share: float = 0.8
    """Edge share from which a slower fit would find no better lines."""
    certain_margin_nats: float = 60.0
    """Layout margin of a certain board."""
    certain_edge_share: float = 0.6
    """Edge share from which the lines are good: a refit may be skipped, and that of an uncertain board must have it.
    With it and a margin of 45 nats, 28 of 28 grids that only the squares' colours contradicted were within 0.1 cell of
    the board. Of 8 with fewer edges, 5 were off by more than a cell (rendered scenes, seeds 140,000 to 140,599)."""
    certain_corner_std_cells: float = 0.04
    """Standard deviation of the most uncertain corner that is enough where lines are poor; 99 of 100 right fits have
    0.04 at most."""


ACCEPTANCE = AcceptanceSettings()


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class FitScores:
    """Scores of a fitted grid.

    Parameters
    ----------
    edge_share : float
        Share of the edges between squares on which the strongest colour step is where it should be. Edges of squares
        that are known to be covered do not count.
    layout_margin_nats : float
        Log-likelihood ratio of the layout here, less that at the best other shift.
    line_margin : float
        Share of lines, less that on their prolongations outside, here, less that at the best other shift.
    corner_std_cells : float
        Standard deviation of the most uncertain corner; 0 where the fit did not estimate it.
    better_shift : (int, int) or None
        Cells along x and y to a position where the layout explains the colours much better.
    misaligned_squares : int
        Number of squares by which some block of the board fits better after a shift: a corner may be off.
    """

    edge_share: float
    layout_margin_nats: float
    line_margin: float
    corner_std_cells: float = 0.0
    better_shift: tuple[int, int] | None = None
    misaligned_squares: int = 0

    @property
    def verdict(self) -> Verdict:
        """How far the grid can be trusted."""
        if not self.layout_margin_nats > ACCEPTANCE.min_margin_nats:
            return Verdict.REJECTED
        if not self._has_board_lines:
            return Verdict.PLAUSIBLE
        return Verdict.CERTAIN if self._is_certain else Verdict.ACCEPTED

    @property
    def is_accepted(self) -> bool:
        """Whether the grid is on a board's lines."""
        return self.verdict >= Verdict.ACCEPTED

    @property
    def rank(self) -> tuple[bool, float]:
        """The value by which hypotheses are compared; higher is better."""
        return self.is_accepted, self.support

    @property
    def support(self) -> float:
        """The edge share and the layout margin combined."""
        return self.edge_share + self.layout_margin_nats / ACCEPTANCE.nats_for_edges

    @property
    def is_worth_refining(self) -> bool:
        """Whether a slower fit is worth its time."""
        return self.layout_margin_nats > ACCEPTANCE.min_margin_nats / 2

    @property
    def has_good_lines(self) -> bool:
        """Whether most lines are seen."""
        return self.edge_share > ACCEPTANCE.certain_edge_share

    @property
    def has_clear_lines(self) -> bool:
        """Whether lines are seen nearly everywhere, so that a slower fit would find no better ones."""
        return self.edge_share > ACCEPTANCE.clear_edge_share

    @property
    def is_readable(self) -> bool:
        """Whether the grid is good enough to read the squares and refit with the occupied ones masked."""
        return self.is_accepted and self.has_good_lines

    @property
    def is_rejected_by_colour_only(self) -> bool:
        """Whether only misaligned squares reject a grid that is readable; tiles may explain them, or another layout."""
        return not self.is_accepted and replace(self, misaligned_squares=0).is_readable

    @property
    def _has_board_lines(self) -> bool:
        return (
            self.support > ACCEPTANCE.min_support
            and self.corner_std_cells < ACCEPTANCE.max_corner_std_cells
            and self.misaligned_squares < ACCEPTANCE.max_misaligned_squares
        )

    @property
    def _is_certain(self) -> bool:
        is_held = 0 < self.corner_std_cells < ACCEPTANCE.certain_corner_std_cells
        fits_after_shift = self.misaligned_squares > 0 and self.line_margin < 0
        shows = self.layout_margin_nats > ACCEPTANCE.certain_margin_nats and not fits_after_shift
        return shows and (self.has_good_lines or is_held)


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class FittedGrid:
    """A hypothesis that was fitted to the image and scored.

    Parameters
    ----------
    image_from_grid : (3, 3) float64
        From grid coordinates (cells) to image pixels.
    classes : LayoutClasses
        The layout in the orientation of the grid.
    scores : FitScores
        How well the image agrees.
    """

    image_from_grid: Matrix
    classes: LayoutClasses
    scores: FitScores

    @property
    def size_px(self) -> float:
        """Side of the central cell, in pixels."""
        return cell_size_px(self.image_from_grid, self.classes.centre)

    @property
    def corners_px(self) -> Floats:
        """(4, 2) corners of the grid in image pixels, clockwise."""
        return project_points(self.image_from_grid, self.classes.corners)

    def contains(self, point_px: Floats) -> bool:
        """Whether a point (2,) of the image is on the board."""
        x, y = project_points(invert_matrix(self.image_from_grid), point_px)
        return bool(0 <= x <= self.classes.columns and 0 <= y <= self.classes.rows)

    def overlaps(self, other: FittedGrid) -> bool:
        """Whether the centre of one of the two boards is on the other."""
        mine, others = (board.corners_px.mean(axis=0) for board in (self, other))
        return self.contains(others) or other.contains(mine)

    def distance_cells(self, image_from_grid: Matrix) -> float:
        """Compute the largest distance between corresponding corners of this grid and another (3, 3), in cells."""
        corners = self.classes.corners
        difference = project_points(invert_matrix(self.image_from_grid) @ image_from_grid, corners) - corners
        return float(np.nan_to_num(np.abs(difference), nan=np.inf).max())

    def is_near(self, image_from_grid: Matrix, classes: LayoutClasses, max_cells: float) -> bool:
        """Whether another hypothesis has the same orientation and corners within a distance.

        Parameters
        ----------
        image_from_grid : (3, 3) float64
            The other grid.
        classes : LayoutClasses
            The layout in its orientation.
        max_cells : float
            The distance, in cells.
        """
        is_same = np.array_equal(self.classes.classes, classes.classes)
        return is_same and self.distance_cells(image_from_grid) < max_cells


def cell_size_px(image_from_plane: Matrix, point: Floats) -> float:
    """Compute the side in pixels of a unit square of a plane at a point (2,)."""
    (ax, ay), (bx, by) = cell_sides(image_from_plane, point)
    return float(np.sqrt(abs(ax * by - ay * bx)))


def score_fit(
    problem: AlignmentProblem, image_from_grid: Matrix, *, corner_std_cells: float = 0.0
) -> FitScores:
    """Score a fitted grid.

    Parameters
    ----------
    problem : AlignmentProblem
        The image, the layout, and the squares that are known to be covered: their colours say nothing.
    image_from_grid : (3, 3) float64
        The fitted grid.
    corner_std_cells : float
        Standard deviation of the most uncertain corner; 0 where the fit did not estimate it.
    """
    classes, occluded, margin = problem.classes, problem.occlusion.squares, SETTINGS.margin
    rows, columns = classes.rows, classes.columns
    box = (-margin, -margin, columns + margin, rows + margin)
    view = problem.pyramid.warp_plane(image_from_grid, box, SETTINGS.cell_px)
    peaks = find_edge_peaks(view, SETTINGS.cell_px)
    vertical = peaks.vertical[margin:-margin, margin - 1 : columns + margin]
    horizontal = peaks.horizontal[margin - 1 : rows + margin, margin:-margin]
    lines = _margin_of_centre(line_margin(peaks, rows, columns))
    # a layout of equal squares shows by the ends of its lines alone
    layout, better_shift, misaligned = ACCEPTANCE.nats_for_edges * lines, None, 0
    if classes.class_count > 1:
        layout, nats, misaligned = _score_layout(cell_colours(view, SETTINGS.cell_px), classes, occluded)
        if layout < -ACCEPTANCE.min_margin_nats:
            row, column = (int(k) for k in np.unravel_index(nats.argmax(), nats.shape))
            better_shift = (column - margin, row - margin)
    return FitScores(
        edge_share=_edge_share(vertical, horizontal, occluded),
        layout_margin_nats=layout,
        line_margin=lines,
        corner_std_cells=corner_std_cells,
        better_shift=better_shift,
        misaligned_squares=misaligned,
    )


def layout_shows(pyramid: ImagePyramid, image_from_grid: Matrix, classes: LayoutClasses) -> bool:
    """Check quickly whether the layout explains the colours at a rough hypothesis, or a square next to it.

    Parameters
    ----------
    pyramid : ImagePyramid
        The image.
    image_from_grid : (3, 3) float64
        The hypothesis.
    classes : LayoutClasses
        The layout in the orientation of the grid.
    """
    if classes.class_count == 1:
        return True
    margin, cell_px = SETTINGS.rough_margin, CELL_COLOUR_SETTINGS.cell_px
    box = (-margin, -margin, classes.columns + margin, classes.rows + margin)
    colours = cell_colours(pyramid.warp_plane(image_from_grid, box, cell_px), cell_px)
    return any(
        float(layout_log_likelihood_ratio(each, classes).max()) > scale * ACCEPTANCE.min_margin_nats
        for each, scale in _in_even_light(colours, margin)
    )


def _in_even_light(colours: Colours, margin: int) -> Iterator[tuple[Colours, float]]:
    """Yield the colours of squares in even light, if one light is on the board, and if two are.

    With each come the nats that count as one: two lights also explain a table next to the board.
    """
    return zip(flatten_lights(colours, margin), (1.0, SETTINGS.nats_in_two_lights), strict=False)


def _score_layout(colours: Colours, classes: LayoutClasses, occluded: Mask) -> tuple[float, Floats, int]:
    """Return the layout margin, the log-likelihood ratio at each shift, and the number of misaligned squares."""
    scores = []
    for even, scale in _in_even_light(colours, SETTINGS.margin):
        layout, nats, misaligned = -math.inf, np.zeros(0), 0
        for tolerance in (LIKELIHOOD_SETTINGS.same_colour, LIKELIHOOD_SETTINGS.same_faint_colour):
            nats = layout_log_likelihood_ratio(even, classes, tolerance) / scale
            layout = _margin_of_centre(nats)
            if layout > ACCEPTANCE.min_margin_nats:
                margins = block_margins(even, classes, SETTINGS.margin, occluded, tolerance)
                misaligned = max(0, -int(margins.min()))
                break
        scores.append((layout, nats, misaligned))
        if layout > ACCEPTANCE.certain_margin_nats:
            break
    return max(scores, key=itemgetter(0))


def _edge_share(vertical: Mask, horizontal: Mask, occluded: Mask) -> float:
    """Compute the share of edges found, of all or of those next to no covered square, whichever is larger."""
    share = float((vertical.mean() + horizontal.mean()) / 2)
    bare_vertical, bare_horizontal = ~edges_of_squares(occluded), ~edges_of_squares(occluded.T).T
    if not (bare_vertical.any() and bare_horizontal.any()):
        return share
    bare_share = float((vertical[bare_vertical].mean() + horizontal[bare_horizontal].mean()) / 2)
    return max(bare_share, share)


def _margin_of_centre(values: Floats) -> float:
    """Compute by how much the value at the unshifted position exceeds the best other one."""
    centre = SETTINGS.margin, SETTINGS.margin
    others = values.copy()
    others[centre] = -np.inf
    return float(values[centre] - others.max())
