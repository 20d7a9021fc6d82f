"""The game that a score sheet is of, as far as its points decide it."""

from __future__ import annotations

from dataclasses import dataclass

from scoring import Play, Square
from tilesight.digitise.score_sheets.replaying import TurnFault

__all__ = ["SheetSolution"]


@dataclass(frozen=True, slots=True, kw_only=True)
class SheetSolution:
    """The game that a score sheet is of."""

    plays: tuple[Play | None, ...]
    """For each turn its play in the most plausible game; None for turns without one."""
    confidence: tuple[float, ...]
    """For each turn the probability of its play."""
    alternatives: tuple[tuple[Play, ...], ...]
    """For each turn the plays that it has in other games that fit."""
    faults: tuple[TurnFault, ...] = ()
    """The turns whose points do not fit."""
    other_fault_turns: tuple[int, ...] = ()
    """The turns that may have the wrong entry instead, if the plays were made in another order; the most likely
    first."""
    tile: Square | None = None
    """The square of a tile that explains the faults, if it is misread."""
    tile_tokens: tuple[str, ...] = ()
    """The tokens with which the lexicon has the words of that tile; empty if the points alone show it."""
