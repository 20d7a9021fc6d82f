"""A flat drawing on a table, as a camera sees it: a sheet, a screen, a picture of boards."""

from __future__ import annotations

from typing import NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from samples.arrays import Floats, Picture
from samples.drawing import table_texture
from samples.optics.camera import Camera, View
from samples.style import TableStyle

__all__ = ["FlatView", "place_on_table", "render_table"]

TABLE_HEIGHT = -0.3
"""Height of the table in the camera's cells: below the drawing. Chosen."""


class FlatView(NamedTuple):
    """The view of a drawing on a table.

    Parameters
    ----------
    scene_bgr : (height, width, 3) uint8
        Colours that reach the camera, BGR.
    image_from_flat : (3, 3) float64
        Projection of the drawing's pixels.
    covers : (height, width) bool
        Where the drawing is.
    """

    scene_bgr: Picture
    image_from_flat: Floats
    covers: NDArray[np.bool_]

    def apply(self, points_xy: Floats) -> Floats:
        """Project (count, 2) points of the drawing to pixels of the image."""
        homogeneous = np.column_stack([points_xy, np.ones(len(points_xy))]) @ self.image_from_flat.T
        result: Floats = homogeneous[:, :2] / homogeneous[:, 2:]
        return result


def place_on_table(
    flat_bgr: Picture | None,
    table: TableStyle,
    camera: Camera,
    width: float,
    rng: np.random.Generator,
) -> FlatView:
    """Put a drawing on a table, or show the table alone.

    Parameters
    ----------
    flat_bgr : (height, width, 3) uint8, optional
        The drawing, BGR; None for the table alone.
    table : TableStyle
        The table under it.
    camera : Camera
        Camera above the drawing's middle.
    width : float
        Width of the drawing in the camera's cells.
    rng : numpy.random.Generator
        Of the table's texture.
    """
    tall = width if flat_bgr is None else width * flat_bgr.shape[0] / flat_bgr.shape[1]
    rows, columns = max(1, round(tall)), round(width)
    view = camera.view(rows, columns, 0.3)
    size = (view.width_px, view.height_px)
    scene = render_table(table, view, TABLE_HEIGHT, rng)
    if flat_bgr is None:
        return FlatView(scene, np.eye(3), np.zeros(scene.shape[:2], np.bool_))
    scale = columns / flat_bgr.shape[1]
    grid_from_flat = np.array([[scale, 0, scale / 2], [0, rows / flat_bgr.shape[0], scale / 2], [0, 0, 1]])
    image_from_flat = view.image_from_plane(0.0) @ grid_from_flat
    seen = cv2.warpPerspective(flat_bgr, image_from_flat, size, borderMode=cv2.BORDER_REPLICATE)
    mask = cv2.warpPerspective(np.full(flat_bgr.shape[:2], 255, np.uint8), image_from_flat, size)
    covers = np.asarray(mask) > 127
    np.copyto(scene, np.asarray(seen, np.uint8), where=covers[..., np.newaxis])
    return FlatView(scene, image_from_flat, covers)


def render_table(table: TableStyle, view: View, height: float, rng: np.random.Generator) -> Picture:
    """Render the table at a height in cells, as a camera sees it; its texture is repeated by reflection."""
    texture = table_texture(table, rng, pitch_px=float(rng.uniform(2, 7)))
    image_from_texture = view.image_from_plane(height) @ np.array(
        [[0.06, 0, -6.0], [0, 0.06, -6.0], [0, 0, 1]]
    )
    size = view.width_px, view.height_px
    return np.asarray(
        cv2.warpPerspective(texture, image_from_texture, size, borderMode=cv2.BORDER_REFLECT), np.uint8
    )
