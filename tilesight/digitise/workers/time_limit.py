"""A time limit for what cannot be interrupted: a decoder that never returns is killed with its process."""

from __future__ import annotations

import contextlib
import faulthandler
import functools
import os
import threading
import time
from collections.abc import Iterator

__all__ = ["kill_after"]

_lock = threading.Lock()
_deadlines_s: dict[object, float] = {}


@contextlib.contextmanager
def kill_after(limit_s: float) -> Iterator[None]:
    """Kill this process if the block takes longer, even while it holds the interpreter.

    Several threads may be in such blocks at once; the earliest deadline counts.

    References
    ----------
    Python's manual on `faulthandler.dump_traceback_later`: its watchdog needs no interpreter, and there is only one.
    """
    block = object()
    with _lock:
        _deadlines_s[block] = time.monotonic() + limit_s
        _restart_watchdog()
    try:
        yield
    finally:
        with _lock:
            del _deadlines_s[block]
            _restart_watchdog()


@functools.cache
def _null_device() -> int:
    """Open the file to which the watchdog writes what nobody wants to read."""
    return os.open(os.devnull, os.O_WRONLY)


def _restart_watchdog() -> None:
    faulthandler.cancel_dump_traceback_later()
    if _deadlines_s:
        left_s = max(0.001, min(_deadlines_s.values()) - time.monotonic())
        faulthandler.dump_traceback_later(left_s, exit=True, file=_null_device())
