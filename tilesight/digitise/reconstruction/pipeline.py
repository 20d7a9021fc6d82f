"""Reconstruct the positions of a game from all its photos together."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from scoring import BLANK, Board, Edition
from tilesight.digitise.reconstruction.blank_tiles import raise_faint_blanks
from tilesight.digitise.reconstruction.evidence import BLANK_STATE, EMPTY_STATE, PhotoEvidence
from tilesight.digitise.reconstruction.play_search import search_plays
from tilesight.digitise.reconstruction.positions import GameReconstruction, Position
from tilesight.digitise.reconstruction.square_timelines import SquareTimelines
from tilesight.digitise.reconstruction.tile_letters import decide_kinds
from vision.core import Floats

__all__ = ["reconstruct", "reconstruct_positions"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReconstructionSettings:
    """Natural log-odds of the joint reading; chosen, not fitted."""

    min_tile_log_odds: float = -7.0
    """A square on which every photo's log-odds of a tile are lower is never searched."""
    min_group_log_odds: float = -3.0
    """Photos that differ in the squares above these log-odds are not one group: only later photos may show the tile."""


SETTINGS = ReconstructionSettings()


def reconstruct_positions(
    photos: Sequence[PhotoEvidence],
    edition: Edition,
    progress: Callable[[float], None] = lambda share: None,
) -> list[Position]:
    """Reconstruct the positions of a game, and reorder the photos where that is more likely.

    The photos are in the order of play, as far as it is known. `progress` receives the share that is done: poor photos
    take seconds.
    """
    if not photos:
        return []
    best = reconstruct(photos, edition, lambda share: progress(share / 2))
    order = best.photos_by_tiles()
    if order != sorted(order):
        reordered = [photos[index] for index in order]
        other = reconstruct(reordered, edition, lambda share: progress((1 + share) / 2))
        if other.log_likelihood > best.log_likelihood:
            best = other
    return best.positions()


def reconstruct(
    photos: Sequence[PhotoEvidence], edition: Edition, progress: Callable[[float], None]
) -> GameReconstruction:
    """Reconstruct a game from its photos, at least one, in one order."""
    groups = group_identical_photos(photos)
    counts = [len(group) for group in groups]
    states, letters = sum_evidence(groups, edition)
    occupiable = (
        states[..., BLANK_STATE:].max(axis=-1) - states[..., EMPTY_STATE] > SETTINGS.min_tile_log_odds
    ).any(axis=0)
    squares = tuple((row, column) for row, column in np.argwhere(occupiable).tolist())
    appearance = stack_appearance([photo for group in groups for photo in group])
    timelines = SquareTimelines(
        states[:, occupiable], letters[:, occupiable], counts, appearance[:, occupiable]
    )
    hypothesis = search_plays(timelines, squares, edition, progress)
    return GameReconstruction(
        groups=groups,
        edition=edition,
        squares=squares,
        timelines=timelines,
        hypothesis=hypothesis,
        kinds=decide_kinds(timelines, hypothesis, edition),
    )


def group_identical_photos(photos: Sequence[PhotoEvidence]) -> tuple[tuple[PhotoEvidence, ...], ...]:
    """Group photos that follow one another and were read identically, doubtful squares included."""

    def reading_of(photo: PhotoEvidence) -> tuple[Board, bytes]:
        log_odds = photo.states[..., BLANK_STATE:].max(axis=-1) - photo.states[..., EMPTY_STATE]
        return photo.board, (log_odds > SETTINGS.min_group_log_odds).tobytes()

    return tuple(tuple(group) for _, group in itertools.groupby(photos, key=reading_of))


def sum_evidence(groups: Sequence[Sequence[PhotoEvidence]], edition: Edition) -> tuple[Floats, Floats]:
    """Sum the log-likelihoods of each group, and correct those of blanks.

    Returns those of the states and of the letters, (groups, rows, columns, states or letters).
    """
    states, letters = (
        np.stack([np.sum([getattr(photo, name) for photo in group], axis=0) for group in groups])
        for name in ("states", "letters")
    )
    counts = [len(group) for group in groups]
    return raise_faint_blanks(states, counts, edition.layout, edition.counts.get(BLANK) or 0), letters


def stack_appearance(photos: Sequence[PhotoEvidence]) -> Floats:
    """Stack the embeddings of all photos, (photos, rows, columns, k); NaN where unknown, k is 0 if none has any."""
    size = photos[0].states.shape[:2]
    known = next((photo.appearance for photo in photos if photo.appearance is not None), np.zeros((*size, 0)))
    unknown = np.full(known.shape, np.nan)
    return np.stack([photo.appearance if photo.appearance is not None else unknown for photo in photos])
