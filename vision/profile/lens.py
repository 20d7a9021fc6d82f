"""Lens distortion: radial and fisheye models, and undistorted views of photos.

Points are ``(x, y)`` in pixels; the centre of the first pixel is ``(0, 0)``. An *undistorted* image is what a pinhole
would show: straight lines are straight in it, so that one homography projects a board onto it.
"""

from __future__ import annotations

import enum
import functools
import math
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import ArrayLike, NDArray

from vision.core import Floats, Image, rescale_pixels
from vision.errors import SettingsError

__all__ = ["Lens", "LensModel", "UndistortedView"]


@dataclass(frozen=True, slots=True, kw_only=True)
class LensSettings:
    """Limits of the computation; all chosen.

    Parameters
    ----------
    max_ray : float
        Tangent of a ray's angle to the axis in an undistorted image, at most: rays further off leave hardly a pixel for
        the others.
    max_growth : float
        Side of the undistorted image as a multiple of the photo's side, at most.
    max_start_angle : float
        Angle to the axis, in radians, at which the search for a fisheye's ray starts at most.
    newton_rounds : int
        Steps of Newton's method at most.
    newton_step : float
        Difference of rays from which the derivative is computed.
    max_newton_move : float
        Change of a ray in one step at most.
    newton_tolerance_px : float
        Distance in pixels at which it ends.
    map_step_px : int
        Distance of the pixels for which the lens is computed; between them its map is nearly linear.
    max_number : float
        Numbers of a lens from which calculations overflow; larger than any focal length in a picture that is read.
    min_focal, max_focal : float
        Focal length of a camera as a multiple of the picture's longer side.
    fold_tolerance_px : float
        Distance in pixels up to which a ray is projected to where it came from: a polynomial that turns back does not.
    """

    max_ray: float = math.tan(math.radians(70))
    max_growth: float = 1.6
    max_start_angle: float = 1.45
    newton_rounds: int = 30
    newton_step: float = 1e-6
    max_newton_move: float = 0.4
    newton_tolerance_px: float = 1e-5
    map_step_px: int = 8
    max_number: float = 1e7
    min_focal: float = 0.1
    max_focal: float = 50.0
    fold_tolerance_px: float = 1.0


SETTINGS = LensSettings()

_NO_MAP: NDArray[np.float32] = np.zeros((0, 0), np.float32)
"""The second of two maps for OpenCV, where the first one holds pairs."""


class LensModel(enum.StrEnum):
    """The model of the distance from the axis; the value is its name in a profile."""

    RADIAL = "radial"
    FISHEYE = "fisheye"


