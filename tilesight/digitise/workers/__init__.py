"""Processes that read pictures, on this machine or on a cluster."""

from tilesight.digitise.workers.picture_process import PictureProcess
from tilesight.digitise.workers.pool import Pool, open_pool
from tilesight.digitise.workers.task import Task, run_task

__all__ = ["PictureProcess", "Pool", "Task", "open_pool", "run_task"]
