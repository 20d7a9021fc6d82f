"""Beam search for the plays of a game: the most likely timelines of all squares that the rules allow together.

The search goes through the photos in order. Where they show one play, or nothing, only that is tried.
Otherwise doubtful tiles are left out or added, and plays are retracted. Where no plays explain what is seen, all of
it is placed at once at a high cost.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from operator import itemgetter
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from scoring import Board, Edition, Play, is_legal
from tilesight.digitise.reconstruction.square_timelines import SquareTimelines, TileSpan
from tilesight.digitise.score_sheets import cost_of_size
from vision.core import Floats, Mask

__all__ = ["Hypothesis", "search_plays"]


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchSettings:
    """Costs (natural log-odds) and limits, chosen by 60 rendered games whose seeds no reported result uses."""

    retraction_cost: float = 4.0
    """Cost of a play that was taken back, besides the cost of removing its tiles."""
    not_one_play_cost: float = 1.0
    """Cost of each play after the first one of a photo, and of a photo without a play: people take a photo a play."""
    unexplained_cost: float = 12.0
    """Cost of a set of tiles that no play explains."""
    unexplained_tile_cost: float = 1.5
    """Cost of each of these tiles."""
    earlier_game_cost: float = 20.0
    """Cost of a first board that is taken as it is, since the game had begun before: as much as eight plays."""
    min_best_log_odds: float = -2.0
    """Every play has at least one tile with these log-odds or more. Tiles with less are seen to be missing."""
    sure_log_odds: float = 3.0
    """Tiles and empty squares as sure as this are not doubted where the rules allow what is seen."""
    max_added: int = 2
    """Tiles of a play that are seen to be missing; those that something covers do not count."""
    max_plays: int = 40
    """Plays that are searched for at one photo as long as one more makes it more likely."""
    beam_width: int = 24
    """Hypotheses that are kept."""
    max_cost_gap: float = 30.0
    """Hypotheses that cost this much more than the best one are dropped."""
    cost_per_tile: float = 0.8
    """Cost of a later play per tile, as it is estimated while some of a photo's plays are left: 2.7 for 3.4 tiles."""


SETTINGS = SearchSettings()


class SearchedPlay(NamedTuple):
    """A play: its squares, the photo from which it is there, and the one from which it is retracted."""

    squares: tuple[int, ...]
    placed: int
    removed: int


@dataclass(frozen=True, slots=True, eq=False)
class Hypothesis:
    """What was placed and removed, photo by photo."""

    photo_count: int
    placed_at: NDArray[np.intp]
    """(squares,) int. The photo at which the tile on each square was placed; -1 for an empty one."""
    cost: float
    """Negative log-likelihood relative to the best timeline of each square alone."""
    plays: tuple[SearchedPlay, ...] = ()
    """All plays, in order. Those that stay have `photo_count` as the photo from which they are removed."""

    @property
    def last_play(self) -> tuple[int, ...]:
        """The squares of the last play; empty after a retraction."""
        return self.plays[-1].squares if self.plays and self.plays[-1].removed == self.photo_count else ()

    @property
    def key(self) -> tuple[bytes, tuple[int, ...]]:
        """Everything on which the cost of later photos depends, but for the ages of tiles."""
        return (self.placed_at >= 0).tobytes(), self.last_play

    @property
    def tiles(self) -> list[TileSpan]:
        """All tiles, also those that were removed again."""
        return [TileSpan(square, play.placed, play.removed) for play in self.plays for square in play.squares]

    def tiles_at(self, photo: int) -> list[TileSpan]:
        """List the tiles on the board at a photo."""
        return [tile for tile in self.tiles if tile.placed <= photo < tile.removed]

    def estimate(self, left: Floats) -> float:
        """Estimate the cost once the tiles that are left are placed, if each lowers it by `left`, (squares,)."""
        return self.cost - float(left[self.placed_at < 0].sum())


