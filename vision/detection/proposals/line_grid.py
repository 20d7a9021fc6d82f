"""Equal spacings among segments with two vanishing points: lattices that no complete square shows."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from vision.core import Floats, Mask, Matrix, invert_matrix, project_points
from vision.detection.proposals.lattice import Lattice
from vision.detection.proposals.vanishing_points import Segments, VanishingPair

__all__ = ["find_line_grids"]


@dataclass(frozen=True, slots=True, kw_only=True)
class LineGridSettings:
    """Parameters of the search for equal spacings. Values without a source are chosen."""

    min_pitch_px: float = 6.0
    """Side of a square."""
    min_cells: int = 7
    """Cells between the outermost segments."""
    steps_per_cell: int = 6
    """Frequencies that are tried per additional cell over the extent; a peak is two cells wide."""
    min_peak_share: float = 0.5
    """Strength of a pitch relative to the strongest."""
    max_pitches: int = 3
    """Number of pitches, before multiples."""
    pitch_multiples: tuple[int, ...] = (1, 2)
    """Print in the middle of squares may make half the pitch the strongest."""
    same_pitch: float = 0.03
    """Relative difference within which two pitches are one."""
    focal_lengths: tuple[float, ...] = (0.7, 1.0, 1.5, 3.0)
    """Focal lengths of cameras, in longer sides of the image."""
    max_aspect: float = 1.15
    """Aspect ratio of a cell with the best of these. Images are cropped, so that their centre is not the optical
    axis."""
    line_distance: float = 0.2
    """Distance of a segment from its line, in cells."""
    rounds: int = 4
    """Rounds of assignment and fit."""
    min_lines: int = 4
    """Lines of each direction."""
    max_plane_coordinate: float = 1e5
    """Coordinates in the plane from which a segment is too close to the horizon."""
    max_cell_index: float = 200
    """Largest lattice coordinate of a line."""


SETTINGS = LineGridSettings()


class _Pitch(NamedTuple):
    """An equal spacing of lines: its strength, and pitch and phase in the units of the plane."""

    strength: float
    length: float
    phase: float


def find_line_grids(
    segments: Segments, pair: VanishingPair, image_size: tuple[int, int]
) -> Iterator[Lattice]:
    """Find lattices whose lines carry most of both bundles, the most probable first.

    Parameters
    ----------
    segments : Segments
        Straight edges of an image.
    pair : VanishingPair
        Their two directions.
    image_size : (int, int)
        Width and height of the image in pixels.
    """
    plane = _rectifying_transform(segments, pair)
    if plane is None:
        return
    ends = project_points(plane, segments.ends_xy)
    with np.errstate(invalid="ignore"):
        is_close = (np.abs(ends) < SETTINGS.max_plane_coordinate).all(axis=(1, 2))
        is_valid = np.isfinite(ends).all(axis=(1, 2)) & is_close
    # All points of a segment towards the first vanishing point have the same y.
    across = [ends[..., 1].mean(axis=1), ends[..., 0].mean(axis=1)]
    choices = []
    for bundle in (0, 1):
        members = pair.members[bundle] & is_valid
        if members.sum() < SETTINGS.min_lines:
            return
        choices.append(_find_pitches(across[bundle][members], segments.weights[members]))
    pairs = sorted(itertools.product(*choices), key=lambda both: -both[0].strength * both[1].strength)
    min_ratio, max_ratio = _square_ratios(invert_matrix(plane), image_size)
    for pitch_y, pitch_x in pairs:
        if not min_ratio < pitch_x.length / pitch_y.length < max_ratio:
            continue
        scaling = np.array(
            [
                [1 / pitch_x.length, 0, -pitch_x.phase / pitch_x.length],
                [0, 1 / pitch_y.length, -pitch_y.phase / pitch_y.length],
                [0, 0, 1],
            ]
        )
        lattice = _fit_lattice(segments, pair.members & is_valid, scaling @ plane)
        if lattice is not None:
            yield lattice


def _rectifying_transform(segments: Segments, pair: VanishingPair) -> Matrix | None:
    """(3, 3) to a plane where both bundles are parallel to the axes, in pixels of the image's centre."""
    both = pair.members.any(axis=0)
    if not both.any():
        return None
    middle = np.average(segments.ends_xy[both].mean(axis=1), axis=0, weights=segments.weights[both])
    origin = np.append(middle, 1.0)
    axes = []
    for point in pair.points:
        direction = point[:2] - point[2] * middle
        length = float(np.linalg.norm(direction))
        if length < 1e-9:
            return None
        axes.append(point / length)
    image_from_plane = np.column_stack([*axes, origin])
    if abs(np.linalg.det(image_from_plane)) < 1e-9:
        return None
    if np.linalg.det(_jacobian_at_origin(image_from_plane)) < 0:  # mirrored
        image_from_plane[:, 1] *= -1
    return invert_matrix(image_from_plane)


def _square_ratios(image_from_plane: Matrix, image_size: tuple[int, int]) -> tuple[float, float]:
    """Limits of the ratio of a square's side along x to that along y, in the units of the plane."""
    centre, side = np.array(image_size) / 2, max(image_size)
    ratios = []
    for focal in SETTINGS.focal_lengths:
        camera = np.array([[1, 0, -centre[0]], [0, 1, -centre[1]], [0, 0, focal * side]])
        along_x, along_y = np.linalg.norm((camera @ image_from_plane)[:, :2], axis=0)
        ratios.append(along_y / along_x)
    return min(ratios) / SETTINGS.max_aspect, max(ratios) * SETTINGS.max_aspect


