"""Which points may have been made up to a board on the way, so that a search back from the end knows where it ends.

The points of all players together are known for each board from the plays that lead to it. How they were shared is
known for boards of few tiles; before that, it is a guess by how far the players' points drift apart.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from tilesight.digitise.retrograde.position_search import EarlierBoard, EarlierBoards

__all__ = ["PASSED", "Points", "least_and_most"]

PASSED = -4.0
"""For each turn that somebody must have left out, where totals say whose plays are whose."""
APART = 13.0
"""Variance of a player's points against half of all, for each tile on the board: plays of four tiles differ by 14."""
SMALL = 12
"""Boards of so many tiles have all shares of the points looked up."""
MAX_SHARES = 1_000
"""Shares that are remembered of a board: the most plausible."""


class Points:
    """How plausible it is that so many points were made up to a board.

    Parameters
    ----------
    boards : EarlierBoards
        The boards on the way.
    ends : sequence of tuple of int
        The points that each player may have at the end.

    Attributes
    ----------
    cut : bool
        Whether shares of the points were forgotten because they are so many.
    """

    def __init__(self, boards: EarlierBoards, ends: Sequence[tuple[int, ...]]) -> None:
        self.cut = False
        totals = self._totals = tuple(map(max, zip(*ends, strict=True)))
        self._units: list[int] = [
            math.prod(total + 1 for total in totals[:player]) for player in range(len(totals))
        ]
        self._sums: dict[EarlierBoard, npt.NDArray[np.float32]] = {}
        self._shares: dict[EarlierBoard, dict[int, float]] = {}
        limit = max(map(sum, ends)) + 1
        for level in boards.levels:
            for board in level:
                length = max((len(self._sums[before]) + play.score for play, before in board.last), default=1)
                sums = np.full(min(length, limit), -math.inf, dtype=np.float32)
                if not board.left:
                    sums[0] = 0.0
                for play, before in board.last:
                    there = sums[play.score : play.score + len(self._sums[before])]
                    np.maximum(there, self._sums[before][: len(there)] + play.weight, out=there)
                self._sums[board] = sums

    def plausibility(self, board: EarlierBoard, turn: int, points: tuple[int, ...]) -> float:
        """How plausible it is that the players had these points on the board, and that this one played last.

        Minus infinity if it cannot be.
        """
        sums, together = self._sums[board], sum(points)
        weight = float(sums[together]) if together < len(sums) else -math.inf
        if weight == -math.inf:
            return weight
        players, tiles = len(points), board.left.bit_count()
        if tiles <= SMALL:
            shares, code = self._shares_of(board), self._code(points)
            return max(
                shares.get(code + player, -math.inf) + PASSED * ((turn - player) % players)
                for player in range(players)
            )
        even = sum(points) / players
        return weight - sum((each - even) ** 2 for each in points) / (4 * APART * tiles)

    def _code(self, points: tuple[int, ...]) -> int:
        """The points of all players as one number; those of hundreds of thousands of boards fill a memory."""
        return len(points) * sum(each * unit for each, unit in zip(points, self._units, strict=True))

    def _shares_of(self, board: EarlierBoard) -> dict[int, float]:
        """For every way to play up to a board what each has and who played last, and how plausible it is at best."""
        known = self._shares.get(board)
        if known is not None:
            return known
        players = len(self._totals)
        found: dict[int, float] = {}
        if not board.left:
            found[players - 1] = 0.0  # as if the last player had played: the first one is on turn
        for play, before in board.last:
            for share, weight in self._shares_of(before).items():
                code, last = divmod(share, players)
                for skipped in range(players):
                    player = (last + 1 + skipped) % players
                    unit, most = self._units[player], self._totals[player]
                    if code // unit % (most + 1) + play.score > most:
                        continue
                    now = (code + play.score * unit) * players + player
                    sure = weight + play.weight + PASSED * skipped
                    if sure > found.get(now, -math.inf):
                        found[now] = sure
        if len(found) > MAX_SHARES:
            self.cut = True
            ranked = sorted(found.items(), key=lambda each: (-each[1], each[0]))
            found = dict(ranked[:MAX_SHARES])
        self._shares[board] = found
        return found


def least_and_most(boards: EarlierBoards) -> tuple[int, int]:
    """The fewest and the most points that the plays on the way to the last board come to, of all players together."""
    sums: dict[EarlierBoard, tuple[int, int]] = {}
    for level in boards.levels:
        for board in level:
            ways = [(sums[before], play.score) for play, before in board.last] or [((0, 0), 0)]
            sums[board] = (
                min(low + score for (low, _), score in ways),
                max(high + score for (_, high), score in ways),
            )
    (whole,) = boards.levels[-1]
    return sums[whole]
