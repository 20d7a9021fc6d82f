"""Check whether a set of views of a flat target constrains the lens, and name the views still missing."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.lens.target import View
from vision.core import Floats
from vision.profile import Lens

__all__ = ["count_points_by_ninth", "describe_missing_views", "drop_repeated_views", "name_empty_ninths"]

MIN_DIFFERENCE = 0.004
"""Least distance of a point in two different views, as a share of the picture's longer side; chosen."""
MIN_TILT_DEG = 20.0
"""Tilt to each side that a set of views should contain; chosen."""
NINTHS = (
    ("top left", "top middle", "top right"),
    ("left", "middle", "right"),
    ("bottom left", "bottom middle", "bottom right"),
)
"""Names of the ninths of a picture, row by row."""


def drop_repeated_views(views: Sequence[View]) -> tuple[list[View], dict[str, str]]:
    """Return the views that differ from all before them, and by name what the others repeat."""
    kept: list[View] = []
    repeated: dict[str, str] = {}
    for view in views:
        twin = next((other for other in kept if _difference(view, other) < MIN_DIFFERENCE), None)
        if twin is None:
            kept.append(view)
        else:
            repeated[view.name] = f"it shows the same as {twin.name}"
    return kept, repeated


def _difference(view: View, other: View) -> float:
    """Return the largest distance of a shared point, as a share of the picture; 1.0 if fewer than four are shared."""
    shared = {tuple(point): pixel for point, pixel in zip(other.points.tolist(), other.pixels, strict=True)}
    both = [
        np.abs(pixel - shared[tuple(point)]).max()
        for point, pixel in zip(view.points.tolist(), view.pixels, strict=True)
        if tuple(point) in shared
    ]
    return float(np.max(both)) / max(view.size_px) if len(both) >= 4 else 1.0


def count_points_by_ninth(positions: Floats) -> NDArray[np.int64]:
    """Count the points in each ninth of the picture, (3, 3); `positions` are (n, 2) shares of its width and height."""
    columns, rows = np.clip((positions * 3).astype(int), 0, 2).T
    return np.bincount(3 * rows + columns, minlength=9).reshape(3, 3)


def name_empty_ninths(positions: Floats) -> list[str]:
    """Name the ninths of the picture that have none of these points."""
    return [NINTHS[row][column] for row, column in np.argwhere(count_points_by_ninth(positions) == 0)]


def describe_missing_views(views: Sequence[View], lens: Lens | None, enough: int | None = None) -> str:
    """Describe the views that would help most.

    Parameters
    ----------
    views : sequence of View
        The present views.
    lens : Lens, optional
        A first estimate; a typical lens by default.
    enough : int, optional
        Number of views with which nothing is missing if all sides and places are seen: the text is empty then. By
        default, more views are asked for.
    """
    if not views:
        return "pictures from 10 to 15 different sides"
    wishes = []
    tilts = [_tilt(view, lens) for view in views]
    for name, direction in (
        ("its left side nearer", (-1, 0)),
        ("its right side nearer", (1, 0)),
        ("its top nearer", (0, -1)),
        ("its bottom nearer", (0, 1)),
    ):
        if not any(float(np.dot(tilt, direction)) > MIN_TILT_DEG for tilt in tilts):
            wishes.append(name)
    text = f"views tilted by 20 to 45 degrees with {', '.join(wishes)}" if wishes else ""
    empty = name_empty_ninths(np.concatenate([view.pixels / view.size_px for view in views]))
    if empty:
        text += f"{' and ' if text else ''}views that show it at the picture's {', '.join(empty)}"
    if not text and enough is not None and len(views) >= enough:
        return ""
    return text or "more views from other sides, also closer and turned by a quarter"


def _tilt(view: View, lens: Lens | None) -> tuple[float, float]:
    """Return the tilt of the target's normal in degrees; x is positive if its right side is nearer."""
    width, height = view.size_px
    matrix = np.array(
        [[1.2 * max(view.size_px), 0, width / 2], [0, 1.2 * max(view.size_px), height / 2], [0, 0, 1]]
    )
    pixels = view.pixels if lens is None else lens.unproject(view.pixels)
    matrix = matrix if lens is None else np.eye(3)
    found, turn, _ = cv2.solvePnP(view.points, pixels, matrix, None, flags=cv2.SOLVEPNP_IPPE)
    if not found:
        return 0.0, 0.0
    rotation, _ = cv2.Rodrigues(turn)
    normal = np.asarray(rotation)[:, 2] * np.sign(rotation[2, 2])
    return float(np.degrees(np.arcsin(normal[0]))), float(np.degrees(np.arcsin(normal[1])))
