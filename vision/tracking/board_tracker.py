"""Follow one board in a video: where it is, what moves, what changed, and what was read on it so far."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from vision.capture import Frame
from vision.core import BoardReading, Mask, Occupancy, Square, SquareProbabilities
from vision.detection import black_reason
from vision.recognition import MIN_VOTING_LETTERS, HeightMemory, SquareReader, vote_turn
from vision.rectification import read_squares
from vision.tracking.board_pose import displaced_cells, squares_behind
from vision.tracking.changes import ChangeDetector, add_neighbours
from vision.tracking.fusion import CROP_OFFSETS_XY, ReadingAccumulator
from vision.tracking.monitors import HIDDEN, FramingMonitor, UnrestMonitor
from vision.tracking.motion import BOARD, MotionDetector
from vision.tracking.occlusion import OcclusionEstimator
from vision.tracking.reach import ReachEstimator
from vision.tracking.registration import ViewRegistrar
from vision.tracking.thumbnail import CELL_PX, BoardThumbnail, ShrunkFrame, grid_from_thumbnail

__all__ = ["BoardTracker"]


@dataclass(frozen=True, slots=True, kw_only=True)
class TrackerSettings:
    """When the board is read, in part or as a whole, and turned. All values are chosen."""

    min_clear: float = 0.95
    """Probability of a square's most probable state, below which the next read covers the whole board."""
    min_strong_change: float = 2.0
    """Change of a square, as a multiple of the threshold, from which on `empty` is not believed without reading the
    whole board."""
    min_empty: float = 0.5
    """Probability from which on a square counts as empty."""
    min_shift_px: float = 0.05
    """Motion of the camera that the grid follows, in thumbnail pixels: the error of the registration is as large."""
    rest_s: float = 0.25
    """Seconds without motion that count as rest."""
    min_followed_cells: float = 0.1
    """Distance in cells from where the board was found, from which on the grid is checked against the board's lines."""
    read_every_s: float = 0.25
    """Seconds between reads of one rest, at least."""
    read_rest_share: float = 0.1
    """The same as a share of the rest: what many reads have not explained, one more will hardly explain."""
    max_misplaced_share: float = 0.05
    """Squares that move, counted in each frame of a movement, as a share of the board's, up to which the registration
    may have misplaced them; a hand moves more."""
    unregistered_s: float = 0.5
    """Seconds for which frames are left out that do not match the earlier ones."""
    min_placed_letters_to_turn: float = 1.5
    """Expected number of letters that tell which side is up, where they were seen to be placed: they are not print."""
    min_letter: float = 0.98
    """Probability of a letter before and now, from which another one is on the square. Tesseract is never that sure,
    and would take too long."""


SETTINGS = TrackerSettings()

_NO_LETTER = -1


