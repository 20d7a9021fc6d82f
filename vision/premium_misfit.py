"""Whether the coloured squares in view lie where the edition has its premium squares: else every score may be wrong."""

from __future__ import annotations

import numpy as np

from scoring import Board, Edition
from scoring.tiles import EMPTY
from vision.locating.colours import cell_colours, explained_share
from vision.locating.layout_evidence import without_slope
from vision.locating.pattern import Pattern
from vision.rectified import RectifiedBoard

__all__ = ["premium_misfit"]

FITS = 0.4
"""Share of the empty squares' differences of colour that the layout explains. Of rendered boards one in forty has less
than 0.5 and none less than 0.44; of games on a screen whose premium squares lie elsewhere four in five have less than
0.4."""
LEAST_PREMIUMS, LEAST_PLAIN = 12, 30
"""Empty squares of either kind that must be in view."""
MOST_UNEVEN = 10.0
"""Median difference of a plain square's colour from the usual one, in levels of L*a*b*, where light still tells."""


def premium_misfit(rectified: RectifiedBoard, board: Board, edition: Edition) -> str | None:
    """What to say of a board whose coloured squares lie elsewhere; None if they may lie right, or too few show.

    Parameters
    ----------
    rectified : RectifiedBoard
        The straightened picture, letters upright.
    board : Board
        What was read: the squares that are empty show their colours.
    edition : Edition
        The edition that was named.
    """
    pattern = Pattern.from_layout(edition.layout)
    empty = np.array([[token == EMPTY for token in row] for row in board.rows])
    for square in edition.layout.start:
        empty[square] = False  # many have a sign or a colour of their own
    if (empty & ~pattern.plain).sum() < LEAST_PREMIUMS or (empty & pattern.plain).sum() < LEAST_PLAIN:
        return None
    rim = rectified.margin_px
    grid_bgr = rectified.image_bgr[rim : -rim or None, rim : -rim or None]
    colours = without_slope(cell_colours(grid_bgr, rectified.cell_px), 0)
    plain = colours[empty & pattern.plain]
    if np.median(np.linalg.norm(plain - np.median(plain, axis=0), axis=1)) > MOST_UNEVEN:
        return None
    share = float(explained_share(colours, pattern, empty.astype(np.float64))[0, 0])
    if share >= FITS:
        return None
    return (
        f"edition {edition.name}: the coloured squares do not lie as on its board (it explains {max(0, share):.0%} of "
        f"their colours, {FITS:.0%} are needed), so scores may be wrong; choose the edition that is played"
    )
