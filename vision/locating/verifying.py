"""Does a fitted grid stand on a board? The evidence, and the verdict on it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vision.locating.colours import cell_colours, common_squares, explained_share, hidden_squares
from vision.locating.edges import edge_strengths
from vision.locating.pattern import Pattern
from vision.locating.placing import line_margin
from vision.locating.views import Views

__all__ = ["Evidence", "gather"]

_CELL_PX = 12
_MARGIN = 2
"""Cells around the grid that are looked at: a shift by one or two is what goes wrong."""

_LEAST_EDGES, _LEAST_HOLD, _LEAST_LEAD = 0.44, 0.25, 0.22
_SURE_LEAD = 0.7
_CLEAR_EDGES = 0.8
"""Chance puts 0.32 of all edges on a grid. Of some four thousand guesses that were far from a board's place, or at
chessboards, crosswords, floors and cut boards, one in a thousand leads by 0.22 and none by 0.7; nearly all that were
right lead by more than 0.5."""

_LEAST_OF_ALL, _LEAST_OF_FEW = 0.05, 0.5
"""Where all squares together lead by less, as on boards full of tiles or on a keyboard, the few must lead by more."""

_MOST_ALTERNATION = 0.3
"""Guesses at half the true pitch have 0.4 and more, as every second line of theirs is none; true ones 0.2 at most."""

_WORST_OF_RARE = -0.1
"""Few rare squares in view may agree better with another shift by chance."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """What speaks for a fitted grid; all are shares, 0 to 1 (differences -1 to 1).

    Parameters
    ----------
    edges : float
        Edges between squares on which the strongest step of colour lies where it should.
    weak_block : float
        The same in the second weakest of the board's nine blocks; a hand may lie on the weakest.
    colour_lead, colour_lead_in_view, colour_lead_of_rare : float
        By how much more of the colours' variance the layout explains here than at the best other shift: of all
        squares, of those that no tile hides, and of those unlike most plain ones.
    line_lead : float
        By how much lines, less their prolongations outside, are better here than at the best other shift.
    alternation : float
        By how much more edges are found on every second line than on the others.
    """

    edges: float
    weak_block: float
    colour_lead: float
    colour_lead_in_view: float
    colour_lead_of_rare: float
    line_lead: float
    alternation: float

    @property
    def layout_lead(self) -> float:
        """How clearly the colours, and the ends of the lines, say that the layout lies here."""
        # Squares in view count half: which ones those are was judged by this very place.
        of_rare = max(self.colour_lead_of_rare, _WORST_OF_RARE)
        return self.colour_lead + self.colour_lead_in_view / 2 + of_rare + self.line_lead / 2

    @property
    def line_hold(self) -> float:
        """How well the lines hold where they hold badly, and end where the grid ends."""
        return self.weak_block + self.line_lead / 2

    @property
    def rank(self) -> tuple[bool, float]:
        """What guesses are compared by."""
        return self.accepted, self.edges + self.line_hold + self.layout_lead

    @property
    def accepted(self) -> bool:
        """Whether this is a board, and the grid is on its lines."""
        return (
            self.edges > _LEAST_EDGES
            and self.line_hold > _LEAST_HOLD
            and self.layout_lead > _LEAST_LEAD
            and (self.colour_lead > _LEAST_OF_ALL or self.layout_lead > _LEAST_OF_FEW)
            and self.alternation < _MOST_ALTERNATION
        )

    @property
    def beyond_doubt(self) -> bool:
        """Whether no other guess need be looked at."""
        return self.accepted and self.layout_lead > _SURE_LEAD

    @property
    def on_clear_lines(self) -> bool:
        """Whether lines are seen nearly everywhere, so that a slower fit would find no better ones."""
        return self.edges > _CLEAR_EDGES


def gather(views: Views, image_from_grid: NDArray[np.float64], pattern: Pattern) -> Evidence:
    """The evidence for a grid.

    Parameters
    ----------
    views : Views
        The picture.
    image_from_grid : (3, 3) float64
        The fitted projection.
    pattern : Pattern
        The layout as it lies in the grid.
    """
    rows, columns = pattern.rows, pattern.columns
    flat = views.flat(image_from_grid, (-_MARGIN, -_MARGIN, columns + _MARGIN, rows + _MARGIN), _CELL_PX)
    peaks = edge_strengths(flat, _CELL_PX)
    upright = peaks.upright_on[_MARGIN:-_MARGIN, _MARGIN - 1 : columns + _MARGIN]
    level = peaks.level_on[_MARGIN - 1 : rows + _MARGIN, _MARGIN:-_MARGIN]
    colours = cell_colours(flat, _CELL_PX)
    board = colours[_MARGIN:-_MARGIN, _MARGIN:-_MARGIN]
    rare = ~common_squares(colours, board, pattern)
    rare_lead = _lead(explained_share(colours, pattern, rare.astype(np.float64)))
    visible = np.ones(colours.shape[:2])
    visible[_MARGIN:-_MARGIN, _MARGIN:-_MARGIN] = ~hidden_squares(board, pattern)
    colour_lead = _lead(explained_share(colours, pattern))
    lead_in_view = _lead(explained_share(colours, pattern, visible))
    line_lead = _lead(line_margin(peaks, rows, columns))
    if pattern.class_count == 1:
        colour_lead = 2 * line_lead  # without premium squares only the ends of the lines tell the place
    return Evidence(
        edges=float((upright.mean() + level.mean()) / 2),
        weak_block=sorted(_blocks(upright, level))[1],
        colour_lead=colour_lead,
        colour_lead_in_view=lead_in_view,
        colour_lead_of_rare=rare_lead,
        line_lead=line_lead,
        alternation=max(_alternation(upright.mean(axis=0)), _alternation(level.mean(axis=1))),
    )


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
    shares = []
    for rows_u, rows_l in zip(
        np.array_split(upright, 3, axis=0), np.array_split(level, 3, axis=0), strict=True
    ):
        for part_u, part_l in zip(
            np.array_split(rows_u, 3, axis=1), np.array_split(rows_l, 3, axis=1), strict=True
        ):
            shares.append(float((part_u.mean() + part_l.mean()) / 2))
    return shares
