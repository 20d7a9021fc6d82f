"""Many pictures at once, in processes of this machine or on a cluster; a process that dies takes down one picture.

Dask hands the tasks out, starts a worker anew that died, and gives its tasks to others. The pictures travel with
the tasks and the results with the answers, so that workers need no file of ours and write none.
"""

from __future__ import annotations

import contextlib
import itertools
import logging
import math
import os
import pickle
import queue
import signal
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from multiprocessing import resource_tracker
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tilesight.digitise.reading.environment import check_equipment, equipment
from tilesight.digitise.reading.photo_reader import Reading, Result, read_picture
from tilesight.digitise.workers.batching import Batch, Task, batched
from tilesight.digitise.workers.time_limit import ended_after
from vision.errors import InputError, MissingProgramError, SettingsError, VisionError

if TYPE_CHECKING:
    from distributed import Client, Future

__all__ = ["Pool", "Task", "open_pool"]

MEMORY_A_WORKER = "1.5GiB"
"""A worker that grows beyond this is ended; a picture of 120 megapixels needs less."""
KEPT_FREE_BYTES = 32_000_000
AHEAD = 2
"""Batches a thread that are under way: one runs, one waits, so that no worker does."""
MAX_BYTES_AHEAD = 64_000_000
LONGEST_READING_S = 120.0
"""No picture takes so long, unless its decoder or another library never ends."""
CRASHED = "reading this picture ended the process that read it, or took too long, twice"
WAIT_FOR_WORKERS_S = 60.0
LOOK_AFTER_WORKERS_S = 5.0

Read = Callable[[bytes, str, Reading], Result]


@dataclass(frozen=True, slots=True, kw_only=True)
class Pool:
    """Processes that read pictures.

    Parameters
    ----------
    client : distributed.Client
        The way to them.
    dashboard : str
        Address of Dask's page that shows them at work.
    patience_s : float
        How long it is waited for workers where all are gone; those that died are started anew within seconds.
    limit_s : float
        How long one picture may take; then its process is ended.
    read : callable or None
        What is done with a picture in place of `read_picture`, to measure what handing pictures out takes.
    attempts : iterator of int
        Numbers of what is handed out: what is handed out again must not be taken for what was.
    """

    client: Client
    dashboard: str
    patience_s: float = WAIT_FOR_WORKERS_S
    limit_s: float = LONGEST_READING_S
    read: Read | None = None
    attempts: Iterator[int] = field(default_factory=itertools.count)

    @property
    def threads(self) -> int:
        """How many pictures are read at once."""
        threads: dict[str, int] = self.client.nthreads()
        return max(1, sum(threads.values()))

    def results(self, tasks: Iterable[Task], most: int = 1) -> Iterator[tuple[Task, Result]]:
        """Each task with what it gave, in the order in which they are done.

        Parameters
        ----------
        tasks : iterable of Task
            The pictures.
        most : int
            How many they are at most: where many are left, they are handed out together.

        Raises
        ------
        VisionError
            If pictures cannot be read at all: a worker is equipped otherwise, or the cluster is gone.
        """
        threads = Count(self)
        died: list[tuple[Batch, Died]] = []
        yield from self._read(batched(tasks, most, threads), threads, AHEAD, died)
        # A dying process takes those with it that came together or wait for it: each is read once more, by itself.
        alone = [Batch(tasks=(task,)) for batch, _ in died for task in batch.tasks]
        died.clear()
        yield from self._read(alone, threads, 1, died)
        # Where a process runs several at once, or one waits behind another, it is not known which of them ended it.
        at_once = Counter(death.worker for _, death in died)
        lethal = [batch for batch, death in died if at_once[death.worker] == 1]
        for batch in [batch for batch, death in died if at_once[death.worker] > 1]:
            died.clear()
            yield from self._read([batch], threads, 1, died)
            lethal.extend(batch for batch, _ in died)
        for batch in lethal:
            yield batch.tasks[0], failed(CRASHED)

    def _read(
        self, batches: Iterable[Batch], threads: Callable[[], int], ahead: int, died: list[tuple[Batch, Died]]
    ) -> Iterator[tuple[Task, Result]]:
        """Each task with what it gave; the batches whose process died are added to `died`."""
        for batch, results in self._run(batches, threads, ahead):
            if isinstance(results, Died):
                died.append((batch, results))
            else:
                yield from ((task, results[task.sha256]) for task in batch.tasks)

    def _run(
        self, batches: Iterable[Batch], threads: Callable[[], int], ahead: int
    ) -> Iterator[tuple[Batch, dict[str, Result] | Died]]:
        """Each batch with its results."""
        waiting: Iterator[Batch] = iter(batches)
        going: dict[str, tuple[Batch, Any]] = {}
        ways: dict[str, Any] = {}
        finished: queue.SimpleQueue[Any] = queue.SimpleQueue()
        expected = equipment()
        under_way = 0

        def submit_more() -> None:
            nonlocal under_way
            while len(going) < ahead * threads() and (under_way < MAX_BYTES_AHEAD or not going):
                batch = next(waiting, None)
                if batch is None:
                    return
                first = batch.tasks[0]
                # A word list is large: it is sent once, as a task of its own that Dask can repeat elsewhere.
                if first.way not in ways:
                    packed = pickle.dumps(first.how)
                    ways[first.way] = self.client.submit(pickle.loads, packed, key=f"how-{first.way}")
                future = self.client.submit(
                    run_batch,
                    # as one piece, into which Dask does not look
                    pickle.dumps([(task.sha256, task.data, task.name) for task in batch.tasks]),
                    ways[first.way],
                    expected,
                    limit_s=self.limit_s,
                    read=self.read,
                    key=f"{batch.key}-{next(self.attempts)}",
                    pure=False,
                )
                going[future.key] = batch, future
                under_way += batch.size_bytes
                future.add_done_callback(finished.put)

        submit_more()
        while going:
            future = self._next(finished)
            batch, _ = going.pop(future.key)
            under_way -= batch.size_bytes
            results = outcome(future)
            future.release()
            if results is None:
                waiting = itertools.chain([batch], waiting)
            submit_more()
            if results is not None:
                yield batch, results

    def _next(self, finished: queue.SimpleQueue[Future]) -> Future:
        """The next task that is done.

        Raises
        ------
        InputError
            If no worker is left to do one.
        """
        last_seen_s = time.monotonic()
        while True:
            try:
                return finished.get(timeout=min(LOOK_AFTER_WORKERS_S, self.patience_s / 4))
            except queue.Empty:
                pass
            if self.client.nthreads():
                last_seen_s = time.monotonic()
            elif time.monotonic() - last_seen_s > self.patience_s:
                raise InputError(
                    f"the cluster has had no worker for {self.patience_s:.0f} s; start 'dask worker' again, with this "
                    "version of Tilesight, and run the same command, which goes on where it was"
                )


