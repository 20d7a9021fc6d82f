"""Picture files and folders of them."""

from __future__ import annotations

import functools
import io
import os
import re
import stat
import struct
import warnings
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.capture.heif import decode_heif, heif_size, is_heif
from vision.core import Frame
from vision.errors import InputError

__all__ = [
    "IMAGE_SUFFIXES",
    "MAX_MEGABYTES",
    "MAX_MEGAPIXELS",
    "decode_picture",
    "list_pictures",
    "natural_order",
    "open_picture",
    "read_bytes",
]

IMAGE_SUFFIXES = frozenset(
    {
        *(".jpg", ".jpeg", ".jpe", ".jfif", ".png", ".webp", ".tif", ".tiff"),
        *(".bmp", ".gif", ".heic", ".heif", ".avif"),
    }
)
KINDS = "JPEG, PNG, WebP, TIFF, BMP, GIF, AVIF and HEIC"
MAX_MEGAPIXELS = 120
"""A larger picture would take over 1 GB to decode; no camera that films a board makes one."""
MAX_MEGABYTES = 256
"""No picture of at most MAX_MEGAPIXELS is larger in any of the formats but uncompressed 16-bit ones."""
MIN_SIDE_PX = 100
"""15 squares need about six pixels each before even their colours can be told apart."""


def open_picture(path: Path, index: int = 0, time_s: float = 0.0) -> Frame:
    """The picture in a file, as 8-bit BGR and turned upright.

    Parameters
    ----------
    path : Path
        A JPEG, PNG, WebP, TIFF, BMP, GIF, AVIF or HEIC file; grey and 16-bit pictures are converted, transparency is
        dropped.
    index : int
        Its place in a sequence.
    time_s : float
        Its time in a film.

    Raises
    ------
    InputError
        If the file is missing, a folder, empty, cut short, no picture, too small or too large.
    MissingProgramError
        If it is a HEIC file and pi-heif is not installed.
    """
    return decode_picture(read_bytes(path), path, index, time_s)


def decode_picture(data: bytes, path: Path, index: int = 0, time_s: float = 0.0) -> Frame:
    """The picture in a file's bytes, as `open_picture` gives it; `path` is named in messages.

    Raises
    ------
    InputError
        If they are cut short, no picture, too small or too large.
    MissingProgramError
        If it is a HEIC file and pi-heif is not installed.
    """
    if is_heif(data):
        check_size(*heif_size(data, path), path)
        pixels = decode_heif(data, path)
        return Frame(image_bgr=pixels, source=str(path), index=index, time_s=time_s)
    kind = check_picture(data, path)
    silence_decoders()
    image = (
        avif_image(data) if kind == "AVIF" else cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR)
    )
    if image is None:
        raise InputError(f"{path}: the picture's data cannot be decoded; it is damaged, or none of {KINDS}")
    return Frame(image_bgr=np.asarray(image, dtype=np.uint8), source=str(path), index=index, time_s=time_s)


def read_bytes(path: Path) -> bytes:
    """The file's bytes; raises InputError where there are none."""
    try:
        status = path.stat()
        if stat.S_ISDIR(status.st_mode):
            raise InputError(f"{path}: this is a folder; name pictures, or use 'tilesight watch' on a folder")
        if not stat.S_ISREG(status.st_mode):  # a pipe or a device may never end
            raise InputError(f"{path}: not a file but a device or a pipe; name a picture file")
        if status.st_size > MAX_MEGABYTES * 1_000_000:
            raise InputError(
                f"{path}: {status.st_size / 1e6:.0f} MB are too many for a picture; at most {MAX_MEGABYTES} MB are read"
            )
        data = path.read_bytes()
    except FileNotFoundError:
        raise InputError(f"{path}: there is no such file; check the name") from None
    except OSError as error:
        raise InputError(f"{path}: cannot be opened ({error.strerror or error})") from error
    if not data:
        raise InputError(f"{path}: the file is empty; copy it again from the camera")
    return data


@functools.cache
def silence_decoders() -> None:
    """Keeps the decoders' own lines about damaged files off standard error: ours name the file and what to do."""
    os.environ.setdefault("OPENCV_FFMPEG_LOGLEVEL", "-8")  # read when the first film is opened; -8 is quiet
    cv2.utils.logging.setLogLevel(cv2.utils.logging.LOG_LEVEL_SILENT)


