"""Replay the plays of a score sheet: the entries that do not fit, and the orders in which the plays make the points."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Generic, NamedTuple, TypeVar

from scoring import Board, Edition, IllegalPlayError, Play, score_play

__all__ = [
    "ORDER_SETTINGS",
    "Move",
    "TurnFault",
    "entry_error_cost",
    "find_faults",
    "find_orders",
    "share_steps",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class OrderSettings:
    """Limits of the search for orders."""

    max_sets: int = 500
    """Sets of plays that may be made before a turn; with more, no other order is named (chosen)."""
    entry_error_power: float = 1.5
    """The probability of a wrong entry falls with this power of one plus its error in points; chosen."""


ORDER_SETTINGS = OrderSettings()


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnFault:
    """A turn whose points on the sheet are not those of its play."""

    turn: int
    points: int
    """The points of the play."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Orders:
    """The orders of some plays that make the points of a score sheet."""

    plays: list[dict[Play, float]]
    """For each turn the share of the orders that have a play there; empty for turns without a play, for all turns if
    the rules forbid a play, and if there are more orders than are searched."""
    faults: dict[int, float]
    """The share of the orders in which the entry of a turn is wrong."""


def entry_error_cost(difference: int) -> float:
    """Return the cost in nats of a wrong entry by its error in points."""
    return ORDER_SETTINGS.entry_error_power * math.log1p(abs(difference))


def find_faults(
    plays: Sequence[Play | None], points: Sequence[int], edition: Edition
) -> tuple[TurnFault, ...]:
    """Find the turns whose points on the sheet are not those of their plays."""
    board, faults = Board.empty(edition), []
    last = max((turn for turn, play in enumerate(plays) if play is not None), default=-1)
    for turn, (play, expected) in enumerate(zip(plays, points, strict=True)):
        if play is None:
            continue
        racks = (len(play), None) if turn == last else (None,)
        made = [score_play(board, play, edition, rack_count=count, check=False).total for count in racks]
        if expected not in made:
            faults.append(TurnFault(turn=turn, points=made[-1]))
        board = board.with_tiles(play)
    return tuple(faults)


def find_orders(
    plays: Sequence[Play | None],
    edition: Edition,
    known: Sequence[Board],
    wrong: Mapping[int, int] | None = None,
) -> Orders:
    """Find all orders of the plays of a game that make the points of the sheet and go through known boards.

    `plays` are in an order that does. `wrong` has the turn whose entry does not fit in this order, and the entry; in
    other orders it may be another turn's.
    """
    turns = [turn for turn, play in enumerate(plays) if play is not None]
    search = OrderSearch([play for play in plays if play is not None], edition, known)
    entries = {turns.index(turn): points for turn, points in (wrong or {}).items()}
    orders = Orders(plays=[{} for _ in plays], faults={})
    for turn, steps in zip(turns, search.shares(entries), strict=False):
        for step, share in steps.items():
            play = search.plays[step.play]
            orders.plays[turn][play] = orders.plays[turn].get(play, 0.0) + share
            if step.is_fault:
                orders.faults[turn] = orders.faults.get(turn, 0.0) + share
    return orders


S = TypeVar("S")
T = TypeVar("T")


class Move(NamedTuple, Generic[S, T]):
    """A step from one state to another, and its weight."""

    before: S
    step: T
    after: S
    weight: float


def share_steps(moves: Sequence[Sequence[Move[S, T]]], start: S, ends: Iterable[S]) -> list[dict[T, float]]:
    """Return for each turn the share of the ways from a state to others that have a step there.

    References
    ----------
    Rabiner 1989, "A tutorial on hidden Markov models", section III: the forward-backward procedure.
    """
    ways: list[dict[S, float]] = [{start: 1.0}]
    for turn_moves in moves:
        later: dict[S, float] = {}
        for move in turn_moves:
            later[move.after] = later.get(move.after, 0.0) + ways[-1][move.before] * move.weight
        ways.append(later)
    rests = dict.fromkeys(ends, 1.0)
    total = sum(ways[-1][end] for end in rests)
    shares: list[dict[T, float]] = []
    for turn_moves, before in zip(reversed(moves), reversed(ways[:-1]), strict=True):
        earlier: dict[S, float] = {}
        share: dict[T, float] = {}
        for move in turn_moves:
            if move.after in rests:
                rest = move.weight * rests[move.after]
                earlier[move.before] = earlier.get(move.before, 0.0) + rest
                share[move.step] = share.get(move.step, 0.0) + before[move.before] * rest / total
        rests = earlier
        shares.insert(0, share)
    return shares


