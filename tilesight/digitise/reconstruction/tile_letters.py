"""Decide the kinds of a game's tiles: blanks first, then the letters of all tiles together."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import numpy as np

from scoring import BLANK, Edition
from tilesight.digitise.reconstruction.play_search import Hypothesis
from tilesight.digitise.reconstruction.square_timelines import SquareTimelines, TileSpan
from vision.core import Floats
from vision.decoding import TileAppearance, assign_letters, shipped_projection

__all__ = ["decide_kinds"]

BLANK_KIND = 0
"""Index of the blank among the kinds of tiles; the letters follow."""
MIN_PHOTO_LOG = -100.0
"""Letters below this log-likelihood are excluded by people: the tile is no example of its letter's appearance."""
KindLogs = dict[TileSpan, Floats]
"""By tile: log-likelihood of each kind, a blank or one of the letters, or of each letter."""


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
    seen = {
        tile: letters[tile] for tile in on_board if tile in letters and letters[tile].min() > MIN_PHOTO_LOG
    }
    counts = [edition.counts.get(token) for token in edition.tokens]
    for tile, not_these in exclude_by_assignment(seen, timelines, counts).items():
        if not_these:
            # By its own photos the letter that is left may be no more likely than many others.
            best = kinds[tile][BLANK_KIND + 1 :].max()
            left = int(exclude_kinds(letters[tile], not_these).argmax())
            kinds[tile] = exclude_kinds(kinds[tile], [BLANK_KIND + 1 + letter for letter in not_these])
            kinds[tile][BLANK_KIND + 1 + left] = best
    return kinds


def separate_blanks(
    timelines: SquareTimelines, tiles: Sequence[TileSpan], on_board: Collection[TileSpan], edition: Edition
) -> KindLogs:
    """Decide which tiles are blanks; those that are `on_board` at the end are at most as many as in the bag."""
    logs = {tile: timelines.kind_log_likelihoods(tile) for tile in tiles}

    def log_odds(tile: TileSpan) -> float:
        # Whether a letter was printed is the same question in all photos: their answers are averaged and not added.
        difference = float(logs[tile][BLANK_KIND] - logs[tile][BLANK_KIND + 1 :].max())
        return difference / timelines.photo_count(tile)

    count = edition.counts.get(BLANK)
    blanks = sorted((tile for tile in on_board if logs[tile].argmax() == BLANK_KIND), key=log_odds)
    # Of blanks beyond the number in the bag, the least sure are letters.
    for tile in blanks[: -count or None] if count is not None else ():
        logs[tile] = exclude_kinds(logs[tile], [BLANK_KIND])
    return logs


def exclude_kinds(logs: Floats, kinds: Sequence[int]) -> Floats:
    """Return the log-likelihoods with these kinds below all others."""
    changed = logs.copy()
    changed[list(kinds)] = logs.min() - 1.0
    return changed


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
