"""Time for the two threads of a live source: it passes only while both wait, so that no busy machine changes it."""

from __future__ import annotations

import threading
from collections.abc import Callable
from types import ModuleType, SimpleNamespace

import pytest

__all__ = ["PassingTime"]

PATIENCE_S = 60.0


class PassingTime:
    """Stands in for `time` and `threading` in the module of a source.

    Its condition, its event and its clock are this one object: a source has one of each.
    """

    def __init__(self) -> None:
        self._now_s = 0.0
        self._is_set = False
        self._changed = threading.Condition()
        self._waiting: dict[int, tuple[float, Callable[[], object]]] = {}

    def stand_in(self, monkeypatch: pytest.MonkeyPatch, module: ModuleType) -> None:
        """Let a module have this time."""
        threads = SimpleNamespace(Thread=threading.Thread, Condition=lambda: self, Event=self._make_event)
        monkeypatch.setattr(module, "time", self)
        monkeypatch.setattr(module, "threading", threads)

    def monotonic(self) -> float:
        return self._now_s

    def sleep(self, seconds: float) -> None:
        self.wait_for(lambda: False, seconds)

    def __enter__(self) -> None:
        self._changed.acquire()

    def __exit__(self, *_: object) -> None:
        self._changed.release()

    def notify(self) -> None:
        self._changed.notify_all()

    def wait_for(self, is_met: Callable[[], object], timeout: float) -> object:
        """Wait for a condition, or for the end of the source, or until the time is over."""
        with self._changed:
            until_s = self._now_s + timeout
            self._waiting[threading.get_ident()] = until_s, is_met
            while not (is_met() or self._is_set or self._now_s >= until_s):
                self._pass()
            del self._waiting[threading.get_ident()]
            return is_met()

    def _pass(self) -> None:
        """Let time pass to what comes next, if both threads wait."""
        waiting = self._waiting.values()
        if len(waiting) < 2 or any(is_met() or at_s <= self._now_s for at_s, is_met in waiting):
            assert self._changed.wait(PATIENCE_S), "the other thread does not wait"
            return
        self._now_s = min(at_s for at_s, _ in waiting)
        self._changed.notify_all()

    def _make_event(self) -> PassingTime:
        self._is_set = False
        return self

    def is_set(self) -> bool:
        return self._is_set

    def set(self) -> None:
        with self._changed:
            self._is_set = True
            self._changed.notify_all()

    def wait(self, timeout: float) -> object:
        return self.wait_for(self.is_set, timeout)
