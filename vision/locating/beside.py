"""Boards beside the one that was found: looked for once where there is room for one, at little cost."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import replace

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.locating.candidates import Candidate, Guesses
from vision.locating.pattern import Pattern
from vision.locating.views import Views, inverted, projected

__all__ = ["boards_beside"]

_LEAST_SHARE = 0.4
"""Of the found board's side in the picture: smaller ones lie in the background, and are not looked for."""

_SHRUNK = 4
"""Pixels of the coarse view to one of the map in which room is measured."""

_STEP, _LEAST_BUSY, _MOST_LIVELY = 8, 0.7, 0.5
"""Levels from one pixel of that map to the next, and the share of pixels with such a step. Rendered boards have 0.7 to
0.95, faded ones half of that; plain tables and players' hands less. Where the whole ground has half, it is a patterned
one, on which the second look would cost as much as the first."""

_RIM = 1.0
"""Cells around a board that belong to it."""

_COARSE_PX = 560
"""Of the part in which another board may lie, of which it fills half: fewer pixels than of a whole picture will do."""

_KINDS = 3
"""Of guesses, the cheapest: a board that is hard to see beside another is not worth the time."""

Image = NDArray[np.uint8]
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
    part = _part_beside(views, found)
    if part is None:
        return []
    part_bgr, image_from_part = part
    boards = list(found)
    for kind in itertools.islice(
        Guesses(views=Views.of(part_bgr, _COARSE_PX), pattern=pattern).by_kind(), _KINDS
    ):
        for candidate in kind:
            moved = replace(candidate, image_from_grid=image_from_part @ candidate.image_from_grid)
            if moved.evidence.accepted and not any(board.meets(moved) for board in boards):
                boards.append(moved)
        if len(boards) > len(found):
            break
    return boards[len(found) :]


def _part_beside(views: Views, found: Sequence[Candidate]) -> tuple[Image, Matrix] | None:
    """The part of the picture where another board may lie, the found ones painted over; None where none does."""
    outlines = [projected(board.image_from_grid, _with_rim(board.pattern)) for board in found]
    if not np.isfinite(outlines).all():
        return None  # one reaches beyond the horizon: seen so obliquely, it fills the picture
    map_from_image = np.diag([1 / _SHRUNK, 1 / _SHRUNK, 1.0]) @ views.coarse_from_image
    on_map = [projected(map_from_image, outline) for outline in outlines]
    side = round(_LEAST_SHARE * max(_mean_side(outline) for outline in on_map))
    busy = _busy_squares(views.coarse_bgr, on_map, side)
    if not busy.any():
        return None
    x, y, wide, high = cv2.boundingRect(busy)
    ends = np.array([[x - side, y - side], [x + wide + side, y + high + side]], np.float64)
    ends = projected(views.fine_from_image @ inverted(map_from_image), ends).astype(int)
    (left, top), (right, bottom) = np.clip(ends, 0, views.fine_bgr.shape[1::-1])
    part_bgr = views.fine_bgr[top:bottom, left:right].copy()
    part_from_image = np.array([[1.0, 0, -left], [0, 1, -top], [0, 0, 1]]) @ views.fine_from_image
    for outline in outlines:
        corners = np.round(projected(part_from_image, outline)).astype(np.int32)
        cv2.fillConvexPoly(part_bgr, corners, (128, 128, 128))
    return part_bgr, inverted(part_from_image)


def _busy_squares(image_bgr: Image, taken: Sequence[Matrix], side: int) -> NDArray[np.uint8]:
    """A map of the picture, 255 in squares of that side beside the `taken` outlines where nearly everything changes."""
    height, width = (length // _SHRUNK for length in image_bgr.shape[:2])
    empty = np.zeros((height, width), np.uint8)
    if not 2 <= side < min(height, width):
        return empty
    free = np.full((height, width), 255, np.uint8)
    for outline in taken:
        cv2.fillConvexPoly(free, np.round(outline).astype(np.int32), 0)
    square = np.ones((side, side), np.uint8)
    middles = cv2.erode(free, square, borderType=cv2.BORDER_CONSTANT, borderValue=0) > 0
    if not middles.any():
        return empty
    small = cv2.resize(
        cv2.cvtColor(image_bgr, cv2.COLOR_BGR2GRAY), (width, height), interpolation=cv2.INTER_AREA
    )
    steps = cv2.morphologyEx(small, cv2.MORPH_GRADIENT, np.ones((2, 2), np.uint8)) > _STEP
    if steps[free > 0].mean() > _MOST_LIVELY:
        return empty
    share = cv2.blur(steps.astype(np.float32), (side, side), borderType=cv2.BORDER_CONSTANT)
    return np.asarray(cv2.dilate(np.uint8(255) * (middles & (share > _LEAST_BUSY)), square), np.uint8)


def _mean_side(outline: Matrix) -> float:
    return float(np.linalg.norm(np.roll(outline, -1, axis=0) - outline, axis=1).mean())


def _with_rim(pattern: Pattern) -> Matrix:
    """(4, 2) the corners of a board with its rim, in cells."""
    low, columns, rows = -_RIM, pattern.columns + _RIM, pattern.rows + _RIM
    return np.array([[low, low], [columns, low], [columns, rows], [low, rows]])
