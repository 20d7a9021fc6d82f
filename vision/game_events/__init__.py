"""Boards and a game give what happened. Nothing here sees a pixel."""

from vision.game_events.commands import Command, Verb, apply_command, expect, parse_command, player_named
from vision.game_events.inference import EARLIER, follow_turn, is_earlier, plays_in, squares
from vision.game_events.turn_decision import StableBoard, TurnDetector
from vision.game_events.updates import Correction, GameUpdate, Notice, NoticeKind, UpdateBatch, UpdateKind

__all__ = [
    "EARLIER",
    "Command",
    "Correction",
    "GameUpdate",
    "Notice",
    "NoticeKind",
    "StableBoard",
    "TurnDetector",
    "UpdateBatch",
    "UpdateKind",
    "Verb",
    "apply_command",
    "expect",
    "follow_turn",
    "is_earlier",
    "parse_command",
    "player_named",
    "plays_in",
    "squares",
]
