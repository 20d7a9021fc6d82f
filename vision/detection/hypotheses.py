"""Guesses at the board, kind by kind, each fitted to the picture and with what speaks for it."""

from __future__ import annotations

import enum
import itertools
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.core import halve_image, invert_matrix, project_points
from vision.detection.features import ImagePyramid, LayoutClasses
from vision.detection.fitting import fitted_jointly, refined
from vision.detection.proposals import (
    THRESHOLDS,
    Lattice,
    LayoutPlacement,
    Quads,
    colour_layers,
    combed_lattices,
    corner_sight,
    distinct_quads,
    find_lattices,
    find_outlines,
    find_quads,
    find_segments,
    grey_layer,
    inset_placement,
    place,
    vanishing_pairs,
)
from vision.detection.verification import FitScores, layout_shows, score_fit

__all__ = ["CLEARLY_LARGER", "Effort", "FittedGrid", "HypothesisGenerator", "fitted_where_shown"]

CLEARLY_LARGER = 1.1
"""In cells' sides: by so much another board must be larger, for a second look to be worth its time."""

_MAX_OUTLINES, _MAX_INSET = 5, 2
_MIN_INSET = 0.04
"""Outlines that are looked into, and those of them that are fitted; how much of the colours the layout must explain."""

_KNOWN_WITHIN = 0.1
"""Cells between the corners of two guesses that the same slow fit would take to one place."""

_FITTED_WITHIN = 0.3
"""The same of a guess that an accepted fit lies by: lines are found from there."""

_FROM_AFAR = (9, 2)
"""The first threshold with half its neighbourhood, as the picture is half as large: 27 of 80 rendered boards are found
by it beyond doubt, 23 by the whole one."""

_MAX_CORNERED, _SURELY_SEEN = 1, 0.5
"""Of the boards that a network sees, those that are fitted; and the probability of a corner, from which this is done
without a look at the layout."""

_MAX_SPACINGS, _MAX_COMBED = 5, 3
"""Lattices and fits of a pair of directions: a placement's score is a good judge among its lattices."""

Matrix = NDArray[np.float64]


class Effort(enum.Enum):
    """How much time a search for the board may take."""

    FAST = "fast"
    """Stop early: the caller refits after reading, and searches again with `THOROUGH` if that fails."""
    THOROUGH = "thorough"
    """Try all kinds of hypotheses before giving up."""


@dataclass(frozen=True, slots=True, eq=False)
class FittedGrid:
    """A fitted guess.

    Parameters
    ----------
    image_from_grid : (3, 3) float64
        From grid coordinates (cells) to image pixels.
    pattern : Pattern
        The layout as it lies in the grid.
    evidence : Evidence
        What speaks for it.
    """

    image_from_grid: Matrix
    pattern: LayoutClasses
    evidence: FitScores

    @property
    def size_px(self) -> float:
        """The side of the middle cell in pixels."""
        return _size_px(self.image_from_grid, np.array([self.pattern.columns, self.pattern.rows]) / 2)

    @property
    def corners_px(self) -> Matrix:
        """(4, 2) the grid's corners in image pixels, going round."""
        return project_points(self.image_from_grid, _outline(self.pattern))

    def shows(self, place_px: Matrix) -> bool:
        """Whether a place in the picture lies on this board."""
        x, y = project_points(invert_matrix(self.image_from_grid), place_px)
        return bool(0 <= x <= self.pattern.columns and 0 <= y <= self.pattern.rows)

    def meets(self, other: FittedGrid) -> bool:
        """Whether the middle of one of the two boards lies on the other."""
        middles = [board.corners_px.mean(axis=0) for board in (self, other)]
        return self.shows(middles[1]) or other.shows(middles[0])

    def apart(self, image_from_grid: Matrix) -> float:
        """How far, in cells, the corners of another fit of the same layout lie off at most."""
        outline = _outline(self.pattern)
        off = np.abs(project_points(invert_matrix(self.image_from_grid) @ image_from_grid, outline) - outline)
        return float(np.nan_to_num(off, nan=np.inf).max())

    def near(self, image_from_grid: Matrix, pattern: LayoutClasses, cells: float) -> bool:
        """Whether another guess is of the layout in the same turn and its corners lie less than so many cells off."""
        same = np.array_equal(self.pattern.classes, pattern.classes)
        return same and self.apart(image_from_grid) < cells


