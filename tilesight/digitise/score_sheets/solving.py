"""Solve a score sheet: find its game from the final board and the points of each turn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from scoring import Board, Edition, Lexicon, Play, Square
from tilesight.digitise.score_sheets.reverse_plays import ReversePlays
from tilesight.digitise.score_sheets.turn_search import TurnSearch, best_edges, find_shares

__all__ = ["SheetSolution", "solve_turns"]

MIN_SHARE = 0.02
"""Share of the probability from which a play or a wrong entry is named as an alternative; chosen."""


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
    """The turn with the wrong entry in the most plausible game, if one is wrong; then those that may have it instead,
    if the plays were made in another order, the most likely first."""
    tile: Square | None = None
    """The square of a misread tile that explains the points."""
    tile_tokens: tuple[str, ...] = ()
    """The tokens with which the lexicon has the words of that tile; empty if the points alone show it."""


def solve_turns(
    board: Board,
    edition: Edition,
    points: Sequence[int],
    *,
    known: Sequence[Board] = (),
    lexicon: Lexicon | None = None,
) -> SheetSolution | None:
    """Find the plays that lead to a board and make the points of each turn.

    It searches with more and more boards, then with a fault.

    Parameters
    ----------
    board : Board
        The final board.
    edition : Edition
        The rules.
    points : sequence of int
        The points of each turn in the order of play; 0 for a turn without a play.
    known : sequence of Board
        Boards of the game that photos show, each a part of the final board.
    lexicon : Lexicon, optional
        The words that are allowed.

    Returns
    -------
    SheetSolution or None
        None if no game fits, not even with one wrong entry or one misread tile.
    """
    if not any(points):
        return None
    plays = ReversePlays(board, edition, lexicon)
    shown = sorted({plays.bits_of(each) for each in known}, key=int.bit_count)
    corrections = plays.find_misread_tiles()
    start = TurnSearch(plays, points, shown).find_game(corrections)
    if start is None:
        return None
    # the search may have dropped one of two orders of the plays
    same = ReversePlays(board, edition, lexicon, only={edge.play.tiles for edge in best_edges(start)})
    ordered = TurnSearch(same, points, shown).find_game(corrections) or start
    best = best_edges(min(start, ordered, key=lambda each: each.cost))
    shares, (shares_of_orders, wrong) = find_shares(start)[0], find_shares(ordered)
    turns = [turn for turn, made in enumerate(points) if made]
    found: list[Play | None] = [None] * len(points)
    confidence = [1.0] * len(points)
    alternatives: list[tuple[Play, ...]] = [()] * len(points)
    for turn, edge, share, of_orders in zip(turns, best, shares, shares_of_orders, strict=True):
        own = edge.play.tiles
        likely = [each for each in {**share, **of_orders} if max(share[each], of_orders[each]) >= MIN_SHARE]
        likely.sort(key=lambda each: (-share[each], each))
        found[turn] = plays.play_of(own)
        confidence[turn] = min(1.0, share[own], of_orders[own])
        alternatives[turn] = tuple(plays.play_of(each) for each in likely if each != own)
    tile = next((edge.later.misread for edge in best if edge.later.misread is not None), None)
    wrong_turns = sorted(range(len(turns)), key=lambda each: (not best[each].is_wrong, -wrong[each]))
    return SheetSolution(
        plays=tuple(found),
        confidence=tuple(confidence),
        alternatives=tuple(alternatives),
        wrong_turns=tuple(turns[each] for each in wrong_turns if wrong[each] >= MIN_SHARE),
        tile=None if tile is None else plays.square_of(tile[0]),
        tile_tokens=corrections.get(tile, ()) if tile is not None else (),
    )
