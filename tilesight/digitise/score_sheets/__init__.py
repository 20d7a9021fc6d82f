"""Score sheets that people typed: players and totals, and the games to which they belong."""

from tilesight.digitise.score_sheets.file import Sheet, find_unmatched_patterns, load_sheets
from tilesight.digitise.score_sheets.matching import (
    UNKNOWN_PLAYERS,
    SheetAssignment,
    SheetMatch,
    assign_sheets,
    list_candidates,
    totals_before_settlement,
)

__all__ = [
    "UNKNOWN_PLAYERS",
    "Sheet",
    "SheetAssignment",
    "SheetMatch",
    "assign_sheets",
    "find_unmatched_patterns",
    "list_candidates",
    "load_sheets",
    "totals_before_settlement",
]
