"""Read many pictures at once, in processes of this machine or of a Dask cluster.

Every thread of this program, or of a worker of the cluster, has a process for its pictures. Pictures travel with the
tasks and results with the answers, so workers need no file of ours and write none.
"""

from __future__ import annotations

import asyncio
import contextlib
import functools
import logging
import math
import pickle
import threading
import time
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from typing import Any

from tilesight.digitise.reading import (
    ReadOptions,
    Result,
    check_environment,
    environment_fingerprint,
    read_picture,
)
from tilesight.digitise.workers.picture_process import CRASHED, PictureProcess, ReadFunction, failed_result
from vision.errors import INSTALL_AGAIN, InputError, MissingProgramError, SettingsError, VisionError

__all__ = ["Pool", "Task", "open_pool"]

TASKS_PER_THREAD = 2
"""Tasks a thread that are under way: one runs and one waits, so that no thread does."""
MAX_BYTES_UNDER_WAY = 64_000_000
"""Bytes of pictures that are under way at most (chosen)."""
MAX_READING_S = 120.0
"""No picture takes so long, unless its decoder or another library never returns (chosen)."""
WAIT_FOR_WORKERS_S = 60.0
"""How long a run waits if all workers are gone; those that died are started anew within seconds (chosen)."""
CONNECT_S = 10.0
"""Time in which a scheduler answers (chosen)."""
CHECK_WORKERS_S = 1.0
"""Time between two checks how many threads there are: asking a scheduler costs as much as a task."""
GO_ON = "start it again and run the same command, which goes on where it was"


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
class Pool:
    """Threads, here or elsewhere, that have pictures read."""

    submit: Callable[[Task], Future[Result]]
    count_threads: Callable[[], int]

    def results(self, tasks: Iterable[Task]) -> Iterator[tuple[Task, Result]]:
        """Yield each task with its result, in the order in which they finish.

        Raises VisionError if no picture can be read: a worker has other software, or the cluster is gone.
        """
        waiting, under_way = iter(tasks), dict[Future[Result], Task]()
        threads, checked_s, last_seen_s = 0, -math.inf, time.monotonic()
        while True:
            if time.monotonic() - checked_s >= CHECK_WORKERS_S:
                threads, checked_s = self.count_threads(), time.monotonic()
            while len(under_way) < TASKS_PER_THREAD * max(1, threads) and (
                sum(len(task.data) for task in under_way.values()) < MAX_BYTES_UNDER_WAY
            ):
                task = next(waiting, None)
                if task is None:
                    break
                under_way[self.submit(task)] = task
            if not under_way:
                return
            done, _ = wait(under_way, CHECK_WORKERS_S, FIRST_COMPLETED)
            for future in done:
                yield under_way.pop(future), outcome(future)
            if done or threads:
                last_seen_s = time.monotonic()
            elif time.monotonic() - last_seen_s > WAIT_FOR_WORKERS_S:
                raise InputError(
                    f"the cluster has had no worker for {WAIT_FOR_WORKERS_S:.0f} s; start 'dask worker' again, with "
                    "this version of Tilesight, and run the same command, which goes on where it was"
                )


def outcome(future: Future[Result]) -> Result:
    """Return the result of a finished task; VisionError if no picture can be read."""
    if future.cancelled():
        raise InputError(f"the cluster went away; {GO_ON}")
    error = future.exception()
    if error is None:
        return future.result()
    if isinstance(error, VisionError):
        raise error
    if type(error).__name__ == "KilledWorker":  # of Dask, which may not be installed
        return failed_result(CRASHED)
    reason = " ".join(f"{type(error).__name__}: {error}".split())[:200]
    raise SettingsError(
        f"the cluster cannot run this version of Tilesight ({reason}); install the same on all its machines, the "
        "scheduler's too"
    ) from error


def open_pool(
    cluster: str | None, workers: int, *, limit_s: float = MAX_READING_S, read: ReadFunction = read_picture
) -> contextlib.AbstractContextManager[Pool]:
    """Open a pool of processes on this machine, or of those of a cluster, given by the address of its Dask scheduler.

    One picture may take `limit_s`; then its process is killed. Another `read` measures what handing pictures out costs.
    Raises MissingProgramError if Dask is needed and not installed, InputError if the cluster does not answer, and
    SettingsError if the address is invalid.
    """
    return open_threads(workers, limit_s, read) if cluster is None else open_cluster(cluster, limit_s, read)


