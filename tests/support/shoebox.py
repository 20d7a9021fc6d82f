"""A run of digitising in this process, for tests: a pool without workers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from scoring import edition_names, load_edition
from tilesight.digitise import pipeline as run_module
from tilesight.digitise.pipeline import Progress
from tilesight.digitise.reading.options import ReadOptions
from tilesight.digitise.reading.photo_reader import Result, read_picture
from tilesight.digitise.workers import Task, run_task

__all__ = ["Inline", "run"]


class Inline:
    """A pool without processes, which may be interrupted."""

    def __init__(self) -> None:
        self.read = read_picture
        self.after: int | None = None
        self.tasks: list[Task] = []

    def results(self, tasks: Iterable[Task]) -> Iterator[tuple[Task, Result]]:
        for task in tasks:
            if self.after is not None and len(self.tasks) >= self.after:
                raise KeyboardInterrupt
            self.tasks.append(task)
            yield task, run_task(task.data, task.name, task.options, self.read)


def run(box: Path, out: Path, progress: Progress = lambda *_: None, **options: Any) -> Any:
    """A run over the box by all editions, with what else `Run` takes."""
    from tilesight.digitise.sources.discovery import find_source_files

    read_options = ReadOptions(editions=tuple(map(load_edition, edition_names())))
    wanted = run_module.Run(
        files=find_source_files([str(box)], excluded=out), folder=out, options=read_options, **options
    )
    return run_module.digitise(wanted, progress)