def _jacobian_at_origin(image_from_plane: Matrix) -> Floats:
    """(2, 2) where a small step along x and along y leads, at the plane's origin."""
    origin = image_from_plane[:, 2]
    steps = image_from_plane[:2, :2] - origin[:2, None] / origin[2] * image_from_plane[2, :2]
    return np.asarray(steps)


def _find_pitches(places: Floats, weights: Floats) -> list[_Pitch]:
    """Find equal spacings among weighted places (n,) by a Fourier sum, the strongest first."""
    low, high = _weighted_range(places, weights, 0.02)
    extent = high - low
    if not extent > SETTINGS.min_cells * SETTINGS.min_pitch_px:
        return []
    inside = (places >= low) & (places <= high)
    places, weights = places[inside] - low, weights[inside]
    count = int((extent / SETTINGS.min_pitch_px - SETTINGS.min_cells) * SETTINGS.steps_per_cell)
    cells = SETTINGS.min_cells + np.arange(max(count, 3)) / SETTINGS.steps_per_cell
    waves = np.exp(2j * np.pi * places[:, None] * (cells / extent)) * weights[:, None]
    strength = np.abs(waves.sum(axis=0) / weights.sum())
    peaks = np.flatnonzero((strength[1:-1] >= strength[:-2]) & (strength[1:-1] > strength[2:])) + 1
    if len(peaks):
        peaks = peaks[strength[peaks] > SETTINGS.min_peak_share * strength[peaks].max()]
    best = sorted(peaks.tolist(), key=lambda k: -float(strength[k]))[: SETTINGS.max_pitches]
    found: list[_Pitch] = []
    for multiple, peak in itertools.product(SETTINGS.pitch_multiples, best):
        number = cells[peak] / multiple
        wave = np.exp(2j * np.pi * places * number / extent) @ weights
        length = float(extent / number)
        is_known = any(abs(length - other.length) < SETTINGS.same_pitch * length for other in found)
        if number >= SETTINGS.min_cells and not is_known:
            phase = float(low + np.angle(wave) / (2 * np.pi) * length)
            found.append(_Pitch(float(strength[peak]) / multiple, length, phase))
    return found


def _fit_lattice(segments: Segments, members: Mask, lattice_from_image: Matrix) -> Lattice | None:
    """Fit the lattice to all segments on its lines, by direct linear transformation.

    Parameters
    ----------
    segments : Segments
        All segments.
    members : (2, n) bool
        Those of each direction.
    lattice_from_image : (3, 3) float64
        The first estimate.

    Returns
    -------
    Lattice or None
        None where too few lines agree.
    """
    ends = segments.ends_xy
    centre, scale = ends.reshape(-1, 2).mean(axis=0), float(ends.std()) + 1e-9
    unit_from_image = np.array(
        [[1 / scale, 0, -centre[0] / scale], [0, 1 / scale, -centre[1] / scale], [0, 0, 1]]
    )
    unit = np.concatenate([(ends - centre) / scale, np.ones((*ends.shape[:2], 1))], axis=-1)
    matrix = lattice_from_image @ invert_matrix(unit_from_image)
    cells = np.zeros((0, 2))
    for _ in range(SETTINGS.rounds):
        places = project_points(matrix, unit[..., :2])
        systems, spans = [], []
        for bundle, axis in ((0, 1), (1, 0)):
            line = np.rint(places[..., axis].mean(axis=1))
            with np.errstate(invalid="ignore"):
                distance = np.abs(places[..., axis] - line[:, None]).max(axis=1)
                used = members[bundle] & (distance < SETTINGS.line_distance)
            if len(np.unique(line[used])) < SETTINGS.min_lines:
                return None
            rows = np.zeros((int(used.sum()), 2, 9))
            rows[..., 3 * axis : 3 * axis + 3] = unit[used]
            rows[..., 6:] = -line[used][:, None, None] * unit[used]
            systems.append((rows * np.sqrt(segments.weights[used])[:, None, None]).reshape(-1, 9))
            first, last = _weighted_range(line[used], segments.weights[used], 0.03)
            spans.append((first, max(last, first + 1)))
        system = np.concatenate(systems)
        solution = np.linalg.eigh(system.T @ system)[1][:, 0].reshape(3, 3)
        if abs(np.linalg.det(solution)) < 1e-12:
            return None
        matrix = solution * np.sign(solution[2, 2] or 1.0)
        cells = np.array([[spans[1][0], spans[0][0]], [spans[1][1] - 1, spans[0][1] - 1]])
    image_from_lattice = invert_matrix(matrix @ unit_from_image)
    depth = float(image_from_lattice[2] @ np.append(cells.mean(axis=0), 1.0))
    if abs(depth) < 1e-9 or (np.abs(cells) > SETTINGS.max_cell_index).any():
        return None
    return Lattice(image_from_lattice=image_from_lattice / depth, cells=cells.astype(np.int64))


def _weighted_range(places: Floats, weights: Floats, tail: float) -> tuple[float, float]:
    """Find the two places between which all of the weight is but for a share `tail` at each end."""
    order = np.argsort(places)
    reached = np.cumsum(weights[order]) / weights.sum()
    low, high = places[order][np.searchsorted(reached, [tail, 1 - tail])]
    return float(low), float(high)
