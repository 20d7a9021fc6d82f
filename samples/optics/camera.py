"""The camera: projections of planes parallel to the board to pixels.

Board coordinates are in cells from the grid's top left corner: x across, y down. Heights are in cells above the
board. The centre of an image's first pixel is ``(0, 0)``.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from samples.arrays import Floats
from samples.errors import SpecificationError

__all__ = ["Camera", "View"]

MAX_BOW = 0.1
"""Limit of `Camera.bow`, either way; chosen."""
MAX_TILT_DEG = 82
"""Largest tilt of a camera, in degrees from straight above; chosen."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Camera:
    """A pinhole camera that looks at the middle of the board.

    Parameters
    ----------
    cell_px : float
        Size in pixels of a cell in the middle of the board, before foreshortening.
    tilt_deg : float
        Angle between the line of sight and the board's normal, 0 to 82.
    azimuth_deg : float
        Side of the camera: 0 from below (the players' usual side), clockwise.
    roll_deg : float
        Rotation of the picture after that, clockwise.
    distance : float
        Distance from the middle of the board, in widths of the board; a small distance is a strong perspective.
    margins : tuple of float
        Margins of the picture around the board: left, top, right, bottom, as shares of the board's outline.
    bow : float
        Distortion of the lens as of `samples.optics.true_lens.bow_image`, from -0.1 to 0.1; 0 for none.
    """

    cell_px: float = 40.0
    tilt_deg: float = 0.0
    azimuth_deg: float = 0.0
    roll_deg: float = 0.0
    distance: float = 2.0
    margins: tuple[float, float, float, float] = (0.04, 0.04, 0.04, 0.04)
    bow: float = 0.0

    def __post_init__(self) -> None:
        if not (
            self.cell_px >= 4
            and 0 <= self.tilt_deg <= MAX_TILT_DEG
            and self.distance >= 0.9
            and abs(self.bow) <= MAX_BOW
        ):
            raise SpecificationError(
                f"camera: need cell_px >= 4, tilt_deg 0 to {MAX_TILT_DEG}, distance >= 0.9 and "
                f"bow -{MAX_BOW} to {MAX_BOW}, got cell_px={self.cell_px}, tilt_deg={self.tilt_deg}, "
                f"distance={self.distance}, bow={self.bow}"
            )

    def view(self, rows: int, columns: int, frame_width: float) -> View:
        """Set up the camera for a board of `rows` x `columns` with a rim of `frame_width` cells."""
        distance = self.distance * max(rows, columns)
        focal = self.cell_px * distance
        rotation = _rotate_z(self.roll_deg) @ _rotate_x(self.tilt_deg) @ _rotate_z(self.azimuth_deg)
        centre = np.array([columns / 2, rows / 2, 0.0])
        # z grows away from the viewer: a height is a negative z
        camera_from_board = np.column_stack([rotation, np.array([0, 0, distance]) - rotation @ centre])
        projection = np.diag([focal, focal, 1.0]) @ camera_from_board
        low, high_x, high_y = -frame_width, columns + frame_width, rows + frame_width
        outline = _project(
            projection, 0.0, np.array([[low, low], [high_x, low], [high_x, high_y], [low, high_y]])
        )
        (left, top), (right, bottom) = outline.min(axis=0), outline.max(axis=0)
        width, height = right - left, bottom - top
        before_x, before_y, after_x, after_y = self.margins
        shift = np.eye(3)
        shift[:2, 2] = before_x * width - left, before_y * height - top
        return View(
            projection=shift @ projection,
            rows=rows,
            columns=columns,
            width_px=max(16, round(width * (1 + before_x + after_x))),
            height_px=max(16, round(height * (1 + before_y + after_y))),
        )


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class View:
    """A camera in front of one board.

    Parameters
    ----------
    projection : (3, 4) float64
        From homogeneous board coordinates (x, y, -height, 1) to pixels.
    rows, columns : int
        Size of the board.
    width_px, height_px : int
        Size of the picture.
    """

    projection: Floats
    rows: int
    columns: int
    width_px: int
    height_px: int

    def image_from_plane(self, height: float) -> Floats:
        """Compute the (3, 3) projection of the plane `height` cells above the board."""
        return np.column_stack(
            [
                self.projection[:, 0],
                self.projection[:, 1],
                self.projection[:, 3] - height * self.projection[:, 2],
            ]
        )

    def apply(self, points_xy: Floats, height: float = 0.0) -> Floats:
        """Project (count, 2) points of the plane at `height` to pixels."""
        return _project(self.projection, height, points_xy)

    @property
    def corners_px(self) -> Floats:
        """(4, 2) outer corners of the grid in the picture, TL TR BR BL."""
        return self.apply(self.corners)

    @property
    def corners(self) -> Floats:
        """(4, 2) outer corners of the grid in cells, TL TR BR BL."""
        grid = [[0, 0], [self.columns, 0], [self.columns, self.rows], [0, self.rows]]
        return np.array(grid, dtype=np.float64)

    @property
    def largest_cell_px(self) -> float:
        """The longest side in pixels of the four corner cells, nearly that of any cell."""
        longest = 0.0
        for x in (0, self.columns - 1):
            for y in (0, self.rows - 1):
                cell = self.apply(
                    np.array([[x, y], [x + 1, y], [x + 1, y + 1], [x, y + 1]], dtype=np.float64)
                )
                longest = max(longest, float(np.linalg.norm(np.roll(cell, -1, axis=0) - cell, axis=1).max()))
        return longest


def _project(projection: Floats, height: float, points_xy: Floats) -> Floats:
    count = len(points_xy)
    homogeneous = np.column_stack([points_xy, np.full(count, -height), np.ones(count)]) @ projection.T
    result: Floats = homogeneous[:, :2] / homogeneous[:, 2:]
    return result


def _rotate_z(degrees: float) -> Floats:
    c, s = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    return np.array([[c, -s, 0], [s, c, 0], [0, 0, 1.0]])


def _rotate_x(degrees: float) -> Floats:
    # the board's far edge (small y) goes away from the viewer
    c, s = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    return np.array([[1.0, 0, 0], [0, c, s], [0, -s, c]])