class State(NamedTuple):
    """The plays that are made, a bit for each, and whether a wrong entry may still come."""

    made: int
    has_fault_left: bool


class Step(NamedTuple):
    """A play by its index, and whether its points are not those of the sheet."""

    play: int
    is_fault: bool


class OrderSearch:
    """The orders of some plays; a set of plays that are made is a number with a bit for each of them."""

    def __init__(self, plays: Sequence[Play], edition: Edition, known: Sequence[Board]) -> None:
        self.plays = plays
        # a misread tile may be one too many of its letter
        self._edition = replace(edition, counts=dict.fromkeys(edition.counts))
        self._known = [
            sum(1 << index for index, play in enumerate(plays) if is_on(board, play)) for board in known
        ]
        self._boards = {0: Board.empty(edition)}
        self._made: dict[tuple[int, int], int | None] = {}

    def shares(self, wrong: Mapping[int, int]) -> list[dict[Step, float]]:
        """Return for each turn the share of the orders that have a step there; none if they are not searched."""
        entries: list[int] = []
        for turn in range(len(self.plays)):
            made = self._points((1 << turn) - 1, turn)
            if made is None:
                return []
            entries.append(wrong.get(turn, made))
        open_sets = self._sets_before(entries)
        if not open_sets:
            return []
        start = State(0, bool(wrong))
        states: Collection[State] = [start]
        moves: list[list[Move[State, Step]]] = []
        for entry, open_after in zip(entries, open_sets[1:], strict=True):
            moves.append([*self._moves(states, entry, open_after)])
            states = dict.fromkeys(move.after for move in moves[-1])
            if len(states) > ORDER_SETTINGS.max_sets:
                return []
        return share_steps(moves, start, [state for state in states if not state.has_fault_left])

    def _moves(
        self, states: Iterable[State], entry: int, open_after: Collection[int]
    ) -> Iterator[Move[State, Step]]:
        """Yield the plays that may follow states and make the points of an entry, or the wrong entry.

        A wrong entry has its plausibility as its weight, any other play 1. After the sets of plays in `open_after` the
        others make their entries.
        """
        for state in states:
            for index in range(len(self.plays)):
                if state.made >> index & 1 or not self._keeps_known(state.made, index):
                    continue
                points = self._points(state.made, index)
                if points is None or (points != entry and not state.has_fault_left):
                    continue
                is_fault = points != entry
                after = State(state.made | 1 << index, state.has_fault_left and not is_fault)
                if after.has_fault_left or after.made in open_after:
                    weight = math.exp(-entry_error_cost(points - entry))
                    yield Move(state, Step(index, is_fault), after, weight)

    def _sets_before(self, entries: Sequence[int]) -> list[Collection[int]]:
        """Return for each turn the sets of plays after which the others make their entries; none if too many."""
        sets: list[Collection[int]] = [{(1 << len(self.plays)) - 1}]
        for entry in reversed(entries):
            earlier = {
                after ^ 1 << index
                for after in sets[0]
                for index in range(len(self.plays))
                if after >> index & 1
                and self._keeps_known(after ^ 1 << index, index)
                and self._points(after ^ 1 << index, index) == entry
            }
            if len(earlier) > ORDER_SETTINGS.max_sets:
                return []
            sets.insert(0, earlier)
        return sets

    def _keeps_known(self, made: int, other: int) -> bool:
        """Whether each known board is reached before a play that is not on it."""
        return all(known >> other & 1 or not known & ~made for known in self._known)

    def _points(self, made: int, index: int) -> int | None:
        """Return the points of a play after others; None if the rules forbid it."""
        if (made, index) not in self._made:
            try:
                points = score_play(self._board(made), self.plays[index], self._edition).total
            except IllegalPlayError:
                points = None
            self._made[made, index] = points
        return self._made[made, index]

    def _board(self, made: int) -> Board:
        """Return the board after plays."""
        board = self._boards.get(made)
        if board is None:
            first = made & -made
            board = self._board(made ^ first).with_tiles(self.plays[first.bit_length() - 1])
            self._boards[made] = board
        return board


def is_on(board: Board, play: Play) -> bool:
    """Whether a board has the tiles of a play."""
    return all(board[tile.row, tile.column] == tile.token for tile in play)
