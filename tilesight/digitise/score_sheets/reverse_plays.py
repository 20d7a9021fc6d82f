"""Find the plays that may have been the last one on a board, by their points.

A board is a set of bits, one for each tile of the final board. Its words are words of the final board, or parts of
these. A part that a play leaves behind was a word before it. Most words are laid at once, so each part left behind
makes a play less plausible.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

import numpy as np

from scoring import BLANK, Board, Edition, Lexicon, Play, Premium, as_blank, is_tile, word_score

__all__ = ["ReversePlay", "ReversePlays", "TileValue", "cost_of_size", "costs_of_sizes"]

TileValue = tuple[int, int]
"""A tile that may be misread: its bit number, and the points that it has instead."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReversePlaySettings:
    """Costs in nats (negative log-probabilities), estimated from the games of `tests.benchmarks.bench_score_sheets`."""

    size_costs: tuple[float, ...] = (2.3, 1.6, 1.4, 1.5, 2.1, 3.0, 2.8)
    """Of a play of one tile, two ... seven tiles; longer plays cost as much as the last."""
    extension_cost: float = 2.0
    """Of a part left behind that lacks one or two tiles of its word."""
    part_cost: float = 3.5
    """Of any other part left behind."""
    unknown_word_cost: float = 9.0
    """Of a part left behind that the lexicon lacks."""
    max_cost: float = 12.0
    """Of a play; what costs more is not considered. Of 1,014 plays of 32 games one costs more than 9.5."""


SETTINGS = ReversePlaySettings()


class ReversePlay(NamedTuple):
    """A play that may have been the last one: its tiles as bits, and its cost."""

    tiles: int
    cost: float


class WordRun(NamedTuple):
    """A word of the final board: its squares, the step between them, and all squares on which its plays depend."""

    squares: tuple[int, ...]
    step: int
    zone: int


PlaysByPoints: TypeAlias = Mapping[int, Sequence[ReversePlay]]


