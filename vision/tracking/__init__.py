"""A board in a video: motion, occlusion, accumulated readings, redetection."""

from vision.tracking.board_pose import displaced_cells
from vision.tracking.board_tracker import BoardTracker
from vision.tracking.redetection import SETTINGS as REDETECTION_SETTINGS
from vision.tracking.redetection import Redetector
from vision.tracking.source_gaps import SourceGaps
from vision.tracking.thumbnail import BoardThumbnail

__all__ = [
    "REDETECTION_SETTINGS",
    "BoardThumbnail",
    "BoardTracker",
    "Redetector",
    "SourceGaps",
    "displaced_cells",
]
