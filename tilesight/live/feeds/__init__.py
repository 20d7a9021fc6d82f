"""What feeds a live game: films and cameras, photos of finished turns, and where it goes on in them."""

from tilesight.live.feeds.photos import follow_photos
from tilesight.live.feeds.resuming import ResumePoint, find_resume_point
from tilesight.live.feeds.video import (
    answer_commands,
    attach_source,
    attach_tracker,
    explain_no_play,
    follow_video,
    skip_until_clear,
)

__all__ = [
    "ResumePoint",
    "answer_commands",
    "attach_source",
    "attach_tracker",
    "explain_no_play",
    "find_resume_point",
    "follow_photos",
    "follow_video",
    "skip_until_clear",
]
