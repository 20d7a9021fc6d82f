"""A table's camera as JPEG pictures: the straightened board for viewers, the frame with the grid for the operator."""

from __future__ import annotations

import threading
from collections.abc import Callable

import cv2
import numpy as np
from numpy.typing import NDArray

from tilesight.live.game import LiveGame
from vision.drawing import draw_grid
from vision.rectification import rectify

__all__ = ["BOARD_CELL_PX", "BOARD_MARGIN_PX", "SnapshotCache"]

BOARD_CELL_PX, BOARD_MARGIN_PX = 48, 24
WIDEST_PX = 1280
QUALITY = 80


class SnapshotCache:
    """The newest pictures of a table; each is made once, however many ask for it.

    Parameters
    ----------
    table : Table
        Whose camera.
    """

    def __init__(self, table: LiveGame) -> None:
        self._table = table
        self._lock = threading.Lock()
        self._made: dict[str, tuple[object, bytes]] = {}

    def board(self) -> bytes | None:
        """The straightened board; None while it is not found."""
        view = self._table.view
        if view is None or view[1] is None:
            return None
        frame, grid = view

        def straight() -> NDArray[np.uint8]:
            assert grid is not None
            return rectify(frame.image_bgr, grid, BOARD_CELL_PX, BOARD_MARGIN_PX).image_bgr

        return self._jpeg("board", view, straight)

    def camera(self) -> bytes | None:
        """The frame with the found grid; None before the first frame."""
        view = self._table.view
        if view is None:
            return None
        frame, grid = view

        def marked() -> NDArray[np.uint8]:
            image = frame.image_bgr if grid is None else draw_grid(frame.image_bgr, grid)
            scale = min(1.0, WIDEST_PX / image.shape[1])
            small = cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
            return np.asarray(small, dtype=np.uint8)

        return self._jpeg("camera", view, marked)

    def _jpeg(self, name: str, made_of: object, make: Callable[[], NDArray[np.uint8]]) -> bytes:
        with self._lock:
            kept = self._made.get(name)
            if kept is None or kept[0] is not made_of:
                _, data = cv2.imencode(".jpg", make(), [cv2.IMWRITE_JPEG_QUALITY, QUALITY])
                kept = self._made[name] = (made_of, data.tobytes())
            return kept[1]
