"""Large quadrilaterals and the layout inside them: for boards that show no lines between squares."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.core import Floats, Image, rescale_pixels
from vision.detection.features import LayoutClasses
from vision.detection.proposals.layout_alignment import GridHypothesis

__all__ = ["find_outlines", "fit_layout_in_outline"]


@dataclass(frozen=True, slots=True, kw_only=True)
class OutlineSettings:
    """Parameters of outlines and of the layout inside them. Values without a source are chosen."""

    working_px: int = 320
    """Longer side of the image in which outlines are searched; a square is 7 px if the board fills a third of it."""
    levels: int = 9
    """Thresholds per layer, between its darkest and its lightest parts."""
    min_area_share: float = 0.025
    """Smallest share of the image's area that a board fills."""
    min_hull_fill: float = 0.75
    """Share of an outline's hull that its region fills: tiles, premium squares and a finger reduce it."""
    corner_tolerance: float = 0.03
    """Share of the perimeter by which a corner may be cut."""
    side_end_share: float = 0.15
    """Share of a side that is left out at each end, where corners are round."""
    max_side_distance: float = 0.03
    """Distance of a point from its side, as a share of the side."""
    twin_distance: float = 0.025
    """Distance of corners, as a share of the outline's size, within which two thresholds show one outline."""
    view_px: int = 256
    """Side of the fronto-parallel view of an outline."""
    blur_share: float = 0.03
    """Smoothing, as a share of the view: half a square, so that texts on premium squares give their mean colour."""
    max_margin_cells: float = 3.6
    """Width of the margin between outline and grid."""
    margin_step_cells: float = 0.25
    """Steps in which margins are tried."""


SETTINGS = OutlineSettings()


