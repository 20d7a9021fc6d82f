"""Picture files, and folders of them."""

from __future__ import annotations

import functools
import io
import os
import re
import stat
import struct
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.capture.heif import decode_heif, heif_size, is_heif
from vision.capture.tiff import find_page, is_tiff, raw_file_error
from vision.core import Frame, Reduction, decode_image
from vision.errors import InputError

if TYPE_CHECKING:
    from PIL.Image import Image as PillowImage

__all__ = [
    "IMAGE_SUFFIXES",
    "MAX_MEGABYTES",
    "MAX_MEGAPIXELS",
    "decode_picture",
    "find_segments",
    "is_complete_jpeg",
    "list_pictures",
    "name_format",
    "natural_order",
    "open_picture",
    "read_bytes",
    "take_pixels",
]

IMAGE_SUFFIXES = frozenset(
    {
        *(".jpg", ".jpeg", ".jpe", ".jfif", ".png", ".webp", ".tif", ".tiff"),
        *(".bmp", ".gif", ".heic", ".heif", ".hif", ".avif"),
    }
)
_FILM_SUFFIXES = frozenset(
    {
        *(".mp4", ".m4v", ".mov", ".mkv", ".avi", ".webm", ".3gp"),
        *(".ts", ".mts", ".m2ts", ".mpg", ".mpeg", ".dv", ".wmv"),
    }
)
_RAW_SUFFIXES = frozenset(
    {
        *(".dng", ".nef", ".nrw", ".cr2", ".cr3", ".crw"),
        *(".arw", ".raf", ".orf", ".rw2", ".pef", ".srw", ".3fr"),
    }
)
_FILM_STARTS = (b"ftypiso", b"ftypmp4", b"ftypavc1", b"ftypM4V", b"ftyp3gp", b"ftypqt  ")
"""How films begin after their first four bytes; HEIC and AVIF pictures and CR3 raw files have other brands."""
_FORMATS = "JPEG, PNG, WebP, TIFF, BMP, GIF, AVIF, HEIC"
MAX_MEGAPIXELS = 120
"""Pixels at most, in millions: a larger picture takes over 1 GB to decode (chosen)."""
MAX_MEGABYTES = 256
"""Millions of bytes of a file at most: only uncompressed pictures of more than 40 megapixels are larger (chosen)."""
_MIN_SIDE_PX = 100
"""Side at least: 15 squares need about six pixels each before their colours can be distinguished (chosen)."""
_DECODERS = {1: cv2.IMREAD_COLOR, 2: cv2.IMREAD_REDUCED_COLOR_2, 4: cv2.IMREAD_REDUCED_COLOR_4}
"""OpenCV's decoders by the factor by which they reduce a picture."""
_MIN_MEGAPIXELS = {2: 4.4, 4: 48.0}
"""Pixels, in millions, from which a picture may be reduced by a factor: squares of a board over two thirds of it keep
36 pixels. A larger picture keeps more, since to open it again with all pixels takes longer (chosen)."""
_MIN_REDUCED_PX = 540
"""Shorter side of a reduced picture at least: squares of a board over all of it keep 36 pixels (chosen)."""
_GAP = bytes(512)
"""Zeros of a sector that was not written; the scans of 218 photos and of rendered pictures have at most 6 in a row."""
_MARKER = re.compile(rb"\xff[^\0\xd0-\xd7\xff]")
"""A marker that ends a scan of a JPEG: not a stuffed byte, a restart marker or padding."""


def open_picture(path: Path, index: int = 0, time_s: float = 0.0, *, may_reduce: bool = False) -> Frame:
    """Open a picture file as 8-bit BGR, turned upright.

    Parameters
    ----------
    path : Path
        A JPEG, PNG, WebP, TIFF, BMP, GIF, AVIF or HEIC file; grey and 16-bit pictures are converted, transparency is
        dropped.
    index : int
        Its place in a sequence.
    time_s : float
        Its time in a video, in seconds.
    may_reduce : bool
        Whether a large JPEG picture may be opened with half or a quarter of its pixels a side, which is faster. It
        keeps at least 1.1 million pixels, and 540 on its shorter side.

    Raises
    ------
    InputError
        If the file is missing, a folder, empty, cut short, no picture, too small or too large.
    MissingProgramError
        If it is a HEIC file and pi-heif is not installed.
    """
    return decode_picture(read_bytes(path), path, index, time_s, may_reduce=may_reduce)


