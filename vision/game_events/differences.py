"""Find and name the squares on which a board that is seen differs from the game's."""

from __future__ import annotations

import numpy as np

from scoring import BLANK, COVERED, EMPTY, Board, Placement, format_square
from vision.core import Square

__all__ = [
    "covered_squares",
    "differing_squares",
    "find_added_tiles",
    "format_differences",
    "is_blank_named",
    "shows_game",
]

MAX_SHOWN = 4
"""Differing squares that a message names; chosen."""


def differing_squares(known: Board, seen: Board) -> list[Square]:
    """Find the visible squares on which two boards differ."""
    return [
        (row, column)
        for row, (were, are) in enumerate(zip(known.rows, seen.rows, strict=True))
        if were != are
        for column, (was, now) in enumerate(zip(were, are, strict=True))
        if now not in (was, COVERED)
    ]


def find_added_tiles(known: Board, seen: Board) -> tuple[Placement, ...]:
    """Find the tiles of a board on squares that are empty on the known one."""
    return tuple(tile for tile in seen.tiles() if known[tile.square] == EMPTY)


def shows_game(seen: Board, known: Board) -> bool:
    """Whether a board may be the game's: not most of the game's tiles are missing or replaced."""
    tiles = {tile.square for tile in known.tiles()}
    return 2 * len(tiles.intersection(differing_squares(known, seen))) <= len(tiles)


def covered_squares(board: Board) -> frozenset[Square]:
    """Find the squares that something covers."""
    return frozenset(square for square in np.ndindex(*board.size) if board[square] == COVERED)


def is_blank_named(was: str, now: str) -> bool:
    """Whether two tokens are one blank whose letter is known in one of them only."""
    return BLANK in (was, now) and (was + now).replace(BLANK, "").islower()


def format_differences(known: Board, seen: Board) -> str:
    """Say where two boards differ; the first few squares are named."""
    differing = differing_squares(known, seen)
    shown = [
        f"{format_square(*square)}: {_name_token(known[square])} in the game, {_name_token(seen[square])} seen"
        for square in differing[:MAX_SHOWN]
    ]
    more = len(differing) - len(shown)
    return "; ".join(shown) + (f"; {more} more" if more else "")


def _name_token(token: str) -> str:
    """A square's token in words."""
    return "nothing" if token == EMPTY else "a blank" if token == BLANK else token
