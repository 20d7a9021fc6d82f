"""Small quadrilaterals in a picture: cells, premium squares and tiles all show as some."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.core import freeze

__all__ = ["THRESHOLDS", "Quads", "colour_layers", "distinct_quads", "find_quads", "grey_layer"]

THRESHOLDS = ((15, 2), (15, -2), (31, 3), (31, -3))
"""Neighbourhood in px, and levels by which a line must be darker than it on the whole, or lighter where
negative, to part what lies on its sides. The first alone finds most boards."""

_MIN_AREA_PX = 49.0
_MAX_AREA_SHARE = 1 / 49
"""Of the square of the picture's longer side: a board of nine cells, larger than the picture."""

_MIN_FILL = 0.8
"""Share of its convex hull that a contour fills."""

_CORNER_TOLERANCE = 0.09
"""Share of the perimeter by which a corner may be cut: tiles are round there, premium squares toothed."""

_TWIN_WITHIN = 0.2
_TWIN_RATIO = 0.45
"""Quads whose centres differ by less of a side, and whose areas by less, show one thing twice."""

_FULL_LEVEL = 160.0
_MAX_GAIN = 6.0
"""A picture whose lights are below this level is lifted, at most so far: noise is lifted too."""

_MAX_QUADS = 1200
"""More than this is texture; the board's own are among the larger ones."""


@dataclass(frozen=True, slots=True, eq=False)
class Quads:
    """Quadrilaterals of about a cell's shape.

    Parameters
    ----------
    corners_xy : (n, 4, 2) float64
        Corners in pixels, going round clockwise as seen.
    """

    corners_xy: NDArray[np.float64]

    def __post_init__(self) -> None:
        object.__setattr__(
            self, "corners_xy", freeze(self.corners_xy, (None, 4, 2), np.float64, "corners_xy")
        )

    def __len__(self) -> int:
        return len(self.corners_xy)

    @property
    def centres_xy(self) -> NDArray[np.float64]:
        """(n, 2) means of the corners."""
        return np.asarray(self.corners_xy.mean(axis=1))

    @property
    def sides_xy(self) -> NDArray[np.float64]:
        """(n, 2, 2) the two side vectors, each the mean of two opposite sides."""
        a, b, c, d = (self.corners_xy[:, k] for k in range(4))
        return np.stack([(b - a + c - d) / 2, (d - a + c - b) / 2], axis=1)

    @property
    def areas(self) -> NDArray[np.float64]:
        """(n,) areas in px²."""
        sides = self.sides_xy
        return np.abs(sides[:, 0, 0] * sides[:, 1, 1] - sides[:, 0, 1] * sides[:, 1, 0])


def grey_layer(image_bgr: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """(height, width) how light a picture is, a dark one lifted so that levels keep their meaning."""
    grey = cv2.cvtColor(image_bgr, cv2.COLOR_BGR2GRAY)
    bright = float(np.percentile(grey[::8, ::8], 95))
    lifted = (
        cv2.convertScaleAbs(grey, alpha=_FULL_LEVEL / max(bright, _FULL_LEVEL / _MAX_GAIN))
        if bright < _FULL_LEVEL
        else grey
    )
    return np.asarray(cv2.blur(lifted, (3, 3)), dtype=np.uint8)


def colour_layers(image_bgr: NDArray[np.uint8]) -> tuple[NDArray[np.uint8], ...]:
    """Two (height, width) pictures of colour alone, where squares may differ that are equally light."""
    lab = cv2.blur(cv2.cvtColor(image_bgr, cv2.COLOR_BGR2Lab), (5, 5))
    return tuple(np.ascontiguousarray(lab[..., k], dtype=np.uint8) for k in (1, 2))


def find_quads(layer: NDArray[np.uint8], threshold: tuple[int, int]) -> Quads:
    """The small quadrilaterals that dark lines, or light ones, cut out of a picture.

    Parameters
    ----------
    layer : (height, width) uint8
        One layer of the picture at about 800 px.
    threshold : (int, int)
        One of `THRESHOLDS`: the neighbourhood, and the levels that make a line.
    """
    block, offset = threshold
    kind = cv2.THRESH_BINARY if offset > 0 else cv2.THRESH_BINARY_INV
    mask = cv2.adaptiveThreshold(layer, 255, cv2.ADAPTIVE_THRESH_MEAN_C, kind, block, offset)
    most_area = max(layer.shape) ** 2 * _MAX_AREA_SHARE
    found: list[NDArray[np.float64]] = []
    for contour in cv2.findContours(mask, cv2.RETR_LIST, cv2.CHAIN_APPROX_SIMPLE)[0]:
        if len(contour) < 4 or not _MIN_AREA_PX <= (area := cv2.contourArea(contour)) <= most_area:
            continue
        hull = cv2.convexHull(contour)
        if area < _MIN_FILL * cv2.contourArea(hull):
            continue
        polygon = cv2.approxPolyDP(hull, _CORNER_TOLERANCE * cv2.arcLength(hull, True), True)
        if len(polygon) == 4:
            found.append(polygon.reshape(4, 2).astype(np.float64))
    return Quads(corners_xy=np.array(found).reshape(-1, 4, 2))


def distinct_quads(found: Sequence[Quads]) -> Quads:
    """One of each bundle of concentric quads of about one size, the largest; all made clockwise."""
    corners_xy = np.concatenate([quads.corners_xy for quads in found])
    ahead, across = corners_xy[:, 1] - corners_xy[:, 0], corners_xy[:, 3] - corners_xy[:, 0]
    anticlockwise = ahead[:, 0] * across[:, 1] - ahead[:, 1] * across[:, 0] < 0
    corners_xy[anticlockwise] = corners_xy[anticlockwise, ::-1]
    areas = Quads(corners_xy=corners_xy).areas
    order = np.argsort(-areas, kind="stable")
    order = order[areas[order] > _MIN_AREA_PX][:_MAX_QUADS]
    corners_xy, areas = corners_xy[order], areas[order]
    centres = corners_xy.mean(axis=1)
    # Sorted askew, so that a column of the board does not fall on one place; twins are then few steps apart.
    askew = centres @ [0.8, 0.6]
    order = np.argsort(askew, kind="stable")
    kept = np.ones(len(areas), dtype=bool)
    askew, area, (x, y) = askew[order], areas[order], centres[order].T
    reach = 2 * _TWIN_WITHIN * np.sqrt(area)
    for step in range(1, len(order)):
        near = askew[step:] - askew[:-step] < np.maximum(reach[step:], reach[:-step])
        if not near.any():
            break
        first, second = np.flatnonzero(near), np.flatnonzero(near) + step
        larger, smaller = np.maximum(area[first], area[second]), np.minimum(area[first], area[second])
        gap = np.hypot(x[first] - x[second], y[first] - y[second])
        twin = (gap < _TWIN_WITHIN * np.sqrt(larger)) & (smaller > _TWIN_RATIO * larger)
        kept[np.maximum(order[first], order[second])[twin]] = False  # indices follow size, the largest first
    return Quads(corners_xy=corners_xy[kept])
