"""Prior plausibility of a play by its number of tiles."""

from __future__ import annotations

__all__ = ["log_prior_of"]

LOG_PRIOR_BY_TILES = {1: -2.5, 2: -1.8, 3: -1.6, 4: -1.6, 5: -1.8, 6: -2.5, 7: -2.4}
"""Natural logarithm of the share of plays that place this number of tiles. Chosen, not fitted: most plays place two to
five tiles, and seven earn a bonus."""
LOG_PRIOR_OF_MORE_TILES = -5.0


def log_prior_of(tiles: int) -> float:
    """Return the logarithm of the share of plays that place this number of tiles."""
    return LOG_PRIOR_BY_TILES.get(tiles, LOG_PRIOR_OF_MORE_TILES)
