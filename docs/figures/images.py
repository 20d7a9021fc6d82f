"""The folder of the documents' pictures, and what their scripts share."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
from numpy.typing import ArrayLike

from vision.core import write_file
from vision.drawing import Image

__all__ = ["IMAGES", "blur_square", "open_image", "resize", "save_figure"]

IMAGES = Path(__file__).resolve().parents[1] / "images"


def save_figure(name: str, image_bgr: Image, quality: int = 80) -> Path:
    """Write a picture as a JPEG file for the documents; its path."""
    data = cv2.imencode(".jpg", image_bgr, [cv2.IMWRITE_JPEG_QUALITY, quality])[1]
    write_file(IMAGES / name, bytes(data))
    return IMAGES / name


def open_image(path: Path) -> Image:
    """Open a picture, BGR."""
    return np.asarray(cv2.imread(str(path)), np.uint8)


def resize(image_bgr: Image, width_px: int) -> Image:
    """Resize a picture to this width."""
    size = (width_px, round(image_bgr.shape[0] * width_px / image_bgr.shape[1]))
    return np.asarray(cv2.resize(image_bgr, size, interpolation=cv2.INTER_AREA), np.uint8)


def blur_square(image_bgr: Image, corners_px: ArrayLike, square: tuple[int, int], share: float) -> Image:
    """Blur one square of a board, so that its tile is in doubt.

    Parameters
    ----------
    image_bgr : ndarray of uint8
        The photo.
    corners_px : array_like, (4, 2)
        The grid's outer corners.
    square : (row, column)
        The square, of a board of 15 by 15.
    share : float
        The deviation of the blur, as a share of the square's side.
    """
    row, column = square
    grid = np.array([[0, 0], [15, 0], [15, 15], [0, 15]], np.float32)
    corners = np.array(
        [[[column, row], [column + 1, row], [column + 1, row + 1], [column, row + 1]]], np.float32
    )
    place = cv2.perspectiveTransform(
        corners, cv2.getPerspectiveTransform(grid, np.asarray(corners_px, np.float32))
    )[0]
    side_px = float(np.linalg.norm(place[1] - place[0]))
    inside = cv2.fillConvexPoly(np.zeros(image_bgr.shape[:2], np.float32), place.astype(np.int32), 1.0)
    inside = cv2.GaussianBlur(inside, (0, 0), 0.06 * side_px)[..., np.newaxis]
    blurred = cv2.GaussianBlur(image_bgr, (0, 0), share * side_px)
    return np.asarray(image_bgr * (1 - inside) + blurred * inside, np.uint8)
