"""Signals that end a program as Ctrl-C does, with all that is open closed."""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Iterator

__all__ = ["interrupted_by_signals"]


@contextlib.contextmanager
def interrupted_by_signals() -> Iterator[None]:
    """Let SIGTERM, which stops a service, and SIGHUP, which a closing terminal sends, end the program as Ctrl-C does.

    Signals that are ignored, as under nohup, stay so. Other threads change nothing.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def stop(number: int, _: object) -> None:
        # a shell and the system both send it when their terminal closes
        signal.signal(number, signal.SIG_IGN)
        if number != signal.SIGTERM:
            # a web server has a handler for SIGTERM only, which lets it end its streams first
            signal.raise_signal(signal.SIGTERM)
        else:
            raise KeyboardInterrupt

    numbers = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
    before = {number: signal.getsignal(number) for number in numbers}
    for number in numbers:
        if before[number] is not signal.SIG_IGN:
            signal.signal(number, stop)
    try:
        yield
    finally:
        for number in numbers:
            signal.signal(number, before[number])