class PlaySearch:
    """The search through the photos of a game, with the rules of where tiles may be placed, whatever their letters."""

    def __init__(self, timelines: SquareTimelines, edition: Edition) -> None:
        self._timelines = timelines
        # The letters are decided later, so that the number of each in the bag must not restrict where tiles are.
        self._edition = replace(edition, counts=dict.fromkeys(edition.counts))
        squares = np.arange(edition.layout.rows * edition.layout.columns).reshape(edition.layout.rows, -1)
        self._lines: list[list[int]] = [*squares.tolist(), *squares.T.tolist()]
        self._boards: dict[bytes, Board] = {}
        # by photo, of a tile that is placed on each square then, (squares,)
        self._log_odds: list[Floats] = [
            timelines.cost_of_staying_empty(photo) - timelines.cost_of_placing(photo)
            for photo in range(timelines.photo_count)
        ]

    def extend_beam(self, hypotheses: Sequence[Hypothesis], photo: int) -> list[Hypothesis]:
        """Extend the best hypotheses before a photo by this photo; return the best ones, the best first."""
        retracted = [start for each in hypotheses for start in self._retract_last_play(each, photo)]
        done = list[Hypothesis]()
        doubtful = self._begin_photo(hypotheses, photo, done)
        doubtful_too = self._begin_photo(retracted, photo, done)
        seen = np.maximum(self._log_odds[photo] - SETTINGS.cost_per_tile, 0.0)
        by_cost = np.zeros_like(seen)
        # By the estimate alone, the many ways to split a long play push out a play of one tile: it costs more per tile.
        for starts, left in ((doubtful, seen), ([*doubtful, *doubtful_too], by_cost)):
            front = keep_best(starts, left)
            done += map(without_play, front)
            lowest = math.inf
            for number in range(SETTINGS.max_plays if front else 0):
                lowest = min(lowest, *(each.cost for each in front))
                further = SETTINGS.not_one_play_cost if number else 0.0
                limit = min(each.cost for each in done) + SETTINGS.max_cost_gap - further
                front = self._add_one_play(front, further, left, limit, photo)
                done += front
                if min((each.cost for each in front), default=math.inf) >= lowest:
                    break
        return keep_best(done, by_cost)

    def _begin_photo(
        self, starts: Sequence[Hypothesis], photo: int, done: list[Hypothesis]
    ) -> list[Hypothesis]:
        """Return those hypotheses for which it is doubtful what was played, with all their tiles kept at this photo.

        `done` receives what is hypothesised without a search.
        """
        doubtful, log_odds = [], self._log_odds[photo]
        for start in starts:
            empty = start.placed_at < 0
            cost = self._timelines.cost_of_staying_empty(photo)[empty].sum()
            cost += self._timelines.cost_of_keeping(start.placed_at, photo).sum()
            kept = replace(start, cost=start.cost + float(cost))
            seen = np.flatnonzero(empty & (log_odds > 0)).tolist()
            is_sure = bool((np.abs(log_odds[empty]) >= SETTINGS.sure_log_odds).all())
            if is_sure and not seen:
                done.append(without_play(kept))
            elif is_sure and self._allows(~empty, seen):
                done.append(self._with_play(kept, seen, photo, cost_of_size(len(seen))))
            else:
                doubtful.append(kept)
                if seen and (board := self._board(~empty).with_tiles(self._tiles(seen))).is_connected():
                    cost = SETTINGS.unexplained_cost + SETTINGS.unexplained_tile_cost * len(seen)
                    if not kept.plays:
                        # no game comes to a board with problems: a play is being laid, or tiles are misread
                        earlier = SETTINGS.earlier_game_cost
                        cost = cost + earlier if board.problems(self._edition) else min(cost, earlier)
                    done.append(self._with_play(kept, seen, photo, cost))
        return doubtful

    def _add_one_play(
        self, front: Sequence[Hypothesis], further: float, left: Floats, limit: float, photo: int
    ) -> list[Hypothesis]:
        """Extend each hypothesis by one play at this photo, which costs `further`; return the best ones."""
        candidates: list[tuple[float, Hypothesis, tuple[int, ...]]] = []
        for hypothesis in front:
            estimate = hypothesis.estimate(left)
            for rise, play in self._propose_plays(hypothesis, left, photo):
                if estimate + rise < limit:
                    candidates.append((estimate + rise, hypothesis, play))
        candidates.sort(key=itemgetter(0))
        extended: dict[object, Hypothesis] = {}
        lowest = math.inf
        for estimate, hypothesis, play in candidates:
            if len(extended) == SETTINGS.beam_width or estimate >= lowest + SETTINGS.max_cost_gap:
                break
            if self._allows(hypothesis.placed_at >= 0, play):
                lowest = min(lowest, estimate)
                longer = self._with_play(hypothesis, play, photo, further + cost_of_size(len(play)))
                extended.setdefault(longer.key, longer)
        return list(extended.values())

    def _propose_plays(
        self, hypothesis: Hypothesis, left: Floats, photo: int
    ) -> Iterator[tuple[float, tuple[int, ...]]]:
        """Yield plays that the photos suggest, legal or not: by how much each raises the estimate, and its squares.

        A play fills all empty squares of a line between its first and its last tile, and adds few tiles that are
        seen to be missing.
        """
        is_empty, log_odds = (hypothesis.placed_at < 0).tolist(), self._log_odds[photo]
        tiles, rises = log_odds.tolist(), (left - log_odds).tolist()
        proposed = set[tuple[int, ...]]()
        for line in self._lines:
            empty = [square for square in line if is_empty[square]]
            if max((tiles[square] for square in empty), default=-math.inf) < SETTINGS.min_best_log_odds:
                continue
            for first in range(len(empty)):
                rise, best, added = 0.0, -math.inf, 0
                for size, square in enumerate(empty[first : first + self._edition.rack_size], 1):
                    rise += rises[square]
                    best = max(best, tiles[square])
                    added += tiles[square] < SETTINGS.min_best_log_odds
                    if added > SETTINGS.max_added:
                        break
                    play = tuple(empty[first : first + size])
                    if best >= SETTINGS.min_best_log_odds and play not in proposed:
                        proposed.add(play)
                        yield rise + cost_of_size(size), play

    def _retract_last_play(self, hypothesis: Hypothesis, photo: int) -> Iterator[Hypothesis]:
        """Yield the hypothesis with its last play retracted before this photo, if the photos suggest it."""
        play, placed_at = list(hypothesis.last_play), hypothesis.placed_at.copy()
        if not play:
            return
        cost = sum(self._timelines.cost_of_removing(square, int(placed_at[square]), photo) for square in play)
        if cost >= self._timelines.cost_of_keeping(placed_at, photo)[play].sum():
            return
        placed_at[play] = -1
        yield replace(
            hypothesis,
            placed_at=placed_at,
            cost=hypothesis.cost + cost + SETTINGS.retraction_cost,
            plays=(*hypothesis.plays[:-1], hypothesis.plays[-1]._replace(removed=photo)),
        )

    def _with_play(self, hypothesis: Hypothesis, play: Sequence[int], photo: int, cost: float) -> Hypothesis:
        """Return the hypothesis with one more play at this photo and the play's own cost."""
        placed_at = hypothesis.placed_at.copy()
        placed_at[list(play)] = photo
        return replace(
            hypothesis,
            placed_at=placed_at,
            cost=hypothesis.cost - float(self._log_odds[photo][list(play)].sum()) + cost,
            plays=(*hypothesis.plays, SearchedPlay(tuple(play), photo, hypothesis.photo_count)),
        )

    def _allows(self, occupied: Mask, play: Sequence[int]) -> bool:
        """Return whether a play may fill these squares of a board."""
        return is_legal(self._board(occupied), Play.of(self._tiles(play)), self._edition)

    def _board(self, occupied: Mask) -> Board:
        key = occupied.tobytes()
        if key not in self._boards:
            empty = Board.empty(self._edition.layout)
            self._boards[key] = empty.with_tiles(self._tiles(np.flatnonzero(occupied).tolist()))
        return self._boards[key]

    def _tiles(self, squares: Sequence[int]) -> list[tuple[int, int, str]]:
        columns = self._edition.layout.columns
        return [(*divmod(index, columns), self._edition.tokens[0]) for index in squares]


