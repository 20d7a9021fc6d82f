"""Homographies, and the board's grid in an image.

Points are ``(x, y)`` in pixels; the centre of the first pixel is ``(0, 0)``. Grid coordinates count cells:
``(0, 0)`` is the outer top left corner of the grid, ``(columns, rows)`` its bottom right one.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from vision.core.arrays import Floats, Mask, Matrix, freeze
from vision.errors import PictureMismatchError, SettingsError

__all__ = [
    "MIN_USER_CELL_PX",
    "Grid",
    "Homography",
    "Undistortion",
    "cell_sides",
    "corner_order_error",
    "corner_turns",
    "grid_outline",
    "invert_matrix",
    "is_rotated",
    "project_points",
    "rescale_pixels",
    "small_homography",
]

MIN_USER_CELL_PX = 6.0
"""Mean side of a cell, in pixels, below which corners given by the user are refused (chosen)."""

_MAX_CORNER_PX = 1e9
"""Coordinates from which a corner is no place in any picture, and calculations overflow (chosen)."""
_USER_CORNER_SLACK = 0.1
"""Share of the image's longer side by which a corner given by the user may be outside of the image (chosen)."""
LETTER_SHARE = 0.6
"""Middle part of a square that its letter fills, and that a picture must show (chosen)."""


@dataclass(frozen=True, slots=True, eq=False)
class Homography:
    """A projection from plane to plane, scaled so that its last entry is 1.

    Parameters
    ----------
    matrix : (3, 3) float64
        ``target ~ matrix @ source`` in homogeneous coordinates.

    Raises
    ------
    ValueError
        If the matrix is singular.
    """

    matrix: Matrix

    def __post_init__(self) -> None:
        matrix = freeze(self.matrix, (3, 3), np.float64, "homography")
        if not np.isfinite(matrix).all() or abs(np.linalg.det(matrix)) < 1e-12 or abs(matrix[2, 2]) < 1e-12:
            raise ValueError("homography: the matrix is singular; are three of its points on one line?")
        object.__setattr__(self, "matrix", freeze(matrix / matrix[2, 2], (3, 3), np.float64, "homography"))

    @classmethod
    def from_points(cls, source_xy: ArrayLike, target_xy: ArrayLike) -> Homography:
        """Return the exact projection of four source points onto four target points.

        Parameters
        ----------
        source_xy, target_xy : (4, 2) float
            Corresponding points.

        Raises
        ------
        ValueError
            If three of the four points are on one line, or coincide.
        """
        source, target = (
            freeze(source_xy, (4, 2), float, "source_xy"),
            freeze(target_xy, (4, 2), float, "target_xy"),
        )
        rows = []
        for (x, y), (u, v) in zip(source, target, strict=True):
            rows.append([x, y, 1, 0, 0, 0, -u * x, -u * y])
            rows.append([0, 0, 0, x, y, 1, -v * x, -v * y])
        system = np.array(rows)
        if np.linalg.matrix_rank(system) < 8:
            raise ValueError("homography: three of the four points lie on one line")
        solution = np.linalg.solve(system, target.ravel())
        return cls(matrix=np.append(solution, 1.0).reshape(3, 3))

    @classmethod
    def translation(cls, x: float, y: float) -> Homography:
        """Return the shift by (x, y)."""
        return cls(matrix=np.array([[1.0, 0, x], [0, 1.0, y], [0, 0, 1.0]]))

    @classmethod
    def rescaling(cls, scale: float) -> Homography:
        """Return the projection from an image's pixels to those of the image resized by `scale`."""
        offset = rescale_pixels(0.0, scale)
        return cls(matrix=np.array([[scale, 0, offset], [0, scale, offset], [0, 0, 1.0]]))

    @property
    def inverse(self) -> Homography:
        """The projection from target to source."""
        return Homography(matrix=invert_matrix(self.matrix))

    def __matmul__(self, other: Homography) -> Homography:
        """Compose two projections: `other` is applied first."""
        return Homography(matrix=self.matrix @ other.matrix)

    def apply(self, points_xy: ArrayLike) -> Floats:
        """Project points of shape ``(..., 2)``; the result has the same shape."""
        points = np.asarray(points_xy, dtype=np.float64)
        flat = points @ self.matrix[:, :2].T + self.matrix[:, 2]
        result: Floats = flat[..., :2] / flat[..., 2:]
        return result


