"""The text of a move as the command ``change`` takes it."""

from __future__ import annotations

from scoring import ClockPenalty, ExchangeEvent, Game, NoPlayEvent, PassEvent, PlayEvent, format_tokens
from vision.game_events import ACCEPTED, is_accepted

__all__ = ["format_change"]


def format_change(game: Game, index: int) -> str:
    """Return a move as ``change`` takes it; empty for one that only another command changes.

    Parameters
    ----------
    game : Game
        The game.
    index : int
        Index of the move.
    """
    step, edition = game.steps[index], game.edition
    event, name = step.event, game.players[step.event.player]
    match event:
        case PlayEvent() if step.scored is not None:
            word = format_tokens(step.scored.main_word.tokens, edition.tokens)
            stood = f" {ACCEPTED}" if is_accepted(event) else ""
            return f"{name} play {step.scored.position} {word}{stood}"
        case ExchangeEvent(tiles=tiles, count=count):
            what = format_tokens(tiles, edition.tokens) if tiles else str(count or "")
            return f"{name} exchange {what}".strip()
        case PassEvent():
            return f"{name} pass"
        case NoPlayEvent():
            return f"{name} turn"
        case ClockPenalty():
            return name  # another player can be named, other points cannot
        case _:
            return ""
