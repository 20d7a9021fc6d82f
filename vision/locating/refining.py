"""Sub-cell fit of the grid to its own lines: whole lines first, then single edges."""

from __future__ import annotations

import functools

import numpy as np
from numpy.typing import NDArray

from vision.geometry import frozen
from vision.locating.looking import Look, Subject
from vision.locating.offsets import Offsets, explained
from vision.locating.pattern import Pattern
from vision.locating.seen_edges import Lying, profiles
from vision.locating.small_projections import projection
from vision.locating.views import Views
from vision.medians import median

__all__ = ["on_lines", "refined"]

_ROUNDS = 6
"""Each finds the lines that the last one brought within reach; one alone leaves a corner off by 0.3 cell where the
first guess was."""

_LINE_CELL_PX = 16
_LINE_REACH = 0.42
"""Cells by which an end of a line is moved in search of it; half a cell would be the next line's."""

Matrix = NDArray[np.float64]
Floats = NDArray[np.float64]


def refined(
    views: Views,
    image_from_grid: Matrix,
    pattern: Pattern,
    *,
    whole_lines: bool = False,
    unclear: bool = False,
    hidden: NDArray[np.bool_] | None = None,
    rounds: int = _ROUNDS,
    colours: NDArray[np.float32] | None = None,
) -> Matrix:
    """The projection with its lines on the picture's lines.

    Parameters
    ----------
    views : Views
        The picture.
    image_from_grid : (3, 3) float64
        A projection that is off by less than 0.2 cell, or than 0.4 with `whole_lines`.
    pattern : Pattern
        The layout as it lies in the grid.
    whole_lines : bool
        Look for whole lines first, up to nearly half a cell off; else for single edges close by alone.
    unclear : bool
        Lines may be blurred: look a little farther and less closely.
    hidden : (rows, columns) bool, optional
        Squares on which something is known to lie; else their colours must tell.
    rounds : int
        Corrections at most; one is enough from close by.
    colours : (rows, columns, 3) float32, optional
        L*a*b* colours of the squares of this projection, if they are known; of no use with `whole_lines`.
    """
    matrix, lying = image_from_grid, None
    if whole_lines:
        matrix = matrix @ _line_correction(views, matrix, pattern.rows, pattern.columns)
    elif colours is not None and hidden is None:
        lying = Lying.by_colours(colours, pattern)
    subject = Subject(views=views, pattern=pattern, hidden=hidden)
    return on_lines(Look.at(subject, matrix, colours=False, lying=lying), unclear=unclear, rounds=rounds)


def on_lines(look: Look, *, unclear: bool = False, rounds: int = _ROUNDS) -> Matrix:
    """The projection that repeated corrections by lines alone end in.

    Parameters
    ----------
    look : Look
        What the picture shows close by.
    unclear : bool
        Lines may be blurred: look a little farther and less closely.
    rounds : int
        Corrections at most; one is enough from close by.
    """
    for _ in range(rounds):
        look = look.corrected(unclear=unclear)
        if look.settled:
            break
    return look.image_from_grid


def _line_correction(views: Views, matrix: Matrix, rows: int, columns: int) -> Matrix:
    """A small projection of the grid that takes whole lines onto the picture's."""
    upright, level = profiles(views, matrix, rows, columns, _LINE_CELL_PX)
    x, dx, wx = _line_ends(upright)
    y, dy, wy = _line_ends(level.transpose(1, 0, 2))
    # An upright line's ends lie in the middle of the first and last row, where its profiles are.
    places = np.concatenate(
        [
            np.stack([np.tile(x, 2), np.repeat([0.5, rows - 0.5], len(x))], axis=1),
            np.stack([np.repeat([0.5, columns - 0.5], len(y)), np.tile(y, 2)], axis=1),
        ]
    )
    offsets = Offsets(
        places=places,
        cells=np.concatenate([dx, dy]),
        along_x=np.arange(len(places)) < len(dx),
        weights=np.concatenate([wx, wy]),
    )
    return projection(explained(offsets, rows, columns)[0], rows, columns)


def _line_ends(profiles: Floats) -> tuple[Floats, Floats, Floats]:
    """Each line's place, the offsets of all first and then all last ends in cells, and weights."""
    count, lines, cell_px = profiles.shape
    peak = profiles.max(axis=-1, keepdims=True)
    shares = profiles / (peak + 0.25 * median(peak.ravel()) + 1e-9)  # one strong edge must not outvote a line
    choices, index = _line_choices(count, cell_px)
    totals = shares[np.arange(count), :, index].mean(axis=2)  # (ends, ends, lines)
    flat = totals.reshape(-1, lines)
    first, last = np.unravel_index(flat.argmax(axis=0), totals.shape[:2])
    weights = np.maximum(flat.max(axis=0) - median(flat, axis=0), 0.0)
    return (
        np.arange(lines, dtype=np.float64),
        np.concatenate([choices[first], choices[last]]),
        np.concatenate([weights, weights]),
    )


@functools.lru_cache(maxsize=8)
def _line_choices(count: int, cell_px: int) -> tuple[Floats, NDArray[np.int64]]:
    """End offsets to try, in cells, and the sample where each straight line crosses each of `count` edges."""
    reach = int(_LINE_REACH * cell_px)
    choices = np.arange(-reach, reach + 1) / cell_px
    share = np.linspace(0, 1, count)
    offsets = choices[:, None, None] * (1 - share) + choices[None, :, None] * share
    index = np.rint(offsets * cell_px + (cell_px - 1) / 2).astype(np.int64)
    index = np.clip(index, 0, cell_px - 1)
    return frozen(choices, (None,), np.float64, "choices"), frozen(index, (None,) * 3, np.int64, "index")
