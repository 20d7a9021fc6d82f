"""Composes a film: each frame is looked at cheaply, a board that rests is read, and what happened is told."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from scoring import Game, Placement, Premium
from vision.capture import Frame, Interruption
from vision.core import Grid
from vision.decoding import DecodedBoard, weigh_changed_squares
from vision.errors import BoardNotFoundError, SettingsError
from vision.game_events import (
    Command,
    GameUpdate,
    Notice,
    NoticeKind,
    StableBoard,
    TurnDetector,
    UpdateBatch,
    apply_command,
    count_plays,
)
from vision.observation import BoardObservation
from vision.pipeline.checks import EditionMismatches
from vision.pipeline.photo import decode_board
from vision.pipeline.recognizers import GameContext
from vision.rectification import rectify
from vision.tracking import BoardThumbnail, BoardTracker, Redetector

__all__ = ["VideoSettings", "VideoTracker", "track_video"]

GAP_S, GAP_FRAMES = 0.6, 4.0
"""A pause between two frames that is longer, in seconds and as so many usual ones, is a gap."""
LOOK_SHARE = 0.1
"""Of a rest: what many looks have not explained, one more will hardly do."""


@dataclass(frozen=True, slots=True, kw_only=True)
class VideoSettings:
    """When a resting board is looked at and decided.

    Parameters
    ----------
    look_after_s : float
        Seconds of rest before the first look.
    look_every_s : float
        Seconds between looks at one rest; more where the rest is long and still not understood.
    decide_after_s : float
        Seconds of rest before a play counts as finished: a hand that fetches the next tile is away for less.
    decide_late_s : float
        Seconds of rest after which a doubtful play is announced with its doubt, and movement beside the
        board is no longer waited for.
    search_every_s, search_seldom_s : float
        Seconds between searches for a board that is not in view: at first, and when it has long been missing.
    """

    look_after_s: float = 0.25
    look_every_s: float = 0.25
    decide_after_s: float = 1.0
    decide_late_s: float = 1.3
    search_every_s: float = 0.5
    search_seldom_s: float = 3.0


def track_video(
    frames: Iterable[Frame | Interruption],
    watch: VideoTracker,
    commands: Callable[[], Iterable[Command]] | None = None,
) -> Iterator[UpdateBatch]:
    """Follows a game by its film and by what people at the table tell.

    Parameters
    ----------
    frames : iterable of Frame or Interruption
        The film.
    watch : FilmWatch
        What follows the game.
    commands : callable, optional
        Gives the commands that came since it was last called.
    """
    for item in frames:
        for command in commands() if commands is not None else ():
            batch = watch.apply_command(command)
            if batch is not None:
                yield batch
        batch = watch.interrupt(item) if isinstance(item, Interruption) else watch.see(item)
        if batch is not None:
            yield batch
    batch = watch.finish()
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
    since_s : float, optional
        When the game's last event was, for a game that goes on.
    understood : Preview, optional
        How the board looked then.
    perhaps_old : bool
        Whether the frames may be from before the game's last event, as of a recording that is shown again.
    settings : FilmSettings, optional
        When to look and to decide.
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
        settings: VideoSettings | None = None,
    ) -> None:
        self._judge = TurnDetector(game, last_event_s, may_replay=may_replay)
        self._context = context
        self._settings = settings or VideoSettings()
        self._whereabouts = Redetector(
            context.recognizer,
            corners_px=corners_px,
            search_every_s=self._settings.search_every_s,
            search_seldom_s=self._settings.search_seldom_s,
        )
        self._scene: BoardTracker | None = None
        self._understood = reference
        self._looks = 0
        self._interval_s = 0.0
        self._last: Frame | None = None
        self._mismatches = EditionMismatches(game.edition)
        layout = game.edition.layout
        self._printed = np.array([[p is not Premium.PLAIN for p in row] for row in layout.premiums])

    @property
    def game(self) -> Game:
        """The game as it stands."""
        return self._judge.game

    @property
    def grid(self) -> Grid | None:
        """Where the board lies, None while it is not found."""
        return self._scene.grid if self._scene is not None else None

    @property
    def looks(self) -> int:
        """How often the board was read."""
        return self._looks

    @property
    def never_found(self) -> bool:
        """Whether the board was in none of the frames that were seen."""
        return self._last is not None and self._scene is None and not self._looks

    @property
    def reference(self) -> BoardThumbnail | None:
        """How the board looked when it was last understood."""
        return self._scene.reference if self._scene is not None else self._understood

    @property
    def state(self) -> str:
        """What is going on, in a few words."""
        scene = self._scene
        if scene is None:
            return "looking for the board"
        if scene.decided:
            return "the board rests"
        if scene.hidden.any():
            return "something covers the board"
        return "reading" if scene.looks else "something moves"

    def see(self, frame: Frame) -> UpdateBatch | None:
        """What this frame tells, if it tells anything new."""
        if self._last is not None and frame.image_bgr.shape != self._last.image_bgr.shape:
            if self._scene is not None:
                self._whereabouts.lose(self._scene.grid, self._last, frame)
            self._understood = self.reference
            self._scene = None  # pixels of another resolution say nothing about the old place
        elif self._last is not None and self._scene is not None:
            self._pass_over_gap(frame.time_s - self._last.time_s, self._scene)
        self._last = frame
        batch = self._search(frame) if self._scene is None else self._watch(frame, self._scene)
        return self._with_word_of_place(batch)

    def _pass_over_gap(self, passed_s: float, scene: BoardTracker) -> None:
        """A source that stalled may have stalled in mid-play: what was not seen is no rest."""
        usual_s = self._interval_s or passed_s
        if passed_s > max(GAP_S, GAP_FRAMES * usual_s):
            scene.pass_over(passed_s - usual_s)
        else:
            self._interval_s = usual_s + 0.1 * (passed_s - usual_s)

    def interrupt(self, interruption: Interruption) -> UpdateBatch | None:
        """Word that frames are missing. What changed meanwhile shows when they come again."""
        kind = NoticeKind.RETURNED if interruption.over else NoticeKind.INTERRUPTED
        return self._batch(notices=(Notice(kind, interruption.message),))

    def apply_command(self, command: Command) -> UpdateBatch | None:
        """What happens by a command; one that makes no sense is answered with the reason."""
        try:
            updates = apply_command(command, self.game)
        except SettingsError as error:
            return self._batch(notices=(Notice(NoticeKind.UNCLEAR, str(error)),))
        self.apply_external(updates)
        return self._batch(updates)

    def apply_external(self, updates: tuple[GameUpdate, ...]) -> None:
        """Goes on from what people said happened."""
        if updates:
            self._judge.apply_external(updates)

    def lock_squares(self, squares: Iterable[tuple[int, int]]) -> None:
        """Takes these squares' tiles, and no others, as people have them: no look corrects what somebody said."""
        self._judge.lock_squares(squares)

    def expect_removal(self, tiles: Iterable[Placement]) -> None:
        """Takes these tiles as taken back by people's word, though they may lie there until somebody lifts them."""
        self._judge.expect_removal(tiles)

    def finish(self) -> UpdateBatch | None:
        """What the last frame tells, now that none follows."""
        scene, frame = self._scene, self._last
        if scene is None or frame is None or scene.decided or not scene.looks:
            return None
        return self._decide(frame, scene, last=True)

    def _search(self, frame: Frame) -> UpdateBatch | None:
        try:
            pose = self._whereabouts.search(frame, self.game)
        except BoardNotFoundError as error:
            return self._batch(notices=self._judge.notify(str(error)))
        if pose is not None:
            self._scene = BoardTracker(pose, frame, self._understood)
        return None

    def _with_word_of_place(self, batch: UpdateBatch | None) -> UpdateBatch | None:
        """The same with word, once, that the board is no longer where it was calibrated, or that it is again."""
        if self._scene is None or self._last is None:
            return batch
        message = self._whereabouts.word(self._last, self._scene.grid)
        if message is None:
            return batch
        notice = Notice(NoticeKind.UNCLEAR, message)
        return replace(batch, notices=(notice, *batch.notices)) if batch else self._batch(notices=(notice,))

    def _watch(self, frame: Frame, scene: BoardTracker) -> UpdateBatch | None:
        settings = self._settings
        scene.observe(frame)
        if scene.decided or not scene.at_rest or scene.rest_s < settings.look_after_s:
            return None
        if scene.since_look_s < max(settings.look_every_s, LOOK_SHARE * scene.rest_s):
            return None
        scene.compare(frame)
        if not scene.looks and not self._whereabouts.is_in_place(frame, scene, self.game):
            return None
        if not scene.changed.any():
            scene.accept()
            return None
        self._look(frame, scene)
        astray = scene.looks == 1 and self._whereabouts.is_astray(scene, self.game)
        if astray and self._whereabouts.find_elsewhere(frame, scene, self.game):
            self._look(frame, scene)
        if scene.rest_s < settings.decide_after_s:
            return None
        if scene.around_s < settings.look_after_s and scene.rest_s < settings.decide_late_s:
            return None
        return self._decide(frame, scene)

    def _look(self, frame: Frame, scene: BoardTracker) -> None:
        scene.look(frame, self._context.recognizer, self._any_side_up(scene), self._judge.uncertain_squares)
        self._looks += 1

    def _any_side_up(self, scene: BoardTracker) -> NDArray[np.bool_]:
        """The squares whose letters may say which side is up: before the first play, and where no print lies."""
        layout = self.game.edition.layout
        if self._whereabouts.is_given or not self.game.board.is_empty:
            return np.zeros((layout.rows, layout.columns), dtype=np.bool_)
        # A board that was never looked at may show its premium squares' texts; new tiles lie where nothing was.
        return ~self._printed if scene.is_new else np.ones_like(self._printed)

    def _decide(self, frame: Frame, scene: BoardTracker, *, last: bool = False) -> UpdateBatch | None:
        game = self.game
        may_hide = bool((scene.hidden | scene.objects).any())
        reading = weigh_changed_squares(
            scene.evidence.reading(), scene.strength, game.board, may_hide=may_hide
        )
        decoded = decode_board(reading, game.edition, self._context.lexicon, self._judge.certain_board)
        rest = StableBoard(
            decoded=decoded,
            changed=scene.changed,
            occluded=scene.hidden,
            reached_over=scene.reached_over,
            rest_s=scene.rest_s,
            motion_started_s=scene.stirred_s,
            time_s=frame.time_s,
            is_first=scene.is_new,
            is_late=last or scene.rest_s >= self._settings.decide_late_s,
        )
        judgement = self._judge.decide(rest)
        if judgement.is_resolved:
            scene.accept(but=judgement.unresolved_squares)
        # Letters that an edition lacks may be so many that no play is ever sure enough.
        stuck = rest.is_late and not (judgement.is_resolved or rest.is_first or rest.reached_over or may_hide)
        notices = judgement.notices
        if stuck or count_plays(judgement.updates):
            messages = self._mismatches.new_messages(scene.evidence.reading(), decoded)
            notices = (*(Notice(NoticeKind.UNCLEAR, message) for message in messages), *notices)
        return self._batch(judgement.updates, notices, decoded)

    def _batch(
        self,
        updates: tuple[GameUpdate, ...] = (),
        notices: tuple[Notice, ...] = (),
        decoded: DecodedBoard | None = None,
    ) -> UpdateBatch | None:
        if not updates and not notices:
            return None
        frame, scene, observation = self._last, self._scene, None
        if frame is not None and decoded is not None and scene is not None:
            recognizer = self._context.recognizer
            observation = BoardObservation(
                frame=frame,
                grid=scene.grid,
                rectified=rectify(frame.image_bgr, scene.grid, recognizer.cell_px, recognizer.margin_px),
                probabilities=scene.evidence.reading(),
                decoded=decoded,
            )
        return UpdateBatch(
            source=Path(frame.source).name if frame is not None else "",
            index=frame.index if frame is not None else -1,
            game=self.game,
            updates=updates,
            notices=notices,
            observation=observation,
            time_s=round(frame.time_s, 3) if frame is not None else 0.0,
        )