class BoardTracker:
    """The board in view.

    Call `observe` with every frame; at rest `compare`, `read`, and once the board is explained `resolve`.

    Parameters
    ----------
    found : BoardReading
        Where the board is, and the first read of it.
    frame : Frame
        The frame in which it was found.
    reference : BoardThumbnail, optional
        The board as it was last resolved, for a game that goes on.

    Attributes
    ----------
    grid : Grid
        Where the board is, letters upright.
    frame : Frame
        The last frame that was not left out.
    changes : ChangeDetector
        What changed since the board was last resolved.
    occlusion : OcclusionEstimator
        What covers it.
    is_resolved : bool
        Whether the present rest is explained.
    is_reconsidered : bool
        Whether it is to be explained once more.
    motion_started_s : float
        Time at which the movement began that led to the present rest.
    n_reads : int
        Number of reads in the present rest.
    new_tiles : (rows, columns) bool
        Squares that changed and seem to hold a tile that the game does not have, by the last read.
    unrest_message : str or None
        Why the board does not come to rest, in the frame in which this is to be reported.
    framing_message : str or None
        That a part of the board stays out of the picture, in the frame in which this is to be reported.
    """

    def __init__(self, found: BoardReading, frame: Frame, reference: BoardThumbnail | None = None) -> None:
        self.grid, self.frame = found.grid, frame
        self._shrunk = ShrunkFrame.of(frame, found.grid)
        self._view = self._shrunk.thumbnail()
        self._readings = self._start_readings(found.probabilities)
        self._tile_heights = HeightMemory()
        self._registrar = ViewRegistrar(self._view)
        self._motion = MotionDetector(self._view, frame.time_s)
        self.changes = ChangeDetector((found.grid.rows, found.grid.columns), reference)
        self.occlusion = OcclusionEstimator(self._view, frame.time_s)
        self._reach = ReachEstimator(found.grid.rows, found.grid.columns)
        self.is_resolved = self.is_reconsidered = False
        self._has_open_squares = False
        self.n_reads = 0
        self.new_tiles: Mask = np.zeros((found.grid.rows, found.grid.columns), dtype=np.bool_)
        self._rested_tiles: Mask = self.new_tiles
        """The same, if no hand was over the board."""
        self._rested_before_s = 0.0
        """Seconds of earlier rests that showed these."""
        self._moved_share = 0.0
        """Squares that moved in the present movement, summed over its frames, as a share of the board's."""
        self._read_squares: Mask = np.ones((found.grid.rows, found.grid.columns), dtype=np.bool_)
        self._moved: Mask = np.zeros_like(self._read_squares)
        """Squares that moved since their letters were compared."""
        self._letters: NDArray[np.intp] = np.full(self._read_squares.shape, _NO_LETTER)
        """The letters that were surely read on each square when the board was last resolved."""
        self._unseen: Mask = np.zeros_like(self._read_squares)
        """Squares that were out of the frame since they were last read or compared in it."""
        self.motion_started_s = self._read_s = self._time_s = frame.time_s
        self._registered_s = frame.time_s
        self._found = found.grid
        self._unrest = UnrestMonitor(found.grid.rows, found.grid.columns, frame.time_s)
        self.unrest_message: str | None = None
        self._refusal = ""
        self._framing = FramingMonitor()
        self.framing_message: str | None = None

    @property
    def is_at_rest(self) -> bool:
        """Whether two views in a row show the same."""
        return self._motion.state.frames >= 2

    @property
    def rest_s(self) -> float:
        """Seconds since anything moved on the board."""
        return self._motion.state.rest_s

    @property
    def tiles_rest_s(self) -> float:
        """Seconds of rest with the present new tiles, in all rests since they came or a hand moved.

        A hand that lays nothing may be about to lay the next tile.
        """
        return self._rested_before_s + self.rest_s

    @property
    def around_s(self) -> float:
        """Seconds since anything moved next to the board."""
        return self._motion.state.around_s

    @property
    def since_read_s(self) -> float:
        """Seconds since the board was last read in the present rest; infinite if it was not."""
        return self._time_s - self._read_s if self.n_reads else np.inf

    def is_read_due(self, moments_s: Iterable[float]) -> bool:
        """Whether the last read of this rest is some time ago, or the tiles have rested for one of these since."""
        if self.since_read_s >= max(SETTINGS.read_every_s, SETTINGS.read_rest_share * self.rest_s):
            return True
        read_at_s = self.tiles_rest_s - self.since_read_s
        return any(read_at_s < moment_s <= self.tiles_rest_s for moment_s in moments_s)

    @property
    def unregistered_s(self) -> float:
        """Seconds since a frame matched the earlier ones; 0 if the last one did."""
        return self._time_s - self._registered_s

    @property
    def has_followed(self) -> bool:
        """Whether the grid was moved along with the camera since the board was found."""
        return displaced_cells(self.grid, self._found) > SETTINGS.min_followed_cells

    @property
    def has_moved(self) -> bool:
        """Whether the board seems to be at another place than before."""
        return self.changes.has_moved(self._view)

    @property
    def is_new(self) -> bool:
        """Whether the board has not been resolved since it came into view."""
        return self.changes.reference is None

    @property
    def probabilities(self) -> SquareProbabilities:
        """All reads of the board, fused."""
        return self._readings.fused()

    def skip(self, seconds: float) -> None:
        """Let time pass in which nothing was seen; it counts neither as rest nor as unrest."""
        self._time_s += seconds
        self._motion.skip(seconds)
        self._unrest.skip(seconds)

    def observe(self, frame: Frame) -> bool:
        """Take in a frame: what moves, and for how long nothing has.

        Returns
        -------
        bool
            False for a frame that is left out: it is black, or for a moment does not match the earlier ones.
        """
        passed_s, self._time_s = frame.time_s - self._time_s, frame.time_s
        self._view = self._shrink(frame).thumbnail(colours=False)
        if black := black_reason(self._view.grey[::4, ::4]):
            shift_px = None
        else:
            shift_px = self._follow_camera(frame) if self._motion.differs(self._view) else 0.0
        if shift_px is not None:
            self._registered_s = frame.time_s
        self.unrest_message = self._watch_unrest(frame.time_s, shift_px, black)
        self.framing_message = self._framing.update(frame.time_s, self.out_of_view)
        if black or 0.0 < self.unregistered_s < SETTINGS.unregistered_s:
            self._motion.skip(passed_s)
            return False
        self.frame = frame
        self._unseen |= self.out_of_view
        rested_s, motion = self.rest_s, self._motion.update(self._view, frame.time_s)
        self._reach.update(motion, passed_s, self._view.is_visible, is_resolved=self.is_resolved)
        if motion.frames == 0:
            if self.n_reads:
                self._rested_before_s += rested_s
            moved = (motion.squares_s <= 0.0) & ~motion.flickering
            self._moved |= moved
            self._moved_share += float(moved.mean())
            if self._moved_share > SETTINGS.max_misplaced_share:
                self._rested_before_s = 0.0
            if self.is_resolved:
                self.motion_started_s = frame.time_s
            self.is_resolved, self.is_reconsidered, self.n_reads = False, False, 0
        else:
            self._moved_share = 0.0
            came_into_view = self._unseen & ~self.out_of_view
            if self.is_resolved and came_into_view.any() and self._framing.rest_s >= SETTINGS.rest_s:
                self._motion.restart(came_into_view)
                self.is_resolved, self.is_reconsidered, self.n_reads = False, False, 0
        return True

    @property
    def out_of_view(self) -> Mask:
        """(rows, columns) the squares that cannot be read in the frame observed last."""
        return np.asarray(~self._view.is_readable[BOARD])

    @property
    def unknown(self) -> Mask:
        """(rows, columns) the squares out of view, but for those that changed and were read before they left it."""
        return self.out_of_view & ~(self.changes.changed & (self._readings.n_reads > 0))

    def _start_readings(self, probabilities: SquareProbabilities) -> ReadingAccumulator:
        """Begin with the first read of the board in the frame observed last."""
        readings = ReadingAccumulator(probabilities)
        readings.reset(self.out_of_view)
        return readings

    def _watch_unrest(self, time_s: float, shift_px: float | None, black: str) -> str | None:
        """Note for how long the board has not been at rest or seen; return why, if this is to be reported."""
        state, refusal = self._motion.state, black or self._refusal
        is_in_place = self.unregistered_s == 0.0 and not refusal
        is_resolved = self.is_resolved and not black
        if is_resolved or (is_in_place and state.rest_s >= SETTINGS.rest_s):
            self._unrest.clear(time_s)
            return None
        camera_px = None if shift_px is None else shift_px * self.grid.cell_px / CELL_PX
        return self._unrest.update(time_s, state.squares_s <= 0.0, camera_px, refusal)

    def note_place(self, refusal: str) -> None:
        """Note why the board of the game is not found in a frame at rest; "" where it is."""
        if self._refusal == HIDDEN != refusal:
            self._unrest.clear(self._time_s)
        self._refusal = refusal

    def _follow_camera(self, frame: Frame) -> float | None:
        """Move the grid along with the board in the picture.

        Returns the shift in thumbnail pixels; None if the view does not match the earlier ones.
        """
        registration = self._registrar.register(self._view)
        if registration is None:
            return None
        if registration.shift_px < SETTINGS.min_shift_px:
            return registration.shift_px
        grid_from_view = grid_from_thumbnail()
        moved = grid_from_view @ registration.view_from_reference @ grid_from_view.inverse
        self.grid = replace(self.grid, image_from_grid=self.grid.image_from_grid @ moved)
        self._view = self._shrink(frame).thumbnail(colours=False)
        return registration.shift_px

    def _shrink(self, frame: Frame) -> ShrunkFrame:
        """Shrink a frame at the present grid, once."""
        if self._shrunk.frame is not frame or self._shrunk.grid is not self.grid:
            self._shrunk = ShrunkFrame.of(frame, self.grid)
        return self._shrunk

    def compare(self, frame: Frame) -> None:
        """Find the squares that changed since the board was last resolved, in the frame observed last."""
        self._view = self._shrink(frame).thumbnail()
        behind = squares_behind(self.grid, *frame.size_px)
        self.changes.compare(self._view, self._motion.threshold, behind)
        self.occlusion.limit_to(self.changes.changed)

    def find_replaced(self, frame: Frame, recognizer: SquareReader) -> None:
        """Count tiles as changed over which a hand was, and which now surely show another letter than before.

        In a thumbnail, one letter looks like another.
        """
        squares = (self._letters != _NO_LETTER) & self._moved & ~self.changes.changed & ~self.out_of_view
        self._moved = np.zeros_like(self._moved)
        if squares.any():
            read = read_squares(frame.image_bgr, self.grid, recognizer, squares, heights=self._tile_heights)
            letters = _sure_letters(read)
            self.changes.add_replaced(squares & (letters != _NO_LETTER) & (letters != self._letters))

    def read(
        self, frame: Frame, recognizer: SquareReader, empty: Mask, orienting: Mask, uncertain: Mask
    ) -> None:
        """Read the squares that changed, and their neighbours: tiles lie across lines.

        Parameters
        ----------
        frame : Frame
            The frame observed last.
        recognizer : SquareReader
            Reads the squares.
        empty : (rows, columns) bool
            Squares without a tile of the game.
        orienting : (rows, columns) bool
            Squares whose letters may still tell which side of the board is up.
        uncertain : (rows, columns) bool
            Squares that are read again though they did not change.
        """
        has_moved = frame.time_s - self._motion.state.squares_s > self._read_s
        came_into_view = self._unseen & ~self.out_of_view
        self._readings.reset(has_moved & (self.changes.changed | self._read_squares) | came_into_view)
        self._unseen &= self.out_of_view
        squares = add_neighbours(self.changes.changed) | (self._readings.n_reads == 0) | uncertain
        squares &= ~self.out_of_view
        self._read_squares, self._read_s = squares, frame.time_s
        if self.is_new and self.n_reads:  # all squares of a new board count as changed; most are empty
            squares = squares & add_neighbours(
                self.probabilities.occupancy[..., Occupancy.EMPTY] < SETTINGS.min_clear
            )
        # The recognizer tells a blank from a square by the colours of the whole board.
        window = None if self.n_reads and self._is_unclear(squares) else squares
        offset_xy = CROP_OFFSETS_XY[self.n_reads % len(CROP_OFFSETS_XY)]
        if squares.any():
            read = read_squares(frame.image_bgr, self.grid, recognizer, window, offset_xy, self._tile_heights)
            self._readings.add(read, squares)
        self.n_reads += 1
        # Two letters will do where they were seen to be placed; print is not.
        least = MIN_VOTING_LETTERS if self.is_new else SETTINGS.min_placed_letters_to_turn
        probabilities = self.probabilities
        turns = vote_turn(probabilities, self.changes.changed & orienting, least).clear_turns
        if turns:
            self._rotate(turns, frame, recognizer, least)
            probabilities = self.probabilities
        motion = self._motion
        self.occlusion.estimate(
            self._view, probabilities, self.changes, motion.state, motion.threshold, frame.time_s
        )
        self.new_tiles = probabilities.shows_tile & self.changes.changed & empty
        is_free = not (self.occlusion.occluded.any() or self.occlusion.reached_over)
        rested = self.new_tiles & is_free
        if not rested.any() or (rested != self._rested_tiles).any():
            self._rested_before_s = 0.0
        self._rested_tiles = rested

    def _is_unclear(self, squares: Mask) -> bool:
        """Whether it is unclear if anything is on one of these squares, by all reads and by what changed."""
        occupancy = self.probabilities.occupancy
        seems_empty = occupancy[..., Occupancy.EMPTY] > SETTINGS.min_empty
        unclear = squares & (occupancy.max(axis=-1) < SETTINGS.min_clear)
        return bool((unclear | (seems_empty & (self.changes.strength > SETTINGS.min_strong_change))).any())

    def hand_direction(self, squares: Sequence[Square]) -> tuple[float, float] | None:
        """Direction in the frame from which the hand came that changed these squares; None if it is not clear."""
        return self._reach.direction(self.grid, squares)

    def resolve(self, but: Iterable[Square] = ()) -> None:
        """Take the present view as explained, apart from some squares: what looks different later has changed."""
        open_squares = list(but)
        self.changes.set_reference(self._view, open_squares)
        seen = self.probabilities
        letters, is_bare = _sure_letters(seen), seen.occupancy[..., Occupancy.EMPTY] > SETTINGS.min_empty
        self._letters = np.where((letters != _NO_LETTER) | is_bare, letters, self._letters)
        self._registrar.set_reference(self._view)
        self.occlusion.clear()
        self._reach.clear()
        self._unseen &= self.out_of_view
        self.is_resolved, self.is_reconsidered, self._refusal = True, False, ""
        self._has_open_squares = bool(open_squares)
        self._rested_tiles = np.zeros_like(self._rested_tiles)

    def reconsider(self) -> None:
        """Let squares that were left open be explained once more in this rest: the game has changed."""
        self.is_reconsidered = self.is_resolved and self._has_open_squares
        if self.is_reconsidered:
            self.n_reads = 0

    def move_to(self, found: BoardReading, frame: Frame) -> None:
        """Go on with a board that was found at another place; what was read at the old one says nothing."""
        self.grid = self._found = found.grid
        self._refusal = ""
        self.compare(frame)
        self._readings = self._start_readings(found.probabilities)
        self._registrar.set_reference(self._view)
        self._registered_s = frame.time_s
        self._motion.replace_view(self._view)
        self.occlusion.replace_view(self._view)

    def _rotate(self, quarter_turns: int, frame: Frame, recognizer: SquareReader, least: float) -> None:
        """Name the grid from another side, if the letters agree that they are upright there."""
        grid = self.grid.rotate(quarter_turns)
        probabilities = read_squares(frame.image_bgr, grid, recognizer, heights=self._tile_heights)
        if not vote_turn(probabilities, np.rot90(self.changes.changed, quarter_turns), least).is_upright:
            return
        self.grid = self._found = grid
        self._view = self._shrink(frame).thumbnail()
        self._readings = self._start_readings(probabilities)
        self._unseen = self.out_of_view
        self._registrar.set_reference(self._view)
        self._motion.rotate(quarter_turns, self._view)
        self.changes.rotate(quarter_turns)
        self.occlusion.rotate(quarter_turns, self._view)
        self._reach.rotate(quarter_turns)
        self._read_squares = np.ones((grid.rows, grid.columns), dtype=np.bool_)
        self._rested_tiles = np.rot90(self._rested_tiles, quarter_turns)
        self._moved = np.rot90(self._moved, quarter_turns)
        self._letters = np.rot90(self._letters, quarter_turns)


def _sure_letters(reading: SquareProbabilities) -> NDArray[np.intp]:
    """Return the number (rows, columns) of the letter that each square surely shows."""
    tile = reading.occupancy[..., Occupancy.TILE]
    is_sure = np.minimum(tile, reading.letters.max(axis=-1)) > SETTINGS.min_letter
    return np.where(is_sure, reading.letters.argmax(axis=-1), _NO_LETTER)
