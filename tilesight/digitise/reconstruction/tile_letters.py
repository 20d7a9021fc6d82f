"""Decide the kinds of a game's tiles: blanks first, then the letters of all tiles together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from scoring import Edition
from tilesight.digitise.reconstruction import blank_tiles
from tilesight.digitise.reconstruction.blank_tiles import BLANK_KIND, KindLogs, exclude_kinds, separate_blanks
from tilesight.digitise.reconstruction.play_search import Hypothesis
from tilesight.digitise.reconstruction.square_timelines import SquareTimelines, TileSpan
from vision.core import Floats
from vision.decoding import TileAppearance, assign_letters, shipped_projection

__all__ = ["decide_kinds"]


def decide_kinds(
    timelines: SquareTimelines, hypothesis: Hypothesis, edition: Edition
) -> Mapping[TileSpan, Floats]:
    """Decide the kind of each tile that was ever on the board: a log-likelihood of each state but the empty one."""
    on_board = hypothesis.tiles_at(timelines.group_count - 1)
    kinds = separate_blanks(timelines, hypothesis.tiles, on_board, edition)
    letters = {
        tile: timelines.mean_letter_log_likelihoods(tile)
        for tile, logs in kinds.items()
        if logs.argmax() != BLANK_KIND
    }
    min_log = blank_tiles.SETTINGS.min_photo_log
    seen = {tile: letters[tile] for tile in on_board if tile in letters and letters[tile].min() > min_log}
    counts = [edition.counts.get(token) for token in edition.tokens]
    for tile, not_these in exclude_by_assignment(seen, timelines, counts).items():
        if not_these:
            # By its own photos the letter that is left may be no more likely than many others.
            best = kinds[tile][BLANK_KIND + 1 :].max()
            left = int(exclude_kinds(letters[tile], not_these).argmax())
            kinds[tile] = exclude_kinds(kinds[tile], [BLANK_KIND + 1 + letter for letter in not_these])
            kinds[tile][BLANK_KIND + 1 + left] = best
    return kinds


def exclude_by_assignment(
    letters: KindLogs, timelines: SquareTimelines, counts: Sequence[int | None]
) -> dict[TileSpan, tuple[int, ...]]:
    """Exclude for each tile the letters that are more likely by its own photos than the one assigned to it."""
    seen = [timelines.mean_appearance(tile) for tile in letters]
    appearance = None
    if any(photos for _, photos in seen):
        appearance = TileAppearance(
            embeddings=np.stack([embedding for embedding, _ in seen]),
            photos=np.array([photos for _, photos in seen]),
            projection=shipped_projection(),
        )
    logs = np.array(list(letters.values())).reshape(len(letters), len(counts))
    assigned = assign_letters(logs, appearance, counts)
    return {
        tile: tuple(np.flatnonzero(means > means[letter]).tolist())
        for (tile, means), letter in zip(letters.items(), assigned.tolist(), strict=True)
    }