@dataclass(slots=True, eq=False)
class HypothesisGenerator:
    """Where a board may lie in a picture.

    Parameters
    ----------
    views : Views
        The picture.
    pattern : Pattern
        The layout as printed.
    hasty : bool
        Whether a second fit follows, when what lies on the board is read, and another search, if that refuses it.
    """

    views: ImagePyramid
    pattern: LayoutClasses
    hasty: bool = False
    _accepted: list[FittedGrid] = field(default_factory=list)
    _fitted_slowly: list[tuple[FittedGrid, FittedGrid]] = field(default_factory=list)

    def by_kind(self) -> Iterator[Iterator[FittedGrid]]:
        """Fitted guesses, kind by kind, the cheapest first; those of the last resort, `by_straight_edges`, left out.

        What a network sees is the cheapest by far, and mostly right. Without haste it comes last, so that a search
        after one that went astray goes another way.
        """
        lattices = self._lattices()
        if self.hasty:
            yield self._cornered()
        yield self._laid(self._lattices_from_afar(), patient=False)
        yield self._laid(next(lattices))
        yield self._laid(next(lattices))
        yield self._inset()
        yield self._laid(next(lattices))
        if not self.hasty:
            yield self._cornered()

    def of_small_squares(self) -> Iterator[Iterator[FittedGrid]]:
        """The kinds of guesses that find more in a larger view."""
        lattices = self._lattices()
        yield self._laid(next(lattices))
        yield self._laid(next(lattices))
        yield self._inset()

    def _cornered(self) -> Iterator[FittedGrid]:
        """Fitted guesses from corners that a network sees."""
        for seen in corner_sight().outlines(self.views.coarse_bgr)[:_MAX_CORNERED]:
            for turn in self.pattern.distinct_turns():
                pattern = self.pattern.rotate(turn)
                coarse_from_grid = cv2.getPerspectiveTransform(
                    _outline(pattern).astype(np.float32), seen.corners_xy.astype(np.float32)
                )
                matrix = invert_matrix(self.views.coarse_from_image) @ coarse_from_grid
                if seen.least_seen > _SURELY_SEEN or layout_shows(self.views, matrix, pattern):
                    guess = LayoutPlacement(image_from_grid=matrix, pattern=pattern, score=0.0)
                    yield self._fitted(guess, whole_lines=True)

    def _inset(self) -> Iterator[FittedGrid]:
        """Refined guesses from the outlines of boards."""
        layers = (grey_layer(self.views.coarse_bgr), *colour_layers(self.views.coarse_bgr))
        placements = [
            inset_placement(self.views.coarse_bgr, outline, self.pattern)
            for outline in find_outlines(layers, _MAX_OUTLINES)
        ]
        placements.sort(key=lambda placement: -placement.score)
        sure: list[FittedGrid] = []
        for placement in placements[:_MAX_INSET]:
            matrix = invert_matrix(self.views.coarse_from_image) @ placement.image_from_grid
            middle = np.array([placement.pattern.columns, placement.pattern.rows]) / 2
            if _known(sure, project_points(matrix, middle), _size_px(matrix, middle)):
                continue  # the board's inner and outer border are both outlines
            if placement.score > _MIN_INSET and layout_shows(self.views, matrix, placement.pattern):
                candidate = self._fitted(replace(placement, image_from_grid=matrix), whole_lines=True)
                yield candidate
                sure += [candidate] if candidate.evidence.beyond_doubt else []

    def _laid(self, lattices: list[Lattice], *, patient: bool = True) -> Iterator[FittedGrid]:
        """Fitted guesses from lattices of whole squares, not twice at a place that is beyond doubt.

        Where others follow that see more, there is no need for patience with each.
        """
        sure: list[FittedGrid] = []
        for lattice in lattices:
            image_from_lattice = invert_matrix(self.views.coarse_from_image) @ lattice.image_from_lattice
            middle = project_points(image_from_lattice, lattice.cells.mean(axis=0) + 0.5)
            size = _size_px(image_from_lattice, lattice.cells.mean(axis=0))
            if _known(sure, middle, size):
                continue
            for placement in place(self.views, image_from_lattice, lattice.cells, self.pattern):
                if sure and not layout_shows(self.views, placement.image_from_grid, placement.pattern):
                    continue
                candidate = self._fitted(placement, whole_lines=False, patient=patient)
                yield candidate
                if candidate.evidence.beyond_doubt:
                    sure.append(candidate)
                    break

    def by_straight_edges(self) -> Iterator[FittedGrid]:
        """Refined guesses from straight edges alone, which take as long as all other kinds together."""
        height, width = self.views.coarse_bgr.shape[:2]
        segments = find_segments((grey_layer(self.views.coarse_bgr), *colour_layers(self.views.coarse_bgr)))
        for pair in vanishing_pairs(segments):
            placements: list[LayoutPlacement] = []
            for lattice in itertools.islice(combed_lattices(segments, pair, (width, height)), _MAX_SPACINGS):
                image_from_lattice = invert_matrix(self.views.coarse_from_image) @ lattice.image_from_lattice
                placements += place(self.views, image_from_lattice, lattice.cells, self.pattern)
            placements.sort(key=lambda placement: -placement.score)
            for placement in placements[:_MAX_COMBED]:
                if not layout_shows(self.views, placement.image_from_grid, placement.pattern):
                    continue
                yield self._fitted(placement, whole_lines=True)

    def _lattices_from_afar(self) -> list[Lattice]:
        """Planes of equal squares in a view of half the size: a quarter of the work, enough for most large boards."""
        quads = find_quads(grey_layer(halve_image(self.views.coarse_bgr)), _FROM_AFAR)
        twice = np.array([[2, 0, 0.5], [0, 2, 0.5], [0, 0, 1]])
        return [
            replace(lattice, image_from_lattice=twice @ lattice.image_from_lattice)
            for lattice in find_lattices(distinct_quads([quads]), most=1, diagonals=False)
        ]

    def _lattices(self) -> Iterator[list[Lattice]]:
        """Planes of equal squares in the coarse view, the cheapest to find first."""
        grey = grey_layer(self.views.coarse_bgr)
        found: list[Quads] = []
        for threshold in THRESHOLDS[:2]:
            found.append(find_quads(grey, threshold))
            yield find_lattices(distinct_quads(found), most=2, diagonals=False)
        layers = (grey, *colour_layers(self.views.coarse_bgr))
        found += [find_quads(layer, threshold) for layer in layers for threshold in THRESHOLDS[2:]]
        yield find_lattices(distinct_quads(found), most=3, diagonals=True)

    def _fitted(self, guess: LayoutPlacement, *, whole_lines: bool, patient: bool = True) -> FittedGrid:
        """A guess fitted to the lines, and where those are not clear, to the colours too.

        Without patience the colours only help a guess that its lines alone let pass.
        """
        for known in self._accepted:
            if known.near(guess.image_from_grid, guess.pattern, _FITTED_WITHIN):
                return known
        fitted = self._newly_fitted(guess, whole_lines, patient)
        if fitted.evidence.accepted:
            self._accepted.append(fitted)
        return fitted

    def _newly_fitted(self, guess: LayoutPlacement, whole_lines: bool, patient: bool) -> FittedGrid:
        image_from_grid, pattern = guess.image_from_grid, guess.pattern
        matrix = refined(self.views, image_from_grid, pattern, whole_lines=whole_lines, colours=guess.colours)
        by_lines = self._candidate(matrix, pattern)
        if by_lines.evidence.better_shift is not None:
            x, y = by_lines.evidence.better_shift
            image_from_grid = matrix @ np.array([[1.0, 0, x], [0, 1.0, y], [0, 0, 1.0]])
            by_lines = self._candidate(refined(self.views, image_from_grid, pattern), pattern)
        if by_lines.evidence.on_clear_lines or not by_lines.evidence.promising:
            return by_lines
        if self.hasty and by_lines.evidence.enough_for_a_reader:
            return by_lines
        if not (patient or by_lines.evidence.accepted):
            return by_lines  # the whole view gives a better guess to spend the time on
        for start, known in self._fitted_slowly:
            if start.near(by_lines.image_from_grid, pattern, _KNOWN_WITHIN):
                return known
        fits = []
        for matrix in (image_from_grid, by_lines.image_from_grid):
            fit = fitted_where_shown(self.views, matrix, pattern)
            if fit is not None:
                fits.append(fit)
                if fit.evidence.accepted:
                    break  # from the other start it is the same board, and no surer
        best = max(fits or [by_lines], key=lambda fit: fit.evidence.rank)
        self._fitted_slowly.append((by_lines, best))
        return best

    def _candidate(self, matrix: Matrix, pattern: LayoutClasses) -> FittedGrid:
        return FittedGrid(
            image_from_grid=matrix, pattern=pattern, evidence=score_fit(self.views, matrix, pattern)
        )


