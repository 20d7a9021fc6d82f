"""Replay the plays of a score sheet: the entries that do not fit, and the orders in which the plays make the points."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from scoring import Board, Edition, IllegalPlayError, Play, score_play

__all__ = ["TurnFault", "find_faults", "find_orders"]


@dataclass(frozen=True, slots=True, kw_only=True)
class OrderSettings:
    """Limits of the search for orders.

    Parameters
    ----------
    max_sets : int
        Sets of plays that may be made before a turn; with more, no other order is named (chosen).
    """

    max_sets: int = 500


ORDER_SETTINGS = OrderSettings()


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnFault:
    """A turn whose points on the sheet are not those of its play.

    Parameters
    ----------
    turn : int
        The turn, from 0.
    points : int
        The points of the play.
    """

    turn: int
    points: int


def find_faults(
    plays: Sequence[Play | None], points: Sequence[int], edition: Edition
) -> tuple[TurnFault, ...]:
    """Find the turns whose points are not those of their plays.

    Parameters
    ----------
    plays : sequence of Play or None
        The plays of all turns.
    points : sequence of int
        The points on the sheet.
    edition : Edition
        The rules.
    """
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
    plays: Sequence[Play | None], edition: Edition, known: Sequence[Board]
) -> list[dict[Play, float]]:
    """Find all orders of the plays of a game in which each turn makes the same points.

    Parameters
    ----------
    plays : sequence of Play or None
        The plays of all turns.
    edition : Edition
        The rules.
    known : sequence of Board
        Boards through which the game goes.

    Returns
    -------
    list of dict of Play to float
        For each turn the share of the orders that have a play there; empty for turns without a play, for all turns if
        the rules forbid a play, and if there are more orders than are searched.
    """
    shares: list[dict[Play, float]] = [{} for _ in plays]
    turns = [turn for turn, play in enumerate(plays) if play is not None]
    search = OrderSearch([play for play in plays if play is not None], edition, known)
    for turn, by_index in zip(turns, search.shares(), strict=False):
        shares[turn] = {search.plays[index]: share for index, share in by_index.items()}
    return shares


class OrderSearch:
    """The orders of some plays; a set of plays that are made is a number with a bit for each of them.

    Parameters
    ----------
    plays : sequence of Play
        The plays in one order.
    edition : Edition
        The rules.
    known : sequence of Board
        Boards through which the game goes.
    """

    def __init__(self, plays: Sequence[Play], edition: Edition, known: Sequence[Board]) -> None:
        self.plays = plays
        # a misread tile may be one too many of its letter
        self._edition = replace(edition, counts=dict.fromkeys(edition.counts))
        self._known = [
            sum(1 << index for index, play in enumerate(plays) if is_on(board, play)) for board in known
        ]
        self._boards = {0: Board.empty(edition)}

    def shares(self) -> list[dict[int, float]]:
        """Return for each turn the share of the orders that have a play there, by the play's index."""
        steps: list[list[tuple[int, int]]] = []
        ways = [{0: 1}]
        done = 0
        for turn in range(len(self.plays)):
            points = self._points(done, turn)
            if points is None or len(ways[-1]) > ORDER_SETTINGS.max_sets:
                return []
            done |= 1 << turn
            steps.append([step for step in self._steps(ways[-1]) if self._points(*step) == points])
            later: dict[int, int] = {}
            for made, index in steps[-1]:
                later[made | 1 << index] = later.get(made | 1 << index, 0) + ways[-1][made]
            ways.append(later)
        shares: list[dict[int, float]] = []
        ends = {done: 1}
        for step, before in zip(reversed(steps), reversed(ways[:-1]), strict=True):
            earlier: dict[int, int] = {}
            share: dict[int, float] = {}
            for made, index in step:
                rest = ends.get(made | 1 << index)
                if rest is not None:
                    earlier[made] = earlier.get(made, 0) + rest
                    share[index] = share.get(index, 0.0) + before[made] * rest / ways[-1][done]
            ends = earlier
            shares.insert(0, share)
        return shares

    def _steps(self, sets: Iterable[int]) -> Iterator[tuple[int, int]]:
        """Yield the plays that may follow sets of plays, each with its set."""
        for made in sets:
            for index in range(len(self.plays)):
                if not made >> index & 1 and self._keeps_known(made, index):
                    yield made, index

    def _keeps_known(self, made: int, other: int) -> bool:
        """Whether each known board is reached before a play that is not on it."""
        return all(known >> other & 1 or not known & ~made for known in self._known)

    def _points(self, made: int, index: int) -> int | None:
        """Return the points of a play after others; None if the rules forbid it."""
        try:
            return score_play(self._board(made), self.plays[index], self._edition).total
        except IllegalPlayError:
            return None

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
