"""Textures of wood, cloth, carpet and paper, as brightness or as colour."""

from __future__ import annotations

import cv2
import numpy as np

from samples.arrays import Picture, Plane
from samples.style import TableStyle

__all__ = ["grain", "noise", "table_texture"]


def noise(
    rng: np.random.Generator, shape: tuple[int, int], scale_y: float, scale_x: float | None = None
) -> Plane:
    """Draw smooth noise: mean about 0, standard deviation about 1, bumps of `scale_y` by `scale_x` pixels.

    Parameters
    ----------
    rng : numpy.random.Generator
        The same state gives the same noise.
    shape : (height, width)
        Size of the result in pixels.
    scale_y, scale_x : float
        Size of the bumps in pixels; `scale_x` is `scale_y` by default.
    """
    height, width = shape
    small_y = max(2, int(height / max(1.0, scale_y)) + 1)
    small_x = max(2, int(width / max(1.0, scale_x if scale_x is not None else scale_y)) + 1)
    small = rng.standard_normal((small_y, small_x), dtype=np.float32)
    return np.asarray(cv2.resize(small, (width, height), interpolation=cv2.INTER_CUBIC), dtype=np.float32)


def grain(rng: np.random.Generator, shape: tuple[int, int], pitch_px: float) -> Plane:
    """Draw wood grain along x, about -1 to 1; `pitch_px` is the distance of the lines."""
    lines = noise(rng, shape, pitch_px, pitch_px * 24)
    fine = noise(rng, shape, max(1.0, pitch_px / 3), pitch_px * 10)
    rings = np.sin(noise(rng, shape, pitch_px * 6, pitch_px * 40) * 6)
    return np.asarray(0.45 * lines + 0.3 * fine + 0.25 * rings, dtype=np.float32)


def table_texture(
    table: TableStyle, rng: np.random.Generator, side_px: int = 512, pitch_px: float = 3.0
) -> Picture:
    """Draw the material of a table.

    Parameters
    ----------
    table : TableStyle
        Material and colours.
    rng : numpy.random.Generator
        The same state gives the same texture.
    side_px : int
        Side of the picture.
    pitch_px : float
        Distance of threads or of lines of grain, in pixels.

    Returns
    -------
    (side_px, side_px, 3) uint8
        BGR.
    """
    shape = (side_px, side_px)
    first, second = np.array(table.first_bgr, np.float32), np.array(table.second_bgr, np.float32)
    if table.kind == "wood":
        mix = 0.5 + 0.3 * grain(rng, shape, pitch_px)
    elif table.kind == "cloth":
        y, x = np.mgrid[0:side_px, 0:side_px].astype(np.float32)
        weave = np.sin(x * 6.28 / pitch_px) * np.sin(y * 6.28 / pitch_px)
        mix = 0.5 + 0.25 * weave + 0.1 * noise(rng, shape, 30)
    elif table.kind == "carpet":
        mix = 0.5 + 0.35 * noise(rng, shape, 1.5) + 0.2 * noise(rng, shape, 12)
    elif table.kind == "pattern":
        field = noise(rng, shape, float(rng.uniform(20, 120)))
        mix = np.clip(field * 8, 0, 1)
    elif table.kind in {"checks", "stripes", "dots"}:
        mix = _draw_weave(table.kind, side_px, pitch_px * 6) + 0.06 * noise(rng, shape, 2)
    else:
        mix = 0.15 + 0.1 * noise(rng, shape, 60)
    mix = np.clip(mix, 0, 1)[..., None]
    picture = first * (1 - mix) + second * mix
    return np.asarray(np.clip(picture, 0, 255), dtype=np.uint8)


def _draw_weave(kind: str, side_px: int, pitch_px: float) -> Plane:
    """Draw the pattern of a tablecloth, 0 to 1."""
    along = (np.arange(side_px) / pitch_px % 1 < 0.5).astype(np.float32)
    if kind == "stripes":
        return np.asarray(np.broadcast_to(along, (side_px, side_px)), np.float32)
    if kind == "checks":  # the colour is full where two coloured threads cross
        return np.asarray((along[:, np.newaxis] + along) / 2, np.float32)
    wave = np.cos(np.arange(side_px, dtype=np.float32) * np.float32(2 * np.pi / pitch_px))
    return np.asarray(wave[:, np.newaxis] + wave > 1, np.float32)