@dataclass(frozen=True, slots=True, kw_only=True)
class Lens:
    """A camera's intrinsics and distortion.

    Parameters
    ----------
    model : LensModel
        The model of the coefficients.
    focal_px : (fx, fy)
        Focal lengths in pixels.
    centre_px : (cx, cy)
        The principal point.
    distortion : tuple of float
        OpenCV's coefficients: 4, 5 or 8 of ``k1 k2 p1 p2 k3 k4 k5 k6``, or the fisheye's four.
    size_px : (width, height)
        Size of the images that the lens is valid for.

    Raises
    ------
    SettingsError
        If no camera has such numbers.

    References
    ----------
    OpenCV's manual, "Camera Calibration and 3D Reconstruction" and "Fisheye camera model"; J. Kannala, S. Brandt: A
    generic camera model and calibration method. IEEE PAMI 28 (2006).
    """

    model: LensModel
    focal_px: tuple[float, float]
    centre_px: tuple[float, float]
    distortion: tuple[float, ...]
    size_px: tuple[int, int]

    def __post_init__(self) -> None:
        numbers = (*self.focal_px, *self.centre_px, *self.distortion)
        if not all(abs(number) < SETTINGS.max_number for number in numbers):
            raise SettingsError("lens: a number is missing or infinite, or far too large; calibrate it again")
        counts = {LensModel.RADIAL: (4, 5, 8), LensModel.FISHEYE: (4,)}[self.model]
        if len(self.distortion) not in counts:
            raise SettingsError(
                f"lens: a {self.model} lens has {' or '.join(map(str, counts))} coefficients, "
                f"got {len(self.distortion)}; calibrate it again"
            )
        width, height = self.size_px
        longer = max(width, height)
        if min(width, height) < 16 or not all(
            SETTINGS.min_focal * longer <= focal <= SETTINGS.max_focal * longer for focal in self.focal_px
        ):
            raise SettingsError(
                f"lens: focal lengths of {self.focal_px[0]:.0f} and {self.focal_px[1]:.0f} px for a picture of "
                f"{width}x{height} px are those of no camera; calibrate it again"
            )
        if not (-width < self.centre_px[0] < 2 * width and -height < self.centre_px[1] < 2 * height):
            raise SettingsError(
                f"lens: its axis meets the picture at {self.centre_px[0]:.0f}, {self.centre_px[1]:.0f}, far outside "
                f"of {width}x{height} px; calibrate it again"
            )

    @property
    def matrix(self) -> Floats:
        """(3, 3) camera matrix, from rays to pixels without the distortion."""
        return np.array(
            [[self.focal_px[0], 0, self.centre_px[0]], [0, self.focal_px[1], self.centre_px[1]], [0, 0, 1.0]]
        )

    def rescale(self, size_px: tuple[int, int]) -> Lens:
        """Return the same lens for images of another size that show the same."""
        kx, ky = (new / old for new, old in zip(size_px, self.size_px, strict=True))
        return Lens(
            model=self.model,
            focal_px=(self.focal_px[0] * kx, self.focal_px[1] * ky),
            centre_px=(
                float(rescale_pixels(self.centre_px[0], kx)),
                float(rescale_pixels(self.centre_px[1], ky)),
            ),
            distortion=self.distortion,
            size_px=size_px,
        )

    def project(self, rays_xy: ArrayLike) -> Floats:
        """Project rays (..., 2), given as x / z and y / z, to pixels (..., 2)."""
        rays = np.asarray(rays_xy, dtype=np.float64)
        x, y = rays[..., 0], rays[..., 1]
        square = x * x + y * y
        if self.model is LensModel.FISHEYE:
            k1, k2, k3, k4 = self.distortion
            radius = np.sqrt(square)
            angle = np.arctan(radius)
            squared = angle * angle
            distorted = angle * (1 + squared * (k1 + squared * (k2 + squared * (k3 + squared * k4))))
            # next to the axis both are equal
            factor = np.divide(distorted, radius, out=np.ones_like(radius), where=radius > 1e-9)
            x, y = x * factor, y * factor
        else:
            k1, k2, p1, p2, k3, k4, k5, k6 = (*self.distortion, *(0.0,) * (8 - len(self.distortion)))
            factor = 1 + square * (k1 + square * (k2 + square * k3))
            if k4 or k5 or k6:
                factor = factor / (1 + square * (k4 + square * (k5 + square * k6)))
            product = 2 * x * y
            x, y = (
                x * factor + p1 * product + p2 * (square + 2 * x * x),
                y * factor + p2 * product + p1 * (square + 2 * y * y),
            )
        pixels = np.stack([x * self.focal_px[0], y * self.focal_px[1]], axis=-1)
        return np.asarray(pixels + self.centre_px)

    def unproject(self, points_px: ArrayLike) -> Floats:
        """Return the rays (..., 2), as x / z and y / z, of pixels (..., 2).

        Pixels that no ray reaches give rays that are far off.

        Notes
        -----
        Newton's method: fixed-point iteration hardly converges in the corners of a strong barrel distortion.
        """
        points = np.asarray(points_px, dtype=np.float64)
        rays = (points - self.centre_px) / self.focal_px
        if self.model is LensModel.FISHEYE:
            angle = np.linalg.norm(rays, axis=-1, keepdims=True)
            tangent = np.tan(np.minimum(angle, SETTINGS.max_start_angle))
            rays = rays * np.divide(tangent, angle, out=np.ones_like(angle), where=angle > 1e-9)
        step = SETTINGS.newton_step
        step_x, step_y = np.array([step, 0.0]), np.array([0.0, step])
        for _ in range(SETTINGS.newton_rounds):
            here = self.project(rays)
            along_x = (self.project(rays + step_x) - here) / step
            along_y = (self.project(rays + step_y) - here) / step
            missing = points - here
            area = along_x[..., 0] * along_y[..., 1] - along_x[..., 1] * along_y[..., 0]
            area = np.where(np.abs(area) > 1e-3, area, np.inf)  # where the lens folds over, do not move
            move = np.stack(
                [
                    (missing[..., 0] * along_y[..., 1] - missing[..., 1] * along_y[..., 0]) / area,
                    (missing[..., 1] * along_x[..., 0] - missing[..., 0] * along_x[..., 1]) / area,
                ],
                axis=-1,
            )
            rays = rays + np.clip(move, -SETTINGS.max_newton_move, SETTINGS.max_newton_move)
            if float(np.abs(missing).max(initial=0.0)) < SETTINGS.newton_tolerance_px:
                break
        return np.asarray(rays)


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class UndistortedView:
    """The conversion of photos of one lens and size to undistorted images.

    Parameters
    ----------
    lens : Lens
        The lens, for the photos' size.
    shrink : int
        Factor by which the photos are made smaller first, so that no pixel is skipped.
    focal_px, offset_px : (2,) float64
        The pinhole of the undistorted images: pixel = focal * ray + offset.
    size_px : (width, height)
        Size of the undistorted images.
    maps : tuple of arrays
        For `cv2.remap`, from the smaller photo.
    """

    lens: Lens
    shrink: int
    focal_px: Floats
    offset_px: Floats
    size_px: tuple[int, int]
    maps: tuple[NDArray[np.int16], NDArray[np.uint16]]

    @classmethod
    @functools.lru_cache(maxsize=4)
    def of(cls, lens: Lens, longest_px: int) -> UndistortedView:
        """Return the view that keeps all of the photo that a pinhole could show.

        Parameters
        ----------
        lens : Lens
            For the photos' size.
        longest_px : int
            The longer side to which the photo would be reduced in the middle of the view; it is never enlarged.
        """
        low, high = _ray_limits(lens)
        scale = min(1.0, longest_px / max(lens.size_px))
        focal = np.array(lens.focal_px) * scale
        size = np.minimum(np.ceil((high - low) * focal), SETTINGS.max_growth * scale * np.array(lens.size_px))
        # what does not fit is cut equally on both sides
        return cls._build(lens, focal, (size - 1) / 2 - focal * (low + high) / 2, size)

    def crop(self, points_px: ArrayLike, scale: float) -> UndistortedView:
        """Return the view of a part of the photo.

        Parameters
        ----------
        points_px : (n, 2)
            Pixels of this view that the part shall show.
        scale : float
            Its size relative to this view; its pixels need not be those of this view.
        """
        points = np.asarray(points_px, dtype=np.float64)
        low = np.maximum(np.floor(points.min(axis=0)), 0)
        high = np.minimum(np.ceil(points.max(axis=0)) + 1, self.size_px)
        offset = rescale_pixels(self.offset_px - low, scale)
        return self._build(self.lens, self.focal_px * scale, offset, np.ceil((high - low) * scale))

    @classmethod
    def _build(cls, lens: Lens, focal: Floats, offset: Floats, size: Floats) -> UndistortedView:
        shrink = max(1, int(min(np.array(lens.focal_px) / focal) + 0.01))
        width, height = (max(1, int(side)) for side in size)
        # `cv2.resize` puts each value at the middle of its block
        step = SETTINGS.map_step_px
        start = step / 2 - 0.5 - step
        x, y = (np.arange(start, side + step, step, dtype=np.float64) for side in (width, height))
        coarse = np.stack(np.meshgrid(x, y), axis=-1)
        # in the smaller photo, which lacks the last pixels of a side that is no multiple of `shrink`
        source = rescale_pixels(lens.project((coarse - offset) / focal), 1 / shrink).astype(np.float32)
        # one map of pairs is converted to integer pixels and fractions in a fifth of the time of two maps
        first, second = cv2.convertMaps(_interpolate_map(source, width, height), _NO_MAP, cv2.CV_16SC2)
        return cls(
            lens=lens,
            shrink=shrink,
            focal_px=focal,
            offset_px=offset,
            size_px=(width, height),
            maps=(np.asarray(first, np.int16), np.asarray(second, np.uint16)),
        )

    def undistort(self, image_bgr: Image) -> Image:
        """Undistort a photo (height, width, 3), BGR; what it does not show repeats its border."""
        small = image_bgr
        if self.shrink > 1:
            width, height = (side // self.shrink for side in self.lens.size_px)
            blocks = image_bgr[: height * self.shrink, : width * self.shrink]
            small = np.asarray(cv2.resize(blocks, (width, height), interpolation=cv2.INTER_AREA), np.uint8)
        undistorted = cv2.remap(small, *self.maps, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
        return np.asarray(undistorted, dtype=np.uint8)

    def from_photo(self, points_px: ArrayLike) -> Floats:
        """Convert points (..., 2) of the photo to those of the undistorted image."""
        return np.asarray(self.lens.unproject(points_px) * self.focal_px + self.offset_px)

    def to_photo(self, points_px: ArrayLike) -> Floats:
        """Convert points (..., 2) of the undistorted image to those of the photo."""
        points = np.asarray(points_px, dtype=np.float64)
        return self.lens.project((points - self.offset_px) / self.focal_px)


def _ray_limits(lens: Lens) -> tuple[Floats, Floats]:
    """Return the least and greatest rays (2,) of the photo's border that a pinhole could show."""
    width, height = lens.size_px
    share = np.linspace(0, 1, 33)
    across, down = share * (width - 1), share * (height - 1)
    border = np.concatenate(
        [
            np.stack([across, np.zeros_like(across)], axis=1),
            np.stack([across, np.full_like(across, height - 1)], axis=1),
            np.stack([np.zeros_like(down), down], axis=1),
            np.stack([np.full_like(down, width - 1), down], axis=1),
        ]
    )
    rays = lens.unproject(border)
    # Beyond its range a polynomial turns back: such rays are not projected to where they came from.
    is_finite = np.isfinite(rays).all(axis=1)
    rays, border = rays[is_finite], border[is_finite]
    is_valid = np.abs(lens.project(rays) - border).max(axis=1) < SETTINGS.fold_tolerance_px
    # a polynomial that turns back also projects rays of the other side there
    is_valid &= (rays * (border - lens.centre_px)).sum(axis=1) > 0
    valid = np.clip(rays[is_valid], -SETTINGS.max_ray, SETTINGS.max_ray)
    if len(valid) < 8:
        raise SettingsError("lens: its distortion folds the picture over; calibrate it again")
    return valid.min(axis=0), valid.max(axis=0)


def _interpolate_map(coarse: NDArray[np.float32], width: int, height: int) -> NDArray[np.float32]:
    """Interpolate a map (height, width, 2) from its values at the middles of blocks, with one block around it."""
    step = SETTINGS.map_step_px
    size = (coarse.shape[1] * step, coarse.shape[0] * step)
    larger = np.asarray(cv2.resize(coarse, size, interpolation=cv2.INTER_LINEAR), np.float32)
    return np.ascontiguousarray(larger[step : step + height, step : step + width])
