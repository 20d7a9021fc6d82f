"""Register the views of a video: how the camera has moved since a view, to a fraction of a pixel.

Inverse compositional alignment (Baker and Matthews 2004, "Lucas-Kanade 20 years on") of the board's squares, with the
homography as the model of motion. Squares that a hand covers, or that show another tile, do not match and have no say.
Views are compared after local contrast normalization, so that light and shadow do not matter. Where the alignment
does not start close enough, phase correlation gives the shift first.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.core import Floats, Homography, Matrix, small_homography
from vision.tracking.thumbnail import CELL_PX, MARGIN_CELLS, BoardThumbnail

__all__ = ["Registration", "ViewRegistrar"]


@dataclass(frozen=True, slots=True, kw_only=True)
class RegistrationSettings:
    """When views count as aligned; lengths in thumbnail pixels. All values are chosen."""

    blur_px: float = 1.2
    """Standard deviation of the blur before alignment. On frames with a sensor's noise, shifted by up to a pixel, the
    worst corner of a homography was off by 0.16 px at the median without a blur, and by 0.06 with it."""
    contrast_px: int = 15
    """Side of the window in which contrast is normalized; with 9 px that error was 0.08."""
    min_contrast: float = 4.0
    """Grey levels added to the local contrast: less than that is noise."""
    max_rounds: int = 8
    """Steps of the alignment at most."""
    converged_px: float = 0.01
    """Motion of a corner in one step below which the alignment is done."""
    min_correlation: float = 0.3
    """Correlation of a square from which on it counts."""
    full_correlation: float = 0.8
    """Correlation of a square from which on it counts fully."""
    min_matching_share: float = 0.4
    """Share of the squares in the frame, or of half the board if they are fewer, that must match: a hand with its
    sleeve covers a quarter."""
    sure_matching_share: float = 0.8
    """Share of matching squares from which on an alignment is not questioned."""
    matching_correlation: float = 0.6
    """Correlation from which on a square matches."""
    max_step_px: float = 3.0
    """Motion of a corner in one step; alignment does not find its way from farther off. With 2 px, 98 frames of a
    camera held in a hand were lost in 20 s, and with 3 px none."""


SETTINGS = RegistrationSettings()

_INSIDE = slice(MARGIN_CELLS * CELL_PX, -MARGIN_CELLS * CELL_PX)
"""The board's pixels in a thumbnail, along both axes."""


@dataclass(frozen=True, slots=True, eq=False)
class Registration:
    """How the camera has moved.

    Parameters
    ----------
    view_from_reference : Homography
        From pixels of the reference view to pixels of the present one.
    shift_px : float
        The largest motion of a corner of the board, in thumbnail pixels.
    matching_share : float
        Share of the squares that match, which is the confidence.
    """

    view_from_reference: Homography
    shift_px: float
    matching_share: float


