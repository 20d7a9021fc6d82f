"""What a lens does to a picture, and the picture without it.

Points are ``(x, y)`` in pixels, the centre of the first pixel being ``(0, 0)``. A *straight* picture is what a
pinhole at the lens's place would show: in it straight lines are straight, so that one homography takes a board onto it.
"""

from __future__ import annotations

import enum
import functools
import math
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import ArrayLike, NDArray

from vision.errors import SettingsError

__all__ = ["Lens", "LensModel", "UndistortedView"]

Points = NDArray[np.float64]

_WIDEST = math.tan(math.radians(70))
"""Of a straight picture: rays further off the axis lie so far out that hardly a pixel is left for the rest."""

_MAX_GROWTH = 1.6
"""Times larger than the photo that the straight picture may be, a side."""

_STEEPEST = 1.45
"""Radians from the axis, at which the search for a fisheye's ray begins at most."""

_NEWTON_ROUNDS, _SMALL, _MAX_MOVE, _CLOSE_PX = 30, 1e-6, 0.4, 1e-5

_NO_MAP: NDArray[np.float32] = np.zeros((0, 0), np.float32)
"""What stands for the second of two maps where one holds pairs."""

_MAP_STEP = 8
"""Pixels between places for which the lens is computed; between them its map is all but straight."""


class LensModel(enum.StrEnum):
    """How far from the axis a ray lands; the value is its name in a profile."""

    RADIAL = "radial"
    FISHEYE = "fisheye"


