"""Processes that read pictures, on this machine or on a cluster."""

from tilesight.digitise.workers.picture_process import PictureProcess, run_task
from tilesight.digitise.workers.pool import Pool, Task, open_pool

__all__ = ["PictureProcess", "Pool", "Task", "open_pool", "run_task"]