@dataclass(frozen=True, slots=True, kw_only=True)
class Died:
    """What a batch came to whose process died.

    Parameters
    ----------
    worker : str
        Address of that process.
    """

    worker: str


@dataclass(slots=True)
class Count:
    """How many pictures the pool reads at once; it is asked now and then, since the answer costs as much as a task."""

    pool: Pool
    threads: int = 0
    asked_s: float = -math.inf

    def __call__(self) -> int:
        if time.monotonic() - self.asked_s > LOOK_AFTER_WORKERS_S / 5:
            self.threads, self.asked_s = self.pool.threads, time.monotonic()
        return self.threads


def run_batch(
    packed: bytes,
    how: Reading,
    expected: Mapping[str, str],
    limit_s: float = LONGEST_READING_S,
    read: Read | None = None,
) -> dict[str, Result]:
    """What a worker does with pictures that came together; the results by the pictures' checksums."""
    return {
        sha256: run_task(data, name, how, expected, limit_s, read)
        for sha256, data, name in pickle.loads(packed)
    }


def run_task(
    data: bytes,
    name: str,
    how: Reading,
    expected: Mapping[str, str],
    limit_s: float = LONGEST_READING_S,
    read: Read | None = None,
) -> Result:
    """What a worker does: checks itself, then reads."""
    check_equipment(expected)
    try:
        with ended_after(limit_s):
            return (read or read_picture)(data, name, how)
    except (MemoryError, OverflowError) as error:
        return failed(f"the picture needs more memory than there is ({error})")
    except VisionError:
        raise
    except Exception as error:  # whatever a decoder throws at one picture must not stop the others
        return failed(f"reading failed ({type(error).__name__}: {' '.join(str(error).split())[:200]})")


def outcome(future: Future) -> dict[str, Result] | Died | None:
    """What a finished batch gave; None if its process ended, of something else, before the results were fetched."""
    from distributed import KilledWorker

    if future.status == "finished":
        results: dict[str, Result] = future.result()
        return results
    if future.status == "lost":
        return None
    if future.status == "error":
        error = future.exception()
        if isinstance(error, KilledWorker):
            return Died(worker=error.last_worker.address)
        if isinstance(error, VisionError):
            raise error
        reason = " ".join(f"{type(error).__name__}: {error}".split())[:200]
        raise SettingsError(
            f"a worker cannot run this version of Tilesight ({reason}); install the same on all machines of the cluster"
        ) from error
    raise InputError(
        "the cluster went away; start it again and run the same command, which goes on where it was"
    )


