"""A thread that begins its work again where it fails: what goes wrong at one table stays there."""

from __future__ import annotations

import threading
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass

from vision.errors import VisionError

__all__ = ["Backoff", "SupervisedThread"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Backoff:
    """How long failed work waits before it begins again: longer each time, until it has run for a while."""

    first_s: float = 1.0
    longest_s: float = 30.0


class SupervisedThread:
    """Does work in a thread of its own until it is done or told to stop.

    Parameters
    ----------
    work : callable
        Returns when all is done; looks at `stopping` now and then.
    name : str
        What a message names.
    backoff : Backoff
        How long to wait after a failure.
    notify : callable
        Gets one line for whoever runs the program.
    on_failure : callable, optional
        Called after each failure, before the wait.
    """

    def __init__(
        self,
        work: Callable[[], None],
        *,
        name: str,
        backoff: Backoff,
        notify: Callable[[str], None],
        on_failure: Callable[[], None] = lambda: None,
    ) -> None:
        self.stopping = threading.Event()
        self._work = work
        self._name = name
        self._backoff = backoff
        self._notify = notify
        self._on_failure = on_failure
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)

    def start(self) -> None:
        """Begins."""
        self._thread.start()

    def stop(self, patience_s: float) -> None:
        """Ends the thread, or leaves it behind where its work does not answer."""
        self.stopping.set()
        self._thread.join(patience_s)

    def _run(self) -> None:
        pause_s = self._backoff.first_s
        while not self.stopping.is_set():
            began_s = time.monotonic()
            try:
                self._work()
                return
            except VisionError as error:
                self._notify(f"{self._name}: {error}; trying again in {pause_s:.0f} s")
            except Exception:
                # The other tables are on air: whatever is wrong with this one is told, and tried again.
                self._notify(f"{self._name}: trying again in {pause_s:.0f} s after\n{traceback.format_exc()}")
            self._on_failure()
            if time.monotonic() - began_s > self._backoff.longest_s:
                pause_s = self._backoff.first_s
            self.stopping.wait(pause_s)
            pause_s = min(2 * pause_s, self._backoff.longest_s)
