"""Where in a picture so much changes that a board may lie there: a cheap look before a dear one.

Boards beside the one that was found: looked for once where there is room for one, at little cost.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.core import invert_matrix, project_points
from vision.detection.features import ImagePyramid, LayoutClasses
from vision.detection.hypotheses import FittedGrid, HypothesisGenerator

__all__ = ["Part", "boards_beside", "lively_parts"]

_SHRUNK = 4
"""Pixels of the coarse view to one of the map in which it is measured."""

_STEP, _MIN_LIVELY, _MAX_LIVELY = 8, 0.7, 0.5
"""Levels from one pixel of that map to the next, and the share of pixels with such a step. Rendered boards have 0.7 to
0.95, faded ones half of that; plain tables and players' hands less. Where the whole ground has half, it is a patterned
one, on which nothing stands out."""

_GREY = (128, 128, 128)

Image = NDArray[np.uint8]
Matrix = NDArray[np.float64]


class Part(NamedTuple):
    """A part of a picture, BGR, and the projection from its pixels to the picture's."""

    image_bgr: Image
    image_from_part: Matrix


def lively_parts(views: ImagePyramid, least_px: float, taken: Sequence[Matrix], most: int) -> list[Part]:
    """The parts of a picture where a board of some size may lie, the largest first.

    Parameters
    ----------
    views : Views
        The picture.
    least_px : float
        Side in the picture of the smallest board that is of interest.
    taken : sequence of (4, 2) float64
        Outlines in the picture of what is known; it is painted over.
    most : int
        How many parts to give at most.

    Returns
    -------
    list of Part
        Cut from the fine view; none where the ground itself is lively.
    """
    map_from_image = np.diag([1 / _SHRUNK, 1 / _SHRUNK, 1.0]) @ views.coarse_from_image
    side = round(least_px * float(map_from_image[0, 0]))
    squares = _lively_squares(
        views.coarse_bgr, [project_points(map_from_image, outline) for outline in taken], side
    )
    count, _, boxes, _ = cv2.connectedComponentsWithStats(squares)
    order = sorted(range(1, count), key=lambda number: -int(boxes[number, cv2.CC_STAT_AREA]))
    fine_from_map = views.fine_from_image @ invert_matrix(map_from_image)
    parts = []
    for x, y, wide, high in boxes[order[:most], :4].tolist():
        ends = np.array([[x - side, y - side], [x + wide + side, y + high + side]], np.float64)
        limits = np.clip(project_points(fine_from_map, ends).astype(int), 0, views.fine_bgr.shape[1::-1])
        parts.append(_cut(views, limits, taken))
    return parts


def _cut(views: ImagePyramid, limits: NDArray[np.int64], taken: Sequence[Matrix]) -> Part:
    """What lies between two corners of the fine view, left top and right bottom."""
    (left, top), (right, bottom) = limits.tolist()
    part_bgr = views.fine_bgr[top:bottom, left:right].copy()
    part_from_image = np.array([[1.0, 0, -left], [0, 1, -top], [0, 0, 1]]) @ views.fine_from_image
    for outline in taken:
        cv2.fillConvexPoly(
            part_bgr, np.round(project_points(part_from_image, outline)).astype(np.int32), _GREY
        )
    return Part(part_bgr, invert_matrix(part_from_image))


def _lively_squares(image_bgr: Image, taken: Sequence[Matrix], side: int) -> Image:
    """A map of the picture, 255 in squares of that side beside the `taken` outlines where nearly all changes."""
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
    grey = cv2.cvtColor(image_bgr, cv2.COLOR_BGR2GRAY)
    small = cv2.resize(grey, (width, height), interpolation=cv2.INTER_AREA)
    steps = cv2.morphologyEx(small, cv2.MORPH_GRADIENT, np.ones((2, 2), np.uint8)) > _STEP
    if steps[free > 0].mean() > _MAX_LIVELY:
        return empty
    share = cv2.blur(steps.astype(np.float32), (side, side), borderType=cv2.BORDER_CONSTANT)
    lively = middles & (share > _MIN_LIVELY)
    return np.asarray(cv2.dilate(np.uint8(255) * lively, square), np.uint8)


_MIN_SHARE = 0.4
"""Of the found board's side in the picture: smaller ones lie in the background, and are not looked for."""

_RIM = 1.0
"""Cells around a board that belong to it."""

_COARSE_PX = 560
"""Of the part in which another board may lie, of which it fills half: fewer pixels than of a whole picture will do."""

_PARTS, _KINDS = 2, 4
"""Parts that are searched, and kinds of guesses, the outlines the last of them: of 20 rendered pairs 15 are counted,
and without the outlines 7. What is harder to see beside a board is not worth the time."""


def boards_beside(
    views: ImagePyramid, pattern: LayoutClasses, found: Sequence[FittedGrid]
) -> list[FittedGrid]:
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
    outlines = [project_points(board.image_from_grid, _with_rim(board.pattern)) for board in found]
    if not np.isfinite(outlines).all():
        return []  # one reaches beyond the horizon: seen so obliquely, it fills the picture
    boards = list(found)
    least_px = _MIN_SHARE * max(map(_mean_side, outlines))
    for part_bgr, image_from_part in lively_parts(views, least_px, outlines, _PARTS):
        known = len(boards)
        guesses = HypothesisGenerator(views=ImagePyramid.of(part_bgr, _COARSE_PX), pattern=pattern)
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


def _with_rim(pattern: LayoutClasses) -> Matrix:
    """(4, 2) the corners of a board with its rim, in cells."""
    low, columns, rows = -_RIM, pattern.columns + _RIM, pattern.rows + _RIM
    return np.array([[low, low], [columns, low], [columns, rows], [low, rows]])
