"""A thread that follows the source of one live game and restarts after a failure."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

from tilesight.live.game import LiveGame
from tilesight.live.resume import ResumePoint, find_resume_point
from tilesight.live.settings import GameSettings
from tilesight.live.video_feed import attach_tracker
from tilesight.live.workers import Backoff, SupervisedThread
from vision.capture import Frame, Interruption, Source, open_source
from vision.pipeline import GameContext
from vision.profile import Profile

__all__ = ["VideoWorker"]


class VideoWorker:
    """Follows a game's source in a thread.

    Parameters
    ----------
    game : LiveGame
        The game.
    settings : GameSettings
        Its settings; `source` is needed.
    load_context : callable
        Loads what the frames are read with, in the thread.
    open_it : callable
        Opens the source.
    backoff : Backoff
        How long to wait after a failure.
    notify : callable
        Called with one line for the user.
    """

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
        self._notify = notify
        self._newest: Frame | None = None
        self._has_new_profile = threading.Event()
        self._thread = SupervisedThread(
            self._follow,
            name=f"table {settings.name}",
            backoff=backoff or Backoff(),
            notify=notify,
            on_failure=lambda: game.set_status("waiting for the camera", watching=False),
        )

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def stop(self, timeout_s: float = 5.0) -> None:
        """Stop the thread; abandon it if its source does not answer within `timeout_s`."""
        self._thread.stop(timeout_s)

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

    def _follow(self) -> None:
        settings, game = self._settings, self._game
        assert settings.source is not None
        source = self._open(settings.source, settings.fps)
        resume = find_resume_point(source, game.journal)
        if resume.message:
            self._notify(f"table {settings.name}: {resume.message}")
        frames = iter(source.frames(resume.last_frame))
        if settings.paced and not source.live:
            frames = self._pace(frames)
        while not self._thread.stopping.is_set():
            self._has_new_profile.clear()
            self._track(frames, source, resume)
            # With another profile the recording is still the same one.
            journal = None if source.live else game.journal
            resume = ResumePoint(last_event_s=journal.last_frame_ref.time_s if journal is not None else None)
            if not (self._has_new_profile.is_set() or self._thread.stopping.is_set()):
                game.finish()
                return

    def _track(self, frames: Iterator[Frame | Interruption], source: Source, resume: ResumePoint) -> None:
        """Follow the game until the source ends or another profile is used."""
        tracked = attach_tracker(
            self._game,
            self._keep_newest(frames),
            self._load_context(),
            resume=resume,
            fingerprint=source.fingerprint,
            corners_px=self._settings.corners_px,
            notify=self._notify,
        )
        for item in tracked:
            if self._thread.stopping.is_set():
                return
            if isinstance(item, Interruption):
                self._notify(f"table {self._settings.name}: {item.message}")
                self._game.interrupt(item)
            else:
                self._game.see(item)

    def _keep_newest(self, frames: Iterator[Frame | Interruption]) -> Iterator[Frame | Interruption]:
        """Yield frames until there is another profile; keep the newest one."""
        while not self._has_new_profile.is_set() and (item := next(frames, None)) is not None:
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
                self._thread.stopping.wait(max(0.0, item.time_s + offset_s - time.monotonic()))
            yield item
