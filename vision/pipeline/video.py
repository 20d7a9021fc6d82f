"""Track a game in a video: watch each frame cheaply, read a board at rest, and report what happened."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from scoring import Game, Placement, Premium
from vision.capture import Frame, Interruption
from vision.core import DecodedBoard, Grid, Mask, Square, empty_squares, is_rotated
from vision.decoding import weigh_changed_squares
from vision.errors import BoardNotFoundError, SettingsError
from vision.game_events import (
    BoardDifference,
    Command,
    GameUpdate,
    Notice,
    NoticeKind,
    StableBoard,
    TurnDetector,
    UpdateBatch,
    Verb,
    apply_command,
    count_plays,
    differing_squares,
    expect_words,
    label_withdrawal,
)
from vision.observation import MIRRORED, OTHER_BOARDS, BoardObservation
from vision.pipeline.checks import EditionMismatches
from vision.pipeline.displaced_tiles import read_displaced_tiles
from vision.pipeline.extent import cover_squares
from vision.pipeline.mirrored_film import reread_plays
from vision.pipeline.photo import decode_board
from vision.pipeline.recognizers import GameContext
from vision.rectification import rectify
from vision.tracking import BoardThumbnail, BoardTracker, Redetector, SourceGaps

__all__ = ["VideoTracker", "track_video"]


@dataclass(frozen=True, slots=True, kw_only=True)
class VideoSettings:
    """When a board at rest is read, and when it is decided what it means. All values are chosen."""

    read_after_s: float = 0.25
    """Seconds of rest before the first read."""
    decide_after_s: float = 1.0
    """Seconds of rest before a play counts as finished: a hand that fetches the next tile is away for less."""
    decide_late_s: float = 1.3
    """Seconds of rest after which a short play is reported, and an uncertain one with its doubt, and motion next to the
    board is no longer waited for."""


SETTINGS = VideoSettings()

Explain = Callable[[Command], tuple[GameUpdate, ...]]


def track_video(frames: Iterable[Frame | Interruption], tracker: VideoTracker) -> Iterator[UpdateBatch]:
    """Follow a game by its video.

    Parameters
    ----------
    frames : iterable of Frame or Interruption
        The video.
    tracker : VideoTracker
        Follows the game.

    Yields
    ------
    UpdateBatch
        What a frame or an interruption gave, if anything.
    """
    for item in frames:
        batch = tracker.interrupt(item) if isinstance(item, Interruption) else tracker.see(item)
        if batch is not None:
            yield batch
    batch = tracker.finish()
    if batch is not None:
        yield batch


class VideoTracker:
    """Follows a game frame by frame.

    Parameters
    ----------
    game : Game
        The game before the first frame.
    context : GameContext
        What the frames are read with.
    corners_px : four (x, y), optional
        The grid's outer corners; the board is then not searched.
    last_event_s : float, optional
        Time of the game's last event, for a game that goes on.
    reference : BoardThumbnail, optional
        How the board looked then.
    may_replay : bool
        Whether the frames may be from before the game's last event, as in a recording that is shown again.
    """

    def __init__(
        self,
        game: Game,
        context: GameContext,
        *,
        corners_px: Sequence[Sequence[float]] | None = None,
        last_event_s: float | None = None,
        reference: BoardThumbnail | None = None,
        may_replay: bool = False,
    ) -> None:
        self._context = context
        self._turns = TurnDetector(game, last_event_s, may_replay=may_replay)
        self._redetector = Redetector(context.recognizer, corners_px)
        self._mismatches = EditionMismatches(game.edition)
        self._board: BoardTracker | None = None
        self._reference = reference
        self._first_reading: DecodedBoard | None = None
        self._n_reads = 0
        self._gaps = SourceGaps()
        self._decided_grid: Grid | None = None
        self._last: Frame | None = None
        layout = game.edition.layout
        self._is_printed = np.array([[p is not Premium.PLAIN for p in row] for row in layout.premiums])

    @property
    def game(self) -> Game:
        """The game now."""
        return self._turns.game

    @property
    def grid(self) -> Grid | None:
        """Where the board is; None while it is not found."""
        return self._board.grid if self._board is not None else None

    @property
    def is_mirrored(self) -> bool:
        """Whether the frames are mirrored; `grid` is then the board's place in their mirror image."""
        return self._redetector.is_mirrored

    @property
    def n_reads(self) -> int:
        """Number of times that the board was read."""
        return self._n_reads

    @property
    def never_found(self) -> bool:
        """Whether the board was in none of the frames."""
        return self._last is not None and self._board is None and not self._n_reads

    @property
    def reference(self) -> BoardThumbnail | None:
        """How the board looked when it was last resolved."""
        return self._board.changes.reference if self._board is not None else self._reference

    @property
    def state(self) -> str:
        """What is going on, in a few words."""
        board = self._board
        if board is None:
            return "searching for the board"
        if board.is_resolved:
            return "the board rests"
        if board.occlusion.occluded.any():
            return "something covers the board"
        return "reading" if board.n_reads else "something moves"

    def see(self, frame: Frame) -> UpdateBatch | None:
        """Take in a frame; return what it gave, if anything."""
        if self.is_mirrored:
            frame = frame.mirror()
        if self._last is not None and frame.image_bgr.shape != self._last.image_bgr.shape:
            if self._board is not None:
                self._redetector.forget(self._board.grid, self._last, frame)
            self._reference = self.reference
            self._board = None  # pixels of another resolution say nothing about the old place
        elif self._last is not None and self._board is not None:
            unseen_s = self._gaps.measure(frame.time_s - self._last.time_s)
            if unseen_s:
                self._board.skip(unseen_s)
        self._last = frame
        batch = self._search(frame) if self._board is None else self._watch(frame, self._board)
        return self._with_notices(batch, self._last)

    def interrupt(self, interruption: Interruption) -> UpdateBatch | None:
        """Report that frames are missing, or come again. What changed meanwhile shows in these."""
        if not interruption.message:
            return None
        kind = NoticeKind.RETURNED if interruption.over else NoticeKind.INTERRUPTED
        return self._batch(notices=(Notice(kind, interruption.message),))

    def apply_command(self, command: Command, explain: Explain | None = None) -> UpdateBatch | None:
        """Apply a command, as `explain_command` does by default; if it is not possible, report the reason."""
        try:
            updates = (explain or self.explain_command)(command)
        except SettingsError as error:
            return self._batch(notices=(Notice(NoticeKind.UNCLEAR, str(error)),))
        return self._batch(updates, (*self.apply_external(updates), *self._turns.confirm(command, updates)))

    def explain_command(self, command: Command) -> tuple[GameUpdate, ...]:
        """Return what a command changes in the game, which is not changed yet.

        Raises
        ------
        SettingsError
            If the command is not possible in this game.
        """
        if command.verb is not Verb.BOARD:
            time_s = self._last.time_s if self._last is not None else 0.0
            label = label_withdrawal(command, self.game) if self._turns.has_just_withdrawn(time_s) else ()
            return label or apply_command(command, self.game)
        if command.words == ("wait",):
            self._turns.await_removal()
            return ()
        expect_words(command.words, 0, "board")
        return self._turns.take_board()

    def apply_external(self, updates: tuple[GameUpdate, ...]) -> tuple[Notice, ...]:
        """Go on from what users stated; return what they should look at."""
        if not updates:
            return ()
        if self._board is not None:
            self._board.reconsider()  # squares that were left open may be explained now
        return self._turns.apply_external(updates)

    @property
    def difference(self) -> BoardDifference | None:
        """Where the board and the record differ, if users are to see that now."""
        return self._turns.difference

    def lock_squares(self, squares: Iterable[Square]) -> None:
        """Let no read correct the tiles on these squares, and on these only: users stated them."""
        self._turns.lock_squares(squares)

    def expect_removal(self, tiles: Iterable[Placement]) -> None:
        """Take these tiles as withdrawn by a user, though they may stay until somebody lifts them."""
        self._turns.expect_removal(tiles)

    def end_turn(self) -> None:
        """Take the last play as finished: its player has started the other's clock."""
        self._turns.end_turn()

    def finish(self) -> UpdateBatch | None:
        """Return what the last frame gives, now that none follows."""
        board, frame = self._board, self._last
        if board is None or frame is None:
            unreported = self._redetector.unreported
            return self._batch(notices=self._turns.notify(unreported)) if unreported else None
        if not (board.is_resolved or board.n_reads or board.unregistered_s):  # something moves to the end
            board.compare(frame)
            self._read(frame, board)
        batch = self._decide(board, is_last=True) if board.n_reads and not board.is_resolved else None
        is_settled = board.is_resolved or board.rest_s >= SETTINGS.decide_late_s
        notices = self._turns.check_record(frame.time_s, is_settled=is_settled, is_last=True)
        if batch is None:
            return self._batch(notices=notices)
        return replace(batch, notices=(*batch.notices, *notices))

    def _search(self, frame: Frame) -> UpdateBatch | None:
        try:
            found = self._redetector.search(frame, self.game)
        except BoardNotFoundError as error:
            if error.is_mirrored:
                return self._begin_in_mirror(frame)
            return self._batch(notices=self._turns.notify(str(error)))
        if found is None:
            return None
        self._board = BoardTracker(found, frame, self._reference)
        self._first_reading = decode_board(found.probabilities, self.game.edition, self._context.lexicon)
        return self._batch(notices=self._turns.notify(OTHER_BOARDS)) if found.n_others else None

    def _with_notices(self, batch: UpdateBatch | None, frame: Frame) -> UpdateBatch | None:
        """Add what the picture or its source lacks, and that the board differs from the record, or no longer."""
        board, messages, is_settled = self._board, list[str | None](), False
        if board is not None:
            messages = [self._redetector.drift_message(frame, board.grid), board.framing_message]
            messages.append(self._gaps.few_frames_message())
            is_settled = board.is_resolved or board.rest_s >= SETTINGS.read_after_s
        pictured = (Notice(NoticeKind.UNCLEAR, message) for message in messages if message is not None)
        notices = (*pictured, *self._turns.check_record(frame.time_s, is_settled=is_settled))
        notices = notices if batch is None else (*batch.notices, *notices)
        return self._batch(notices=notices) if batch is None else replace(batch, notices=notices)

    def _watch(self, frame: Frame, board: BoardTracker) -> UpdateBatch | None:
        is_match = board.observe(frame)
        if board.unrest_message is not None:
            return self._batch(notices=self._turns.notify(board.unrest_message))
        if not is_match:
            return None
        if board.unregistered_s > 0 and self._redetector.may_search(frame.time_s):
            self._find_again(frame, board)
        is_explained = board.is_resolved and not board.is_reconsidered
        if is_explained or not board.is_at_rest or board.rest_s < SETTINGS.read_after_s:
            return None
        if not board.is_read_due((SETTINGS.decide_after_s, SETTINGS.decide_late_s)):
            return None
        board.compare(frame)
        if not board.n_reads:
            if not self._confirm_place(frame, board):
                return None
            board.find_replaced(frame, self._context.recognizer)
        if not board.changes.changed.any():
            board.resolve()
            self._turns.observe_unchanged()
            return None
        was_new = board.is_new
        self._read(frame, board)
        if (
            board.n_reads == 1
            and not was_new
            and self._redetector.is_misplaced(board.probabilities, self.game)
            and self._find_again(frame, board)
        ):
            self._read(frame, board)
        self._turns.note_short_rest(board.new_tiles, frame.time_s - board.rest_s)
        is_disturbed = board.around_s < SETTINGS.read_after_s and board.tiles_rest_s < SETTINGS.decide_late_s
        is_early = board.tiles_rest_s < SETTINGS.decide_after_s or is_disturbed
        return None if is_early else self._decide(board)

    def _confirm_place(self, frame: Frame, board: BoardTracker) -> bool:
        """Whether the board is where it was, or is found again; it is then followed there."""
        redetector, game = self._redetector, self.game
        if redetector.is_given:
            return True
        has_moved = board.has_moved
        if has_moved and not redetector.may_search(frame.time_s, board.rest_s):
            return False
        is_found = (
            not (has_moved or redetector.has_drifted(frame, board.grid, game, board.has_followed))
            or self._find_again(frame, board)
            or redetector.shows_game(frame, board.grid, game)
        )
        board.note_place("" if is_found else redetector.refusal)
        return is_found

    def _find_again(self, frame: Frame, board: BoardTracker) -> bool:
        """Search the board, and follow it where it is found."""
        found = self._redetector.find_again(frame, board.grid, self.game)
        if found is not None:
            board.move_to(found, frame)
        return found is not None

    def _read(self, frame: Frame, board: BoardTracker) -> None:
        orienting = self._orienting_squares(board)
        empty, uncertain = empty_squares(self._turns.game.board), self._turns.uncertain_squares
        board.read(frame, self._context.recognizer, empty, orienting, uncertain)
        self._n_reads += 1

    def _orienting_squares(self, board: BoardTracker) -> Mask:
        """Squares whose letters may tell which side is up: before the first play, and where there is no print."""
        if self._redetector.is_given or not self.game.board.is_empty:
            return np.zeros_like(self._is_printed)
        # A board that was never read may show its premium squares' texts; new tiles are where nothing was.
        return ~self._is_printed if board.is_new else np.ones_like(self._is_printed)

    def _begin_in_mirror(self, frame: Frame, read_on: Grid | None = None) -> UpdateBatch | None:
        """Follow the mirror image from now on; plays that were read on a grid without it are replaced.

        None where it does not surely show plays in their place: it is not followed.
        """
        found, updates = None, tuple[GameUpdate, ...]()
        redetector, frame = self._redetector.mirror(frame.size_px[0]), frame.mirror()
        if self.game.state.plays and read_on is not None:
            locked = self._turns.locked_squares
            reread = reread_plays(self.game, locked, read_on, frame, redetector, self._context)
            if reread is None:
                return None
            found, updates = reread
            self._turns = self._turns.restart(updates[-1].game)
            self._mismatches = EditionMismatches(self.game.edition)
        self._redetector, self._last = redetector, frame
        self._reference = self._first_reading = self._decided_grid = None
        self._board = None if found is None else BoardTracker(found, frame)
        return self._batch(updates, (Notice(NoticeKind.UNCLEAR, MIRRORED),))

    def _decide(self, board: BoardTracker, *, is_last: bool = False) -> UpdateBatch | None:
        if not is_last and self._redetector.shows_mirror_image(board.frame, board, self.game):
            batch = self._begin_in_mirror(board.frame, None if board.is_new else board.grid)
            if batch is not None:
                return batch
        if self._decided_grid is not None and is_rotated(self._decided_grid, board.grid):
            self._turns.notice_rotation()
        self._decided_grid = board.grid
        frame, game, occlusion, changed = board.frame, self.game, board.occlusion, board.changes.changed
        recognizer, fused = self._context.recognizer, board.probabilities
        may_hide, strength = occlusion.any_covered, board.changes.unexplained_strength(board.new_tiles)
        seen = weigh_changed_squares(fused, strength, self._turns.expected_board, may_hide=may_hide)
        seen = read_displaced_tiles(seen, frame.image_bgr, board.grid, recognizer, game, changed)
        probabilities = cover_squares(seen, board.unknown)
        decoded = decode_board(probabilities, game.edition, self._context.lexicon, self._turns.certain_board)
        new = [square for square in differing_squares(game.board, decoded.board) if changed[square]]
        stable = StableBoard(
            decoded=decoded,
            changed=changed,
            occluded=occlusion.occluded,
            reached_over=occlusion.reached_over,
            hand_direction=board.hand_direction(new),
            rest_s=board.tiles_rest_s,
            motion_started_s=board.motion_started_s,
            time_s=frame.time_s,
            is_first=board.is_new,
            first_reading=self._first_reading,
            is_late=is_last or board.tiles_rest_s >= SETTINGS.decide_late_s,
            is_last=is_last,
        )
        observation = BoardObservation(
            frame=frame,
            grid=board.grid,
            get_rectified=functools.partial(
                rectify, frame.image_bgr, board.grid, recognizer.cell_px, recognizer.margin_px
            ),
            probabilities=fused,
            decoded=decoded,
        )
        decision = self._turns.decide(stable)
        if decision.is_resolved:
            board.resolve(but=decision.unresolved_squares)
        # Letters that an edition lacks may be so many that no play is ever confident enough.
        is_stuck = stable.is_late and not (
            decision.is_resolved or stable.is_first or stable.reached_over or may_hide
        )
        notices = decision.notices
        if is_stuck or count_plays(decision.updates):
            messages = self._mismatches.new_messages(replace(observation, shows_layout=not may_hide))
            notices = (*(Notice(NoticeKind.UNCLEAR, message) for message in messages), *notices)
        return self._batch(decision.updates, notices, observation)

    def _batch(
        self,
        updates: tuple[GameUpdate, ...] = (),
        notices: tuple[Notice, ...] = (),
        observation: BoardObservation | None = None,
    ) -> UpdateBatch | None:
        if not updates and not notices:
            return None
        frame = self._last
        return UpdateBatch(
            source=Path(frame.source).name if frame is not None else "",
            index=frame.index if frame is not None else -1,
            game=self.game,
            updates=updates,
            notices=notices,
            observation=observation,
            time_s=round(frame.time_s, 3) if frame is not None else 0.0,
        )
