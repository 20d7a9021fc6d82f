"""The threads of a live game, which follow its camera and its racks and restart after a failure.

The failure of one game never stops another one.
"""

from __future__ import annotations

import abc
import contextlib
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar

from tilesight.live.feeds import (
    ResumePoint,
    attach_tracker,
    explain_no_play,
    find_resume_point,
    skip_until_clear,
)
from tilesight.live.game import LiveGame
from tilesight.live.settings import GameSettings
from vision.capture import Frame, Interruption, Source, open_source
from vision.core import mirror_corners
from vision.errors import PictureMismatchError, SettingsError, VisionError
from vision.pipeline import GameContext, read_rack
from vision.profile import Profile

__all__ = ["Backoff", "RackWorker", "VideoWorker"]


READ_RACKS_EVERY_S = 1.0
"""Seconds between readings of racks: they change slowly, and a reading takes a good part of a second."""
MIN_RACK_CONFIDENCE = 0.5
"""Probability below which the reading of a rack is ignored; chosen."""
STOP_TIMEOUT_S = 5.0
"""Seconds after which a thread that is to stop is abandoned; chosen."""
SOURCE_TIMEOUT_S = 1.0
"""Seconds after which it is abandoned if it waits for its source, so that nothing is left to be written; chosen."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Backoff:
    """How long failed work waits before a restart: longer each time, until it has run for `longest_s`."""

    first_s: float = 1.0
    longest_s: float = 30.0


class Worker(abc.ABC):
    """Does a game's work in a thread until it returns or is stopped, and does it again after a failure.

    Parameters
    ----------
    game : LiveGame
        The game.
    settings : GameSettings
        Its settings.
    load_context : callable
        Loads what pictures are read with, in the thread.
    open_it : callable
        Opens the source.
    backoff : Backoff, optional
        How long to wait after a failure.
    notify : callable
        Called with one line for the user.
    """

    TITLE: ClassVar[str]
    """What messages call the work of a table; the table's name follows."""
    BACKOFF: ClassVar = Backoff()

    def __init__(
        self,
        game: LiveGame,
        settings: GameSettings,
        load_context: Callable[[], GameContext],
        *,
        open_it: Callable[[str, float | None], Source] = open_source,
        backoff: Backoff | None = None,
        notify: Callable[[str], None],
    ) -> None:
        self._game = game
        self._settings = settings
        self._load_context = load_context
        self._open = open_it
        self._backoff = backoff or self.BACKOFF
        self._notify = notify
        self._stopping = threading.Event()
        self._stop_s = 0.0
        self._is_waiting = False
        self._name = f"{self.TITLE} {settings.name}"
        self._thread = threading.Thread(target=self._run, name=self._name, daemon=True)

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def request_stop(self) -> None:
        """Tell the thread to stop; `stop` waits for it."""
        self._stop_s = time.monotonic()
        self._stopping.set()

    def stop(self) -> None:
        """Stop the thread; abandon it if its source does not answer."""
        if not self._stopping.is_set():
            self.request_stop()
        for limit_s in (SOURCE_TIMEOUT_S, STOP_TIMEOUT_S):
            self._thread.join(max(0.0, self._stop_s + limit_s - time.monotonic()))
            if self._is_waiting:
                return

    @contextlib.contextmanager
    def _waiting(self) -> Iterator[None]:
        """Let the thread be abandoned meanwhile; check `_stopping` before anything is written afterwards."""
        self._is_waiting = True
        try:
            yield
        finally:
            self._is_waiting = False

    def _next(self, frames: Iterator[Frame | Interruption]) -> Frame | Interruption | None:
        """Return what the source gives next; None at its end, or if the thread is to stop."""
        with self._waiting():
            item = next(frames, None)
        return None if self._stopping.is_set() else item

    @abc.abstractmethod
    def _work(self) -> None:
        """Do the work: check `_stopping` regularly, and return when it is done."""

    @abc.abstractmethod
    def _note_failure(self, error: Exception) -> None:
        """Note why the work failed, before the wait."""

    def _run(self) -> None:
        pause_s = self._backoff.first_s
        while not self._stopping.is_set():
            began_s = time.monotonic()
            try:
                self._work()
                return
            except VisionError as error:
                self._notify(f"{self._name}: {error}; trying again in {pause_s:.0f} s")
                self._note_failure(error)
            except Exception as error:
                # The other games must continue: report any failure of this one, and restart it.
                self._notify(f"{self._name}: trying again in {pause_s:.0f} s after\n{traceback.format_exc()}")
                self._note_failure(error)
            if time.monotonic() - began_s > self._backoff.longest_s:
                pause_s = self._backoff.first_s
            self._stopping.wait(pause_s)
            pause_s = min(2 * pause_s, self._backoff.longest_s)