@dataclass(frozen=True, slots=True, eq=False)
class Grid:
    """The board's grid in an image.

    Parameters
    ----------
    image_from_grid : Homography
        From grid coordinates (cells, x along columns) to image pixels.
    rows, columns : int
        Number of squares.
    fit : float
        Share of the grid's lines that agree with the pixels, 0 to 1; 1.0 for a given grid until it is measured.
    """

    image_from_grid: Homography
    rows: int
    columns: int
    fit: float = 1.0

    @classmethod
    def from_corners(cls, corners_px: ArrayLike, rows: int, columns: int, fit: float = 1.0) -> Grid:
        """Build the grid from its outer corners.

        Parameters
        ----------
        corners_px : (4, 2) float
            TL TR BR BL as the letters read, in image pixels.
        rows, columns : int
            Number of squares.
        fit : float
            As in `Grid`.

        Raises
        ------
        SettingsError
            If the corners do not span a convex quadrilateral with TL TR BR BL clockwise.
        """
        corners = np.asarray(corners_px, dtype=np.float64)
        if not _are_four_points(corners):
            raise SettingsError(f"corners: expected four x,y pairs (TL TR BR BL), got {corners.tolist()}")
        if not (corner_turns(corners) > 0).all():
            raise corner_order_error(corners)
        try:
            image_from_grid = Homography.from_points(grid_outline(rows, columns), corners)
        except ValueError:  # nearly on one line
            raise corner_order_error(corners) from None
        return cls(image_from_grid=image_from_grid, rows=rows, columns=columns, fit=fit)

    def check_in_picture(self, size_px: tuple[int, int]) -> None:
        """Check that a board can be seen in a grid whose corners a user gave.

        Parameters
        ----------
        size_px : (int, int)
            Width and height of the image.

        Raises
        ------
        PictureMismatchError
            If the corners are outside of the image, or leave too few pixels a square.
        """
        corners = self.corners_px
        width, height = size_px
        slack = _USER_CORNER_SLACK * max(height, width)
        if (corners < -slack).any() or (corners > np.array([width, height]) + slack).any():
            raise PictureMismatchError(
                f"corners: {corners.round(1).tolist()} are outside the picture of {width}x{height} pixels; "
                "give them in pixels of the picture, x before y"
            )
        if self.cell_px < MIN_USER_CELL_PX:
            raise PictureMismatchError(
                f"corners: they leave {self.cell_px:.1f} pixels a square, too few to read; move closer"
            )

    @property
    def corners_px(self) -> Floats:
        """(4, 2) outer corners TL TR BR BL in image pixels."""
        return self.image_from_grid.apply(grid_outline(self.rows, self.columns))

    @property
    def cell_px(self) -> float:
        """Mean side of a cell in image pixels."""
        corners = self.corners_px
        sides = np.linalg.norm(np.roll(corners, -1, axis=0) - corners, axis=1)
        return float(sides.sum() / (2 * (self.rows + self.columns)))

    def rotate(self, quarter_turns: int) -> Grid:
        """Return the same grid named from another side: its old corner number `quarter_turns` becomes TL.

        ``grid.rotate(1)`` is right for letters that read upright when the image is turned a quarter anticlockwise
        (their TL is where TR was).
        """
        steps = quarter_turns % 4
        rows, columns = (self.rows, self.columns) if steps % 2 == 0 else (self.columns, self.rows)
        return Grid.from_corners(np.roll(self.corners_px, -steps, axis=0), rows, columns, self.fit)

    def enlarge(self, cells: int) -> Grid:
        """Return the grid with this number of further squares on each side."""
        return replace(
            self,
            image_from_grid=self.image_from_grid @ Homography.translation(-cells, -cells),
            rows=self.rows + 2 * cells,
            columns=self.columns + 2 * cells,
        )


def small_homography(params: Floats) -> Matrix:
    """Return a homography near the identity by its parameters (8,), of which zeros are the identity.

    To first order, the parameters move a point (x, y) along x by (1, x, y, 0, 0, 0, x * x, x * y) times themselves, and
    along y by (0, 0, 0, 1, x, y, x * y, y * y).
    """
    p = params
    return np.array([[1 + p[1], p[2], p[0]], [p[4], 1 + p[5], p[3]], [-p[6], -p[7], 1.0]])


def corner_order_error(corners_px: ArrayLike) -> SettingsError:
    """Explain that four corners do not go round a grid clockwise."""
    return SettingsError(
        "corners: the four points must go round the grid clockwise, TL TR BR BL as the letters read, "
        f"without crossing; got {np.asarray(corners_px, np.float64).round(1).tolist()}"
    )


def grid_outline(rows: int, columns: int) -> Floats:
    """Return the (4, 2) outer corners TL TR BR BL of a grid, in cells."""
    return np.array([[0.0, 0], [columns, 0], [columns, rows], [0, rows]])


@dataclass(frozen=True, slots=True, kw_only=True)
class Undistortion:
    """That a picture was undistorted: the image is larger than the picture, whose border it repeats.

    Parameters
    ----------
    size_px : (int, int)
        Width and height of the picture.
    project : callable
        Projects points (..., 2) of the image to the picture.
    """

    size_px: tuple[int, int]
    project: Callable[[Floats], Floats]


