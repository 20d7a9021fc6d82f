"""Brighten what is in the shade of a picture, so that the edge of sunlight or of a shadow crosses no square."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from vision.core.arrays import Floats32, Image

__all__ = ["brighten_shade"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ShadeSettings:
    """How the light in a picture is estimated. All values are chosen."""

    small_px: int = 480
    """Longer side at which the filter's coefficients are computed."""
    radius: float = 0.05
    """Radius of the filter's window, as a share of the longer side: about a square of a board that fills a picture."""
    edge_variance: float = 0.05
    """Variance of log levels in a window from which on its edges are taken for edges of the light."""
    lit_percentile: float = 90.0
    """Percentile of the light that is that of lit parts."""
    max_gain: float = 4.5
    """Factor by which a pixel is brightened at most."""
    noise_level: float = 4.0
    """Level that is added before the logarithm: noise in the dark is no edge."""
    max_level: int = 249
    """Level up to which a pixel is brightened: one that is white lost what it showed, a brightened one did not."""


SETTINGS = ShadeSettings()


def brighten_shade(image_bgr: Image) -> Image:
    """Brighten the dark parts of a picture to the light of its bright ones; no pixel gets darker, and none gets white.

    Parameters
    ----------
    image_bgr : (height, width, 3) uint8
        BGR.

    Notes
    -----
    The light is a guided filter of the log levels, which keeps strong edges. What is dark by itself, such as a table,
    is brightened too. Colours keep their hue.

    References
    ----------
    K. He, J. Sun, X. Tang: Guided image filtering. IEEE PAMI 35 (2013).
    K. He, J. Sun: Fast guided filter. arXiv:1505.00996 (2015).
    """
    height, width = image_bgr.shape[:2]
    grey = np.asarray(cv2.cvtColor(image_bgr, cv2.COLOR_BGR2GRAY), np.uint8)
    scale = min(1.0, SETTINGS.small_px / max(height, width))
    small_size = (max(1, round(width * scale)), max(1, round(height * scale)))
    small = _log_levels(np.asarray(cv2.resize(grey, small_size, interpolation=cv2.INTER_AREA), np.uint8))
    slope, offset = _fit_light(small)
    lit = float(np.percentile(slope * small + offset, SETTINGS.lit_percentile))
    gain = _log_levels(grey)  # in place from here: a picture may have 120 megapixels
    gain *= cv2.resize(slope, (width, height))
    gain += cv2.resize(offset, (width, height))
    np.subtract(lit, gain, out=gain)
    np.clip(gain, 0.0, float(np.log(SETTINGS.max_gain)), out=gain)
    cv2.exp(gain, gain)
    brightened = np.empty_like(image_bgr)
    for channel in range(3):
        levels = image_bgr[..., channel]
        bright = cv2.multiply(levels, gain, dtype=cv2.CV_8U)
        brightened[..., channel] = np.minimum(bright, np.maximum(levels, np.uint8(SETTINGS.max_level)))
    return brightened


def _fit_light(levels: Floats32) -> tuple[Floats32, Floats32]:
    """Return slope and offset, (height, width) each, of the light as a linear function of the levels."""
    radius = max(1, round(SETTINGS.radius * max(levels.shape)))
    window = (2 * radius + 1, 2 * radius + 1)
    mean = cv2.blur(levels, window)
    variance = cv2.blur(levels * levels, window) - mean * mean
    slope = variance / (variance + SETTINGS.edge_variance)
    offset = mean * (1 - slope)
    return np.asarray(cv2.blur(slope, window), np.float32), np.asarray(cv2.blur(offset, window), np.float32)


def _log_levels(grey: Image) -> Floats32:
    """Return the logarithms of levels (height, width)."""
    logarithms = np.log(np.arange(256, dtype=np.float32) + np.float32(SETTINGS.noise_level))
    return np.asarray(cv2.LUT(grey, logarithms), np.float32)
