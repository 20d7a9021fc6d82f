"""Squares on which a photo by itself and its game differ; people are asked to check them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from scoring import COVERED, EMPTY, Board, is_blank
from tilesight.digitise.reading import PhotoRecord, SquareDoubt
from vision.core import Square

__all__ = ["add_conflicts", "find_conflicts"]


def find_conflicts(record: PhotoRecord, board: Board) -> dict[Square, str]:
    """Find the squares that the game has otherwise than the photo; corrected squares are not questioned.

    Parameters
    ----------
    record : PhotoRecord
        The photo.
    board : Board
        The position that all photos of the game show together.

    Returns
    -------
    dict of (row, column) to str
        The game's token on each such square.
    """
    if record.board is None or record.board.size != (len(board.rows), len(board.rows[0])):
        return {}  # it was read as another board
    corrected = {each.square for each in record.corrected or ()}
    return {
        (row, column): board[row, column]
        for row, tokens in enumerate(record.board.rows)
        for column, token in enumerate(tokens)
        if token not in (board[row, column], COVERED)
        and not (is_blank(token) and is_blank(board[row, column]))
        and (row, column) not in corrected
    }


def add_conflicts(record: PhotoRecord, conflicts: Mapping[Square, str]) -> PhotoRecord:
    """Return the photo with a doubt on each of these squares; its tokens stay what the photo shows by itself.

    Parameters
    ----------
    record : PhotoRecord
        The photo.
    conflicts : mapping of (row, column) to str
        The game's tokens.
    """
    board = record.board
    if board is None:
        return record
    reasons = {doubt.square: doubt.reason for doubt in board.doubts}
    misread_squares = board.misread_squares
    for square, token in conflicts.items():
        shown = "nothing" if token == EMPTY else "a blank" if is_blank(token) else token
        reason = f"the game's other photos show {shown}"
        reasons[square] = f"{reasons[square]}; {reason}" if square in reasons else reason
        misread_squares += board.confidence[square[0]][square[1]]  # it is expected to be misread
    doubts = tuple(SquareDoubt(square=square, reason=reason) for square, reason in sorted(reasons.items()))
    return replace(record, board=replace(board, doubts=doubts, misread_squares=round(misread_squares, 3)))
