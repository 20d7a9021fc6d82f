"""Pictures of the errors in a followed film, with descriptions."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from docs.figures.reading_pictures import new_canvas
from vision.capture import Frame
from vision.drawing import INK, put_text

__all__ = ["Snapshots", "draw_errors"]

HEIGHT, GAP = 420, 12
SEEN_AFTER_S = 1.0
"""Delay after an event until the hand has left."""


class Snapshots:
    """Small pictures of a film, two per second."""

    def __init__(self) -> None:
        self._taken: list[tuple[float, NDArray[np.uint8]]] = []

    def take(self, frame: Frame) -> None:
        """Keep a frame, if the last one is half a second old."""
        if self._taken and frame.time_s < self._taken[-1][0] + 0.5:
            return
        scale = HEIGHT / frame.image_bgr.shape[0]
        small = cv2.resize(frame.image_bgr, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
        data = cv2.imencode(".jpg", small, [cv2.IMWRITE_JPEG_QUALITY, 85])[1]
        self._taken.append((frame.time_s, np.asarray(data, np.uint8)))

    def at(self, time_s: float) -> NDArray[np.uint8]:
        """Return the first picture not before this time, else the last one, BGR."""
        data = next((data for at, data in self._taken if at >= time_s), self._taken[-1][1])
        return np.asarray(cv2.imdecode(data, cv2.IMREAD_COLOR), np.uint8)


def draw_errors(title: str, errors: Sequence[tuple[float, str]], snapshots: Snapshots) -> NDArray[np.uint8]:
    """Draw each error: the board a moment later, and the description; BGR."""
    pictures = [snapshots.at(at + SEEN_AFTER_S) for at, _ in errors]
    across = max((picture.shape[1] for picture in pictures), default=0) + 3 * GAP
    canvas = new_canvas(across + 620, 60 + len(errors) * (HEIGHT + GAP), title)
    for number, ((at, text), picture) in enumerate(zip(errors, pictures, strict=True)):
        top = 54 + number * (HEIGHT + GAP)
        canvas[top : top + picture.shape[0], GAP : GAP + picture.shape[1]] = picture
        for line, words in enumerate(textwrap.wrap(f"{at:.1f} s: {text}", 60)):
            put_text(canvas, words, across, top + 24 + 26 * line, 18, INK)
    return canvas
