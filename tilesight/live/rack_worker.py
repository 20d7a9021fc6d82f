"""A thread that reads the racks of one live game, from a camera of their own or from the game's own camera."""

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

READ_EVERY_S = 1.0
"""Seconds between readings: racks change slowly, and a reading takes a good part of a second."""
MIN_CONFIDENCE = 0.5
"""Probability below which a reading is ignored; chosen."""
BACKOFF = Backoff(first_s=5.0, longest_s=60.0)


class RackWorker:
    """Reads racks repeatedly, and records what two successive readings agree on.

    Parameters
    ----------
    game : LiveGame
        The game.
    settings : GameSettings
        Its settings, with the racks' places: `rack_source` and `racks_px`.
    load_context : callable
        Loads what the racks are read with, in the thread.
    open_it : callable
        Opens the source.
    every_s : float
        Seconds between readings.
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
        every_s: float = READ_EVERY_S,
        backoff: Backoff = BACKOFF,
        notify: Callable[[str], None],
    ) -> None:
        self._game = game
        self._settings = settings
        self._load_context = load_context
        self._open = open_it
        self._every_s = every_s
        self._notify = notify
        self._last: dict[int, tuple[str, ...]] = {}
        self._thread = SupervisedThread(
            self._read_repeatedly, name=f"racks of table {settings.name}", backoff=backoff, notify=notify
        )

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def stop(self, timeout_s: float = 5.0) -> None:
        """Stop the thread; abandon it if its source does not answer within `timeout_s`."""
        self._thread.stop(timeout_s)

    def _read_repeatedly(self) -> None:
        context = self._load_context()
        for frame in self._frames():
            self.read(frame, context)

    def _frames(self) -> Iterator[Frame]:
        """Yield a frame every `every_s` seconds until the source ends."""
        if self._settings.rack_source is None:
            while not self._thread.stopping.wait(self._every_s):
                snapshot = self._game.snapshot
                if snapshot is not None:
                    yield snapshot[0]
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

    def read(self, frame: Frame, context: GameContext) -> None:
        """Read every player's rack in a frame.

        Raises
        ------
        SettingsError
            If a rack's place is not in the frame.
        """
        for player, corners in enumerate(self._settings.racks_px):
            if corners is None:
                continue
            try:
                reading = read_rack(frame.image_bgr, context, corners_px=corners)
            except SettingsError as error:
                raise SettingsError(f"racks of table {self._settings.name}: {error}") from error
            if reading.confidence < MIN_CONFIDENCE:
                continue
            if self._last.get(player) == reading.tokens:
                self._game.record_rack(player, reading.tokens)
            self._last[player] = reading.tokens
