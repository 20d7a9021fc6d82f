"""The orders in which a board may have been played, the most plausible first.

First the boards are found that may have been on the way, see `earlier_boards`. Then the plays between them are taken
back from the last board on, with whose they are and what each player still needs of his total. What the boards tell
beforehand, namely which points may have been made up to each, says early which ways cannot end well. Both searches keep
the most plausible only, so that what is found is possible, and what is not found may be so too.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from scoring import Board, Edition, Lexicon, Play, score_play
from scoring.board import check_size
from scoring.tiles import EMPTY
from vision.digitise.earlier_boards import EarlierBoard, EarlierBoards, earlier_boards, part_of
from vision.digitise.endings import Ending, endings
from vision.digitise.last_plays import LastPlay, LastPlays
from vision.digitise.points import PASSED, Points

__all__ = ["OrderOfPlay", "Orders", "orders_of_play"]

MOST_BOARDS = 300
"""Boards of each number of tiles that are looked at: more find nothing better and fill a memory."""
STATES_A_BOARD = 5
"""With how many players and points a board is looked at, on average."""
MORE_ON_THE_WAY = 4
"""So many times more ways than are wanted are remembered: those with many orders of the same plays come to be first."""
SHARE_DIGITS = 4
"""Shares that differ by less are the same: logarithms are not exact to the last digit on every machine."""
BOARDS_SHARE = 0.6
"""How much of the time the boards take, for those who wait."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OrderOfPlay:
    """One way to play from a board to another.

    Parameters
    ----------
    plays : tuple of Play
        In their order.
    scores : tuple of int
        What each scores.
    players : tuple of int
        Whose each is; where no totals say it, players take turns.
    share : float
        The plausibility of all orders of the same plays as a share of all that were found.
    alike : int
        How many orders of the same plays were found, this one among them.
    """

    plays: tuple[Play, ...]
    scores: tuple[int, ...]
    players: tuple[int, ...]
    share: float
    alike: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Orders:
    """The orders of play that were found.

    Parameters
    ----------
    ways : tuple of OrderOfPlay
        The most plausible first, each of other plays than the rest; none if there is none, or none was found.
    found : int
        How many orders were found in all.
    complete : bool
        Whether everything that may be was looked at.
    why : str
        Why nothing could be looked for; empty if something was.
    """

    ways: tuple[OrderOfPlay, ...]
    found: int
    complete: bool
    why: str = ""

    @property
    def decided(self) -> bool:
        """Whether there is one order only."""
        return self.complete and self.found == 1


