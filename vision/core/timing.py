"""A timer for the stages of the pipeline, so that measuring needs no second copy of it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

__all__ = ["Stopwatch"]


@dataclass(slots=True)
class Stopwatch:
    """Milliseconds of each stage of one image, in the order in which the stages first ran.

    Parameters
    ----------
    stage_ms : dict of str to float
        The time of each stage so far.
    clock : callable
        Returns seconds: wall-clock time by default, or a processor's time for measurements.
    """

    stage_ms: dict[str, float] = field(default_factory=dict)
    clock: Callable[[], float] = time.perf_counter

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Add the time of the block to the stage."""
        before = self.clock()
        try:
            yield
        finally:
            self.stage_ms[name] = self.stage_ms.get(name, 0.0) + (self.clock() - before) * 1000

    @property
    def total_ms(self) -> float:
        """Milliseconds of all stages, without what runs between them, such as loading a reader once."""
        return sum(self.stage_ms.values())
