"""Correct the evidence for blanks by comparing the squares of one game.

The reader knows what blanks look like in most sets. In some sets, blanks have nearly the board's colour and are missed.
They show once the squares of one game are compared. All values are natural logarithms.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scoring import Layout, Premium
from tilesight.digitise.reconstruction.evidence import BLANK_STATE, CORRECTED, EMPTY_STATE
from vision.core import Floats, Square

__all__ = ["raise_faint_blanks"]


@dataclass(frozen=True, slots=True, kw_only=True)
class BlankSettings:
    """Log-odds of blanks, chosen by rendered games whose seeds no reported result uses."""

    seen: float = 1.0
    """Log-odds from which a square looks like a blank: what a hand covers may be either."""
    bare_margin: float = 2.0
    """By this much a blank is more likely than on the bare squares of its premium."""
    bare_quantile: float = 0.99
    """Quantile of the bare squares' log-odds that blanks are compared with; what is above it is chance."""
    max_raise: float = 3.5
    """Cap on the correction for blanks of nearly the board's colour."""
    reader_prior: float = 1.8
    """Prior against blanks that the reader has already applied. Added back on squares where two groups of photos of
    this game show a blank. Of 540 rendered games three more had every play right, also with 2.7, and two with 0.9."""
    max_evidence_against: float = 2.0
    """Cap on one photo's evidence against a raised blank: it may be lost in glare. Of 540 rendered games two more had
    every play right, together with `chance_cost`."""
    chance_cost: float = 1.5
    """Cost of a raised blank: one of many bare squares stands out by chance."""


SETTINGS = BlankSettings()


def raise_faint_blanks(states: Floats, photo_counts: Sequence[int], layout: Layout, blanks: int) -> Floats:
    """Raise the evidence for blanks on squares that stand out from the bare squares of their premium.

    A blank of nearly the board's colour is doubted in photo after photo, and these photos are not independent. Its
    log-odds are therefore compared with those of the bare squares of this game and not with those of other sets.

    `states` has the log-likelihood of each state, summed over the photos of a group, (groups, rows, columns, states).
    No more squares of a premium are candidates than there are `blanks` in the bag.
    """
    raised = states.copy()
    if len(states) < 2:
        return raised
    counts = np.array(photo_counts)
    log_odds = (states[..., BLANK_STATE] - states[..., EMPTY_STATE]) / counts[:, None, None]
    has_letter = (states[..., BLANK_STATE + 1 :].max(axis=-1) > states[..., EMPTY_STATE]).any(axis=0)
    is_corrected = (states.min(axis=-1) < CORRECTED / 2).any(axis=0)
    is_open = ~has_letter & ~is_corrected
    second, first = np.partition(log_odds, -2, axis=0)[-2:]
    seen_twice = (second > SETTINGS.seen) & is_open
    raised[:, seen_twice, BLANK_STATE] += SETTINGS.reader_prior * counts[:, None]
    squares_of: dict[Premium, list[Square]] = {}
    for row, column in np.argwhere(is_open).tolist():
        squares_of.setdefault(layout[row, column], []).append((row, column))
    for squares in squares_of.values():
        candidates = {
            square
            for ranks in (second, first)
            for square in sorted(squares, key=ranks.__getitem__, reverse=True)[:blanks]
        }
        bare = np.array([log_odds[:, *square] for square in squares if square not in candidates])
        for square in sorted(candidates) if bare.size else ():
            amount = faint_blank_raise(log_odds[:, *square], bare, counts)
            if amount:
                floor = states[:, *square, EMPTY_STATE] - SETTINGS.max_evidence_against * counts
                blank = np.maximum(raised[:, *square, BLANK_STATE] + amount * counts, floor)
                blank[-1] -= SETTINGS.chance_cost
                raised[:, *square, BLANK_STATE] = blank
    return raised


def faint_blank_raise(own: Floats, bare: Floats, photo_counts: NDArray[np.intp]) -> float:
    """Return by how much the evidence of a blank is raised, 0 if it does not stand out from the bare squares.

    `own` has the log-odds of a blank on the square, (groups,), `bare` those of bare squares, (squares, groups).
    """
    level = float(np.quantile(bare, SETTINGS.bare_quantile))
    if photo_counts[own > level + SETTINGS.bare_margin].sum() == 1:
        level = float(bare.max())  # a single photo must show more than any photo of a bare square
    shows = own > level + SETTINGS.bare_margin
    middle = (float(np.median(own[shows])) + level) / 2 if shows.any() else 0.0
    return float(np.clip(-middle, 0, SETTINGS.max_raise))
