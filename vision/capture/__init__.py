"""The stage that opens pictures, films, cameras and streams: the only place where they are opened."""

from vision.capture.frames import Frame, Interruption
from vision.capture.pictures import IMAGE_SUFFIXES, decode_picture, list_pictures, open_picture, read_bytes
from vision.capture.sources import Source, open_source

__all__ = [
    "IMAGE_SUFFIXES",
    "Frame",
    "Interruption",
    "Source",
    "decode_picture",
    "list_pictures",
    "open_picture",
    "open_source",
    "read_bytes",
]
