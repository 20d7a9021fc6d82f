"""A board in a video: motion, occlusion, accumulated readings, redetection."""

from vision.tracking.board_tracker import BoardTracker
from vision.tracking.monitors import BoardDrift, SourceGaps
from vision.tracking.redetection import Redetector
from vision.tracking.thumbnail import BoardThumbnail

__all__ = [
    "BoardDrift",
    "BoardThumbnail",
    "BoardTracker",
    "Redetector",
    "SourceGaps",
]
