"""A small network's guess at the four corners of a grid, from a picture of two hundred pixels."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.core import halve_image
from vision.weights import WEIGHTS, load_session, read_weights

__all__ = ["CornerNetwork", "SeenOutline", "corner_sight", "outlines_in_maps", "prepared"]

_LONGER_PX, _STEP_PX = 192, 16
"""Longer side of the picture as the network takes it, and what both sides are multiples of."""

_MIN_SEEN, _MAX_CORNERS = 0.05, 7
"""Probability of a corner, and how many of them are tried as the four of a board."""

_FLOOR_SHARE, _FLOOR = 0.1, 2.0
"""Of the contrast, as a share of the mean and in grey levels: a plain picture stays plain."""

Floats = NDArray[np.float64]
Maps = NDArray[np.float32]


@dataclass(frozen=True, slots=True, eq=False)
class SeenOutline:
    """Where the network sees a board.

    Parameters
    ----------
    corners_xy : (4, 2) float64
        Corners of its grid, clockwise as seen from any one; whole numbers are the middles of pixels, or of places.
    least_seen : float
        The probability of the corner that is least surely one.
    """

    corners_xy: Floats
    least_seen: float


@dataclass(frozen=True, slots=True, eq=False)
class CornerNetwork:
    """The loaded network.

    Parameters
    ----------
    session : onnxruntime.InferenceSession
        Input ``pictures`` as `prepared` makes them; its output is as `outlines_in_maps` takes it.
    """

    session: Any

    @classmethod
    def load(cls, path: Path | None = None) -> CornerNetwork:
        """The network of an ONNX file; of the shipped one by default.

        Raises
        ------
        SettingsError
            If the file is missing, or is no network.
        """
        file = path or WEIGHTS / "corners.onnx"
        return cls(session=load_session(read_weights(file), file))

    def outlines(self, image_bgr: NDArray[np.uint8]) -> list[SeenOutline]:
        """Where the network sees boards.

        Parameters
        ----------
        image_bgr : (height, width, 3) uint8
            The picture, BGR.

        Returns
        -------
        list of SeenOutline
            In pixels of the picture, off by a fifth of a cell or so; the likeliest board first.
        """
        height, width = image_bgr.shape[:2]
        (maps,) = self.session.run(None, {"pictures": prepared(image_bgr)})
        _, _, rows, columns = maps.shape
        scale = np.array([width / columns, height / rows])
        return [
            replace(seen, corners_xy=(seen.corners_xy + 0.5) * scale - 0.5)
            for seen in outlines_in_maps(maps[0])
        ]


@functools.cache
def corner_sight() -> CornerNetwork:
    """The shipped network, loaded once."""
    return CornerNetwork.load()


def prepared(image_bgr: NDArray[np.uint8]) -> NDArray[np.float32]:
    """(1, 3, height, width) the picture as the network takes it: small, without its own mean and contrast."""
    height, width = image_bgr.shape[:2]
    scale = _LONGER_PX / max(height, width)
    size = [max(2, round(side * scale / _STEP_PX)) * _STEP_PX for side in (width, height)]
    small = image_bgr
    while max(small.shape[:2]) >= 2 * _LONGER_PX:
        small = halve_image(small)
    small = np.asarray(cv2.resize(small, size, interpolation=cv2.INTER_LINEAR), np.uint8)
    mean, contrast = (float(number[0, 0]) for number in cv2.meanStdDev(small.reshape(-1, 1)))
    factor = 1 / max(contrast, _FLOOR_SHARE * mean + _FLOOR)
    return np.asarray(cv2.dnn.blobFromImage(small, factor, mean=(mean, mean, mean)), np.float32)


def outlines_in_maps(maps: Maps) -> list[SeenOutline]:
    """Boards in the network's maps, the likeliest first.

    Parameters
    ----------
    maps : (4, height, width) float32
        As `calibration.training.models.corner_network.CornerNetwork` gives them.

    Returns
    -------
    list of SeenOutline
        In places of the maps.
    """
    corner, board = (_probabilities(maps[k]) for k in (0, 3))
    places, seen = _peaks(corner, maps[1:3])
    found = sorted(_outlines(places, seen, board), key=lambda each: -each[0])
    return [outline for _, outline in found]


def _peaks(corner: Maps, offsets: Maps) -> tuple[Floats, Floats]:
    """Places of corners, (n, 2), and how surely they are some, the surest first."""
    around = cv2.dilate(corner, np.ones((3, 3), np.uint8))
    rows, columns = np.nonzero((corner >= around) & (corner > _MIN_SEEN))
    surest = np.argsort(-corner[rows, columns], kind="stable")[:_MAX_CORNERS]
    rows, columns = rows[surest], columns[surest]
    # all nine places around a corner say where it lies
    y, x = (near.reshape(9, 1) for near in np.mgrid[-1:2, -1:2])
    y, x = np.clip(rows + y, 0, len(corner) - 1), np.clip(columns + x, 0, corner.shape[1] - 1)
    weights = corner[y, x].astype(np.float64) ** 2
    said = np.stack([x + offsets[0, y, x], y + offsets[1, y, x]], axis=-1)
    places = (said * weights[..., np.newaxis]).sum(axis=0) / weights.sum(axis=0)[:, np.newaxis]
    return places, corner[rows, columns].astype(np.float64)


def _outlines(places: Floats, seen: Floats, board: Maps) -> Iterator[tuple[float, SeenOutline]]:
    """Convex outlines of four of the places, and how likely each is: by its corners, and by what lies inside it."""
    on_boards = float(board.sum())
    for four in itertools.combinations(range(len(places)), 4):
        outline = places[list(four)]
        x, y = (outline - outline.mean(axis=0)).T
        outline = outline[np.argsort(np.arctan2(y, x))]
        sides = np.roll(outline, -1, axis=0) - outline
        after = np.roll(sides, -1, axis=0)
        if (sides[:, 0] * after[:, 1] <= sides[:, 1] * after[:, 0]).any():
            continue
        inside = np.zeros(board.shape, np.uint8)
        cv2.fillConvexPoly(inside, np.rint(outline * 16).astype(np.int32), 1, shift=4)
        covered = float(board[inside > 0].sum())
        overlap = covered / (on_boards + float(inside.sum()) - covered + 1e-9)
        likely = float(np.log(seen[list(four)]).mean() + 2 * np.log(overlap + 1e-6))
        yield likely, SeenOutline(corners_xy=outline, least_seen=float(seen[list(four)].min()))


def _probabilities(logits: Maps) -> Maps:
    return np.asarray(1 / (1 + np.exp(-logits)), np.float32)
