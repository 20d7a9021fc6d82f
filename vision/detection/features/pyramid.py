"""The image at the two sizes that detection works on, and perspective warps of a plane in it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import cv2
import numpy as np

from vision.core import Image, Matrix, cell_sides, to_four_channels, warp_image

__all__ = ["ImagePyramid"]


@dataclass(frozen=True, slots=True, kw_only=True)
class PyramidSettings:
    """Sizes of the pyramid's levels. Values without a source are chosen."""

    fine_px: int = 1600
    """Longer side of the level for refinement. More gains nothing: labels are good to 0.03 cell only (measured)."""
    coarse_px: int = 800
    """Longer side of the level for hypotheses: a board that fills a fifth of it has cells of 10 px."""
    max_coarse_excess: float = 1.05
    """Size ratio up to which the coarse level is not reduced again, which would cost more than it saves."""
    min_fine_gain: float = 1.3
    """Size ratio of fine to coarse level from which hypotheses at the fine level show more."""


SETTINGS = PyramidSettings()


@dataclass(frozen=True, slots=True, eq=False)
class ImagePyramid:
    """One image at two reduced sizes; it is never enlarged.

    Parameters
    ----------
    fine_bgr : (height, width, 3) uint8
        The image with fewer than 3200 px on its longer side.
    coarse_bgr : (height, width, 3) uint8
        The image with at most 840 px on its longer side, unless another size was requested.
    fine_from_image, coarse_from_image : (3, 3) float64
        The scalings. Pixel centres are whole numbers: ``x' = k (x + 0.5) - 0.5``.
    size_px : (int, int)
        Width and height of the original image.
    """

    fine_bgr: Image
    coarse_bgr: Image
    fine_from_image: Matrix
    coarse_from_image: Matrix
    size_px: tuple[int, int]
    _bgra: dict[bool, Image] = field(default_factory=dict, init=False, repr=False)
    """The coarse (True) and fine (False) level as `warp_image` takes them; made on demand and shared by all warps."""

    @classmethod
    def of(cls, image_bgr: Image, coarse_px: int = SETTINGS.coarse_px) -> ImagePyramid:
        """Build the pyramid of an image of any size.

        Parameters
        ----------
        image_bgr : (height, width, 3) uint8
            The image, BGR.
        coarse_px : int
            Longer side of the coarse level, which may exceed it by a twentieth.
        """
        fine = image_bgr
        factor = max(image_bgr.shape[:2]) // SETTINGS.fine_px
        fine_from_image = np.eye(3)
        if factor > 1:
            fine, fine_from_image = _average(image_bgr, factor)
        coarse, coarse_from_image = fine, fine_from_image
        if max(coarse.shape[:2]) > 2 * coarse_px:
            coarse, coarse_from_fine = _average(coarse, 2)
            coarse_from_image = coarse_from_fine @ coarse_from_image
        if max(coarse.shape[:2]) > SETTINGS.max_coarse_excess * coarse_px:
            # Bilinear sampling costs a tenth of averaging. It does not alias by less than two, as at the usual size;
            # the smaller coarse level of a part of a photo is reduced by up to three.
            coarse, scaling = _interpolate(coarse, coarse_px / max(coarse.shape[:2]))
            coarse_from_image = scaling @ coarse_from_image
        return cls(
            fine_bgr=fine,
            coarse_bgr=coarse,
            fine_from_image=fine_from_image,
            coarse_from_image=coarse_from_image,
            size_px=(image_bgr.shape[1], image_bgr.shape[0]),
        )

    def at_fine_scale(self) -> ImagePyramid | None:
        """Use the fine level as the coarse one, for small boards; None where it is hardly larger."""
        if max(self.fine_bgr.shape[:2]) < SETTINGS.min_fine_gain * max(self.coarse_bgr.shape[:2]):
            return None
        return replace(self, coarse_bgr=self.fine_bgr, coarse_from_image=self.fine_from_image)

    def warp_plane(
        self, image_from_plane: Matrix, box: tuple[float, float, float, float], cell_px: int
    ) -> Image:
        """Warp a part of a plane to a fronto-parallel view.

        Parameters
        ----------
        image_from_plane : (3, 3) float64
            The plane in the original image; one unit is a cell.
        box : (float, float, float, float)
            The part ``x0, y0, x1, y1``, in cells.
        cell_px : int
            Side of a cell in the view. The level is chosen by it.

        Returns
        -------
        (height, width, 3) uint8
            BGR; pixels outside the image repeat its border.

        Notes
        -----
        The stages of a fit warp one plane at 8, 10, 12, 16 and 20 px per cell. Fewer resolutions, cached, may do; that
        was not tried.
        """
        x0, y0, x1, y1 = box
        centre = np.array([(x0 + x1) / 2, (y0 + y1) / 2])
        sides = cell_sides(self.coarse_from_image @ image_from_plane, centre)
        coarse_cell_px = float(np.linalg.norm(sides, axis=1).max())
        is_coarse = coarse_cell_px >= cell_px
        if is_coarse not in self._bgra:
            self._bgra[is_coarse] = to_four_channels(self.coarse_bgr if is_coarse else self.fine_bgr)
        level_from_image = self.coarse_from_image if is_coarse else self.fine_from_image
        plane_from_view = np.array(
            [[1 / cell_px, 0, x0 + 0.5 / cell_px], [0, 1 / cell_px, y0 + 0.5 / cell_px], [0, 0, 1]]
        )
        return warp_image(
            self._bgra[is_coarse],
            level_from_image @ image_from_plane @ plane_from_view,
            (round((x1 - x0) * cell_px), round((y1 - y0) * cell_px)),
        )


def _average(image_bgr: Image, factor: int) -> tuple[Image, Matrix]:
    """Average blocks of `factor` x `factor` pixels; incomplete last blocks are dropped, for speed."""
    height, width = (max(1, side // factor) for side in image_bgr.shape[:2])
    cropped = image_bgr[: height * factor, : width * factor]
    reduced = np.asarray(cv2.resize(cropped, (width, height), interpolation=cv2.INTER_AREA), dtype=np.uint8)
    return reduced, _scaling(cropped, reduced)


def _interpolate(image_bgr: Image, factor: float) -> tuple[Image, Matrix]:
    height, width = (max(1, round(side * factor)) for side in image_bgr.shape[:2])
    reduced = np.asarray(cv2.resize(image_bgr, (width, height), interpolation=cv2.INTER_LINEAR), np.uint8)
    return reduced, _scaling(image_bgr, reduced)


def _scaling(image_bgr: Image, reduced_bgr: Image) -> Matrix:
    ky, kx = (small / large for small, large in zip(reduced_bgr.shape[:2], image_bgr.shape[:2], strict=True))
    return np.array([[kx, 0, 0.5 * kx - 0.5], [0, ky, 0.5 * ky - 0.5], [0, 0, 1]])
