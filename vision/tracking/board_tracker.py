"""What a film shows of one board: where it lies, what moves, what changed, and what was read there so far."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.capture import Frame
from vision.core import BoardReading, Occupancy
from vision.recognition import MIN_VOTING_LETTERS, SquareReader, vote_turn
from vision.tracking.board_pose import look
from vision.tracking.fusion import FRAMINGS_XY, ReadingAccumulator
from vision.tracking.motion import (
    BOARD,
    MotionDetector,
    cell_change,
    cell_slope,
    colour_change,
    gain_between,
    lit_alike,
)
from vision.tracking.thumbnail import CELL_PX, MARGIN_CELLS, BoardThumbnail, preview

__all__ = ["BoardTracker"]

Mask = NDArray[np.bool_]

MOVED_SHARE = 0.3
"""Of the squares: a hand with its sleeve hides a quarter; a board that was moved changes nearly everywhere."""
MOVED_PX = 0.5
"""Of the preview, a sixteenth of a cell: from there on letters are read worse."""
MISPLACED_PX = 0.3
"""Of the preview: how well a place that is found again agrees with the old one, small shifts apart."""
COLOUR_SHARE = 0.5
"""Of a difference of colour that counts, beside one of brightness: the light's colour changes more easily."""
HIDDEN_FROM = 0.5
CLEAR, STRONG = 0.95, 2.0
"""Probability of what lies on a square, or that nothing does, below which the next look takes in the whole board;
and how strongly a square may change and yet look empty."""
OBJECT_AFTER_S = 4.0
"""What covers squares and has not stirred for so long is no hand but a cup or a sleeve that stays."""
LAID_TO_TURN = 1.5
FINGERS = 2
"""Cells of the rim, each with the square inside of it, that a hand covers at least when it reaches over."""


