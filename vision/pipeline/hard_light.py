"""Read a photo in hard light, as with the sun on a part of the board, also with its shade brightened."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from scoring import Layout
from vision.capture import Frame
from vision.core import Doubt, DoubtReason, Stopwatch, brighten_shade
from vision.errors import BoardNotFoundError
from vision.observation import BoardObservation
from vision.pipeline.checks import has_uneven_light

__all__ = ["read_in_hard_light"]


def read_in_hard_light(
    picture: Frame, layout: Layout, read: Callable[[Frame], BoardObservation], stopwatch: Stopwatch
) -> BoardObservation:
    """Read the board in a frame and, where it is refused or uneven light makes squares uncertain, also without shade.

    Parameters
    ----------
    picture : Frame
        The picture.
    layout : Layout
        The board's layout.
    read : callable
        Reads a frame.
    stopwatch : Stopwatch
        Measures the stages.

    Returns
    -------
    BoardObservation
        The reading with fewer expected errors. Squares that brightening changed are in doubt.

    Raises
    ------
    BoardNotFoundError
        If the frame is refused as it is, and no letters or print are seen without shade either.
    """

    def read_brightened() -> BoardObservation:
        with stopwatch.stage("locate"):
            brightened = replace(picture, image_bgr=brighten_shade(picture.image_bgr))
        return read(brightened)

    try:
        found = read(picture)
    except BoardNotFoundError as refusal:
        try:
            brightened = read_brightened()
        except BoardNotFoundError:
            raise refusal from None
        if not brightened.is_orientation_certain:  # without letters or print, it may be a chessboard
            raise
        return brightened
    if found.is_mirrored or not found.decoded.alternatives:
        return found  # mirrored letters are not read anyway: the picture is mirrored back first
    if not has_uneven_light(found.rectified, found.probabilities, layout):
        return found
    try:
        brightened = read_brightened()
    except BoardNotFoundError:
        return found
    if found.decoded.expected_unread <= brightened.decoded.expected_unread:
        return found
    return _doubt_changes(brightened, found)


def _doubt_changes(new: BoardObservation, old: BoardObservation) -> BoardObservation:
    """Doubt the squares, and the side, that only one of two readings in the same place shows."""
    moved_px = np.linalg.norm(new.grid.corners_px - old.grid.corners_px, axis=1).max()
    if moved_px > new.grid.cell_px / 2:
        return new
    doubted = {(doubt.row, doubt.column) for doubt in new.decoded.doubts}
    changed = (
        Doubt(row=row, column=column, reason=DoubtReason.UNSURE)
        for row, column in np.ndindex(*new.decoded.board.size)
        if new.decoded.board[row, column] != old.decoded.board[row, column] and (row, column) not in doubted
    )
    doubts = sorted((*new.decoded.doubts, *changed), key=lambda doubt: (doubt.row, doubt.column))
    return replace(
        new,
        decoded=replace(new.decoded, doubts=tuple(doubts)),
        is_orientation_certain=new.is_orientation_certain and old.is_orientation_certain,
    )