def fitted_where_shown(
    views: ImagePyramid, start: Matrix, pattern: LayoutClasses, hidden: NDArray[np.bool_] | None = None
) -> FittedGrid | None:
    """A guess fitted to lines and colours, with what speaks for it; None if that leads away.

    Parameters
    ----------
    views : Views
        The picture.
    start : (3, 3) float64
        A projection that is off by less than about 0.4 cell.
    pattern : Pattern
        The layout as it lies in the grid.
    hidden : (rows, columns) bool, optional
        Squares on which something is known to lie; else their colours must tell.
    """
    joint = fitted_jointly(views, start, pattern, hidden)
    if joint is None:
        return None
    evidence = score_fit(views, joint.image_from_grid, pattern, spread=joint.spread, hidden=hidden)
    return FittedGrid(image_from_grid=joint.image_from_grid, pattern=pattern, evidence=evidence)


def _known(boards: list[FittedGrid], place_px: Matrix, size_px: float) -> bool:
    """Whether a guess at a place lies on one of the boards, and is not clearly larger."""
    return any(board.shows(place_px) and size_px < CLEARLY_LARGER * board.size_px for board in boards)


def _size_px(image_from_plane: NDArray[np.float64], place_xy: NDArray[np.float64]) -> float:
    """The side in pixels that a unit square of a plane has at a place."""
    around = project_points(image_from_plane, place_xy + np.array([[0.0, 0], [1, 0], [0, 1]]))
    (ax, ay), (bx, by) = around[1:] - around[0]
    return float(np.sqrt(abs(ax * by - ay * bx)))


def _outline(pattern: LayoutClasses) -> NDArray[np.float64]:
    """(4, 2) the corners of a grid, in cells."""
    rows, columns = pattern.rows, pattern.columns
    return np.array([[0, 0], [columns, 0], [columns, rows], [0, rows]], dtype=np.float64)
