"""Decide the edition of a game from the probabilities that its photos give."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from tilesight.digitise.games.photo_summary import PhotoSummary

__all__ = ["VoteSettings", "most_named", "pool_editions"]


@dataclass(frozen=True, slots=True, kw_only=True)
class VoteSettings:
    """Settings of the vote; all values are chosen.

    Parameters
    ----------
    min_probability : float
        Probability of an edition that a photo does not name: no single photo can exclude one.
    full_share : float
        Boards with at least this share of the tiles of the fullest board vote.
    """

    min_probability: float = 1e-4
    full_share: float = 0.9


SETTINGS = VoteSettings()


def pool_editions(game: Sequence[PhotoSummary], editions: Iterable[str]) -> dict[str, float]:
    """Return the probability of each edition of a game, the most probable first.

    The fullest boards vote, as they hold the tiles of all others. The logarithms of their probabilities are averaged
    and not added: ten photos of one tile are not ten independent observations.

    Parameters
    ----------
    game : sequence of PhotoSummary
        The photos of the game.
    editions : iterable of str
        The names of the possible editions.
    """
    most = max(photo.tiles for photo in game)
    fullest = [photo for photo in game if photo.tiles >= SETTINGS.full_share * most]
    weights = {
        name: sum(math.log(max(photo.editions.get(name, 0.0), SETTINGS.min_probability)) for photo in fullest)
        / len(fullest)
        for name in editions
    }
    highest = max(weights.values())
    shares = {name: math.exp(weight - highest) for name, weight in weights.items()}
    total = sum(shares.values())
    return {name: share / total for name, share in sorted(shares.items(), key=lambda pair: -pair[1])}


def most_named(names: Iterable[str | None]) -> str | None:
    """Return the edition that people named for most photos of a game; None if they named none."""
    counts = Counter(name for name in names if name is not None)
    return max(counts, key=counts.__getitem__, default=None)
