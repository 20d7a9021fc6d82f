"""Read many pictures at once, in processes of this machine or of a cluster; a worker that dies costs one photo.

Dask hands the tasks out, starts a dead worker anew, and gives its tasks to others. The pictures travel with the tasks
and the results with the answers, so workers need no file of ours and write none.
"""

from __future__ import annotations

import itertools
import math
import pickle
import queue
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tilesight.digitise.reading import (
    PhotoRecord,
    PhotoStatus,
    ReadOptions,
    Result,
    check_environment,
    environment_fingerprint,
    read_picture,
)
from tilesight.digitise.workers.time_limit import kill_after
from vision.errors import InputError, SettingsError, VisionError

if TYPE_CHECKING:
    from distributed import Client, Future

__all__ = ["KEY_PREFIX", "WAIT_FOR_WORKERS_S", "Pool", "ReadFunction", "Task", "run_task"]

TASKS_PER_THREAD = 2
"""Tasks a thread that are under way: one runs and one waits, so that no worker does."""
MAX_BYTES_UNDER_WAY = 64_000_000
"""Bytes of pictures that are under way at most (chosen)."""
MAX_READING_S = 120.0
"""No picture takes so long, unless its decoder or another library never returns (chosen)."""
WAIT_FOR_WORKERS_S = 60.0
"""How long a run waits if all workers are gone; those that died are started anew within seconds (chosen)."""
CHECK_WORKERS_S = 5.0
"""Time between two checks whether there are workers (chosen)."""
CRASHED = "reading this picture ended the process that read it, or took too long, twice"
KEY_PREFIX = "photo-"
"""Start of the keys of our tasks."""

ReadFunction = Callable[[bytes, str, ReadOptions], Result]


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """A picture to be read."""

    sha256: str
    name: str
    """Its name, for messages."""
    data: bytes
    options: ReadOptions
    cache_key: str
    """The cache key of the options, which takes longer to compute than handing a picture out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkerDied:
    """The result of a task whose process died."""

    worker: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Pool:
    """Processes that read pictures."""

    client: Client
    dashboard: str
    """Address of Dask's page that shows them at work."""
    patience_s: float = WAIT_FOR_WORKERS_S
    """How long a run waits for workers if all are gone."""
    limit_s: float = MAX_READING_S
    """How long one picture may take; then its process is killed."""
    read: ReadFunction | None = None
    """Replaces `read_picture`, to measure what handing pictures out costs."""
    attempts: Iterator[int] = field(default_factory=itertools.count)
    """Numbers of tasks: a task that is handed out again must not be taken for the earlier one."""

    def results(self, tasks: Iterable[Task]) -> Iterator[tuple[Task, Result]]:
        """Yield each task with its result, in the order in which they finish.

        Raises VisionError if no picture can be read: a worker has other software, or the cluster is gone.
        """
        died: list[tuple[Task, WorkerDied]] = []
        yield from self._read(tasks, TASKS_PER_THREAD, died)
        # A process that dies takes the tasks with it that wait for it: each is read once more by itself.
        again = [task for task, _ in died]
        died.clear()
        yield from self._read(again, 1, died)
        # If a process runs several tasks at once, it is not known which of them killed it.
        crashes_by_worker = Counter(crash.worker for _, crash in died)
        fatal = [task for task, crash in died if crashes_by_worker[crash.worker] == 1]
        for task in [task for task, crash in died if crashes_by_worker[crash.worker] > 1]:
            died.clear()
            yield from self._read([task], 1, died)
            fatal.extend(task for task, _ in died)
        for task in fatal:
            yield task, failed_result(CRASHED)

    def _read(
        self, tasks: Iterable[Task], per_thread: int, died: list[tuple[Task, WorkerDied]]
    ) -> Iterator[tuple[Task, Result]]:
        """Keep `per_thread` tasks a thread under way, and yield each with its result; add those that died to `died`.

        Dask's `as_completed` would do, but for its timeout: it counts from the beginning of the run, and what is
        needed here is a wake-up while nothing finishes, to notice that all workers are gone.
        """
        waiting: Iterator[Task] = iter(tasks)
        under_way: dict[str, tuple[Task, Future]] = {}
        options: dict[str, Future] = {}
        finished: queue.SimpleQueue[Future] = queue.SimpleQueue()
        size_bytes, threads, asked_s = 0, 0, -math.inf

        def submit_more() -> None:
            nonlocal size_bytes, threads, asked_s
            if time.monotonic() - asked_s > CHECK_WORKERS_S / 5:  # asking costs as much as a task
                threads, asked_s = max(1, sum(self.client.nthreads().values())), time.monotonic()
            while len(under_way) < per_thread * threads and (
                size_bytes < MAX_BYTES_UNDER_WAY or not under_way
            ):
                task = next(waiting, None)
                if task is None:
                    return
                future = self._submit(task, options)
                under_way[future.key] = task, future
                size_bytes += len(task.data)
                future.add_done_callback(finished.put)

        submit_more()
        while under_way:
            future = self._next(finished)
            task, _ = under_way.pop(future.key)
            size_bytes -= len(task.data)
            result = outcome(future)
            future.release()
            if result is None:
                waiting = itertools.chain([task], waiting)
            submit_more()
            if isinstance(result, WorkerDied):
                died.append((task, result))
            elif result is not None:
                yield task, result

    def _submit(self, task: Task, options: dict[str, Future]) -> Future:
        """Hand a task out. Options hold a large word list: they are sent once, as a task that Dask can repeat."""
        if task.cache_key not in options:
            packed = pickle.dumps(task.options)
            options[task.cache_key] = self.client.submit(
                pickle.loads, packed, key=f"options-{task.cache_key}"
            )
        return self.client.submit(
            run_packed,
            pickle.dumps((task.data, task.name)),  # as one piece, which Dask does not unpack
            options[task.cache_key],
            environment_fingerprint(),
            limit_s=self.limit_s,
            read=self.read,
            # several runs on a cluster share tasks of one key, so it names the picture
            key=f"{KEY_PREFIX}{task.sha256}-{task.cache_key}-{next(self.attempts)}",
            pure=False,
        )

    def _next(self, finished: queue.SimpleQueue[Future]) -> Future:
        """Wait for the next task that is done; InputError if no worker is left to do one."""
        last_seen_s = time.monotonic()
        while True:
            try:
                return finished.get(timeout=min(CHECK_WORKERS_S, self.patience_s / 4))
            except queue.Empty:
                pass
            if self.client.nthreads():
                last_seen_s = time.monotonic()
            elif time.monotonic() - last_seen_s > self.patience_s:
                raise InputError(
                    f"the cluster has had no worker for {self.patience_s:.0f} s; start 'dask worker' again, with this "
                    "version of Tilesight, and run the same command, which goes on where it was"
                )


