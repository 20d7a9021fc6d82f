"""The orders in which a board may have been played, the most plausible first.

The search takes plays off the board, the last one first, see `last_plays`. It goes level by level, by the number of
tiles left, and keeps the most plausible boards of each level: a beam search, so that what it finds is possible, and
what it does not find may be so too.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from scoring import Board, Edition, IllegalPlayError, Lexicon, Placement, Play, score_play
from scoring.tiles import EMPTY
from vision.digitise.last_plays import LastPlays, Square

__all__ = ["OrderOfPlay", "Orders", "orders_of_play"]

PASSED = -4.0
"""For each turn that somebody must have left out, where totals say whose plays are whose."""
AHEAD_POINTS = 30.0
"""A player's points so far differ from an even pace by about so many."""
WIDTH = 60
WIDTH_WITH_TOTALS = 600
MOST_WAYS_TO_A_BOARD = 4
SMALL = 12
"""With totals, boards of so many tiles are not searched but looked up: every way to play them is known at once."""
MOST_BEGINNINGS = 2_000


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
        Its plausibility as a share of all that were found.
    """

    plays: tuple[Play, ...]
    scores: tuple[int, ...]
    players: tuple[int, ...]
    share: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Orders:
    """The orders of play that were found.

    Parameters
    ----------
    ways : tuple of OrderOfPlay
        The most plausible first; none if there is none, or none was found.
    found : int
        How many were found in all.
    complete : bool
        Whether everything that may be was looked at.
    """

    ways: tuple[OrderOfPlay, ...]
    found: int
    complete: bool

    @property
    def decided(self) -> bool:
        """Whether there is one order only."""
        return self.complete and self.found == 1


_Plays = tuple[tuple[tuple[Square, ...], int, int], ...]
"""The tiles, the score and the player of each play, in their order."""


@dataclass(frozen=True, slots=True)
class _Node:
    """A board on the way back: what was taken off to come here, and how plausible all that is."""

    left: frozenset[Square]
    turn: int
    owed: tuple[int, ...]
    weight: float
    taken: tuple[Square, ...]
    score: int
    player: int
    after: _Node | None


def orders_of_play(
    before: Board,
    after: Board,
    edition: Edition,
    *,
    totals: Sequence[int] | None = None,
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
    lexicon : Lexicon, optional
        Words.
    most : int
        How many orders are wanted.
    steps : int
        How many boards are looked at: a limit that gives the same result on every machine.
    progress : callable
        Is told how many of the tiles have been taken off.
    """
    search = _Search(before, after, edition, lexicon, tuple(totals) if totals is not None else ())
    return search.run(most, steps, progress)


