"""Atomic writing of result files, and checks of output paths."""

from __future__ import annotations

import os
from pathlib import Path

import cv2

from scoring import write_atomically
from vision.core.arrays import Image
from vision.errors import InputError, SettingsError

__all__ = ["check_folder", "check_picture_path", "write_file", "write_picture"]

PICTURE_SUFFIXES = frozenset({".png", ".jpg", ".jpeg", ".webp"})


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


def check_picture_path(path: Path) -> None:
    """Check that a picture can be written there, before any work is done for it.

    Raises
    ------
    SettingsError
        If the suffix names no picture format, or there is no such folder.
    """
    if path.suffix.lower() not in PICTURE_SUFFIXES:
        raise SettingsError(f"{path}: name the picture .png, .jpg or .webp")
    check_folder(path)


def check_folder(path: Path) -> None:
    """Check that the file's folder exists and can be written, before any work is done for it.

    Raises
    ------
    SettingsError
        If there is no such folder, or it is read-only.
    """
    if not path.parent.is_dir():
        raise SettingsError(f"{path}: there is no folder {path.parent}; make it first")
    if not os.access(path.parent, os.W_OK) or path.is_dir():
        raise SettingsError(f"{path}: cannot be written there; choose another place")


def write_picture(path: Path, image_bgr: Image) -> None:
    """Write a BGR picture in the format that the file's suffix names.

    Raises
    ------
    SettingsError
        If the suffix names no picture format, or there is no such folder.
    InputError
        If the file cannot be written.
    """
    check_picture_path(path)
    _, data = cv2.imencode(path.suffix.lower(), image_bgr)
    write_file(path, data.tobytes())
