"""Read one picture in a worker: bytes and options in; record, probabilities and pictures out."""

from tilesight.digitise.reading.options import (
    PhotoRequest,
    ReadOptions,
    check_environment,
    environment_fingerprint,
)
from tilesight.digitise.reading.photo_reader import HASH_WORDS, Result, read_picture, unpack_reading
from tilesight.digitise.reading.photo_record import (
    MIN_SURE_SHARE,
    BoardRecord,
    Corners,
    OutputRecord,
    PhotoRecord,
    PhotoStatus,
    SquareCorrection,
    SquareDoubt,
)
from tilesight.digitise.reading.premium_colours import colour_distance

__all__ = [
    "HASH_WORDS",
    "MIN_SURE_SHARE",
    "BoardRecord",
    "Corners",
    "OutputRecord",
    "PhotoRecord",
    "PhotoRequest",
    "PhotoStatus",
    "ReadOptions",
    "Result",
    "SquareCorrection",
    "SquareDoubt",
    "check_environment",
    "colour_distance",
    "environment_fingerprint",
    "read_picture",
    "unpack_reading",
]
