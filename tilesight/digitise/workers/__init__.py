"""Worker processes that read pictures, on this machine or on a cluster."""

from tilesight.digitise.workers.cluster import open_pool
from tilesight.digitise.workers.pool import Pool, Task, run_task
from tilesight.digitise.workers.single import PictureProcess

__all__ = ["PictureProcess", "Pool", "Task", "open_pool", "run_task"]