@contextlib.contextmanager
def open_threads(workers: int, limit_s: float, read: ReadFunction) -> Iterator[Pool]:
    """Start threads of this program."""
    processes = [PictureProcess(limit_s, read) for _ in range(workers)]
    free = list(processes)

    def read_task(task: Task) -> Result:
        process = free.pop()
        try:
            return process.read(task.data, task.name, task.options)
        finally:
            free.append(process)

    threads = ThreadPoolExecutor(workers)
    try:
        yield Pool(submit=lambda task: threads.submit(read_task, task), count_threads=lambda: workers)
    finally:
        threads.shutdown(wait=False, cancel_futures=True)
        for process in processes:
            process.close()


@contextlib.contextmanager
def open_cluster(address: str, limit_s: float, read: ReadFunction) -> Iterator[Pool]:
    """Connect to a cluster."""
    try:
        import dask
        import distributed
    except ImportError as error:
        raise MissingProgramError(f"--cluster needs the package distributed; {INSTALL_AGAIN}") from error
    for name in ("distributed", "distributed.client"):  # we report a worker or a scheduler that dies
        logging.getLogger(name).setLevel(logging.CRITICAL)
    with contextlib.ExitStack() as stack:
        stack.enter_context(dask.config.set({"distributed.admin.large-graph-warning-threshold": "1GB"}))
        try:
            options = distributed.Security().get_connection_args("client")
            asyncio.run(shake_hands(distributed.comm.connect(address, timeout=CONNECT_S, **options)))
            client = stack.enter_context(distributed.Client(address, timeout=CONNECT_S))
        except (ValueError, TypeError) as error:  # TypeError: tls:// without its certificates
            raise SettingsError(
                f"--cluster {address}: {error}; give an address such as tcp://host:8786, and what else Dask needs for "
                "it in Dask's own settings"
            ) from error
        except (OSError, MemoryError) as error:  # MemoryError: another server's greeting, taken for a size
            raise InputError(
                f"--cluster {address}: no scheduler answers there ({type(error).__name__}); "
                "start 'dask scheduler' and 'dask worker', then run the same command"
            ) from error
        executor = client.get_executor(pure=False)
        sent: dict[str, Any] = {}

        def count_threads() -> int:
            try:
                return sum(client.nthreads(callback_timeout=WAIT_FOR_WORKERS_S).values())
            except (OSError, AttributeError) as error:  # a client without a scheduler lacks attributes
                raise InputError(f"the cluster does not answer; {GO_ON}") from error

        def submit(task: Task) -> Future[Result]:
            """Hand a task out. Options hold a large word list: they are sent once, as a task that Dask can repeat."""
            if task.cache_key not in sent:
                packed = pickle.dumps(task.options)
                sent[task.cache_key] = client.submit(pickle.loads, packed, key=f"options-{task.cache_key}")
            packed = pickle.dumps((task.data, task.name))  # as one piece, which Dask does not unpack
            future: Future[Result] = executor.submit(
                read_on_worker, packed, sent[task.cache_key], environment_fingerprint(), limit_s, read
            )
            return future

        yield Pool(submit=submit, count_threads=count_threads)


async def shake_hands(connecting: Awaitable[Any]) -> None:
    """Connect to a scheduler and leave: Dask's client has no limit for a server that takes connections in silence."""
    await (await asyncio.wait_for(connecting, CONNECT_S)).close()


def read_on_worker(
    packed: bytes, options: ReadOptions, expected: Mapping[str, str], limit_s: float, read: ReadFunction
) -> Result:
    """Read a picture in the process of this thread of a cluster's worker.

    `expected` is the fingerprint of the software that began the run. Raises VisionError if no picture can be read.
    """
    check_environment(expected)
    data, name = pickle.loads(packed)
    return process_of(threading.get_ident(), limit_s, read).read(data, name, options)


@functools.lru_cache(maxsize=256)
def process_of(thread: int, limit_s: float, read: ReadFunction) -> PictureProcess:
    """Return the process that reads the pictures of a worker's thread; it ends with its worker."""
    return PictureProcess(limit_s, read)
