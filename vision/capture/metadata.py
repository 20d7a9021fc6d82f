"""Format and EXIF metadata of a picture file."""

from __future__ import annotations

import io
import struct
import warnings
from dataclasses import dataclass, replace
from typing import Any

from vision.capture.heif import is_heif
from vision.capture.images import name_format

__all__ = ["PictureMetadata", "read_metadata"]


@dataclass(frozen=True, slots=True, kw_only=True)
class PictureMetadata:
    """A picture's format and EXIF data.

    Parameters
    ----------
    format : str or None
        ``jpeg``, ``png``, ``webp``, ``tiff``, ``bmp``, ``gif``, ``avif`` or ``heif``; None if it is unknown.
    taken : str or None
        Time by the camera's clock: ``2014-10-25T16:39:20``, with ``+02:00`` where that is known.
    camera : str or None
        The camera's model.
    pictures : int
        Number of pictures in the file; more than 1 only for TIFF, as from scanners. One is read.
    """

    format: str | None = None
    taken: str | None = None
    camera: str | None = None
    pictures: int = 1

    @property
    def remark(self) -> str | None:
        """A line for the user on pictures of the file that are not read; None without them."""
        if self.pictures == 1:
            return None
        return f"{self.pictures} pictures are in the file, and one of them is read; save each by itself"


def read_metadata(data: bytes) -> PictureMetadata:
    """Read the metadata in the bytes of a picture file; damaged or missing entries are None, never an error."""
    from PIL import Image  # slow to import at start-up

    if is_heif(data):
        return _read_heif_metadata(data)
    try:
        with warnings.catch_warnings(action="ignore"), Image.open(io.BytesIO(data)) as header:
            metadata = _parse_exif(name_format(header) or "", header.getexif())
            return (
                replace(metadata, pictures=getattr(header, "n_frames", 1))
                if header.format == "TIFF"
                else metadata
            )
    except (
        *(OSError, SyntaxError, ValueError, TypeError, struct.error, Image.DecompressionBombError),
        RuntimeError,  # of a damaged AVIF file
    ):
        return PictureMetadata()


def _read_heif_metadata(data: bytes) -> PictureMetadata:
    """Read the metadata of a HEIC picture; its format alone if pi-heif is not installed."""
    from PIL import Image

    exif = Image.Exif()
    try:
        import pi_heif

        exif.load(pi_heif.open_heif(data).info.get("exif") or b"")
    except (ImportError, LookupError, OSError, ValueError, EOFError, RuntimeError, SyntaxError, struct.error):
        return PictureMetadata(format="heif")
    return _parse_exif("heif", exif)


def _parse_exif(kind: str, exif: Any) -> PictureMetadata:
    """Return the metadata in EXIF data."""
    from PIL.ExifTags import IFD, Base

    try:
        inner = exif.get_ifd(IFD.Exif)
        camera = str(exif.get(Base.Model) or "").strip("\0 ")
        taken = _iso_time(inner.get(Base.DateTimeOriginal), inner.get(Base.OffsetTimeOriginal))
    except (OSError, SyntaxError, ValueError, KeyError, TypeError, struct.error):
        return PictureMetadata(format=kind.lower() or None)
    return PictureMetadata(format=kind.lower() or None, taken=taken, camera=camera or None)


def _iso_time(taken: object, offset: object) -> str | None:
    """Convert EXIF's ``2014:10:25 16:39:20`` to ISO 8601; None if it is no time, as of a clock that was never set."""
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
