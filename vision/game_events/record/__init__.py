"""How people change the record of a game, and how it is compared with the board that is seen."""

from vision.game_events.record.arguments import (
    expect_words,
    find_player,
    find_players_problem,
    is_printable,
    parse_player,
)
from vision.game_events.record.board_difference import BoardDifference, RecordMonitor, unresolved_squares
from vision.game_events.record.board_taking import take_board
from vision.game_events.record.command_handlers import (
    apply_command,
    label_withdrawal,
    named_squares,
    unchanged_message,
    undo_all,
)
from vision.game_events.record.commands import Command, Verb, parse_command
from vision.game_events.record.move_editing import ACCEPTED, caution_settled, follow_turn_order, is_accepted
from vision.game_events.record.removed_tiles import (
    find_removed_plays,
    is_removed_only,
    is_restorable,
    remaining_tiles,
    restored_game,
    restoring_update,
)

__all__ = [
    "ACCEPTED",
    "BoardDifference",
    "Command",
    "RecordMonitor",
    "Verb",
    "apply_command",
    "caution_settled",
    "expect_words",
    "find_player",
    "find_players_problem",
    "find_removed_plays",
    "follow_turn_order",
    "is_accepted",
    "is_printable",
    "is_removed_only",
    "is_restorable",
    "label_withdrawal",
    "named_squares",
    "parse_command",
    "parse_player",
    "remaining_tiles",
    "restored_game",
    "restoring_update",
    "take_board",
    "unchanged_message",
    "undo_all",
    "unresolved_squares",
]
