"""Which side of a board is up: what the letters say of themselves, and in doubt from which side they are letters."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from vision.readings import BoardReading, Occupancy
from vision.rectified import RectifiedBoard
from vision.upright import LETTERS_TO_TURN, letters_turn, letters_upright

__all__ = ["Look", "SideUp", "side_up"]

CLEAR = 0.93
"""Mean probability of the most probable letter: boards seen from the right side have it, all but a few coarse ones;
those that were taken for upright on their heads had 0.68 to 0.91."""
LESS_UNCLEAR, LEAST_UNCLEAR = 1.3, 0.01
"""How many times what is missing to certainty must be larger from any other side to be sure: where letters can be read
at all it is 1.4 times and more, where nobody could 1.03; and what is missing at least."""


class Look(NamedTuple):
    """The board straightened with one side up, and what was read then."""

    rectified: RectifiedBoard
    reading: BoardReading


class SideUp(NamedTuple):
    """Quarter turns to the side that is up, the look at it, and whether that is sure."""

    turn: int
    look: Look
    sure: bool


def side_up(first: Look, look_at: Callable[[int], Look]) -> SideUp:
    """The side of a board from which its letters can be read.

    Parameters
    ----------
    first : Look
        At the board as it was found.
    look_at : callable
        Looks again, after so many quarter turns.

    Notes
    -----
    Tiles vote for their turn, which costs nothing, and are believed where they are read clearly. Some typefaces vote
    for their heads; but letters on their heads are hardly any: where tiles are read badly, the other side is read
    too, or all sides where the votes do not agree, and the one up is that from which the letters are clearest.
    """
    looks = {0: first}
    chosen = 0
    if turn := letters_turn(first.reading):
        looks[turn] = look_at(turn)
        if letters_upright(looks[turn].reading):
            chosen = turn
    agreed = letters_upright(looks[chosen].reading)
    clearness = _clearness(looks[chosen].reading)
    if clearness is None or (agreed and clearness > CLEAR):
        return SideUp(chosen, looks[chosen], agreed)
    square = first.rectified.rows == first.rectified.columns
    sides = range(4) if square and not agreed else (chosen, (chosen + 2) % 4)
    for turn in sides:
        if turn not in looks:
            looks[turn] = look_at(turn)
    unclear = {turn: 1 - (_clearness(look.reading) or 0.0) for turn, look in looks.items()}
    best, second = sorted(unclear, key=lambda turn: unclear[turn])[:2]
    sure = unclear[second] > LESS_UNCLEAR * max(LEAST_UNCLEAR, unclear[best])
    return SideUp(best, looks[best], sure)


def _clearness(reading: BoardReading) -> float | None:
    """How clearly the tiles are read; None where there are too few to say which side is up."""
    tiles = reading.occupancy[..., Occupancy.TILE] > 0.5
    return float(reading.letters[tiles].max(axis=1).mean()) if tiles.sum() >= LETTERS_TO_TURN else None
