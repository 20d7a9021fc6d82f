"""The picture that a benchmark of localisation comes with: scenes that went wrong, with their cause."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import ArrayLike

from vision.draw import FAINT, INK, PAPER, SURE, WRONG, Colour, Image, put_text

__all__ = ["Miss", "draw_misses"]

Miss = tuple[Image, ArrayLike | None, ArrayLike | None, str]
"""The scene (BGR), its true corners, those that were found or tried, both (4, 2) pixels, and the cause."""

WIDTH, HEIGHT, TEXT = 460, 345, 58
COLUMNS = 3
LINE_LENGTH = 62


def draw_misses(misses: Sequence[Miss], title: str) -> Image:
    """All of them in one picture: true outlines green, found or refused ones red."""
    rows = -(-len(misses) // COLUMNS)
    canvas = np.full((110 + rows * (HEIGHT + TEXT + 16), 20 + COLUMNS * (WIDTH + 20), 3), PAPER, np.uint8)
    put_text(canvas, title, 20, 40, 26, INK, 600)
    put_text(
        canvas, "green: where the board lies; red: what was accepted, or tried and refused", 20, 76, 18, FAINT
    )
    for number, (image, true, found, cause) in enumerate(misses):
        x = 20 + number % COLUMNS * (WIDTH + 20)
        y = 100 + number // COLUMNS * (HEIGHT + TEXT + 16)
        thumbnail = thumbnail_of(image, true, found)
        canvas[y : y + thumbnail.shape[0], x : x + thumbnail.shape[1]] = thumbnail
        for line, text in enumerate(textwrap.wrap(cause, LINE_LENGTH)[:2]):
            put_text(canvas, text, x, y + HEIGHT + 22 + 22 * line, 15, INK)
    return canvas


def thumbnail_of(image: Image, true: ArrayLike | None, found: ArrayLike | None) -> Image:
    """The scene, shrunk, with the outlines."""
    scale = min(WIDTH / image.shape[1], HEIGHT / image.shape[0])
    size = (round(image.shape[1] * scale), round(image.shape[0] * scale))
    small = np.array(cv2.resize(image, size, interpolation=cv2.INTER_AREA), np.uint8)
    for corners, colour in ((true, SURE), (found, WRONG)):
        if corners is not None:
            draw_outline(small, np.asarray(corners, np.float64) * scale, colour)
    return small


def draw_outline(image: Image, corners: np.ndarray, colour: Colour) -> None:
    """A quadrilateral; corners beyond the picture are no obstacle, those beyond the horizon are left out."""
    if np.isfinite(corners).all() and np.abs(corners).max() < 1e5:
        cv2.polylines(image, [np.round(corners * 16).astype(np.int32)], True, colour, 2, cv2.LINE_AA, 4)
