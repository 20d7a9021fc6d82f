"""Count the tiles that a board shares with the boards of a game."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tilesight.digitise.games.board_codes import MAX_TILES_PER_PLAY

__all__ = ["AgreementSettings", "count_shared_tiles"]


@dataclass(frozen=True, slots=True, kw_only=True)
class AgreementSettings:
    """When a board fits a game; all values are chosen.

    Parameters
    ----------
    min_tiles : int
        Minimum number of tiles of a board: two letters agree by chance with many games.
    min_tiles_before_game : int
        The same if the game's first photo already shows more than one play, so that its opening is missing. Few games
        begin like that.
    max_missing_share : float
        Share of a board's tiles that may be missing on another board of the game.
    min_tiles_for_one_missing : int
        A board with at least this number of tiles may always lack one.
    """

    min_tiles: int = 3
    min_tiles_before_game: int = 2
    max_missing_share: float = 0.1
    min_tiles_for_one_missing: int = 4


SETTINGS = AgreementSettings()


def count_shared_tiles(
    board: NDArray[np.uint8],
    game: NDArray[np.uint8],
    has_same_background: Callable[[], bool] = lambda: False,
) -> int:
    """Count the tiles that a board shares with one of a game that it may precede or follow.

    Parameters
    ----------
    board : (squares,) uint8
        A board.
    game : (photos, squares) uint8
        The boards of a game.
    has_same_background : callable
        Returns whether the board has the colours of the game's. It is called last, and then two tiles are enough.

    Returns
    -------
    int
        The number of tiles; 0 if the board does not fit.
    """
    held, tiles = np.flatnonzero(board), (game > 0).sum(axis=1)
    if not len(game) or len(held) < SETTINGS.min_tiles_before_game:
        return 0
    same = (game[:, held] == board[held]).sum(axis=1)
    is_later = tiles >= len(held)
    missing = np.where(is_later, len(held), tiles) - same
    smaller = np.minimum(tiles, len(held))
    fits = missing <= np.maximum(
        smaller >= SETTINGS.min_tiles_for_one_missing, SETTINGS.max_missing_share * smaller
    )
    if not fits[~is_later].all() or (is_later.any() and not fits[is_later].any()):
        return 0
    begins_early = tiles.min() <= MAX_TILES_PER_PLAY
    if len(held) < SETTINGS.min_tiles and begins_early and not has_same_background():
        return 0
    return int(same[fits].max(initial=0))
