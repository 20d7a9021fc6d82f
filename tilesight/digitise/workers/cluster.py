"""Start worker processes on this machine, or connect to those of a cluster."""

from __future__ import annotations

import contextlib
import logging
import os
import signal
from collections.abc import Iterator
from multiprocessing import resource_tracker
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tilesight.digitise.workers.pool import WAIT_FOR_WORKERS_S, Pool
from vision.core import allow_open_files
from vision.errors import InputError, MissingProgramError, SettingsError

if TYPE_CHECKING:
    from distributed import Client

__all__ = ["open_pool"]

MEMORY_PER_WORKER = "1.5GiB"
"""A worker that uses more is killed; a picture of 120 megapixels needs less."""
OPEN_FILES = 30
OPEN_FILES_PER_WORKER = 12
"""Files and connections that this process has open: measured 20, and 11 a worker."""
KEPT_FREE_BYTES = 32_000_000
"""Freed memory that a worker keeps. Dask has every freed picture returned to the system, and fetched again for the
next one."""
DASK_SETTINGS: dict[str, Any] = {
    "distributed.scheduler.worker-saturation": 1.0,
    "distributed.admin.large-graph-warning-threshold": "1GB",
    "distributed.admin.low-level-log-length": 5,  # tasks whose pictures it holds
    "distributed.nanny.pre-spawn-environ.MALLOC_TRIM_THRESHOLD_": KEPT_FREE_BYTES,
    "distributed.nanny.pre-spawn-environ.MALLOC_MMAP_THRESHOLD_": KEPT_FREE_BYTES,
    "distributed.worker.profile.enabled": False,  # it samples the worker's stack a hundred times a second
    "distributed.admin.tick.interval": "500ms",  # fifty times a second by default, in each process
    "distributed.admin.system-monitor.interval": "2s",  # the dashboard's curves
    "distributed.worker.memory.monitor-interval": "250ms",  # a picture takes longer to fill the memory
    "distributed.scheduler.active-memory-manager.start": False,  # it looks for copies of results; there are none
    "distributed.worker.memory.target": False,  # results are small and leave at once: nothing to spill
    "distributed.worker.memory.spill": False,
    "distributed.worker.memory.pause": False,
}


@contextlib.contextmanager
def open_pool(cluster: str | None, workers: int, scratch: Path) -> Iterator[Pool]:
    """Open a pool of worker processes.

    Parameters
    ----------
    cluster : str or None
        Address of a Dask scheduler, such as ``tcp://10.0.0.5:8786``; None for processes of this machine.
    workers : int
        Number of processes on this machine.
    scratch : Path
        Folder for Dask's own files.

    Raises
    ------
    MissingProgramError
        If Dask is not installed.
    InputError
        If the cluster does not answer, or has no worker.
    SettingsError
        If the address is invalid, or the scheduler lacks this version of Tilesight.
    """
    try:
        import dask
        import distributed
    except ImportError as error:
        raise MissingProgramError(
            "digitise needs the package distributed; in Tilesight's folder, run: python -m pip install '.[digitise]'"
        ) from error
    for name in ("distributed", "distributed.client"):  # we report a worker or a scheduler that dies
        logging.getLogger(name).setLevel(logging.CRITICAL)
    with contextlib.ExitStack() as stack:
        stack.enter_context(dask.config.set(DASK_SETTINGS))
        try:
            if cluster is None:
                client = stack.enter_context(local_client(workers, scratch))
            else:
                client = stack.enter_context(distributed.Client(cluster, timeout="10s"))
                client.wait_for_workers(1, timeout=WAIT_FOR_WORKERS_S)
            fail_fast(client, cluster)
        except (ValueError, TypeError) as error:  # TypeError: tls:// without its certificates
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


@contextlib.contextmanager
def local_client(workers: int, scratch: Path) -> Iterator[Client]:
    """Start processes on this machine, with one thread each.

    Raises InputError if the system allows too few open files: Dask would wait for workers in vain.
    """
    import distributed

    needed = OPEN_FILES + OPEN_FILES_PER_WORKER * workers
    allowed = allow_open_files(needed)
    if allowed < needed:
        raise InputError(
            f"the system allows {allowed} open files, and reading with {workers} processes needs {needed}; allow more "
            "with 'ulimit -n', or name fewer processes with --workers"
        )

    with contextlib.ExitStack() as stack:
        with without_interrupts():
            local = stack.enter_context(
                distributed.LocalCluster(
                    n_workers=workers,
                    threads_per_worker=1,
                    processes=True,
                    host="127.0.0.1",
                    dashboard_address="127.0.0.1:0",
                    memory_limit=MEMORY_PER_WORKER,
                    local_directory=str(scratch),
                    silence_logs=logging.CRITICAL,
                )
            )
        client = stack.enter_context(distributed.Client(local))
        client.register_worker_callbacks(silence_stderr)
        yield client


def fail_fast(client: Client, cluster: str | None) -> None:
    """Have the scheduler give up a photo when the first process dies of it.

    Raises SettingsError if the scheduler lacks this version of Tilesight.
    """
    from tilesight.digitise.workers.fail_fast_plugin import FailFastPlugin

    try:
        client.register_plugin(FailFastPlugin())
    except (ImportError, AttributeError) as error:  # raised by the scheduler, which unpickles the plugin
        raise SettingsError(
            f"--cluster {cluster}: its scheduler cannot run this version of Tilesight ({error}); "
            "install the same on the scheduler's machine, too, and start it again"
        ) from error


@contextlib.contextmanager
def without_interrupts() -> Iterator[None]:
    """Start threads and processes that Ctrl-C does not interrupt: this process ends them."""
    resource_tracker.ensure_running()  # else the process that starts it could be interrupted
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})  # threads and processes inherit it
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def silence_stderr() -> None:
    """Discard what a process writes on standard error: decoders complain of damaged pictures there."""
    with open(os.devnull, "wb") as null:
        os.dup2(null.fileno(), 2)
