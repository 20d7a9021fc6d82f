"""Small quadrilaterals in an image: cells, premium squares and tiles all show as some."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from vision.core import Floats, Image, freeze

__all__ = ["QUAD_THRESHOLDS", "Quads", "colour_layers", "distinct_quads", "find_quads", "grey_layer"]


QUAD_THRESHOLDS = ((15, 2), (15, -2), (31, 3), (31, -3))
"""Adaptive thresholds: the neighbourhood in px, and the levels by which a line must be darker than its mean, or lighter
where negative. The first alone finds most boards."""


@dataclass(frozen=True, slots=True, kw_only=True)
class QuadSettings:
    """Shape and number of quadrilaterals. Values without a source are chosen."""

    min_area_px: float = 49.0
    """Area of a quadrilateral, px²."""
    max_area_share: float = 1 / 49
    """Area as a share of the square of the image's longer side: seven cells along it."""
    min_hull_fill: float = 0.8
    """Share of its convex hull that a contour fills."""
    corner_tolerance: float = 0.09
    """Share of the perimeter by which a corner may be cut: tiles are round there, premium squares toothed."""
    twin_distance: float = 0.2
    """Distance of centres, in sides of the larger one, within which two quadrilaterals are one."""
    full_level: float = 160.0
    """95th percentile of lightness to which a darker image is brightened."""
    max_gain: float = 6.0
    """Largest gain: noise is amplified too."""
    max_quads: int = 1200
    """Larger numbers are texture; the board's own are among the larger ones."""


SETTINGS = QuadSettings()


@dataclass(frozen=True, slots=True, eq=False)
class Quads:
    """Quadrilaterals of about a cell's shape.

    Parameters
    ----------
    corners_xy : (n, 4, 2) float64
        Corners in pixels, clockwise as seen.
    """

    corners_xy: Floats

    def __post_init__(self) -> None:
        corners = freeze(self.corners_xy, (None, 4, 2), np.float64, "corners_xy")
        object.__setattr__(self, "corners_xy", corners)

    def __len__(self) -> int:
        return len(self.corners_xy)

    @property
    def centres_xy(self) -> Floats:
        """(n, 2) means of the corners."""
        return np.asarray(self.corners_xy.mean(axis=1))

    @property
    def sides_xy(self) -> Floats:
        """(n, 2, 2) the two side vectors, each the mean of two opposite sides."""
        a, b, c, d = (self.corners_xy[:, k] for k in range(4))
        return np.stack([(b - a + c - d) / 2, (d - a + c - b) / 2], axis=1)

    @property
    def areas(self) -> Floats:
        """(n,) areas in px²."""
        sides = self.sides_xy
        return np.abs(sides[:, 0, 0] * sides[:, 1, 1] - sides[:, 0, 1] * sides[:, 1, 0])


def grey_layer(image_bgr: Image) -> Image:
    """Compute the smoothed (height, width) lightness; a dark image is brightened so that levels keep their meaning."""
    grey = cv2.cvtColor(image_bgr, cv2.COLOR_BGR2GRAY)
    bright = float(np.percentile(grey[::8, ::8], 95))
    if bright < SETTINGS.full_level:
        gain = SETTINGS.full_level / max(bright, SETTINGS.full_level / SETTINGS.max_gain)
        grey = cv2.convertScaleAbs(grey, alpha=gain)
    return np.asarray(cv2.blur(grey, (3, 3)), dtype=np.uint8)


def colour_layers(image_bgr: Image) -> tuple[Image, ...]:
    """Compute two (height, width) layers of colour alone, a* and b*, for squares that are equally light."""
    lab = cv2.blur(cv2.cvtColor(image_bgr, cv2.COLOR_BGR2Lab), (5, 5))
    return tuple(np.ascontiguousarray(lab[..., k], dtype=np.uint8) for k in (1, 2))


def find_quads(layer: Image, threshold: tuple[int, int]) -> Quads:
    """Find the small quadrilaterals between dark lines, or between light ones.

    Parameters
    ----------
    layer : (height, width) uint8
        One layer of the image at about 800 px.
    threshold : (int, int)
        One of `QUAD_THRESHOLDS`: the neighbourhood, and the levels that make a line.
    """
    block, offset = threshold
    kind = cv2.THRESH_BINARY if offset > 0 else cv2.THRESH_BINARY_INV
    mask = cv2.adaptiveThreshold(layer, 255, cv2.ADAPTIVE_THRESH_MEAN_C, kind, block, offset)
    max_area = max(layer.shape) ** 2 * SETTINGS.max_area_share
    found: list[Floats] = []
    for contour in cv2.findContours(mask, cv2.RETR_LIST, cv2.CHAIN_APPROX_SIMPLE)[0]:
        if len(contour) < 4 or not SETTINGS.min_area_px <= (area := cv2.contourArea(contour)) <= max_area:
            continue
        hull = cv2.convexHull(contour)
        if area < SETTINGS.min_hull_fill * cv2.contourArea(hull):
            continue
        polygon = cv2.approxPolyDP(hull, SETTINGS.corner_tolerance * cv2.arcLength(hull, True), True)
        if len(polygon) == 4:
            found.append(polygon.reshape(4, 2).astype(np.float64))
    return Quads(corners_xy=np.array(found).reshape(-1, 4, 2))


def distinct_quads(found: Sequence[Quads]) -> Quads:
    """Merge quadrilaterals: of concentric ones keep the largest, and make all clockwise."""
    corners_xy = np.concatenate([quads.corners_xy for quads in found])
    ahead, across = corners_xy[:, 1] - corners_xy[:, 0], corners_xy[:, 3] - corners_xy[:, 0]
    is_anticlockwise = ahead[:, 0] * across[:, 1] - ahead[:, 1] * across[:, 0] < 0
    corners_xy[is_anticlockwise] = corners_xy[is_anticlockwise, ::-1]
    areas = Quads(corners_xy=corners_xy).areas
    order = np.argsort(-areas, kind="stable")
    order = order[areas[order] > SETTINGS.min_area_px][: SETTINGS.max_quads]
    corners_xy, areas = corners_xy[order], areas[order]
    centres = corners_xy.mean(axis=1)
    # Sorted along an oblique axis, so that a column of the board does not fall on one place; twins are then few steps
    # apart.
    oblique = centres @ [0.8, 0.6]
    order = np.argsort(oblique, kind="stable")
    kept = np.ones(len(areas), dtype=bool)
    oblique, area, (x, y) = oblique[order], areas[order], centres[order].T
    reach = 2 * SETTINGS.twin_distance * np.sqrt(area)
    for step in range(1, len(order)):
        near = oblique[step:] - oblique[:-step] < np.maximum(reach[step:], reach[:-step])
        if not near.any():
            break
        first, second = np.flatnonzero(near), np.flatnonzero(near) + step
        larger = np.maximum(area[first], area[second])
        gap = np.hypot(x[first] - x[second], y[first] - y[second])
        is_twin = gap < SETTINGS.twin_distance * np.sqrt(larger)
        kept[np.maximum(order[first], order[second])[is_twin]] = (
            False  # indices follow size, the largest first
        )
    return Quads(corners_xy=corners_xy[kept])
