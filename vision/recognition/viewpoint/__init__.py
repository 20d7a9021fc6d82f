"""From where a board is seen: which side is up, how high its tiles are, and whether the picture is mirrored."""

from vision.recognition.viewpoint.mirror import is_mirrored
from vision.recognition.viewpoint.orientation import (
    MIN_BOARD_MATCH,
    MIN_VOTING_LETTERS,
    OrientedReading,
    TurnVote,
    resolve_orientation,
    score_board_match,
    vote_turn,
)
from vision.recognition.viewpoint.planes import PlanesReading, read_planes

__all__ = [
    "MIN_BOARD_MATCH",
    "MIN_VOTING_LETTERS",
    "OrientedReading",
    "PlanesReading",
    "TurnVote",
    "is_mirrored",
    "read_planes",
    "resolve_orientation",
    "score_board_match",
    "vote_turn",
]
