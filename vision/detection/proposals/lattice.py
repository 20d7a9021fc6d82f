"""Lattices of small quadrilaterals: the first hypothesis of the plane of the board."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.core import Floats, Mask, Matrix, cell_sides, invert_matrix, project_points
from vision.detection.proposals.quads import Quads

__all__ = ["Lattice", "find_lattices"]

Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True, kw_only=True)
class LatticeSettings:
    """How quadrilaterals are joined to lattices. Values without a source are chosen."""

    max_across: float = 0.25
    """Largest distance to a neighbour across a side, in sides."""
    max_area_ratio: float = 2.2
    """Largest ratio of the areas of two neighbours, and of a quadrilateral and the cell that absorbs it."""
    probe_steps: tuple[float, ...] = (1.05, 1.2, 1.4)
    """Distances, in sides, at which a neighbour is looked up; each finds what is within `max_across` of it."""
    map_px: int = 2
    """Image pixels per pixel of the index maps."""
    min_quads: int = 8
    """Quadrilaterals of a lattice."""
    min_free_share: float = 0.5
    """Share of a group's quadrilaterals that no other lattice uses."""
    max_distance: float = 0.2
    """Distance from a lattice's cell, in cells, within which a quadrilateral is an inlier, and is absorbed."""
    absorb_rounds: int = 3
    """Rounds of absorbing and refitting."""


SETTINGS = LatticeSettings()

_DIRECTIONS = np.array(
    [[1, 0], [0, 1], [-1, 0], [0, -1], [1, 1], [-1, 1], [-1, -1], [1, -1]], dtype=np.float64
)
"""Sides, then diagonals, each four going round."""


@dataclass(frozen=True, slots=True, eq=False)
class Lattice:
    """A plane in the image that carries equal squares.

    Parameters
    ----------
    image_from_lattice : (3, 3) float64
        From lattice coordinates (one unit a cell, cells at ``i..i+1``) to pixels.
    cells : (n, 2) int64
        The lattice cells, x then y, on which a quadrilateral was found.
    """

    image_from_lattice: Matrix
    cells: Ints


def find_lattices(quads: Quads, *, max_count: int, diagonals: bool) -> list[Lattice]:
    """Find planes of equal squares, those with the most squares first.

    Parameters
    ----------
    quads : Quads
        Small quadrilaterals of one image.
    max_count : int
        Largest number of lattices.
    diagonals : bool
        Step across corners too: premium squares of a board without lines touch only there.
    """
    if len(quads) < SETTINGS.min_quads:
        return []
    neighbours = _find_neighbours(quads, _DIRECTIONS if diagonals else _DIRECTIONS[:4])
    lattices: list[Lattice] = []
    free = np.ones(len(quads), dtype=bool)
    groups = _grow_groups(neighbours, quads.sides_xy)
    for members, places in groups[: 4 * max_count]:
        if np.mean(free[members]) < SETTINGS.min_free_share:
            continue
        fitted = _fit_group(quads, members, places)
        if fitted is None:
            continue
        matrix, used, cells = fitted
        free[used] = False
        lattices.append(Lattice(image_from_lattice=matrix, cells=np.unique(cells, axis=0)))
        if len(lattices) == max_count:
            break
    return sorted(lattices, key=lambda lattice: -len(lattice.cells))


def _find_neighbours(quads: Quads, directions: Floats) -> Ints:
    """(n, directions) index of the quadrilateral one step away in each direction of the own sides, or -1."""
    centres, areas, sides = quads.centres_xy, quads.areas, quads.sides_xy
    own_from_image = np.linalg.inv(sides.transpose(0, 2, 1))
    steps = directions @ sides
    square = np.square(directions).sum(axis=1)
    result = np.full(len(quads) * len(directions), -1, dtype=np.int64)
    maps, levels = _index_maps(quads)
    height, width = maps.shape[1:]
    for reach in SETTINGS.probe_steps:
        probes = (centres[:, None] + reach * steps) / SETTINGS.map_px
        column, row = np.rint(probes).astype(np.int64).reshape(-1, 2).T
        inside = (column >= 0) & (column < width) & (row >= 0) & (row < height)
        for level in (0, -1, 1):
            at = np.flatnonzero(inside & (result < 0))
            quad, direction = np.divmod(at, len(directions))
            map_index = np.clip(levels[quad] + level, 0, len(maps) - 1)
            other = maps[map_index, row[at], column[at]].astype(np.int64)
            met = other >= 0
            at, quad, direction, other = at[met], quad[met], direction[met], other[met]
            x, y = (own_from_image[quad] @ (centres[other] - centres[quad])[..., None])[..., 0].T
            step_x, step_y = directions[direction].T
            across = np.abs(x * step_y - y * step_x) / square[direction]
            ratio = areas[other] / areas[quad]
            fits = (across < SETTINGS.max_across) & _is_similar(ratio)
            result[at[fits]] = other[fits]
    return result.reshape(len(quads), len(directions))


def _is_similar(area_ratio: Floats) -> Mask:
    """Whether two quadrilaterals with such a ratio of areas may be of one lattice."""
    return (area_ratio > 1 / SETTINGS.max_area_ratio) & (area_ratio < SETTINGS.max_area_ratio)


