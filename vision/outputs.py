"""Writing result files so that a reader never sees half of one."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from scoring.whole_file import write_whole
from vision.errors import InputError, SettingsError

__all__ = ["write_file", "write_picture"]


def write_file(path: Path, data: bytes) -> None:
    """Puts `data` into the file at once, or leaves it as it was.

    Raises
    ------
    InputError
        If the folder is missing, read-only or full.
    """
    try:
        write_whole(path, data)
    except OSError as error:
        raise InputError(
            f"{path}: cannot be written ({error.strerror or error}); choose another place"
        ) from error


def write_picture(path: Path, image_bgr: NDArray[np.uint8]) -> None:
    """Writes a picture in the format that the file's ending names.

    Raises
    ------
    SettingsError
        If the ending names no picture format.
    InputError
        If the file cannot be written.
    """
    suffix = path.suffix.lower()
    if suffix not in {".png", ".jpg", ".jpeg", ".webp"}:
        raise SettingsError(f"{path}: name the picture .png, .jpg or .webp")
    _, data = cv2.imencode(suffix, image_bgr)
    write_file(path, data.tobytes())
