"""What is kept of each photo in memory to compare it with others: about a kilobyte."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from tilesight.digitise.reading import Corners, colour_distance

__all__ = [
    "OTHER_BOARD_DISTANCE",
    "SAME_BOARD_DISTANCE",
    "UNKNOWN_DISTANCE",
    "BoardKey",
    "PhotoSummary",
    "background_distance",
    "find_duplicate",
    "sample",
]

SAME_BOARD_DISTANCE = 0.06
"""Boards with a smaller colour distance are one board in one light. The first photos of 120 rendered games differ from
another photo of theirs by up to 0.04 (98%), from those of others by more than 0.08 (99%)."""
OTHER_BOARD_DISTANCE = 0.15
"""Boards with a larger colour distance are two boards, or one in quite different light (chosen)."""
UNKNOWN_DISTANCE = (SAME_BOARD_DISTANCE + OTHER_BOARD_DISTANCE) / 2
"""The distance of boards whose colours are not known."""
MAX_SAMPLED = 3
"""Photos of a game with which another is compared: some have a reflection or a shadow of their own (chosen)."""
MAX_HASH_DISTANCE = 16
"""Bits of 256 by which the hashes of copies may differ. Copies at a quarter to full size and JPEG quality 30 to 75
differed by 5 (median) to 15, hand-held photos of other moments by 55 and more."""


class BoardKey(NamedTuple):
    """What photos of one game have in common: the folder and the size of the board."""

    folder: str
    rows: int
    columns: int


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class PhotoSummary:
    """What a photo is compared by."""

    index: int
    name: str
    folder: str
    taken: str | None
    """When it was taken, in ISO 8601."""
    rows: int = 15
    columns: int = 15
    tiles: int = 0
    rack_size: int = 7
    colours: NDArray[np.uint8] | None = None
    """The colours of its squares, (rows, columns, 3) BGR."""
    edition: str | None = None
    """The edition by which its board was read; None if there is no board."""
    editions: Mapping[str, float] = field(default_factory=dict)
    """The probabilities of its editions, by this photo alone."""
    tried_corners_px: Corners | None = None
    """Where a board may be that was refused."""

    @property
    def key(self) -> BoardKey:
        """The folder and the size of the board."""
        return BoardKey(self.folder, self.rows, self.columns)


T = TypeVar("T")
ColouredBoard = tuple[NDArray[np.uint8] | None, NDArray[np.uint8]]
"""The colours of a board's squares, if they are known, and its codes, see `BoardCodes`."""


def background_distance(first: ColouredBoard, second: ColouredBoard) -> float:
    """Measure how much two boards differ in colour where both are bare, see `colour_distance`.

    `UNKNOWN_DISTANCE` if the colours of one are not known.
    """
    (colours, board), (other_colours, other_board) = first, second
    if colours is None or other_colours is None:
        return UNKNOWN_DISTANCE
    squares = colours.shape[0] * colours.shape[1]
    is_bare = (board[:squares] == 0) & (other_board[:squares] == 0)
    return colour_distance(colours, other_colours, is_bare.reshape(colours.shape[:2]))


def sample(members: Sequence[T]) -> Sequence[T]:
    """Return a few members of a game, early and late ones."""
    return members[:: -(-len(members) // MAX_SAMPLED)]


def find_duplicate(hashes: NDArray[np.uint64], boards: NDArray[np.uint8], index: int) -> int | None:
    """Find the first picture before this one that shows the same.

    A camera on a stand takes nearly the same picture of two turns of a game. The tiles must therefore be on the same
    squares, too. Their letters do not count, as a copy that is compressed more may be read differently.

    `hashes` has the perceptual hashes, (pictures, HASH_WORDS), 0 for a picture without one; `boards` the codes.
    """
    distance = np.bitwise_count(hashes[:index] ^ hashes[index]).sum(axis=1)
    near = np.flatnonzero((distance <= MAX_HASH_DISTANCE) & hashes[:index].any(axis=1))
    same = near[((boards[near] > 0) == (boards[index] > 0)).all(axis=1)]
    return int(same[0]) if len(same) else None
