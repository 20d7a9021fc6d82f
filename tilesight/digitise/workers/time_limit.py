"""A limit of time for what cannot be interrupted: a decoder that never ends is ended with its process."""

from __future__ import annotations

import contextlib
import faulthandler
import functools
import os
import threading
import time
from collections.abc import Iterator

__all__ = ["ended_after"]

_lock = threading.Lock()
_deadlines_s: dict[object, float] = {}


@contextlib.contextmanager
def ended_after(limit_s: float) -> Iterator[None]:
    """Ends this process if the block takes longer, even where it holds the interpreter.

    Several threads may be within such blocks at once; the earliest limit counts.

    Parameters
    ----------
    limit_s : float
        The limit.

    References
    ----------
    Python's manual on `faulthandler.dump_traceback_later`: its watchdog needs no interpreter, and there is one only.
    """
    mine = object()
    with _lock:
        _deadlines_s[mine] = time.monotonic() + limit_s
        _watch()
    try:
        yield
    finally:
        with _lock:
            del _deadlines_s[mine]
            _watch()


@functools.cache
def _nowhere() -> int:
    """Where the watchdog writes what nobody wants to read."""
    return os.open(os.devnull, os.O_WRONLY)


def _watch() -> None:
    faulthandler.cancel_dump_traceback_later()
    if _deadlines_s:
        left_s = max(0.001, min(_deadlines_s.values()) - time.monotonic())
        faulthandler.dump_traceback_later(left_s, exit=True, file=_nowhere())
