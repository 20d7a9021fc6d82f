"""Composes where the board lies in a film: found, named from the right side, and checked against the game."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from scoring import Board, Edition, Play
from vision.core import BoardReading, Grid, Homography, SquareProbabilities
from vision.detection import locate, track_grid
from vision.errors import BoardNotFoundError
from vision.recognition import MIN_BOARD_MATCH, SquareReader, score_board_match
from vision.rectification import elevate_grid, read_board, rectify, rectify_at_tile_height

__all__ = ["displaced_cells", "find_pose", "look"]

Mask = NDArray[np.bool_]


def look(
    image_bgr: NDArray[np.uint8],
    grid: Grid,
    reader: SquareReader,
    squares: Mask | None = None,
    framing_xy: tuple[float, float] = (0.0, 0.0),
) -> SquareProbabilities:
    """What the reader sees, at half a tile's height above the board.

    Parameters
    ----------
    image_bgr : (height, width, 3) uint8
        The frame, BGR.
    grid : Grid
        Where the board lies in it.
    reader : SquareReader
        What reads the cells.
    squares : (rows, columns) bool, optional
        The squares that are asked for; of squares outside of their rectangle nothing is said.
    framing_xy : (x, y)
        How far beside its square each cell is cut out, in cells.
    """
    if framing_xy != (0.0, 0.0):
        grid = replace(grid, image_from_grid=grid.image_from_grid @ _shift(*framing_xy))
    if squares is None or not squares.any() or squares.all():
        return reader.read(rectify_at_tile_height(image_bgr, grid, reader))
    plane = elevate_grid(grid, image_bgr.shape[1], image_bgr.shape[0])
    row, column = np.flatnonzero(squares.any(axis=1)), np.flatnonzero(squares.any(axis=0))
    part = (slice(row[0], row[-1] + 1), slice(column[0], column[-1] + 1))
    window = Grid(
        image_from_grid=plane.image_from_grid @ _shift(column[0], row[0]),
        rows=int(row[-1] - row[0] + 1),
        columns=int(column[-1] - column[0] + 1),
        fit=plane.fit,
    )
    seen = reader.read(rectify(image_bgr, window, reader.cell_px, reader.margin_px))

    def whole(values: NDArray[np.float32]) -> NDArray[np.float32]:
        filled = np.full((*squares.shape, values.shape[-1]), 1.0 / values.shape[-1], dtype=np.float32)
        filled[part] = values
        return filled

    return replace(
        seen,
        occupancy=whole(seen.occupancy),
        letters=whole(seen.letters),
        values=whole(seen.values),
        turns=whole(seen.turns),
        embedding=None,
    )


def _shift(x: float, y: float) -> Homography:
    return Homography(matrix=np.array([[1.0, 0, x], [0, 1.0, y], [0, 0, 1.0]]))


def find_pose(
    image_bgr: NDArray[np.uint8],
    board: Board,
    edition: Edition,
    reader: SquareReader,
    near: Grid | None = None,
    expected: Grid | None = None,
    last_play: Play | None = None,
) -> BoardReading:
    """The board's place in a frame.

    Parameters
    ----------
    image_bgr : (height, width, 3) uint8
        The frame, BGR.
    board : Board
        What lies on the board by the game so far; it tells which side is up.
    edition : Edition
        Whose layout.
    reader : SquareReader
        What reads the cells.
    near : Grid, optional
        Where the board lay before; the side that is closest to it is tried first.
    expected : Grid, optional
        Where the board should lie: it is searched only if it is not seen there.
    last_play : Play, optional
        The play that was laid last, whose tiles may be gone.

    Raises
    ------
    BoardNotFoundError
        If there is no board in the frame, or not the one that the game is played on.
    """
    grid = None if expected is None else track_grid(image_bgr, expected, edition.layout)
    if grid is None:
        grid = locate(image_bgr, edition.layout)
    if near is not None:
        grid = named_as(grid, near)
    poses: list[BoardReading] = []
    for turn in (0, 2, 1, 3) if grid.rows == grid.columns else (0, 2):
        rotate = grid.rotate(turn)
        poses.append(read_board(image_bgr, rotate, reader))
        if board.is_empty or score_board_match(poses[-1].probabilities, board) >= MIN_BOARD_MATCH:
            return poses[-1]
    # All that is missing may have been taken back.
    left = board.without(last_play or ())
    for pose in poses:
        if score_board_match(pose.probabilities, left) >= MIN_BOARD_MATCH or (
            left.is_empty and near is not None
        ):
            return pose
    best = max(score_board_match(pose.probabilities, board) for pose in poses)
    raise BoardNotFoundError(
        f"the board in view shows {best:.0%} of the tiles that the game has laid, "
        f"{MIN_BOARD_MATCH:.0%} are needed; is it the board of this game?"
    )


def displaced_cells(grid: Grid, place: Grid) -> float:
    """How far the farthest corner of a board, named from any side, lies from another place, in that one's cells."""
    return float(
        np.linalg.norm(named_as(grid, place).corners_px - place.corners_px, axis=1).max() / place.cell_px
    )


def named_as(grid: Grid, near: Grid) -> Grid:
    """The same grid, its corners named so that they are closest to another grid's."""
    turns = range(4) if grid.rows == grid.columns else range(0, 4, 2)
    away = [float(np.abs(grid.rotate(turn).corners_px - near.corners_px).sum()) for turn in turns]
    return grid.rotate(list(turns)[int(np.argmin(away))])
