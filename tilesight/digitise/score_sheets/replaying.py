"""Replay the plays of a score sheet: the entries that do not fit, and the plays that may change places."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from scoring import Board, Edition, IllegalPlayError, Play, score_play

__all__ = ["TurnFault", "find_exchanges", "find_faults"]


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


def find_exchanges(
    plays: Sequence[Play | None], edition: Edition, known: Sequence[Board]
) -> Iterator[tuple[int, int]]:
    """Yield the pairs of turns whose plays make the same points if they change places, as do all others.

    Parameters
    ----------
    plays : sequence of Play or None
        The plays of all turns.
    edition : Edition
        The rules.
    known : sequence of Board
        Boards through which the game goes.
    """
    points, _ = replay(plays, edition)
    for turn, other in itertools.combinations(range(len(plays)), 2):
        if points is None or plays[turn] is None or points[turn] != points[other]:
            continue
        order = list(plays)
        order[turn], order[other] = plays[other], plays[turn]
        made, boards = replay(order, edition)
        if made == points and all(board in boards for board in known):
            yield turn, other


def replay(plays: Sequence[Play | None], edition: Edition) -> tuple[list[int | None] | None, list[Board]]:
    """Score plays in this order.

    Parameters
    ----------
    plays : sequence of Play or None
        The plays of all turns.
    edition : Edition
        The rules.

    Returns
    -------
    points : list of int or None, or None
        The points of each turn, None for turns without a play; None if the rules forbid a play.
    boards : list of Board
        The boards after the turns.
    """
    board = Board.empty(edition)
    points: list[int | None] = []
    boards: list[Board] = []
    try:
        for play in plays:
            points.append(score_play(board, play, edition).total if play is not None else None)
            board = board.with_tiles(play) if play is not None else board
            boards.append(board)
    except IllegalPlayError:
        return None, boards
    return points, boards