def avif_image(data: bytes) -> NDArray[np.uint8] | None:
    """The picture of an AVIF file, upright; None if it is damaged. OpenCV reads these, but does not turn them."""
    from PIL import Image, ImageOps  # slow to import at start-up

    try:
        with Image.open(io.BytesIO(data)) as picture:
            pixels = np.asarray(ImageOps.exif_transpose(picture).convert("RGB"))
    except (OSError, SyntaxError, ValueError, RuntimeError):
        return None
    return np.asarray(cv2.cvtColor(pixels, cv2.COLOR_RGB2BGR), dtype=np.uint8)


def check_picture(data: bytes, path: Path) -> str | None:
    """Which kind it is, as Pillow calls it.

    Raises
    ------
    InputError
        If it is no picture, is cut short, or has an impossible size; it is not decoded.
    """
    from PIL import Image, UnidentifiedImageError  # only its header parser; slow to import at start-up

    try:
        # A damaged header makes Pillow warn before it fails; the failure says enough.
        with warnings.catch_warnings(action="ignore"), Image.open(io.BytesIO(data)) as header:
            (width, height), kind = header.size, header.format
            if kind == "PNG":
                header.verify()  # reads the checksums, not the pixels
    except UnidentifiedImageError:
        raise InputError(f"{path}: not a picture that can be read; {KINDS} can") from None
    except Image.DecompressionBombError:
        raise InputError(
            f"{path}: far too many pixels; shrink it below {MAX_MEGAPIXELS} megapixels"
        ) from None
    except (OSError, SyntaxError, ValueError, struct.error, RuntimeError) as error:  # the last one: AVIF
        raise InputError(
            f"{path}: the picture is damaged ({error}); copy it again from the camera"
        ) from error
    check_size(width, height, path)
    if kind == "JPEG" and not jpeg_is_complete(data):
        raise InputError(
            f"{path}: the JPEG is cut short after {len(data)} bytes; copy it again from the camera"
        )
    return kind


def check_size(width: int, height: int, path: Path) -> None:
    """Refuses a picture with far too many pixels or too few."""
    if width * height > MAX_MEGAPIXELS * 1_000_000:
        raise InputError(
            f"{path}: {width}x{height} pixels are too many to decode safely; "
            f"shrink it below {MAX_MEGAPIXELS} megapixels"
        )
    if min(width, height) < MIN_SIDE_PX:
        raise InputError(
            f"{path}: {width}x{height} pixels cannot show a board; at least {MIN_SIDE_PX} a side are needed"
        )


def jpeg_is_complete(data: bytes) -> bool:
    """Whether the main image's end marker is there; decoders fill a missing rest with grey and say nothing.

    References
    ----------
    ITU-T T.81, Annex B: segments carry their length; the scan's data ends with the EOI marker FF D9.
    """
    position = 2
    while position + 4 <= len(data) and data[position] == 0xFF:
        marker = data[position + 1]
        if marker == 0xFF:  # padding
            position += 1
            continue
        if marker == 0xDA:  # start of scan; thumbnails lie in the segments before it
            # most files end with it, so that it need not be searched for
            return data.endswith(b"\xff\xd9") or data.find(b"\xff\xd9", position) >= 0
        position += 2 + int.from_bytes(data[position + 2 : position + 4], "big")
    return False


def natural_order(path: Path) -> list[tuple[int, int, str]]:
    """A sort key that puts ``image-2`` before ``image-10``."""
    parts = re.split(r"(\d+)", path.name.casefold())
    return [(1, int(part), "") if part.isdecimal() else (0, 0, part) for part in parts]


def list_pictures(folder: Path) -> list[Path]:
    """The picture files of a folder in name order, numbers in names counted as numbers.

    Raises
    ------
    InputError
        If the folder is missing, cannot be listed, or holds no picture.
    """
    try:
        found = [
            entry
            for entry in folder.iterdir()
            # hidden files are another system's notes on a picture, not the picture
            if entry.suffix.lower() in IMAGE_SUFFIXES and not entry.name.startswith(".")
        ]
    except FileNotFoundError:
        raise InputError(f"{folder}: there is no such folder; check the name") from None
    except NotADirectoryError:
        raise InputError(f"{folder}: this is a file, not a folder of pictures") from None
    except OSError as error:
        raise InputError(f"{folder}: cannot be listed ({error.strerror or error})") from error
    if not found:
        kinds = ", ".join(sorted(IMAGE_SUFFIXES))
        raise InputError(f"{folder}: the folder holds no picture ({kinds})")
    return sorted(found, key=natural_order)
