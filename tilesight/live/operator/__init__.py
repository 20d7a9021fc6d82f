"""What an operator adds to a game: titles, clocks, doubts, and the commands that change them."""

from tilesight.live.operator.cautions import find_caution
from tilesight.live.operator.commands import (
    MAX_TITLE,
    OPERATOR_VERBS,
    confirm_named,
    convert_command,
    to_events,
)
from tilesight.live.operator.move_texts import format_change
from tilesight.live.operator.overtime import OvertimeRule, charge_overtime, find_overtime
from tilesight.live.operator.rack_readings import RackReadings
from tilesight.live.operator.state import OperatorState

__all__ = [
    "MAX_TITLE",
    "OPERATOR_VERBS",
    "OperatorState",
    "OvertimeRule",
    "RackReadings",
    "charge_overtime",
    "confirm_named",
    "convert_command",
    "find_caution",
    "find_overtime",
    "format_change",
    "to_events",
]