def find_squares_outside(
    grid: Grid,
    size_px: tuple[int, int],
    share: float = LETTER_SHARE,
    undistortion: Undistortion | None = None,
) -> Mask:
    """Return the (rows, columns) squares whose middle part is not completely in a picture.

    Parameters
    ----------
    grid : Grid
        The board's grid in the image.
    size_px : (int, int)
        Width and height of the image.
    share : float
        Width of the middle part, as a share of the square's; that of its letter by default.
    undistortion : Undistortion, optional
        How the image was made from the picture.
    """
    reach = share / 2
    corners = np.array([[-reach, -reach], [reach, -reach], [reach, reach], [-reach, reach]])
    middles = np.stack(np.meshgrid(np.arange(grid.columns), np.arange(grid.rows)), axis=-1) + 0.5
    points_px = grid.image_from_grid.apply(middles[..., None, :] + corners)
    is_inside = (points_px >= -0.5) & (points_px <= np.array(size_px) - 0.5)
    if undistortion is not None:
        points_px = undistortion.project(points_px)
        is_inside &= (points_px >= -0.5) & (points_px <= np.array(undistortion.size_px) - 0.5)
    return np.asarray(~is_inside.all(axis=(-1, -2)))


def rescale_pixels(positions_px: ArrayLike, scale: float | Floats) -> Floats:
    """Convert pixel positions to those in the image resized by `scale`; edges stay edges, not pixel centres."""
    return np.asarray((np.asarray(positions_px, dtype=np.float64) + 0.5) * scale - 0.5)


def project_points(matrix: Matrix, points: Floats) -> Floats:
    """Project ``(..., 2)`` points by a raw matrix; points beyond the horizon become NaN."""
    flat = points @ matrix[:, :2].T + matrix[:, 2]
    depth = flat[..., 2:]
    result: Floats = np.divide(
        flat[..., :2], depth, out=np.full_like(flat[..., :2], np.nan), where=depth > 1e-9
    )
    return result


def cell_sides(matrix: Matrix, point: Floats) -> Floats:
    """Return the (2, 2) sides, along x and along y, of a unit square at a point (2,), as a raw matrix projects them."""
    corners = project_points(matrix, point + np.array([[0.0, 0], [1, 0], [0, 1]]))
    return np.asarray(corners[1:] - corners[0])


def invert_matrix(matrix: NDArray[Any]) -> Matrix:
    """Return the inverse of a projection's raw matrix."""
    return np.asarray(np.linalg.inv(matrix), dtype=np.float64)


def runs_counterclockwise(corners_px: ArrayLike) -> bool:
    """Whether four corners, TL TR BR BL as the letters read, go round the other way: the picture is mirrored.

    Parameters
    ----------
    corners_px : (4, 2) float
        In image pixels; False for anything else than a convex quadrilateral.
    """
    corners = np.asarray(corners_px, dtype=np.float64)
    return _are_four_points(corners) and bool((corner_turns(corners) < 0).all())


def swap_sides(corners_px: ArrayLike) -> Floats:
    """(4, 2) corners TL TR BR BL named as in the mirror: what was on the left is on the right."""
    return np.asarray(corners_px, dtype=np.float64)[[1, 0, 3, 2]]


def mirror_corners(corners_px: ArrayLike, width_px: int) -> Floats:
    """(4, 2) corners of a picture, TL TR BR BL, in its mirror image: left and right are swapped, names as well."""
    corners = np.asarray(corners_px, dtype=np.float64)
    return swap_sides(np.array([width_px - 1.0, 0.0]) + corners * np.array([-1.0, 1.0]))


def _are_four_points(corners: Floats) -> bool:
    """Whether corners are four points that may be in a picture."""
    return corners.shape == (4, 2) and bool((np.abs(corners) < _MAX_CORNER_PX).all())


def corner_turns(corners: Floats) -> Floats:
    """(4,) how a path round the corners turns at each: above 0 to the right, as seen in an image."""
    sides = np.roll(corners, -1, axis=0) - corners
    following = np.roll(sides, -1, axis=0)
    return np.asarray(sides[:, 0] * following[:, 1] - sides[:, 1] * following[:, 0])


def is_rotated(before: Grid, now: Grid) -> bool:
    """Whether a board was turned by more than an eighth of a turn."""
    (was, *_), (is_now, *_) = (np.diff(grid.corners_px, axis=0) for grid in (before, now))
    return bool(was @ is_now < math.cos(math.pi / 4) * np.linalg.norm(was) * np.linalg.norm(is_now))
