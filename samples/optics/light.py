"""The light of a room, and the camera's lens, sensor and file."""

from __future__ import annotations

import math
from dataclasses import dataclass

import cv2
import numpy as np

from samples.arrays import Colour, Picture, Plane
from samples.drawing import noise

__all__ = ["Glare", "Light", "photograph"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Glare:
    """A reflection of a lamp.

    Parameters
    ----------
    centre_xy, radii_xy : (x, y)
        Shares of the picture's width and height.
    strength : float
        Added brightness in its middle, as a share of white.
    crumple : float
        How strongly uneven glossy paper breaks the reflection up; 0 for none.
    sharpness : float
        1 for a Gaussian spot; the mirror image of a lamp or window has an edge, which larger numbers make sharper.
    """

    centre_xy: tuple[float, float]
    radii_xy: tuple[float, float]
    strength: float
    crumple: float = 0.0
    sharpness: float = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Light:
    """The light on a scene, and the properties of the camera's picture.

    Parameters
    ----------
    brightness : float
        Factor on all colours.
    cast_bgr : tuple of float
        Factors of the light's colour, BGR.
    contrast, saturation : float
        Factors around the middle grey, and around grey.
    gradient, gradient_deg : float
        Relative difference of brightness across the picture, and its direction (clockwise from right).
    vignette : float
        Darkening of the picture's corners.
    direction_deg : float
        Direction towards the light in the board's plane (clockwise from right).
    shadow_length, shadow_softness, shadow_depth : float
        Length of a tile's shadow as a multiple of the tile's height; its blur in cells; its darkness.
    glares : tuple of Glare
        Reflections.
    defocus_px, motion_px, motion_deg : float
        Blur of the lens, and length and direction of the blur of a moving camera.
    noise, shot_noise : float
        Noise of the sensor in grey levels: constant, and as a factor on the root of the brightness.
    denoise : int
        Strength of a phone's smoothing; 0 for none.
    sharpen : float
        Strength of a phone's sharpening.
    jpeg_quality : int or None
        Quality of the saved file; None for no compression.
    """

    brightness: float = 1.0
    cast_bgr: Colour = (1.0, 1.0, 1.0)
    contrast: float = 1.0
    saturation: float = 1.0
    gradient: float = 0.0
    gradient_deg: float = 0.0
    vignette: float = 0.0
    direction_deg: float = -120.0
    shadow_length: float = 0.6
    shadow_softness: float = 0.06
    shadow_depth: float = 0.45
    glares: tuple[Glare, ...] = ()
    defocus_px: float = 0.0
    motion_px: float = 0.0
    motion_deg: float = 0.0
    noise: float = 0.0
    shot_noise: float = 0.0
    denoise: int = 0
    sharpen: float = 0.0
    jpeg_quality: int | None = None

    @property
    def direction_xy(self) -> tuple[float, float]:
        """Unit vector towards the light in the board's plane."""
        return math.cos(math.radians(self.direction_deg)), math.sin(math.radians(self.direction_deg))


def _illumination(light: Light, height: int, width: int) -> Plane:
    """Compute the (height, width) factor of the light over the picture, on a small grid since it is smooth."""
    small_y, small_x = 24, 24
    y, x = np.mgrid[0:small_y, 0:small_x].astype(np.float32)
    x, y = x / (small_x - 1) * 2 - 1, y / (small_y - 1) * 2 - 1
    angle = math.radians(light.gradient_deg)
    plane = 1 + light.gradient * 0.5 * (x * math.cos(angle) + y * math.sin(angle))
    plane *= 1 - light.vignette * 0.5 * (x * x + y * y)
    return np.asarray(cv2.resize(plane.astype(np.float32), (width, height)), dtype=np.float32)


def _plane(array: object) -> Plane:
    return np.asarray(array, dtype=np.float32)


def photograph(scene_bgr: Picture, light: Light, rng: np.random.Generator) -> Picture:
    """Compute the picture that a camera saves of a scene in this light.

    Parameters
    ----------
    scene_bgr : (height, width, 3) uint8
        Colours that reach the camera, BGR.
    light : Light
        Light and camera.
    rng : numpy.random.Generator
        Of crumpled glare and noise.

    Returns
    -------
    (height, width, 3) uint8
        BGR.
    """
    image: Plane = scene_bgr.astype(np.float32)
    if light.defocus_px > 0.05:
        image = _plane(cv2.GaussianBlur(image, (0, 0), light.defocus_px))
    if light.motion_px > 1:
        image = _plane(cv2.filter2D(image, -1, _motion_kernel(light.motion_px, light.motion_deg)))
    image = _illuminate(image, light)
    for glare in light.glares:
        _add_glare(image, glare, rng)
    if light.noise > 0 or light.shot_noise > 0:
        _add_noise(image, light, rng)
    picture = np.asarray(cv2.convertScaleAbs(np.maximum(image, 0, out=image)), dtype=np.uint8)
    return _process(picture, light)


def _illuminate(image: Plane, light: Light) -> Plane:
    """Apply saturation, contrast, the light's fall and its colour; `image` may be changed."""
    height, width = image.shape[:2]
    if light.saturation != 1.0:
        # a colour matrix: one pass, where separate means and differences would take four
        mix = (1 - light.saturation) / 3
        matrix = np.full((3, 3), mix, np.float32) + np.eye(3, dtype=np.float32) * np.float32(light.saturation)
        image = _plane(cv2.transform(image, matrix))
    if light.contrast != 1.0:
        image *= light.contrast
        image += 128 * (1 - light.contrast)
        np.maximum(image, 0, out=image)
    if light.gradient != 0 or light.vignette != 0:
        image *= _illumination(light, height, width)[..., None]
    image *= np.array(light.cast_bgr, np.float32) * np.float32(light.brightness)
    return image


def _add_glare(image: Plane, glare: Glare, rng: np.random.Generator) -> None:
    """Add a reflection, in place."""
    height, width = image.shape[:2]
    y, x = np.ogrid[0:height, 0:width]
    dx = (x / width - glare.centre_xy[0]) / glare.radii_xy[0]
    dy = (y / height - glare.centre_xy[1]) / glare.radii_xy[1]
    fall_x, fall_y = ((d * d) ** glare.sharpness for d in (dx, dy))
    spot = np.exp(-fall_x).astype(np.float32) * np.exp(-fall_y).astype(np.float32)
    if glare.crumple > 0:
        waves = noise(rng, (height, width), max(height, width) / 40)
        spot *= np.clip(1 + np.float32(glare.crumple) * waves, 0, 1.5)
    image += (glare.strength * 255) * spot[..., None]


def _process(picture: Picture, light: Light) -> Picture:
    """Smooth, sharpen and compress a picture as a phone does."""
    if light.denoise == 1:
        picture = np.asarray(cv2.medianBlur(picture, 3), dtype=np.uint8)
    elif light.denoise > 1:
        # weaker in a dark picture: it would wipe the print off dark tiles
        range_sigma = 8.0 * light.denoise * min(1.0, light.brightness)
        picture = np.asarray(cv2.bilateralFilter(picture, 5, range_sigma, 2.0), dtype=np.uint8)
    if light.sharpen > 0:
        soft = cv2.GaussianBlur(picture, (0, 0), 1.2)
        picture = np.asarray(
            cv2.addWeighted(picture, 1 + light.sharpen, soft, -light.sharpen, 0), dtype=np.uint8
        )
    if light.jpeg_quality is not None:
        _, coded = cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, light.jpeg_quality])
        picture = np.asarray(cv2.imdecode(coded, cv2.IMREAD_COLOR), dtype=np.uint8)
    return picture


