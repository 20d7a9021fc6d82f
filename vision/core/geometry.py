"""Homographies and the board's grid as values.

Points are ``(x, y)`` in pixels; the centre of the first pixel is ``(0, 0)``. Grid coordinates count
cells: ``(0, 0)`` is the outer top left corner of the grid, ``(columns, rows)`` its bottom right one.

The corners of a grid as people write them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from vision.core.arrays import Matrix, freeze
from vision.errors import SettingsError

__all__ = ["Grid", "Homography", "invert_matrix", "project_points"]

Points = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Homography:
    """A plane-to-plane projection, scaled so that its last entry is 1.

    Parameters
    ----------
    matrix : (3, 3) float64
        ``target ~ matrix @ source`` in homogeneous coordinates.
    """

    matrix: NDArray[np.float64]

    def __post_init__(self) -> None:
        matrix = freeze(self.matrix, (3, 3), np.float64, "homography")
        if not np.isfinite(matrix).all() or abs(np.linalg.det(matrix)) < 1e-12 or abs(matrix[2, 2]) < 1e-12:
            raise ValueError("homography: the matrix is singular; are three of its points on one line?")
        object.__setattr__(self, "matrix", freeze(matrix / matrix[2, 2], (3, 3), np.float64, "homography"))

    @classmethod
    def from_points(cls, source_xy: ArrayLike, target_xy: ArrayLike) -> Homography:
        """The exact projection that takes four source points to four target points.

        Raises
        ------
        ValueError
            If three of the four points lie on one line, or coincide.
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

    @property
    def inverse(self) -> Homography:
        """The projection back from target to source."""
        return Homography(matrix=np.asarray(np.linalg.inv(self.matrix), np.float64))

    def __matmul__(self, other: Homography) -> Homography:
        """First `other`, then this one."""
        return Homography(matrix=self.matrix @ other.matrix)

    def apply(self, points_xy: ArrayLike) -> Points:
        """Where the points go: any array of shape ``(..., 2)``, same shape out."""
        points = np.asarray(points_xy, dtype=np.float64)
        flat = points @ self.matrix[:, :2].T + self.matrix[:, 2]
        result: Points = flat[..., :2] / flat[..., 2:]
        return result


@dataclass(frozen=True, slots=True, eq=False)
class Grid:
    """Where the board's grid lies in an image.

    Parameters
    ----------
    image_from_grid : Homography
        From grid coordinates (cells, x along columns) to image pixels.
    rows, columns : int
        Number of squares.
    fit : float
        How well the grid's lines agree with the pixels, 0 to 1; 1.0 where corners were given.
    """

    image_from_grid: Homography
    rows: int
    columns: int
    fit: float = 1.0

    @classmethod
    def from_corners(cls, corners_px: ArrayLike, rows: int, columns: int, fit: float = 1.0) -> Grid:
        """The grid whose outer corners, TL TR BR BL as the letters read, are at these pixels.

        Raises
        ------
        SettingsError
            If the corners do not span a convex quadrilateral with TL TR BR BL clockwise.
        """
        corners = np.asarray(corners_px, dtype=np.float64)
        if corners.shape != (4, 2) or not np.isfinite(corners).all():
            raise SettingsError(f"corners: expected four x,y pairs (TL TR BR BL), got {corners.tolist()}")
        sides = np.roll(corners, -1, axis=0) - corners
        following = np.roll(sides, -1, axis=0)
        turns = sides[:, 0] * following[:, 1] - sides[:, 1] * following[:, 0]
        if not (turns > 0).all():
            raise SettingsError(
                "corners: the four points must go round the grid clockwise, TL TR BR BL as the letters read, "
                f"without crossing; got {corners.round(1).tolist()}"
            )
        square = [[0, 0], [columns, 0], [columns, rows], [0, rows]]
        return cls(
            image_from_grid=Homography.from_points(square, corners), rows=rows, columns=columns, fit=fit
        )

    @property
    def corners_px(self) -> Points:
        """(4, 2) outer corners TL TR BR BL in image pixels."""
        return self.image_from_grid.apply(
            [[0, 0], [self.columns, 0], [self.columns, self.rows], [0, self.rows]]
        )

    @property
    def cell_px(self) -> float:
        """Mean side of a cell in image pixels."""
        corners = self.corners_px
        sides = np.linalg.norm(np.roll(corners, -1, axis=0) - corners, axis=1)
        return float(sides.sum() / (2 * (self.rows + self.columns)))

    def rotate(self, quarter_turns: int) -> Grid:
        """The same grid named from another side: its old corner `quarter_turns` places on becomes TL.

        ``grid.rotate(1)`` is right for letters that read upright when the picture is turned a quarter
        anticlockwise (their TL is where TR was).
        """
        steps = quarter_turns % 4
        rows, columns = (self.rows, self.columns) if steps % 2 == 0 else (self.columns, self.rows)
        return Grid.from_corners(np.roll(self.corners_px, -steps, axis=0), rows, columns, self.fit)


def project_points(matrix: Matrix, points: NDArray[np.float64]) -> NDArray[np.float64]:
    """Where ``(..., 2)`` points go; points on the far side of the horizon become not-a-number."""
    flat = points @ matrix[:, :2].T + matrix[:, 2]
    depth = flat[..., 2:]
    result: NDArray[np.float64] = np.divide(
        flat[..., :2], depth, out=np.full_like(flat[..., :2], np.nan), where=depth > 1e-9
    )
    return result


def invert_matrix(matrix: NDArray[Any]) -> Matrix:
    """The inverse of a projection."""
    return np.asarray(np.linalg.inv(matrix), dtype=np.float64)
