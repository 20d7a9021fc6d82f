"""The labelled photos as they would be in worse light, out of focus, from a moved camera, small, or by another camera.

Pixels are altered or moved, the boards stay as they are, so that the labels hold. They tell where a photo that is read
well today would no longer be.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from samples.optics import bow_image, bow_points
from vision.core import Floats, Grid, Image
from vision.errors import InputError

__all__ = ["ALTERATIONS", "altered_photo"]

CELL_PX = 60.0
"""Side of a cell to which photos with larger ones are reduced first, so that blur means the same in all of them."""
WIDE_BOW = 0.2
"""Bow of a wide lens, as of `samples.optics.bow_image`."""
Picture = NDArray[np.float32]
Change = Callable[[Picture, Floats, np.random.Generator], Picture]
"""Takes the picture, the corners of its board in pixels, and a source of chance."""
Move = Callable[[Image, Floats], tuple[Image, Floats]]
"""Moves the pixels of a picture, and the corners of its board."""


def altered_photo(name: str, folder: Path, label: dict[str, Any]) -> tuple[Image, Floats]:
    """Alter a labelled photo; the same arguments give the same picture.

    Parameters
    ----------
    name : str
        One of `ALTERATIONS`.
    folder : Path
        The folder of the photo.
    label : dict
        Its label.

    Returns
    -------
    image : (height, width, 3) uint8
        BGR.
    corners_px : (4, 2) float64
        The corners of its board.

    Raises
    ------
    InputError
        If the file is not readable.
    """
    image = cv2.imread(str(folder / label["image"]))
    if image is None:
        raise InputError(f"{folder / label['image']}: cannot be read")
    corners = np.array(label["corners_px"], np.float64)
    change, cell_px, move = ALTERATIONS[name]
    image, corners = reduce_cells(np.asarray(image, np.uint8), corners, cell_px)
    rng = np.random.default_rng(zlib.crc32(f"{name} {folder.name} {label['image']}".encode()))
    changed = change(image.astype(np.float32), corners, rng)
    altered = np.clip(changed, 0, 255).astype(np.uint8)
    return (altered, corners) if move is None else move(altered, corners)


def cell_side_px(corners_px: Floats) -> float:
    """Return the mean side of a cell of a board with 15 x 15 squares."""
    return float(np.linalg.norm(np.roll(corners_px, -1, axis=0) - corners_px, axis=1).mean() / 15)


def reduce_cells(image: Image, corners_px: Floats, cell_px: float) -> tuple[Image, Floats]:
    """Reduce a picture, with its corners, whose cells are larger."""
    scale = cell_px / cell_side_px(corners_px)
    if scale >= 1.0:
        return image, corners_px
    reduced = cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    return np.asarray(reduced, np.uint8), corners_px * scale


def squares_from(point_px: Floats, picture: Picture, corners_px: Floats) -> Picture:
    """Return the distance (height, width, 1) of each pixel from a point, in cells."""
    y, x = np.mgrid[: picture.shape[0], : picture.shape[1]].astype(np.float32)
    distance = np.hypot(x - point_px[0], y - point_px[1]) / cell_side_px(corners_px)
    return np.asarray(distance[..., None], np.float32)


def lamp_at_a_corner(picture: Picture, corners_px: Floats, rng: np.random.Generator) -> Picture:
    """Light that falls off from one corner of the board to a third or less at the other."""
    distance = squares_from(corners_px[rng.integers(4)], picture, corners_px) / 15
    return np.asarray(picture * (0.3 + 0.75 * np.exp(-rng.uniform(1.2, 3) * distance**2)), np.float32)


def lamp_above(picture: Picture, corners_px: Floats, rng: np.random.Generator) -> Picture:
    """The warm light of a lamp above a part of the board, in a dark room."""
    point = corners_px.mean(axis=0) + rng.normal(0, 6 * cell_side_px(corners_px), 2)
    distance = squares_from(point, picture, corners_px) / 15
    light = 0.25 + 0.85 * np.exp(-rng.uniform(2, 6) * distance**2)
    return np.asarray(picture * light * (0.8, 0.95, 1.05), np.float32)


def squares_across(picture: Picture, corners_px: Floats, angle: float) -> Floats:
    """Return how far each pixel is on one side of a line through the board's middle, in cells, (height, width)."""
    centre = corners_px.mean(axis=0)
    y, x = np.mgrid[: picture.shape[0], : picture.shape[1]]
    across = (x - centre[0]) * np.cos(angle) + (y - centre[1]) * np.sin(angle)
    return np.asarray(across / cell_side_px(corners_px))


def edge_of_a_shadow(picture: Picture, corners_px: Floats, rng: np.random.Generator) -> Picture:
    """A shadow that takes half of the light from a part of the board, with a soft edge."""
    squares = squares_across(picture, corners_px, rng.uniform(0, 2 * np.pi)) + rng.uniform(-4, 4)
    return np.asarray(picture * (1 - 0.55 / (1 + np.exp(-2.5 * squares)))[..., None], np.float32)


