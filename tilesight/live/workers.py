"""A thread that restarts its work after a failure, so that the failure of one game stays there."""

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
    """How long failed work waits before a restart: longer each time, until it has run for `longest_s`."""

    first_s: float = 1.0
    longest_s: float = 30.0


class SupervisedThread:
    """Runs work in a thread until it returns or is stopped.

    Parameters
    ----------
    work : callable
        The work. It checks `stopping` regularly, and returns when it is done.
    name : str
        The name for messages.
    backoff : Backoff
        How long to wait after a failure.
    notify : callable
        Called with one line for the user.
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
        """Start the thread."""
        self._thread.start()

    def stop(self, timeout_s: float) -> None:
        """Stop the thread; abandon it if its work does not return within `timeout_s`."""
        self.stopping.set()
        self._thread.join(timeout_s)

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
                # The other games must continue: report any failure of this one, and restart it.
                self._notify(f"{self._name}: trying again in {pause_s:.0f} s after\n{traceback.format_exc()}")
            self._on_failure()
            if time.monotonic() - began_s > self._backoff.longest_s:
                pause_s = self._backoff.first_s
            self.stopping.wait(pause_s)
            pause_s = min(2 * pause_s, self._backoff.longest_s)
