"""The stage that opens pictures, videos, cameras and streams; nothing else opens them."""

from vision.capture.images import (
    IMAGE_SUFFIXES,
    MAX_MEGABYTES,
    decode_picture,
    list_pictures,
    natural_order,
    open_picture,
    read_bytes,
    take_pixels,
)
from vision.capture.metadata import PictureMetadata, read_metadata
from vision.capture.pushed import MAX_PUSHED_BYTES, PushedPictures
from vision.capture.sources import PictureFolder, Source, open_source
from vision.core import Frame, Interruption

__all__ = [
    "IMAGE_SUFFIXES",
    "MAX_MEGABYTES",
    "MAX_PUSHED_BYTES",
    "Frame",
    "Interruption",
    "PictureFolder",
    "PictureMetadata",
    "PushedPictures",
    "Source",
    "decode_picture",
    "list_pictures",
    "natural_order",
    "open_picture",
    "open_source",
    "read_bytes",
    "read_metadata",
    "take_pixels",
]
