"""Game events: boards and a game give what happened, and what is to be reported. No pixels here."""

from vision.game_events.catching_up import take_over_photo
from vision.game_events.continued_plays import word_ends
from vision.game_events.differences import covered_squares, differing_squares
from vision.game_events.inference import EARLIER, follow_turn, is_earlier
from vision.game_events.opening import begin_game, find_opening
from vision.game_events.placements import joint_confidence, squares_of
from vision.game_events.record import (
    ACCEPTED,
    BoardDifference,
    Command,
    Verb,
    apply_command,
    caution_settled,
    expect_words,
    find_player,
    find_players_problem,
    follow_turn_order,
    is_accepted,
    is_printable,
    label_withdrawal,
    named_squares,
    parse_command,
    parse_player,
    unchanged_message,
    undo_all,
)
from vision.game_events.turn_state import StableBoard, TurnDecision
from vision.game_events.turns import LABEL_WITHIN_S, TurnDetector
from vision.game_events.turns import SETTINGS as TURN_SETTINGS
from vision.game_events.uncertain_tiles import MIN_CONFIDENCE
from vision.game_events.updates import (
    STATED,
    Correction,
    GameUpdate,
    Notice,
    NoticeKind,
    UpdateBatch,
    UpdateKind,
    count_plays,
)

__all__ = [
    "ACCEPTED",
    "EARLIER",
    "LABEL_WITHIN_S",
    "MIN_CONFIDENCE",
    "STATED",
    "TURN_SETTINGS",
    "BoardDifference",
    "Command",
    "Correction",
    "GameUpdate",
    "Notice",
    "NoticeKind",
    "StableBoard",
    "TurnDecision",
    "TurnDetector",
    "UpdateBatch",
    "UpdateKind",
    "Verb",
    "apply_command",
    "begin_game",
    "caution_settled",
    "count_plays",
    "covered_squares",
    "differing_squares",
    "expect_words",
    "find_opening",
    "find_player",
    "find_players_problem",
    "follow_turn",
    "follow_turn_order",
    "is_accepted",
    "is_earlier",
    "is_printable",
    "joint_confidence",
    "label_withdrawal",
    "named_squares",
    "parse_command",
    "parse_player",
    "squares_of",
    "take_over_photo",
    "unchanged_message",
    "undo_all",
    "word_ends",
]
