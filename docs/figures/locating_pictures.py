"""Pictures of the errors of localisation, with descriptions."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import ArrayLike, NDArray

from vision.drawing import CERTAIN, FAINT, INK, PAPER, WRONG, Colour, Image, put_text

__all__ = ["Miss", "describe_offset", "draw_misses"]

Miss = tuple[Image, ArrayLike | None, ArrayLike | None, str]
"""The scene (BGR), its true corners, the accepted or refused ones, both (4, 2) pixels, and the description."""

WIDTH, HEIGHT, TEXT = 460, 345, 80
COLUMNS = 2
CLOSE_UP, CLOSE_UP_SHARE = 345, 0.22
"""Side of the close-up of the worst corner, and the share of the board's side in it."""
LINE_LENGTH, LINES = 98, 3
CORNERS = ("TL", "TR", "BR", "BL")


def draw_misses(misses: Sequence[Miss], title: str) -> Image:
    """Draw errors in one picture: true outlines green, others red, with a close-up of the worst corner."""
    rows = -(-len(misses) // COLUMNS)
    across = WIDTH + CLOSE_UP + 30
    canvas = np.full((110 + rows * (HEIGHT + TEXT + 16), 20 + COLUMNS * across, 3), PAPER, np.uint8)
    put_text(canvas, title, 20, 40, 26, INK, 600)
    legend = "green: the board; red: what was accepted, or tried and refused; on the right, the worst corner"
    put_text(canvas, legend, 20, 76, 18, FAINT)
    for number, (image, true, found, cause) in enumerate(misses):
        x = 20 + number % COLUMNS * across
        y = 100 + number // COLUMNS * (HEIGHT + TEXT + 16)
        thumbnail = draw_thumbnail(image, true, found)
        canvas[y : y + thumbnail.shape[0], x : x + thumbnail.shape[1]] = thumbnail
        if true is not None and found is not None:
            canvas[y : y + CLOSE_UP, x + WIDTH + 10 : x + WIDTH + 10 + CLOSE_UP] = close_up(
                image, true, found
            )
        for line, text in enumerate(textwrap.wrap(cause, LINE_LENGTH)[:LINES]):
            put_text(canvas, text, x, y + HEIGHT + 22 + 22 * line, 15, INK)
    return canvas


def draw_thumbnail(image: Image, true: ArrayLike | None, found: ArrayLike | None) -> Image:
    """Draw the scene in small, with the outlines."""
    scale = min(WIDTH / image.shape[1], HEIGHT / image.shape[0])
    size = (round(image.shape[1] * scale), round(image.shape[0] * scale))
    small = np.array(cv2.resize(image, size, interpolation=cv2.INTER_AREA), np.uint8)
    for corners, colour in ((true, CERTAIN), (found, WRONG)):
        if corners is not None:
            draw_outline(small, np.asarray(corners, np.float64) * scale, colour)
    return small


def close_up(image: Image, true: ArrayLike, found: ArrayLike) -> Image:
    """Draw the surroundings of the worst corner, with both outlines."""
    corners, off = paired(true, found)
    worst = corners[int(off.argmax())]
    scale = CLOSE_UP / max(8.0, CLOSE_UP_SHARE * mean_side(corners))
    shift = np.array(
        [[scale, 0, CLOSE_UP / 2 - scale * worst[0]], [0, scale, CLOSE_UP / 2 - scale * worst[1]]]
    )
    seen = np.array(cv2.warpAffine(image, shift, (CLOSE_UP, CLOSE_UP), borderValue=PAPER), np.uint8)
    for outline, colour in ((true, CERTAIN), (found, WRONG)):
        draw_outline(seen, np.asarray(outline, np.float64) @ shift[:, :2].T + shift[:, 2], colour)
    return seen


def describe_offset(true: ArrayLike, found: ArrayLike, columns: int) -> str:
    """Describe the offset of each corner; corners are named with the letters upright."""
    corners, off = paired(true, found)
    cells = off / (mean_side(corners) / columns)
    if not np.isfinite(cells).all() or cells.min() > 1:
        return "another place was taken for the board"
    worst = int(cells.argmax())
    others = np.delete(cells, worst).max()
    if others < cells[worst] / 2:
        return (
            f"corner {CORNERS[worst]} is off by {cells[worst]:.2f} cells, the others by {others:.2f} at most"
        )
    parts = (f"{name} {cell:.2f}" for name, cell in zip(CORNERS, cells, strict=True))
    return f"several corners are off, in cells: {', '.join(parts)}"


def paired(true: ArrayLike, found: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the true corners, and the offsets of the found ones in pixels, whichever corner is first."""
    corners, others = np.asarray(true, np.float64), np.asarray(found, np.float64)
    by_turn = [np.linalg.norm(np.roll(others, turn, axis=0) - corners, axis=1) for turn in range(4)]
    return corners, min(by_turn, key=lambda off: float(off.sum()))


def mean_side(corners: NDArray[np.float64]) -> float:
    """Compute the mean length of an outline's sides, in pixels."""
    return float(np.linalg.norm(np.roll(corners, -1, axis=0) - corners, axis=1).mean())


def draw_outline(image: Image, corners: NDArray[np.float64], colour: Colour) -> None:
    """Draw a quadrilateral; corners may be outside of the picture, those beyond the horizon are skipped."""
    if np.isfinite(corners).all() and np.abs(corners).max() < 1e5:
        cv2.polylines(image, [np.round(corners * 16).astype(np.int32)], True, colour, 2, cv2.LINE_AA, 4)
