"""Does a fitted grid stand on a board? The evidence, and the verdict on it."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from vision.detection.features import (
    FAINTLY_ALIKE,
    USUALLY_ALIKE,
    ImagePyramid,
    LayoutClasses,
    block_leads,
    block_starts,
    cell_colours,
    edge_strengths,
    layout_nats,
    without_slope,
)
from vision.detection.fitting import edges_beside
from vision.detection.proposals import line_margin

__all__ = ["MIN_LEAD", "FitScores", "layout_shows", "score_fit"]

_CELL_PX = 12
_MARGIN = 2
"""Cells around the grid that are looked at: a shift by one or two is what goes wrong."""

MIN_LEAD = 18.0
"""Nats. Of some five hundred guesses at chessboards, crosswords, floors, number grids and other things that are no
board none leads by more than 15; of right ones the worst lead by 30, half by 170 (`tests.sets.scenes`, seeds
30,000 to 30,300, which all numbers here were chosen by), and a labelled photo of a full board in one colour by 22."""

_MIN_EDGES, _MIN_HOLD = 0.2, 0.0
_MIN_SUPPORT = 0.55
_LEAD_FOR_EDGES = 250.0
"""Chance puts 0.32 of all edges on a grid, and carelessly laid tiles hide as many: a board with bad lines must show
its layout the better, nats for edges."""

_CLEAR_EDGES = 0.8
_SURE_LEAD, _SURE_EDGES = 60.0, 0.6
"""With so many edges, and a lead of 45, 28 guesses that squares alone spoke against were within 0.1 cell of the board;
of 8 with fewer edges 5 were off by more than a cell (rendered scenes, seeds 140,000 to 140,599). With a smaller lead
what is read there decides, too, before slower guesses are made."""

_EVEN = 0.65
"""Of the share found on the whole board: where lines are good and a block has fewer, a hand lies there, or a corner is
off."""

_MAX_SPREAD, _SURE_SPREAD = 0.1, 0.04
"""Standard deviation of the worst corner, in cells; 99 of 100 right fits have 0.04 at most."""

_SURE_STRAYED, _MAX_STRAYED, _MAX_ON_CLEAR_LINES, _STRAYED_FOR_EDGES = 2, 4, 5, 30.0
"""Squares of one block of nine: a fit whose corner is off by a cell has six, tiles of a premium square's colour may
look like as many."""

_MIN_BARE = 0.2
"""Share of edges beside which nothing lies, for the others to be left out."""

_ALL_EDGES = 0.9
"""Share found of which no corner can be off, whatever the squares look like."""

_MAX_ALTERNATION = 0.3
"""Guesses at half the true pitch have 0.4 and more, as every second line of theirs is none; true ones 0.2 at most."""

_NEAR, _ROUGH_PX = 1, 10
_MIN_SHOWN = 15.0
"""Nats of a rough guess, half a square off or less; half of all guesses at things that are no board have 8, and one in
ten has 15."""

_NATS_A_LINE = 250.0
"""A layout of equal squares shows by the ends of its lines alone."""

_MUCH_BETTER = 20.0
"""Nats by which a shifted place must be better, to be tried instead."""


@dataclass(frozen=True, slots=True, eq=False)
class FitScores:
    """What speaks for a fitted grid.

    Parameters
    ----------
    edges : float
        Share of the edges between squares, of those that nothing is known to hide, on which the strongest step of
        colour lies where it should.
    weak_block : float
        The same in the second weakest of the board's nine blocks; a hand may lie on the weakest.
    layout_lead : float
        By how many nats the layout explains the squares' colours better here than at the best other shift.
    line_lead : float
        By how much lines, less their prolongations outside, are better here than at the best other shift.
    alternation : float
        By how much more edges are found on every second line than on the others.
    spread : float
        Standard deviation of the worst corner, in cells; 0 where the fit did not say.
    better_shift : (int, int) or None
        Cells along x and y to a place where the layout explains the colours much better.
    strayed : int
        Squares by which a part of the board would rather lie beside: a corner may be off.
    """

    edges: float
    weak_block: float
    layout_lead: float
    line_lead: float
    alternation: float
    spread: float = 0.0
    better_shift: tuple[int, int] | None = None
    strayed: int = 0

    @property
    def line_hold(self) -> float:
        """How well the lines hold where they hold badly, and end where the grid ends."""
        return self.weak_block + self.line_lead / 2

    @property
    def support(self) -> float:
        """Edges and layout together."""
        return self.edges + self.layout_lead / _LEAD_FOR_EDGES

    @property
    def rank(self) -> tuple[bool, float]:
        """What guesses are compared by."""
        return (
            self.accepted,
            self.support + self.line_hold / 2 - 2 * self.spread - self.strayed / _STRAYED_FOR_EDGES,
        )

    @property
    def accepted(self) -> bool:
        """Whether this is a board, and the grid is on its lines."""
        return (
            self.seems_there
            and self.edges > _MIN_EDGES
            and self.support > _MIN_SUPPORT
            and self.line_hold > _MIN_HOLD
            and self.alternation < _MAX_ALTERNATION
            and self.spread < _MAX_SPREAD
            and (self.edges > _ALL_EDGES or self.strayed < self._most_strayed)
        )

    @property
    def beyond_doubt(self) -> bool:
        """Whether no other guess need be looked at."""
        return (
            self.accepted
            and self.layout_lead > _SURE_LEAD
            and self.strayed < _SURE_STRAYED
            and (self.edges > _SURE_EDGES or 0 < self.spread < _SURE_SPREAD)
            and (self.edges < _SURE_EDGES or self.weak_block > _EVEN * self.edges)
        )

    @property
    def doubted_by_squares_alone(self) -> bool:
        """Whether all but squares that would rather lie beside speaks for the board, as those do on which tiles lie."""
        return replace(self, strayed=0).enough_for_a_reader

    @property
    def enough_for_a_reader(self) -> bool:
        """Whether what is read here will do as well as from a slower fit: a second one follows when that is read."""
        return self.accepted and self.edges > _SURE_EDGES

    @property
    def _most_strayed(self) -> int:
        return _MAX_ON_CLEAR_LINES if self.on_clear_lines else _MAX_STRAYED

    @property
    def seems_there(self) -> bool:
        """Whether the layout shows, so that this is a board, though its corners may be off."""
        return self.layout_lead > MIN_LEAD

    @property
    def promising(self) -> bool:
        """Whether a slower fit is worth its time."""
        return self.layout_lead > MIN_LEAD / 2

    @property
    def on_clear_lines(self) -> bool:
        """Whether lines are seen nearly everywhere, so that a slower fit would find no better ones."""
        return self.edges > _CLEAR_EDGES


def score_fit(
    views: ImagePyramid,
    image_from_grid: NDArray[np.float64],
    pattern: LayoutClasses,
    *,
    spread: float = 0.0,
    hidden: NDArray[np.bool_] | None = None,
) -> FitScores:
    """The evidence for a grid.

    Parameters
    ----------
    views : Views
        The picture.
    image_from_grid : (3, 3) float64
        The fitted projection.
    pattern : Pattern
        The layout as it lies in the grid.
    spread : float
        How sure the fit is of its corners.
    hidden : (rows, columns) bool, optional
        Squares on which something is known to lie: their colours say nothing.
    """
    rows, columns = pattern.rows, pattern.columns
    flat = views.flat(image_from_grid, (-_MARGIN, -_MARGIN, columns + _MARGIN, rows + _MARGIN), _CELL_PX)
    peaks = edge_strengths(flat, _CELL_PX)
    upright = peaks.upright_on[_MARGIN:-_MARGIN, _MARGIN - 1 : columns + _MARGIN]
    level = peaks.level_on[_MARGIN - 1 : rows + _MARGIN, _MARGIN:-_MARGIN]
    line_lead = _lead(line_margin(peaks, rows, columns))
    layout_lead, better_shift, strayed = _NATS_A_LINE * line_lead, None, 0
    if pattern.class_count > 1:
        colours = without_slope(cell_colours(flat, _CELL_PX), _MARGIN)
        for alike in (USUALLY_ALIKE, FAINTLY_ALIKE):
            nats = layout_nats(colours, pattern, alike)
            layout_lead = _lead(nats)
            if layout_lead > MIN_LEAD:
                break
        if layout_lead < -_MUCH_BETTER:
            row, column = (int(k) for k in np.unravel_index(nats.argmax(), nats.shape))
            better_shift = (column - _MARGIN, row - _MARGIN)
        if layout_lead > MIN_LEAD:
            strayed = max(0, -int(block_leads(colours, pattern, _MARGIN, alike, hidden).min()))
    return FitScores(
        edges=_share_found(upright, level, hidden),
        weak_block=sorted(_blocks(upright, level))[1],
        layout_lead=layout_lead,
        line_lead=line_lead,
        alternation=max(_alternation(upright.mean(axis=0)), _alternation(level.mean(axis=1))),
        spread=spread,
        better_shift=better_shift,
        strayed=strayed,
    )


def _share_found(
    upright: NDArray[np.bool_], level: NDArray[np.bool_], hidden: NDArray[np.bool_] | None
) -> float:
    """The share of edges found; of those that nothing hides, if that is known and shows more of the board's lines."""
    bare = 0.0
    if hidden is not None:
        bare_upright, bare_level = ~edges_beside(hidden), ~edges_beside(hidden.T).T
        if bare_upright.mean() + bare_level.mean() > 2 * _MIN_BARE:
            bare = float((upright[bare_upright].mean() + level[bare_level].mean()) / 2)
    return max(bare, float((upright.mean() + level.mean()) / 2))


