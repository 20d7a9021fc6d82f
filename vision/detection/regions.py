"""Search of parts of an image: textured regions that may hold a board, and boards next to the one that was found."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.core import Floats, Image, Mask, Matrix, invert_matrix, project_points
from vision.detection.features import ImagePyramid, LayoutClasses
from vision.detection.fitter import Effort, HypothesisFitter
from vision.detection.hypotheses import HypothesisGenerator
from vision.detection.verification import FittedGrid

__all__ = ["ImagePart", "find_additional_boards", "textured_parts"]


@dataclass(frozen=True, slots=True, kw_only=True)
class RegionSettings:
    """Parameters of the search in parts of an image. Values without a source are chosen."""

    coarse_per_map_px: int = 4
    """Pixels of the coarse level per pixel of the texture map."""
    min_step: int = 8
    """Levels from one pixel of the map to the next that count as texture."""
    min_textured_share: float = 0.7
    """Share of textured pixels on a board. Rendered boards have 0.7 to 0.95, faded ones half of that, plain tables and
    hands less (measured)."""
    max_ground_share: float = 0.5
    """Share of textured pixels in the whole image from which the ground is patterned, so that nothing stands out."""
    fill_bgr: tuple[int, int, int] = (128, 128, 128)
    """Colour that replaces known boards."""
    min_side_share: float = 0.4
    """Side of an additional board as a share of the largest known one's; smaller ones are in the background."""
    board_margin_cells: float = 1.0
    """Width of the margin around a grid that belongs to the board."""
    part_coarse_px: int = 560
    """Longer side of the coarse level of a part, half of which a board fills."""
    max_parts: int = 2
    """Number of parts that are searched."""


SETTINGS = RegionSettings()


class ImagePart(NamedTuple):
    """A part of an image, BGR, and the (3, 3) transform from its pixels to the image's."""

    image_bgr: Image
    image_from_part: Matrix


def textured_parts(pyramid: ImagePyramid, min_side_px: float, known: Sequence[Floats]) -> list[ImagePart]:
    """Crop the parts of an image where a board of some size may be, the largest first.

    Parameters
    ----------
    pyramid : ImagePyramid
        The image.
    min_side_px : float
        Side in the image of the smallest board that is of interest.
    known : sequence of (4, 2) float64
        Outlines in the image of boards that are known; they are painted over.

    Returns
    -------
    list of ImagePart
        Cut from the fine level; empty where the ground itself is textured.
    """
    map_from_image = _map_from_image(pyramid)
    side = round(min_side_px * float(map_from_image[0, 0]))
    squares = _textured_squares(pyramid.coarse_bgr, _free_pixels(pyramid, known), side)
    if not squares.any():
        return []
    count, _, boxes, _ = cv2.connectedComponentsWithStats(squares)
    order = sorted(range(1, count), key=lambda number: -int(boxes[number, cv2.CC_STAT_AREA]))
    fine_from_map = pyramid.fine_from_image @ invert_matrix(map_from_image)
    parts = []
    for x, y, width, height in boxes[order[: SETTINGS.max_parts], :4].tolist():
        ends = np.array([[x - side, y - side], [x + width + side, y + height + side]], np.float64)
        limits = np.clip(project_points(fine_from_map, ends).astype(int), 0, pyramid.fine_bgr.shape[1::-1])
        parts.append(_crop(pyramid, limits, known))
    return parts


def _crop(pyramid: ImagePyramid, limits: NDArray[np.int64], known: Sequence[Floats]) -> ImagePart:
    """Cut out the part between two corners of the fine level, top left and bottom right."""
    (left, top), (right, bottom) = limits.tolist()
    part_bgr = pyramid.fine_bgr[top:bottom, left:right].copy()
    part_from_image = np.array([[1.0, 0, -left], [0, 1, -top], [0, 0, 1]]) @ pyramid.fine_from_image
    for outline in known:
        corners = np.round(project_points(part_from_image, outline)).astype(np.int32)
        cv2.fillConvexPoly(part_bgr, corners, SETTINGS.fill_bgr)
    return ImagePart(part_bgr, invert_matrix(part_from_image))


def _map_from_image(pyramid: ImagePyramid) -> Matrix:
    """Return the (3, 3) transform from pixels of the image to those of the texture map."""
    scale = 1 / SETTINGS.coarse_per_map_px
    return np.asarray(np.diag([scale, scale, 1.0]) @ pyramid.coarse_from_image)


