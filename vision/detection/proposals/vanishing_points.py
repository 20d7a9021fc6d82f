"""Straight segments and their vanishing points: slow hypotheses for boards that show few complete squares."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.core import Floats, Image, Mask, freeze

__all__ = ["Segments", "VanishingPair", "find_segments", "find_vanishing_pairs"]


@dataclass(frozen=True, slots=True, kw_only=True)
class VanishingPointSettings:
    """Parameters of segments and vanishing points. Values without a source are chosen."""

    min_length_px: float = 9.0
    """Length of a segment."""
    max_segments: int = 500
    """Number of segments with the largest weights; a board's lines are long, or many."""
    isotropy_px: float = 14.0
    """Standard deviation of the neighbourhood in which gradients must have both directions: those of wood grain have
    one."""
    hypotheses: int = 500
    """RANSAC hypotheses."""
    max_angle_deg: float = 1.2
    """Angle between a segment and the direction to its vanishing point."""
    min_separation_deg: float = 25.0
    """Angle between the two directions of a plane; under less they are seen too obliquely to be read."""
    max_pairs: int = 2
    """Number of pairs of directions."""
    min_segments: int = 8
    """Segments in an image with vanishing points."""
    min_bundle: int = 4
    """Segments of one direction."""


SETTINGS = VanishingPointSettings()


@dataclass(frozen=True, slots=True, eq=False)
class Segments:
    """Straight edges in an image.

    Parameters
    ----------
    ends_xy : (n, 2, 2) float64
        Both ends of each, in pixels.
    weights : (n,) float64
        Length in pixels, reduced where everything near has the same direction.
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
        Vanishing point of each bundle, homogeneous, in pixels.
    members : (2, n) bool
        Which segments belong to each.
    """

    points: Floats
    members: Mask


