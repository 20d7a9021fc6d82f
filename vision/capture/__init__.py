"""The stage that opens pictures, films, cameras and streams: the only place where they are opened."""

from vision.capture.frames import Frame, Interruption
from vision.capture.pictures import list_pictures, open_picture
from vision.capture.sources import Source, open_source

__all__ = [
    "Frame",
    "Interruption",
    "Source",
    "list_pictures",
    "open_picture",
    "open_source",
]
