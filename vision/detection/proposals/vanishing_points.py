"""Straight segments and where they vanish: the slower first guess, for boards that show few whole squares."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.core import freeze

__all__ = ["Segments", "VanishingPair", "find_segments", "vanishing_pairs"]

_MIN_LENGTH_PX = 9.0
_MAX_SEGMENTS = 500
"""The heaviest of them; a board's lines are long, or many."""

_ISOTROPY_PX = 14.0
"""Standard deviation of the neighbourhood in which gradients must point both ways: wood grain's do not."""

_HYPOTHESES = 500
_WITHIN_DEG = 1.2
_APART_DEG = 25.0
"""Two directions of a plane that are seen under less are seen too obliquely to be read."""

_MAX_PAIRS = 2

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Segments:
    """Straight edges in a picture.

    Parameters
    ----------
    ends_xy : (n, 2, 2) float64
        Both ends of each, in pixels.
    weights : (n,) float64
        Length in pixels, less where everything near runs the same way.
    """

    ends_xy: Floats
    weights: Floats

    def __post_init__(self) -> None:
        object.__setattr__(self, "ends_xy", freeze(self.ends_xy, (None, 2, 2), np.float64, "ends_xy"))
        object.__setattr__(self, "weights", freeze(self.weights, (len(self.ends_xy),), np.float64, "weights"))

    def __len__(self) -> int:
        return len(self.ends_xy)


@dataclass(frozen=True, slots=True, eq=False)
class VanishingPair:
    """Two bundles of segments, each parallel in the scene.

    Parameters
    ----------
    points : (2, 3) float64
        Where each bundle meets, homogeneous, in pixels.
    members : (2, n) bool
        Which segments run to each.
    """

    points: Floats
    members: NDArray[np.bool_]


def find_segments(layers: Sequence[NDArray[np.uint8]]) -> Segments:
    """The heaviest straight edges of a picture at about 800 px, in any of its layers.

    References
    ----------
    R. Grompone von Gioi, J. Jakubowicz, J.-M. Morel, G. Randall: LSD, a line segment detector. IPOL 2, 2012.
    """
    detector = cv2.createLineSegmentDetector(cv2.LSD_REFINE_NONE)
    ends, weights = [np.zeros((0, 2, 2))], [np.zeros(0)]
    for layer in layers:
        found = detector.detect(layer)[0]
        if found is None:
            continue
        straight = np.asarray(found, dtype=np.float64).reshape(-1, 2, 2)
        lengths = np.linalg.norm(straight[:, 1] - straight[:, 0], axis=1)
        straight, lengths = straight[lengths > _MIN_LENGTH_PX], lengths[lengths > _MIN_LENGTH_PX]
        height, width = layer.shape
        middle = np.clip(np.rint(straight.mean(axis=1)).astype(int), 0, [width - 1, height - 1])
        ends.append(straight)
        weights.append(lengths * _isotropy(layer)[middle[:, 1], middle[:, 0]])
    every, weight = np.concatenate(ends), np.concatenate(weights)
    heaviest = np.argsort(-weight, kind="stable")[:_MAX_SEGMENTS]
    return Segments(ends_xy=every[heaviest], weights=weight[heaviest])


def vanishing_pairs(segments: Segments) -> list[VanishingPair]:
    """The pairs of directions that most segments follow, the best first."""
    if len(segments) < 8:
        return []
    ends = segments.ends_xy
    # Homogeneous lines of pixels are badly scaled; the middle of the picture is 0, and its border about 1.
    centre = ends.reshape(-1, 2).mean(axis=0)
    scale = float(np.abs(ends - centre).max())
    unit_from_image = np.array([[1, 0, -centre[0]], [0, 1, -centre[1]], [0, 0, scale]]) / scale
    unit = (ends - centre) / scale
    middle, along = unit.mean(axis=1), unit[:, 1] - unit[:, 0]
    along /= np.linalg.norm(along, axis=1, keepdims=True)
    lines = np.cross(_homogeneous(unit[:, 0]), _homogeneous(unit[:, 1]))
    lines /= np.linalg.norm(lines, axis=1, keepdims=True)
    pairs = []
    for first, rest in _bundles(segments.weights, lines, middle, along, most=_MAX_PAIRS):
        weights = np.where(rest, segments.weights, 0.0)
        for second, _ in _bundles(weights, lines, middle, along, most=1):
            points = np.stack([first, second])
            members = _strayed(points, middle, along) < np.sin(np.deg2rad(2 * _WITHIN_DEG))
            pairs.append(
                VanishingPair(
                    points=points @ np.linalg.inv(unit_from_image).T, members=members & ~members[::-1]
                )
            )
    return pairs


def _bundles(
    weights: Floats, lines: Floats, middle: Floats, along: Floats, most: int
) -> list[tuple[Floats, NDArray[np.bool_]]]:
    """The points to which most of the weight runs, and the segments that clearly run elsewhere."""
    found: list[tuple[Floats, NDArray[np.bool_]]] = []
    left = weights.copy()
    for _ in range(most):
        if np.count_nonzero(left) < 4:
            break
        chances = np.random.default_rng(0)
        picks = chances.choice(len(left), size=(_HYPOTHESES, 2), p=left / left.sum())
        points = np.cross(lines[picks[:, 0]], lines[picks[:, 1]])
        size = np.linalg.norm(points, axis=1)
        points = points[size > 1e-6] / size[size > 1e-6, None]
        if not len(points):
            break
        near = _strayed(points, middle, along) < np.sin(np.deg2rad(_WITHIN_DEG))
        best = int((near @ left).argmax())
        point = _meeting(lines, np.where(near[best], left, 0.0))
        away = _strayed(point[None], middle, along)[0]
        found.append((point, away > np.sin(np.deg2rad(_APART_DEG))))
        left = np.where(away < np.sin(np.deg2rad(_APART_DEG / 2)), 0.0, left)
    return found


def _strayed(points: Floats, middle: Floats, along: Floats) -> Floats:
    """(points, segments) sine of the angle between each segment and the way from its middle to the point."""
    way = points[:, None, :2] - points[:, None, 2:] * middle
    length = np.maximum(np.linalg.norm(way, axis=-1), 1e-12)
    return np.asarray(np.abs(way[..., 0] * along[:, 1] - way[..., 1] * along[:, 0]) / length)


def _meeting(lines: Floats, weights: Floats) -> Floats:
    """The point that is closest to all lines."""
    return np.asarray(np.linalg.eigh((lines * weights[:, None]).T @ lines)[1][:, 0])


def _homogeneous(points: Floats) -> Floats:
    return np.concatenate([points, np.ones((*points.shape[:-1], 1))], axis=-1)


def _isotropy(layer: NDArray[np.uint8]) -> NDArray[np.float32]:
    """(height, width) 1 where gradients point all ways, 0 where all point one way.

    References
    ----------
    J. Bigün, G. H. Granlund: Optimal orientation detection of linear symmetry. ICCV 1987.
    """
    quarter = cv2.resize(layer, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA)
    gx, gy = cv2.Sobel(quarter, cv2.CV_32F, 1, 0), cv2.Sobel(quarter, cv2.CV_32F, 0, 1)
    xx, yy, xy = (
        cv2.GaussianBlur(product, (0, 0), _ISOTROPY_PX / 2) for product in (gx * gx, gy * gy, gx * gy)
    )
    area = np.maximum(xx * yy - xy * xy, 0.0)
    result = np.asarray(2 * np.sqrt(area) / (xx + yy + 1e-3), dtype=np.float32)
    return np.asarray(cv2.resize(result, layer.shape[::-1], interpolation=cv2.INTER_LINEAR))
