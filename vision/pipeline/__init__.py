"""The only place where stages meet: a photo, a sequence of photos, a video, a rack."""

from vision.pipeline.camera import CalibratedVideo, CameraModel
from vision.pipeline.checks import misfit, premium_misfit
from vision.pipeline.photo import PhotoReading, read_frame
from vision.pipeline.photo_sequence import watch_turns
from vision.pipeline.rack import read_rack
from vision.pipeline.recognizers import load_reader, unknown_letters
from vision.pipeline.video import VideoTracker, watch_film

__all__ = [
    "CalibratedVideo",
    "CameraModel",
    "PhotoReading",
    "VideoTracker",
    "load_reader",
    "misfit",
    "premium_misfit",
    "read_frame",
    "read_rack",
    "unknown_letters",
    "watch_film",
    "watch_turns",
]
