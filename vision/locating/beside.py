"""Boards beside the one that was found: looked for once where there is room for one, at little cost."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from vision.locating.candidates import Candidate, Guesses
from vision.locating.lively import lively_parts
from vision.locating.pattern import Pattern
from vision.locating.views import Views, projected

__all__ = ["boards_beside"]

_LEAST_SHARE = 0.4
"""Of the found board's side in the picture: smaller ones lie in the background, and are not looked for."""

_RIM = 1.0
"""Cells around a board that belong to it."""

_COARSE_PX = 560
"""Of the part in which another board may lie, of which it fills half: fewer pixels than of a whole picture will do."""

_PARTS, _KINDS = 2, 4
"""Parts that are searched, and kinds of guesses, the outlines the last of them: of 20 rendered pairs 15 are counted,
and without the outlines 7. What is harder to see beside a board is not worth the time."""

Matrix = NDArray[np.float64]


def boards_beside(views: Views, pattern: Pattern, found: Sequence[Candidate]) -> list[Candidate]:
    """Verified boards that lie beside these, each once; none that has less than two fifths of their side.

    Parameters
    ----------
    views : Views
        The picture.
    pattern : Pattern
        The layout as printed.
    found : sequence of Candidate
        Boards that were found and verified.
    """
    outlines = [projected(board.image_from_grid, _with_rim(board.pattern)) for board in found]
    if not np.isfinite(outlines).all():
        return []  # one reaches beyond the horizon: seen so obliquely, it fills the picture
    boards = list(found)
    least_px = _LEAST_SHARE * max(map(_mean_side, outlines))
    for part_bgr, image_from_part in lively_parts(views, least_px, outlines, _PARTS):
        known = len(boards)
        guesses = Guesses(views=Views.of(part_bgr, _COARSE_PX), pattern=pattern)
        for kind in itertools.islice(guesses.by_kind(), _KINDS):
            for guess in kind:
                board = replace(guess, image_from_grid=image_from_part @ guess.image_from_grid)
                if board.evidence.accepted and not any(board.meets(other) for other in boards):
                    boards.append(board)
            if len(boards) > known:
                break
    return boards[len(found) :]


def _mean_side(outline: Matrix) -> float:
    return float(np.linalg.norm(np.roll(outline, -1, axis=0) - outline, axis=1).mean())


def _with_rim(pattern: Pattern) -> Matrix:
    """(4, 2) the corners of a board with its rim, in cells."""
    low, columns, rows = -_RIM, pattern.columns + _RIM, pattern.rows + _RIM
    return np.array([[low, low], [columns, low], [columns, rows], [low, rows]])
