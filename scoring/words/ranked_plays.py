"""Plays with their scores, the best first, in a form that is made quickly and looked at rarely."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias, overload

from scoring.coordinates import Direction
from scoring.score import ScoredPlay

__all__ = ["FoundPlay", "RankedPlays", "Slot"]


@dataclass(frozen=True, slots=True)
class Slot:
    """A run of squares that a word can fill.

    Parameters
    ----------
    direction, line, start
        Its direction, its row or column, and its first square in the line.
    new : tuple of int
        The places of its free squares in the word.
    factors : tuple of int
        What multiplies the value of the tile on each free square, in all words that it is part of.
    base : int
        The points that do not depend on the new tiles, and the bonus.
    """

    direction: Direction
    line: int
    start: int
    new: tuple[int, ...]
    factors: tuple[int, ...]
    base: int


FoundPlay: TypeAlias = tuple[int, Slot, str, tuple[int, ...]]
"""Score, slot, word and the places of the blanks of a play."""


class RankedPlays(Sequence[ScoredPlay]):
    """Plays with their scores, the best first. The words of a play are made when it is looked at.

    Parameters
    ----------
    score : callable
        Makes the scored play of a slot, a word and the places of its blanks.
    found : list of tuple
        Score, slot, word and places of the blanks of each play.
    """

    __slots__ = ("_found", "_score")

    def __init__(
        self, score: Callable[[Slot, str, tuple[int, ...]], ScoredPlay], found: Sequence[FoundPlay]
    ) -> None:
        self._score = score
        self._found = found

    def __len__(self) -> int:
        return len(self._found)

    @overload
    def __getitem__(self, index: int) -> ScoredPlay: ...
    @overload
    def __getitem__(self, index: slice) -> RankedPlays: ...
    def __getitem__(self, index: int | slice) -> ScoredPlay | RankedPlays:
        if isinstance(index, slice):
            return RankedPlays(self._score, self._found[index])
        _, slot, word, blanks = self._found[index]
        return self._score(slot, word, blanks)

    def __iter__(self) -> Iterator[ScoredPlay]:
        return (self[index] for index in range(len(self._found)))

    def __repr__(self) -> str:
        return f"<RankedPlays: {len(self)} plays>"
