"""Small quads grown to a lattice: the first guess at the plane of the board."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.core import invert_matrix, project_points
from vision.detection.proposals.quads import Quads

__all__ = ["Lattice", "find_lattices"]

_ALONG = (0.85, 1.5)
_ACROSS = 0.25
_AREA_RATIO = (0.45, 2.2)
"""Where a quad's neighbour lies in units of the quad's own sides, and how its size may differ."""

_DIRECTIONS = np.array(
    [[1, 0], [0, 1], [-1, 0], [0, -1], [1, 1], [-1, 1], [-1, -1], [1, -1]], dtype=np.float64
)
"""Sides, then diagonals, each four going round."""

_PROBES = (1.05, 1.2, 1.4)
"""Distances, in sides, at which a neighbour is looked for; each finds what is within `_ACROSS` of it."""

_MAP_PX = 2
"""Picture pixels to one pixel of the index maps."""

_MIN_QUADS = 8
_ABSORB_WITHIN = 0.2
_ABSORB_ROUNDS = 3
_RANSAC_CELLS = 0.15


@dataclass(frozen=True, slots=True, eq=False)
class Lattice:
    """A plane in the picture that carries equal squares.

    Parameters
    ----------
    image_from_lattice : (3, 3) float64
        From lattice coordinates (one unit a cell, cells at ``i..i+1``) to pixels.
    cells : (n, 2) int64
        The lattice cells, x then y, on which a quad was found.
    """

    image_from_lattice: NDArray[np.float64]
    cells: NDArray[np.int64]


def find_lattices(quads: Quads, *, most: int, diagonals: bool) -> list[Lattice]:
    """The planes of equal squares among `quads`, those with the most squares first.

    Parameters
    ----------
    quads : Quads
        Small quadrilaterals of one picture.
    most : int
        How many lattices to give at most.
    diagonals : bool
        Step over corners too: premium squares of a board without lines meet only there.
    """
    if len(quads) < _MIN_QUADS:
        return []
    neighbours = _neighbours(quads, _DIRECTIONS if diagonals else _DIRECTIONS[:4])
    sides = quads.sides_xy
    lattices: list[Lattice] = []
    free = np.ones(len(quads), dtype=bool)
    groups = _grown(neighbours, sides)
    for members, places in groups[: 4 * most]:
        if len(members) < _MIN_QUADS or np.mean(free[members]) < 0.5:
            continue
        fitted = _fitted(quads, members, places)
        if fitted is None:
            continue
        matrix, used, cells = fitted
        free[used] = False
        lattices.append(Lattice(image_from_lattice=matrix, cells=np.unique(cells, axis=0)))
        if len(lattices) == most:
            break
    return sorted(lattices, key=lambda lattice: -len(lattice.cells))


def _neighbours(quads: Quads, directions: NDArray[np.float64]) -> NDArray[np.int64]:
    """(n, directions) the quad next to each, one step in each direction of its own sides, or -1."""
    centres, areas, sides = quads.centres_xy, quads.areas, quads.sides_xy
    own_from_image = np.linalg.inv(sides.transpose(0, 2, 1))
    steps = directions @ sides
    square = np.square(directions).sum(axis=1)
    result = np.full(len(quads) * len(directions), -1, dtype=np.int64)
    maps, levels = _index_maps(quads)
    height, width = maps.shape[1:]
    for reach in _PROBES:
        probes = (centres[:, None] + reach * steps) / _MAP_PX
        column, row = np.rint(probes).astype(np.int64).reshape(-1, 2).T
        inside = (column >= 0) & (column < width) & (row >= 0) & (row < height)
        for level in (0, -1, 1):
            at = np.flatnonzero(inside & (result < 0))
            quad, way = np.divmod(at, len(directions))
            other = maps[np.clip(levels[quad] + level, 0, len(maps) - 1), row[at], column[at]].astype(
                np.int64
            )
            met = other >= 0
            at, quad, way, other = at[met], quad[met], way[met], other[met]
            x, y = (own_from_image[quad] @ (centres[other] - centres[quad])[..., None])[..., 0].T
            along = (x * directions[way, 0] + y * directions[way, 1]) / square[way]
            across = np.abs(x * directions[way, 1] - y * directions[way, 0]) / square[way]
            ratio = areas[other] / areas[quad]
            fits = (across < _ACROSS) & (along > _ALONG[0]) & (along < _ALONG[1])
            fits &= (ratio > _AREA_RATIO[0]) & (ratio < _AREA_RATIO[1])
            result[at[fits]] = other[fits]
    return result.reshape(len(quads), len(directions))


def _index_maps(quads: Quads) -> tuple[NDArray[np.int16], NDArray[np.int64]]:
    """An index picture for each octave of size, quads painted round their centres; and each one's octave."""
    octave = np.log(quads.areas / quads.areas.min()) / np.log(_AREA_RATIO[1])
    levels = np.floor(octave).astype(np.int64)
    width, height = (int(side / _MAP_PX) + 2 for side in quads.centres_xy.max(axis=0))
    maps = np.full((int(levels.max()) + 1, height, width), -1, dtype=np.int16)
    radii = np.maximum(1, np.rint(_ACROSS * np.sqrt(quads.areas) / _MAP_PX)).astype(int).tolist()
    for index, ((x, y), radius, level) in enumerate(
        zip(np.rint(quads.centres_xy / _MAP_PX).astype(int).tolist(), radii, levels.tolist(), strict=True)
    ):
        maps[level, max(0, y - radius) : y + radius + 1, max(0, x - radius) : x + radius + 1] = index
    return maps, levels


