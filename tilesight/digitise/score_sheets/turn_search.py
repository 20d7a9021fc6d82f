"""Search for the plays that lead to a final board and make the points of each turn of a score sheet.

The search goes backwards from the final board, a turn at a time, and keeps the most plausible boards before each turn
(beam search). If no order of play makes all points, an entry of the sheet or a tile of the board is wrong. Boards
reached with such a fault are kept apart from the others.
"""

from __future__ import annotations

import enum
import itertools
import math
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from scoring import Play, Square
from tilesight.digitise.score_sheets.replaying import (
    Move,
    TurnFault,
    entry_error_cost,
    find_faults,
    find_orders,
    share_steps,
)
from tilesight.digitise.score_sheets.reverse_plays import ReversePlay, ReversePlays, TileValue, costs_of_sizes

__all__ = ["TURN_SEARCH_SETTINGS", "SheetSolution", "TurnSearch"]


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnSearchSettings:
    """Limits of the search; it is limited in steps, so that its result does not depend on the machine."""

    widths: tuple[int, ...] = (1_000, 3_000)
    """Boards kept of each turn, where fewer find no game; chosen."""
    entry_sources: int = 100
    tile_sources: int = 40
    """Boards of a turn from which wrong entries and misread tiles are tried; chosen."""
    max_fault_cost: float = 9.0
    """Cost in nats of the least plausible play with a fault; chosen."""
    tile_cost: float = 3.0
    """Cost in nats of a misread tile, besides that of a wrong entry: it is one of many tiles and values; chosen."""
    fault_turns: tuple[int, ...] = (1, 4, 18)
    """Turns that are tried as the one with the fault, from the turn at which no game goes on: few at first, then more
    with what is left of the steps; chosen."""
    max_steps: int = 250_000
    """Boards that are extended before the search ends, those of all widths and faults together; about 40 s."""
    entry_steps: int = 14
    tile_steps: int = 130
    """Boards for which such a board counts, by the time that it takes; measured on a Danish game of 39 turns."""
    plays_per_step: int = 16
    """Plays that count for a board when they are found anew along a word, by the time that they take; measured."""
    min_share: float = 0.02
    """Share of the probability from which a play is named as an alternative; chosen."""


TURN_SEARCH_SETTINGS = TurnSearchSettings()

SPENT: TileValue = (-1, 0)
"""A fault that matters no more: a wrong entry of a later turn, or a misread tile that is no longer on the board."""


Node: TypeAlias = int
"""A board of the search: its tiles as bits, and above these the number of the fault on the way to it, 0 for none."""


class Edge(NamedTuple):
    """A play that leads from an earlier board to this later one, and the cost of the best game with it."""

    cost: float
    later: Node
    play: ReversePlay


@dataclass(slots=True)
class Reached:
    """How a node is reached from later turns: all edges, the best of them, its cost, and the squares of its words."""

    edges: Sequence[Edge] = ()
    best: Edge | None = None
    cost: float = 0.0
    words: int = 0


Layer: TypeAlias = dict[Node, Reached]
"""The boards before a turn."""


class Fault(enum.Enum):
    """What may be wrong: an entry of the sheet, or a tile of the board that counts in several turns."""

    ENTRY = enum.auto()
    TILE = enum.auto()


@dataclass(frozen=True, slots=True, kw_only=True)
class SheetSolution:
    """The game that a score sheet is of."""

    plays: tuple[Play | None, ...]
    """For each turn its play in the most plausible game; None for turns without one."""
    confidence: tuple[float, ...]
    """For each turn the probability of its play."""
    alternatives: tuple[tuple[Play, ...], ...]
    """For each turn the plays that it has in other games that fit."""
    faults: tuple[TurnFault, ...] = ()
    other_fault_turns: tuple[int, ...] = ()
    """The turns that may have the wrong entry instead, if the plays were made in another order; the most likely
    first."""
    tile: Square | None = None
    """The square of a tile that explains the faults, if it is misread."""
    tile_tokens: tuple[str, ...] = ()
    """The tokens with which the lexicon has the words of that tile; empty if the points alone show it."""


