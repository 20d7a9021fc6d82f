"""Re-weight the occupancy of a reading by earlier pictures: changes since the last board, and the empty board."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import cv2
import numpy as np

from scoring import Board
from vision.core import (
    DEVIATION_FROM_MAD,
    Floats,
    Image,
    Mask,
    Occupancy,
    RectifiedBoard,
    SquareProbabilities,
    empty_squares,
)

__all__ = ["compare_with_empty_board", "weigh_changed_squares"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeSettings:
    """What a change of a square's pixels proves; all chosen.

    Parameters
    ----------
    empty_though_changed : float
        Factor of P(empty) of a changed square: shadows and nudges change empty squares too, but fewer than tiles do.
    strong_change : float
        Strength from which the factor falls with the square of the strength.
    max_tiles_placed : int
        Changed squares up to which a change counts fully: two plays change fewer.
    min_light_changed : int
        Changed squares from which a change proves nothing: a lamp, or another pose of the board, changes more.
    covered_by_nothing : float
        Factor of P(covered) of an empty square while no hand reaches over the board's edge.
    """

    empty_though_changed: float = 0.1
    strong_change: float = 2.0
    max_tiles_placed: int = 14
    min_light_changed: int = 60
    covered_by_nothing: float = 0.01


CHANGES = ChangeSettings()


def weigh_changed_squares(
    reading: SquareProbabilities, strength: Floats, board: Board, *, may_hide: bool
) -> SquareProbabilities:
    """Make emptiness less probable on squares that were empty and whose pixels changed.

    Parameters
    ----------
    reading : SquareProbabilities
        What the reader saw.
    strength : (rows, columns) float64
        How strongly each square changed; above 1 counts as a change.
    board : Board
        The board before.
    may_hide : bool
        Whether a hand or a thing that came over the board's edge can cover empty squares. Covered tiles are believed
        in any case: no tile looks covered by itself.
    """
    was_empty = empty_squares(board)
    changed = strength > 1.0
    excess = int(changed.sum()) - CHANGES.max_tiles_placed
    unreliability = excess / (CHANGES.min_light_changed - CHANGES.max_tiles_placed)
    filled = changed & was_empty
    factors = CHANGES.empty_though_changed * np.minimum(1.0, (CHANGES.strong_change / strength[filled]) ** 2)
    occupancy = reading.occupancy.copy()
    occupancy[filled, Occupancy.EMPTY] *= np.maximum(factors, min(max(unreliability, 0.0), 1.0)).astype(
        np.float32
    )
    if not may_hide:
        occupancy[was_empty, Occupancy.COVERED] *= CHANGES.covered_by_nothing
    occupancy /= occupancy.sum(axis=-1, keepdims=True)
    return replace(reading, occupancy=occupancy)


@dataclass(frozen=True, slots=True, kw_only=True)
class BackgroundSettings:
    """The comparison with the empty board; all chosen.

    Parameters
    ----------
    min_empty : float
        Probability from which a square is certainly empty: the light is measured on these.
    min_empty_squares : int
        Number of certainly empty squares that is needed.
    max_same, min_different : float
        Deviations of the empty squares' differences, up to which a square looks empty, and from which it does not.
    min_deviation, min_difference : float
        Least deviation, and least difference of a square that does not look empty, in grey levels: a shadow's edge
        changes a square by less.
    log_odds : float
        Log-odds that the comparison adds. It is wrong once in twenty times: shadows fall, and there are tiles of the
        board's own colour.
    max_difference : float
        Difference, in grey levels, above which a square counts no more for the side from which the empty board is
        compared. Of 24 rendered photos with a shadow over a third of the board, the mean of such limited differences
        takes another side in 3, that of all in 7.
    border_share : int
        The part ``1 / border_share`` of a cell is left out on each side, where lines and neighbours are.
    """

    min_empty: float = 0.9
    min_empty_squares: int = 30
    max_same: float = 3.0
    min_different: float = 8.0
    min_deviation: float = 1.5
    min_difference: float = 14.0
    log_odds: float = math.log(20.0)
    max_difference: float = 28.0
    border_share: int = 8


BACKGROUND = BackgroundSettings()

_SHIFTS = ((1, 0), (-1, 0), (0, 1), (0, -1))
"""Shifts of the empty board, in pixels, that are tried besides none."""


def compare_with_empty_board(
    reading: SquareProbabilities, rectified: RectifiedBoard, empty_bgr: Image
) -> SquareProbabilities:
    """Re-weight the occupancy by how much each square looks as it did when it was empty.

    Parameters
    ----------
    reading : SquareProbabilities
        What a reader saw.
    rectified : RectifiedBoard
        The board that it read.
    empty_bgr : (rows * cell, columns * cell, 3) uint8
        The empty board from above, named from any of its sides.

    Returns
    -------
    SquareProbabilities
        Unchanged where too few squares are certainly empty.
    """
    rows, columns = rectified.rows, rectified.columns
    empties = reading.occupancy[..., Occupancy.EMPTY] > BACKGROUND.min_empty
    if (
        empties.sum() < BACKGROUND.min_empty_squares
        or empty_bgr.shape[0] // rows != empty_bgr.shape[1] // columns
    ):
        return reading
    cell_px = empty_bgr.shape[0] // rows
    size = (columns * cell_px, rows * cell_px)
    image_bgr = np.asarray(cv2.resize(rectified.interior_bgr, size, interpolation=cv2.INTER_AREA), np.uint8)
    difference = _smallest_difference(image_bgr, empty_bgr, empties, cell_px)
    usual = float(np.median(difference[empties]))
    mad = float(np.median(np.abs(difference[empties] - usual)))
    deviations = (difference - usual) / max(DEVIATION_FROM_MAD * mad, BACKGROUND.min_deviation)
    log_odds = np.where(deviations < BACKGROUND.max_same, BACKGROUND.log_odds, 0.0)
    is_different = (deviations > BACKGROUND.min_different) & (difference > BACKGROUND.min_difference)
    log_odds = np.where(is_different, -BACKGROUND.log_odds, log_odds)
    occupancy = reading.occupancy.astype(np.float64)
    occupancy[..., Occupancy.EMPTY] *= np.exp(log_odds)
    occupancy /= occupancy.sum(axis=-1, keepdims=True)
    return replace(reading, occupancy=occupancy.astype(np.float32))


def _smallest_difference(image_bgr: Image, empty_bgr: Image, empties: Mask, cell_px: int) -> Floats:
    """Return the difference (rows, columns) from the empty board, over its sides and small shifts.

    Parameters
    ----------
    image_bgr, empty_bgr : (rows * cell_px, columns * cell_px, 3) uint8
        The board now, and when it was empty.
    empties : (rows, columns) bool
        The squares that are certainly empty now.
    cell_px : int
        Side of a cell in pixels.
    """
    rows, columns = empties.shape
    inside = _inside_of_squares(rows, columns, cell_px)
    turns = range(4) if rows == columns else (0, 2)
    # boards look much the same from all four sides; the few squares with colours and texts do not
    sides = [_match_light(np.rot90(empty_bgr, turn), image_bgr, empties, cell_px) for turn in turns]
    unshifted = [_difference(image_bgr, side_bgr, inside, cell_px) for side_bgr in sides]
    limited = [np.minimum(difference[empties], BACKGROUND.max_difference).mean() for difference in unshifted]
    best = int(np.argmin(limited))
    shifted = [
        _difference(image_bgr, np.roll(sides[best], shift, axis=(0, 1)), inside, cell_px) for shift in _SHIFTS
    ]
    return np.asarray(np.minimum.reduce([unshifted[best], *shifted]))


def _inside_of_squares(rows: int, columns: int, cell_px: int) -> Image:
    """Return an image that is 255 inside of the squares and 0 on their borders."""
    square = np.zeros((cell_px, cell_px, 3), np.uint8)
    border = max(1, cell_px // BACKGROUND.border_share)
    square[border:-border, border:-border] = 255
    return np.tile(square, (rows, columns, 1))


def _match_light(empty_bgr: Image, image_bgr: Image, empties: Mask, cell_px: int) -> Image:
    """Scale the empty board's colours to those of the image, by the squares that are certainly empty."""
    empty = np.ascontiguousarray(empty_bgr)
    now, then = (_square_means(image, cell_px)[empties] for image in (image_bgr, empty))
    gain = np.median(now / np.maximum(then, 1.0), axis=0)
    return np.asarray(cv2.multiply(empty, np.array([*gain.tolist(), 0.0])), np.uint8)


def _square_means(image: Image, cell_px: int) -> Floats:
    """Return the mean (rows, columns, 3) of each square."""
    size = (image.shape[1] // cell_px, image.shape[0] // cell_px)
    return np.asarray(cv2.resize(image, size, interpolation=cv2.INTER_AREA), np.float64)


def _difference(image_bgr: Image, empty_bgr: Image, inside: Image, cell_px: int) -> Floats:
    """Return the mean difference (rows, columns) inside of each square, in grey levels."""
    difference = np.asarray(cv2.bitwise_and(cv2.absdiff(image_bgr, empty_bgr), inside), np.uint8)
    share = float(inside.mean()) / 255
    return np.asarray(_square_means(difference, cell_px).mean(axis=-1) / share, np.float64)