def _free_pixels(pyramid: ImagePyramid, known: Sequence[Floats]) -> Mask:
    """Return the pixels of the texture map that are outside of the `known` outlines."""
    height, width = (length // SETTINGS.coarse_per_map_px for length in pyramid.coarse_bgr.shape[:2])
    free = np.full((height, width), 255, np.uint8)
    for outline in known:
        corners = project_points(_map_from_image(pyramid), outline)
        cv2.fillConvexPoly(free, np.round(corners).astype(np.int32), 0)
    return np.asarray(free > 0)


def _free_centres(free: Mask, side: int) -> Mask:
    """Return the pixels around which a square of a side is free."""
    if not 2 <= side < min(free.shape):
        return np.zeros_like(free)
    pixels, square = free.astype(np.uint8), np.ones((side, side), np.uint8)
    return np.asarray(cv2.erode(pixels, square, borderType=cv2.BORDER_CONSTANT, borderValue=0) > 0)


def _textured_squares(image_bgr: Image, free: Mask, side: int) -> Image:
    """Mark all free squares of a side that are textured nearly everywhere, with 255."""
    height, width = free.shape
    empty = np.zeros((height, width), np.uint8)
    centres = _free_centres(free, side)
    if not centres.any():
        return empty
    grey = cv2.cvtColor(image_bgr, cv2.COLOR_BGR2GRAY)
    small = cv2.resize(grey, (width, height), interpolation=cv2.INTER_AREA)
    gradient = cv2.morphologyEx(small, cv2.MORPH_GRADIENT, np.ones((2, 2), np.uint8))
    steps = gradient > SETTINGS.min_step
    if steps[free].mean() > SETTINGS.max_ground_share:
        return empty
    share = cv2.blur(steps.astype(np.float32), (side, side), borderType=cv2.BORDER_CONSTANT)
    textured = centres & (share > SETTINGS.min_textured_share)
    return np.asarray(cv2.dilate(np.uint8(255) * textured, np.ones((side, side), np.uint8)), np.uint8)


def find_additional_boards(
    pyramid: ImagePyramid, classes: LayoutClasses, known: Sequence[FittedGrid], *, may_be_larger: bool = False
) -> list[FittedGrid]:
    """Find further verified boards, each once, that have at least two fifths of the known boards' side.

    Parameters
    ----------
    pyramid : ImagePyramid
        The image.
    classes : LayoutClasses
        The layout as printed.
    known : sequence of FittedGrid
        Boards that were found and verified.
    may_be_larger : bool
        Whether the corner network saw none of the known boards. Two boards may have confused it, so it is asked again,
        with the known ones painted over.
    """
    outlines = [project_points(board.image_from_grid, _corners_with_margin(board.classes)) for board in known]
    if not np.isfinite(outlines).all():
        return []  # one reaches beyond the horizon: seen so obliquely, it fills the image
    boards = list(known)
    min_side_px = SETTINGS.min_side_share * max(map(_mean_side, outlines))
    min_side = round(min_side_px * float(_map_from_image(pyramid)[0, 0]))
    if may_be_larger and _free_centres(_free_pixels(pyramid, outlines), min_side).any():
        size_px = np.array([[0, 0], pyramid.fine_bgr.shape[1::-1]])
        rest_bgr, image_from_rest = _crop(pyramid, size_px, outlines)
        rest = ImagePyramid.of(rest_bgr)
        network = HypothesisGenerator(rest, classes).kinds(Effort.FAST)[:1]
        _add_boards(boards, HypothesisFitter(rest).fit_kinds(network), image_from_rest)
    for part_bgr, image_from_part in textured_parts(pyramid, min_side_px, outlines):
        part = ImagePyramid.of(part_bgr, SETTINGS.part_coarse_px)
        kinds = HypothesisGenerator(part, classes).closer_kinds()
        _add_boards(boards, HypothesisFitter(part).fit_kinds(kinds), image_from_part)
    return boards[len(known) :]


def _add_boards(
    boards: list[FittedGrid], kinds: Iterable[Iterator[FittedGrid]], image_from_part: Matrix
) -> None:
    """Add the accepted boards of the first kind of hypotheses that has any, without those that overlap others."""
    count = len(boards)
    for kind in kinds:
        for fitted in kind:
            board = replace(fitted, image_from_grid=image_from_part @ fitted.image_from_grid)
            if board.scores.is_accepted and not any(board.overlaps(other) for other in boards):
                boards.append(board)
        if len(boards) > count:
            return


def _mean_side(outline: Floats) -> float:
    return float(np.linalg.norm(np.roll(outline, -1, axis=0) - outline, axis=1).mean())


def _corners_with_margin(classes: LayoutClasses) -> Floats:
    """(4, 2) corners of a board with its margin, in cells."""
    outward = np.array([[-1.0, -1], [1, -1], [1, 1], [-1, 1]])
    return classes.corners + SETTINGS.board_margin_cells * outward
