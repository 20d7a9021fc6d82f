"""The layout as detection needs it: which squares are printed alike, whatever their colours are."""

from __future__ import annotations

import functools
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scoring import Layout, Premium
from vision.core import Floats, Mask, freeze, grid_outline

__all__ = ["LayoutClasses"]


@dataclass(frozen=True, slots=True, eq=False)
class LayoutClasses:
    """A label map of the board: squares of one class are printed alike.

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
        """Number the premium squares of a layout by kind; the result is the same object each time."""
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
    def corners(self) -> Floats:
        """(4, 2) outer corners TL TR BR BL of the grid, in cells."""
        return grid_outline(self.rows, self.columns)

    @property
    def centre(self) -> Floats:
        """(2,) centre of the grid, in cells."""
        return np.array([self.columns, self.rows]) / 2

    @property
    def class_count(self) -> int:
        """Number of different classes; with 1 the layout says nothing about the position."""
        return int(self.classes.max()) + 1

    @property
    def plain(self) -> Mask:
        """(rows, columns) squares of the largest class."""
        plain: Mask = self.classes == self.plain_class
        return plain

    @property
    def plain_class(self) -> int:
        """The class with the most squares."""
        return int(np.bincount(self.classes.ravel()).argmax())

    @functools.lru_cache(maxsize=64)  # noqa: B019 - layouts are few, and kept anyway
    def rotate(self, quarter_turns: int) -> LayoutClasses:
        """Rotate the board clockwise; the result is the same object each time."""
        return LayoutClasses(classes=np.rot90(self.classes, -quarter_turns))

    def distinct_rotations(self) -> tuple[int, ...]:
        """Clockwise quarter turns that look different; ``(0,)`` for the usual symmetric board."""
        distinct: list[tuple[int, NDArray[np.int64]]] = []
        for turn in range(4):
            classes = np.rot90(self.classes, -turn)
            if not any(np.array_equal(classes, other) for _, other in distinct):
                distinct.append((turn, classes))
        return tuple(turn for turn, _ in distinct)