class BoardTracker:
    """The board in view.

    Parameters
    ----------
    pose : BoardReading
        Where it lies, and the first look at it.
    frame : Frame
        The frame in which it was found.
    reference : Preview, optional
        The board as it was last understood, for a game that goes on.

    Attributes
    ----------
    grid : Grid
        Where it lies.
    evidence : SquareEvidence
        What was read.
    rest_s, around_s : float
        Seconds since anything moved on the board, and beside it.
    changed : (rows, columns) bool
        Squares that look otherwise than when the board was last understood.
    strength : (rows, columns) float64
        How strongly each square changed, as a multiple of what counts as a change; 0 while nothing is known.
    hidden : (rows, columns) bool
        Those of them that a hand covers, or what else may soon move on.
    objects : (rows, columns) bool
        Those of them that something covers which stays.
    reached_over : bool
        Whether something lies over the board's edge that did not then: a hand that has not left.
    decided : bool
        Whether the present rest is understood.
    stirred_s : float
        When the movement began that led to the present rest.
    looks : int
        Looks at the present rest.
    """

    def __init__(self, pose: BoardReading, frame: Frame, reference: BoardThumbnail | None = None) -> None:
        self.grid = pose.grid
        self.evidence = ReadingAccumulator(pose.probabilities)
        self._view = preview(frame.image_bgr, pose.grid)
        self._watch = MotionDetector(self._view, frame.time_s)
        self._reference = reference
        shape = (pose.grid.rows, pose.grid.columns)
        self.changed: Mask = np.ones(shape, dtype=np.bool_)
        self.strength = np.zeros(shape)
        self.hidden: Mask = np.zeros(shape, dtype=np.bool_)
        self.objects: Mask = self.hidden
        self._looked: Mask = np.ones(shape, dtype=np.bool_)
        self.rest_s, self.around_s, self._still_frames = 0.0, 0.0, 0
        self._still_s = np.zeros(shape)
        self._last_look = self._view
        self._alike_since_s = np.full(
            (shape[0] + 2 * MARGIN_CELLS, shape[1] + 2 * MARGIN_CELLS), frame.time_s
        )
        self._restless: Mask = self.hidden
        self.decided, self.looks, self.reached_over = False, 0, False
        self.stirred_s = self._looked_s = self._began_s = frame.time_s
        self._time_s = frame.time_s
        self._rim_touched = True
        self._fingers: Mask = _border(self.hidden)

    @property
    def at_rest(self) -> bool:
        """Whether two views in a row show the same."""
        return self._still_frames >= 2

    @property
    def since_look_s(self) -> float:
        """Seconds since the present rest was last looked at; many if it was not yet."""
        return self._time_s - self._looked_s if self.looks else np.inf

    @property
    def has_moved(self) -> bool:
        """Whether the board seems to lie elsewhere than it did."""
        if self._reference is None:
            return True
        if self.changed.mean() > MOVED_SHARE:
            return True
        window = cv2.createHanningWindow(self._view.grey.shape[::-1], cv2.CV_32F)
        (x, y), _ = cv2.phaseCorrelate(self._reference.grey, self._view.grey, window)
        return float(np.hypot(x, y)) > MOVED_PX

    def pass_over(self, seconds: float) -> None:
        """So much time has passed in which nothing was seen; it counts as no rest."""
        self._watch.pass_over(seconds)

    def observe(self, frame: Frame) -> None:
        """Takes in a frame: what moves, and for how long nothing has."""
        self._time_s = frame.time_s
        self._view = preview(frame.image_bgr, self.grid, colours=False)
        still = self._watch.update(self._view, frame.time_s)
        self._still_s, self._still_frames = still.still_s, still.frames
        self._restless = still.restless
        self.rest_s, self.around_s = still.rest_s, still.around_s
        if still.frames == 0:
            if self.decided:
                self.stirred_s = frame.time_s
            self.decided, self.looks = False, 0

    @property
    def reference(self) -> BoardThumbnail | None:
        """The board as it was last understood."""
        return self._reference

    @property
    def _letters_to_turn(self) -> float:
        """How many letters say which side is up: two will do if they were seen to be laid, for print they are not."""
        return MIN_VOTING_LETTERS if self.is_new else LAID_TO_TURN

    @property
    def is_new(self) -> bool:
        """Whether the board has not been understood since it came into view."""
        return self._reference is None

    def compare(self, frame: Frame) -> None:
        """Finds the squares that look otherwise than when the board was last understood.

        Parameters
        ----------
        frame : Frame
            The frame observed last.
        """
        self._view = preview(frame.image_bgr, self.grid)
        if self._reference is None:
            self.changed = np.ones(self.changed.shape, dtype=np.bool_)
        else:
            change = cell_change(self._view, self._reference) - MISPLACED_PX * cell_slope(self._view)
            colours = COLOUR_SHARE * colour_change(self._view, self._reference)
            self.strength = np.maximum(change, colours)[BOARD] / self._watch.threshold
            self.changed = self.strength > 1.0
            rim = _rim(change)
            self._rim_touched = bool((rim > self._watch.threshold).any())
            # A hand changes the squares inside of the rim, too.
            self._fingers = (rim > 2 * self._watch.threshold) & _border(self.changed)
        self.hidden, self.objects = self.hidden & self.changed, self.objects & self.changed

    def look(self, frame: Frame, reader: SquareReader, any_side_up: Mask, doubted: Mask) -> None:
        """Reads the squares that changed, and their neighbours: tiles lie across lines.

        Parameters
        ----------
        frame : Frame
            The frame observed last.
        reader : SquareReader
            What reads the cells.
        any_side_up : (rows, columns) bool
            Squares whose letters may still say which side of the board is up.
        doubted : (rows, columns) bool
            Squares that are read again though they did not change.
        """
        moved = frame.time_s - self._still_s > self._looked_s
        self.evidence.forget(moved & (self.changed | self._looked))
        squares: Mask = _grown(self.changed) | (self.evidence.looks == 0) | doubted
        framing_xy = FRAMINGS_XY[self.looks % len(FRAMINGS_XY)]
        # The reader tells a blank from a square by the colours of the whole board.
        seen = None if self.looks and self._is_unclear(squares) else squares
        self.evidence.add(look(frame.image_bgr, self.grid, reader, seen, framing_xy), squares)
        self._looked, self._looked_s = squares, frame.time_s
        self.looks += 1
        reading = self.evidence.reading()
        turn = vote_turn(reading, self.changed & any_side_up, self._letters_to_turn).clear_turns
        if turn:
            self._turn(turn, frame, reader)
            reading = self.evidence.reading()
        covered = (reading.occupancy[..., Occupancy.COVERED] > HIDDEN_FROM) & self.changed
        # Some plain squares look like skin. A hand has moved since the board came into view, and comes over
        # the board's edge.
        moved = frame.time_s - self._still_s > self._began_s
        # A hand that passes over a cup leaves it as it was.
        self._alike_since_s[cell_change(self._view, self._last_look) > self._watch.threshold] = frame.time_s
        self._last_look = self._view
        old = frame.time_s - self._alike_since_s >= OBJECT_AFTER_S
        stays = old[BOARD] | self._restless
        covered &= moved & self._rim_touched
        self.hidden, self.objects = covered & ~stays, covered & stays
        tiles = (reading.occupancy[..., [Occupancy.TILE, Occupancy.BLANK]].sum(axis=-1) > 0.5) & self.changed
        # A tile at the edge rises over the rim beside it; a change of most of the rim is the light's.
        fingers = self._fingers & ~_border(_grown(tiles)) & ~_rim(old)
        self.reached_over = FINGERS <= int(fingers.sum()) < fingers.size / 2

    def _is_unclear(self, squares: Mask) -> bool:
        """Whether something may lie on one of these squares or not, by all looks so far and by what changed."""
        occupancy = self.evidence.reading().occupancy
        unchanged = occupancy[..., Occupancy.EMPTY] > HIDDEN_FROM
        return bool(
            (squares & (occupancy.max(axis=-1) < CLEAR) | (unchanged & (self.strength > STRONG))).any()
        )

    def accept(self, but: Iterable[tuple[int, int]] = ()) -> None:
        """The present view is understood: what looks otherwise from now on has changed.

        Parameters
        ----------
        but : iterable of (row, column)
            Squares that are not: they still count as changed.
        """
        (grey, chroma), then, left = (self._view.grey, self._view.chroma), self._reference, list(but)
        if left and then is not None:
            whole = np.zeros((grey.shape[0] // CELL_PX, grey.shape[1] // CELL_PX), dtype=np.uint8)
            for square in left:
                whole[BOARD][square] = 1
            kept = cv2.resize(whole, grey.shape[::-1], interpolation=cv2.INTER_NEAREST) > 0
            if chroma is not None and then.chroma is not None:
                chroma = np.where(whole[..., None] > 0, then.chroma * gain_between(then.grey, grey), chroma)
            grey = np.where(kept, lit_alike(then.grey, grey), grey)
        self._reference = BoardThumbnail(grey=grey, chroma=chroma)
        self.changed = np.zeros(self.changed.shape, dtype=np.bool_)
        self.hidden = self.objects = self.changed
        self.decided = True

    def move_to(self, pose: BoardReading, frame: Frame) -> None:
        """The board was found at another place; what was read at the old one says nothing."""
        self.grid = pose.grid
        self.evidence = ReadingAccumulator(pose.probabilities)
        self.compare(frame)
        self._watch.see_from_elsewhere(self._view)
        self._last_look = self._view

    def _turn(self, quarter_turns: int, frame: Frame, reader: SquareReader) -> None:
        """Names the grid from another side, if the letters there agree that they stand upright now."""
        grid = self.grid.rotate(quarter_turns)
        reading = look(frame.image_bgr, grid, reader)
        if not vote_turn(reading, np.rot90(self.changed, quarter_turns), self._letters_to_turn).is_upright:
            return
        self.grid = grid
        self.evidence = ReadingAccumulator(reading)
        self._view = preview(frame.image_bgr, grid)
        self._watch.turn(quarter_turns, self._view)
        self.changed = np.rot90(self.changed, quarter_turns)
        self.strength = np.rot90(self.strength, quarter_turns)
        if self._reference is not None:
            self._reference = self._reference.rotate(quarter_turns)
        self._looked = np.ones(self.changed.shape, dtype=np.bool_)
        self._still_s = np.rot90(self._still_s, quarter_turns)
        self._restless = np.rot90(self._restless, quarter_turns)
        self._last_look, self._alike_since_s = self._view, np.rot90(self._alike_since_s, quarter_turns).copy()


def _grown(squares: Mask) -> Mask:
    """The squares and their neighbours."""
    return np.asarray(cv2.dilate(squares.astype(np.uint8), np.ones((3, 3), np.uint8)) > 0)


def _rim(cells: NDArray[Any]) -> NDArray[Any]:
    """The cells that touch the grid from outside, side by side with `_border`."""
    ring = cells[MARGIN_CELLS - 1 : 1 - MARGIN_CELLS, MARGIN_CELLS - 1 : 1 - MARGIN_CELLS]
    return np.concatenate([ring[0, 1:-1], ring[-1, 1:-1], ring[1:-1, 0], ring[1:-1, -1]])


def _border(squares: Mask) -> Mask:
    """The squares at the grid's edge."""
    return np.concatenate([squares[0], squares[-1], squares[:, 0], squares[:, -1]])
