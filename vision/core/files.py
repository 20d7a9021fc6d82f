"""Reading of text files, atomic writing of result files, and checks of output paths."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

import cv2

from scoring import read_text, write_atomically
from vision.core.arrays import Image
from vision.errors import InputError, SettingsError

__all__ = [
    "OWN_MARK",
    "PICTURE_TRAILER",
    "check_folder",
    "check_new_file",
    "check_own_file",
    "check_picture_path",
    "escape_name",
    "name_for_opencv",
    "read_text_file",
    "write_file",
    "write_picture",
]

MAX_TEXT_BYTES = 20_000_000
"""Bytes of a file with settings, players, score sheets or corrections; chosen: 100,000 players."""
MAX_AFTER_MARK = 8
"""Bytes after the mark at most: the end of a comment."""
PICTURE_SUFFIXES = frozenset({".png", ".jpg", ".jpeg", ".webp"})

OWN_MARK = b"Written by Tilesight"
"""Near the end of each picture, film and page that Tilesight writes, so that no other file is overwritten by the next
one."""
PICTURE_TRAILER = b"\x00\x00\x00\x1cfree" + OWN_MARK
"""Ends each picture and film that Tilesight writes. It is a
`free` box (ISO/IEC 14496-12, section 8.1.2); decoders of JPEG, PNG, WebP and AVI ignore what follows the picture."""


def escape_name(text: str) -> str:
    r"""Return a file name as text that can be written as UTF-8; bytes that are not UTF-8 become ``\xe6``."""
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


def name_for_opencv(path: Path) -> str:
    """Return the name by which OpenCV opens a film.

    Raises
    ------
    InputError
        If the name is not UTF-8, which would end the process.
    """
    if escape_name(str(path)) != str(path):
        raise InputError(f"{path}: the name is not UTF-8; rename the file or its folder")
    # FFmpeg takes what is before a colon for a protocol, unless there is a slash.
    return os.path.join(os.curdir, path)


def read_text_file(path: Path, advice: str) -> str:
    """Read a text file in UTF-8, with or without a byte order mark.

    Raises
    ------
    InputError
        If it cannot be read, the message then ends with `advice`, or is not in UTF-8.
    """
    try:
        return read_text(path, MAX_TEXT_BYTES)
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: is not UTF-8 text; save it as UTF-8") from error
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror or error}); {advice}") from error


def write_file(path: Path, data: bytes) -> None:
    """Replace the file's content at once, or leave the file as it was.

    Raises
    ------
    InputError
        If the folder is missing, read-only or full.
    """
    try:
        write_atomically(path, data)
    except OSError as error:
        raise InputError(
            f"{path}: cannot be written ({error.strerror or error}); choose another place"
        ) from error


def check_picture_path(path: Path, inputs: Iterable[str | Path] = (), *, force: bool = False) -> None:
    """Check that a picture can be written there, before any work is done for it.

    Parameters
    ----------
    path : Path
        The picture.
    inputs, force
        As for `check_folder` and `check_own_file`.

    Raises
    ------
    SettingsError
        If the suffix names no picture format, or for the reasons of these two.
    """
    if path.suffix.lower() not in PICTURE_SUFFIXES:
        raise SettingsError(f"{path}: name the picture .png, .jpg or .webp")
    check_folder(path, inputs)
    check_own_file(path, force=force)


def check_own_file(path: Path, *, force: bool = False) -> None:
    """Check that no picture, film or page is overwritten that Tilesight did not write.

    Raises
    ------
    SettingsError
        If the file is there, does not end with `OWN_MARK`, but for a few bytes, and `force` is not given.
    """
    if force or not path.is_file():
        return
    with path.open("rb") as file:
        file.seek(0, os.SEEK_END)
        file.seek(max(0, file.tell() - len(OWN_MARK) - MAX_AFTER_MARK))
        if OWN_MARK not in file.read():
            raise SettingsError(
                f"{path}: the file is there already and Tilesight did not write it; choose another name, or add --force"
            )


def check_new_file(path: Path, *, force: bool = False) -> None:
    """Check that no file is overwritten.

    Raises
    ------
    SettingsError
        If the file is there, and `force` is not given.
    """
    if path.exists() and not force:
        raise SettingsError(f"{path}: the file is there already; choose another name, or add --force")


def check_folder(path: Path, inputs: Iterable[str | Path] = ()) -> None:
    """Check that a file's folder exists and can be written, before any work is done for it.

    Parameters
    ----------
    path : Path
        The file.
    inputs : iterable of str or Path
        Files that it must not overwrite.

    Raises
    ------
    SettingsError
        If there is no such folder, it is read-only, or the file is one of the inputs.
    """
    if path.exists() and any(Path(each).exists() and path.samefile(each) for each in inputs):
        raise SettingsError(f"{path}: this would overwrite an input; choose another name")
    folder = Path(os.path.realpath(path) if path.is_symlink() else path).parent
    if not folder.is_dir():
        raise SettingsError(f"{path}: there is no folder {folder}; make it first")
    if not os.access(folder, os.W_OK) or (path.exists() and not path.is_file()):
        raise SettingsError(f"{path}: cannot be written there; choose another place")


def write_picture(path: Path, image_bgr: Image) -> None:
    """Write a BGR picture in the format that the file's suffix names.

    Raises
    ------
    SettingsError
        If the suffix names no picture format or one that holds no picture of this size, or there is no such folder.
    InputError
        If the file cannot be written.
    """
    check_picture_path(path, force=True)
    is_encoded, data = cv2.imencode(path.suffix.lower(), image_bgr)
    if not is_encoded:
        size = f"{image_bgr.shape[1]}x{image_bgr.shape[0]} px"
        raise SettingsError(
            f"{path}: {size} are too many for a {path.suffix} file; choose a name that ends in .png"
        )
    write_file(path, data.tobytes() + PICTURE_TRAILER)
