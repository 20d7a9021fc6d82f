"""The boards that may have been on the way to a board, each with the plays that lead to it.

The search goes back from the last board, level by level; a level is a number of tiles that are left. Of each level
those boards are kept that are the most plausible on the whole: by the plays after them, and by what the tiles left may
cost. What those cost is learnt from the best way of a narrower search; without it boards would win whose plausible
plays are used up.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from tilesight.digitise.retrograde.reverse_moves import LastPlay, LastPlays

__all__ = ["EarlierBoard", "EarlierBoards", "earlier_boards", "part_of"]

NARROWER = 8
"""The first search keeps so many times fewer boards."""
MAX_TRIALS = 5
"""Narrower searches for what a point is worth; with that, the best way comes near the points that were made:"""
NEAR_ENOUGH = 0.02
MAX_CHANGE = 0.05
SPREAD = 20.0
"""Variance of the points of the ways to play a board, for each of its tiles."""
SORTED_FROM = 1.2
"""So many times more boards than are kept are collected before the least promising are forgotten."""
BELOW = 4.0
"""Plays to boards that are kept anyway are remembered if they are so much less plausible than what is kept."""


@dataclass(slots=True, eq=False)
class EarlierBoard:
    """A board on the way.

    Parameters
    ----------
    left : int
        Its new tiles, as bits.
    promise : float
        How plausible the plays after it are at best, with what the tiles left may cost.
    last : list of (LastPlay, EarlierBoard)
        The plays that may have led to it, each with the board before.
    before : float
        How plausible the plays up to it are, at best.
    """

    left: int
    promise: float
    last: list[tuple[LastPlay, EarlierBoard]] = field(default_factory=list)
    before: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class EarlierBoards:
    """All boards that were found on the way.

    Parameters
    ----------
    levels : tuple of tuple of EarlierBoard
        By the number of tiles left, from none on. Empty if no way leads to the board.
    worth : float
        How much a point counted for a play.
    complete : bool
        Whether all boards and plays that may be are there.
    """

    levels: tuple[tuple[EarlierBoard, ...], ...]
    worth: float
    complete: bool

    @property
    def best(self) -> list[LastPlay]:
        """The most plausible plays to the whole board, the last one first."""
        plays, (board,) = list[LastPlay](), self.levels[-1]
        while board.last:
            play, board = max(
                board.last,
                key=lambda each: each[0].weight + self.worth * each[0].score + each[1].before,
            )
            plays.append(play)
        return plays


def earlier_boards(
    plays: LastPlays,
    width: int,
    points: int | None = None,
    progress: Callable[[float], None] = lambda share: None,
) -> EarlierBoards:
    """The boards on the way to the board that these plays are of.

    Parameters
    ----------
    plays : LastPlays
        What may have been played last.
    width : int
        How many boards of each number of tiles are kept.
    points : int, optional
        What all plays scored together. The more the most plausible plays miss it, the more each point counts for a
        play, or against it.
    progress : callable
        Is told which share of the search is done.
    """
    narrow = max(1, width // NARROWER)
    trials = MAX_TRIALS if points is not None else 1
    step = narrow / (width + trials * narrow)
    worth, prices = 0.0, dict[int, float]()
    for trial in range(trials):
        found = searched(plays, narrow, worth, {}, part_of(progress, trial * step, step))
        if found.complete or not found.levels:
            break
        best = found.best
        prices = {
            bit: (play.weight + worth * play.score) / play.tiles for play in best for bit in bits(play.taken)
        }
        missing = points - sum(play.score for play in best) if points is not None else 0
        if points is None or abs(missing) <= NEAR_ENOUGH * points or trial == trials - 1:
            break
        worth += max(-MAX_CHANGE, min(MAX_CHANGE, missing / (SPREAD * plays.all_tiles.bit_count())))
    if not found.complete:
        begun = trials * step
        found = searched(plays, width, worth, prices, part_of(progress, begun, 1 - begun))
    return found


def searched(
    plays: LastPlays,
    width: int,
    worth: float,
    prices: Mapping[int, float],
    progress: Callable[[float], None],
) -> EarlierBoards:
    """The same, where a point is worth so much, and the tiles left are said to cost so much each."""
    whole = plays.all_tiles
    tiles = whole.bit_count()
    levels: list[dict[int, EarlierBoard]] = [{} for _ in range(tiles + 1)]
    refused: list[set[int]] = [set() for _ in range(tiles + 1)]
    levels[tiles][whole] = EarlierBoard(whole, sum(prices.get(bit, 0.0) for bit in bits(whole)))
    floors = [-math.inf] * (tiles + 1)
    promises: list[list[float]] = [[] for _ in range(tiles + 1)]
    gains: dict[int, list[tuple[float, LastPlay]]] = {}
    complete = True
    for level in range(tiles, 0, -1):
        progress(1 - level / tiles)
        if plays.forget():
            gains.clear()
        ranked = heapq.nlargest(width, levels[level].values(), key=lambda board: (board.promise, board.left))
        complete = complete and len(ranked) == len(levels[level])
        levels[level] = {board.left: board for board in ranked}
        lowest = min(floors[max(0, level - plays.most_tiles) : level]) - BELOW
        for board in ranked:
            for line in plays.in_lines(board.left):
                gained = gains.get(id(line))
                if gained is None:
                    gained = gains[id(line)] = gains_of(line, worth, prices)
                for gain, play in gained:
                    promise = board.promise + gain
                    if promise < lowest:
                        complete = False
                        break
                    rest, there = board.left & ~play.taken, level - play.tiles
                    if not rest and not plays.may_be(play.taken, rest):
                        continue  # of one beginning alone: another may have its first letter on the start
                    before = levels[there].get(rest)
                    if before is None:
                        if promise < floors[there]:
                            complete = False
                            continue
                        if rest in refused[there]:
                            continue
                        if rest and not plays.may_be(play.taken, rest):
                            refused[there].add(rest)
                            continue
                        before = levels[there][rest] = EarlierBoard(rest, promise)
                        promises[there].append(promise)
                        if len(promises[there]) > SORTED_FROM * width:
                            promises[there] = heapq.nlargest(width, promises[there])
                            floors[there] = promises[there][-1]
                    elif promise > before.promise:
                        before.promise = promise
                    board.last.append((play, before))
    progress(1.0)
    return begun_boards(levels, worth, complete and not plays.cut)


def gains_of(
    line: Sequence[LastPlay], worth: float, prices: Mapping[int, float]
) -> list[tuple[float, LastPlay]]:
    """How much more plausible each play is than its tiles were said to cost, the best first."""
    gains = [
        (play.weight + worth * play.score - sum(prices.get(bit, 0.0) for bit in bits(play.taken)), play)
        for play in line
    ]
    return sorted(gains, key=lambda each: (-each[0], each[1].taken))


def begun_boards(levels: Sequence[dict[int, EarlierBoard]], worth: float, complete: bool) -> EarlierBoards:
    """Those of the boards to which plays lead from the beginning, each with how plausible these are."""
    kept: list[tuple[EarlierBoard, ...]] = []
    begun: set[EarlierBoard] = set()
    for boards in levels:
        for board in boards.values():
            board.last = [each for each in board.last if each[1] in begun]
            if board.last:
                board.before = max(
                    play.weight + worth * play.score + before.before for play, before in board.last
                )
        kept.append(tuple(board for board in boards.values() if board.last or not board.left))
        begun.update(kept[-1])
    return EarlierBoards(levels=tuple(kept) if kept[-1] else (), worth=worth, complete=complete)


def part_of(progress: Callable[[float], None], begun: float, size: float) -> Callable[[float], None]:
    """Tells of a part of the work as of all of it."""
    return lambda share: progress(begun + share * size)


def bits(mask: int) -> list[int]:
    """The bits of a number, one by one."""
    found = []
    while mask:
        found.append(mask & -mask)
        mask &= mask - 1
    return found
