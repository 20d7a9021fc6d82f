"""Worker processes that read pictures, on this machine or on a cluster."""

from tilesight.digitise.workers.cluster import open_pool
from tilesight.digitise.workers.pool import Pool, Task, run_task

__all__ = ["Pool", "Task", "open_pool", "run_task"]
