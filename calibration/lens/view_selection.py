"""Whether views of a flat thing tell a lens apart: how they differ, and which are missing."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.lens.target_detection import View
from vision.profile import Lens

__all__ = ["count_points_by_ninth", "describe_missing_views", "drop_repeated_views"]

_SAME_SHARE = 0.004
"""Of the picture's longer side by which the points of two views must differ, to be two views."""

_WANTED_TILT_DEG = 20.0
_PLACES = (
    ("top left", "top middle", "top right"),
    ("left", "middle", "right"),
    ("bottom left", "bottom middle", "bottom right"),
)


def drop_repeated_views(views: Sequence[View]) -> tuple[list[View], dict[str, str]]:
    """The views that differ from all before them, and of the others what they repeat."""
    kept: list[View] = []
    repeated: dict[str, str] = {}
    for view in views:
        twin = next((other for other in kept if _apart(view, other) < _SAME_SHARE), None)
        if twin is None:
            kept.append(view)
        else:
            repeated[view.name] = f"it shows the same as {twin.name}"
    return kept, repeated


def _apart(view: View, other: View) -> float:
    """How far the points that both show lie apart, as a share of the picture; 1.0 where they share none."""
    shared = {tuple(point): pixel for point, pixel in zip(other.points.tolist(), other.pixels, strict=True)}
    both = [
        np.abs(pixel - shared[tuple(point)]).max()
        for point, pixel in zip(view.points.tolist(), view.pixels, strict=True)
        if tuple(point) in shared
    ]
    return float(np.max(both)) / max(view.size_px) if len(both) >= 4 else 1.0


def count_points_by_ninth(views: Sequence[View]) -> NDArray[np.int64]:
    """(3, 3) how many points lie in each ninth of the picture."""
    counts = np.zeros((3, 3), np.int64)
    for view in views:
        places = np.clip((view.pixels / np.array(view.size_px) * 3).astype(int), 0, 2)
        np.add.at(counts, (places[:, 1], places[:, 0]), 1)
    return counts


def describe_missing_views(views: Sequence[View], lens: Lens | None) -> str:
    """Which views would help most, in words.

    Parameters
    ----------
    views : sequence of View
        Those that there are.
    lens : Lens, optional
        A first guess; a usual one is taken else.
    """
    if not views:
        return "pictures that show the sheet, from 10 to 15 different sides"
    wishes = []
    tilts = [_tilt(view, lens) for view in views]
    for name, direction in (
        ("its left side nearer", (-1, 0)),
        ("its right side nearer", (1, 0)),
        ("its top nearer", (0, -1)),
        ("its bottom nearer", (0, 1)),
    ):
        if not any(float(np.dot(tilt, direction)) > _WANTED_TILT_DEG for tilt in tilts):
            wishes.append(name)
    text = f"views tilted by 20 to 45 degrees with {', '.join(wishes)}" if wishes else ""
    counts = count_points_by_ninth(views)
    empty = [_PLACES[row][column] for row, column in np.argwhere(counts == 0)]
    if empty:
        text += f"{' and ' if text else ''}views that show it at the picture's {', '.join(empty)}"
    return text or "more views from other sides, also closer and turned by a quarter"


def _tilt(view: View, lens: Lens | None) -> tuple[float, float]:
    """By how many degrees the thing's normal leans: x positive where its right side in the picture is nearer."""
    width, height = view.size_px
    matrix = np.array(
        [[1.2 * max(view.size_px), 0, width / 2], [0, 1.2 * max(view.size_px), height / 2], [0, 0, 1]]
    )
    pixels = view.pixels if lens is None else lens.rays(view.pixels)
    matrix = matrix if lens is None else np.eye(3)
    found, turn, _ = cv2.solvePnP(view.points, pixels, matrix, None, flags=cv2.SOLVEPNP_IPPE)
    if not found:
        return 0.0, 0.0
    rotation, _ = cv2.Rodrigues(turn)
    normal = np.asarray(rotation)[:, 2] * np.sign(rotation[2, 2])
    return float(np.degrees(np.arcsin(normal[0]))), float(np.degrees(np.arcsin(normal[1])))
