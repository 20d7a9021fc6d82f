"""What an operator adds to a game: titles, clocks, doubts, and the commands that change them."""

from tilesight.live.operator.commands import MAX_TITLE, OPERATOR_VERBS, convert_command, for_operator
from tilesight.live.operator.state import OperatorState

__all__ = ["MAX_TITLE", "OPERATOR_VERBS", "OperatorState", "convert_command", "for_operator"]
