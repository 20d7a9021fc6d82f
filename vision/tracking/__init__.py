"""A board in a video: motion, occlusion, accumulated readings, redetection."""

from vision.tracking.board_pose import displaced_cells
from vision.tracking.board_tracker import Scene
from vision.tracking.redetection import Whereabouts
from vision.tracking.thumbnail import Preview

__all__ = [
    "Preview",
    "Scene",
    "Whereabouts",
    "displaced_cells",
]
