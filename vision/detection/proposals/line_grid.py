"""Equal spacing among segments that vanish in two points: a lattice that no whole square shows."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from vision.core import invert_matrix, project_points
from vision.detection.proposals.lattice import Lattice
from vision.detection.proposals.vanishing_points import Segments, VanishingPair

__all__ = ["combed_lattices"]

_MIN_PITCH_PX = 6.0
_MIN_CELLS = 7
"""A pitch of which fewer fit between the outermost segments is not the squares'."""

_STEPS_A_CELL = 6
"""Frequencies to one more cell over the whole extent: a peak is two cells wide."""

_OF_BEST = 0.5
_MAX_PITCHES = 3
_MULTIPLES = (1, 2)
"""Print in the middle of squares may make half the pitch the strongest."""

_FOCAL_LENGTHS = (0.7, 1.0, 1.5, 3.0)
_SQUARE_WITHIN = 1.15
"""Focal lengths of cameras in sides of the picture, and how far from square a cell may look under the best of them:
pictures are cropped, so that their middle is not where the lens looked."""

_ON_LINE = 0.2
_ROUNDS = 4
_MIN_LINES = 4

Floats = NDArray[np.float64]


def combed_lattices(
    segments: Segments, pair: VanishingPair, image_size: tuple[int, int]
) -> Iterator[Lattice]:
    """The lattices of squares whose lines carry most of both bundles, the likeliest first.

    Parameters
    ----------
    segments : Segments
        Straight edges of a picture.
    pair : VanishingPair
        The two directions that they follow.
    image_size : (int, int)
        Width and height of the picture in pixels: its middle and its side stand for the lens's.
    """
    plane = _plane(segments, pair)
    if plane is None:
        return
    ends = project_points(plane, segments.ends_xy)
    with np.errstate(invalid="ignore"):
        seen = np.isfinite(ends).all(axis=(1, 2)) & (np.abs(ends) < 1e5).all(axis=(1, 2))
    # Segments that run to the first point have one and the same y all along.
    across = [ends[..., 1].mean(axis=1), ends[..., 0].mean(axis=1)]
    choices = []
    for bundle in (0, 1):
        members = pair.members[bundle] & seen
        if members.sum() < _MIN_LINES:
            return
        choices.append(_pitches(across[bundle][members], segments.weights[members]))
    ways = sorted(itertools.product(*choices), key=lambda way: -way[0][0] * way[1][0])
    low, high = _square_ratios(invert_matrix(plane), image_size)
    for (_, pitch_y, phase_y), (_, pitch_x, phase_x) in ways:
        if not low < pitch_x / pitch_y < high:
            continue
        scaling = np.array(
            [[1 / pitch_x, 0, -phase_x / pitch_x], [0, 1 / pitch_y, -phase_y / pitch_y], [0, 0, 1]]
        )
        lattice = _settled(segments, pair.members & seen, scaling @ plane)
        if lattice is not None:
            yield lattice


def _plane(segments: Segments, pair: VanishingPair) -> Floats | None:
    """Towards a plane where both bundles are parallel to the axes, in pixels of the picture's middle."""
    both = pair.members.any(axis=0)
    if not both.any():
        return None
    middle = np.average(segments.ends_xy[both].mean(axis=1), axis=0, weights=segments.weights[both])
    origin = np.append(middle, 1.0)
    axes = []
    for point in pair.points:
        way = point[:2] - point[2] * middle
        length = float(np.linalg.norm(way))
        if length < 1e-9:
            return None
        axes.append(point / length)
    image_from_plane = np.column_stack([*axes, origin])
    if abs(np.linalg.det(image_from_plane)) < 1e-9:
        return None
    if np.linalg.det(_steps(image_from_plane)) < 0:  # not seen in a mirror
        image_from_plane[:, 1] *= -1
    return invert_matrix(image_from_plane)


def _square_ratios(image_from_plane: Floats, image_size: tuple[int, int]) -> tuple[float, float]:
    """Between which a square's side along x, in the plane's units, lies to that along y."""
    middle, side = np.array(image_size) / 2, max(image_size)
    ratios = []
    for focal in _FOCAL_LENGTHS:
        rays = np.array([[1, 0, -middle[0]], [0, 1, -middle[1]], [0, 0, focal * side]]) @ image_from_plane
        along_x, along_y = np.linalg.norm(rays[:, :2], axis=0)
        ratios.append(along_y / along_x)
    return min(ratios) / _SQUARE_WITHIN, max(ratios) * _SQUARE_WITHIN


def _steps(image_from_plane: Floats) -> Floats:
    """(2, 2) where a small step along x and along y leads, at the plane's origin."""
    origin = image_from_plane[:, 2]
    ways = image_from_plane[:2, :2] - origin[:2, None] / origin[2] * image_from_plane[2, :2]
    return np.asarray(ways)


