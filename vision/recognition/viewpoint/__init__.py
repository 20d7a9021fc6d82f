"""From where a board is seen: which side is up, how high its tiles are, and whether the picture is mirrored."""

from vision.recognition.viewpoint.mirror import is_mirrored, may_be_mirrored
from vision.recognition.viewpoint.orientation import (
    MIN_BOARD_MATCH,
    MIN_VOTING_LETTERS,
    OrientedReading,
    TurnVote,
    orient_by_print,
    resolve_orientation,
    score_board_match,
    vote_turn,
)
from vision.recognition.viewpoint.planes import HeightMemory, PlanesReading, read_planes
from vision.recognition.viewpoint.premium_print import (
    PRINT_CELL_PX,
    PRINT_PX,
    PrintVote,
    normalize_print,
    vote_by_print,
)

__all__ = [
    "MIN_BOARD_MATCH",
    "MIN_VOTING_LETTERS",
    "PRINT_CELL_PX",
    "PRINT_PX",
    "HeightMemory",
    "OrientedReading",
    "PlanesReading",
    "PrintVote",
    "TurnVote",
    "is_mirrored",
    "may_be_mirrored",
    "normalize_print",
    "orient_by_print",
    "read_planes",
    "resolve_orientation",
    "score_board_match",
    "vote_by_print",
    "vote_turn",
]
