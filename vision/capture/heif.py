"""Decode HEIC and HEIF pictures, as phones store them, if the package pi-heif is installed.

pi-heif is used and not pillow-heif: it is the same code without the encoders, which would bring x265 under the GPL.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import cv2
import numpy as np

from vision.core import Image
from vision.errors import INSTALL_AGAIN, InputError, MissingProgramError

__all__ = ["decode_heif", "heif_size", "is_heif"]

_HEIF_BRANDS = frozenset({b"heic", b"heix", b"heim", b"heis", b"hevc", b"hevx", b"mif1", b"msf1", b"heif"})
"""Brands of HEVC pictures, or of pictures of any kind (ISO/IEC 23008-12, Annex B)."""
_AVIF_BRANDS = frozenset({b"avif", b"avis"})
"""Brands of AV1 pictures, which pi-heif cannot decode and Pillow can; some files name them only after ``mif1``."""


def is_heif(data: bytes) -> bool:
    """Whether the ``ftyp`` box of a file names HEIF and not AVIF."""
    if data[4:8] != b"ftyp" or data[8:12] not in _HEIF_BRANDS:
        return False
    end = min(int.from_bytes(data[:4], "big"), len(data))  # the compatible brands fill the rest of the box
    return _AVIF_BRANDS.isdisjoint(data[start : start + 4] for start in range(16, end, 4))


def heif_size(data: bytes, path: Path) -> tuple[int, int]:
    """Return width and height of the picture, from its header alone.

    Raises
    ------
    InputError
        If the header is damaged.
    MissingProgramError
        If pi-heif is not installed.
    """
    width, height = _open(data, path).size
    return int(width), int(height)


def decode_heif(data: bytes, path: Path) -> Image:
    """Decode the picture to 8-bit BGR, turned upright; its rotation is part of the format.

    Raises
    ------
    InputError
        If it cannot be decoded.
    MissingProgramError
        If pi-heif is not installed.
    """
    picture = _open(data, path)
    try:
        pixels = np.array(picture)  # a copy: the array would not keep the package's memory alive
    except (OSError, ValueError, EOFError, RuntimeError, SyntaxError) as error:
        raise _damaged(path, error) from error
    if pixels.ndim == 2:
        return np.asarray(cv2.cvtColor(pixels, cv2.COLOR_GRAY2BGR), dtype=np.uint8)
    return np.ascontiguousarray(pixels[..., :3], dtype=np.uint8)


def _open(data: bytes, path: Path) -> Any:
    """Read the file's header."""
    try:
        import pi_heif
    except ImportError as error:
        raise MissingProgramError(
            f"{path}: HEIC pictures need the package pi-heif; {INSTALL_AGAIN}"
        ) from error
    try:
        opened = pi_heif.open_heif(data, bgr_mode=True)
    except (OSError, ValueError, EOFError, RuntimeError, SyntaxError) as error:
        raise _damaged(path, error) from error
    if not len(opened):
        raise _damaged(path, ValueError("it holds no picture"))
    return opened


def _damaged(path: Path, error: Exception) -> InputError:
    """Return the error for a HEIC picture that cannot be read."""
    return InputError(
        f"{path}: the HEIC picture is damaged ({' '.join(str(error).split())}); copy it again from the camera"
    )
