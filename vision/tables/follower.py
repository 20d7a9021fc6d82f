"""The thread that follows one table's source, and begins again where it fails: other tables never notice."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

from scoring.lexicon import Lexicon
from vision.capture import Frame, Interruption, Source, open_source
from vision.film import FilmWatch
from vision.photo import Reader
from vision.preview import Preview
from vision.profile import Profile
from vision.profiled import KnownFilm
from vision.tables.restarting import Backoff, RestartingThread
from vision.tables.settings import TableSettings
from vision.tables.table import Table

__all__ = ["Follower"]


class Follower:
    """Follows a table's source in a thread of its own.

    Parameters
    ----------
    table : Table
        The table.
    settings : TableSettings
        What is watched, and how.
    reader : callable
        Loads what reads the cells.
    lexicon : Lexicon, optional
        Words that are a little more likely than others.
    profile : Profile, optional
        What is known of the camera.
    open_it : callable
        Opens the source.
    backoff : Backoff
        How long to wait after a failure.
    notify : callable
        Gets one line for whoever runs the program.
    """

    def __init__(
        self,
        table: Table,
        settings: TableSettings,
        reader: Callable[[], Reader],
        *,
        lexicon: Lexicon | None = None,
        profile: Profile | None = None,
        open_it: Callable[[str, float | None], Source] = open_source,
        backoff: Backoff | None = None,
        notify: Callable[[str], None],
    ) -> None:
        self._table = table
        self._settings = settings
        self._load = reader
        self._lexicon = lexicon
        self._profile = profile
        self._open = open_it
        self._notify = notify
        self._thread = RestartingThread(
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

    def _follow(self) -> None:
        settings, table = self._settings, self._table
        assert settings.source is not None
        source = self._open(settings.source, settings.fps)
        place = table.journal.place
        going_on = not source.live and place.frame >= 0
        layout = table.state.edition.layout
        frames = source.frames(place.frame if going_on else -1)
        known: KnownFilm | None = None
        if self._profile is not None:
            known = KnownFilm(frames, self._profile, layout, self._notify)
            frames = iter(known)
        table.follow_with(
            FilmWatch(
                table.state.game,
                self._load(),
                corners_px=settings.corners_px,
                place=known.place if known is not None else None,
                lexicon=self._lexicon,
                since_s=place.time_s if going_on else None,
                understood=Preview.from_bytes(table.journal.view, layout.rows, layout.columns),
            )
        )
        for item in self._paced(frames) if settings.paced and not source.live else frames:
            if self._thread.stopping.is_set():
                return
            if isinstance(item, Interruption):
                self._notify(f"table {settings.name}: {item.message}")
                table.interrupt(item)
            else:
                table.see(item)
        table.finish()

    def _paced(self, frames: Iterator[Frame | Interruption]) -> Iterator[Frame | Interruption]:
        """The frames of a recorded film, each when its time has come."""
        ahead_s: float | None = None
        for item in frames:
            if isinstance(item, Frame):
                if ahead_s is None:
                    ahead_s = time.monotonic() - item.time_s
                self._thread.stopping.wait(max(0.0, item.time_s + ahead_s - time.monotonic()))
            yield item
