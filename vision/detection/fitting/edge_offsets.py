"""Measured positions of the image's lines relative to the edges of a grid."""

from __future__ import annotations

import functools
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vision.core import Floats, Mask, Matrix, freeze, project_points
from vision.detection.features import ImagePyramid, LayoutClasses, edge_profiles
from vision.detection.fitting.occlusion import OcclusionMask
from vision.detection.fitting.robust_fit import EdgeKind, EdgeOffsets, jacobian_across

__all__ = ["EdgeMeasurements", "edge_centres", "edge_jacobian", "edges_of_squares", "grid_edge_profiles"]


@dataclass(frozen=True, slots=True, kw_only=True)
class EdgeOffsetSettings:
    """Parameters of the measurement; lengths in cells. Values without a source are chosen."""

    cell_px: int = 20
    """Side of a cell in the view that is measured, in pixels."""
    reach: float = 0.2
    """Distance from the expected place within which a line is searched."""
    blurred_reach: float = 0.3
    """The distance in blurred images."""
    kernel_std: float = 0.08
    """Smoothing across the edge: the two sides of a printed line merge, and those of two tiles that touch."""
    blurred_kernel_std: float = 0.16
    """Smoothing that also merges the two copies of a line that a moving camera doubled."""
    tile_weight: float = 0.1
    """Weight of edges next to a tile. Tiles are placed carelessly and are higher than the board: their edges pull a
    grid by 0.05 cell (measured)."""
    min_parallax: float = 0.02
    """Common shift of all tiles seen from straight above."""
    tile_height: float = 0.2
    """Height of a tile above the board."""
    min_peak_share: float = 0.6
    """A peak lower than this share of the profile's maximum is no line."""


SETTINGS = EdgeOffsetSettings()


def grid_edge_profiles(
    pyramid: ImagePyramid, image_from_grid: Matrix, rows: int, columns: int, cell_px: int
) -> tuple[Floats, Floats]:
    """Sample the colour steps across all edges of a grid, from half a cell before each to half a cell behind.

    Parameters
    ----------
    pyramid : ImagePyramid
        The image.
    image_from_grid : (3, 3) float64
        The grid.
    rows, columns : int
        Size of the grid.
    cell_px : int
        Side of a cell in the view that is sampled.

    Returns
    -------
    vertical : (rows, columns + 1, cell_px) float64
    horizontal : (rows + 1, columns, cell_px) float64
    """
    margin_px = cell_px // 2 + 1
    margin = margin_px / cell_px
    box = (-margin, -margin, columns + margin, rows + margin)
    view = pyramid.warp_plane(image_from_grid, box, cell_px)
    vertical, horizontal = edge_profiles(view, cell_px, margin_px)
    return vertical.astype(np.float64), horizontal.astype(np.float64)


@dataclass(frozen=True, slots=True, eq=False)
class EdgeMeasurements:
    """What the image shows across each edge of a grid.

    Parameters
    ----------
    vertical : (rows, columns + 1, px) float64
        Colour steps across the vertical edges, from half a cell before each to half a cell behind.
    horizontal : (rows + 1, columns, px) float64
        Colour steps across the horizontal edges.
    kinds : (n,) int64
        `EdgeKind` of each edge, the vertical ones first.
    parallax : float
        Expected common shift of the tiles, in cells.
    """

    vertical: Floats
    horizontal: Floats
    kinds: NDArray[np.int64]
    parallax: float

    @classmethod
    def of(
        cls, pyramid: ImagePyramid, image_from_grid: Matrix, classes: LayoutClasses, occlusion: OcclusionMask
    ) -> EdgeMeasurements:
        """Measure the edges of a grid.

        Parameters
        ----------
        pyramid : ImagePyramid
            The image.
        image_from_grid : (3, 3) float64
            The grid.
        classes : LayoutClasses
            The layout in the orientation of the grid.
        occlusion : OcclusionMask
            The squares that something covers.
        """
        rows, columns = classes.rows, classes.columns
        vertical, horizontal = grid_edge_profiles(pyramid, image_from_grid, rows, columns, SETTINGS.cell_px)
        vertical_kinds = _vertical_edge_kinds(classes.classes, occlusion.squares)
        horizontal_kinds = _vertical_edge_kinds(classes.classes.T, occlusion.squares.T).T
        slope = _view_slope(image_from_grid, classes)
        return cls(
            vertical=vertical,
            horizontal=horizontal,
            kinds=np.concatenate([vertical_kinds.ravel(), horizontal_kinds.ravel()]),
            parallax=SETTINGS.min_parallax + SETTINGS.tile_height * slope,
        )

    def offsets(self, *, is_blurred: bool, params: Floats | None = None) -> EdgeOffsets:
        """Locate the image's line near each edge.

        Parameters
        ----------
        is_blurred : bool
            Search farther and smooth more, for lines that may be blurred.
        params : (8,) float64, optional
            A correction of the grid since it was measured: lines are searched close to where it puts the edges. The
            offsets still count from the measured grid.
        """
        rows, columns = len(self.vertical), self.horizontal.shape[1]
        px = SETTINGS.cell_px
        profiles = np.concatenate([self.vertical.reshape(-1, px), self.horizontal.reshape(-1, px)])
        jacobian = edge_jacobian(rows, columns)
        cells, clarity = _locate_peaks(profiles, is_blurred, 0.0 if params is None else jacobian @ params)
        return EdgeOffsets(
            cells=cells,
            is_vertical=edge_centres(rows, columns)[1],
            weights=clarity * np.where(self.kinds == EdgeKind.BY_TILE, SETTINGS.tile_weight, 1.0),
            jacobian=jacobian,
            kinds=self.kinds,
            parallax=self.parallax,
        )