def take_pixels(image_bgr: NDArray[np.uint8]) -> Frame:
    """Return the picture of these pixels, (height, width, 3) BGR. They are copied, since cameras write over theirs.

    Raises
    ------
    InputError
        If there are too few or too many.
    """
    height, width, _ = image_bgr.shape
    _check_size(width, height, Path("photo"))
    return Frame(image_bgr=image_bgr.copy(), source="photo")


def decode_picture(
    data: bytes, path: Path, index: int = 0, time_s: float = 0.0, *, may_reduce: bool = False
) -> Frame:
    """Decode the bytes of a picture file, as `open_picture` does.

    Parameters
    ----------
    data : bytes
        Content of the file.
    path : Path
        Its name, for messages.
    index, time_s, may_reduce
        As for `open_picture`.

    Raises
    ------
    InputError
        If they are cut short, no picture, too small or too large.
    MissingProgramError
        If it is a HEIC file and pi-heif is not installed.
    """
    if is_heif(data):
        _check_size(*heif_size(data, path), path)
        pixels = decode_heif(data, path)
        return Frame(image_bgr=pixels, source=str(path), index=index, time_s=time_s)
    kind, (width, height), page = _check_picture(data, path)
    silence_decoders()
    factor = _reduction_factor(width, height) if may_reduce and kind == "JPEG" else 1
    image = _decode_avif(data) if kind == "AVIF" else decode_image(data, _DECODERS[factor], page)
    if image is None:
        raise _damaged_error(path)
    reduction = None
    if factor > 1:
        if (image.shape[1] < image.shape[0]) != (width < height):  # turned upright
            width, height = height, width
        reduction = Reduction(
            factor=factor,
            size_px=(width, height),
            open_full=functools.partial(decode_picture, data, path, index, time_s),
        )
    return Frame(
        image_bgr=image,
        source=str(path),
        index=index,
        time_s=time_s,
        reduction=reduction,
    )


def _reduction_factor(width: int, height: int) -> int:
    """Return by how much a picture of this size may be reduced."""
    factors = [
        factor
        for factor, millions in _MIN_MEGAPIXELS.items()
        if width * height >= millions * 1e6 and min(width, height) >= factor * _MIN_REDUCED_PX
    ]
    return max(factors, default=1)


def read_bytes(path: Path) -> bytes:
    """Read a picture file.

    Raises
    ------
    InputError
        If it is missing, no file, empty or too large.
    """
    try:
        status = path.stat()
        if stat.S_ISDIR(status.st_mode):
            raise InputError(f"{path}: this is a folder; name pictures, or use 'tilesight watch' on a folder")
        if not stat.S_ISREG(status.st_mode):  # a pipe or a device may never end
            raise InputError(f"{path}: not a file but a device or a pipe; name a picture file")
        if status.st_size > MAX_MEGABYTES * 1_000_000:
            if path.suffix.lower() in _FILM_SUFFIXES:
                raise _film_error(path)
            raise InputError(
                f"{path}: {status.st_size / 1e6:.0f} MB are too many for a picture; at most {MAX_MEGABYTES} MB are read"
            )
        data = path.read_bytes()
    except FileNotFoundError:
        if re.match(r"-$|\w{2,}:/", str(path)):  # a path has one slash where the address has two
            raise InputError(
                f"{path}: addresses and standard input are not read here; save the picture to a file, and name it"
            ) from None
        raise InputError(f"{path}: there is no such file; check the name") from None
    except OSError as error:
        raise InputError(f"{path}: cannot be opened ({error.strerror or error})") from error
    if not data:
        raise InputError(f"{path}: the file is empty; copy it again from the camera")
    return data


@functools.cache
def silence_decoders() -> None:
    """Keep the decoders' own messages off standard error: ours name the file and what to do."""
    os.environ.setdefault("OPENCV_FFMPEG_LOGLEVEL", "-8")  # read when the first film is opened; -8 is quiet
    cv2.utils.logging.setLogLevel(cv2.utils.logging.LOG_LEVEL_SILENT)


