"""The picture at the sizes that the steps of localisation want, and flat views of a plane in it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.core import Matrix, project_points, to_four_channels, warp_image

__all__ = ["ImagePyramid"]

_FINE_PX = 1600
"""Refinement at more than this gains nothing measurable: labels are good to 0.03 cell only."""

_COARSE_PX = 800
"""Proposals are made at this size; a board that fills a fifth of it has cells of 10 px."""

_SCARCELY_LARGER = 1.05
"""Times larger, up to which the coarse view is not shrunk once more: that costs more than it saves."""

_CLOSER = 1.3
"""Times larger, at least, that the fine view must be to show what the coarse one does not."""

Image = NDArray[np.uint8]


@dataclass(frozen=True, slots=True, eq=False)
class ImagePyramid:
    """One picture, shrunk twice.

    Parameters
    ----------
    fine_bgr, coarse_bgr : (height, width, 3) uint8
        The picture at fewer than 3200 px a side, and at no more than 840 if nothing else was asked for; never
        enlarged.
    fine_from_image, coarse_from_image : (3, 3) float64
        The scalings, pixel centres being whole numbers: ``x' = k (x + 0.5) - 0.5``.
    size_px : (int, int)
        Height and width of the picture itself.
    """

    fine_bgr: Image
    coarse_bgr: Image
    fine_from_image: Matrix
    coarse_from_image: Matrix
    size_px: tuple[int, int]
    _to_warp: dict[bool, Image] = field(default_factory=dict, init=False, repr=False)
    """The fine and the coarse view as `warp_image` takes them, made when they are needed: many are of one picture."""

    @classmethod
    def of(cls, image_bgr: Image, coarse_px: int = _COARSE_PX) -> ImagePyramid:
        """The views of a picture of any size, the coarse one at most a twentieth larger than asked for."""
        fine = image_bgr
        factor = max(image_bgr.shape[:2]) // _FINE_PX
        fine_from_image = np.eye(3)
        if factor > 1:
            fine, fine_from_image = _averaged(image_bgr, factor)
        coarse, coarse_from_image = fine, fine_from_image
        if max(coarse.shape[:2]) > 2 * coarse_px:
            coarse, coarse_from_fine = _averaged(coarse, 2)
            coarse_from_image = coarse_from_fine @ coarse_from_image
        if max(coarse.shape[:2]) > _SCARCELY_LARGER * coarse_px:
            # by less than two, where bilinear sampling does not alias and costs a tenth of averaging
            coarse, smaller = _interpolated(coarse, coarse_px / max(coarse.shape[:2]))
            coarse_from_image = smaller @ coarse_from_image
        return cls(
            fine_bgr=fine,
            coarse_bgr=coarse,
            fine_from_image=fine_from_image,
            coarse_from_image=coarse_from_image,
            size_px=(image_bgr.shape[0], image_bgr.shape[1]),
        )

    def closer(self) -> ImagePyramid | None:
        """The same picture with proposals made at the fine size, for small boards; None where that is no larger."""
        if max(self.fine_bgr.shape[:2]) < _CLOSER * max(self.coarse_bgr.shape[:2]):
            return None
        return replace(self, coarse_bgr=self.fine_bgr, coarse_from_image=self.fine_from_image)

    def flat(self, image_from_plane: Matrix, box: tuple[float, float, float, float], cell_px: int) -> Image:
        """The part ``x0, y0, x1, y1`` (in cells) of a plane, seen from straight above at `cell_px` a cell."""
        x0, y0, x1, y1 = box
        centre = np.array([[(x0 + x1) / 2, (y0 + y1) / 2]])
        around = project_points(
            self.coarse_from_image @ image_from_plane, centre + np.array([[0, 0], [1, 0], [0, 1]])
        )
        coarse_cell_px = float(np.linalg.norm(around[1:] - around[0], axis=1).max())
        coarse = coarse_cell_px >= cell_px
        if coarse not in self._to_warp:
            self._to_warp[coarse] = to_four_channels(self.coarse_bgr if coarse else self.fine_bgr)
        source_from_image = self.coarse_from_image if coarse else self.fine_from_image
        plane_from_flat = np.array(
            [[1 / cell_px, 0, x0 + 0.5 / cell_px], [0, 1 / cell_px, y0 + 0.5 / cell_px], [0, 0, 1]]
        )
        return warp_image(
            self._to_warp[coarse],
            source_from_image @ image_from_plane @ plane_from_flat,
            (round((x1 - x0) * cell_px), round((y1 - y0) * cell_px)),
        )


def _averaged(image_bgr: Image, factor: int) -> tuple[Image, Matrix]:
    """Blocks of `factor` x `factor` pixels averaged; the last incomplete ones are left out, for speed."""
    height, width = (max(1, side // factor) for side in image_bgr.shape[:2])
    whole = image_bgr[: height * factor, : width * factor]
    smaller = np.asarray(cv2.resize(whole, (width, height), interpolation=cv2.INTER_AREA), dtype=np.uint8)
    return smaller, _scaling(whole, smaller)


def _interpolated(image_bgr: Image, factor: float) -> tuple[Image, Matrix]:
    height, width = (max(1, round(side * factor)) for side in image_bgr.shape[:2])
    smaller = np.asarray(cv2.resize(image_bgr, (width, height), interpolation=cv2.INTER_LINEAR), np.uint8)
    return smaller, _scaling(image_bgr, smaller)


def _scaling(image_bgr: Image, shrunk_bgr: Image) -> Matrix:
    ky, kx = (small / large for small, large in zip(shrunk_bgr.shape[:2], image_bgr.shape[:2], strict=True))
    return np.array([[kx, 0, 0.5 * kx - 0.5], [0, ky, 0.5 * ky - 0.5], [0, 0, 1]])
