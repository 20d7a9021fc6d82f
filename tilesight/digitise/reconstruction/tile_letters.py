"""Decide the kinds of a game's tiles: blanks first, then the letters of all tiles together."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from scoring import BLANK, Edition
from tilesight.digitise.reconstruction.evidence import PhotoEvidence
from tilesight.digitise.reconstruction.play_search import Hypothesis
from tilesight.digitise.reconstruction.square_timelines import SquareTimelines, TileSpan
from vision.core import Floats
from vision.decoding import TileAppearance, assign_letters, shipped_projection

__all__ = ["decide_kinds"]

BLANK_KIND = 0
"""Index of the blank among the kinds of tiles; the letters follow."""


def decide_kinds(
    groups: Sequence[Sequence[PhotoEvidence]],
    timelines: SquareTimelines,
    hypothesis: Hypothesis,
    edition: Edition,
) -> dict[TileSpan, Floats]:
    """Decide the kind of each tile that was ever on the board: the log-likelihood of a blank and of each letter.

    Of those that are on the board at the end, blanks are decided first, and then all letters together.
    """
    kinds = {tile: timelines.kind_log_likelihoods(tile) for tile in hypothesis.tiles}
    tiles = hypothesis.tiles_at(len(groups) - 1)
    photos = {tile: [photo for group in groups[tile.placed :] for photo in group] for tile in tiles}
    # What is printed is the same question in all photos: their answers are averaged and not added.
    means = {tile: kinds[tile] / len(photos[tile]) for tile in tiles}
    blanks = [tile for tile in tiles if kinds[tile].argmax() == BLANK_KIND]
    blanks.sort(key=lambda tile: float(means[tile][BLANK_KIND] - means[tile][BLANK_KIND + 1 :].max()))
    count = edition.counts.get(BLANK)
    # Of blanks beyond the number in the bag, the least sure are letters.
    for tile in blanks[: -count or None] if count is not None else ():
        kinds[tile][BLANK_KIND] = kinds[tile].min() - 1.0
    lettered = [tile for tile in tiles if kinds[tile].argmax() != BLANK_KIND]
    letters = np.array([means[tile][BLANK_KIND + 1 :] for tile in lettered])
    counts = [edition.counts.get(token) for token in edition.tokens]
    appearance = compare_appearance([embeddings_of(photos[tile], tile.square) for tile in lettered])
    for tile, letter in zip(lettered, assign_letters(letters, appearance, counts).tolist(), strict=True):
        # By its own photos the letter that is decided may be no more likely than many others.
        first, decided = int(kinds[tile].argmax()), BLANK_KIND + 1 + letter
        kinds[tile][[first, decided]] = kinds[tile][[decided, first]]
    return kinds


def embeddings_of(photos: Sequence[PhotoEvidence], square: int) -> list[Floats]:
    """List the embeddings of a tile in the photos that show its letter."""
    embeddings = [photo.embedding[square] for photo in photos if photo.embedding is not None]
    return [embedding for embedding in embeddings if np.isfinite(embedding).all()]


def compare_appearance(embeddings: Sequence[Sequence[Floats]]) -> TileAppearance | None:
    """Return the appearance of tiles by the embeddings of each; None if no tile has one."""
    known = next((each[0] for each in embeddings if each), None)
    if known is None:
        return None
    return TileAppearance(
        embeddings=np.stack([np.mean(each, axis=0) if each else np.zeros_like(known) for each in embeddings]),
        photos=np.array([len(each) for each in embeddings]),
        projection=shipped_projection(),
    )
