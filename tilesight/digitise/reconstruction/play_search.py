"""What was laid at each look of a game: the likeliest histories of the squares that the rules allow together.

A beam search, look by look. Where what the photos say is one play, or nothing, that is all that is tried; else tiles
that are in doubt are left out or added, plays that were taken back are taken up, and where no play leads on, all that
is seen is laid at once, for another search to say how.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from scoring import Board, Edition, IllegalPlayError, Placement, Play, check_play
from tilesight.digitise.reconstruction.play_prior import log_prior_of
from tilesight.digitise.reconstruction.square_timelines import CORRECTED, Square, SquareTimelines, Tile

__all__ = ["Hypothesis", "search_plays"]

# Natural logarithms of odds, chosen by 60 rendered games whose seeds no result is reported of.
TAKEN_BACK = 4.0
"""For a play that was taken back, beside what each of its tiles costs."""
PLAY_MORE = 1.0
"""For each further play at one look: people take a photo a play, but a letter that is seen surely is seldom none."""
NO_PLAY = 1.0
"""For a look without one that differs from the one before: what a hand covers may be new, or may have lain there."""
UNEXPLAINED, UNEXPLAINED_TILE = 12.0, 1.5
"""For tiles that no play explains, and for each of them."""
UNSEEN = 15.0
"""For a tile that no photo shows, however many there are: what hides it in one does so in all."""
FAINT = 2.0
"""Every play has a tile that is no less likely than this."""
SURE = 3.0
"""Tiles as sure as this, and missing ones, are not doubted where the rules allow what is seen."""
MAX_CHANGED = 2
"""Tiles of a line that are doubted at once."""
FEW_PLAYS, MAX_PLAYS = 3, 6
"""Plays that are looked for at one look; more than a few as long as one more makes it likelier."""
WIDTH = 24
GOOD_ENOUGH = 30.0
"""Courses that are so much less likely than the best one are given up."""


@dataclass(frozen=True, slots=True, eq=False)
class Hypothesis:
    """What was laid and taken up, look by look.

    Parameters
    ----------
    looks : int
        How many looks there are.
    laid : (squares,) int
        The look at which the tile on each square was laid; -1 for an empty one.
    last : tuple of int
        The squares of the last play.
    lost : float
        By how much it is less likely than each square's likeliest history alone.
    gone : tuple of Tile
        The tiles that were taken up.
    plays : tuple of tuple of int
        The squares of each play, in order, without those that were taken back.
    """

    looks: int
    laid: NDArray[np.intp]
    last: tuple[int, ...]
    lost: float
    gone: tuple[Tile, ...] = ()
    plays: tuple[tuple[int, ...], ...] = ()

    @property
    def key(self) -> tuple[bytes, tuple[int, ...]]:
        """What the future depends on."""
        return (self.laid >= 0).tobytes(), self.last

    def lying_at(self, look: int) -> list[Tile]:
        """The tiles that lie there at a look."""
        still = np.flatnonzero((self.laid >= 0) & (self.laid <= look)).tolist()
        taken = [tile for tile in self.gone if tile[1] <= look < tile[2]]
        return [*taken, *((at, int(self.laid[at]), self.looks) for at in still)]


def search_plays(
    histories: SquareTimelines,
    squares: Sequence[Square],
    edition: Edition,
    progress: Callable[[float], None] = lambda share: None,
) -> Hypothesis:
    """The likeliest course of a game that begins with an empty board.

    Parameters
    ----------
    histories : Histories
        What the photos say.
    squares : sequence of (row, column)
        The squares, in the order of the histories.
    edition : Edition
        Whose rules.
    progress : callable
        Is told what share of the looks is done.
    """
    geometry = Geometry(squares, edition)
    courses = [Hypothesis(looks=histories.looks, laid=np.full(len(squares), -1), last=(), lost=0.0)]
    for look in range(histories.looks):
        courses = extend_beam(courses, look, histories, geometry)
        progress((look + 1) / histories.looks)
    return courses[0]


class Geometry:
    """What plays the rules allow, whatever their letters.

    Parameters
    ----------
    squares : sequence of (row, column)
        The squares that may hold a tile.
    edition : Edition
        Whose rules.
    """

    def __init__(self, squares: Sequence[Square], edition: Edition) -> None:
        self.squares = squares
        # How many of a letter there are is no matter of where tiles lie: the letters are decided later.
        self.edition = replace(edition, counts=dict.fromkeys(edition.counts))
        self.lines = [
            [at for at, square in enumerate(squares) if square[axis] == number]
            for axis in (0, 1)
            for number in range((edition.layout.rows, edition.layout.columns)[axis])
        ]
        self.runs = [(line, run) for line in self.lines for run in side_by_side(line, squares)]
        self._boards: dict[bytes, Board] = {}

    def allows(self, filled: NDArray[np.bool_], play: Sequence[int]) -> bool:
        """Whether tiles may be laid on these squares where others lie already."""
        try:
            check_play(self._board(filled), Play(placements=self._tiles(play)), self.edition)
        except IllegalPlayError:
            return False
        return True

    def hangs_together(self, filled: NDArray[np.bool_], play: Sequence[int]) -> bool:
        """Whether the tiles with those that lie there already are one group, as they are after every play."""
        return self._board(filled).with_tiles(self._tiles(play)).is_connected()

    def _board(self, filled: NDArray[np.bool_]) -> Board:
        key = filled.tobytes()
        if key not in self._boards:
            empty = Board.empty(self.edition.layout)
            self._boards[key] = empty.with_tiles(self._tiles(np.flatnonzero(filled).tolist()))
        return self._boards[key]

    def _tiles(self, squares: Sequence[int]) -> tuple[Placement, ...]:
        token = self.edition.tokens[0]
        return tuple(
            Placement(row=self.squares[at][0], column=self.squares[at][1], token=token) for at in squares
        )


def extend_beam(
    courses: Sequence[Hypothesis], look: int, histories: SquareTimelines, geometry: Geometry
) -> list[Hypothesis]:
    """The likeliest courses up to and with this look, the likeliest first."""
    gains = histories.stays_empty(look) - histories.is_laid(look)
    gains = np.where(gains > CORRECTED / 2, np.maximum(gains, -UNSEEN), gains)
    done = Beam()
    front = Beam()
    for course in courses:
        for each in (course, *taken_up(course, look, histories)):
            start = waiting(each, look, histories)
            empty = start.laid < 0
            wanted = np.flatnonzero(empty & (gains > 0)).tolist()
            if (np.abs(gains[empty]) < SURE).any() or (wanted and not geometry.allows(~empty, wanted)):
                front.add(start)
                if wanted and geometry.hangs_together(~empty, wanted):
                    cost = UNEXPLAINED + UNEXPLAINED_TILE * len(wanted)
                    done.add(with_play(start, wanted, look, gains, cost))
            elif wanted:
                cost = -log_prior_of(len(wanted))
                done.add(with_play(start, wanted, look, gains, cost))
            else:
                done.add(unplayed(start))
    lowest = math.inf
    for number in range(MAX_PLAYS):
        if number >= FEW_PLAYS and front.lowest >= lowest:
            break
        lowest = min(lowest, front.lowest)
        more = PLAY_MORE if number else 0.0
        tried: list[tuple[float, int, Hypothesis, tuple[int, ...]]] = []
        for course in front.best():
            done.add(course if number else unplayed(course))
            for cost, play in suggested(course, gains, geometry, done.lowest + GOOD_ENOUGH - course.lost):
                tried.append((course.lost + cost + more, len(tried), course, play))
        front = Beam()
        heapq.heapify(tried)
        while tried and not front.holds_all_better(tried[0][0]):
            _, _, course, play = heapq.heappop(tried)
            if geometry.allows(course.laid >= 0, play):
                front.add(with_play(course, play, look, gains, more - log_prior_of(len(play))))
    for course in front.best():
        done.add(course)
    return done.best()


class Beam:
    """The likeliest courses, of those with one future the likeliest alone."""

    def __init__(self) -> None:
        self._courses: dict[object, Hypothesis] = {}
        self.lowest = math.inf

    def add(self, course: Hypothesis) -> None:
        """One more."""
        key = course.key
        known = self._courses.get(key)
        if known is None or course.lost < known.lost:
            self._courses[key] = course
            self.lowest = min(self.lowest, course.lost)

    def holds_all_better(self, lost: float) -> bool:
        """Whether what is so unlikely, or more so, would not be among the best."""
        return len(self._courses) >= WIDTH or lost >= self.lowest + GOOD_ENOUGH

    def best(self) -> list[Hypothesis]:
        """Some of them, the likeliest first."""
        ranked = heapq.nsmallest(WIDTH, self._courses.values(), key=lambda each: each.lost)
        return [each for each in ranked if each.lost < self.lowest + GOOD_ENOUGH]


def taken_up(course: Hypothesis, look: int, histories: SquareTimelines) -> Iterator[Hypothesis]:
    """The course with its last play taken back before this look, where the photos ask for it."""
    if not course.last:
        return
    lost = sum(histories.is_taken_up(at, int(course.laid[at]), look) for at in course.last)
    kept = histories.stays(course.laid, look)
    if lost >= kept[list(course.last)].sum():
        return
    laid = course.laid.copy()
    laid[list(course.last)] = -1
    gone = tuple((at, int(course.laid[at]), look) for at in course.last)
    yield replace(
        course,
        laid=laid,
        last=(),
        lost=course.lost + lost + TAKEN_BACK,
        gone=(*course.gone, *gone),
        plays=course.plays[:-1],
    )


def waiting(course: Hypothesis, look: int, histories: SquareTimelines) -> Hypothesis:
    """The course with nothing laid at this look."""
    empty = course.laid < 0
    lost = histories.stays_empty(look)[empty].sum() + histories.stays(course.laid, look).sum()
    return replace(course, lost=course.lost + float(lost))


def unplayed(course: Hypothesis) -> Hypothesis:
    """The course without a play at a look."""
    return replace(course, lost=course.lost + NO_PLAY)


def with_play(
    course: Hypothesis, play: Sequence[int], look: int, gains: NDArray[np.float64], cost: float
) -> Hypothesis:
    """The course with a play more, whose implausibility is its cost."""
    laid = course.laid.copy()
    laid[list(play)] = look
    lost = course.lost - float(gains[list(play)].sum()) + cost
    return replace(course, laid=laid, last=tuple(play), lost=lost, plays=(*course.plays, tuple(play)))


def suggested(
    course: Hypothesis, gains: NDArray[np.float64], geometry: Geometry, limit: float
) -> Iterator[tuple[float, tuple[int, ...]]]:
    """The rows of tiles that the photos suggest, some that are doubtful left out or added, whatever the rules say.

    Parameters
    ----------
    course : Course
        The course so far.
    gains : (squares,) float64
        What each tile makes more likely if it is laid now.
    geometry : Geometry
        Which squares lie in a row.
    limit : float
        What makes all less likely than by so much is left out.

    Yields
    ------
    float
        By how much less likely the course is with them, as one play.
    tuple of int
        Their squares.
    """
    lies, costs = (course.laid >= 0).tolist(), (-gains).tolist()
    seen = set()
    for line, run in geometry.runs:
        empty = [at for at in run if not lies[at]]
        in_run = sum(costs[at] < 0 for at in empty)
        in_line = sum(costs[at] < 0 for at in line if not lies[at])
        if in_line - in_run > MAX_CHANGED or min((costs[at] for at in empty), default=math.inf) > FAINT:
            continue
        # A play fills every square between its first tile and its last one.
        for first in range(len(empty)):
            cost, least, found = 0.0, math.inf, 0
            for number, at in enumerate(empty[first : first + geometry.edition.rack_size], 1):
                cost += costs[at]
                least = min(least, costs[at])
                found += costs[at] < 0
                if in_line + number - 2 * found > MAX_CHANGED or least > FAINT or cost >= limit:
                    continue
                play = tuple(empty[first : first + number])
                if play not in seen:
                    seen.add(play)
                    yield cost - log_prior_of(number), play


def side_by_side(line: Sequence[int], squares: Sequence[Square]) -> list[list[int]]:
    """The squares of a line in runs without a gap."""
    runs: list[list[int]] = []
    for at in line:
        if runs and sum(squares[at]) == sum(squares[runs[-1][-1]]) + 1:
            runs[-1].append(at)
        else:
            runs.append([at])
    return runs
