"""Read one picture at a time in a process of its own: a decoder that crashes or never returns costs one picture."""

from __future__ import annotations

import contextlib
import multiprocessing
import signal
import threading
from multiprocessing.connection import Connection
from typing import Any

from tilesight.digitise.reading import ReadOptions, Result, read_picture
from tilesight.digitise.workers.pool import ReadFunction, failed_result, read_safely
from vision.errors import VisionError

__all__ = ["MAX_READING_S", "PictureProcess"]

MAX_READING_S = 30.0
"""Time for one picture while a person waits for it; the slowest of 60 photos took 4 s on a busy machine (chosen)."""
START_S = 60.0
"""Time in which the process starts; its libraries load in 2 s (chosen)."""
CRASHED = "reading this picture ended the process that read it; save it anew as a JPEG"


class PictureProcess:
    """A process that reads pictures, one after the other; it starts with the first one.

    A picture may take `limit_s`; then the process is killed, and another one reads the next picture.
    """

    def __init__(self, limit_s: float = MAX_READING_S, read: ReadFunction = read_picture) -> None:
        self._limit_s = limit_s
        self._read = read
        self._lock = threading.Lock()
        self._running: tuple[multiprocessing.process.BaseProcess, Connection[Any, Any]] | None = None

    def read(self, data: bytes, name: str, options: ReadOptions) -> Result:
        """Read a picture as `read_picture` does, and wait while another one is read.

        Raises VisionError if no picture can be read with these options.
        """
        with self._lock:
            try:
                connection = self._start()
                connection.send((data, name, options))
                if not connection.poll(self._limit_s):
                    self._stop()
                    return failed_result(
                        f"reading took more than {self._limit_s:.0f} s, so it was stopped; "
                        "shrink the picture, or crop it to the board"
                    )
                answer = connection.recv()
            except (EOFError, OSError):
                self._stop()
                return failed_result(CRASHED)
        if isinstance(answer, VisionError):
            raise answer
        assert isinstance(answer, Result)
        return answer

    def close(self) -> None:
        """End the process, and what it reads."""
        running = self._running
        if running is not None:
            running[0].kill()  # a reading that waits for it gets the end of the connection
        with self._lock:
            self._stop()

    def _start(self) -> Connection[Any, Any]:
        if self._running is None:
            context = multiprocessing.get_context("spawn")
            ours, theirs = context.Pipe()
            process = context.Process(
                target=run_reader, args=(theirs, self._read), name="photo-reader", daemon=True
            )
            process.start()
            theirs.close()
            self._running = process, ours
            if not ours.poll(START_S):
                raise EOFError
            ours.recv()
        return self._running[1]

    def _stop(self) -> None:
        running, self._running = self._running, None
        if running is not None:
            process, connection = running
            process.kill()
            process.join(5.0)
            connection.close()


def run_reader(connection: Connection[Any, Any], read: ReadFunction) -> None:
    """Read pictures until the other side is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the program that ends this process
    connection.send("ready")
    with contextlib.suppress(EOFError, OSError):
        while True:
            data, name, options = connection.recv()
            answer: Result | VisionError
            try:
                answer = read_safely(data, name, options, read)
            except VisionError as error:
                answer = error
            connection.send(answer)
