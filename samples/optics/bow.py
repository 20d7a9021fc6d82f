"""Radial distortion: a lens bows straight lines."""

from __future__ import annotations

import cv2
import numpy as np

from samples.arrays import Floats, Picture

__all__ = ["bow_image", "bow_points"]


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
