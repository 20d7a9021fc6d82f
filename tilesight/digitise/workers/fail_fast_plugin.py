"""Makes a scheduler give up a batch of ours with the first process that dies of it; other tasks keep its setting.

Dask tries what killed a process on three more ones. We know better what to do: read its pictures one by one.
"""

from __future__ import annotations

from typing import Any

from distributed import Scheduler, SchedulerPlugin

from tilesight.digitise.workers.batching import PREFIX

__all__ = ["OneDeath"]


class OneDeath(SchedulerPlugin):  # type: ignore[misc]  # distributed comes without types
    """Lets no batch of pictures outlive a process."""

    name = "tilesight-one-death"
    idempotent = True

    async def start(self, scheduler: Scheduler) -> None:
        """Is told which scheduler it belongs to."""
        self._scheduler = scheduler

    def transition(self, key: Any, start: str, finish: str, *_: Any, **__: Any) -> None:
        """Counts as many deaths as are allowed when a batch is given to a process: the next one is one too many."""
        if finish == "processing" and str(key).startswith(PREFIX):
            task = self._scheduler.tasks[key]
            task.suspicious = max(task.suspicious, self._scheduler.allowed_failures)