class VideoWorker(Worker):
    """Follows a game's source in a thread; `source` of the settings is needed.

    Parameters
    ----------
    game, settings, load_context, open_it, backoff, notify
        As for `Worker`.
    on_stop : callable, optional
        Called when the thread is to stop, to end a source that waits for frames.
    """

    TITLE = "table"

    def __init__(
        self,
        game: LiveGame,
        settings: GameSettings,
        load_context: Callable[[], GameContext],
        *,
        open_it: Callable[[str, float | None], Source] = open_source,
        on_stop: Callable[[], None] = lambda: None,
        backoff: Backoff | None = None,
        notify: Callable[[str], None],
    ) -> None:
        super().__init__(game, settings, load_context, open_it=open_it, backoff=backoff, notify=notify)
        self._on_stop = on_stop
        self._newest: Frame | None = None
        self._has_new_profile = threading.Event()
        self._followed = game.state.last_board
        """What tells the game that is followed from the next one: the board of the game before it."""

    def request_stop(self) -> None:
        """Tell the thread and its source to stop."""
        super().request_stop()
        self._on_stop()

    @property
    def name(self) -> str:
        """The game's name."""
        return self._settings.name

    @property
    def newest(self) -> Frame | None:
        """The newest frame as the camera gave it, before the profile is applied; None before the first."""
        return self._newest

    def check_profile(self, path: Path) -> None:
        """Check, before a profile is made, that the game could use it.

        Raises
        ------
        SettingsError
            If the game's settings exclude a profile.
        """
        replace(self._settings, profile=path)

    def use_profile(self, profile: Profile, load_context: Callable[[], GameContext]) -> None:
        """Continue with another profile from the next frame on.

        Raises
        ------
        SettingsError
            If the game's settings exclude a profile.
        """
        self._settings = replace(self._settings, profile=Path(profile.name))
        self._load_context = load_context
        self._has_new_profile.set()

    def _note_failure(self, error: Exception) -> None:
        # a camera that sends pictures which the profile or the corners do not fit is not waited for
        status = str(error) if isinstance(error, PictureMismatchError) else "waiting for the camera"
        self._game.set_status(status, watching=False)

    def _work(self) -> None:
        settings, game = self._settings, self._game
        assert settings.source is not None
        with self._waiting():
            source = self._open(settings.source, settings.fps)
        if self._stopping.is_set():
            return
        resume = find_resume_point(source, game.journal)
        if resume.message:
            self._notify(f"{self._name}: {resume.message}")
        frames = iter(source.frames(resume.last_frame))
        if settings.paced and not source.live:
            frames = self._pace(frames)
        while not self._stopping.is_set():
            self._has_new_profile.clear()
            self._followed = game.state.last_board
            self._track(frames, source, resume)
            # With another profile, or in the next game, the recording is still the same one.
            journal = None if source.live or self._has_next_game() else game.journal
            resume = ResumePoint(last_event_s=journal.last_frame_ref.time_s if journal is not None else None)
            if not (self._must_attach() or self._stopping.is_set()):
                game.finish()
                explain_no_play(source, game, lambda line: self._notify(f"{self._name}: {line}"))
                return

    def _has_next_game(self) -> bool:
        return self._game.state.last_board is not self._followed

    def _must_attach(self) -> bool:
        """Check whether another tracker is needed: for another profile, or for the next game."""
        return self._has_new_profile.is_set() or self._has_next_game()

    def _track(self, frames: Iterator[Frame | Interruption], source: Source, resume: ResumePoint) -> None:
        """Follow the game until the source ends, another profile is used, or the next game begins."""
        context, corners_px = self._load_context(), self._settings.corners_px
        kept = self._keep_newest(frames)
        if not self._game.state.game.events:
            kept = skip_until_clear(self._game, kept, context, corners_px)
        tracked = attach_tracker(
            self._game,
            kept,
            context,
            resume=resume,
            fingerprint=source.fingerprint,
            corners_px=corners_px,
            notify=self._notify,
        )
        for item in tracked:
            if isinstance(item, Interruption):
                if item.message:
                    self._notify(f"{self._name}: {item.message}")
                self._game.interrupt(item)
            else:
                self._game.see(item)

    def _keep_newest(self, frames: Iterator[Frame | Interruption]) -> Iterator[Frame | Interruption]:
        """Yield frames until the thread is to stop or another tracker is needed; keep the newest one."""
        while not self._must_attach() and (item := self._next(frames)) is not None:
            if isinstance(item, Frame):
                self._newest = item
            yield item

    def _pace(self, frames: Iterator[Frame | Interruption]) -> Iterator[Frame | Interruption]:
        """Yield the frames of a recording at its own speed."""
        offset_s: float | None = None
        for item in frames:
            if isinstance(item, Frame):
                if offset_s is None:
                    offset_s = time.monotonic() - item.time_s
                self._stopping.wait(max(0.0, item.time_s + offset_s - time.monotonic()))
            yield item


