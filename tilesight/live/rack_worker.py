"""The thread that reads the racks of one table, from a camera of their own or from the table's own picture."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator

from tilesight.live.game import LiveGame
from tilesight.live.settings import GameSettings
from tilesight.live.workers import Backoff, SupervisedThread
from vision.capture import Frame, Source, open_source
from vision.errors import SettingsError
from vision.pipeline import GameContext, read_rack

__all__ = ["RackWorker"]

EVERY_S = 1.0
"""Racks change slowly, and reading one takes a good part of a second."""
SURE = 0.5
"""A reading less likely than this waits for a better picture."""
AGAIN = Backoff(first_s=5.0, longest_s=60.0)


class RackWorker:
    """Reads racks again and again; what two looks agree on is told to the table.

    Parameters
    ----------
    table : Table
        The table.
    settings : TableSettings
        Where the racks are: `rack_source` and `racks_px`.
    load_context : callable
        Loads what the racks are read with.
    open_it : callable
        Opens the source.
    every_s : float
        Seconds between looks.
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
        every_s: float = EVERY_S,
        backoff: Backoff = AGAIN,
        notify: Callable[[str], None],
    ) -> None:
        self._table = table
        self._settings = settings
        self._load = load_context
        self._open = open_it
        self._every_s = every_s
        self._notify = notify
        self._seen: dict[int, tuple[str, ...]] = {}
        self._thread = SupervisedThread(
            self._look_again, name=f"racks of table {settings.name}", backoff=backoff, notify=notify
        )

    def start(self) -> None:
        """Begins to look."""
        self._thread.start()

    def stop(self, patience_s: float = 5.0) -> None:
        """Ends the thread, or leaves it behind where its source does not answer."""
        self._thread.stop(patience_s)

    def _look_again(self) -> None:
        context = self._load()
        for frame in self._frames():
            self.look(frame, context)

    def _frames(self) -> Iterator[Frame]:
        """A frame every now and then, to the end of the source."""
        if self._settings.rack_source is None:
            while not self._thread.stopping.wait(self._every_s):
                view = self._table.view
                if view is not None:
                    yield view[0]
            return
        source = self._open(self._settings.rack_source, self._settings.fps)
        with contextlib.closing(source.frames()) as frames:  # type: ignore[type-var]
            next_s = 0.0
            for item in frames:
                if self._thread.stopping.is_set():
                    return
                if isinstance(item, Frame) and item.time_s >= next_s:
                    next_s = item.time_s + self._every_s
                    yield item

    def look(self, frame: Frame, context: GameContext) -> None:
        """Reads every player's rack in a frame."""
        for player, corners in enumerate(self._settings.racks_px):
            if corners is None:
                continue
            try:
                reading = read_rack(frame.image_bgr, context, corners_px=corners)
            except SettingsError as error:
                raise SettingsError(f"racks of table {self._settings.name}: {error}") from error
            if reading.confidence < SURE:
                continue
            if self._seen.get(player) == reading.tokens:
                self._table.tell_rack(player, reading.tokens)
            self._seen[player] = reading.tokens
