"""JPEG pictures of a game's camera: the rectified board for viewers, the frame with the grid for the operator."""

from __future__ import annotations

import threading
from collections.abc import Callable

import cv2
import numpy as np
from numpy.typing import NDArray

from tilesight.live.game import LiveGame
from vision.core import encode_jpeg
from vision.drawing import draw_grid
from vision.rectification import rectify

__all__ = ["BOARD_CELL_PX", "BOARD_MARGIN_PX", "SnapshotCache"]

BOARD_CELL_PX = 48
"""Side of a square in the rectified board, in pixels. The console's script uses the same number."""
BOARD_MARGIN_PX = 24
"""Margin around the rectified board, in pixels. The console's script uses the same number."""
MAX_WIDTH_PX = 1280
"""Width of the camera's picture, in pixels; chosen."""
JPEG_QUALITY = 80
"""JPEG quality, 0 to 100; chosen."""


class SnapshotCache:
    """The newest pictures of a game's camera; each is encoded once for all requests.

    Parameters
    ----------
    game : LiveGame
        The game.
    """

    def __init__(self, game: LiveGame) -> None:
        self._game = game
        self._lock = threading.Lock()
        self._encoded: dict[str, tuple[object, bytes]] = {}

    def board(self) -> bytes | None:
        """Return the rectified board; None while it is not found."""
        snapshot = self._game.snapshot
        if snapshot is None or snapshot[1] is None:
            return None
        frame, grid = snapshot

        def draw() -> NDArray[np.uint8]:
            assert grid is not None
            return rectify(frame.image_bgr, grid, BOARD_CELL_PX, BOARD_MARGIN_PX).image_bgr

        return self._jpeg("board", snapshot, draw)

    def camera(self) -> bytes | None:
        """Return the frame with the grid; None before the first frame."""
        snapshot = self._game.snapshot
        if snapshot is None:
            return None
        frame, grid = snapshot

        def draw() -> NDArray[np.uint8]:
            image = frame.image_bgr if grid is None else draw_grid(frame.image_bgr, grid)
            scale = min(1.0, MAX_WIDTH_PX / image.shape[1])
            small = cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
            return np.asarray(small, dtype=np.uint8)

        return self._jpeg("camera", snapshot, draw)

    def _jpeg(self, name: str, snapshot: object, draw: Callable[[], NDArray[np.uint8]]) -> bytes:
        with self._lock:
            kept = self._encoded.get(name)
            if kept is None or kept[0] is not snapshot:
                kept = self._encoded[name] = (snapshot, encode_jpeg(draw(), JPEG_QUALITY))
            return kept[1]
