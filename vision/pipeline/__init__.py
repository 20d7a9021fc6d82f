"""The only place where stages meet: a photo, a sequence of photos, a video, a rack."""

from vision.observation import BoardObservation
from vision.pipeline.camera import CameraModel, calibrated_frames
from vision.pipeline.checks import EditionMismatches, check_layout, check_tiles
from vision.pipeline.photo import read_photo
from vision.pipeline.photo_sequence import track_photos
from vision.pipeline.rack import read_rack
from vision.pipeline.recognizers import GameContext, find_unknown_letters, load_recognizer
from vision.pipeline.video import VideoTracker, track_video

__all__ = [
    "BoardObservation",
    "CameraModel",
    "EditionMismatches",
    "GameContext",
    "VideoTracker",
    "calibrated_frames",
    "check_layout",
    "check_tiles",
    "find_unknown_letters",
    "load_recognizer",
    "read_photo",
    "read_rack",
    "track_photos",
    "track_video",
]
