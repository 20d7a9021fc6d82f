"""The orders in which a board may have been played, the most plausible first.

First the boards are found that may have been on the way, see `earlier_boards`. Then the plays between them are taken
back from the last board on, with whose they are and what each player had by then, see `ways_back`. Both searches keep
the most plausible only, so that what is found is possible, and what is not found may be so too.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from scoring import BLANK, COVERED, Board, Edition, Lexicon, Play, check_size, is_blank, score_play
from tilesight.digitise.retrograde.k_best_paths import Way, WaysBack
from tilesight.digitise.retrograde.position_search import EarlierBoards, earlier_boards, part_of
from tilesight.digitise.retrograde.reverse_moves import LastPlays
from tilesight.digitise.retrograde.score_bounds import least_and_most
from tilesight.digitise.score_sheets.settlement import Ending, endings

__all__ = ["OrderOfPlay", "Orders", "orders_of_play"]

MAX_BOARDS = 300
"""Boards of each number of tiles that are looked at, at most: more fill a memory."""
STATES_A_BOARD = 5
"""With how many players and points a board is looked at, on average."""
SHARE_DIGITS = 4
"""Shares that differ by less are the same: logarithms are not exact to the last digit on every machine."""
BOARDS_SHARE = 0.6
"""How much of the time the boards take, for those who wait."""


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
        The plausibility of all orders of the same plays as a share of all that were found.
    alike : int
        How many orders of the same plays were found, this one among them.
    """

    plays: tuple[Play, ...]
    scores: tuple[int, ...]
    players: tuple[int, ...]
    share: float
    alike: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Orders:
    """The orders of play that were found.

    Parameters
    ----------
    ways : tuple of OrderOfPlay
        The most plausible first, each of other plays than the rest; none if there is none, or none was found.
    found : int
        How many orders were found in all.
    complete : bool
        Whether everything that may be was looked at.
    why : str
        Why nothing could be found, or not everything looked at, and what to do; empty where that is unknown.
    """

    ways: tuple[OrderOfPlay, ...]
    found: int
    complete: bool
    why: str = ""

    @property
    def decided(self) -> bool:
        """Whether there is one order only."""
        return self.complete and self.found == 1


def orders_of_play(
    before: Board,
    after: Board,
    edition: Edition,
    *,
    totals: Sequence[int] | None = None,
    settled: bool = False,
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
    settled : bool
        Whether the totals have in them what the tiles left at the end changed, see `endings`.
    lexicon : Lexicon, optional
        Words.
    most : int
        How many orders are wanted.
    steps : int
        How many boards are looked at: a limit that gives the same result on every machine.
    progress : callable
        Is told how many of the tiles have been taken off.
    """
    check_size(after, edition)
    seen = with_tiles_before(before, after)
    if seen is None:
        return Orders(ways=(), found=0, complete=True)
    base = frozenset((tile.row, tile.column) for tile in before.tiles())
    plays = LastPlays(seen, base, edition, lexicon)
    tiles = plays.all_tiles.bit_count()
    if not tiles:
        return Orders(ways=(), found=0, complete=True)
    if not plays.possible:
        why = "its tiles do not hang together, or are not all the edition's; correct the board"
        return Orders(ways=(), found=0, complete=True, why=why)
    ends = endings(totals, after, edition, settled=settled) if totals is not None else ()
    if totals is not None and not ends:
        why = "what the tiles left at the end changed is known only if one of two players had none left"
        return Orders(ways=(), found=0, complete=True, why=why)
    if any(min(end.points) < 0 for end in ends):
        return Orders(ways=(), found=0, complete=True)
    width = max(1, min(MAX_BOARDS, steps // tiles))

    def tell(share: float) -> None:
        progress(int(tiles * share))

    points = sum(sum(end.points) for end in ends) // len(ends) if ends else None
    boards = earlier_boards(plays, width, points, part_of(tell, 0.0, BOARDS_SHARE))
    complete = boards.complete and not plays.covered
    if not boards.levels:
        return Orders(ways=(), found=0, complete=complete, why=why_incomplete(complete, plays, width))
    search = WaysBack(boards, ends, most)
    begun = search.run(width * STATES_A_BOARD, part_of(tell, BOARDS_SHARE, 1 - BOARDS_SHARE))
    complete = complete and search.complete
    why = why_incomplete(complete, plays, width)
    if begun is None:
        if ends and not complete and not plays.covered:
            why = why_not_these(ends, boards, width)
        return Orders(ways=(), found=0, complete=complete, why=why)
    ways = [order_of(way, begun.mass, plays, before, edition, shared=bool(ends)) for way in begun.ways]
    ways.sort(key=lambda way: -round(way.share, SHARE_DIGITS))
    return Orders(ways=tuple(ways[:most]), found=begun.number, complete=complete, why=why)


def why_incomplete(complete: bool, plays: LastPlays, width: int) -> str:
    """Why not everything was looked at, where more time does not help."""
    if complete or (width < MAX_BOARDS and not plays.covered):
        return ""
    if plays.covered:
        return "squares beside its tiles are covered; correct them"
    return f"the search keeps {MAX_BOARDS} boards of each number of tiles, and more time does not help"


def why_not_these(ends: Sequence[Ending], boards: EarlierBoards, width: int) -> str:
    """Why no order was found that comes to the totals, as far as the orders that were looked at tell."""
    least, most = least_and_most(boards)
    wanted = sorted({sum(end.points) for end in ends})
    beyond = not any(least <= points <= most for points in wanted)
    came = f"{least} to {most} points in all" if beyond else "other totals"
    instead = f", not to {' or '.join(map(str, wanted))}" if beyond else ""
    more = ", as more time does not help" if width == MAX_BOARDS else "; --orders-limit allows more time"
    return f"those that were looked at come to {came}{instead}; check the totals{more}"


def with_tiles_before(before: Board, after: Board) -> Board | None:
    """The board after, with the tiles before where they are covered since; None if others lie there.

    A blank is the same whether or not its letter is known, as it is for `scoring.infer`.
    """
    hidden = []
    for tile in before.tiles():
        now = after[tile.row, tile.column]
        if now == COVERED:
            hidden.append(tile)
        elif now != tile.token and not (
            BLANK in (now, tile.token) and is_blank(now) and is_blank(tile.token)
        ):
            return None
    return after.without(hidden).with_tiles(hidden)


def order_of(
    way: Way, mass: float, plays: LastPlays, before: Board, edition: Edition, *, shared: bool
) -> OrderOfPlay:
    """The order of a way, scored by the rules."""
    laid, scores, players = list[Play](), list[int](), list[int]()
    share, alike = math.exp(way.mass - mass), way.number
    board, rest = before, way
    while rest.play is not None and rest.after is not None:
        play = plays.play(rest.play.taken)
        scores.append(score_play(board, play, edition).total)
        board = board.with_tiles(play)
        laid.append(play)
        players.append(rest.player)
        rest = rest.after
    return OrderOfPlay(
        plays=tuple(laid),
        scores=tuple(scores),
        players=tuple(players if shared else range(len(laid))),
        share=share,
        alike=alike,
    )