def orders_of_play(
    before: Board,
    after: Board,
    edition: Edition,
    *,
    totals: Sequence[int] | None = None,
    settled: bool = False,
    lexicon: Lexicon | None = None,
    most: int = 5,
    steps: int = 20_000,
    progress: Callable[[int], None] = lambda taken: None,
) -> Orders:
    """The orders in which the tiles that are new on a board may have been played.

    Parameters
    ----------
    before, after : Board
        The board before, which may be empty, and after.
    edition : Edition
        Whose rules.
    totals : sequence of int, optional
        The points of each player for the plays between the boards, in the order of play.
    settled : bool
        Whether the totals have in them what the tiles left at the end changed, see `endings`.
    lexicon : Lexicon, optional
        Words.
    most : int
        How many orders are wanted.
    steps : int
        How many boards are looked at: a limit that gives the same result on every machine.
    progress : callable
        Is told how many of the tiles have been taken off.
    """
    check_size(after, edition)
    base = frozenset((tile.row, tile.column) for tile in before.tiles())
    plays = LastPlays(after, base, edition, lexicon)
    tiles = plays.all_tiles.bit_count()
    if not tiles or any(after[square] == EMPTY for square in base):
        return Orders(ways=(), found=0, complete=True)
    if not plays.possible:
        why = "its tiles do not hang together, or are not all the edition's; correct the board"
        return Orders(ways=(), found=0, complete=True, why=why)
    ends = endings(totals, after, edition, settled=settled) if totals is not None else ()
    if totals is not None and not ends:
        why = "what the tiles left at the end changed is known only if one of two players had none left"
        return Orders(ways=(), found=0, complete=True, why=why)
    width = max(1, min(MOST_BOARDS, steps // tiles))

    def tell(share: float) -> None:
        progress(int(tiles * share))

    points = sum(sum(end.points) for end in ends) // len(ends) if ends else None
    boards = earlier_boards(plays, width, points, part_of(tell, 0.0, BOARDS_SHARE))
    if not boards.levels:
        return Orders(ways=(), found=0, complete=boards.complete)
    search = _Search(boards, ends, most)
    begun = search.run(width * STATES_A_BOARD, part_of(tell, BOARDS_SHARE, 1 - BOARDS_SHARE))
    complete = boards.complete and search.complete
    if begun is None:
        return Orders(ways=(), found=0, complete=complete)
    ways = [order_of(way, begun.mass, plays, before, edition, shared=bool(ends)) for way in begun.ways]
    ways.sort(key=lambda way: -round(way.share, SHARE_DIGITS))
    return Orders(ways=tuple(ways[:most]), found=begun.number, complete=complete)


def order_of(
    way: _Way, mass: float, plays: LastPlays, before: Board, edition: Edition, *, shared: bool
) -> OrderOfPlay:
    """The order of a way, scored by the rules."""
    laid, scores, players = list[Play](), list[int](), list[int]()
    share, alike = math.exp(way.mass - mass), way.number
    board, rest = before, way
    while rest.play is not None and rest.after is not None:
        play = plays.play(rest.play.taken)
        scores.append(score_play(board, play, edition).total)
        board = board.with_tiles(play)
        laid.append(play)
        players.append(rest.player)
        rest = rest.after
    return OrderOfPlay(
        plays=tuple(laid),
        scores=tuple(scores),
        players=tuple(players if shared else range(len(laid))),
        share=share,
        alike=alike,
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Way:
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
    after : _Way or None
        What follows.
    """

    weight: float
    mass: float
    number: int
    same: int
    play: LastPlay | None = None
    player: int = 0
    after: _Way | None = None


@dataclass(slots=True, eq=False)
class _State:
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
    following : list of (float, LastPlay, int, _State)
        The plays that may follow, with their plausibility and whose they are.
    ways : list of _Way
        The most plausible ways to the end, of different plays each.
    number, mass
        How many ways there are, and how plausible they are together.
    """

    board: EarlierBoard
    turn: int
    points: tuple[int, ...]
    before: float
    after: float = -math.inf
    following: list[tuple[float, LastPlay, int, _State]] = field(default_factory=list)
    ways: list[_Way] = field(default_factory=list)
    number: int = 0
    mass: float = -math.inf

    @property
    def promise(self) -> float:
        """How plausible the best way through it is."""
        return self.before + self.after


class _Search:
    """The way back through boards that are known, by the points that are."""

    def __init__(self, boards: EarlierBoards, ends: Sequence[Ending], most: int) -> None:
        self.boards, self.ends, self.most = boards, ends, most
        self.players = len(ends[0].points) if ends else 0
        self.points = Points(boards, [end.points for end in ends]) if ends else None
        self.complete = True

    def run(self, width: int, progress: Callable[[float], None]) -> _State | None:
        """The beginning of the game with all ways to its end, None if no way leads there."""
        tiles = len(self.boards.levels) - 1
        levels: list[dict[object, _State]] = [{} for _ in range(tiles + 1)]
        (whole,) = self.boards.levels[tiles]
        starts = [
            (turn, end.points)
            for end in self.ends
            for turn in (range(self.players) if end.last is None else (end.last,))
        ]
        for turn, points in starts or [(0, ())]:
            state = self.state(levels[tiles], whole, turn, points)
            if state is not None:
                state.ways, state.number, state.mass, state.after = [_Way(0.0, 0.0, 1, 0)], 1, 0.0, 0.0
        for level in range(tiles, 0, -1):
            progress(1 - level / tiles)
            states = levels.pop()
            ranked = heapq.nlargest(width, states.values(), key=lambda state: state.promise)
            self.complete = self.complete and len(ranked) == len(states)
            for state in ranked:
                self.join(state)
                self.go_back(state, levels)
                state.following = []
        for begun in levels[0].values():
            self.join(begun)
            return begun
        return None

    def state(
        self, level: dict[object, _State], board: EarlierBoard, turn: int, points: tuple[int, ...]
    ) -> _State | None:
        """The state of that board, player and points; None if no way leads there."""
        key = board, turn, points
        state = level.get(key)
        if state is None:
            before = self.points.plausibility(board, turn, points) if self.points else board.before
            if before > -math.inf:
                state = level[key] = _State(board, turn, points, before)
        return state

    def go_back(self, state: _State, levels: list[dict[object, _State]]) -> None:
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

    def join(self, state: _State) -> None:
        """Puts together the ways from a board to the end, those of the same plays to one."""
        if not state.following:
            return
        ways: dict[int, _Way] = {}
        for weight, play, player, after in state.following:
            mark = hash((play.taken,))
            state.number += after.number
            state.mass = added(state.mass, after.mass + weight)
            for way in after.ways:
                same, sure, mass = way.same ^ mark, way.weight + weight, way.mass + weight
                known = ways.get(same)
                if known is None:
                    ways[same] = _Way(sure, mass, way.number, same, play, player, way)
                elif sure > known.weight:
                    ways[same] = _Way(
                        sure, added(mass, known.mass), way.number + known.number, same, play, player, way
                    )
                else:
                    ways[same] = replace(
                        known, mass=added(mass, known.mass), number=way.number + known.number
                    )
        state.ways = heapq.nlargest(self.most * MORE_ON_THE_WAY, ways.values(), key=lambda way: way.weight)


def added(one: float, other: float) -> float:
    """The logarithm of a sum, by the logarithms of what is added."""
    most, least = max(one, other), min(one, other)
    return most if least == -math.inf else most + math.log1p(math.exp(least - most))
