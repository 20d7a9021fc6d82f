"""The stage: a picture and a layout in, the board's grid out, or the reason why not."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scoring.layout import Layout
from vision.errors import BoardNotFoundError, SettingsError
from vision.geometry import Grid
from vision.locating.comb import combed_lattices
from vision.locating.joint_fit import fitted_jointly
from vision.locating.lattice import Lattice, find_lattices
from vision.locating.outlines import find_outlines, inset_placement
from vision.locating.pattern import Pattern
from vision.locating.placing import Placement, place
from vision.locating.quads import (
    THRESHOLDS,
    Quads,
    colour_layers,
    distinct_quads,
    find_quads,
    grey_layer,
)
from vision.locating.refining import refined
from vision.locating.refusing import reason
from vision.locating.vanishing import find_segments, vanishing_pairs
from vision.locating.verifying import Evidence, gather
from vision.locating.views import Views, inverted, projected

__all__ = ["locate"]

_LEAST_SIDE_PX = 60
"""Four pixels a cell; nothing can be read far above that."""

_LEAST_ELEVATION_DEG = 16.0
"""Below, a letter is seen at a quarter of its height and hidden by the tile before it."""

_CLEARLY_LARGER = 1.1
"""In cells' sides: by so much another board must be larger, for a second look to be worth its time."""

_MOST_OUTLINES, _MOST_INSET = 5, 2
_LEAST_INSET = 0.04
"""Outlines that are looked into, and those of them that are fitted; how much of the colours the layout must explain."""

_LINES_DECIDE = 0.6
"""Share of edges found from which a fit by lines alone ends more exactly than one by lines and colours."""

_SAME_LINES, _LINE_ROUNDS = 0.3, 2
"""Cells by which a corner then moves at most; else other lines are meant, as where a moving camera doubled them."""

_MOST_COMBED = 3
"""Fits of a pair of directions: a placement's score is a good judge among its lattices."""


@dataclass(frozen=True, slots=True, eq=False)
class _Candidate:
    image_from_grid: NDArray[np.float64]
    pattern: Pattern
    evidence: Evidence

    @property
    def size_px(self) -> float:
        """The side of the middle cell in pixels."""
        return _size_px(self.image_from_grid, np.array([self.pattern.columns, self.pattern.rows]) / 2)


def locate(image_bgr: NDArray[np.uint8], layout: Layout) -> Grid:
    """Where the board's grid lies in a picture.

    Parameters
    ----------
    image_bgr : (height, width, 3) uint8
        The picture, BGR, of any size.
    layout : Layout
        The board's premium squares. Their places count, their colours do not.

    Returns
    -------
    Grid
        With the turn that is closest to upright in the picture among those that the layout allows: on the
        usual board, which looks alike from all four sides, only the letters can tell. Its `fit` is the
        share of the grid's edges on which a line was found.

    Raises
    ------
    BoardNotFoundError
        If no grid fits well enough to be trusted; it says what was found instead, and what would help.

    Notes
    -----
    Propose, refine, verify: the cheapest proposal that is verified beyond doubt ends the search. Of several boards
    in view it is the one with the largest squares, where whole squares show.
    """
    if image_bgr.ndim != 3 or image_bgr.shape[2] != 3 or min(image_bgr.shape[:2]) < _LEAST_SIDE_PX:
        raise BoardNotFoundError(
            f"no board found: the picture is {image_bgr.shape[1]} x {image_bgr.shape[0]} px, a board needs "
            f"{_LEAST_SIDE_PX} px at least and 300 px to be read; take a larger picture"
        )
    views = Views.of(image_bgr)
    pattern = Pattern.from_layout(layout)
    best = _best_candidate(views, pattern)
    closer = views.closer()
    if closer is not None and (best is None or not best.evidence.accepted):
        again = _best_candidate(closer, pattern)
        if again is not None and (best is None or again.evidence.rank > best.evidence.rank):
            best = again
    if best is None or not best.evidence.accepted:
        refusal = BoardNotFoundError(reason(views.coarse_bgr, best.evidence if best else None))
        refusal.tried_px = None if best is None else _corners_px(best)
        raise refusal
    _check_angle(best)
    return _upright(best, pattern)


