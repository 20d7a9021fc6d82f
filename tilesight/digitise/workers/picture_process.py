"""Read pictures in a process of its own: a decoder that crashes, hangs or fills the memory costs one picture."""

from __future__ import annotations

import contextlib
import faulthandler
import multiprocessing
import os
import resource
import subprocess
import sys
import threading
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import Any

from tilesight.digitise.reading import PhotoRecord, PhotoStatus, ReadOptions, Result, read_picture
from vision.errors import MissingProgramError, VisionError, summarize_error

__all__ = ["CRASHED", "PictureProcess", "ReadFunction", "failed_result", "run_task"]

ReadFunction = Callable[[bytes, str, ReadOptions], Result]

MAX_READING_S = 30.0
"""Time for one picture while a person waits for it; the slowest of 60 photos took 4 s on a busy machine (chosen)."""
START_S = 60.0
"""Time in which the process starts; its libraries load in 2 s (chosen)."""
MAX_MEMORY_BYTES = 3_000_000_000
"""Memory of a process; a picture of 120 megapixels needs less."""
KEEP_FREED_MEMORY = {"MALLOC_MMAP_THRESHOLD_": "33554432", "MALLOC_TRIM_THRESHOLD_": "134217728"}
"""Settings of glibc, which other C libraries ignore: the next picture takes the memory of the last one."""
CRASHED = "reading this picture ended the process that read it; save it anew as a JPEG"


class PictureProcess:
    """A process that reads pictures, one after the other; it starts with the first one.

    A picture may take `limit_s`; then the process ends, and another one reads the next picture.
    """

    def __init__(self, limit_s: float = MAX_READING_S, read: ReadFunction = read_picture) -> None:
        self._limit_s = limit_s
        self._read = read
        self._lock = threading.Lock()
        self._running: tuple[subprocess.Popen[bytes], Connection[Any, Any]] | None = None
        self._options: ReadOptions | None = None

    def read(self, data: bytes, name: str, options: ReadOptions) -> Result:
        """Read a picture as `read_picture` does, and wait while another one is read.

        Raises VisionError if no picture can be read with these options, or no process starts or gets ready.
        """
        with self._lock:
            connection = self._start()
            try:
                if options is not self._options:
                    # They may hold a large word list: they are sent once, and no picture's time is spent on them.
                    connection.send((options, self._read, self._limit_s))
                    if not connection.poll(START_S):
                        self._stop()
                        raise MissingProgramError("no picture can be read yet; end other programs")
                    connection.recv()
                    self._options = options
                connection.send((data, name))
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
        while not self._lock.acquire(timeout=0.1):
            running = self._running
            if running is not None:  # it may be about to start
                running[0].kill()  # a reading that waits for it gets the end of the connection
        try:
            self._stop()
        finally:
            self._lock.release()

    def _start(self) -> Connection[Any, Any]:
        """Return the connection to the process, which starts if none runs; MissingProgramError if it does not."""
        if self._running is not None and self._running[0].poll() is None:
            return self._running[1]
        self._stop()
        try:
            self._running = process, connection = launch()
            assert process.stderr is not None
            with process.stderr:
                with contextlib.suppress(EOFError, ConnectionError):
                    if connection.poll(START_S):
                        connection.recv()
                        return connection
                self._stop()
                lines = process.stderr.read().decode(errors="replace").strip().splitlines()
                raise OSError(lines[-1] if lines else sys.executable)
        except OSError as error:
            raise MissingProgramError(
                f"the process that reads pictures does not start ({summarize_error(error)}); end other programs if "
                "memory is short, or install Tilesight again, then run the same command"
            ) from error

    def _stop(self) -> None:
        running, self._running, self._options = self._running, None, None
        if running is not None:
            process, connection = running
            process.kill()
            process.wait(5.0)
            connection.close()


def launch() -> tuple[subprocess.Popen[bytes], Connection[Any, Any]]:
    """Start a process and return the connection to it, on which it says that it is ready."""
    ours, theirs = multiprocessing.Pipe()
    with theirs:
        # A worker of Dask may have no children of `multiprocessing`. -P: the current folder may hold any modules.
        process = subprocess.Popen(
            [sys.executable, "-P", "-m", __name__, str(theirs.fileno())],
            pass_fds=[theirs.fileno()],
            env={**os.environ, **KEEP_FREED_MEMORY, "PYTHONPATH": os.pathsep.join(sys.path)},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            start_new_session=True,  # Ctrl-C is for the program that ends this process
        )
    return process, ours


def serve(descriptor: int) -> None:
    """Read the pictures that come through a connection until the other side is gone."""
    _, most = resource.getrlimit(resource.RLIMIT_DATA)
    limit = MAX_MEMORY_BYTES if most == resource.RLIM_INFINITY else min(MAX_MEMORY_BYTES, most)
    with contextlib.suppress(ValueError, OSError):  # macOS refuses it
        resource.setrlimit(resource.RLIMIT_DATA, (limit, most))
    connection: Connection[Any, Any] = Connection(descriptor)
    with contextlib.suppress(EOFError, OSError), connection, open(os.devnull, "wb") as null:
        os.dup2(null.fileno(), sys.stderr.fileno())  # decoders complain of damaged pictures there
        connection.send("ready")
        while True:
            answer: Result | VisionError | str
            match connection.recv():
                case options, read, limit_s:
                    answer = "ready"
                case data, name:
                    # the other side ends this process in time, unless it is gone
                    faulthandler.dump_traceback_later(2 * limit_s, exit=True)
                    try:
                        answer = run_task(data, name, options, read)
                    except VisionError as error:
                        answer = error
                    faulthandler.cancel_dump_traceback_later()
            connection.send(answer)


def run_task(data: bytes, name: str, options: ReadOptions, read: ReadFunction = read_picture) -> Result:
    """Read a picture; what fails for this one only is its result. Raises VisionError if no picture can be read."""
    try:
        return read(data, name, options)
    except (MemoryError, OverflowError) as error:
        return failed_result(f"the picture needs more memory than there is ({error})")
    except VisionError:
        raise
    except Exception as error:  # whatever a decoder raises for one picture must not stop the others
        return failed_result(f"reading failed ({type(error).__name__}: {' '.join(str(error).split())[:200]})")


def failed_result(reason: str) -> Result:
    """Return the result of a picture whose reading failed; another try may succeed."""
    return Result(record=PhotoRecord(status=PhotoStatus.UNREADABLE, message=reason), ms={}, is_transient=True)


if __name__ == "__main__":
    serve(int(sys.argv[1]))