@dataclass(frozen=True, slots=True, kw_only=True)
class Lens:
    """A camera's intrinsics and distortion.

    Parameters
    ----------
    model : LensModel
        Which formula the coefficients belong to.
    focal_px : (fx, fy)
        Focal lengths in pixels.
    centre_px : (cx, cy)
        Where the axis meets the picture.
    distortion : tuple of float
        OpenCV's coefficients: 4, 5 or 8 of ``k1 k2 p1 p2 k3 k4 k5 k6``, or the fisheye's four.
    size_px : (width, height)
        Of the pictures that it is true for.

    Raises
    ------
    SettingsError
        If the numbers are those of no camera.

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
        if not all(math.isfinite(number) for number in numbers):
            raise SettingsError("lens: a number is missing or infinite; calibrate it again")
        counts = {LensModel.RADIAL: (4, 5, 8), LensModel.FISHEYE: (4,)}[self.model]
        if len(self.distortion) not in counts:
            raise SettingsError(
                f"lens: a {self.model} lens has {' or '.join(map(str, counts))} coefficients, "
                f"got {len(self.distortion)}; calibrate it again"
            )
        width, height = self.size_px
        longer = max(width, height)
        if min(width, height) < 16 or not all(
            0.1 * longer <= focal <= 50 * longer for focal in self.focal_px
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
    def matrix(self) -> NDArray[np.float64]:
        """(3, 3) from rays to pixels, without the distortion."""
        return np.array(
            [[self.focal_px[0], 0, self.centre_px[0]], [0, self.focal_px[1], self.centre_px[1]], [0, 0, 1.0]]
        )

    def scaled(self, size_px: tuple[int, int]) -> Lens:
        """The same lens for pictures of another size that show the same."""
        kx, ky = (new / old for new, old in zip(size_px, self.size_px, strict=True))
        return Lens(
            model=self.model,
            focal_px=(self.focal_px[0] * kx, self.focal_px[1] * ky),
            centre_px=((self.centre_px[0] + 0.5) * kx - 0.5, (self.centre_px[1] + 0.5) * ky - 0.5),
            distortion=self.distortion,
            size_px=size_px,
        )

    def project(self, rays_xy: ArrayLike) -> Points:
        """Pixels (..., 2) of rays (..., 2), given as x / z and y / z."""
        rays = np.asarray(rays_xy, dtype=np.float64)
        x, y = rays[..., 0], rays[..., 1]
        square = x * x + y * y
        if self.model is LensModel.FISHEYE:
            k1, k2, k3, k4 = self.distortion
            radius = np.sqrt(square)
            angle = np.arctan(radius)
            turn = angle * angle
            bent = angle * (1 + turn * (k1 + turn * (k2 + turn * (k3 + turn * k4))))
            # next to the axis both are alike
            factor = np.divide(bent, radius, out=np.ones_like(radius), where=radius > 1e-9)
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

    def rays(self, points_px: ArrayLike) -> Points:
        """Rays (..., 2) as x / z and y / z of pixels (..., 2); those of pixels that no ray reaches are off by far.

        Notes
        -----
        Newton's method, since fixed-point iteration hardly converges in the corners of a strong barrel.
        """
        points = np.asarray(points_px, dtype=np.float64)
        rays = (points - self.centre_px) / self.focal_px
        if self.model is LensModel.FISHEYE:
            angle = np.linalg.norm(rays, axis=-1, keepdims=True)
            straight = np.tan(np.minimum(angle, _STEEPEST))
            rays = rays * np.divide(straight, angle, out=np.ones_like(angle), where=angle > 1e-9)
        step_x, step_y = np.array([_SMALL, 0.0]), np.array([0.0, _SMALL])
        for _ in range(_NEWTON_ROUNDS):
            here = self.project(rays)
            along_x = (self.project(rays + step_x) - here) / _SMALL
            along_y = (self.project(rays + step_y) - here) / _SMALL
            missing = points - here
            area = along_x[..., 0] * along_y[..., 1] - along_x[..., 1] * along_y[..., 0]
            area = np.where(np.abs(area) > 1e-3, area, np.inf)  # where the lens folds over, stay
            move = np.stack(
                [
                    (missing[..., 0] * along_y[..., 1] - missing[..., 1] * along_y[..., 0]) / area,
                    (missing[..., 1] * along_x[..., 0] - missing[..., 0] * along_x[..., 1]) / area,
                ],
                axis=-1,
            )
            rays = rays + np.clip(move, -_MAX_MOVE, _MAX_MOVE)
            if float(np.abs(missing).max(initial=0.0)) < _CLOSE_PX:
                break
        return np.asarray(rays)


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class UndistortedView:
    """How photos of one lens and size become straight pictures.

    Parameters
    ----------
    lens : Lens
        The lens, for the photos' size.
    shrink : int
        By how much the photos are made smaller first, so that nothing is skipped.
    focal_px, offset_px : (2,) float64
        Of the pinhole that the straight pictures are of: pixel = focal * ray + offset.
    size_px : (width, height)
        Of the straight pictures.
    maps : tuple of arrays
        For `cv2.remap`, from the shrunk photo.
    """

    lens: Lens
    shrink: int
    focal_px: Points
    offset_px: Points
    size_px: tuple[int, int]
    maps: tuple[NDArray[np.int16], NDArray[np.uint16]]

    @classmethod
    @functools.lru_cache(maxsize=4)
    def of(cls, lens: Lens, longest_px: int) -> UndistortedView:
        """The view that keeps all of the photo that a pinhole could show.

        Parameters
        ----------
        lens : Lens
            For the photos' size.
        longest_px : int
            The side to which the photo would be shrunk in the middle of the view; it is never enlarged.
        """
        low, high = _extent(lens)
        scale = min(1.0, longest_px / max(lens.size_px))
        focal = np.array(lens.focal_px) * scale
        size = np.minimum(np.ceil((high - low) * focal), _MAX_GROWTH * scale * np.array(lens.size_px))
        # what does not fit is cut on both sides alike
        return cls._made(lens, focal, (size - 1) / 2 - focal * (low + high) / 2, size)

    def around(self, points_px: ArrayLike, scale: float) -> UndistortedView:
        """The view of a part of the photo alone.

        Parameters
        ----------
        points_px : (n, 2)
            Pixels of this view that the part shall show.
        scale : float
            How much larger than this view it is, whose pixels its own need not be.
        """
        points = np.asarray(points_px, dtype=np.float64)
        low = np.maximum(np.floor(points.min(axis=0)), 0)
        high = np.minimum(np.ceil(points.max(axis=0)) + 1, self.size_px)
        offset = (self.offset_px - low + 0.5) * scale - 0.5
        return self._made(self.lens, self.focal_px * scale, offset, np.ceil((high - low) * scale))

    @classmethod
    def _made(cls, lens: Lens, focal: Points, offset: Points, size: Points) -> UndistortedView:
        shrink = max(1, int(min(np.array(lens.focal_px) / focal) + 0.01))
        small = lens.scaled((lens.size_px[0] // shrink, lens.size_px[1] // shrink))
        width, height = (max(1, int(side)) for side in size)
        # `resize` puts each value at the middle of its block
        start = _MAP_STEP / 2 - 0.5 - _MAP_STEP
        x, y = (np.arange(start, side + _MAP_STEP, _MAP_STEP, dtype=np.float64) for side in (width, height))
        coarse = np.stack(np.meshgrid(x, y), axis=-1)
        source = small.project((coarse - offset) / focal).astype(np.float32)
        # one map of pairs is turned into whole pixels and fractions in a fifth of the time of two maps
        first, second = cv2.convertMaps(_between(source, width, height), _NO_MAP, cv2.CV_16SC2)
        return cls(
            lens=lens,
            shrink=shrink,
            focal_px=focal,
            offset_px=offset,
            size_px=(width, height),
            maps=(np.asarray(first, np.int16), np.asarray(second, np.uint16)),
        )

    def undistort(self, image_bgr: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """The straight picture of a photo (height, width, 3), BGR; what the photo does not show repeats its rim."""
        small = image_bgr
        if self.shrink > 1:
            width, height = (side // self.shrink for side in self.lens.size_px)
            whole = image_bgr[: height * self.shrink, : width * self.shrink]
            small = np.asarray(cv2.resize(whole, (width, height), interpolation=cv2.INTER_AREA), np.uint8)
        straight = cv2.remap(small, *self.maps, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
        return np.asarray(straight, dtype=np.uint8)

    def from_photo(self, points_px: ArrayLike) -> Points:
        """Where points (..., 2) of the photo lie in the straight picture."""
        return np.asarray(self.lens.rays(points_px) * self.focal_px + self.offset_px)

    def to_photo(self, points_px: ArrayLike) -> Points:
        """Where points (..., 2) of the straight picture lie in the photo."""
        points = np.asarray(points_px, dtype=np.float64)
        return self.lens.project((points - self.offset_px) / self.focal_px)


def _extent(lens: Lens) -> tuple[Points, Points]:
    """The least and greatest rays (2,) of the photo's rim that a pinhole could show."""
    width, height = lens.size_px
    share = np.linspace(0, 1, 33)
    across, down = share * (width - 1), share * (height - 1)
    rim = np.concatenate(
        [
            np.stack([across, np.zeros_like(across)], axis=1),
            np.stack([across, np.full_like(across, height - 1)], axis=1),
            np.stack([np.zeros_like(down), down], axis=1),
            np.stack([np.full_like(down, width - 1), down], axis=1),
        ]
    )
    rays = lens.rays(rim)
    # Beyond its range a polynomial turns back: such rays do not come out where they went in.
    rays, rim = rays[np.isfinite(rays).all(axis=1)], rim[np.isfinite(rays).all(axis=1)]
    true = np.abs(lens.project(rays) - rim).max(axis=1) < 1.0
    # a polynomial that turns back also brings rays from the other side there
    true &= (rays * (rim - lens.centre_px)).sum(axis=1) > 0
    known = np.clip(rays[true], -_WIDEST, _WIDEST)
    if len(known) < 8:
        raise SettingsError("lens: its distortion folds the picture over; calibrate it again")
    return known.min(axis=0), known.max(axis=0)


def _between(coarse: NDArray[np.float32], width: int, height: int) -> NDArray[np.float32]:
    """The map (height, width, 2) at every pixel, from its values at the middles of blocks, one block around it too."""
    size = (coarse.shape[1] * _MAP_STEP, coarse.shape[0] * _MAP_STEP)
    larger = np.asarray(cv2.resize(coarse, size, interpolation=cv2.INTER_LINEAR), np.float32)
    return np.ascontiguousarray(larger[_MAP_STEP : _MAP_STEP + height, _MAP_STEP : _MAP_STEP + width])