def _decode_avif(data: bytes) -> NDArray[np.uint8] | None:
    """Decode an AVIF picture, upright; None if it is damaged. OpenCV reads these, but does not rotate them."""
    from PIL import Image, ImageOps  # slow to import at start-up

    try:
        with Image.open(io.BytesIO(data)) as picture:
            pixels = np.asarray(ImageOps.exif_transpose(picture).convert("RGB"))
    except (OSError, SyntaxError, ValueError, RuntimeError):
        return None
    return np.asarray(cv2.cvtColor(pixels, cv2.COLOR_RGB2BGR), dtype=np.uint8)


def name_format(header: PillowImage) -> str | None:
    """Return Pillow's name of a picture's format; of MPO, a JPEG file that holds further pictures, JPEG."""
    return "JPEG" if header.format == "MPO" else header.format


def _check_picture(data: bytes, path: Path) -> tuple[str | None, tuple[int, int], int]:
    """Check a picture without decoding it.

    Returns
    -------
    str or None
        Pillow's name of its format.
    (int, int)
        Its width and height as stored.
    int
        The number of its page in a TIFF file, else 0.

    Raises
    ------
    InputError
        If it is no picture, is cut short, or has an impossible size.
    """
    from PIL import Image, UnidentifiedImageError  # only its header parser; slow to import at start-up

    try:
        # A damaged header makes Pillow warn before it fails; the failure is enough.
        with warnings.catch_warnings(action="ignore"):
            page = find_page(data, path) if is_tiff(data) else 0
        with warnings.catch_warnings(action="ignore"), Image.open(io.BytesIO(data)) as header:
            if page:
                header.seek(page)
            (width, height), kind = header.size, name_format(header)
            if kind == "PNG":
                header.verify()  # reads the checksums, not the pixels
    except UnidentifiedImageError:
        if path.suffix.lower() in _RAW_SUFFIXES or data.startswith(b"ftypcrx ", 4):
            raise raw_file_error(path) from None
        if path.suffix.lower() in _FILM_SUFFIXES or data.startswith(_FILM_STARTS, 4):
            raise _film_error(path) from None
        if is_tiff(data) or (data[4:8] == b"ftyp" and b"avif" in data[8:40]):
            raise _damaged_error(path) from None
        raise InputError(f"{path}: not a picture that can be read; {_FORMATS} can") from None
    except Image.DecompressionBombError:
        raise InputError(
            f"{path}: far too many pixels; shrink it below {MAX_MEGAPIXELS} megapixels"
        ) from None
    except (
        *(OSError, SyntaxError, ValueError, TypeError, EOFError, struct.error),
        RuntimeError,  # of a damaged AVIF file
    ) as error:
        raise _damaged_error(path, f" ({error})") from error
    _check_size(width, height, path)
    if kind == "JPEG" and not is_complete_jpeg(data):
        raise InputError(
            f"{path}: the JPEG of {len(data)} bytes is cut short or has a gap; copy it again from the camera"
        )
    return kind, (width, height), page


def _damaged_error(path: Path, reason: str = "") -> InputError:
    return InputError(
        f"{path}: the picture is damaged or of an unusual kind{reason}; "
        "copy it again from the camera, or save it as PNG or JPEG"
    )


def _film_error(path: Path) -> InputError:
    return InputError(
        f"{path}: a film, and no picture; follow it with 'tilesight watch', "
        "or save a picture of it with: ffmpeg -ss SECONDS -i FILM -frames:v 1 out.png"
    )


def _check_size(width: int, height: int, path: Path) -> None:
    """Raise `InputError` for a picture with too many or too few pixels."""
    if width * height > MAX_MEGAPIXELS * 1_000_000:
        raise InputError(
            f"{path}: {width}x{height} pixels are too many to decode safely; "
            f"shrink it below {MAX_MEGAPIXELS} megapixels"
        )
    if min(width, height) < _MIN_SIDE_PX:
        raise InputError(
            f"{path}: {width}x{height} pixels cannot show a board; at least {_MIN_SIDE_PX} a side are needed"
        )