def find_segments(layers: Sequence[Image]) -> Segments:
    """Find the straight edges with the largest weights in any layer of an image.

    Parameters
    ----------
    layers : sequence of (height, width) uint8
        Lightness and colours of the image at about 800 px.

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
        segments = np.asarray(found, dtype=np.float64).reshape(-1, 2, 2)
        lengths = np.linalg.norm(segments[:, 1] - segments[:, 0], axis=1)
        is_long = lengths > SETTINGS.min_length_px
        segments, lengths = segments[is_long], lengths[is_long]
        height, width = layer.shape
        middle = np.clip(np.rint(segments.mean(axis=1)).astype(int), 0, [width - 1, height - 1])
        ends.append(segments)
        weights.append(lengths * _isotropy(layer)[middle[:, 1], middle[:, 0]])
    all_ends, all_weights = np.concatenate(ends), np.concatenate(weights)
    heaviest = np.argsort(-all_weights, kind="stable")[: SETTINGS.max_segments]
    return Segments(ends_xy=all_ends[heaviest], weights=all_weights[heaviest])


def find_vanishing_pairs(segments: Segments) -> list[VanishingPair]:
    """Find the pairs of directions that most segments have, the best first."""
    if len(segments) < SETTINGS.min_segments:
        return []
    ends = segments.ends_xy
    # Homogeneous lines in pixels are badly scaled: the centre becomes 0, and the border about 1.
    centre = ends.reshape(-1, 2).mean(axis=0)
    scale = float(np.abs(ends - centre).max())
    unit_from_image = np.array([[1, 0, -centre[0]], [0, 1, -centre[1]], [0, 0, scale]]) / scale
    unit = (ends - centre) / scale
    middle, direction = unit.mean(axis=1), unit[:, 1] - unit[:, 0]
    direction /= np.linalg.norm(direction, axis=1, keepdims=True)
    lines = np.cross(_homogeneous(unit[:, 0]), _homogeneous(unit[:, 1]))
    lines /= np.linalg.norm(lines, axis=1, keepdims=True)
    max_sine = np.sin(np.deg2rad(2 * SETTINGS.max_angle_deg))
    pairs = []
    for first, rest in _find_bundles(segments.weights, lines, middle, direction, SETTINGS.max_pairs):
        weights = np.where(rest, segments.weights, 0.0)
        for second, _ in _find_bundles(weights, lines, middle, direction, 1):
            points = np.stack([first, second])
            members = _angle_sines(points, middle, direction) < max_sine
            pairs.append(
                VanishingPair(
                    points=points @ np.linalg.inv(unit_from_image).T, members=members & ~members[::-1]
                )
            )
    return pairs


def _find_bundles(
    weights: Floats, lines: Floats, middle: Floats, direction: Floats, max_count: int
) -> list[tuple[Floats, Mask]]:
    """Find vanishing points by RANSAC.

    Parameters
    ----------
    weights : (n,) float64
        Of the segments.
    lines : (n, 3) float64
        Homogeneous lines through them.
    middle, direction : (n, 2) float64
        Their middles, and unit vectors along them.
    max_count : int
        Largest number of points.

    Returns
    -------
    list of (point, others)
        Homogeneous points, and the segments that clearly have another direction.
    """
    found: list[tuple[Floats, Mask]] = []
    remaining = weights.copy()
    max_sine, apart_sine, half_apart_sine = np.sin(
        np.deg2rad([SETTINGS.max_angle_deg, SETTINGS.min_separation_deg, SETTINGS.min_separation_deg / 2])
    )
    for _ in range(max_count):
        if np.count_nonzero(remaining) < SETTINGS.min_bundle:
            break
        rng = np.random.default_rng(0)
        picks = rng.choice(len(remaining), size=(SETTINGS.hypotheses, 2), p=remaining / remaining.sum())
        points = np.cross(lines[picks[:, 0]], lines[picks[:, 1]])
        size = np.linalg.norm(points, axis=1)
        points = points[size > 1e-6] / size[size > 1e-6, None]
        if not len(points):
            break
        near = _angle_sines(points, middle, direction) < max_sine
        best = int((near @ remaining).argmax())
        point = _intersection(lines, np.where(near[best], remaining, 0.0))
        sines = _angle_sines(point[None], middle, direction)[0]
        found.append((point, sines > apart_sine))
        remaining = np.where(sines < half_apart_sine, 0.0, remaining)
    return found


def _angle_sines(points: Floats, middle: Floats, direction: Floats) -> Floats:
    """(points, segments) sine of the angle between each segment and the direction from its middle to the point."""
    towards = points[:, None, :2] - points[:, None, 2:] * middle
    length = np.maximum(np.linalg.norm(towards, axis=-1), 1e-12)
    return np.asarray(np.abs(towards[..., 0] * direction[:, 1] - towards[..., 1] * direction[:, 0]) / length)


def _intersection(lines: Floats, weights: Floats) -> Floats:
    """(3,) the point that is closest to all lines."""
    return np.asarray(np.linalg.eigh((lines * weights[:, None]).T @ lines)[1][:, 0])


def _homogeneous(points: Floats) -> Floats:
    return np.concatenate([points, np.ones((*points.shape[:-1], 1))], axis=-1)


def _isotropy(layer: Image) -> NDArray[np.float32]:
    """(height, width) isotropy of the structure tensor: 1 for gradients in all directions, 0 for one direction.

    References
    ----------
    J. Bigün, G. H. Granlund: Optimal orientation detection of linear symmetry. ICCV 1987.
    """
    half = cv2.resize(layer, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA)
    gx, gy = cv2.Sobel(half, cv2.CV_32F, 1, 0), cv2.Sobel(half, cv2.CV_32F, 0, 1)
    xx, yy, xy = (
        cv2.GaussianBlur(product, (0, 0), SETTINGS.isotropy_px / 2) for product in (gx * gx, gy * gy, gx * gy)
    )
    area = np.maximum(xx * yy - xy * xy, 0.0)
    result = np.asarray(2 * np.sqrt(area) / (xx + yy + 1e-3), dtype=np.float32)
    return np.asarray(cv2.resize(result, layer.shape[::-1], interpolation=cv2.INTER_LINEAR))
