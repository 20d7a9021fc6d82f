"""The interfaces of readers, and a reader composed of two.

The network recognises tiles, blanks, values and turns of any tile set, but only the letters that it was trained on.
Tesseract recognises letters only, of every alphabet that it has data for. Neither is imported here.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Protocol, runtime_checkable

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.core import Mask, RectifiedBoard, SquareProbabilities

__all__ = ["CompositeReader", "LetterReader", "SquareReader", "TileReader"]


class SquareReader(Protocol):
    """A reader of everything that a square shows."""

    @property
    def cell_px(self) -> int:
        """Side of a cell, in pixels, of the rectified board that it reads."""

    @property
    def margin_px(self) -> int:
        """Margin around the grid, in pixels, of the rectified board that it reads."""

    def read(self, rectified: RectifiedBoard, squares: Mask | None = None) -> SquareProbabilities:
        """Return the probabilities of every square; those not among `squares` may be taken as empty, unread."""


@runtime_checkable
class TileReader(Protocol):
    """A reader of squares that also reads tiles alone, in half of the time."""

    def read_tiles(self, rectified: RectifiedBoard, squares: Mask) -> SquareProbabilities:
        """Return the letters, values and turns of squares that hold a tile; all others are taken as empty."""


class LetterReader(Protocol):
    """A reader of letters on squares that are known to hold tiles."""

    @property
    def cell_px(self) -> int:
        """Side of a cell, in pixels, at which it reads best."""

    @property
    def margin_px(self) -> int:
        """Margin around the grid, in pixels, of the rectified board that it reads."""

    def read(self, rectified: RectifiedBoard, occupancy: NDArray[np.float32]) -> SquareProbabilities:
        """Return the probabilities of every square, given its occupancy; uniform where there is no tile."""


@dataclass(frozen=True, slots=True)
class CompositeReader:
    """Take tiles, blanks, values and turns from one reader, and the letters from another.

    Parameters
    ----------
    squares : SquareReader
        The reader of occupancy, values and turns.
    letters : LetterReader
        The reader of letters.
    """

    squares: SquareReader
    letters: LetterReader

    @property
    def cell_px(self) -> int:
        """Twice the size of the square reader: letters alone are read better when they are larger."""
        return 2 * self.squares.cell_px

    @property
    def margin_px(self) -> int:
        """Twice the margin of the square reader."""
        return 2 * self.squares.margin_px

    def read(self, rectified: RectifiedBoard, squares: Mask | None = None) -> SquareProbabilities:
        """Return the probabilities of every square.

        Parameters
        ----------
        rectified : RectifiedBoard
            Rectified with this reader's `cell_px` and `margin_px`.
        squares : (rows, columns) bool, optional
            Squares that may hold something; the others need not be read.

        Raises
        ------
        ValueError
            If the board was rectified to another size.
        MissingProgramError
            If the letter reader's program fails.
        """
        half = rectified.resize(
            rectified.cell_px // 2, rectified.margin_px // 2, interpolation=cv2.INTER_AREA
        )
        reading = self.squares.read(half, squares)
        letters = self.letters.read(rectified, reading.occupancy)
        return replace(
            reading,
            reader=f"{reading.reader}+{letters.reader}",
            tokens=letters.tokens,
            letters=letters.letters,
            letter_factors=letters.letter_factors,
        )
