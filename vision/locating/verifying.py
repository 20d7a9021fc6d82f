"""Does a fitted grid stand on a board? The evidence, and the verdict in words."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vision.locating.edges import edge_strengths
from vision.locating.pattern import Pattern
from vision.locating.placing import cell_colours, explained_share, line_margin
from vision.locating.views import Views

__all__ = ["Evidence", "gather"]

_CELL_PX = 12
_MARGIN = 2
"""Cells around the grid that are looked at: a shift by one or two is what goes wrong."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """What speaks for a fitted grid; all are shares, 0 to 1 (differences -1 to 1).

    Parameters
    ----------
    edges : float
        Edges between squares on which the strongest step of colour lies where it should.
    weak_block : float
        The same in the second weakest of the board's nine blocks; a hand may lie on the weakest.
    weak_line : float
        The same on the fourth weakest line.
    colours : float
        Variance of the squares' colours that the layout explains.
    colour_lead, line_lead : float
        By how much colours, and lines less their prolongations, are better than at the best other shift.
    """

    edges: float
    weak_block: float
    weak_line: float
    colours: float
    colour_lead: float
    line_lead: float


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
    lines = np.sort(np.concatenate([upright.mean(axis=0), level.mean(axis=1)]))
    colours, colour_lead = _lead(explained_share(cell_colours(flat, _CELL_PX), pattern))
    _, line_lead = _lead(line_margin(peaks, rows, columns))
    return Evidence(
        edges=float((upright.mean() + level.mean()) / 2),
        weak_block=sorted(_blocks(upright, level))[1],
        weak_line=float(lines[3]),
        colours=colours,
        colour_lead=colour_lead,
        line_lead=line_lead,
    )


def _lead(scores: NDArray[np.float64]) -> tuple[float, float]:
    """The score at the middle, and by how much it is better than the best other."""
    others = scores.copy()
    others[_MARGIN, _MARGIN] = -np.inf
    own = float(scores[_MARGIN, _MARGIN])
    return own, own - float(others.max())


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
