"""Whether a stable board ends a turn, whose turn it was, and what is reported of it."""

from vision.game_events.turns.case import SETTINGS
from vision.game_events.turns.decision import LABEL_WITHIN_S, TurnDetector

__all__ = ["LABEL_WITHIN_S", "SETTINGS", "TurnDetector"]
