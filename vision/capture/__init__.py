"""The stage that opens pictures, films, cameras and streams: the only place where they are opened."""

from vision.capture.details import PictureDetails, picture_details
from vision.capture.frames import Frame, Interruption
from vision.capture.pictures import (
    IMAGE_SUFFIXES,
    MAX_MEGABYTES,
    decode_picture,
    list_pictures,
    natural_order,
    open_picture,
    read_bytes,
)
from vision.capture.sources import PictureFolder, Source, open_source

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
