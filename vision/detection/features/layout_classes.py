"""The layout as localisation sees it: which squares look alike, whatever their colours are."""

from __future__ import annotations

import functools
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scoring import Layout, Premium
from vision.core import freeze

__all__ = ["LayoutClasses"]


@dataclass(frozen=True, slots=True, eq=False)
class LayoutClasses:
    """A grid of class numbers: squares of one class are printed alike.

    Parameters
    ----------
    classes : (rows, columns) int64
        Class of each square, counted from 0.
    """

    classes: NDArray[np.int64]

    def __post_init__(self) -> None:
        object.__setattr__(self, "classes", freeze(self.classes, (None, None), np.int64, "classes"))

    @classmethod
    @functools.lru_cache(maxsize=16)
    def from_layout(cls, layout: Layout) -> LayoutClasses:
        """The pattern of a layout's premium squares; the same object each time."""
        numbers: dict[Premium, int] = {}
        classes = [[numbers.setdefault(premium, len(numbers)) for premium in row] for row in layout.premiums]
        return cls(classes=np.array(classes))

    @property
    def rows(self) -> int:
        """Number of rows."""
        return int(self.classes.shape[0])

    @property
    def columns(self) -> int:
        """Number of columns."""
        return int(self.classes.shape[1])

    @property
    def class_count(self) -> int:
        """Number of different classes; 1 means that the layout says nothing about the place."""
        return int(self.classes.max()) + 1

    @property
    def plain(self) -> NDArray[np.bool_]:
        """(rows, columns) which squares are of the largest class."""
        plain: NDArray[np.bool_] = self.classes == self.plain_class
        return plain

    @property
    def plain_class(self) -> int:
        """The class with the most squares."""
        return int(np.bincount(self.classes.ravel()).argmax())

    @functools.lru_cache(maxsize=64)  # noqa: B019 - patterns are few, and kept anyway
    def rotate(self, quarter_turns: int) -> LayoutClasses:
        """The pattern as it looks after that many clockwise quarter turns of the board; the same object each time."""
        return LayoutClasses(classes=np.rot90(self.classes, -quarter_turns))

    def distinct_turns(self) -> tuple[int, ...]:
        """The clockwise quarter turns that look different; ``(0,)`` for the usual symmetric board."""
        seen: list[tuple[int, NDArray[np.int64]]] = []
        for turn in range(4):
            classes = np.rot90(self.classes, -turn)
            if not any(np.array_equal(classes, other) for _, other in seen):
                seen.append((turn, classes))
        return tuple(turn for turn, _ in seen)
