"""Random plays that the rules allow; their words mean nothing."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from scoring import EMPTY, Board, Edition, IllegalPlayError, Play, check_play

__all__ = ["anchor_squares", "random_play", "try_play"]

MAX_TRIES = 400
"""Draws until `random_play` gives up; chosen."""
LENGTHS = (1, 2, 3, 3, 4, 4, 5, 6)
"""Numbers of tiles, as often as they are drawn."""


def random_play(rng: np.random.Generator, board: Board, edition: Edition, rack: Sequence[str]) -> Play | None:
    """Draw a legal play from a rack; None where no draw gave one.

    Parameters
    ----------
    rng : numpy.random.Generator
        The same state gives the same play.
    board, edition
        The position and its rules.
    rack : sequence of str
        The tokens to choose from.
    """
    anchors = anchor_squares(board, edition)
    for _ in range(MAX_TRIES):
        anchor = anchors[int(rng.integers(len(anchors)))]
        down = bool(rng.random() < 0.5)
        number = min(len(rack), int(rng.choice(LENGTHS)))
        offset = int(rng.integers(number + 2))
        tokens = [rack[int(index)] for index in rng.permutation(len(rack))[:number]]
        play = try_play(board, edition, anchor, offset, tokens, down=down)
        if play is not None:
            return play
    return None


def anchor_squares(board: Board, edition: Edition) -> list[tuple[int, int]]:
    """(row, column) of the squares that hold a tile; of the start squares where the board is empty."""
    return [(tile.row, tile.column) for tile in board.tiles()] or sorted(edition.layout.start)


def try_play(
    board: Board,
    edition: Edition,
    anchor: tuple[int, int],
    offset: int,
    tokens: Sequence[str],
    *,
    down: bool,
) -> Play | None:
    """Put tokens on the free squares of a line; None where the rules do not allow that play.

    Parameters
    ----------
    board, edition
        The position and its rules.
    anchor : (row, column)
        A square of the line.
    offset : int
        How many squares before the anchor the line starts.
    tokens : sequence of str
        What to put there, in order.
    down : bool
        Whether the line runs down, else across.
    """
    rows, columns = board.size
    row, column = anchor[0] - offset * down, anchor[1] - offset * (not down)
    placements = []
    for token in tokens:
        while 0 <= row < rows and 0 <= column < columns and board[row, column] != EMPTY:
            row, column = row + down, column + (not down)
        placements.append((row, column, token))
        row, column = row + down, column + (not down)
    play = Play.of(placements)
    try:
        check_play(board, play, edition)
    except IllegalPlayError:
        return None
    return play