def failed(reason: str) -> Result:
    """The result of a picture whose reading failed; on a machine that is less loaded it may not."""
    return Result(record={"status": "unreadable", "message": reason}, ms={}, transient=True)


@contextlib.contextmanager
def out_of_reach() -> Iterator[None]:
    """What is started here is not interrupted from the keyboard, and says nothing of it: this process ends it."""
    resource_tracker.ensure_running()  # whoever starts it can be interrupted from then on
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})  # threads and processes inherit it
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def be_quiet() -> None:
    """Ends what a process says on standard error: decoders complain of damaged pictures there, across our own lines."""
    with open(os.devnull, "wb") as nowhere:
        os.dup2(nowhere.fileno(), 2)


@contextlib.contextmanager
def open_pool(cluster: str | None, workers: int, scratch: Path) -> Iterator[Pool]:
    """Processes on this machine, or those of a cluster that runs already.

    Parameters
    ----------
    cluster : str or None
        Address of a Dask scheduler, such as ``tcp://10.0.0.5:8786``; None for this machine.
    workers : int
        Processes on this machine.
    scratch : Path
        Folder for Dask's own files.

    Raises
    ------
    MissingProgramError
        If Dask is not installed.
    InputError
        If the cluster does not answer, or has no worker.
    SettingsError
        If the address is none, or the scheduler lacks this version of Tilesight.
    """
    try:
        import dask
        import distributed

        from tilesight.digitise.workers.fail_fast_plugin import OneDeath
    except ImportError as error:
        raise MissingProgramError(
            "digitise needs the package distributed; run pip install 'tilesight[digitise]'"
        ) from error
    for name in ("distributed", "distributed.client"):  # a dying worker or scheduler is told by us
        logging.getLogger(name).setLevel(logging.CRITICAL)
    settings = {
        "distributed.scheduler.worker-saturation": 1.0,
        "distributed.admin.large-graph-warning-threshold": "1GB",
        "distributed.admin.low-level-log-length": 5,  # it holds the pictures of so many tasks
        # Dask has every freed picture given back to the system at once, and fetched again for the next one.
        "distributed.nanny.pre-spawn-environ.MALLOC_TRIM_THRESHOLD_": KEPT_FREE_BYTES,
        "distributed.nanny.pre-spawn-environ.MALLOC_MMAP_THRESHOLD_": KEPT_FREE_BYTES,
        "distributed.worker.profile.enabled": False,  # it looks at the worker's stack a hundred times a second
        "distributed.admin.tick.interval": "500ms",  # fifty times a second, in each process
        "distributed.admin.system-monitor.interval": "2s",  # the dashboard's curves
        "distributed.worker.memory.monitor-interval": "250ms",  # a picture takes longer to fill the memory
        "distributed.scheduler.active-memory-manager.start": False,  # it looks for copies of results: there are none
        "distributed.worker.memory.target": False,  # results are small and leave at once: nothing to spill
        "distributed.worker.memory.spill": False,
        "distributed.worker.memory.pause": False,
    }
    with contextlib.ExitStack() as stack:
        stack.enter_context(dask.config.set(settings))
        try:
            if cluster is None:
                with out_of_reach():
                    local = stack.enter_context(
                        distributed.LocalCluster(
                            n_workers=workers,
                            threads_per_worker=1,
                            processes=True,
                            host="127.0.0.1",
                            dashboard_address="127.0.0.1:0",
                            memory_limit=MEMORY_A_WORKER,
                            local_directory=str(scratch),
                            silence_logs=logging.CRITICAL,
                        )
                    )
                client = stack.enter_context(distributed.Client(local))
                client.register_worker_callbacks(be_quiet)
            else:
                client = stack.enter_context(distributed.Client(cluster, timeout="10s"))
                client.wait_for_workers(1, timeout=WAIT_FOR_WORKERS_S)
            try:
                client.register_plugin(OneDeath())
            except (ImportError, AttributeError) as error:  # told by the scheduler, which makes it anew
                raise SettingsError(
                    f"--cluster {cluster}: its scheduler cannot run this version of Tilesight ({error}); "
                    "install the same on the scheduler's machine, too, and start it again"
                ) from error
        except (ValueError, TypeError) as error:  # the latter of tls:// without its certificates
            raise SettingsError(
                f"--cluster {cluster}: {error}; give an address such as tcp://host:8786, and what else Dask needs for "
                "it in Dask's own settings"
            ) from error
        except (OSError, TimeoutError) as error:
            raise InputError(
                f"--cluster {cluster}: no scheduler with a worker answers there ({type(error).__name__}); "
                "start 'dask scheduler' and 'dask worker', then run the same command"
            ) from error
        yield Pool(client=client, dashboard=client.dashboard_link)