def layout_shows(views: ImagePyramid, image_from_grid: NDArray[np.float64], pattern: LayoutClasses) -> bool:
    """Whether the layout explains the colours at all, here or a square beside: a quick look at a rough guess."""
    if pattern.class_count == 1:
        return True
    rows, columns = pattern.rows, pattern.columns
    box = (-_NEAR, -_NEAR, columns + _NEAR, rows + _NEAR)
    colours = cell_colours(views.flat(image_from_grid, box, _ROUGH_PX), _ROUGH_PX)
    return float(layout_nats(without_slope(colours, _NEAR), pattern).max()) > _MIN_SHOWN


def _lead(scores: NDArray[np.float64]) -> float:
    """By how much the score at the middle is better than the best other."""
    others = scores.copy()
    others[_MARGIN, _MARGIN] = -np.inf
    return float(scores[_MARGIN, _MARGIN] - others.max())


def _alternation(lines: NDArray[np.float64]) -> float:
    """By how much every second line differs from the others."""
    return float(abs(lines[::2].mean() - lines[1::2].mean()))


def _blocks(upright: NDArray[np.bool_], level: NDArray[np.bool_]) -> list[float]:
    """Share of edges found in each of three by three blocks of the board."""
    shares: list[float] = ((_block_means(upright) + _block_means(level)) / 2).ravel().tolist()
    return shares


def _block_means(found: NDArray[np.bool_]) -> NDArray[np.float64]:
    """(3, 3) share found in each block."""
    bands = np.add.reduceat(found, block_starts(found.shape[0]), axis=0, dtype=np.int64)
    sums = np.add.reduceat(bands, block_starts(found.shape[1]), axis=1)
    heights, widths = (np.maximum(np.diff(block_starts(side), append=side), 1) for side in found.shape)
    return np.asarray(sums / (heights[:, None] * widths))
