"""Solve a score sheet: find its game from the final board and the points of each turn."""

from __future__ import annotations

import contextlib
import gc
from collections.abc import Iterator, Sequence
from dataclasses import replace

from scoring import Board, Edition, Lexicon
from tilesight.digitise.score_sheets.reverse_plays import ReversePlays
from tilesight.digitise.score_sheets.turn_search import TURN_SEARCH_SETTINGS, SheetSolution, TurnSearch

__all__ = ["solve_turns"]


@contextlib.contextmanager
def without_garbage_collection() -> Iterator[None]:
    """Pause the search for cyclic garbage: the boards of a search form no cycles, and are a third of its time."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


@without_garbage_collection()
def solve_turns(
    board: Board,
    edition: Edition,
    points: Sequence[int],
    *,
    known: Sequence[Board] = (),
    lexicon: Lexicon | None = None,
) -> SheetSolution | None:
    """Find the plays that lead to a board and make the points of each turn.

    It searches with more and more boards, then for a fault.

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
    positions = sorted({plays.bits_of(each) for each in known}, key=int.bit_count)
    misread = plays.find_misread_tiles()
    left = TURN_SEARCH_SETTINGS.max_steps
    for width in TURN_SEARCH_SETTINGS.widths:
        search = TurnSearch(plays, points, positions, width=width, max_steps=left)
        if search.run():
            return search.solution()
        left -= search.steps
        found: list[tuple[TurnSearch, tuple[str, ...]]] = []
        for tile, tokens in misread.items():
            corrected = TurnSearch(plays, points, positions, width=width, max_steps=left, misread=tile)
            if corrected.run():
                found.append((corrected, tokens))
            left -= corrected.steps
        if found:
            best, tokens = min(found, key=lambda each: each[0].cost)
            return replace(best.solution(), tile_tokens=tokens)
    return search.solution() if search.run_with_faults(left) else None