def _check_angle(found: _Candidate) -> None:
    """Refuses a board that is seen too obliquely to be read, however well its lines fit."""
    middle = np.array([found.pattern.columns, found.pattern.rows]) / 2
    around = projected(found.image_from_grid, middle + np.array([[0.0, 0], [1, 0], [0, 1]]))
    longest, shortest = np.linalg.svd(around[1:] - around[0], compute_uv=False)
    degrees = float(np.rad2deg(np.arcsin(min(1.0, shortest / longest))))
    if degrees < _LEAST_ELEVATION_DEG:
        refusal = BoardNotFoundError(
            f"no board found: the board is seen from about {degrees:.0f} degrees above the table, "
            f"{_LEAST_ELEVATION_DEG:.0f} at least are needed; look more from above"
        )
        refusal.tried_px = _corners_px(found)
        raise refusal


def _best_candidate(views: Views, pattern: Pattern) -> _Candidate | None:
    """The first guess beyond doubt, of several of one kind the largest; or else the best of all."""
    best: _Candidate | None = None
    for kind in _candidates(views, pattern):
        sure: _Candidate | None = None
        for candidate in kind:
            if best is None or candidate.evidence.rank > best.evidence.rank:
                best = candidate
            larger = sure is None or candidate.size_px > _CLEARLY_LARGER * sure.size_px
            if candidate.evidence.beyond_doubt and larger:
                sure = candidate
        if sure is not None:
            return sure
    return best


def _candidates(views: Views, pattern: Pattern) -> Iterator[Iterator[_Candidate]]:
    """Refined guesses, kind by kind, the cheapest first."""
    lattices = _lattices(views)
    yield _laid(views, next(lattices), pattern)
    yield _laid(views, next(lattices), pattern)
    yield _inset(views, pattern)
    yield _laid(views, next(lattices), pattern)
    yield _combed(views, pattern)


def _inset(views: Views, pattern: Pattern) -> Iterator[_Candidate]:
    """Refined guesses from the outlines of boards."""
    layers = (grey_layer(views.coarse_bgr), *colour_layers(views.coarse_bgr))
    placements = [
        inset_placement(views.coarse_bgr, outline, pattern)
        for outline in find_outlines(layers, _MOST_OUTLINES)
    ]
    placements.sort(key=lambda placement: -placement.score)
    for placement in placements[:_MOST_INSET]:
        if placement.score > _LEAST_INSET:
            matrix = inverted(views.coarse_from_image) @ placement.image_from_grid
            yield _fitted(views, matrix, placement.pattern, whole_lines=True)


def _laid(views: Views, lattices: list[Lattice], pattern: Pattern) -> Iterator[_Candidate]:
    """Refined guesses from lattices of whole squares; none smaller than one that is beyond doubt."""
    verified_px = 0.0
    sizes = [_size_px(lattice.image_from_lattice, lattice.cells.mean(axis=0)) for lattice in lattices]
    scale = _size_px(inverted(views.coarse_from_image), np.zeros(2))
    for lattice, size in zip(lattices, sizes, strict=True):
        if size * scale < _CLEARLY_LARGER * verified_px:
            continue
        image_from_lattice = inverted(views.coarse_from_image) @ lattice.image_from_lattice
        for placement in place(views, image_from_lattice, lattice.cells, pattern):
            candidate = _fitted(views, placement.image_from_grid, placement.pattern, whole_lines=False)
            yield candidate
            if candidate.evidence.beyond_doubt:
                verified_px = max(verified_px, candidate.size_px)
                break


def _size_px(image_from_plane: NDArray[np.float64], place_xy: NDArray[np.float64]) -> float:
    """The side in pixels that a unit square of a plane has at a place."""
    around = projected(image_from_plane, place_xy + np.array([[0.0, 0], [1, 0], [0, 1]]))
    (ax, ay), (bx, by) = around[1:] - around[0]
    return float(np.sqrt(abs(ax * by - ay * bx)))


def _combed(views: Views, pattern: Pattern) -> Iterator[_Candidate]:
    """Refined guesses from straight edges alone."""
    height, width = views.coarse_bgr.shape[:2]
    segments = find_segments((grey_layer(views.coarse_bgr), *colour_layers(views.coarse_bgr)))
    for pair in vanishing_pairs(segments):
        placements: list[Placement] = []
        for lattice in combed_lattices(segments, pair, (width, height)):
            image_from_lattice = inverted(views.coarse_from_image) @ lattice.image_from_lattice
            placements += place(views, image_from_lattice, lattice.cells, pattern)
        placements.sort(key=lambda placement: -placement.score)
        for placement in placements[:_MOST_COMBED]:
            yield _fitted(views, placement.image_from_grid, placement.pattern, whole_lines=True)


