from .any_edition import AnyEditionReading, read_any_edition, select_probable_editions
from .camera import CameraModel, calibrated_frames
from .checks import EditionMismatches, check_layout, check_tiles
from .extent import continues_outside
from .photo import read_photo
from .photo_sequence import track_photos
from .profile_fit import ProfileMismatches
from .rack import read_rack
from .recognizers import (
    GameContext,
    find_unknown_letters,
    load_recognizer,
    select_readable_editions,
)
from .start_up import warm_up
from .video import VideoTracker, track_video

__all__ = [
    "AnyEditionReading",
    "CameraModel",
    "EditionMismatches",
    "GameContext",
    "ProfileMismatches",
    "VideoTracker",
    "calibrated_frames",
    "check_layout",
    "check_tiles",
    "continues_outside",
    "find_unknown_letters",
    "load_recognizer",
    "read_any_edition",
    "read_photo",
    "read_rack",
    "select_probable_editions",
    "select_readable_editions",
    "track_photos",
    "track_video",
    "warm_up",
]