class RackWorker(Worker):
    """Reads racks repeatedly, and records what two successive readings agree on.

    Parameters
    ----------
    game, settings, load_context, open_it, backoff, notify
        As for `Worker`; `rack_source` and `racks_px` of the settings say where the racks are.
    every_s : float
        Seconds between readings.
    """

    TITLE = "racks of table"
    BACKOFF = Backoff(first_s=5.0, longest_s=60.0)
    """How long to wait after a failure: longer, since a game goes on without its racks."""

    def __init__(
        self,
        game: LiveGame,
        settings: GameSettings,
        load_context: Callable[[], GameContext],
        *,
        open_it: Callable[[str, float | None], Source] = open_source,
        every_s: float = READ_RACKS_EVERY_S,
        backoff: Backoff | None = None,
        notify: Callable[[str], None],
    ) -> None:
        super().__init__(game, settings, load_context, open_it=open_it, backoff=backoff, notify=notify)
        self._every_s = every_s
        self._last: dict[int, tuple[str, ...]] = {}

    def use_profile(self, load_context: Callable[[], GameContext]) -> None:
        """Continue with the context of another profile from the next reading on."""
        self._load_context = load_context

    def _note_failure(self, error: Exception) -> None:
        """Do nothing: a game goes on without its racks."""

    def _work(self) -> None:
        load_context = self._load_context
        context = load_context()
        for frame in self._frames():
            if load_context is not self._load_context:
                load_context = self._load_context
                context = load_context()
            self.read(frame, context)

    def _frames(self) -> Iterator[Frame]:
        """Yield a new frame every `every_s` seconds until the source ends."""
        if self._settings.rack_source is None:
            last = None
            while not self._stopping.wait(self._every_s):
                snapshot = self._game.snapshot
                if snapshot is not None and snapshot[0] is not last:  # none again while the camera is away
                    last = snapshot[0]
                    yield last
            return
        # The table's number is for its own source; only pictures in a folder have no time stamps.
        is_folder = Path(self._settings.rack_source).is_dir()
        with self._waiting():
            source = self._open(self._settings.rack_source, self._settings.fps if is_folder else None)
        with contextlib.closing(source.frames()) as frames:  # type: ignore[type-var]
            next_s = 0.0
            while (item := self._next(frames)) is not None:
                if isinstance(item, Frame) and item.time_s >= next_s:
                    next_s = item.time_s + self._every_s
                    yield item

    def read(self, frame: Frame, context: GameContext) -> None:
        """Read every player's rack in a frame.

        Raises
        ------
        SettingsError
            If a rack's place is not in the frame.
        """
        state, tracker = self._game.state, self._game.tracker
        is_mirrored = self._settings.rack_source is None and tracker is not None and tracker.is_mirrored
        seats = state.match.seats or tuple(range(len(state.game.players)))
        for player, seat in enumerate(seats):
            corners = self._settings.racks_px[seat]
            if corners is None:
                continue
            place = mirror_corners(corners, frame.size_px[0]).tolist() if is_mirrored else corners
            try:
                reading = read_rack(frame.image_bgr, context, corners_px=place)
            except SettingsError as error:
                raise SettingsError(f"racks of table {self._settings.name}: {error}") from error
            if reading.confidence < MIN_RACK_CONFIDENCE:
                continue
            if self._last.get(player) == reading.tokens:
                self._game.record_rack(player, reading.tokens)
            self._last[player] = reading.tokens