class _Search:
    """The way back from a board."""

    def __init__(
        self, before: Board, after: Board, edition: Edition, lexicon: Lexicon | None, totals: tuple[int, ...]
    ) -> None:
        self.edition = edition
        self.totals = totals
        self.board = after
        self.base = frozenset((tile.row, tile.column) for tile in before.tiles())
        self.new = frozenset((t.row, t.column) for t in after.tiles()) - self.base
        self.possible = all(after[square] != EMPTY for square in self.base)
        self.begun_boards: dict[
            frozenset[Square], dict[tuple[int, tuple[int, ...]], tuple[float, _Plays]]
        ] = {}
        self.last_plays = LastPlays(after, self.base, edition, lexicon)

    def run(self, most: int, steps: int, progress: Callable[[int], None]) -> Orders:
        if not self.possible or not self.new:
            return Orders(ways=(), found=0, complete=True)
        # The steps must last to the empty board: a search that ends half way has found nothing.
        width = min(WIDTH_WITH_TOTALS if self.totals else WIDTH, max(1, steps // len(self.new)))
        levels: dict[int, dict[object, list[_Node]]] = {len(self.new): {}}
        for turn in range(max(1, len(self.totals))):
            start = _Node(self.new, turn, self.totals, 0.0, (), 0, -1, None)
            levels[len(self.new)][start.left, turn, start.owed] = [start]
        complete, ends = True, list[_Node]()
        for level in range(len(self.new), 0, -1):
            progress(len(self.new) - level)
            self.last_plays.forget()
            boards = levels.pop(level, {})
            ranked = heapq.nlargest(width, boards.values(), key=lambda nodes: self.promise(nodes[0]))
            complete = complete and len(ranked) == len(boards)
            for nodes in ranked:
                if steps <= 0:
                    complete = False
                    break
                steps -= 1
                if self.totals and level <= SMALL:
                    complete = False  # of the beginnings with the same points the likeliest alone is known
                    for node in nodes:
                        ends.extend(self.begun(node))
                    continue
                for node in self.back_from(nodes):
                    if not node.left:
                        ends.append(node)
                        continue
                    there = levels.setdefault(len(node.left), {}).setdefault(
                        (node.left, node.turn, node.owed), []
                    )
                    there.append(node)
                    if len(there) > MOST_WAYS_TO_A_BOARD:
                        there.sort(key=lambda each: -each.weight)
                        there.pop()
                        complete = False
        ends = [node for node in ends if not any(node.owed)]
        ends.sort(key=lambda node: -node.weight)
        return Orders(ways=self.ways(ends, most), found=len(ends), complete=complete)

    def promise(self, node: _Node) -> float:
        """How good a board is to go on from: plausible so far, and the points owed suit the tiles left."""
        if not self.totals:
            return node.weight
        share = len(node.left) / len(self.new)
        ahead = sum(
            ((owed - total * share) / AHEAD_POINTS) ** 2
            for owed, total in zip(node.owed, self.totals, strict=True)
        )
        return node.weight - ahead

    def begun(self, node: _Node) -> Iterator[_Node]:
        """The beginnings of the game that lead to this board and to the points that are owed there."""
        turn = (node.turn + 1) % len(self.totals)
        found = self.beginnings(node.left).get((turn, node.owed))
        if found is None:
            return
        weight, plays = found
        for taken, score, player in reversed(plays):
            owed = tuple(each - score * (number == player) for number, each in enumerate(node.owed))
            left = node.left - set(taken)
            node = _Node(
                left, player, owed, node.weight + (0.0 if left else weight), taken, score, player, node
            )
        yield node

    def beginnings(self, left: frozenset[Square]) -> dict[tuple[int, tuple[int, ...]], tuple[float, _Plays]]:
        """For every way to play up to this board: who is to play, what each has, and the likeliest such way."""
        known = self.begun_boards.get(left)
        if known is not None:
            return known
        players = len(self.totals)
        found: dict[tuple[int, tuple[int, ...]], tuple[float, _Plays]] = {}
        if not left:
            found[0, (0,) * players] = 0.0, ()
        for taken, cost in self.last_plays.on(left):
            score = self.score(left, taken)
            if score is None:
                continue
            for (turn, points), (weight, plays) in self.beginnings(left - set(taken)).items():
                for skipped in range(players):
                    player = (turn + skipped) % players
                    now = tuple(each + score * (number == player) for number, each in enumerate(points))
                    if now[player] > self.totals[player]:
                        continue
                    key, sure = ((player + 1) % players, now), weight + cost + PASSED * skipped
                    if key not in found or sure > found[key][0]:
                        found[key] = sure, (*plays, (taken, score, player))
        if len(found) > MOST_BEGINNINGS:
            found = dict(heapq.nlargest(MOST_BEGINNINGS, found.items(), key=lambda each: each[1][0]))
        self.begun_boards[left] = found
        return found

    def back_from(self, nodes: Sequence[_Node]) -> Iterator[_Node]:
        """The boards before the last play."""
        left = nodes[0].left
        for taken, weight in self.last_plays.on(left):
            rest = left - set(taken)
            score = self.score(left, taken) if self.totals else 0
            if score is None:
                continue
            for node in nodes:
                yield from self.credited(node, rest, taken, score, node.weight + weight)

    def credited(
        self, node: _Node, rest: frozenset[Square], taken: tuple[Square, ...], score: int, weight: float
    ) -> Iterator[_Node]:
        """The board before, for each player who may have made the play."""
        players = len(self.totals)
        if not players:
            yield _Node(rest, 0, (), weight, taken, 0, 0, node)
            return
        for skipped in range(players):
            player = (node.turn - skipped) % players
            owed = list(node.owed)
            owed[player] -= score
            if owed[player] >= 0:
                cost = PASSED * skipped
                turn = (player - 1) % players
                if not rest and player != 0:
                    cost += PASSED * player  # the first player must have left out a turn
                yield _Node(rest, turn, tuple(owed), weight + cost, taken, score, player, node)

    def score(self, left: frozenset[Square], taken: tuple[Square, ...]) -> int | None:
        """What the play scored, None if the rules did not allow it."""
        rest = self.board.without(self.new - left).without(taken)
        try:
            return score_play(rest, self.play(taken), self.edition).total
        except IllegalPlayError:
            return None

    def play(self, taken: Sequence[Square]) -> Play:
        """The play of these tiles."""
        return Play(placements=tuple(Placement(row=r, column=c, token=self.board[r, c]) for r, c in taken))

    def ways(self, ends: Sequence[_Node], most: int) -> tuple[OrderOfPlay, ...]:
        """The most plausible ways that the rules allow, from the first play on."""
        if not ends:
            return ()
        total = sum(math.exp(node.weight - ends[0].weight) for node in ends)
        ways: list[OrderOfPlay] = []
        for end in ends:
            plays, players, node = list[Play](), list[int](), end
            while node.after is not None:
                plays.append(self.play(node.taken))
                players.append(node.player)
                node = node.after
            scores, board = list[int](), self.board.without(self.new)
            try:
                for play in plays:
                    scores.append(score_play(board, play, self.edition).total)
                    board = board.with_tiles(play)
            except IllegalPlayError:
                continue
            whose = players if self.totals else range(len(plays))
            share = math.exp(end.weight - ends[0].weight) / total
            ways.append(
                OrderOfPlay(plays=tuple(plays), scores=tuple(scores), players=tuple(whose), share=share)
            )
            if len(ways) == most:
                break
        return tuple(ways)
