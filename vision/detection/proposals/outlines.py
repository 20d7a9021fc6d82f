"""Large quadrilaterals and the layout inside them: for boards whose squares show no lines, but that end somewhere."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.detection.features import LayoutClasses
from vision.detection.proposals.layout_alignment import LayoutPlacement

__all__ = ["find_outlines", "inset_placement"]

_WORKING_PX = 320
"""Longest side of the picture in which outlines are looked for; at a third of it a square is 7 px."""

_LEVELS = 9
"""Thresholds a layer, between its darkest and its lightest parts."""

_MIN_SHARE, _MAX_SHARE = 0.025, 0.95
"""Of the picture's area that a board may fill."""

_MIN_FILL = 0.75
"""Of an outline's hull that its region fills: tiles, premium squares and a finger bite into it."""

_CORNER_TOLERANCE = 0.03
_SIDE_ENDS = 0.15
_NEAR_SIDE = 0.03
"""Shares of a side: left out at its ends, where corners are round; and how far off a point may lie to be on it."""

_TWIN_WITHIN = 0.025
"""Of an outline's size by which its corners at the next threshold differ."""

_MAX_OF_ONE = 4
"""Regions of one threshold: more of them are tiles of a floor, or squares."""

_FLAT_PX = 256
_BLUR = 0.03
"""Of the outline: about half a square, so that texts on premium squares give their mean colour."""

_MAX_RIM, _RIM_STEP = 3.6, 0.25
_MAX_UNEVEN = 0.8
"""Cells: width of the rim between outline and grid, the steps in which it is tried, and how far it may differ
between the sides and the ends of the board."""

Floats = NDArray[np.float64]


