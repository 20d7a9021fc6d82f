"""The ways back from the end of a game through boards that may have been, with whose plays they are.

A state is a board with who may have played last there and what each player had by then. Of each number of tiles the
most plausible states are kept, by the plays after them and by the points that may have been made before, see `points`.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from tilesight.digitise.retrograde.position_search import EarlierBoard, EarlierBoards
from tilesight.digitise.retrograde.reverse_moves import LastPlay
from tilesight.digitise.retrograde.score_bounds import PASSED, Points
from tilesight.digitise.score_sheets.settlement import Ending

__all__ = ["State", "Way", "WaysBack"]

MORE_ON_THE_WAY = 4
"""So many times more ways than are wanted are remembered: those with many orders of the same plays come to be first."""


@dataclass(frozen=True, slots=True, eq=False)
class Way:
    """Plays to the end of the game, from some board on; of all orders of the same plays the most plausible.

    Parameters
    ----------
    weight : float
        How plausible it is.
    mass : float
        How plausible all orders of the same plays are together.
    number : int
        How many these are.
    same : int
        A sum over the plays, which orders of the same plays share.
    play : LastPlay or None
        Its first play; None at the end of the game.
    player : int
        Whose.
    after : Way or None
        What follows.
    """

    weight: float
    mass: float
    number: int
    same: int
    play: LastPlay | None = None
    player: int = 0
    after: Way | None = None


@dataclass(slots=True, eq=False)
class State:
    """A board on the way, with who may have played last and what each player had.

    Parameters
    ----------
    board : EarlierBoard
        The board.
    turn : int
        Who played last there if nobody left out a turn.
    points : tuple of int
        What each had.
    before : float
        How plausible the plays up to it are, at best.
    after : float
        How plausible the plays after it are, at best.
    following : list of (float, LastPlay, int, State)
        The plays that may follow, with their plausibility and whose they are.
    ways : list of Way
        The most plausible ways to the end, of different plays each.
    number, mass
        How many ways there are, and how plausible they are together.
    """

    board: EarlierBoard
    turn: int
    points: tuple[int, ...]
    before: float
    after: float = -math.inf
    following: list[tuple[float, LastPlay, int, State]] = field(default_factory=list)
    ways: list[Way] = field(default_factory=list)
    number: int = 0
    mass: float = -math.inf

    @property
    def promise(self) -> float:
        """How plausible the best way through it is."""
        return self.before + self.after


class WaysBack:
    """The ways back through the boards on the way, and through the points that the players may have had.

    Parameters
    ----------
    boards : EarlierBoards
        The boards, from none of the new tiles to all of them.
    ends : sequence of Ending
        What the players may have had at the end; none if that is not known.
    most : int
        How many ways are wanted.

    Attributes
    ----------
    complete : bool
        Whether everything was looked at so far.
    """

    def __init__(self, boards: EarlierBoards, ends: Sequence[Ending], most: int) -> None:
        self.boards, self.ends, self.most = boards, ends, most * MORE_ON_THE_WAY
        self.players = len(ends[0].points) if ends else 0
        self.points = Points(boards, [end.points for end in ends]) if ends else None
        self.complete = True

    def run(self, width: int, progress: Callable[[float], None]) -> State | None:
        """The beginning of the game with all ways to its end, None if no way leads there.

        Parameters
        ----------
        width : int
            How many states of each number of tiles are looked at.
        progress : callable
            Is told which share of the way is done.
        """
        tiles = len(self.boards.levels) - 1
        levels: list[dict[object, State]] = [{} for _ in range(tiles + 1)]
        (whole,) = self.boards.levels[tiles]
        starts = [
            (turn, end.points)
            for end in self.ends
            for turn in (range(self.players) if end.last is None else (end.last,))
        ]
        for turn, points in starts or [(0, ())]:
            state = self.state(levels[tiles], whole, turn, points)
            if state is not None:
                state.ways, state.number, state.mass, state.after = [Way(0.0, 0.0, 1, 0)], 1, 0.0, 0.0
        for level in range(tiles, 0, -1):
            progress(1 - level / tiles)
            states = levels.pop()
            ranked = heapq.nlargest(width, states.values(), key=lambda state: state.promise)
            self.complete = self.complete and len(ranked) == len(states)
            for state in ranked:
                self.join(state)
                self.go_back(state, levels)
                state.following = []
        self.complete = self.complete and not (self.points and self.points.cut)
        for begun in levels[0].values():
            self.join(begun)
            return begun
        return None

    def state(
        self, level: dict[object, State], board: EarlierBoard, turn: int, points: tuple[int, ...]
    ) -> State | None:
        """The state of that board, player and points; None if no way leads there."""
        key = board, turn, points
        state = level.get(key)
        if state is None:
            before = self.points.plausibility(board, turn, points) if self.points else board.before
            if before > -math.inf:
                state = level[key] = State(board, turn, points, before)
        return state

    def go_back(self, state: State, levels: list[dict[object, State]]) -> None:
        """Takes each play back that may have been the last one, for each player whose it may have been."""
        players = self.players
        # Turns that were left out count between plays: who plays last is said by where the search begins.
        turns = max(1, players) if state.following else 1
        for play, board in state.board.last:
            level = levels[board.left.bit_count()]
            for skipped in range(turns):
                weight, player, turn, points = play.weight, 0, 0, state.points
                if players:
                    player = (state.turn - skipped) % players
                    left = points[player] - play.score
                    if left < 0:
                        continue
                    points = (*points[:player], left, *points[player + 1 :])
                    weight += PASSED * skipped
                    turn = (player - 1) % players
                    if not board.left:  # the first player may have left out a turn
                        weight += PASSED * player
                        turn = players - 1
                there = self.state(level, board, turn, points)
                if there is not None:
                    there.after = max(there.after, state.after + weight)
                    there.following.append((weight, play, player, state))

    def join(self, state: State) -> None:
        """Puts together the ways from a board to the end, those of the same plays to one."""
        if not state.following:
            return
        ways: dict[int, Way] = {}
        for weight, play, player, after in state.following:
            mark = hash((play.taken,))
            state.number += after.number
            state.mass = added(state.mass, after.mass + weight)
            for way in after.ways:
                same, sure, mass = way.same ^ mark, way.weight + weight, way.mass + weight
                known = ways.get(same)
                if known is None:
                    ways[same] = Way(sure, mass, way.number, same, play, player, way)
                elif sure > known.weight:
                    ways[same] = Way(
                        sure, added(mass, known.mass), way.number + known.number, same, play, player, way
                    )
                else:
                    ways[same] = replace(
                        known, mass=added(mass, known.mass), number=way.number + known.number
                    )
        state.ways = heapq.nlargest(self.most, ways.values(), key=lambda way: way.weight)


def added(one: float, other: float) -> float:
    """The logarithm of a sum, by the logarithms of what is added."""
    most, least = max(one, other), min(one, other)
    return most if least == -math.inf else most + math.log1p(math.exp(least - most))
