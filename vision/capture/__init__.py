"""The stage that opens pictures, films, cameras and streams: the only place where they are opened."""

from vision.capture.images import (
    IMAGE_SUFFIXES,
    MAX_MEGABYTES,
    decode_picture,
    list_pictures,
    natural_order,
    open_picture,
    read_bytes,
)
from vision.capture.metadata import PictureDetails, picture_details
from vision.capture.sources import PictureFolder, Source, open_source
from vision.core import Frame, Interruption

__all__ = [
    "IMAGE_SUFFIXES",
    "MAX_MEGABYTES",
    "Frame",
    "Interruption",
    "PictureDetails",
    "PictureFolder",
    "Source",
    "decode_picture",
    "list_pictures",
    "natural_order",
    "open_picture",
    "open_source",
    "picture_details",
    "read_bytes",
]