def find_outlines(layers: Sequence[NDArray[np.uint8]], most: int) -> list[Floats]:
    """Regions of a picture with four straight sides, those first that many thresholds show.

    Parameters
    ----------
    layers : sequence of (height, width) uint8
        The picture's lightness and colours.
    most : int
        How many to give at most.

    Returns
    -------
    list of (4, 2) float64
        Corners in pixels of the layers, going round clockwise as seen.

    References
    ----------
    J. Matas, O. Chum, M. Urban, T. Pajdla: Robust wide baseline stereo from maximally stable extremal regions.
    BMVC 2002: what stays the same over many thresholds is a thing.
    """
    groups: list[_Outline] = []
    scale = min(1.0, _WORKING_PX / max(layers[0].shape))
    for layer in layers:
        small = cv2.resize(layer, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
        small = cv2.blur(small, (3, 3))
        low, high = np.percentile(small[::2, ::2], [2, 98])
        for level in np.linspace(low, high, _LEVELS + 2)[1:-1]:
            mask = np.asarray(cv2.threshold(small, float(level), 255, cv2.THRESH_BINARY)[1], np.uint8)
            for outline in sorted(_quads(mask), key=lambda found: -found.area)[:_MAX_OF_ONE]:
                _vote(groups, outline)
    groups.sort(key=lambda group: -group.votes * group.area**0.5)
    sharp = [_sharpened(group.quad, group.points) for group in groups[: 2 * most]]
    return [(quad + 0.5) / scale - 0.5 for quad in sharp if quad is not None][:most]


@dataclass(slots=True, eq=False)
class _Outline:
    """A four-sided region: its rough corners, clockwise, its border, and how many thresholds show it."""

    quad: Floats
    points: Floats
    area: float
    votes: int = 1


def _vote(groups: list[_Outline], outline: _Outline) -> None:
    """Counts an outline among those that are nearly the same."""
    within = _TWIN_WITHIN * outline.area**0.5
    for known in groups:
        if abs(known.area - outline.area) < 4 * within * outline.area**0.5:
            turns = (np.abs(np.roll(outline.quad, turn, axis=0) - known.quad).max() for turn in range(4))
            if min(turns) < within:
                known.votes += 1
                return
    groups.append(outline)


def _quads(mask: NDArray[np.uint8]) -> Iterator[_Outline]:
    """Four-sided regions of a mask, light or dark."""
    least, most = (share * mask.size for share in (_MIN_SHARE, _MAX_SHARE))
    for contour in cv2.findContours(mask, cv2.RETR_LIST, cv2.CHAIN_APPROX_NONE)[0]:
        if len(contour) < 2 * least**0.5 or cv2.contourArea(contour) < _MIN_FILL * least:
            continue
        hull = cv2.convexHull(contour)
        area = cv2.contourArea(hull)
        if not least < area < most or cv2.contourArea(contour) < _MIN_FILL * area:
            continue
        polygon = cv2.approxPolyDP(hull, _CORNER_TOLERANCE * cv2.arcLength(hull, True), True)
        if len(polygon) == 4:
            corners = polygon.reshape(4, 2).astype(np.float64)
            clockwise = corners if cv2.contourArea(polygon, oriented=True) > 0 else corners[::-1]
            yield _Outline(quad=clockwise, points=contour.reshape(-1, 2).astype(np.float64), area=float(area))


def _sharpened(quad: Floats, outline: Floats) -> Floats | None:
    """Where straight lines through the four sides of an outline meet; None where a side is not straight."""
    lines = []
    for start, end in zip(quad, np.roll(quad, -1, axis=0), strict=True):
        way = end - start
        length = float(np.linalg.norm(way))
        along = (outline - start) @ way / length**2
        across = (outline - start) @ np.array([-way[1], way[0]]) / length
        near = (along > _SIDE_ENDS) & (along < 1 - _SIDE_ENDS) & (np.abs(across) < _NEAR_SIDE * length)
        if near.sum() < 8:
            return None
        fitted = cv2.fitLine(outline[near].astype(np.float32), cv2.DIST_HUBER, 0, 0.01, 0.01).ravel()
        x, y, px, py = (float(value) for value in fitted)
        lines.append([-y, x, y * px - x * py])
    corners = np.cross(np.roll(np.array(lines), 1, axis=0), np.array(lines))
    if (np.abs(corners[:, 2]) < 1e-6).any():
        return None
    sharp = corners[:, :2] / corners[:, 2:]
    return sharp if np.abs(sharp - quad).max() < 0.1 * _area(quad) ** 0.5 else None


def _area(quad: Floats) -> float:
    return float(abs(cv2.contourArea(quad.astype(np.float32))))


def inset_placement(image_bgr: NDArray[np.uint8], outline: Floats, pattern: LayoutClasses) -> LayoutPlacement:
    """The layout inside an outline, with the rim under which it explains the colours best.

    Parameters
    ----------
    image_bgr : (height, width, 3) uint8
        The picture.
    outline : (4, 2) float64
        Corners of a region in it.
    pattern : Pattern
        The layout as printed.

    Returns
    -------
    Placement
        In the pixels of this picture, good to about a third of a square; its `score` is the share of the
        colours' variance that the layout explains.
    """
    unit = np.array([[0, 0], [1, 0], [1, 1], [0, 1]], dtype=np.float32)
    image_from_unit = np.asarray(cv2.getPerspectiveTransform(unit, outline.astype(np.float32)), np.float64)
    half = 0.5 / _FLAT_PX
    unit_from_flat = np.array([[1 / _FLAT_PX, 0, half], [0, 1 / _FLAT_PX, half], [0, 0, 1]])
    flat = cv2.warpPerspective(
        image_bgr,
        image_from_unit @ unit_from_flat,
        (_FLAT_PX, _FLAT_PX),
        flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP,
        borderMode=cv2.BORDER_REPLICATE,
    )
    side = round(_BLUR * _FLAT_PX)
    lab = cv2.blur(cv2.cvtColor(flat, cv2.COLOR_BGR2Lab), (side, side)).astype(np.float32)
    best: LayoutPlacement | None = None
    for turn in pattern.distinct_turns():
        turned = pattern.rotate(turn)
        score, (x, y) = _best_rims(lab, turned)
        if best is None or score > best.score:
            across, down = turned.columns + 2 * x, turned.rows + 2 * y
            unit_from_grid = np.array([[1 / across, 0, x / across], [0, 1 / down, y / down], [0, 0, 1]])
            best = LayoutPlacement(
                image_from_grid=image_from_unit @ unit_from_grid, pattern=turned, score=score
            )
    assert best is not None  # every layout can be laid without a turn
    return best


def _best_rims(lab: NDArray[np.float32], pattern: LayoutClasses) -> tuple[float, tuple[float, float]]:
    """The share explained, and the width in cells of the rims at both sides and at both ends."""
    rims = np.arange(0.0, _MAX_RIM, _RIM_STEP)

    def middles(count: int) -> NDArray[np.int64]:
        """(rims, count) the pixels in which the middles of squares lie."""
        places = (np.arange(count) + 0.5 + rims[:, None]) / (count + 2 * rims[:, None])
        return np.asarray(places * _FLAT_PX, dtype=np.int64)

    y, x = np.nonzero(np.abs(rims[:, None] - rims) <= _MAX_UNEVEN)
    rows, columns = middles(pattern.rows)[y], middles(pattern.columns)[x]
    cells = lab[rows[:, :, None], columns[:, None, :]].reshape(len(y), -1, 3)
    cells = cells - cells.mean(axis=1, keepdims=True)
    members = np.eye(pattern.class_count, dtype=np.float32)[pattern.classes.ravel()]
    sums = cells.transpose(0, 2, 1) @ members
    between = (np.square(sums).sum(axis=1) / members.sum(axis=0)).sum(axis=-1)
    shares = between / np.maximum(np.square(cells).sum(axis=(1, 2)), 1e-6)
    top = int(shares.argmax())
    return float(shares[top]), (float(rims[x[top]]), float(rims[y[top]]))
