"""Which page of a TIFF file is its picture; raw files of cameras are TIFF files, too, and cannot be read."""

from __future__ import annotations

import io
from pathlib import Path

from vision.errors import InputError

__all__ = ["find_page", "is_tiff", "raw_file_error"]

_STARTS = (b"II*\0", b"MM\0*", b"II+\0")
_SUBFILE_TYPE, _PHOTOMETRIC, _STRIPS, _STRIP_BYTES = 254, 262, 273, 279
_PLANES, _TILES, _TILE_BYTES, _SUB_PAGES, _DNG_VERSION = 284, 324, 325, 330, 50706
"""Tags (TIFF 6.0, part 1; TIFF Technical Note 1; Adobe DNG 1.7)."""
_SENSOR_VALUES = (32803, 34892)
"""Photometric interpretations of a sensor's values: one colour for each pixel, or not yet balanced."""


def is_tiff(data: bytes) -> bool:
    """Whether a file begins as TIFF does."""
    return data.startswith(_STARTS)


def raw_file_error(path: Path) -> InputError:
    """Return the error for a raw file of a camera."""
    return InputError(f"{path}: a camera's raw file; export it as JPEG")


def find_page(data: bytes, path: Path) -> int:
    """Return the number of the first page that is no thumbnail; 0 if all are.

    Raises
    ------
    InputError
        If the file is a camera's raw file or cut short. Decoders find the latter by themselves where each
        strip or tile has all colours, and fill what is missing where it has one.
    """
    from PIL.TiffImagePlugin import ImageFileDirectory_v2  # slow to import at start-up

    file = io.BytesIO(data)
    page = ImageFileDirectory_v2(data[: 16 if b"+" in data[2:4] else 8])
    starts: list[int] = []
    while page.next and page.next not in starts:
        starts.append(page.next)
        if page.next >= len(data):
            raise _cut_short_error(path)
        file.seek(page.next)
        page.load(file)
        is_thumbnail = bool(page.get(_SUBFILE_TYPE, 0) & 1)
        if len(starts) == 1 and (
            _DNG_VERSION in page
            or page.get(_PHOTOMETRIC) in _SENSOR_VALUES
            or data[8:12] == b"CR\2\0"  # the mark of CR2
            or (is_thumbnail and _SUB_PAGES in page)
        ):
            raise raw_file_error(path)
        if not is_thumbnail:
            parts = zip(
                page.get(_STRIPS) or page.get(_TILES, ()),
                page.get(_STRIP_BYTES) or page.get(_TILE_BYTES, ()),
                strict=False,
            )
            if page.get(_PLANES) == 2 and any(start + length > len(data) for start, length in parts):
                raise _cut_short_error(path)
            return len(starts) - 1
    return 0


def _cut_short_error(path: Path) -> InputError:
    return InputError(f"{path}: the picture is cut short; copy it again from the camera")
