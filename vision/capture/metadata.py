"""What a picture file says of itself beside its pixels."""

from __future__ import annotations

import io
import struct
import warnings
from dataclasses import dataclass, replace
from typing import Any

from vision.capture.heif import is_heif

__all__ = ["PictureMetadata", "read_metadata"]

EXIF_SUB, TAKEN, OFFSET, CAMERA = 0x8769, 0x9003, 0x9011, 0x0110
"""Tags of EXIF 2.32: the sub-directory, DateTimeOriginal, OffsetTimeOriginal, Model."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PictureMetadata:
    """A picture's format and EXIF data.

    Parameters
    ----------
    format : str or None
        ``jpeg``, ``png``, ``webp``, ``tiff``, ``bmp``, ``gif``, ``avif`` or ``heif``; None if it is none that is known.
    taken : str or None
        When it was taken, by the camera's clock: ``2014-10-25T16:39:20``, with ``+02:00`` where it is known.
    camera : str or None
        The camera's model.
    pictures : int
        How many pictures are in the file; only of TIFF, in which scanners keep many. The first is read.
    """

    format: str | None = None
    taken: str | None = None
    camera: str | None = None
    pictures: int = 1


def read_metadata(data: bytes) -> PictureMetadata:
    """What the bytes of a picture file say of it; damaged or missing details are None, never an error."""
    from PIL import Image  # slow to import at start-up

    if is_heif(data):
        return heif_details(data)
    try:
        with warnings.catch_warnings(action="ignore"), Image.open(io.BytesIO(data)) as header:
            details = details_of(header.format or "", header.getexif())
            return (
                replace(details, pictures=getattr(header, "n_frames", 1))
                if header.format == "TIFF"
                else details
            )
    except (
        *(OSError, SyntaxError, ValueError, TypeError, struct.error, Image.DecompressionBombError),
        RuntimeError,  # of a damaged AVIF file
    ):
        return PictureMetadata()


def heif_details(data: bytes) -> PictureMetadata:
    """The same of a HEIC picture; its format alone where pi-heif is not installed."""
    from PIL import Image

    exif = Image.Exif()
    try:
        import pi_heif

        exif.load(pi_heif.open_heif(data).info.get("exif") or b"")
    except (ImportError, OSError, ValueError, EOFError, RuntimeError, SyntaxError, struct.error):
        return PictureMetadata(format="heif")
    return details_of("heif", exif)


def details_of(kind: str, exif: Any) -> PictureMetadata:
    """The details in EXIF data."""
    try:
        inner = exif.get_ifd(EXIF_SUB)
        camera = str(exif.get(CAMERA) or "").strip("\0 ")
        taken = iso_time(inner.get(TAKEN), inner.get(OFFSET))
    except (OSError, SyntaxError, ValueError, KeyError, TypeError, struct.error):
        return PictureMetadata(format=kind.lower() or None)
    return PictureMetadata(format=kind.lower() or None, taken=taken, camera=camera or None)


def iso_time(taken: object, offset: object) -> str | None:
    """EXIF's ``2014:10:25 16:39:20`` as ISO 8601 writes it; None if it is no time, as where a clock was never set."""
    import datetime

    try:
        moment = datetime.datetime.strptime(str(taken).strip("\0 "), "%Y:%m:%d %H:%M:%S")
    except ValueError:
        return None
    zone = str(offset).strip("\0 ") if offset else ""
    try:
        return datetime.datetime.fromisoformat(moment.isoformat() + zone).isoformat()
    except ValueError:
        return moment.isoformat()