class ReversePlays:
    """The plays that may have been the last one on the boards of a game; without a lexicon all words are allowed."""

    def __init__(self, board: Board, edition: Edition, lexicon: Lexicon | None = None) -> None:
        self.edition, self._lexicon = edition, lexicon
        self._width = len(board.rows[0]) + 1  # a free column at the right ends each row
        self.tokens = {
            row * self._width + column: token
            for row, tokens in enumerate(board.rows)
            for column, token in enumerate(tokens)
            if is_tile(token)
        }
        self.values = {bit: edition.value_of(token) for bit, token in self.tokens.items()}
        self._premiums: dict[int, Premium] = {bit: edition.layout[self.square_of(bit)] for bit in self.tokens}
        self.start = sum(1 << (row * self._width + column) for row, column in edition.layout.start)
        self.all_tiles = sum(1 << bit for bit in self.tokens)
        # the plays along each word of the final board, by the tiles on which they depend
        self._found: list[tuple[WordRun, dict[int, PlaysByPoints]]] = [(run, {}) for run in self._find_runs()]

    def bits_of(self, board: Board) -> int:
        """Return the tiles of a board with tiles of the final board."""
        return sum(1 << bit for bit in self.tokens if is_tile(board[self.square_of(bit)]))

    def play_of(self, tiles: int) -> Play:
        """Return tiles as a play."""
        return Play.of(
            (*self.square_of(bit), token) for bit, token in self.tokens.items() if tiles >> bit & 1
        )

    def square_of(self, bit: int) -> tuple[int, int]:
        """Return the row and column of a bit."""
        return divmod(bit, self._width)

    def find_misread_tiles(self) -> dict[TileValue, tuple[str, ...]]:
        """Find the tiles that are misread if one is, by the words of the final board that the lexicon lacks.

        By tile and the points that it has instead: the tokens with which the lexicon has all words, letters or blanks
        for them. Empty without a lexicon, and where no single tile explains all words.
        """
        words = [run.squares for run, _ in self._found]
        unknown = [set(word) for word in words if self._is_unknown(word)]
        found: dict[TileValue, list[str]] = {}
        for bit in sorted(set.intersection(*unknown)) if unknown else ():
            through = [word for word in words if bit in word]
            for letter in self.edition.tokens:
                if not any(self._is_unknown(word, (bit, letter)) for word in through):
                    for token in (letter, as_blank(letter)):
                        points = self.edition.value_of(token)
                        if points != self.values[bit]:
                            found.setdefault((bit, points), []).append(token)
        return {tile: tuple(tokens) for tile, tokens in found.items()}

    def is_position(self, tiles: int) -> bool:
        """Return whether tiles are connected, with one on a start square."""
        width, seen = self._width, tiles & self.start
        seen &= -seen
        if tiles & ~(tiles << 1 | tiles >> 1 | tiles << width | tiles >> width):
            return False  # a tile without neighbours; most boards that are no position have one
        while seen:
            grown = (seen | seen << 1 | seen >> 1 | seen << width | seen >> width) & tiles
            grown = (grown | grown << 1 | grown >> 1 | grown << width | grown >> width) & tiles
            if grown == seen:
                return seen == tiles
            seen = grown
        return False

    def by_points(self, tiles: int) -> Iterator[PlaysByPoints]:
        """Yield the plays that led to a board by their points, for each word of the final board."""
        for run, known in self._found:
            local = tiles & run.zone
            plays = known.get(local)
            if plays is None:
                plays = known[local] = self._plays_along(run, local)
            if plays:
                yield plays

    def _word(self, tiles: int, bit: int, step: int) -> tuple[int, ...]:
        """Return the squares of the word through a tile."""
        first = last = bit
        while first >= step and tiles >> (first - step) & 1:
            first -= step
        while tiles >> (last + step) & 1:
            last += step
        return tuple(range(first, last + 1, step))

    def _find_runs(self) -> list[WordRun]:
        """Find the words of the final board."""
        runs = []
        for step, across in ((1, self._width), (self._width, 1)):
            for word in {self._word(self.all_tiles, bit, step) for bit in self.tokens}:
                if len(word) > 1:
                    crossing = {bit for each in word for bit in self._word(self.all_tiles, each, across)}
                    runs.append(WordRun(squares=word, step=step, zone=sum(1 << bit for bit in crossing)))
        return sorted(runs)

    def _plays_along(self, run: WordRun, tiles: int) -> PlaysByPoints:
        """Find the plays along a word of the final board, by their points."""
        edition, across = self.edition, self._width + 1 - run.step
        found: dict[int, list[ReversePlay]] = {}
        for is_filled, part in itertools.groupby(run.squares, lambda bit: tiles >> bit & 1):
            word = tuple(part)
            if not is_filled or len(word) < 2:
                continue
            crossing = [self._word(tiles, bit, across) for bit in word]
            points_across = [self._points_across(*each) for each in zip(word, crossing, strict=True)]
            costs_across = [self._cost_across(*each) for each in zip(word, crossing, strict=True)]
            new = [(self.values[bit], self._premiums[bit]) for bit in word]
            total = sum([value for value, _ in new])
            for chosen, cost in self._choose_tiles(word, costs_across):
                if len(chosen) == 1 and run.step != 1 and len(crossing[chosen[0]]) > 1:
                    continue  # found along the row
                old = total - sum([new[at][0] for at in chosen])
                points = word_score(old, [new[at] for at in chosen], edition.scheme)
                points += sum([points_across[at] for at in chosen])
                if edition.bonus is not None:
                    points += edition.bonus.earned(len(chosen), edition.rack_size)
                placed = sum([1 << word[at] for at in chosen])
                found.setdefault(points, []).append(ReversePlay(placed, cost))
        return found

    def _points_across(self, bit: int, word: Sequence[int]) -> int:
        """Return the points of a tile's word across the line of the play that laid it."""
        if len(word) < 2:
            return 0
        old = sum(self.values[each] for each in word) - self.values[bit]
        return word_score(old, [(self.values[bit], self._premiums[bit])], self.edition.scheme)

    def _cost_across(self, bit: int, word: Sequence[int]) -> float:
        """Return the cost of what the tile leaves behind of that word."""
        at = word.index(bit)
        return sum(self._part_cost(part, len(word)) for part in (word[:at], word[at + 1 :]))

    def _part_cost(self, part: Sequence[int], length: int) -> float:
        """Return the cost of a part that is left behind of a word of some length."""
        if len(part) < 2:
            return 0.0
        if self._is_unknown(part):
            return SETTINGS.unknown_word_cost
        return SETTINGS.extension_cost if length - len(part) <= 2 else SETTINGS.part_cost

    def _is_unknown(self, word: Sequence[int], changed: tuple[int, str] | None = None) -> bool:
        """Return whether the lexicon lacks a word, with another letter on a tile if one is given.

        A word with a blank whose letter is not known may be in it.
        """
        if self._lexicon is None:
            return False
        known = self.tokens if changed is None else {**self.tokens, changed[0]: changed[1]}
        tokens = [known[bit] for bit in word]
        return BLANK not in tokens and not self._lexicon.contains(tokens)

    def _choose_tiles(
        self, word: tuple[int, ...], costs_across: Sequence[float]
    ) -> Iterator[tuple[tuple[int, ...], float]]:
        """Yield the choices of tiles of a word that a play may have laid, by their places, with their costs."""
        # places laid so far, the place after the last of these, and the cost
        choices: list[tuple[tuple[int, ...], int, float]] = [((), 0, 0.0)]
        while choices:
            chosen, after, cost = choices.pop()
            if chosen:
                complete = cost + cost_of_size(len(chosen)) + self._part_cost(word[after:], len(word))
                if complete <= SETTINGS.max_cost:
                    yield chosen, complete
            if len(chosen) == self.edition.rack_size:
                continue
            for at in range(after, len(word)):
                longer = cost + costs_across[at] + self._part_cost(word[after:at], len(word))
                if longer <= SETTINGS.max_cost:
                    choices.append(((*chosen, at), at + 1, longer))


def cost_of_size(tiles: int) -> float:
    """Return the cost of a play that places this number of tiles, in nats."""
    return SETTINGS.size_costs[:tiles][-1]


def costs_of_sizes(tiles: int, plays: int, rack_size: int) -> list[list[float]]:
    """Return the costs of n tiles in k plays, by k and n: -log of the probability of their sizes together."""
    chances = np.exp([-math.inf, *(-cost_of_size(size) for size in range(1, rack_size + 1))])
    sums = [np.eye(1, tiles + 1)[0]]
    for _ in range(plays):
        sums.append(np.convolve(sums[-1], chances)[: tiles + 1])
    with np.errstate(divide="ignore"):
        return [(-np.log(each)).tolist() for each in sums]