class ViewRegistrar:
    """Aligns views with a reference view.

    Parameters
    ----------
    reference : BoardThumbnail
        The reference view.
    """

    def __init__(self, reference: BoardThumbnail) -> None:
        self.set_reference(reference)

    def set_reference(self, reference: BoardThumbnail) -> None:
        """Align later views, of the same size, with this one.

        The work is left to the next view that is aligned: a play is reported in this frame, and is not to wait.
        """
        self._newer: BoardThumbnail | None = reference

    def _prepare(self, full: NDArray[np.float32]) -> None:
        """Compute what the alignment with a normalized view needs."""
        height, width = (side - 2 * MARGIN_CELLS * CELL_PX for side in full.shape)
        self._inside = full[_INSIDE, _INSIDE]
        # Around the middle and in units of half the board's width, so that all parameters have one scale.
        half, middle = width / 2, np.array([full.shape[1] - 1, full.shape[0] - 1]) / 2
        self._from_unit = np.array([[half, 0, middle[0]], [0, half, middle[1]], [0, 0, 1.0]])
        self._to_unit = np.linalg.inv(self._from_unit)
        y, x = np.mgrid[0:height, 0:width].astype(np.float32)
        x, y = (x - (width - 1) / 2) / half, (y - (height - 1) / 2) / half
        self._corners = np.array([[sx, sy * height / width] for sx in (-1, 1) for sy in (-1, 1)])
        across = cv2.Sobel(full, cv2.CV_32F, 1, 0, scale=half / 8)[_INSIDE, _INSIDE]
        down = cv2.Sobel(full, cv2.CV_32F, 0, 1, scale=half / 8)[_INSIDE, _INSIDE]
        radial = across * x + down * y
        columns = [across, across * x, across * y, down, down * x, down * y, radial * x, radial * y]
        self._size = (height // CELL_PX, width // CELL_PX)
        jacobian = _by_cell(np.stack(columns, axis=-1), self._size)
        self._slopes = np.ascontiguousarray(jacobian.transpose(0, 2, 1))
        self._hessians = np.matmul(self._slopes, jacobian).astype(np.float64)
        self._cells = _by_cell(self._inside[..., None], self._size)[..., 0]
        self._energy = (self._cells**2).sum(axis=1)

    def register(self, view: BoardThumbnail) -> Registration | None:
        """Find how the camera moved since the reference view; None if the views do not match."""
        if self._newer is not None:
            self._prepare(_normalize_contrast(self._newer))
            self._newer = None
        normalized = _normalize_contrast(view)
        found = self._align(normalized, np.eye(3))
        if found is not None and found.matching_share >= SETTINGS.sure_matching_share:
            return found
        # The lines of one square may have been taken for the next one's.
        window = cv2.createHanningWindow(self._inside.shape[::-1], cv2.CV_32F)
        inside = np.ascontiguousarray(normalized[_INSIDE, _INSIDE])
        shift, _ = cv2.phaseCorrelate(np.ascontiguousarray(self._inside), inside, window)
        start = self._to_unit @ Homography.translation(*shift).matrix @ self._from_unit
        other = self._align(normalized, start)
        both = [each for each in (found, other) if each is not None]
        return max(both, key=lambda each: each.matching_share, default=None)

    def _align(self, normalized: NDArray[np.float32], start: Matrix) -> Registration | None:
        """Align a view, starting from a motion in units of half the board."""
        motion, is_done = start, False
        for _ in range(SETTINGS.max_rounds):
            cells = self._sample(normalized, motion)
            correlation = self._correlate(cells)
            if is_done:
                break
            weight = np.clip(
                (correlation - SETTINGS.min_correlation)
                / (SETTINGS.full_correlation - SETTINGS.min_correlation),
                0.0,
                1.0,
            )
            hessian = np.tensordot(weight, self._hessians, axes=1)
            slope = weight @ np.matmul(self._slopes, (cells - self._cells)[..., None])[..., 0]
            try:
                step = np.linalg.solve(hessian + 1e-3 * np.eye(8), slope)
            except np.linalg.LinAlgError:
                return None
            increment = small_homography(step)
            moved = _displacement(increment, self._corners) * self._from_unit[0, 0]
            if moved > SETTINGS.max_step_px:
                return None
            motion = motion @ np.linalg.inv(increment)
            motion /= motion[2, 2]
            is_done = moved < SETTINGS.converged_px
        is_shown = (cells != 0).any(axis=1) & (self._energy > 0)
        matches = int((correlation > SETTINGS.matching_correlation).sum())
        if matches < SETTINGS.min_matching_share * max(is_shown.sum(), is_shown.size / 2):
            return None
        share = matches / int(is_shown.sum())
        shift_px = _displacement(motion, self._corners) * float(self._from_unit[0, 0])
        matrix = self._from_unit @ motion @ self._to_unit
        return Registration(Homography(matrix=matrix), shift_px, share)

    def _sample(self, normalized: NDArray[np.float32], motion: Matrix) -> NDArray[np.float32]:
        """The view's squares where the motion takes them."""
        matrix = self._from_unit @ motion @ self._to_unit
        offset = MARGIN_CELLS * CELL_PX
        matrix = matrix @ np.array([[1, 0, offset], [0, 1, offset], [0, 0, 1.0]])
        size = self._inside.shape[::-1]
        flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
        warped = cv2.warpPerspective(normalized, matrix, size, flags=flags, borderMode=cv2.BORDER_REPLICATE)
        return _by_cell(np.asarray(warped, dtype=np.float32)[..., None], self._size)[..., 0]

    def _correlate(self, cells: NDArray[np.float32]) -> Floats:
        """The correlation of each square with the reference."""
        energy = (cells**2).sum(axis=1) * self._energy
        return np.asarray((cells * self._cells).sum(axis=1) / np.sqrt(energy + 1e-6), dtype=np.float64)


def _normalize_contrast(view: BoardThumbnail) -> NDArray[np.float32]:
    """Subtract the local mean and divide by the local contrast, of what is in the frame; the rest is 0."""
    window = (SETTINGS.contrast_px, SETTINGS.contrast_px)
    grey = np.asarray(cv2.GaussianBlur(view.grey, (0, 0), SETTINGS.blur_px), dtype=np.float32)
    if view.is_visible.all():
        detail = grey - cv2.blur(grey, window)
        contrast = np.sqrt(np.maximum(cv2.blur(detail * detail, window), 0.0))  # rounding gives less than 0
    else:
        size = grey.shape[::-1]
        visible = cv2.resize(view.is_visible.astype(np.float32), size, interpolation=cv2.INTER_NEAREST)
        share = np.maximum(cv2.blur(visible, window), 1e-3)
        detail = (grey - cv2.blur(grey * visible, window) / share) * visible
        contrast = np.sqrt(np.maximum(cv2.blur(detail * detail, window), 0.0) / share)
    return np.asarray(detail / (contrast + SETTINGS.min_contrast), dtype=np.float32)


def _by_cell(values: NDArray[np.float32], size: tuple[int, int]) -> NDArray[np.float32]:
    """(rows * columns, pixels, n) the values of each cell, from (height, width, n)."""
    rows, columns = size
    n = values.shape[-1]
    parts = values.reshape(rows, CELL_PX, columns, CELL_PX, n).transpose(0, 2, 1, 3, 4)
    return np.ascontiguousarray(parts.reshape(rows * columns, CELL_PX * CELL_PX, n))


def _displacement(motion: Matrix, corners: Floats) -> float:
    """The largest displacement of a corner."""
    return float(np.linalg.norm(Homography(matrix=motion).apply(corners) - corners, axis=1).max())
