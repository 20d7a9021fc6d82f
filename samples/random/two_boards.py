"""Two boards on one table, with the corners of both."""

from __future__ import annotations

import math
from dataclasses import dataclass

import cv2
import numpy as np

from samples.arrays import Floats, Picture
from samples.chance import Tone, between
from samples.optics import Camera, photograph, place_on_table
from samples.random.styles import random_table
from samples.random.views import random_light
from samples.rendering import RenderedPhoto

__all__ = ["RenderedPair", "random_pair"]

CLOTH = Tone(saturation=(0.0, 0.5), value=(0.2, 0.9))


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class RenderedPair:
    """A picture of two boards.

    Parameters
    ----------
    image_bgr : (height, width, 3) uint8
        The picture, BGR.
    corners_px : tuple of two (4, 2) float64
        Corners TL TR BR BL of the larger board's grid, then of the smaller one's.
    """

    image_bgr: Picture
    corners_px: tuple[Floats, Floats]


def random_pair(first: RenderedPhoto, second: RenderedPhoto, rng: np.random.Generator) -> RenderedPair:
    """Render two boards on one table; the second one is half to four fifths as large.

    Parameters
    ----------
    first, second : RenderedPhoto
        Boards from straight above that fill their pictures.
    rng : numpy.random.Generator
        Of their positions, the light and the camera.
    """
    large, small = max(first.image_bgr.shape[:2]), max(second.image_bgr.shape[:2])
    factor = between(rng, 0.5, 0.8) * large / small
    angles = [float(rng.normal(0, 8)) for _ in range(2)]
    height = round(1.3 * large)
    width = round((1.35 + 1.3 * factor * small / large) * large)
    cloth = np.full((height, width, 3), np.clip(CLOTH.pick(rng), 0, 255), np.uint8)
    middles = [
        (0.65 * large, height / 2),
        (1.3 * large + 0.6 * factor * small, height * between(rng, 0.42, 0.58)),
    ]
    flat_corners = []
    for photo, scale, angle, middle in zip((first, second), (1.0, factor), angles, middles, strict=True):
        placed = _placement(photo.image_bgr.shape, scale, angle, middle)
        where = cv2.warpAffine(np.full(photo.image_bgr.shape[:2], 255, np.uint8), placed, (width, height))
        seen = cv2.warpAffine(photo.image_bgr, placed, (width, height), flags=cv2.INTER_AREA)
        np.copyto(cloth, np.asarray(seen, np.uint8), where=np.asarray(where)[..., np.newaxis] > 127)
        flat_corners.append(photo.corners_px @ placed[:, :2].T + placed[:, 2])
    cells = width / (large / max(len(first.rows), 1))
    camera = Camera(
        cell_px=between(rng, 32, 44),
        tilt_deg=between(rng, 0, 30),
        azimuth_deg=float(rng.normal(0, 15)),
        roll_deg=float(rng.normal(0, 4)),
        distance=between(rng, 1.3, 3.0),
    )
    view = place_on_table(cloth, random_table(rng), camera, cells, rng)
    light = random_light(rng, cell_px=camera.cell_px, easy=True)
    larger, smaller = (view.apply(corners) for corners in flat_corners)
    return RenderedPair(image_bgr=photograph(view.scene_bgr, light, rng), corners_px=(larger, smaller))


def _placement(
    shape: tuple[int, ...], scale: float, degrees: float, middle_xy: tuple[float, float]
) -> Floats:
    """Compute the (2, 3) matrix that rotates and scales a picture and moves its middle to `middle_xy`."""
    c, s = scale * math.cos(math.radians(degrees)), scale * math.sin(math.radians(degrees))
    turn = np.array([[c, -s], [s, c]])
    own = np.array([(shape[1] - 1) / 2, (shape[0] - 1) / 2])
    return np.column_stack([turn, np.array(middle_xy) - turn @ own])