@functools.lru_cache(maxsize=8)
def edge_centres(rows: int, columns: int) -> tuple[Floats, Mask]:
    """List the edges of a grid, the vertical ones first.

    Returns
    -------
    centres : (n, 2) float64
        The middle of each edge, in cells.
    is_vertical : (n,) bool
    """
    row, column = np.mgrid[:rows, : columns + 1]
    vertical = np.stack([column, row + 0.5], axis=-1).reshape(-1, 2)
    row, column = np.mgrid[: rows + 1, :columns]
    horizontal = np.stack([column + 0.5, row], axis=-1).reshape(-1, 2)
    centres = np.concatenate([vertical, horizontal])
    is_vertical = np.arange(len(centres)) < len(vertical)
    return freeze(centres, (None, 2), np.float64, "centres"), freeze(
        is_vertical, (None,), np.bool_, "is_vertical"
    )


@functools.lru_cache(maxsize=8)
def edge_jacobian(rows: int, columns: int) -> Floats:
    """(n, 8) derivative of each edge's offset by the parameters of a correction of the grid."""
    jacobian = jacobian_across(*edge_centres(rows, columns), rows, columns)
    return freeze(jacobian, (None, 8), np.float64, "jacobian")


def _view_slope(image_from_grid: Matrix, classes: LayoutClasses) -> float:
    """Tangent of the angle between the board's normal and the line of sight to its centre."""
    steps = np.array([[0.0, 0], [0.5, 0], [0, 0.5]])
    corner = project_points(image_from_grid, classes.centre + steps)
    longest, shortest = np.linalg.svd(corner[1:] - corner[0], compute_uv=False)
    return float(np.sqrt(max((longest / max(shortest, 1e-9)) ** 2 - 1, 0.0)))


def _vertical_edge_kinds(classes: NDArray[np.int64], occluded: Mask) -> NDArray[np.int64]:
    """(rows, columns + 1) `EdgeKind` of each vertical edge."""
    rows, columns = classes.shape
    kinds = np.full((rows, columns + 1), EdgeKind.GRID_BORDER, dtype=np.int64)
    kinds[:, 1:-1] = np.where(classes[:, 1:] == classes[:, :-1], EdgeKind.SAME_CLASS, EdgeKind.CLASS_BORDER)
    kinds[edges_of_squares(occluded)] = EdgeKind.BY_TILE
    return kinds


def edges_of_squares(squares: Mask) -> Mask:
    """(rows, columns + 1) vertical edges of the marked ones of (rows, columns) squares."""
    rows, columns = squares.shape
    edges = np.zeros((rows, columns + 1), dtype=bool)
    edges[:, :-1] = squares
    edges[:, 1:] |= squares
    return edges


def _locate_peaks(profiles: Floats, is_blurred: bool, expected: Floats | float) -> tuple[Floats, Floats]:
    """Find the strongest step of each profile near its expected place.

    Returns
    -------
    offsets : (n,) float64
        Distance from the edge, in cells.
    clarity : (n,) float64
        How clearly the step shows, 0 to 1.
    """
    cell_px = profiles.shape[-1]
    distance = (np.arange(cell_px) - (cell_px - 1) / 2) / cell_px
    kernel_std = SETTINGS.blurred_kernel_std if is_blurred else SETTINGS.kernel_std
    reach = SETTINGS.blurred_reach if is_blurred else SETTINGS.reach
    smooth = profiles @ np.exp(-0.5 * np.square((distance[:, None] - distance) / kernel_std))
    window = np.where(np.abs(distance - np.asarray(expected)[..., None]) < reach, smooth, 0.0)
    inner = np.clip(window.argmax(axis=-1), 1, cell_px - 2)
    number = np.arange(len(profiles))
    left, middle, right = (smooth[number, inner + k] for k in (-1, 0, 1))
    curvature = left - 2 * middle + right
    vertex = np.divide(0.5 * (left - right), curvature, out=np.zeros_like(curvature), where=curvature < 0)
    offsets = distance[inner] + np.clip(vertex, -1, 1) / cell_px
    ordered = np.sort(smooth, axis=-1)
    best, median = ordered[:, -1], (ordered[:, cell_px // 2 - 1] + ordered[:, cell_px // 2]) / 2
    # Clear: the step exceeds the rest of its profile, and is a peak and not the flank of something outside.
    contrast = 1 - median / np.maximum(best, 1e-9)
    is_peak = (curvature < 0) & (middle >= left) & (middle >= right)
    is_peak &= (middle > SETTINGS.min_peak_share * best) & (best > 0)
    return offsets, np.where(is_peak, np.maximum(contrast, 0.0), 0.0)
