"""Times the stages of the one pipeline, so that nobody needs a second copy of it to measure it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

__all__ = ["Stopwatch"]


@dataclass(slots=True)
class Stopwatch:
    """Milliseconds a stage, in the order in which the stages first ran; one for each picture.

    `clock` gives seconds: on a wall's clock, unless a measurement wants the processor's own.
    """

    stage_ms: dict[str, float] = field(default_factory=dict)
    clock: Callable[[], float] = time.perf_counter

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Adds the time that the block takes to the stage's."""
        before = self.clock()
        try:
            yield
        finally:
            self.stage_ms[name] = self.stage_ms.get(name, 0.0) + (self.clock() - before) * 1000

    @property
    def total_ms(self) -> float:
        """Milliseconds of all stages; what happens between them, such as loading a reader once, is not theirs."""
        return sum(self.stage_ms.values())