class TurnSearch:
    """The search, turn by turn from the last one, through known boards, the smallest first.

    It keeps `width` boards of each turn and ends when `max_steps` boards are extended. `misread` is a tile of the final
    board that has other points.
    """

    def __init__(
        self,
        plays: ReversePlays,
        points: Sequence[int],
        known: Sequence[int],
        *,
        width: int,
        max_steps: int,
        misread: TileValue | None = None,
    ) -> None:
        self._plays, self._points, self._known, self._width = plays, points, known, width
        self._turns = [turn for turn, made in enumerate(points) if made]
        self._sizes = costs_of_sizes(len(plays.tokens), len(self._turns), plays.edition.rack_size)
        self.max_steps, self.steps = max_steps, 0
        self._max_cost = math.inf  # of the best game with a fault
        self._faults: list[TileValue | None] = [None, SPENT]
        self._fault_bits = plays.all_tiles.bit_length()
        self._misread = misread
        final = plays.all_tiles if misread is None else self._node(plays.all_tiles, misread)
        self._layers: list[Layer] = [{final: Reached()}]

    def run(self) -> bool:
        """Search all turns; return whether a game was found."""
        while self._layers[-1] and len(self._layers) <= len(self._turns):
            if self.steps > self.max_steps:
                return False
            self._layers.append(self._extend())
        return bool(self._layers[-1])

    @property
    def cost(self) -> float:
        """Cost of the most plausible game of a complete search."""
        return min(reached.cost for reached in self._layers[-1].values())

    def run_with_faults(self, max_steps: int) -> bool:
        """Search with each kind of fault after `run` found no game; return whether a game was found.

        At most `max_steps` boards are extended from now on.
        """
        exact = [layer for layer in self._layers if layer]
        end = self.steps + max_steps
        best = exact
        runs = [*itertools.product(TURN_SEARCH_SETTINGS.fault_turns, Fault)]
        for number, (turns, fault) in enumerate(runs):
            self.max_steps = self.steps + (end - self.steps) // (len(runs) - number)
            if self._run_with_fault(fault, turns, exact) and self.cost < self._max_cost:
                best, self._max_cost = self._layers, self.cost
        self._layers = best
        return best is not exact

    def _run_with_fault(self, fault: Fault, turns: int, exact: Sequence[Layer]) -> bool:
        """Search with a fault in one of the last turns that are left of the search without one."""
        self._layers = list(exact[: max(1, len(exact) - turns)])
        while self._layers[-1] and len(self._layers) <= len(self._turns) and self.steps < self.max_steps:
            layer = self._extend(fault)
            if len(self._layers) < len(exact):
                layer = exact[len(self._layers)] | layer
            self._layers.append(layer)
        return len(self._layers) > len(self._turns) and bool(self._layers[-1])

    def _extend(self, fault: Fault | None = None) -> Layer:
        """Return the boards before the last turn that is left, reached by plays with its points.

        With a fault, boards without one are reached by plays with other points, and a fault that explains them.
        """
        left = len(self._turns) - len(self._layers)
        points = self._points[self._turns[left]]
        found: dict[Node, list[Edge]] = defaultdict(list)
        settings = TURN_SEARCH_SETTINGS
        is_entry = fault is Fault.ENTRY
        sources = settings.entry_sources if is_entry else settings.tile_sources
        steps = settings.entry_steps if is_entry else settings.tile_steps
        generated = self._plays.generated
        for node, reached in self._layers[-1].items():
            tiles, before = self._tiles(node), self._fault(node)
            edges: Iterable[tuple[ReversePlay, TileValue | None]]
            if fault is None or before is not None:
                self.steps += 1
                edges = ((play, before) for play in self._plays_with_points(tiles, before, points, left))
            elif sources:
                sources -= 1
                self.steps += steps
                edges = self._faulty_plays(tiles, reached, points, fault)
            else:
                continue
            kept = self._known_before(tiles)
            for play, after in edges:
                if play.tiles & kept:
                    continue
                target = tiles ^ play.tiles
                if after is not None:
                    target = self._node(target, after)
                found[target].append(Edge(reached.cost + play.cost, node, play))
        self.steps += (self._plays.generated - generated) // settings.plays_per_step
        return self._keep_best(found, left)

    def _node(self, tiles: int, fault: TileValue) -> Node:
        """Return the node of a board with a fault; a misread tile that is no longer on the board matters no more."""
        if fault is not SPENT and not tiles >> fault[0] & 1:
            fault = SPENT
        if fault not in self._faults:
            self._faults.append(fault)
        return tiles | self._faults.index(fault) << self._fault_bits

    def _tiles(self, node: Node) -> int:
        """Return the tiles of a node."""
        return node & self._plays.all_tiles

    def _fault(self, node: Node) -> TileValue | None:
        """Return the fault on the way to a node."""
        return self._faults[node >> self._fault_bits]

    def _plays_with_points(
        self, tiles: int, fault: TileValue | None, points: int, left: int
    ) -> Iterator[ReversePlay]:
        """Yield the plays with the points of a turn."""
        changed = None if fault is SPENT else fault
        yield from self._plays.with_points(tiles, points, changed)
        bonus = self._plays.edition.bonus
        if left == len(self._turns) - 1 and bonus is not None and bonus.tiles is None:
            # the last play empties a rack that need not be full
            for play in self._plays.with_points(tiles, points - bonus.points, changed):
                if play.size < self._plays.edition.rack_size:
                    yield play

    def _faulty_plays(
        self, tiles: int, reached: Reached, points: int, kind: Fault
    ) -> Iterator[tuple[ReversePlay, TileValue]]:
        """Yield the plays with other points, each with a fault that explains them."""
        max_cost = TURN_SEARCH_SETTINGS.max_fault_cost
        for made, play in self._plays.with_other_points(tiles, points):
            # a word that the lexicon lacks costs less if its misread tile is the fault
            if play.cost > max_cost and not (kind is Fault.TILE and self._plays.has_lexicon):
                continue
            if kind is Fault.ENTRY:
                yield play._replace(cost=play.cost + entry_error_cost(points - made)), SPENT
                continue
            for fault, cost in self._plays.values_explaining(tiles, play, points - made):
                # a tile that counted in a later turn with its present value is not the misread one
                if cost <= max_cost and not reached.words >> fault[0] & 1:
                    yield play._replace(cost=cost + TURN_SEARCH_SETTINGS.tile_cost), fault

    def _known_before(self, tiles: int) -> int:
        """Return the last known board before a board; its tiles stay."""
        return next((known for known in reversed(self._known) if known != tiles and not known & ~tiles), 0)

    def _keep_best(self, found: Mapping[Node, Sequence[Edge]], left: int) -> Layer:
        """Keep the most plausible boards."""
        sizes = self._sizes[left]
        best = {node: min(edges) for node, edges in found.items()}
        cost = {node: edge[0] + sizes[self._tiles(node).bit_count()] for node, edge in best.items()}
        kept: Layer = {}
        for node in sorted(found, key=cost.__getitem__):
            if cost[node] >= self._max_cost or len(kept) == self._width:
                break
            tiles, edge = self._tiles(node), best[node]
            if self._plays.is_position(tiles) if left else not tiles:
                words = self._layers[-1][edge.later].words | edge.play.words
                kept[node] = Reached(edges=found[node], best=edge, cost=edge.cost, words=words)
        return kept

    def solution(self) -> SheetSolution:
        """Return the most plausible game, and where others differ."""
        empty = min(self._layers[-1], key=lambda node: self._layers[-1][node].cost)
        best: list[int] = []
        node, tile = empty, None
        for layer in reversed(self._layers[1:]):
            edge = layer[node].best
            assert edge is not None  # each node but the first is reached by an edge
            best.append(edge.play.tiles)
            node = edge.later
            fault = self._fault(node)
            if fault is not None and fault is not SPENT:
                tile = self._plays.square_of(fault[0])
        plays: list[Play | None] = [None] * len(self._points)
        confidence = [1.0] * len(self._points)
        alternatives: list[tuple[Play, ...]] = [()] * len(self._points)
        for turn, tiles, share in zip(self._turns, best, self._shares(empty), strict=True):
            plays[turn] = self._plays.play_of(tiles)
            confidence[turn] = min(1.0, share[tiles])
            alternatives[turn] = tuple(
                self._plays.play_of(other)
                for other in sorted(share, key=lambda other: (-share[other], other))
                if other != tiles and share[other] >= TURN_SEARCH_SETTINGS.min_share
            )
        edition = self._plays.edition
        known = [self._plays.board_of(tiles) for tiles in self._known if tiles]
        faults = find_faults(plays, self._points, edition)
        is_entry = len(faults) == 1 and self._misread is None
        wrong = {fault.turn: self._points[fault.turn] for fault in faults} if is_entry else {}
        # the search may have dropped one of two orders
        orders = find_orders(plays, edition, known, wrong)
        for turn, order in enumerate(orders.plays):
            for play, of_orders in order.items():
                if play == plays[turn]:
                    confidence[turn] = min(confidence[turn], of_orders)
                elif play not in alternatives[turn]:
                    alternatives[turn] = (*alternatives[turn], play)
        return SheetSolution(
            plays=tuple(plays),
            confidence=tuple(confidence),
            alternatives=tuple(alternatives),
            faults=faults,
            other_fault_turns=tuple(
                turn
                for turn, share in sorted(orders.faults.items(), key=lambda each: -each[1])
                if turn not in wrong and share >= TURN_SEARCH_SETTINGS.min_share
            ),
            tile=None if is_entry else tile,
        )

    def _shares(self, empty: Node) -> list[dict[int, float]]:
        """Return for each turn with a play the probability of each play."""
        nodes: Collection[Node] = [empty]
        moves: list[list[Move[Node, int]]] = []
        for layer in reversed(self._layers[1:]):
            moves.append(
                [
                    Move(node, edge.play.tiles, edge.later, math.exp(-edge.play.cost))
                    for node in nodes
                    for edge in layer[node].edges
                ]
            )
            nodes = dict.fromkeys(move.after for move in moves[-1])
        return share_steps(moves, empty, nodes)
