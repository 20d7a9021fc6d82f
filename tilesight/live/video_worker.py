"""The thread that follows one table's source, and begins again where it fails: other tables never notice."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

from tilesight.live.game import LiveGame
from tilesight.live.resume import ResumePoint, known_footage
from tilesight.live.settings import GameSettings
from tilesight.live.workers import Backoff, SupervisedThread
from vision.capture import Frame, Interruption, Source, open_source
from vision.pipeline import GameContext, VideoTracker, calibrated_frames
from vision.profile import Profile
from vision.tracking import BoardThumbnail

__all__ = ["VideoWorker"]


class VideoWorker:
    """Follows a table's source in a thread of its own.

    Parameters
    ----------
    table : Table
        The table.
    settings : TableSettings
        What is watched, and how.
    load_context : callable
        Loads what the frames are read with.
    open_it : callable
        Opens the source.
    backoff : Backoff
        How long to wait after a failure.
    notify : callable
        Gets one line for whoever runs the program.
    """

    def __init__(
        self,
        table: LiveGame,
        settings: GameSettings,
        load_context: Callable[[], GameContext],
        *,
        open_it: Callable[[str, float | None], Source] = open_source,
        backoff: Backoff | None = None,
        notify: Callable[[str], None],
    ) -> None:
        self._table = table
        self._settings = settings
        self._load = load_context
        self._open = open_it
        self._notify = notify
        self._newest: Frame | None = None
        self._calibrated = threading.Event()
        self._thread = SupervisedThread(
            self._follow,
            name=f"table {settings.name}",
            backoff=backoff or Backoff(),
            notify=notify,
            on_failure=lambda: table.say("waiting for the camera", watching=False),
        )

    def start(self) -> None:
        """Begins to follow."""
        self._thread.start()

    def stop(self, patience_s: float = 5.0) -> None:
        """Ends the thread, or leaves it behind where its source does not answer."""
        self._thread.stop(patience_s)

    @property
    def name(self) -> str:
        """The table's."""
        return self._settings.name

    @property
    def newest(self) -> Frame | None:
        """The newest frame as the camera gave it, whatever the profile makes of it; None before the first."""
        return self._newest

    def check_profile(self, path: Path) -> None:
        """Refuses a profile before it is made, where the table could not go on with it.

        Raises
        ------
        SettingsError
            If the table's settings allow none.
        """
        replace(self._settings, profile=path)

    def use(self, profile: Profile, load_context: Callable[[], GameContext]) -> None:
        """Has the table go on with another profile from the next frame on.

        Raises
        ------
        SettingsError
            If the table's settings allow none.
        """
        self._settings = replace(self._settings, profile=Path(profile.name))
        self._load = load_context
        self._calibrated.set()

    def _follow(self) -> None:
        settings, table = self._settings, self._table
        assert settings.source is not None
        source = self._open(settings.source, settings.fps)
        footage = known_footage(source, table.journal)
        if footage.message:
            self._notify(f"table {settings.name}: {footage.message}")
        frames = iter(source.frames(footage.known))
        if settings.paced and not source.live:
            frames = self._paced(frames)
        while not self._thread.stopping.is_set():
            self._calibrated.clear()
            self._watch(frames, source, footage)
            # Another profile makes no other recording of it.
            last_event_s = None if source.live else table.journal.place.time_s
            footage = ResumePoint(last_event_s=last_event_s)
            if not (self._calibrated.is_set() or self._thread.stopping.is_set()):
                table.finish()
                return

    def _watch(self, frames: Iterator[Frame | Interruption], source: Source, footage: ResumePoint) -> None:
        """Follows the game until the source or the profile ends."""
        table, layout = self._table, self._table.state.edition.layout
        frames = self._raw(frames)
        context = self._load()
        if context.profile is not None:
            frames = calibrated_frames(frames, context.profile, layout, self._notify)
        table.follow_with(
            VideoTracker(
                table.state.game,
                context,
                corners_px=self._settings.corners_px,
                last_event_s=footage.last_event_s,
                reference=BoardThumbnail.from_bytes(table.journal.view, layout.rows, layout.columns),
                may_replay=footage.may_replay,
            ),
            source.fingerprint,
        )
        for item in frames:
            if self._thread.stopping.is_set():
                return
            if isinstance(item, Interruption):
                self._notify(f"table {self._settings.name}: {item.message}")
                table.interrupt(item)
            else:
                table.see(item)

    def _raw(self, frames: Iterator[Frame | Interruption]) -> Iterator[Frame | Interruption]:
        """The frames until another profile is there; the newest one is kept."""
        while not self._calibrated.is_set() and (item := next(frames, None)) is not None:
            if isinstance(item, Frame):
                self._newest = item
            yield item

    def _paced(self, frames: Iterator[Frame | Interruption]) -> Iterator[Frame | Interruption]:
        """The frames of a recorded film, each when its time has come."""
        ahead_s: float | None = None
        for item in frames:
            if isinstance(item, Frame):
                if ahead_s is None:
                    ahead_s = time.monotonic() - item.time_s
                self._thread.stopping.wait(max(0.0, item.time_s + ahead_s - time.monotonic()))
            yield item