def _add_noise(image: Plane, light: Light, rng: np.random.Generator) -> None:
    """Add fine noise of brightness, and colour noise at half the resolution as of a colour sensor; in place."""
    height, width = image.shape[:2]
    coarse = rng.standard_normal(((height + 1) // 2, (width + 1) // 2, 3), dtype=np.float32)
    pattern = _plane(cv2.resize(coarse, (width, height), interpolation=cv2.INTER_LINEAR))
    pattern += np.float32(0.7) * rng.standard_normal((height, width, 1), dtype=np.float32)
    if light.shot_noise > 0:
        grey = np.maximum(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY), 1)
        pattern *= np.sqrt(light.noise**2 + light.shot_noise**2 * grey)[..., None]
    else:
        pattern *= np.float32(light.noise)
    image += pattern


def _motion_kernel(length_px: float, degrees: float) -> Plane:
    """Draw the kernel of a straight motion blur."""
    size = math.ceil(length_px) | 1
    kernel = np.zeros((size, size), np.float32)
    middle = size // 2
    dx, dy = math.cos(math.radians(degrees)) * length_px / 2, math.sin(math.radians(degrees)) * length_px / 2
    start, end = (round(middle - dx), round(middle - dy)), (round(middle + dx), round(middle + dy))
    cv2.line(kernel, start, end, 1.0, 1, cv2.LINE_AA)
    return np.asarray(kernel / kernel.sum(), dtype=np.float32)
