"""Random commands of an operator, possible ones and others."""

from __future__ import annotations

import random

from scoring import Game, format_square

__all__ = ["random_command"]

COMMANDS = (
    "undo", "undo", "undo", "redo", "challenge", "withdraw", "pass", "correct", "board", "board wait", "delete",
    "insert", "change", "turn",
)  # fmt: skip


def random_command(rng: random.Random, game: Game) -> str:
    """Return some command; it may be one that the game does not allow."""
    text = rng.choice(COMMANDS)
    plays, number = game.state.plays, rng.randint(1, max(len(game.events), 1))
    if text == "correct":
        if not plays:
            return "pass"
        tile = rng.choice(list(rng.choice(plays).play))
        return f"letter {format_square(tile.row, tile.column)} {rng.choice('AEIRSTN')}"
    return {
        "delete": f"delete {number}",
        "insert": f"insert {number} pass",
        "change": f"change {number} {rng.choice(game.players)}",
        "turn": f"turn {rng.choice(game.players)}",
    }.get(text, text)
