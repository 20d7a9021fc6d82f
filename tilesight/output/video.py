"""Annotated video: the camera's frames with the grid, the newest tiles, the last move and the score."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Iterable
from pathlib import Path

import cv2
import numpy as np

from scoring import Game, format_tokens
from tilesight.output.text import format_totals, name_event, newest_squares
from vision.capture import Frame
from vision.core import (
    PICTURE_TRAILER,
    Grid,
    Homography,
    check_folder,
    check_own_file,
    escape_name,
    name_for_opencv,
)
from vision.drawing import Image, draw_caption, draw_outlines
from vision.errors import InputError, SettingsError

__all__ = ["AnnotatedVideoWriter", "check_video_path"]

FPS = 10
"""Frames a second: enough to see who did what, at a third of a camera's rate. Chosen."""
MAX_SIDE_PX = 1280
"""Longer side of the video, in pixels; chosen."""
CODECS = {".mp4": "mp4v", ".avi": "MJPG"}
"""Codec of each container, as a FourCC."""
MAX_GAP_S = 2.0
"""A longer gap in the source, in seconds, is cut out; chosen."""


def check_video_path(path: Path, inputs: Iterable[str | Path] = (), *, force: bool = False) -> None:
    """Check that a video can be written to a path, before any work is done.

    Parameters
    ----------
    path : Path
        The video.
    inputs, force
        As for `check_folder` and `check_own_file`.

    Raises
    ------
    SettingsError
        If the ending names no known container, if the name is not UTF-8, or for the reasons of these two.
    """
    if path.suffix.lower() not in CODECS:
        raise SettingsError(f"{path}: name the film .mp4 or .avi")
    if escape_name(str(path)) != str(path):
        raise SettingsError(f"{path}: a film's name must be UTF-8; choose another name")
    check_folder(path, inputs)
    check_own_file(path, force=force)


class AnnotatedVideoWriter:
    """Writes an annotated video; use it in a ``with`` block, whose end raises `InputError` if it is not complete.

    Parameters
    ----------
    path : Path
        The file; its ending names the container, ``.mp4`` or ``.avi``.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._writer: cv2.VideoWriter | None = None
        self._size = (0, 0)
        self._next_s: float | None = None

    def add(self, frame: Frame, grid: Grid | None, game: Game) -> None:
        """Write a frame, as often as its time asks for.

        Parameters
        ----------
        frame : Frame
            The frame.
        grid : Grid or None
            The board's grid in it; None while the board is not found.
        game : Game
            The game after it.

        Raises
        ------
        InputError
            If the file cannot be written.
        """
        if self._next_s is None or abs(frame.time_s - self._next_s) > MAX_GAP_S:
            self._next_s = frame.time_s
        if frame.time_s < self._next_s:
            return
        picture = annotate(frame.image_bgr, grid, game)
        writer = self._writer or self._open(picture)
        if picture.shape[1::-1] != self._size:  # the camera has changed its resolution
            picture = np.asarray(cv2.resize(picture, self._size), dtype=np.uint8)
        while self._next_s <= frame.time_s:
            writer.write(picture)
            self._next_s += 1 / FPS

    def _open(self, picture: Image) -> cv2.VideoWriter:
        code = cv2.VideoWriter.fourcc(*CODECS[self._path.suffix.lower()])
        self._size = (picture.shape[1], picture.shape[0])
        writer = cv2.VideoWriter(name_for_opencv(self._path), code, FPS, self._size)
        if not writer.isOpened():
            raise InputError(f"{self._path}: cannot be written as a film; make room, or choose another place")
        self._writer = writer
        return writer

    def __enter__(self) -> AnnotatedVideoWriter:
        return self

    def __exit__(self, *_: object) -> None:
        if self._writer is None:
            return
        self._writer.release()
        n_frames = 0.0
        with contextlib.suppress(OSError), self._path.open("ab") as file:
            file.write(PICTURE_TRAILER)
            # OpenCV reports no failed write, but the container then lacks its number of frames.
            n_frames = cv2.VideoCapture(name_for_opencv(self._path)).get(cv2.CAP_PROP_FRAME_COUNT)
        if n_frames < 1:
            raise InputError(f"{self._path}: the film could not be completed; was the disk full?")


def annotate(image_bgr: Image, grid: Grid | None, game: Game) -> Image:
    """Shrink a frame to `MAX_SIDE_PX` and draw the grid, the newest tiles and the score into it."""
    scale = min(1.0, MAX_SIDE_PX / max(image_bgr.shape[:2]))
    # Many codecs need even sides.
    width, height = (2 * math.floor(side * scale / 2) for side in image_bgr.shape[1::-1])
    canvas = np.array(cv2.resize(image_bgr, (width, height), interpolation=cv2.INTER_AREA), dtype=np.uint8)
    if grid is not None:
        kx, ky = width / image_bgr.shape[1], height / image_bgr.shape[0]
        shrink = Homography(matrix=np.array([[kx, 0, kx / 2 - 0.5], [0, ky, ky / 2 - 0.5], [0, 0, 1]]))
        small = Grid(
            image_from_grid=shrink @ grid.image_from_grid, rows=grid.rows, columns=grid.columns, fit=grid.fit
        )
        draw_outlines(canvas, small, newest_squares(game))
    draw_caption(canvas, format_last_move(game), format_totals(game, "   "))
    return canvas


def format_last_move(game: Game) -> str:
    """Describe the last event in a few words."""
    if not game.steps:
        return ""
    step = game.steps[-1]
    name = game.players[step.event.player]
    if step.scored is None:
        return f"{name}: {name_event(step.event)}"
    word = format_tokens(step.scored.main_word.tokens, game.edition.tokens)
    return f"{name}  {step.scored.position} {word}  {step.score:+}"
