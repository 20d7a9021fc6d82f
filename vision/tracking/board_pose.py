"""Find the board of a running game in a frame, named from the right side."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from scoring import Game
from vision.core import BoardReading, Grid, Image
from vision.detection import ImagePyramid, detect_boards, fits_better, track_grid
from vision.errors import BoardNotFoundError
from vision.recognition import (
    MIN_BOARD_MATCH,
    SquareReader,
    is_mirrored,
    resolve_orientation,
    score_board_match,
)
from vision.rectification import elevate_grid, read_board, reading_heights

__all__ = ["displaced_cells", "find_board", "squares_behind"]

SAME_PLACE_CELLS = 0.5
"""Cells by which a board that is found may be off its known place before the fits of the two are compared (chosen)."""


def find_board(
    image_bgr: Image,
    game: Game,
    recognizer: SquareReader,
    *,
    near: Grid | None = None,
    expected: Grid | None = None,
    check_mirror: bool = False,
) -> BoardReading:
    """Find the board of a running game in a frame.

    Parameters
    ----------
    image_bgr : (height, width, 3) uint8
        The frame, BGR.
    game : Game
        The game. Its board tells which side is up; the tiles of its last play may be gone.
    recognizer : SquareReader
        Reads the squares.
    near : Grid, optional
        Where the board was before; the side that is closest to it is tried first. It is kept where it fits better
        than the place that is found.
    expected : Grid, optional
        Where the board should be; it is searched only if it is not confirmed there.
    check_mirror : bool
        Whether the error says if the picture is mirrored, which takes as long as to read the board again.

    Raises
    ------
    BoardNotFoundError
        If there is no board in the frame, or not the one of this game.
    """
    board, layout = game.board, game.edition.layout
    grid = None
    if expected is not None:
        grid = track_grid(ImagePyramid.of(image_bgr), expected, layout)
    n_others = 0
    if grid is None:
        detection = detect_boards(image_bgr, layout)
        grid, n_others = detection.grid, detection.n_others
    if near is not None:
        grid = _name_like(grid, near)
        is_elsewhere = displaced_cells(grid, near) > SAME_PLACE_CELLS
        if is_elsewhere and fits_better(image_bgr, near, grid, layout):
            grid = near
    readings: list[BoardReading] = []
    for turn in (0, 2, 1, 3) if grid.rows == grid.columns else (0, 2):
        reading = replace(read_board(image_bgr, grid.rotate(turn), recognizer), n_others=n_others)
        if board.is_empty or score_board_match(reading.probabilities, board) >= MIN_BOARD_MATCH:
            return reading
        readings.append(reading)
    # All tiles that are missing may have been withdrawn.
    left = board.without(game.state.plays[-1].play if game.state.plays else ())
    for reading in readings:
        is_match = score_board_match(reading.probabilities, left) >= MIN_BOARD_MATCH
        if is_match or (left.is_empty and near is not None):
            return reading
    best = max(score_board_match(reading.probabilities, board) for reading in readings)
    raise BoardNotFoundError(
        f"the board in view shows {best:.0%} of the tiles that the game has laid, "
        f"{MIN_BOARD_MATCH:.0%} are needed; is it the board of this game?",
        is_mirrored=check_mirror
        and is_mirrored(resolve_orientation(readings[0], recognizer).reading, recognizer),
    )


def displaced_cells(grid: Grid, place: Grid) -> float:
    """Return how far a board is from a place: the largest distance of a corner, in the place's cells.

    Parameters
    ----------
    grid : Grid
        The board, named from any side.
    place : Grid
        The place.
    """
    corners = np.roll(grid.corners_px, -_closest_turn(grid, place), axis=0)
    away = corners - place.corners_px
    return float(np.linalg.norm(away, axis=1).max() / place.cell_px)


def squares_behind(grid: Grid, width_px: int, height_px: int) -> NDArray[np.intp]:
    """Find the squares that the faces of tiles hide, at each height at which the board is read.

    Seen from near the table, a tile's face is up to a square away from its square. Where a row is laid towards the
    camera, a new tile's own square may look as before, since the face of the tile in front of it is there.

    Parameters
    ----------
    grid : Grid
        The board's grid.
    width_px, height_px : int
        Size of the frame.

    Returns
    -------
    (n, 2, rows, columns) int
        Row and column of the square behind the middle of each square's face, for each of the heights.
    """
    heights = reading_heights(grid, width_px, height_px)
    if len(heights) == 1:  # no face is seen half a square away
        return np.indices((grid.rows, grid.columns))[np.newaxis]
    columns, rows = np.meshgrid(np.arange(grid.columns), np.arange(grid.rows))
    middles = np.stack([columns.ravel(), rows.ravel()], axis=-1) + 0.5
    planes = [elevate_grid(grid, width_px, height_px, height) for height in heights]
    places_xy = [grid.image_from_grid.inverse.apply(plane.image_from_grid.apply(middles)) for plane in planes]
    squares = np.floor(np.array(places_xy)[..., ::-1]).reshape(len(planes), grid.rows, grid.columns, 2)
    last = [grid.rows - 1, grid.columns - 1]
    return np.clip(squares, 0, last).transpose(0, 3, 1, 2).astype(np.intp)


def _name_like(grid: Grid, near: Grid) -> Grid:
    """The grid named from the side on which its corners are closest to another grid's."""
    return grid.rotate(_closest_turn(grid, near))


def _closest_turn(grid: Grid, near: Grid) -> int:
    """Quarter turns after which a grid's corners are closest to another grid's."""
    corners, close = grid.corners_px, near.corners_px
    turns = range(4) if grid.rows == grid.columns else range(0, 4, 2)
    return min(turns, key=lambda turn: float(np.abs(np.roll(corners, -turn, axis=0) - close).sum()))