def _lattices(views: Views) -> Iterator[list[Lattice]]:
    """Planes of equal squares in the coarse view, the cheapest to find first."""
    grey = grey_layer(views.coarse_bgr)
    found: list[Quads] = []
    for threshold in THRESHOLDS[:2]:
        found.append(find_quads(grey, threshold))
        yield find_lattices(distinct_quads(found), most=2, diagonals=False)
    layers = (grey, *colour_layers(views.coarse_bgr))
    found += [find_quads(layer, threshold) for layer in layers for threshold in THRESHOLDS[2:]]
    yield find_lattices(distinct_quads(found), most=3, diagonals=True)


def _fitted(
    views: Views, image_from_grid: NDArray[np.float64], pattern: Pattern, *, whole_lines: bool
) -> _Candidate:
    """A guess fitted to the lines, and where those are not clear, to the colours too."""
    matrix = refined(views, image_from_grid, pattern, whole_lines=whole_lines)
    evidence = gather(views, matrix, pattern)
    if evidence.better_shift is not None:
        x, y = evidence.better_shift
        image_from_grid = matrix @ np.array([[1.0, 0, x], [0, 1.0, y], [0, 0, 1.0]])
        matrix = refined(views, image_from_grid, pattern)
        evidence = gather(views, matrix, pattern)
    by_lines = _Candidate(image_from_grid=matrix, pattern=pattern, evidence=evidence)
    if evidence.on_clear_lines or not evidence.promising:
        return by_lines
    fits = []
    for start in (image_from_grid, matrix):
        joint = fitted_jointly(views, start, pattern)
        if joint is None:
            continue
        evidence = gather(views, joint.image_from_grid, pattern, joint.spread)
        fits.append(_Candidate(image_from_grid=joint.image_from_grid, pattern=pattern, evidence=evidence))
        if evidence.edges > _LINES_DECIDE:
            # Lines are the more exact witness, where they say the same.
            exact = joint.image_from_grid
            for _ in range(_LINE_ROUNDS):
                exact = refined(views, exact, pattern, unclear=True)
            evidence = gather(views, exact, pattern, joint.spread)
            same = _moved(joint.image_from_grid, exact, pattern) < _SAME_LINES
            if same and evidence.rank > fits[-1].evidence.rank:
                fits[-1] = _Candidate(image_from_grid=exact, pattern=pattern, evidence=evidence)
        if fits[-1].evidence.beyond_doubt:
            return fits[-1]
    return max(fits or [by_lines], key=lambda fit: fit.evidence.rank)


def _moved(before: NDArray[np.float64], after: NDArray[np.float64], pattern: Pattern) -> float:
    """How far, in cells, the corners of two fits lie apart at most."""
    outline = _outline(pattern)
    apart = np.abs(projected(inverted(before) @ after, outline) - outline)
    return float(np.nan_to_num(apart, nan=np.inf).max())


def _upright(found: _Candidate, pattern: Pattern) -> Grid:
    """The grid named from the side that is closest to upright in the picture, of those the layout allows."""
    corners = _corners_px(found)
    choices = []
    for turn in range(4):
        if np.array_equal(pattern.turned(turn).classes, found.pattern.classes):
            named = np.roll(corners, -turn, axis=0)
            top = named[1] - named[0] + named[2] - named[3]
            choices.append((float(top[0] / np.hypot(*top)), turn, named))
    named = max(choices, key=lambda choice: choice[:2])[2]
    try:
        return Grid.from_corners(named, pattern.rows, pattern.columns, fit=found.evidence.edges)
    except SettingsError as error:
        raise BoardNotFoundError(
            "no board found: the best grid is folded over; look more from above, and show the whole board"
        ) from error


def _corners_px(candidate: _Candidate) -> NDArray[np.float64]:
    return projected(candidate.image_from_grid, _outline(candidate.pattern))


def _outline(pattern: Pattern) -> NDArray[np.float64]:
    """(4, 2) the corners of a grid, in cells."""
    rows, columns = pattern.rows, pattern.columns
    return np.array([[0, 0], [columns, 0], [columns, rows], [0, rows]], dtype=np.float64)
