"""The scene in front of the camera: table, board, shadows, side walls and faces, each in its own plane."""

from __future__ import annotations

import math

import cv2
import numpy as np

from samples.arrays import Mask, Picture
from samples.drawing import FlatBoard, FlatTiles
from samples.optics import Light, View, render_table
from samples.rendering.table_clutter import place_things
from samples.style import Style

__all__ = ["compose"]

TABLE_HEIGHT = -0.4
"""Height of the table in cells, below the board. Chosen."""


def _blend_layer(scene: Picture, layer: Picture, alpha: Mask) -> Picture:
    """Blend `layer` over `scene` with `alpha`, in integers for speed."""
    weight = cv2.merge([alpha, alpha, alpha])
    over = cv2.multiply(layer, weight, scale=1 / 255)
    under = cv2.multiply(scene, cv2.bitwise_not(weight), scale=1 / 255)
    return np.asarray(cv2.add(over, under), dtype=np.uint8)


def compose(
    board: FlatBoard, tiles: FlatTiles, style: Style, view: View, light: Light, rng: np.random.Generator
) -> Picture:
    """Compose the colours that reach the camera, before its lens and the light's own colour.

    Parameters
    ----------
    board, tiles
        The two planes as flat pictures of the same size.
    style : Style
        Look of the table and thickness of the tiles.
    view : View
        The camera in front of the board.
    light : Light
        Its direction and shadows.
    rng : numpy.random.Generator
        Of the table's texture and of the things on it.

    Returns
    -------
    (height, width, 3) uint8
        BGR.

    Notes
    -----
    Each plane has its own homography. Faces are the highest plane: no side wall hides one, so painting from the
    table upwards is exact for a camera above the board.
    """
    size = (view.width_px, view.height_px)
    height = style.tiles.thickness
    on_board = board.grid_from_pixels

    def seen(layer: Picture, above: float, border: int) -> Picture:
        matrix = view.image_from_plane(above) @ on_board
        return np.asarray(
            cv2.warpPerspective(layer, matrix, size, flags=cv2.INTER_LINEAR, borderMode=border), np.uint8
        )

    scene = render_table(style.table, view, TABLE_HEIGHT, rng)
    flat = _shade_board(board, tiles, height, light)
    outline = np.full(flat.shape[:2], 255, np.uint8)
    if style.table.things > 0:
        place_things(scene, view, style, rng)
    scene = _shade_table(scene, view, style, light)
    scene = _blend_layer(
        scene, seen(flat, 0.0, cv2.BORDER_REPLICATE), seen(outline, 0.0, cv2.BORDER_CONSTANT)
    )
    if not tiles.footprint.any():
        return np.asarray(scene, np.uint8)
    if height > 0:
        steps = max(2, min(8, math.ceil(height * view.largest_cell_px / 3)))
        walls = seen(tiles.footprint, 0.0, cv2.BORDER_CONSTANT)
        for step in range(1, steps):
            walls = np.maximum(walls, seen(tiles.footprint, height * step / steps, cv2.BORDER_CONSTANT))
        sides = seen(tiles.bodies_bgr, height / 2, cv2.BORDER_REPLICATE)
        scene = _blend_layer(scene, np.asarray(cv2.convertScaleAbs(sides, alpha=0.62), np.uint8), walls)
    faces = seen(tiles.faces_bgr, height, cv2.BORDER_REPLICATE)
    return _blend_layer(scene, faces, seen(tiles.footprint, height, cv2.BORDER_CONSTANT))


def _shade_table(scene: Picture, view: View, style: Style, light: Light) -> Picture:
    """Darken the table by the board's shadow."""
    x, y = light.direction_xy
    rim, drop = max(style.board.frame_width, 0.25), 0.12
    low_x, low_y = -rim - x * drop, -rim - y * drop
    high_x, high_y = view.columns + rim - x * drop, view.rows + rim - y * drop
    quad = view.apply(np.array([[low_x, low_y], [high_x, low_y], [high_x, high_y], [low_x, high_y]]))
    mask = np.zeros(scene.shape[:2], np.uint8)
    cv2.fillPoly(mask, [np.round(quad * 16).astype(np.int32)], 255, cv2.LINE_AA, shift=4)
    soft = cv2.blur(mask, (k := 2 * int(0.12 * view.largest_cell_px) + 3, k))
    dark = 255 - soft.astype(np.uint16) * round(200 * light.shadow_depth) // 255
    return (scene * dark[..., None] // 255).astype(np.uint8)


def _shade_board(board: FlatBoard, tiles: FlatTiles, height: float, light: Light) -> Picture:
    """Darken the board by the tiles' shadows."""
    if not tiles.footprint.any() or light.shadow_depth <= 0:
        return board.image_bgr
    x, y = light.direction_xy
    reach = height * light.shadow_length * board.cell_px
    shape = (tiles.footprint.shape[1], tiles.footprint.shape[0])
    cast = tiles.footprint
    for share in (0.5, 1.0):
        shift = np.array([[1, 0, -x * reach * share], [0, 1, -y * reach * share]], np.float64)
        cast = np.maximum(cast, cv2.warpAffine(tiles.footprint, shift, shape))
    soft = cv2.GaussianBlur(cast, (0, 0), max(0.6, light.shadow_softness * board.cell_px))
    factor = 1 - soft.astype(np.float32) * np.float32(light.shadow_depth / 255)
    return (board.image_bgr * factor[..., None]).astype(np.uint8)