def _grown(
    neighbours: NDArray[np.int64], sides: NDArray[np.float64]
) -> list[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """Connected groups of quads with whole-number coordinates, the largest first."""
    count, reach = neighbours.shape
    table = neighbours.tolist()
    # Which side vector of the neighbour points where this quad's first one does? They are named at random.
    four = np.concatenate([sides, -sides], axis=1)
    turns = np.einsum("ndmk,nk->ndm", four[neighbours], sides[:, 0]).argmax(axis=2).tolist()
    done = [False] * count
    groups: list[tuple[NDArray[np.int64], NDArray[np.int64]]] = []
    units = _DIRECTIONS.astype(int).tolist()
    for seed in range(count):
        if done[seed]:
            continue
        done[seed] = True
        queue = [(seed, 0, 0, 0)]  # quad, turn of its own axes against the seed's, place
        for quad, turn, x, y in queue:
            for direction in range(reach):
                other = table[quad][direction]
                if other < 0 or done[other]:
                    continue
                dx, dy = units[direction // 4 * 4 + (direction + turn) % 4]
                done[other] = True
                queue.append((other, (turn - turns[quad][direction]) % 4, x + dx, y + dy))
        if len(queue) >= _MIN_QUADS:
            members = np.array([entry[0] for entry in queue])
            groups.append((members, np.array([entry[2:] for entry in queue])))
    return sorted(groups, key=lambda group: -len(group[0]))


def _fitted(
    quads: Quads, members: NDArray[np.int64], places: NDArray[np.int64]
) -> tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.int64]] | None:
    """The plane through a group, after it has absorbed every quad that agrees with it."""
    centres, areas = quads.centres_xy, quads.areas
    matrix = np.eye(3)
    known: tuple[NDArray[np.int64], NDArray[np.int64]] | None = None
    for _ in range(1 + _ABSORB_ROUNDS):
        if known is not None and all(map(np.array_equal, known, (members, places))):
            break  # the same quads have the same plane again
        known = members, places
        if len(members) < _MIN_QUADS or min(np.ptp(places, axis=0)) < 1:
            return None
        plane = _plane(places.astype(np.float64) + 0.5, centres[members])
        if plane is None:
            return None
        matrix = plane
        lattice_xy = project_points(invert_matrix(matrix), centres)
        with np.errstate(invalid="ignore"):
            cells = np.floor(lattice_xy)
            off = np.abs(lattice_xy - cells - 0.5).max(axis=1)
            ratio = areas / _cell_areas(matrix, lattice_xy)
            fits = (off < _ABSORB_WITHIN) & (ratio > 0.4) & (ratio < 1.5) & (np.abs(cells).max(axis=1) < 60)
        members = np.flatnonzero(fits)
        places = cells[members].astype(np.int64)
    return matrix, members, places


def _plane(lattice_xy: NDArray[np.float64], image_xy: NDArray[np.float64]) -> NDArray[np.float64] | None:
    """The robust projection from the lattice, or None where these points do not define one."""
    # Towards the lattice, so that the tolerance is in cells however small the far ones look.
    inverse, _ = cv2.findHomography(
        image_xy, lattice_xy, cv2.RANSAC, _RANSAC_CELLS, maxIters=500, confidence=0.999
    )
    if inverse is None or abs(np.linalg.det(inverse)) < 1e-12:
        return None
    matrix = invert_matrix(inverse)
    centre = np.append(lattice_xy.mean(axis=0), 1.0)
    depth = matrix[2] @ centre
    if abs(depth) < 1e-9:
        return None
    matrix = matrix / depth
    steps = project_points(matrix, centre[:2] + np.array([[0, 0], [1, 0], [0, 1]]))
    (ax, ay), (bx, by) = steps[1:] - steps[0]
    return np.asarray(matrix) if ax * by - ay * bx > 0 else None  # not seen in a mirror


def _cell_areas(matrix: NDArray[np.float64], lattice_xy: NDArray[np.float64]) -> NDArray[np.float64]:
    """Area in px² that a unit cell has at each place."""
    depth = lattice_xy @ matrix[2, :2] + matrix[2, 2]
    area: NDArray[np.float64] = np.abs(np.linalg.det(matrix)) / np.maximum(np.abs(depth), 1e-9) ** 3
    return area
