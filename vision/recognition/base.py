"""Joins what two readers saw of one board: a second opinion in doubt, and letters that the first cannot know.

The network sees tiles, blanks, values and turns of any set, but only the letters that it was trained on.
Tesseract sees letters only, of every alphabet that it has data for. Neither is imported here.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import Protocol

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.core import Occupancy, RectifiedBoard, SquareProbabilities

__all__ = ["CompositeReader", "LetterReader", "SquareReader", "asked_about", "joined"]

Square = tuple[int, int]

TRUST = 0.8
"""How often the second reader's letter is taken to be right. Chosen, not fitted: it may tip a square that is
torn between two letters, and loses against a first reader that is 80% sure."""


class SquareReader(Protocol):
    """What reads everything that a square shows."""

    @property
    def cell_px(self) -> int:
        """The side of a cell, in pixels, that it wants the board straightened to."""

    @property
    def margin_px(self) -> int:
        """The margin around the grid, in pixels, that it wants."""

    def read(self, rectified: RectifiedBoard) -> SquareProbabilities:
        """Probabilities for every square."""


class LetterReader(Protocol):
    """What reads letters where it is told that there are tiles."""

    @property
    def cell_px(self) -> int:
        """The side of a cell, in pixels, that it reads best."""

    @property
    def margin_px(self) -> int:
        """The margin around the grid, in pixels, that it wants."""

    def read(
        self, rectified: RectifiedBoard, occupancy: NDArray[np.float32] | None = None
    ) -> SquareProbabilities:
        """Probabilities for every square; even ones where no tile is."""


def asked_about(occupancy: NDArray[np.float32], squares: Collection[Square]) -> NDArray[np.float32]:
    """The occupancy (rows, columns, 4) with all squares but these called empty, so that only they are read."""
    only = np.zeros_like(occupancy)
    only[..., Occupancy.EMPTY] = 1
    for square in squares:
        only[square] = occupancy[square]
    return only


def joined(
    first: SquareProbabilities, second: SquareProbabilities, squares: Collection[Square]
) -> SquareProbabilities:
    """The first reading, its letters on some squares weighted by what the second one says.

    Where it is a tile at all, and what is printed on it, stays the first reader's to say. A letter that the
    second reader does not know gets its mean weight, so that nothing is said about it.

    Parameters
    ----------
    first, second : BoardReading
        Readings of the same squares.
    squares : collection of (row, column)
        Where the second one is heard.

    References
    ----------
    Product of experts: independent witnesses multiply; `TRUST` bounds the second one's odds.
    """
    column = {token: number for number, token in enumerate(second.tokens)}
    known = [number for number, token in enumerate(first.tokens) if token in column]
    theirs = [column[first.tokens[number]] for number in known]
    letters = np.array(first.letters, dtype=np.float32)
    for square in squares:
        said = np.full(len(first.tokens), 1 / max(1, len(second.tokens)))
        said[known] = second.letters[square][theirs]
        weights = letters[square] * (TRUST * said + (1 - TRUST) / len(said))
        letters[square] = weights / max(float(weights.sum()), 1e-12)
    return replace(first, reader=f"{first.reader}+{second.reader}", letters=letters)


@dataclass(frozen=True, slots=True)
class CompositeReader:
    """A reader that takes tiles, blanks, values and turns from one reader and the letters from another.

    Parameters
    ----------
    squares : SquareReader
        Says where tiles lie, what value they carry and how they are turned.
    letters : LetterReader
        Says which letters they are.
    """

    squares: SquareReader
    letters: LetterReader

    @property
    def cell_px(self) -> int:
        """Twice what the first reader wants: letters alone are read better when they are larger."""
        return 2 * self.squares.cell_px

    @property
    def margin_px(self) -> int:
        """Twice what the first reader wants."""
        return 2 * self.squares.margin_px

    def read(self, rectified: RectifiedBoard) -> SquareProbabilities:
        """Probabilities for every square.

        Raises
        ------
        ValueError
            If the board was straightened to another size.
        MissingProgramError
            If the second reader's program fails.
        """
        seen = self.squares.read(halved(rectified))
        letters = self.letters.read(rectified, seen.occupancy)
        return replace(
            seen,
            reader=f"{seen.reader}+{letters.reader}",
            tokens=letters.tokens,
            letters=letters.letters,
            letter_factors=letters.letter_factors,
        )


def halved(rectified: RectifiedBoard) -> RectifiedBoard:
    """The same board at half the size; each pixel is the mean of four."""
    height, width = (side // 2 for side in rectified.image_bgr.shape[:2])
    image = cv2.resize(rectified.image_bgr, (width, height), interpolation=cv2.INTER_AREA)
    return RectifiedBoard(
        image_bgr=np.asarray(image, np.uint8),
        rows=rectified.rows,
        columns=rectified.columns,
        cell_px=rectified.cell_px // 2,
        margin_px=rectified.margin_px // 2,
    )