def _pitches(places: Floats, weights: Floats) -> list[tuple[float, float, float]]:
    """Strength, pitch and phase of the equal spacings among weighted places, the strongest first."""
    order = np.argsort(places)
    reached = np.cumsum(weights[order]) / weights.sum()
    low, high = places[order][np.searchsorted(reached, [0.02, 0.98])]
    extent = high - low
    if not extent > _MIN_CELLS * _MIN_PITCH_PX:
        return []
    inside = (places >= low) & (places <= high)
    places, weights = places[inside] - low, weights[inside]
    count = int((extent / _MIN_PITCH_PX - _MIN_CELLS) * _STEPS_A_CELL)
    cells = _MIN_CELLS + np.arange(max(count, 3)) / _STEPS_A_CELL
    waves = np.exp(2j * np.pi * places[:, None] * (cells / extent)) * weights[:, None]
    total = waves.sum(axis=0) / weights.sum()
    strength = np.abs(total)
    peaks = np.flatnonzero((strength[1:-1] >= strength[:-2]) & (strength[1:-1] > strength[2:])) + 1
    peaks = peaks[strength[peaks] > _OF_BEST * strength[peaks].max()] if len(peaks) else peaks
    best = sorted(peaks.tolist(), key=lambda k: -float(strength[k]))[:_MAX_PITCHES]
    found: list[tuple[float, float, float]] = []
    for times, peak in itertools.product(_MULTIPLES, best):
        number = cells[peak] / times
        wave = np.exp(2j * np.pi * places * number / extent) @ weights
        pitch = float(extent / number)
        known = any(abs(pitch - other) < 0.03 * pitch for _, other, _ in found)
        if number >= _MIN_CELLS and not known:
            phase = float(low + np.angle(wave) / (2 * np.pi) * pitch)
            found.append((float(strength[peak]) / times, pitch, phase))
    return found


def _settled(segments: Segments, members: NDArray[np.bool_], lattice_from_image: Floats) -> Lattice | None:
    """The lattice with its lines through the segments that lie on them, all of them at once."""
    ends = segments.ends_xy
    centre, scale = ends.reshape(-1, 2).mean(axis=0), float(ends.std()) + 1e-9
    unit_from_image = np.array(
        [[1 / scale, 0, -centre[0] / scale], [0, 1 / scale, -centre[1] / scale], [0, 0, 1]]
    )
    unit = np.concatenate([(ends - centre) / scale, np.ones((*ends.shape[:2], 1))], axis=-1)
    matrix = lattice_from_image @ invert_matrix(unit_from_image)
    cells = np.zeros((0, 2))
    for _ in range(_ROUNDS):
        places = project_points(matrix, unit[..., :2])
        systems, spans = [], []
        for bundle, axis in ((0, 1), (1, 0)):
            across = places[..., axis].mean(axis=1)
            line = np.rint(across)
            with np.errstate(invalid="ignore"):
                on = members[bundle] & (np.abs(places[..., axis] - line[:, None]).max(axis=1) < _ON_LINE)
            if len(np.unique(line[on])) < _MIN_LINES:
                return None
            rows = np.zeros((int(on.sum()), 2, 9))
            rows[..., 3 * axis : 3 * axis + 3] = unit[on]
            rows[..., 6:] = -line[on][:, None, None] * unit[on]
            systems.append((rows * np.sqrt(segments.weights[on])[:, None, None]).reshape(-1, 9))
            spans.append(_span(line[on], segments.weights[on]))
        system = np.concatenate(systems)
        solved = np.linalg.eigh(system.T @ system)[1][:, 0].reshape(3, 3)
        if abs(np.linalg.det(solved)) < 1e-12:
            return None
        matrix = solved * np.sign(solved[2, 2] or 1.0)
        cells = np.array([[spans[1][0], spans[0][0]], [spans[1][1] - 1, spans[0][1] - 1]])
    image_from_lattice = invert_matrix(matrix @ unit_from_image)
    middle = np.append(cells.mean(axis=0), 1.0)
    depth = float(image_from_lattice[2] @ middle)
    if abs(depth) < 1e-9 or (np.abs(cells) > 200).any():
        return None
    return Lattice(image_from_lattice=image_from_lattice / depth, cells=cells.astype(np.int64))


def _span(lines: Floats, weights: Floats) -> tuple[float, float]:
    """The first and last line between which nearly all of the weight lies."""
    order = np.argsort(lines)
    reached = np.cumsum(weights[order]) / weights.sum()
    low, high = lines[order][np.searchsorted(reached, [0.03, 0.97])]
    return float(low), float(max(high, low + 1))