def is_complete_jpeg(data: bytes) -> bool:
    """Whether the main image has an end marker and no gap of zeros; decoders silently fill what is missing.

    Gaps are not searched for where zeros may be an area of one colour: in progressive JPEGs, and with other codes.

    References
    ----------
    ITU-T T.81, Annex B: segments carry their length; the scan's data ends with the EOI marker FF D9.
    """
    segments, scan = find_segments(data)
    if data[scan : scan + 2] != b"\xff\xda":
        return False
    is_sequential = any(marker in (0xC0, 0xC1) for marker, _ in segments)
    if is_sequential and any(
        marker == 0xC4 and _encodes_values_as_zeros(data[content]) for marker, content in segments
    ):
        gap = data.find(_GAP, scan)
        if gap >= 0 and not _MARKER.search(data, scan + 2, gap):
            return False
    # most files end with the marker, which saves the search
    return data.endswith(b"\xff\xd9") or data.find(b"\xff\xd9", scan) >= 0


def find_segments(data: bytes | bytearray, start: int = 0) -> tuple[list[tuple[int, slice]], int]:
    """Return the segments of the JPEG at `start`, which hold thumbnails, and where they end.

    Each has its marker and its content's place. They mostly end where the scan begins. See ITU-T T.81, Annex B.
    """
    segments, position = [], start + 2
    while position + 4 <= len(data) and data[position] == 0xFF:
        marker = data[position + 1]
        if marker in (0xD9, 0xDA):  # end of image, start of scan
            break
        if marker == 0xFF:  # padding
            position += 1
            continue
        end = position + 2 + int.from_bytes(data[position + 2 : position + 4], "big")
        segments.append((marker, slice(position + 4, end)))
        position = end
    return segments, position


def _encodes_values_as_zeros(tables: bytes) -> bool:
    """Whether zero bits are the code of a value in the first AC table of these, and not of a block's end.

    An area of one colour is many ends of blocks; so many equal values would be no picture. See ITU-T T.81, Annexes B
    and C: a table has the number of codes of each length and their symbols, of which the first one's bits are zeros.
    """
    at = 0
    while at + 17 < len(tables):
        if tables[at] == 0x10:
            return tables[at + 17] & 0x0F > 0
        at += 17 + sum(tables[at + 1 : at + 17])
    return False


def natural_order(path: Path) -> list[list[tuple[int, int, str]]]:
    """Return a sort key that goes folder by folder.

    It puts ``image-2.jpg`` before ``image-10.jpg``, and ``image.jpg`` before its copy ``image (1).jpg``.
    """
    return [[*_split_numbers(Path(part).stem), (0, 0, Path(part).suffix.casefold())] for part in path.parts]


def _split_numbers(name: str) -> Iterator[tuple[int, int, str]]:
    for part in re.split(r"(\d+)", name.casefold()):
        yield (1, int(part), "") if part.isdecimal() else (0, 0, part)


def list_pictures(folder: Path) -> list[Path]:
    """Return the picture files of a folder in natural name order.

    Raises
    ------
    InputError
        If the folder is missing, cannot be listed, or holds no picture.
    """
    try:
        entries = list(folder.iterdir())
        found = [
            entry
            for entry in entries
            # hidden files hold another system's metadata, not a picture
            if entry.suffix.lower() in IMAGE_SUFFIXES and not entry.name.startswith(".")
        ]
    except FileNotFoundError:
        raise InputError(f"{folder}: there is no such folder; check the name") from None
    except NotADirectoryError:
        raise InputError(f"{folder}: this is a file, not a folder of pictures") from None
    except OSError as error:
        raise InputError(f"{folder}: cannot be listed ({error.strerror or error})") from error
    if not found:
        if any(entry.suffix.lower() in _FILM_SUFFIXES for entry in entries):
            raise InputError(
                f"{folder}: the folder holds films and no picture; name one film; of a film in parts, name one part "
                "after the other, with the same --journal"
            )
        kinds = ", ".join(sorted(IMAGE_SUFFIXES))
        raise InputError(f"{folder}: the folder holds no picture ({kinds})")
    return sorted(found, key=natural_order)
