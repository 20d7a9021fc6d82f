"""Make a scheduler give up a photo when the first process dies of it; the tasks of others keep their setting.

Dask tries a task that killed a process on three more. The setting ``distributed.scheduler.allowed-failures`` is one for
all tasks of a scheduler, and a shared cluster is not ours to configure.
"""

from __future__ import annotations

from typing import Any

from distributed import Scheduler, SchedulerPlugin

from tilesight.digitise.workers.pool import KEY_PREFIX

__all__ = ["FailFastPlugin"]


class FailFastPlugin(SchedulerPlugin):  # type: ignore[misc]  # distributed comes without types
    """Fails our tasks after the first death of a worker."""

    name = "tilesight-fail-fast"
    idempotent = True

    async def start(self, scheduler: Scheduler) -> None:
        """Keep the scheduler to which the plugin belongs."""
        self._scheduler = scheduler

    def transition(self, key: Any, start: str, finish: str, *_: Any, **__: Any) -> None:
        """Count all allowed failures when a task is given to a process, so that the next one is one too many."""
        if finish == "processing" and str(key).startswith(KEY_PREFIX):
            task = self._scheduler.tasks[key]
            task.suspicious = max(task.suspicious, self._scheduler.allowed_failures)
