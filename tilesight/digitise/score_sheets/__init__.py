"""Score sheets that people typed: players and turns, the games to which they belong, and the plays that they decide."""

from tilesight.digitise.score_sheets.file import (
    Sheet,
    find_unmatched_patterns,
    load_kept_sheets,
    load_sheets,
    save_sheets,
)
from tilesight.digitise.score_sheets.matching import SheetMatch, assign_sheets, list_candidates
from tilesight.digitise.score_sheets.reverse_plays import cost_of_size
from tilesight.digitise.score_sheets.turn_search import SheetSolution, solve_turns

__all__ = [
    "Sheet",
    "SheetMatch",
    "SheetSolution",
    "assign_sheets",
    "cost_of_size",
    "find_unmatched_patterns",
    "list_candidates",
    "load_kept_sheets",
    "load_sheets",
    "save_sheets",
    "solve_turns",
]
