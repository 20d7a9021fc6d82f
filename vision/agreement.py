"""How much of a board that is known is seen in a reading: whether it is this board, and this side of it."""

from __future__ import annotations

from scoring import Board
from scoring.tiles import is_blank
from vision.readings import BoardReading, Occupancy

__all__ = ["LEAST_AGREEMENT", "agreement"]

LEAST_AGREEMENT = 0.6
"""Of the known tiles that are in view; another side of the board or another board shows a tenth of them."""


def agreement(reading: BoardReading, board: Board) -> float:
    """How much of what is known to lie on the board is seen there, 0 to 1.

    Tiles that are covered do not count; where most of them are, nothing can be said and the answer is 0.
    """
    columns = {token: number for number, token in enumerate(reading.tokens)}
    seen, shares = 0, 0.0
    tiles = list(board.tiles())
    for tile in tiles:
        occupancy = reading.occupancy[tile.row, tile.column]
        if occupancy[Occupancy.COVERED] > 0.5:
            continue
        seen += 1
        if is_blank(tile.token):
            shares += float(occupancy[Occupancy.BLANK] + 0.5 * occupancy[Occupancy.TILE])
        elif tile.token in columns:
            letter = float(reading.letters[tile.row, tile.column, columns[tile.token]])
            shares += float(occupancy[Occupancy.TILE]) * letter
    if not seen or 2 * seen < len(tiles):
        return 0.0
    return shares / seen
