"""Photos named from the wrong side: whose tiles, seen from another side, lie where those of a game do.

A photo with few tiles may be read upside down, or by another edition than its game. Its letters then agree with
nothing, but the squares that hold a tile do, once the board is turned; whether it is so is told by the letters, when
it is read again from that side and by that edition.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

__all__ = ["MAX_LAID", "agreement_with_game", "sides_like_games"]

MAX_LAID = 7
"""Tiles of one play; more are two plays at least."""
MIN_TILES, MIN_BEFORE = 3, 2
"""Fewer tiles lie like those of many games from many sides, and two letters agree by chance; but few games begin with
more tiles than one play lays, and what was laid before is looked for then."""
MISSING_SHARE = 0.1
"""Of a board's tiles so many may be missing on another one of the game; one of four or more in any case."""
MIN_TO_MISS_ONE = 4
UPSIDE_DOWN = 2


def sides_like_games(
    board: NDArray[np.uint8],
    games: Sequence[NDArray[np.uint8]],
    alike: Callable[[int, int], bool] = lambda game, turn: False,
) -> tuple[int, ...]:
    """The quarter turns after which a board's tiles lie where those of a game do, the likeliest first.

    Parameters
    ----------
    board : (rows, columns) uint8
        The board as it was named, see `tilesight.digitise.games.grouping.Codes`.
    games : sequence of (photos, rows * columns) uint8
        The boards of each game.
    alike : callable
        Is asked whether a game's boards, by number, look like this one after so many quarter turns.
    """
    filled = (board > 0).astype(np.uint8)
    tiles = [(game > 0).astype(np.uint8) for game in games]
    shares: dict[int, int] = {}
    for turn in (0, 1, 2, 3) if board.shape[0] == board.shape[1] else (0, UPSIDE_DOWN):
        turned = np.rot90(filled, turn).ravel()
        shares[turn] = max(
            (
                agreement_with_game(turned, game, functools.partial(alike, number, turn))
                for number, game in enumerate(tiles)
            ),
            default=0,
        )
    likely = [turn for turn, share in shares.items() if share]
    return tuple(sorted(likely, key=lambda turn: (-shares[turn], turn not in (0, UPSIDE_DOWN), turn)))


def agreement_with_game(
    board: NDArray[np.uint8], game: NDArray[np.uint8], alike: Callable[[], bool] = lambda: False
) -> int:
    """How many tiles a board shares with one of a game that it may have come before or after; 0 if it fits nowhere.

    Parameters
    ----------
    board : (squares,) uint8
        A board.
    game : (photos, squares) uint8
        The boards of a game.
    alike : callable
        Is asked, where all else fits, whether they look like it: then two tiles say enough in any case.
    """
    held, tiles = np.flatnonzero(board), (game > 0).sum(axis=1)
    if not len(game) or len(held) < MIN_BEFORE:
        return 0
    same = (game[:, held] == board[held]).sum(axis=1)
    later = tiles >= len(held)
    missing = np.where(later, len(held), tiles) - same
    smaller = np.minimum(tiles, len(held))
    fits = missing <= np.maximum(smaller >= MIN_TO_MISS_ONE, MISSING_SHARE * smaller)
    if not fits[~later].all() or (later.any() and not fits[later].any()):
        return 0
    if len(held) < MIN_TILES and tiles.min() <= MAX_LAID and not alike():
        return 0
    return int(same[fits].max(initial=0))