def search_plays(timelines: SquareTimelines, edition: Edition) -> Hypothesis:
    """Find the most likely plays of a game that begins with an empty board."""
    search, empty = PlaySearch(timelines, edition), np.full(timelines.square_count, -1)
    hypotheses = [Hypothesis(photo_count=timelines.photo_count, placed_at=empty, cost=0.0)]
    for photo in range(timelines.photo_count):
        hypotheses = search.extend_beam(hypotheses, photo)
    return hypotheses[0]


def keep_best(hypotheses: Sequence[Hypothesis], left: Floats) -> list[Hypothesis]:
    """List the best hypotheses, the best first; of those with the same key only the best one.

    While some of a photo's plays are left, `left` has by how much each tile that is seen lowers the cost once it is
    placed, (squares,). Hypotheses are then compared as if all these tiles were placed: one that contradicts the photos,
    to place more of them at once, is not ahead. Where `left` is 0, they are compared by their cost.
    """
    best: dict[object, tuple[float, Hypothesis]] = {}
    for ranked in sorted(((each.estimate(left), each) for each in hypotheses), key=itemgetter(0)):
        best.setdefault(ranked[1].key, ranked)
    limit = min((estimate for estimate, _ in best.values()), default=0.0) + SETTINGS.max_cost_gap
    return [each for estimate, each in [*best.values()][: SETTINGS.beam_width] if estimate < limit]


def without_play(hypothesis: Hypothesis) -> Hypothesis:
    """Return the hypothesis with the cost of a photo without a play."""
    return replace(hypothesis, cost=hypothesis.cost + SETTINGS.not_one_play_cost)