def find_outlines(layers: Sequence[Image], max_count: int) -> list[Floats]:
    """Find regions with four straight sides, those that most thresholds show first.

    Parameters
    ----------
    layers : sequence of (height, width) uint8
        The image's lightness and colours.
    max_count : int
        Largest number of outlines.

    Returns
    -------
    list of (4, 2) float64
        Corners in pixels of the layers, clockwise as seen.

    References
    ----------
    J. Matas, O. Chum, M. Urban, T. Pajdla: Robust wide baseline stereo from maximally stable extremal regions.
    BMVC 2002: what stays the same over many thresholds is an object.
    """
    groups: list[_Outline] = []
    scale = min(1.0, SETTINGS.working_px / max(layers[0].shape))
    for layer in layers:
        small = cv2.resize(layer, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
        small = cv2.blur(small, (3, 3))
        low, high = np.percentile(small[::2, ::2], [2, 98])
        for level in np.linspace(low, high, SETTINGS.levels + 2)[1:-1]:
            mask = np.asarray(cv2.threshold(small, float(level), 255, cv2.THRESH_BINARY)[1], np.uint8)
            for outline in sorted(_find_quads(mask), key=lambda outline: -outline.area):
                _add_vote(groups, outline)
    groups.sort(key=lambda group: -group.votes * group.area**0.5)
    fitted = [_fit_sides(group.corners, group.points) for group in groups[: 2 * max_count]]
    return [rescale_pixels(corners, 1 / scale) for corners in fitted if corners is not None][:max_count]


@dataclass(slots=True, eq=False)
class _Outline:
    """A four-sided region.

    Parameters
    ----------
    corners : (4, 2) float64
        Rough corners, clockwise.
    points : (n, 2) float64
        Its contour.
    area : float
        Area of its hull.
    votes : int
        Number of thresholds that show it.
    """

    corners: Floats
    points: Floats
    area: float
    votes: int = 1


def _add_vote(groups: list[_Outline], outline: _Outline) -> None:
    """Count an outline for the group that is nearly the same, or start a group."""
    size = outline.area**0.5
    tolerance = SETTINGS.twin_distance * size
    for group in groups:
        if abs(group.area - outline.area) < 4 * tolerance * size:
            distances = (
                np.abs(np.roll(outline.corners, turn, axis=0) - group.corners).max() for turn in range(4)
            )
            if min(distances) < tolerance:
                group.votes += 1
                return
    groups.append(outline)


def _find_quads(mask: Image) -> Iterator[_Outline]:
    """Find four-sided regions of a mask, light or dark."""
    min_area = SETTINGS.min_area_share * mask.size
    for contour in cv2.findContours(mask, cv2.RETR_LIST, cv2.CHAIN_APPROX_NONE)[0]:
        min_filled = SETTINGS.min_hull_fill * min_area
        if len(contour) < 2 * min_area**0.5 or cv2.contourArea(contour) < min_filled:
            continue
        hull = cv2.convexHull(contour)
        area = cv2.contourArea(hull)
        is_filled = cv2.contourArea(contour) >= SETTINGS.min_hull_fill * area
        if area <= min_area or not is_filled:
            continue
        polygon = cv2.approxPolyDP(hull, SETTINGS.corner_tolerance * cv2.arcLength(hull, True), True)
        if len(polygon) == 4:
            corners = polygon.reshape(4, 2).astype(np.float64)
            clockwise = corners if cv2.contourArea(polygon, oriented=True) > 0 else corners[::-1]
            yield _Outline(
                corners=clockwise, points=contour.reshape(-1, 2).astype(np.float64), area=float(area)
            )


def _fit_sides(corners: Floats, points: Floats) -> Floats | None:
    """Intersect straight lines that are fitted to the four sides; None where a side is not straight."""
    lines = []
    for start, end in zip(corners, np.roll(corners, -1, axis=0), strict=True):
        side = end - start
        length = float(np.linalg.norm(side))
        along = (points - start) @ side / length**2
        across = (points - start) @ np.array([-side[1], side[0]]) / length
        near = (along > SETTINGS.side_end_share) & (along < 1 - SETTINGS.side_end_share)
        near &= np.abs(across) < SETTINGS.max_side_distance * length
        if near.sum() < 2:
            return None
        fitted = cv2.fitLine(points[near].astype(np.float32), cv2.DIST_HUBER, 0, 0.01, 0.01).ravel()
        x, y, px, py = (float(value) for value in fitted)
        lines.append([-y, x, y * px - x * py])
    meetings = np.cross(np.roll(np.array(lines), 1, axis=0), np.array(lines))
    if (np.abs(meetings[:, 2]) < 1e-6).any():
        return None
    return np.asarray(meetings[:, :2] / meetings[:, 2:])


def fit_layout_in_outline(image_bgr: Image, outline: Floats, classes: LayoutClasses) -> GridHypothesis:
    """Fit the layout inside an outline, with the margin for which it explains the colours best.

    Parameters
    ----------
    image_bgr : (height, width, 3) uint8
        The image, BGR.
    outline : (4, 2) float64
        Corners of a region in it.
    classes : LayoutClasses
        The layout as printed.

    Returns
    -------
    GridHypothesis
        In the pixels of this image, good to about a third of a square. Its `score` is the share of the colours'
        variance that the layout explains.
    """
    px = SETTINGS.view_px
    unit = np.array([[0, 0], [1, 0], [1, 1], [0, 1]], dtype=np.float32)
    image_from_unit = np.asarray(cv2.getPerspectiveTransform(unit, outline.astype(np.float32)), np.float64)
    unit_from_view = np.array([[1 / px, 0, 0.5 / px], [0, 1 / px, 0.5 / px], [0, 0, 1]])
    view = cv2.warpPerspective(
        image_bgr,
        image_from_unit @ unit_from_view,
        (px, px),
        flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP,
        borderMode=cv2.BORDER_REPLICATE,
    )
    side = round(SETTINGS.blur_share * px)
    lab = cv2.blur(cv2.cvtColor(view, cv2.COLOR_BGR2Lab), (side, side)).astype(np.float32)
    hypotheses = []
    for turn in classes.distinct_rotations():
        rotated = classes.rotate(turn)
        score, (x, y) = _fit_margins(lab, rotated)
        width, height = rotated.columns + 2 * x, rotated.rows + 2 * y
        unit_from_grid = np.array([[1 / width, 0, x / width], [0, 1 / height, y / height], [0, 0, 1]])
        matrix = image_from_unit @ unit_from_grid
        hypotheses.append(GridHypothesis(image_from_grid=matrix, classes=rotated, score=score))
    return max(hypotheses, key=lambda hypothesis: hypothesis.score)


def _fit_margins(lab: NDArray[np.float32], classes: LayoutClasses) -> tuple[float, tuple[float, float]]:
    """Find the margins at both sides and at both ends, in cells, that explain the largest share of the variance."""
    margins = np.arange(0.0, SETTINGS.max_margin_cells, SETTINGS.margin_step_cells)

    def centres_px(count: int) -> NDArray[np.int64]:
        """(margins, count) pixels of the centres of squares."""
        places = (np.arange(count) + 0.5 + margins[:, None]) / (count + 2 * margins[:, None])
        return np.asarray(places * SETTINGS.view_px, dtype=np.int64)

    y, x = (each.ravel() for each in np.indices((len(margins), len(margins))))
    rows, columns = centres_px(classes.rows)[y], centres_px(classes.columns)[x]
    cells = lab[rows[:, :, None], columns[:, None, :]].reshape(len(y), -1, 3)
    cells = cells - cells.mean(axis=1, keepdims=True)
    members = np.eye(classes.class_count, dtype=np.float32)[classes.classes.ravel()]
    sums = cells.transpose(0, 2, 1) @ members
    between = (np.square(sums).sum(axis=1) / members.sum(axis=0)).sum(axis=-1)
    shares = between / np.maximum(np.square(cells).sum(axis=(1, 2)), 1e-6)
    best = int(shares.argmax())
    return float(shares[best]), (float(margins[x[best]]), float(margins[y[best]]))
