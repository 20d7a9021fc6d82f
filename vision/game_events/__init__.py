"""Boards and a game give what happened. Nothing here sees a pixel."""

from vision.game_events.commands import Command, Verb, expect, obey, parse_command, player_named
from vision.game_events.inference import EARLIER, follow_turn, is_earlier, plays_in, squares
from vision.game_events.turn_decision import Judge, Rest
from vision.game_events.updates import BoardView, Happening, HappeningKind, Sighting

__all__ = [
    "EARLIER",
    "BoardView",
    "Command",
    "Happening",
    "HappeningKind",
    "Judge",
    "Rest",
    "Sighting",
    "Verb",
    "expect",
    "follow_turn",
    "is_earlier",
    "obey",
    "parse_command",
    "player_named",
    "plays_in",
    "squares",
]
