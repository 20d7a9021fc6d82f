"""Lenses: photos of a flat sheet through one with known intrinsics, a fisheye lens too, and radial distortion alone.

Radial distortion alone bows straight lines; a camera of the renderer has it.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from samples.arrays import Floats, Picture

__all__ = ["TrueLens", "bow_image", "bow_points"]


_STEP = 4
"""Pixels between the points for which the distortion is computed; others are interpolated. Chosen."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TrueLens:
    """A camera with known intrinsics, in OpenCV's convention.

    Parameters
    ----------
    focal_px : float
        Focal length; pixels are square.
    centre_px : (cx, cy)
        Principal point.
    distortion : tuple of float
        ``k1 k2 p1 p2 k3``, or the fisheye's four.
    size_px : (width, height)
        Size of its pictures.
    fisheye : bool
        Whether the coefficients are those of the fisheye model.
    """

    focal_px: float
    centre_px: tuple[float, float]
    distortion: tuple[float, ...]
    size_px: tuple[int, int]
    fisheye: bool = False

    @property
    def matrix(self) -> Floats:
        """(3, 3) intrinsics."""
        return np.array(
            [[self.focal_px, 0, self.centre_px[0]], [0, self.focal_px, self.centre_px[1]], [0, 0, 1.0]]
        )

    def project(self, points: Floats, turn: Floats, place: Floats) -> Floats:
        """Project (n, 3) points to (n, 2) pixels, after a rotation by a Rodrigues vector and a translation."""
        solid, coefficients = points.reshape(-1, 1, 3), np.array(self.distortion)
        if self.fisheye:
            pixels, _ = cv2.fisheye.projectPoints(solid, turn, place, self.matrix, coefficients)
        else:
            pixels, _ = cv2.projectPoints(solid, turn, place, self.matrix, coefficients)
        return np.asarray(pixels, np.float64).reshape(-1, 2)

    def photo(
        self,
        sheet_bgr: Picture,
        unit_px: float,
        turn: Floats,
        place: Floats,
        rng: np.random.Generator,
        *,
        blur_px: float = 0.6,
        noise: float = 2.0,
        table_bgr: tuple[int, int, int] = (110, 120, 130),
    ) -> Picture:
        """Photograph a flat sheet on a plain table.

        Parameters
        ----------
        sheet_bgr : (height, width, 3) uint8
            The sheet, BGR. Its top left corner is the origin, its plane z = 0.
        unit_px : float
            Pixels of the sheet per unit.
        turn, place : (3,) float64
            Pose of the sheet: Rodrigues vector, and translation in units.
        rng : numpy.random.Generator
            The same state gives the same noise.
        blur_px, noise : float
            Standard deviations, in pixels of the photo and in grey levels.
        table_bgr : tuple of int
            Colour of the table, BGR.

        Returns
        -------
        (height, width, 3) uint8
            The photo, BGR.
        """
        width, height = self.size_px
        x, y = np.arange(-_STEP, width + 2 * _STEP, _STEP), np.arange(-_STEP, height + 2 * _STEP, _STEP)
        pixels = np.stack(np.meshgrid(x, y), axis=-1).astype(np.float64)
        rays = self._rays(pixels.reshape(-1, 1, 2)).reshape(*pixels.shape[:2], 2)
        rotation, _ = cv2.Rodrigues(turn)
        ray_from_sheet = np.column_stack([rotation[:, 0], rotation[:, 1], place])
        solid = (
            np.concatenate([rays, np.ones((*rays.shape[:2], 1))], axis=-1) @ np.linalg.inv(ray_from_sheet).T
        )
        sheet = solid[..., :2] / np.where(solid[..., 2:] > 1e-9, solid[..., 2:], np.nan)
        # about the resolution of the photo, so that bilinear sampling neither skips pixels nor blurs
        middle = ray_from_sheet @ np.array(
            [sheet_bgr.shape[1] / unit_px / 2, sheet_bgr.shape[0] / unit_px / 2, 1]
        )
        scale = min(1.0, 1.3 * self.focal_px / float(middle[2]) / unit_px)
        size = (round(sheet_bgr.shape[1] * scale), round(sheet_bgr.shape[0] * scale))
        smaller = cv2.resize(sheet_bgr, size, interpolation=cv2.INTER_AREA)
        kx, ky = unit_px * size[0] / sheet_bgr.shape[1], unit_px * size[1] / sheet_bgr.shape[0]
        coarse = np.nan_to_num(sheet * (kx, ky) - 0.5, nan=-1e4).astype(np.float32)
        larger = cv2.resize(coarse, None, fx=_STEP, fy=_STEP, interpolation=cv2.INTER_LINEAR)
        first = 1.5 * _STEP - 0.5
        fine = cv2.warpAffine(
            larger,
            np.array([[1, 0, first], [0, 1, first]]),
            (width, height),
            flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP,
        )
        map_x, map_y = cv2.split(fine)
        photo = cv2.remap(
            smaller, map_x, map_y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_CONSTANT, borderValue=table_bgr
        )
        soft = cv2.GaussianBlur(photo, (0, 0), blur_px) if blur_px > 0 else photo
        noisy = np.asarray(soft, np.float64) + noise * rng.standard_normal(photo.shape)
        return np.asarray(np.clip(noisy + 0.5, 0, 255), np.uint8)

    def _rays(self, pixels: Floats) -> Floats:
        coefficients, criteria = np.array(self.distortion), (3, 80, 1e-10)
        if self.fisheye:
            rays = cv2.fisheye.undistortPoints(pixels, self.matrix, coefficients, criteria=criteria)
        else:
            rays = cv2.undistortPoints(pixels, self.matrix, coefficients, criteria=criteria)
        return np.asarray(rays, np.float64)


def bow_image(image: Picture, bow: float) -> Picture:
    """Distort a picture; its size stays.

    Parameters
    ----------
    image : (height, width, 3) uint8
        The picture of a pinhole camera, BGR.
    bow : float
        Relative displacement of the picture's corner: above 0 straight lines bulge outwards (barrel), below 0
        inwards (pincushion).
    """
    height, width = image.shape[:2]
    middle, half = _middle((height, width)), np.hypot(width, height) / 2
    x = np.arange(width, dtype=np.float32)[np.newaxis, :] - np.float32(middle[0])
    y = np.arange(height, dtype=np.float32)[:, np.newaxis] - np.float32(middle[1])
    factor = 1 + np.float32(bow / half**2) * (x * x + y * y)
    source_x, source_y = x * factor + np.float32(middle[0]), y * factor + np.float32(middle[1])
    return np.asarray(
        cv2.remap(image, source_x, source_y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE), np.uint8
    )


def bow_points(points_px: Floats, bow: float, image_size: tuple[int, int]) -> Floats:
    """Move points of a pinhole camera's picture to their places in the distorted one.

    Parameters
    ----------
    points_px : (count, 2) float64
        Pixels.
    bow : float
        As of `bow_image`, from -0.1 to 0.1.
    image_size : (height, width)
        Size of the picture.

    Returns
    -------
    (count, 2) float64
        Pixels.
    """
    middle, half = _middle(image_size), np.hypot(*image_size) / 2
    wanted = points_px - middle
    found = wanted.copy()
    for _ in range(20):  # the fixed point is reached quickly, since the distortion is small
        found = wanted / (1 + bow / half**2 * (found**2).sum(axis=1, keepdims=True))
    return np.asarray(found + middle)


def _middle(image_size: tuple[int, int]) -> Floats:
    height, width = image_size
    return np.array([(width - 1) / 2, (height - 1) / 2])
