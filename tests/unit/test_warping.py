"""Projecting through four channels gives the pixels that three give."""

from __future__ import annotations

import cv2
import numpy as np

from vision.warping import four_channels, warped


def test_four_channels_show_what_three_do() -> None:
    rng = np.random.default_rng(4)
    image = cv2.blur(rng.integers(0, 255, (90, 120, 3), dtype=np.uint8), (3, 3))
    matrix = np.array([[0.7, 0.05, -8.0], [0.02, 0.6, 5.0], [1e-4, 5e-4, 1.0]])
    flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    three = cv2.warpPerspective(image, matrix, (200, 150), flags=flags, borderMode=cv2.BORDER_REPLICATE)
    four = warped(four_channels(np.asarray(image, np.uint8)), matrix, (200, 150))
    assert four.shape == (150, 200, 3)
    assert np.abs(four.astype(int) - three).max() <= 1
    assert len(np.unique(four)) > 100
