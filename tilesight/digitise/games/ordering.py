"""Order the photos of a game by time or by growth."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tilesight.digitise.games.board_codes import BLANK_CODE
from tilesight.digitise.games.photo_summary import PhotoSummary

__all__ = ["count_retractable_tiles", "order_photos"]


@dataclass(frozen=True, slots=True, kw_only=True)
class OrderingSettings:
    """Thresholds of the order of photos; all values are chosen."""

    max_misread: int = 2
    """Letters of a board that differ on the last board and count as misread; if there are more, they were taken
    back."""
    max_blanks: int = 6
    """Blanks on a board with normal print. If there are more, the print is faint and letters are read as blanks."""


SETTINGS = OrderingSettings()


def order_photos(
    group: Sequence[int], photos: Sequence[PhotoSummary], boards: NDArray[np.uint8]
) -> list[int]:
    """Order the photos of a game, given by their indices, as it was played.

    The camera's clock decides if every photo has a distinct time and no board loses more than a play. Otherwise growth
    decides: a board whose tiles are not all on the last board was taken back. It follows the largest board from which
    it grew.
    """
    by_clock = sorted(group, key=lambda at: (photos[at].taken or "", photos[at].index))
    times = [photos[at].taken for at in by_clock]
    max_retracted = max(count_retractable_tiles(photos[at]) for at in group)
    is_timed = None not in times and len(set(times)) == len(times)
    if is_timed and is_monotone([boards[at] for at in by_clock], max_retracted):
        return by_clock
    last = max(group, key=lambda at: (int((boards[at] > 0).sum()), -photos[at].index))
    is_faint = max(int((boards[at] == BLANK_CODE).sum()) for at in group) > SETTINGS.max_blanks

    def key(at: int) -> tuple[int, bool, int, int]:
        board, final = boards[at], boards[last]
        # a blank without a letter is often overlooked, or seen where there is none
        counted = board > (0 if is_faint else BLANK_CODE)
        matches_any = is_faint & ((board == BLANK_CODE) | (final == BLANK_CODE))
        size = int(counted.sum())
        same = int((counted & (final > 0) & ((board == final) | matches_any)).sum())
        different = int((counted & (final > 0)).sum()) - same
        on_last = same + (different if different <= SETTINGS.max_misread else 0)
        return on_last, size - on_last > 1, int((board > 0).sum()), photos[at].index

    return sorted(group, key=key)


def count_retractable_tiles(photo: PhotoSummary) -> int:
    """Return how many tiles may be missing on a later photo as one play was taken back: a rack, and one misread."""
    return photo.rack_size + 1


def is_monotone(boards: Sequence[NDArray[np.uint8]], max_retracted: int) -> bool:
    """Whether each board keeps the tiles of the one before, except for one play that was taken back."""
    return all(
        int(((before > 0) & (after != before)).sum()) <= max_retracted
        for before, after in itertools.pairwise(boards)
    )
