"""Composes one photo: open, locate, rectify, read, decode.

Stages are imported here and by the game session only.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from scoring import Board, Edition
from vision.capture import Frame, open_picture
from vision.decode import DecodedBoard, board_turn, decode
from vision.errors import SettingsError
from vision.geometry import Grid
from vision.locating import locate
from vision.readings import BoardReading
from vision.rectified import RectifiedBoard
from vision.rectify import rectify
from vision.stopwatch import Stopwatch

__all__ = ["PhotoReading", "Reader", "load_reader", "read_frame", "read_photo"]

MIN_GIVEN_CELL_PX = 6.0
"""Corners given closer together than this show nothing that could be read."""
TURN_FROM = 0.5
"""The letters turn the grid only if they say so with at least this confidence."""


class Reader(Protocol):
    """What reads the cells of a straightened board."""

    @property
    def cell_px(self) -> int:
        """The side of a cell, in pixels, that it wants the board straightened to."""

    @property
    def margin_px(self) -> int:
        """The margin around the grid, in pixels, that it wants."""

    def read(self, rectified: RectifiedBoard) -> BoardReading:
        """Probabilities for every square."""


@dataclass(frozen=True, slots=True, eq=False)
class PhotoReading:
    """A photo's board and all that it was made from.

    Parameters
    ----------
    frame : Frame
        The picture.
    grid : Grid
        Where the board lies in it, letters upright.
    rectified : RectifiedBoard
        The straightened board.
    reading : BoardReading
        What the reader saw on each square.
    decoded : DecodedBoard
        What was decided.
    stage_ms : mapping of str to float
        Milliseconds a stage; ``total`` includes opening the picture where that was timed.
    """

    frame: Frame
    grid: Grid
    rectified: RectifiedBoard
    reading: BoardReading
    decoded: DecodedBoard
    stage_ms: Mapping[str, float]


def load_reader(name: str, edition: Edition) -> Reader:
    """The reader of that name: ``network`` or ``tesseract``.

    Raises
    ------
    SettingsError
        If there is no such reader.
    MissingProgramError
        If Tesseract or its language is not installed.
    """
    if name == "network":
        from vision.reading.network import NetworkReader

        return NetworkReader.load()
    if name == "tesseract":
        from vision.reading.tesseract import TesseractReader, language_for

        return TesseractReader(language=language_for(edition))
    raise SettingsError(f"reader: {name!r} is unknown; choose network or tesseract")


def read_photo(
    path: Path,
    edition: Edition,
    reader: Reader,
    *,
    corners_px: Sequence[Sequence[float]] | None = None,
) -> PhotoReading:
    """The board in a picture file.

    Parameters
    ----------
    path : Path
        The picture.
    edition : Edition
        Which letters there are, how many of each, and the board's layout.
    reader : Reader
        What reads the cells.
    corners_px : four (x, y), optional
        The grid's outer corners TL TR BR BL as the letters read; localisation is skipped.

    Raises
    ------
    InputError
        If the file cannot be read.
    BoardNotFoundError
        If no board is found in it.
    SettingsError
        If the corners make no sense.
    """
    watch = Stopwatch()
    with watch.stage("decode"):
        frame = open_picture(path)
    return read_frame(frame, edition, reader, corners_px=corners_px, watch=watch)


def read_frame(
    frame: Frame,
    edition: Edition,
    reader: Reader,
    *,
    corners_px: Sequence[Sequence[float]] | None = None,
    before: Board | None = None,
    watch: Stopwatch | None = None,
) -> PhotoReading:
    """The board in an opened picture; `before` is the board that stood there at the last look."""
    watch = watch or Stopwatch()
    with watch.stage("locate"):
        if corners_px is None:
            grid = locate(frame.image_bgr, edition.layout)
        else:
            grid = grid_from_corners(frame, edition, corners_px)
    with watch.stage("read"):
        rectified = rectify(frame.image_bgr, grid, reader.cell_px, reader.margin_px)
        reading = reader.read(rectified)
        if corners_px is None:
            turn, confidence = board_turn(reading)
            if turn and confidence >= TURN_FROM:
                grid = grid.turned(turn)
                rectified = rectify(frame.image_bgr, grid, reader.cell_px, reader.margin_px)
                reading = reader.read(rectified)
        decoded = decode(reading, edition, before=before)
    stage_ms = {**watch.stage_ms, "total": watch.total_ms}
    return PhotoReading(
        frame=frame, grid=grid, rectified=rectified, reading=reading, decoded=decoded, stage_ms=stage_ms
    )


def grid_from_corners(frame: Frame, edition: Edition, corners_px: Sequence[Sequence[float]]) -> Grid:
    """The grid between given corners, if a board can be seen there at all."""
    layout = edition.layout
    grid = Grid.from_corners(corners_px, layout.rows, layout.columns)
    corners: NDArray[np.float64] = grid.corners_px
    height, width = frame.image_bgr.shape[:2]
    # One corner may lie a little outside the picture, a board far outside cannot be seen.
    slack = 0.1 * max(height, width)
    if (corners < -slack).any() or (corners > np.array([width, height]) + slack).any():
        raise SettingsError(
            f"corners: {corners.round(1).tolist()} lie outside the picture of {width}x{height} pixels; "
            "give them in pixels of the picture, x before y"
        )
    if grid.cell_px < MIN_GIVEN_CELL_PX:
        raise SettingsError(
            f"corners: they leave {grid.cell_px:.1f} pixels a square, too few to read; move closer"
        )
    return grid
