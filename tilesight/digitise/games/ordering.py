"""Order the photos of a game by time or by growth."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tilesight.digitise.games.photo_summary import PhotoSummary

__all__ = ["order_photos"]


def order_photos(
    group: Sequence[int], photos: Sequence[PhotoSummary], boards: NDArray[np.uint8]
) -> list[int]:
    """Order the photos of a game, given by their indices, as it was played.

    The camera's clock decides if every photo has a distinct time and no board loses more than a play and one misread
    tile. Otherwise growth decides: by the tiles that the last board has as well, so that a play that was taken back
    follows the largest board from which it grew.
    """
    by_clock = sorted(group, key=lambda at: (photos[at].taken or "", photos[at].index))
    times = [photos[at].taken for at in by_clock]
    max_lost = max(photos[at].rack_size for at in group) + 1
    lost = [
        int(((boards[before] > 0) & (boards[after] != boards[before])).sum())
        for before, after in itertools.pairwise(by_clock)
    ]
    if None not in times and len(set(times)) == len(times) and max(lost, default=0) <= max_lost:
        return by_clock
    tiles = {at: int((boards[at] > 0).sum()) for at in group}
    last = boards[max(group, key=lambda at: (tiles[at], -photos[at].index))]
    kept = {at: int(((boards[at] == last) & (last > 0)).sum()) for at in group}
    return sorted(group, key=lambda at: (kept[at], tiles[at], photos[at].index))
