"""The documents' picture of a digitising report, from two screenshots."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np

from docs.figures.images import save_figure

__all__ = ["draw_report"]


def draw_report(screenshots: Sequence[bytes]) -> None:
    """Write ``report.jpg``: the screenshots (PNG) next to each other, smaller."""
    pictures = [cv2.imdecode(np.frombuffer(each, np.uint8), cv2.IMREAD_COLOR) for each in screenshots]
    small = cv2.resize(
        np.hstack([np.asarray(picture, np.uint8) for picture in pictures]),
        None,
        fx=0.6,
        fy=0.6,
        interpolation=cv2.INTER_AREA,
    )
    save_figure("report.jpg", np.asarray(small, np.uint8), quality=78)
