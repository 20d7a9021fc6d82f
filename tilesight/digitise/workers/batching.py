"""Pictures that are handed out together: many while many are left, so that it costs little, at the end one by one."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from tilesight.digitise.reading.photo_reader import Reading

__all__ = ["PREFIX", "Batch", "Task", "batched"]

PREFIX = "photos-"
"""Begins the keys of batches, so that a scheduler knows them from the tasks of others."""

MAX_TOGETHER = 8
"""Handed out alone, each picture took the command 6 ms; of eight together each takes 4, most of it for its bytes."""
MAX_BYTES_TOGETHER = 8_000_000
ROUNDS = 4
"""A batch is so small a part of what is left for each process: then all end at nearly the same time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """A picture to be read.

    Parameters
    ----------
    sha256 : str
        The picture's checksum.
    name : str
        Its name, for messages.
    data : bytes
        The file.
    how : Reading
        How it is read.
    way : str
        The checksum of that, by `checksum_of`, which takes longer than to hand a picture out.
    """

    sha256: str
    name: str
    data: bytes
    how: Reading
    way: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """Pictures that one process reads one after another, all in one way.

    Parameters
    ----------
    tasks : tuple of Task
        The pictures, at least one.
    """

    tasks: tuple[Task, ...]

    @property
    def key(self) -> str:
        """What Dask calls it; what several runs on a cluster call alike, they share, so it names every picture."""
        pictures = hashlib.sha256("\n".join(task.sha256 for task in self.tasks).encode()).hexdigest()
        return f"{PREFIX}{pictures}-{self.tasks[0].way}"

    @property
    def size_bytes(self) -> int:
        """What all files take together."""
        return sum(len(task.data) for task in self.tasks)


def batched(tasks: Iterable[Task], most: int, threads: Callable[[], int]) -> Iterator[Batch]:
    """The tasks in their order, those that are handed out together as one.

    Parameters
    ----------
    tasks : iterable of Task
        The pictures; each is asked for when its batch is.
    most : int
        How many they are at most.
    threads : callable
        How many pictures are read at once, now.

    References
    ----------
    C. Polychronopoulos, D. Kuck, "Guided self-scheduling", IEEE Transactions on Computers C-36 (1987): each processor
    takes a share of what is left, so that shares shrink towards the end.
    """
    together: list[Task] = []
    size_bytes, left = 0, most
    for task in tasks:
        if together and task.way != together[0].way:
            yield Batch(tasks=tuple(together))
            together, size_bytes = [], 0
        together.append(task)
        size_bytes += len(task.data)
        left -= 1
        share = (left + len(together)) // (ROUNDS * threads())
        if len(together) >= min(MAX_TOGETHER, share) or size_bytes >= MAX_BYTES_TOGETHER:
            yield Batch(tasks=tuple(together))
            together, size_bytes = [], 0
    if together:
        yield Batch(tasks=tuple(together))