def run_packed(
    packed: bytes,
    options: ReadOptions,
    expected: Mapping[str, str],
    limit_s: float = MAX_READING_S,
    read: ReadFunction | None = None,
) -> Result:
    """Run a task whose picture and name were packed."""
    data, name = pickle.loads(packed)
    return run_task(data, name, options, expected, limit_s, read)


def run_task(
    data: bytes,
    name: str,
    options: ReadOptions,
    expected: Mapping[str, str],
    limit_s: float = MAX_READING_S,
    read: ReadFunction | None = None,
) -> Result:
    """Check the worker's software, then read the picture.

    `expected` is the fingerprint of the software that began the run. Raises VisionError if no picture can be read.
    """
    check_environment(expected)
    with kill_after(limit_s):
        return read_safely(data, name, options, read or read_picture)


def read_safely(data: bytes, name: str, options: ReadOptions, read: ReadFunction) -> Result:
    """Read a picture; what fails for this one only is its result. Raises VisionError if no picture can be read."""
    try:
        return read(data, name, options)
    except (MemoryError, OverflowError) as error:
        return failed_result(f"the picture needs more memory than there is ({error})")
    except VisionError:
        raise
    except Exception as error:  # whatever a decoder raises for one picture must not stop the others
        return failed_result(f"reading failed ({type(error).__name__}: {' '.join(str(error).split())[:200]})")


def outcome(future: Future) -> Result | WorkerDied | None:
    """Return the result of a finished task; None if its process ended before the result was fetched.

    Raises VisionError if no picture can be read.
    """
    from distributed import KilledWorker

    if future.status == "finished":
        result: Result = future.result()
        return result
    if future.status == "lost":
        return None
    if future.status == "error":
        error: Any = future.exception()
        if isinstance(error, KilledWorker):
            return WorkerDied(worker=error.last_worker.address)
        if isinstance(error, VisionError):
            raise error
        reason = " ".join(f"{type(error).__name__}: {error}".split())[:200]
        raise SettingsError(
            f"a worker cannot run this version of Tilesight ({reason}); install the same on all machines of the cluster"
        ) from error
    raise InputError(
        "the cluster went away; start it again and run the same command, which goes on where it was"
    )


def failed_result(reason: str) -> Result:
    """Return the result of a picture whose reading failed; another try may succeed."""
    return Result(record=PhotoRecord(status=PhotoStatus.UNREADABLE, message=reason), ms={}, is_transient=True)
