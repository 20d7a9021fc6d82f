"""Solve a score sheet: find the plays that lead to the final board and make the points of each turn.

The search goes backwards from the final board, a turn at a time, and keeps the most plausible boards before each turn
(beam search). With a lexicon, the boards on which one tile is corrected are searched together with the board as it was
read. If no order of play makes all points, games with one wrong entry are searched in the same way.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import NamedTuple, TypeAlias

from scoring import Board, Edition, Lexicon, Play, Square
from tilesight.digitise.score_sheets.reverse_plays import ReversePlay, ReversePlays, TileValue, costs_of_sizes

__all__ = ["SheetSolution", "solve_turns"]


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnSearchSettings:
    """Limits of the search, in numbers of boards, so that its result does not depend on the machine."""

    width: int = 3_000
    """Boards kept of each turn; chosen."""
    fault_turns: int = 20
    fault_sources: int = 100
    """Turns that are tried as the one with the wrong entry, the one at which no game goes on and those before, and
    boards of each from which it is tried; chosen."""
    max_faults_shown: int = 4
    """Wrong entries where photos show every turn, so that the sheet only names the players; chosen."""
    max_fault_cost: float = 9.0
    """Cost in nats of the least plausible play with a wrong entry; chosen."""
    tile_cost: float = 3.0
    """Cost in nats of a misread tile: it is one of many tiles and values; chosen."""
    entry_error_power: float = 1.5
    """The probability of a wrong entry falls with this power of one plus its error in points; chosen."""
    min_share: float = 0.02
    """Share of the probability from which a play or a wrong entry is named as an alternative; chosen."""


SETTINGS = TurnSearchSettings()


@dataclass(frozen=True, slots=True, kw_only=True)
class SheetSolution:
    """The game that a score sheet is of."""

    plays: tuple[Play | None, ...]
    """For each turn its play in the most plausible game; None for turns without one."""
    confidence: tuple[float, ...]
    """For each turn the probability of its play."""
    alternatives: tuple[tuple[Play, ...], ...]
    """For each turn the plays that it has in other games that fit."""
    wrong_turns: tuple[int, ...] = ()
    """The turns with wrong entries in the most plausible game, if any are wrong; then those that may have one instead,
    if the plays were made in another order, the most likely first."""
    tile: Square | None = None
    """The square of a misread tile."""
    tile_tokens: tuple[str, ...] = ()
    """The tokens with which the lexicon has the words of that tile, and the points fit."""


class Edge(NamedTuple):
    """A play that leads from an earlier board to a later one, and the cost of the best game with it."""

    cost: float
    play: ReversePlay
    later: SearchedPosition
    is_wrong: bool
    """Whether the entry of its turn is wrong."""

    @property
    def weight(self) -> float:
        """Probability of all games with it, relative to other positions."""
        return math.exp(-self.play.cost) * self.later.weight


@dataclass(slots=True, eq=False)
class SearchedPosition:
    """A board before a turn, and how it is reached from later turns."""

    tiles: int
    misread: TileValue | None = None
    """The tile that is taken to be misread, while it is on the board."""
    cost: float = 0.0
    """Cost of the best game from here on."""
    weight: float = 1.0
    """Probability of all games from here on, relative to other positions."""
    edges: Sequence[Edge] = ()
    best: Edge | None = None


Layer: TypeAlias = list[SearchedPosition]
"""The positions before a turn, the most plausible first."""
Found: TypeAlias = defaultdict[tuple[int, TileValue | None], list[Edge]]


class TurnSearch:
    """The search, turn by turn from the last one, through known boards, the smallest first.

    `boards` has the plays on the board as it was read, by None, and on those with one corrected tile.
    """

    def __init__(
        self, boards: Mapping[TileValue | None, ReversePlays], points: Sequence[int], known: Sequence[int]
    ) -> None:
        self._boards, self._plays, self._known = boards, boards[None], known
        self._points = [made for made in points if made]
        rack_size = self._plays.edition.rack_size
        self._sizes = costs_of_sizes(len(self._plays.tokens), len(self._points), rack_size)

    def find_game(self) -> SearchedPosition | None:
        """Search games without a wrong entry, then those with one, or more where photos show every turn.

        Return the empty board of the best one; None if there is none.
        """
        costs = {tile: SETTINGS.tile_cost if tile is not None else 0.0 for tile in self._boards}
        tiles = self._plays.all_tiles
        layers = [[SearchedPosition(tiles, tile, cost, math.exp(-cost)) for tile, cost in costs.items()]]
        found = self._search(layers)
        is_shown = len(self._known) >= len(self._points)
        for _ in range(SETTINGS.max_faults_shown if is_shown else 1):
            if found is None:
                exact, layers = layers, [[]] * max(1, len(layers) - SETTINGS.fault_turns)
                found = self._search(layers, exact)
        return found

    def _search(self, layers: list[Layer], exact: Sequence[Layer] = ()) -> SearchedPosition | None:
        """Append the positions before each turn up to the empty board; return it, None if no game leads to it.

        `exact` has the positions with one wrong entry less, from which these are reached.
        """
        while len(layers) <= len(self._points):
            turn = len(layers) - 1
            if not (layers[-1] or any(exact[turn:])):
                return None
            sources = exact[turn] if turn < len(exact) else []
            layers.append(self._extend(layers[-1], sources, len(self._points) - len(layers)))
        return layers[-1][0] if layers[-1] else None

    def _extend(self, layer: Layer, sources: Layer, left: int) -> Layer:
        """Return the positions before the last turn that is left.

        They are reached from those of `layer` by plays with the turn's points, and from `sources` by other plays.
        """
        points = self._points[left]
        found: Found = defaultdict(list)
        for position in layer:
            self._add(found, position, self._plays_with_points(position, points, left), is_wrong=False)
        for position in sources[: SETTINGS.fault_sources]:
            self._add(found, position, self._plays_with_other_points(position, points), is_wrong=True)
        return self._keep_best(found, left)

    def _add(
        self, found: Found, position: SearchedPosition, plays: Iterable[ReversePlay], *, is_wrong: bool
    ) -> None:
        """Add the positions before plays; tiles of the last known board before a position stay."""
        tiles, misread = position.tiles, position.misread
        kept = next((known for known in reversed(self._known) if known != tiles and not known & ~tiles), 0)
        for play in plays:
            if not play.tiles & kept:
                before = tiles ^ play.tiles
                still = misread if misread is not None and before >> misread[0] & 1 else None
                found[before, still].append(Edge(position.cost + play.cost, play, position, is_wrong))

    def _plays_with_points(self, position: SearchedPosition, points: int, left: int) -> Iterator[ReversePlay]:
        """Yield the plays with the points of a turn."""
        edition = self._plays.edition
        # the last play empties a rack that need not be full
        is_last = left == len(self._points) - 1 and edition.bonus is not None and edition.bonus.tiles is None
        for plays in self._boards[position.misread].by_points(position.tiles):
            yield from plays.get(points, ())
            if is_last and edition.bonus is not None:
                for play in plays.get(points - edition.bonus.points, ()):
                    if play.tiles.bit_count() < edition.rack_size:
                        yield play

    def _plays_with_other_points(self, position: SearchedPosition, points: int) -> Iterator[ReversePlay]:
        """Yield the plays with other points than the entry of a turn, with the cost of a wrong entry."""
        for plays in self._boards[position.misread].by_points(position.tiles):
            for made, group in plays.items():
                error_cost = SETTINGS.entry_error_power * math.log1p(abs(points - made))
                for play in group:
                    if made != points and play.cost <= SETTINGS.max_fault_cost:
                        yield play._replace(cost=play.cost + error_cost)

    def _keep_best(self, found: Found, left: int) -> Layer:
        best = {key: min(edges, key=itemgetter(0, 1)) for key, edges in found.items()}
        kept: Layer = []
        for key in sorted(found, key=lambda key: best[key].cost + self._sizes[left][key[0].bit_count()]):
            if len(kept) == SETTINGS.width:
                break
            (tiles, misread), edge = key, best[key]
            if self._plays.is_position(tiles) if left else not tiles:
                edges, weight = found[key], sum([each.weight for each in found[key]])
                kept.append(SearchedPosition(tiles, misread, edge.cost, weight, edges, edge))
        return kept


def find_shares(start: SearchedPosition) -> tuple[list[defaultdict[int, float]], list[float]]:
    """Return for each turn of the games from here on the probabilities of its plays, and that its entry is wrong.

    By Rabiner 1989, "A tutorial on hidden Markov models", section III: the forward-backward procedure.
    """
    plays, wrong = list[defaultdict[int, float]](), list[float]()
    positions = {start: 1.0}
    while True:
        share, later = defaultdict[int, float](float), defaultdict[SearchedPosition, float](float)
        of_faults = 0.0
        for position, probability in positions.items():
            for edge in position.edges:
                part = probability * edge.weight / position.weight
                share[edge.play.tiles] += part
                later[edge.later] += part
                of_faults += part * edge.is_wrong
        if not share:
            return plays, wrong
        plays.append(share)
        wrong.append(of_faults)
        positions = later


def solve_turns(
    board: Board,
    edition: Edition,
    points: Sequence[int],
    *,
    known: Sequence[Board] = (),
    lexicon: Lexicon | None = None,
) -> SheetSolution | None:
    """Find the plays that lead to a board and make the points of each turn.

    `points` are 0 for turns without a play, `known` are boards of the game that photos show, each a part of the final
    one. Return None if no game fits, not even with a wrong entry or, with a lexicon, one misread tile.
    """
    if not any(points):
        return None
    plays = ReversePlays(board, edition, lexicon)
    shown = sorted({plays.bits_of(each) for each in known}, key=int.bit_count)
    corrections = plays.find_misread_tiles()
    boards: dict[TileValue | None, ReversePlays] = {None: plays}
    for (bit, value), (token, *_) in corrections.items():
        square = plays.square_of(bit)
        corrected = board.without([square]).with_tiles([(*square, token)])
        boards[bit, value] = ReversePlays(corrected, edition, lexicon)
    start = TurnSearch(boards, points, shown).find_game()
    if start is None:
        return None
    shares, wrong = find_shares(start)
    best, edge = list[Edge](), start.best
    while edge is not None:
        best.append(edge)
        edge = edge.later.best
    turns = [turn for turn, made in enumerate(points) if made]
    found: list[Play | None] = [None] * len(points)
    confidence = [1.0] * len(points)
    alternatives: list[tuple[Play, ...]] = [()] * len(points)
    for turn, chosen, share in zip(turns, best, shares, strict=True):
        own = chosen.play.tiles
        found[turn] = plays.play_of(own)
        confidence[turn] = min(1.0, share[own])
        alternatives[turn] = tuple(
            plays.play_of(other)
            for other in sorted(share, key=lambda other: (-share[other], other))
            if other != own and share[other] >= SETTINGS.min_share
        )
    tile = next((edge.later.misread for edge in best if edge.later.misread is not None), None)
    wrong_turns = sorted(range(len(turns)), key=lambda each: (not best[each].is_wrong, -wrong[each]))
    return SheetSolution(
        plays=tuple(found),
        confidence=tuple(confidence),
        alternatives=tuple(alternatives),
        wrong_turns=tuple(turns[each] for each in wrong_turns if wrong[each] >= SETTINGS.min_share),
        tile=None if tile is None else plays.square_of(tile[0]),
        tile_tokens=corrections.get(tile, ()) if tile is not None else (),
    )