def _index_maps(quads: Quads) -> tuple[NDArray[np.int16], Ints]:
    """Paint quadrilaterals' indices around their centres.

    Returns
    -------
    maps : (octaves, height, width) int16
        One map for each octave of size; -1 where there is none.
    octaves : (n,) int64
        Octave of each quadrilateral.
    """
    octave = np.log(quads.areas / quads.areas.min()) / np.log(SETTINGS.max_area_ratio)
    octaves = np.floor(octave).astype(np.int64)
    width, height = (int(side / SETTINGS.map_px) + 2 for side in quads.centres_xy.max(axis=0))
    maps = np.full((int(octaves.max()) + 1, height, width), -1, dtype=np.int16)
    radius_px = np.rint(SETTINGS.max_across * np.sqrt(quads.areas) / SETTINGS.map_px)
    radii = np.maximum(1, radius_px).astype(int).tolist()
    centres = np.rint(quads.centres_xy / SETTINGS.map_px).astype(int).tolist()
    for index, ((x, y), radius, level) in enumerate(zip(centres, radii, octaves.tolist(), strict=True)):
        maps[level, max(0, y - radius) : y + radius + 1, max(0, x - radius) : x + radius + 1] = index
    return maps, octaves


def _grow_groups(neighbours: Ints, sides: Floats) -> list[tuple[Ints, Ints]]:
    """Find connected groups by breadth-first search, the largest first.

    Parameters
    ----------
    neighbours : (n, directions) int64
        From `_find_neighbours`.
    sides : (n, 2, 2) float64
        Side vectors of the quadrilaterals.

    Returns
    -------
    list of (members, places)
        Indices of quadrilaterals and their whole-number (k, 2) coordinates.
    """
    count, reach = neighbours.shape
    table = neighbours.tolist()
    # Which side vector of the neighbour points where this quad's first one does? Their order is arbitrary.
    four = np.concatenate([sides, -sides], axis=1)
    turns = np.einsum("ndmk,nk->ndm", four[neighbours], sides[:, 0]).argmax(axis=2).tolist()
    visited = [False] * count
    groups: list[tuple[Ints, Ints]] = []
    units = _DIRECTIONS.astype(int).tolist()
    for seed in range(count):
        if visited[seed]:
            continue
        visited[seed] = True
        queue = [(seed, 0, 0, 0)]  # quad, turn of its own axes relative to the seed's, place
        for quad, turn, x, y in queue:
            for direction in range(reach):
                other = table[quad][direction]
                if other < 0 or visited[other]:
                    continue
                dx, dy = units[direction // 4 * 4 + (direction + turn) % 4]
                visited[other] = True
                queue.append((other, (turn - turns[quad][direction]) % 4, x + dx, y + dy))
        if len(queue) >= SETTINGS.min_quads:
            members = np.array([entry[0] for entry in queue])
            groups.append((members, np.array([entry[2:] for entry in queue])))
    return sorted(groups, key=lambda group: -len(group[0]))


def _fit_group(quads: Quads, members: Ints, places: Ints) -> tuple[Matrix, Ints, Ints] | None:
    """Fit the plane through a group; repeatedly absorb every quadrilateral that agrees with it.

    Parameters
    ----------
    quads : Quads
        All quadrilaterals.
    members : (k,) int64
        Indices of the group's.
    places : (k, 2) int64
        Their lattice cells.

    Returns
    -------
    tuple of (image_from_lattice, members, places), or None
        None where they define no plane.
    """
    centres, areas = quads.centres_xy, quads.areas
    matrix = np.eye(3)
    previous: tuple[Ints, Ints] | None = None
    for _ in range(1 + SETTINGS.absorb_rounds):
        if previous is not None and all(map(np.array_equal, previous, (members, places))):
            break  # the same quadrilaterals have the same plane again
        previous = members, places
        if len(members) < SETTINGS.min_quads or min(np.ptp(places, axis=0)) < 1:
            return None
        plane = _fit_plane(places.astype(np.float64) + 0.5, centres[members])
        if plane is None:
            return None
        matrix = plane
        lattice_xy = project_points(invert_matrix(matrix), centres)
        with np.errstate(invalid="ignore"):
            cells = np.floor(lattice_xy)
            fits = np.abs(lattice_xy - cells - 0.5).max(axis=1) < SETTINGS.max_distance
            ratio = areas / _cell_areas(matrix, lattice_xy)
            fits &= _is_similar(ratio)
        members = np.flatnonzero(fits)
        places = cells[members].astype(np.int64)
    return matrix, members, places


def _fit_plane(lattice_xy: Floats, image_xy: Floats) -> Matrix | None:
    """Fit ``image_from_lattice`` by RANSAC; None where these points do not define one."""
    # Towards the lattice, so that the tolerance is in cells however small the far ones look.
    inverse, _ = cv2.findHomography(
        image_xy,
        lattice_xy,
        cv2.RANSAC,
        SETTINGS.max_distance,
        maxIters=500,
        confidence=0.999,
    )
    if inverse is None or abs(np.linalg.det(inverse)) < 1e-12:
        return None
    matrix = invert_matrix(inverse)
    centre = np.append(lattice_xy.mean(axis=0), 1.0)
    depth = matrix[2] @ centre
    if abs(depth) < 1e-9:
        return None
    matrix = matrix / depth
    (ax, ay), (bx, by) = cell_sides(matrix, centre[:2])
    return np.asarray(matrix) if ax * by - ay * bx > 0 else None  # not mirrored


def _cell_areas(image_from_lattice: Matrix, lattice_xy: Floats) -> Floats:
    """(n,) area in px² that a unit cell has at each of (n, 2) points."""
    depth = lattice_xy @ image_from_lattice[2, :2] + image_from_lattice[2, 2]
    area: Floats = np.abs(np.linalg.det(image_from_lattice)) / np.maximum(np.abs(depth), 1e-9) ** 3
    return area
