"""Tiles on boards and in plays: their squares, what they are on a rack, and how surely they were read."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable

from scoring import EMPTY, Board, Game, Placement, Play, bag_tile
from vision.core import DecodedBoard, Square

__all__ = ["count_pieces", "joint_confidence", "latest_play", "replace_tokens", "squares_of"]


def squares_of(placements: Iterable[Placement]) -> frozenset[Square]:
    """Return the squares of tiles."""
    return frozenset(tile.square for tile in placements)


def count_pieces(placements: Iterable[Placement]) -> Counter[str]:
    """Count tiles by what they are on a rack."""
    return Counter(bag_tile(tile.token) for tile in placements)


def replace_tokens(board: Board, placements: Iterable[Placement]) -> Board:
    """Put tokens on squares of a board, whatever was there."""
    changed = list(placements)
    return board.without(changed).with_tiles(tile for tile in changed if tile.token != EMPTY)


def joint_confidence(placements: Iterable[Placement], decoded: DecodedBoard) -> float:
    """Return the probability that all these squares were read correctly."""
    return math.prod(float(decoded.confidence[tile.square]) for tile in placements)


def latest_play(game: Game) -> Play | None:
    """Return the last play that is still on the board; None on an empty board."""
    plays = game.state.plays
    return plays[-1].play if plays else None
