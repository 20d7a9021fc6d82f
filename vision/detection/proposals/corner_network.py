"""Keypoint network for the four corners of a grid, on an image of two hundred pixels."""

from __future__ import annotations

import functools
import itertools
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.core import Floats, Image, contrast_floor, corner_turns, halve_image, rescale_pixels
from vision.weights import WEIGHTS, load_session, read_weights

__all__ = ["CornerNetwork", "load_corner_network", "network_input", "outline_in_maps"]

Maps = NDArray[np.float32]


@dataclass(frozen=True, slots=True, kw_only=True)
class CornerNetworkSettings:
    """Input of the network, and decoding of its maps. Values without a source are chosen."""

    longer_px: int = 192
    """Longer side of the input (chosen in training)."""
    step_px: int = 16
    """Both sides of the input are multiples of this (stride of the network)."""
    min_probability: float = 0.05
    """Probability of a corner."""
    max_corners: int = 7
    """Number of corners that are combined to boards."""


SETTINGS = CornerNetworkSettings()


@dataclass(frozen=True, slots=True, eq=False)
class CornerNetwork:
    """The loaded network.

    Parameters
    ----------
    session : onnxruntime.InferenceSession
        Its input ``pictures`` is that of `network_input`; its output is that of `outline_in_maps`.
    """

    session: Any

    @classmethod
    def load(cls, path: Path | None = None) -> CornerNetwork:
        """Load an ONNX file; the shipped one by default.

        Raises
        ------
        SettingsError
            If the file is missing, or is no network.
        """
        file = path or WEIGHTS / "corners.onnx"
        return cls(session=load_session(read_weights(file), file))

    def outline(self, image_bgr: Image) -> Floats | None:
        """Find the most probable board.

        Parameters
        ----------
        image_bgr : (height, width, 3) uint8
            The image, BGR.

        Returns
        -------
        (4, 2) float64 or None
            Corners of its grid in pixels of the image, clockwise as seen from any one, off by a fifth of a cell or so.
        """
        height, width = image_bgr.shape[:2]
        (maps,) = self.session.run(None, {"pictures": network_input(image_bgr)})
        _, _, rows, columns = maps.shape
        scale = np.array([width / columns, height / rows])
        outline = outline_in_maps(maps[0])
        return None if outline is None else rescale_pixels(outline, scale)


@functools.cache
def load_corner_network() -> CornerNetwork:
    """Load the shipped network, once."""
    return CornerNetwork.load()


def network_input(image_bgr: Image) -> NDArray[np.float32]:
    """Reduce an image to the (1, 3, height, width) network input, with normalised mean and contrast."""
    height, width = image_bgr.shape[:2]
    scale = SETTINGS.longer_px / max(height, width)
    size = [max(2, round(side * scale / SETTINGS.step_px)) * SETTINGS.step_px for side in (width, height)]
    small = image_bgr
    while max(small.shape[:2]) >= 2 * SETTINGS.longer_px:
        small = halve_image(small)
    small = np.asarray(cv2.resize(small, size, interpolation=cv2.INTER_LINEAR), np.uint8)
    mean, contrast = (float(number[0, 0]) for number in cv2.meanStdDev(small.reshape(-1, 1)))
    factor = 1 / max(contrast, contrast_floor(mean))
    return np.asarray(cv2.dnn.blobFromImage(small, factor, mean=(mean, mean, mean)), np.float32)


def outline_in_maps(maps: Maps) -> Floats | None:
    """Decode the most probable board from the network's maps.

    Parameters
    ----------
    maps : (4, height, width) float32
        Output of `calibration.training.models.corner_network.CornerNetwork`.

    Returns
    -------
    (4, 2) float64 or None
        Corners of its grid in cells of the maps, clockwise as seen from any one; None where there are no four.
    """
    corner, board = (_sigmoid(maps[k]) for k in (0, 3))
    points, probabilities = _find_corners(corner, maps[1:3])
    logs = np.log(probabilities).tolist()
    fours = itertools.combinations(range(len(points)), 4)
    best, best_outline = -np.inf, None
    for of_corners, four in sorted(((sum(logs[k] for k in four) / 4, four) for four in fours), reverse=True):
        if of_corners < best:
            break  # what it covers only lowers a score
        outline = _sort_clockwise(points[list(four)])
        if (corner_turns(outline) <= 0).any():
            continue
        score = of_corners + 2 * float(np.log(_overlap(outline, board) + 1e-6))
        if score > best:
            best, best_outline = score, outline
    return best_outline


def _find_corners(corner: Maps, offsets: Maps) -> tuple[Floats, Floats]:
    """Find local maxima of the (height, width) corner map, the most probable first.

    Returns
    -------
    points : (n, 2) float64
    probabilities : (n,) float64
    """
    dilated = cv2.dilate(corner, np.ones((3, 3), np.uint8))
    rows, columns = np.nonzero((corner >= dilated) & (corner > SETTINGS.min_probability))
    best = np.argsort(-corner[rows, columns], kind="stable")[: SETTINGS.max_corners]
    rows, columns = rows[best], columns[best]
    # All nine cells around a corner estimate its place.
    y, x = (near.reshape(9, 1) for near in np.mgrid[-1:2, -1:2])
    y, x = np.clip(rows + y, 0, len(corner) - 1), np.clip(columns + x, 0, corner.shape[1] - 1)
    weights = corner[y, x].astype(np.float64) ** 2
    estimates = np.stack([x + offsets[0, y, x], y + offsets[1, y, x]], axis=-1)
    points = (estimates * weights[..., np.newaxis]).sum(axis=0) / weights.sum(axis=0)[:, np.newaxis]
    return points, corner[rows, columns].astype(np.float64)


def _sort_clockwise(points: Floats) -> Floats:
    """Sort points (n, 2) by their direction from their mean."""
    x, y = (points - points.mean(axis=0)).T
    return points[np.argsort(np.arctan2(y, x))]


def _overlap(outline: Floats, board: Maps) -> float:
    """Return the intersection of an outline (4, 2) with the map (height, width) of boards, over their union."""
    inside = np.zeros(board.shape, np.uint8)
    cv2.fillConvexPoly(inside, np.rint(outline * 16).astype(np.int32), 1, shift=4)
    covered = float(board[inside > 0].sum())
    return covered / (float(board.sum()) + float(inside.sum()) - covered + 1e-9)


def _sigmoid(logits: Maps) -> Maps:
    return np.asarray(1 / (1 + np.exp(-logits)), np.float32)