def sun_on_a_part(picture: Picture, corners_px: Floats, rng: np.random.Generator) -> Picture:
    """The sun on one side of a line through the board, with 3.6 times the level of the other side."""
    squares = squares_across(picture, corners_px, rng.uniform(0, 2 * np.pi))
    is_lit = cv2.GaussianBlur((squares > 0).astype(np.float32), (0, 0), 0.05 * cell_side_px(corners_px))
    return np.asarray(picture * (0.35 + 0.9 * is_lit)[..., None], np.float32)


def mirrored_lamp(picture: Picture, corners_px: Floats, rng: np.random.Generator) -> Picture:
    """A lamp that is mirrored in the board, and dazzles on about nine squares."""
    point = Grid.from_corners(corners_px, 15, 15).image_from_grid.apply(rng.uniform(3, 12, (1, 2)))[0]
    distance = squares_from(point, picture, corners_px)
    return np.asarray(picture + 190 * np.exp(-((distance / 1.9) ** 2)), np.float32)


def dark_and_noisy(picture: Picture, corners_px: Floats, rng: np.random.Generator) -> Picture:
    """A dark picture with a sensor's noise."""
    dark = 0.45 * 255 * (picture / 255) ** 1.6
    return np.asarray(dark + rng.normal(0, 1, dark.shape) * (2.5 + 0.35 * np.sqrt(dark)), np.float32)


def warm_light(picture: Picture, corners_px: Floats, rng: np.random.Generator) -> Picture:
    """The light of a bulb that the camera's white balance leaves as it is."""
    return np.asarray(picture * (0.55, 0.85, 1.08), np.float32)


def moved_camera(picture: Picture, corners_px: Floats, rng: np.random.Generator) -> Picture:
    """Blur along a line of an eighth of a square."""
    half = max(1.5, 0.065 * cell_side_px(corners_px))
    size = 2 * int(np.ceil(half)) + 1
    angle, kernel = rng.uniform(0, np.pi), np.zeros((size, size), np.float32)
    step = half * np.array([np.cos(angle), np.sin(angle)])
    first, last = (np.round(size // 2 + sign * step).astype(int) for sign in (-1, 1))
    cv2.line(kernel, first.tolist(), last.tolist(), 1.0)
    return np.asarray(cv2.filter2D(picture, -1, kernel / kernel.sum()), np.float32)


def out_of_focus(picture: Picture, corners_px: Floats, rng: np.random.Generator) -> Picture:
    """Blur with a standard deviation of a twentieth of a square."""
    return np.asarray(cv2.GaussianBlur(picture, (0, 0), 0.055 * cell_side_px(corners_px)), np.float32)


def strong_compression(picture: Picture, corners_px: Floats, rng: np.random.Generator) -> Picture:
    """JPEG of quality 22."""
    _, data = cv2.imencode(".jpg", picture.astype(np.uint8), [cv2.IMWRITE_JPEG_QUALITY, 22])
    return np.asarray(cv2.imdecode(data, cv2.IMREAD_COLOR), np.float32)


def as_it_is(picture: Picture, corners_px: Floats, rng: np.random.Generator) -> Picture:
    """Nothing but the reduction of the cells."""
    return picture


def by_a_wide_lens(image: Image, corners_px: Floats) -> tuple[Image, Floats]:
    """Bow lines as a wide lens does."""
    return bow_image(image, WIDE_BOW), bow_points(corners_px, WIDE_BOW, image.shape[:2])


def in_a_mirror(image: Image, corners_px: Floats) -> tuple[Image, Floats]:
    """Swap left and right, as many webcams do; the corners keep their names."""
    return np.ascontiguousarray(image[:, ::-1]), corners_px * (-1, 1) + (image.shape[1] - 1, 0)


ALTERATIONS: dict[str, tuple[Change, float, Move | None]] = {
    "60 pixels a square at most": (as_it_is, CELL_PX, None),
    "28 pixels a square": (as_it_is, 28.0, None),
    "20 pixels a square": (as_it_is, 20.0, None),
    "a lamp at a corner of the board": (lamp_at_a_corner, CELL_PX, None),
    "a lamp above, in a dark room": (lamp_above, CELL_PX, None),
    "the edge of a shadow": (edge_of_a_shadow, CELL_PX, None),
    "the sun on a part of the board": (sun_on_a_part, CELL_PX, None),
    "a mirrored lamp": (mirrored_lamp, CELL_PX, None),
    "dark and noisy": (dark_and_noisy, CELL_PX, None),
    "warm light": (warm_light, CELL_PX, None),
    "a moved camera": (moved_camera, CELL_PX, None),
    "out of focus": (out_of_focus, CELL_PX, None),
    "strong compression": (strong_compression, CELL_PX, None),
    "a wide lens": (as_it_is, CELL_PX, by_a_wide_lens),
    "in a mirror": (as_it_is, CELL_PX, in_a_mirror),
}
"""What is done to a photo, the side of the cells to which larger ones are reduced before, and how its pixels are moved
after it."""
