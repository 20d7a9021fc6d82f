"""Zip archives, read member by member into memory: nothing is unpacked, so nothing can be written anywhere."""

from __future__ import annotations

import functools
import lzma
import struct
import zipfile
import zlib
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from vision.capture import IMAGE_SUFFIXES, MAX_MEGABYTES
from vision.errors import InputError

__all__ = ["ARCHIVE_SUFFIXES", "Member", "members_of", "read_member"]

ARCHIVE_SUFFIXES = frozenset({".zip"})
MAX_MEMBERS = 1_000_000
MAX_TIMES_SMALLER = 200
"""No photo packs so well; what does is an archive that is made to fill a memory or a disk."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """A picture in an archive.

    Parameters
    ----------
    name : str
        Its name there.
    problem : str or None
        Why it must not be opened; one line.
    """

    name: str
    problem: str | None = None


def members_of(path: Path) -> list[Member]:
    """The pictures of an archive.

    Raises
    ------
    InputError
        If it cannot be opened, or is no zip archive.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            entries = archive.infolist()
    except FileNotFoundError:
        raise InputError(f"{path}: there is no such file; check the name") from None
    except OSError as error:
        raise InputError(f"{path}: cannot be opened ({error.strerror or error})") from error
    # zipfile says NotImplementedError of an archive that asks for a newer version of the format
    except (zipfile.BadZipFile, NotImplementedError, ValueError) as error:
        raise InputError(f"{path}: the archive is damaged ({error}); copy it again") from error
    if len(entries) > MAX_MEMBERS:
        raise InputError(f"{path}: {len(entries)} files in one archive; at most {MAX_MEMBERS} are read")
    members = {}
    for entry in entries:
        name = place_of(entry)
        hidden = any(part.startswith((".", "__MACOSX")) and part != ".." for part in name.parts)
        nested = name.suffix.lower() in ARCHIVE_SUFFIXES
        folder = entry.filename.endswith("/")  # `is_dir` fails on a name of no characters
        if not folder and not hidden and (nested or name.suffix.lower() in IMAGE_SUFFIXES):
            problem = problem_of(path, entry)
            # Of two entries of one name the later one counts, as for every program that unpacks.
            members[entry.filename] = Member(name=entry.filename, problem=problem)
    return list(members.values())


def place_of(entry: zipfile.ZipInfo) -> PurePosixPath:
    """Where a member would lie, whichever system packed it."""
    return PurePosixPath(entry.filename.replace("\\", "/"))


def problem_of(path: Path, entry: zipfile.ZipInfo) -> str | None:
    """Why a member must not be opened, None if it may."""
    name = f"{path}/{entry.filename}"
    inside = place_of(entry)
    if inside.is_absolute() or ".." in inside.parts or inside.parts[0].endswith(":"):
        return f"{name}: the name leads out of the archive; it is not opened"
    if inside.suffix.lower() in ARCHIVE_SUFFIXES:
        return f"{name}: an archive in an archive is not opened; unpack it first"
    if entry.flag_bits & 0x1:
        return f"{name}: is encrypted; unpack it with its password first"
    if entry.file_size > MAX_MEGABYTES * 1_000_000:
        return f"{name}: {entry.file_size / 1e6:.0f} MB are too many for a picture; at most {MAX_MEGABYTES} MB are read"
    if entry.file_size > MAX_TIMES_SMALLER * max(1, entry.compress_size):
        times = entry.file_size // max(1, entry.compress_size)
        return f"{name}: packed {times} times smaller, as no photo is; it is not opened"
    return None


def read_member(path: Path, name: str) -> bytes:
    """A member's bytes; no more than its entry says are ever unpacked.

    Raises
    ------
    InputError
        If it is damaged.
    """
    try:
        status = path.stat()
        data = kept_open(path, status.st_mtime_ns, status.st_size).read(name)
    except (
        OSError,
        KeyError,
        ValueError,
        zipfile.BadZipFile,
        zlib.error,
        lzma.LZMAError,
        struct.error,
        EOFError,
        RuntimeError,  # a password is wanted; its NotImplementedError: a packing method that is unknown
    ) as error:
        raise InputError(f"{path}/{name}: cannot be unpacked ({error}); copy the archive again") from error
    if not data:
        raise InputError(f"{path}/{name}: the file is empty; copy it again from the camera")
    return data


@functools.lru_cache(maxsize=1)
def kept_open(path: Path, changed_ns: int, size: int) -> zipfile.ZipFile:
    """The archive, open until another one is read: its list of members is long, and they are read in turn.

    Parameters
    ----------
    path : Path
        The archive.
    changed_ns, size : int
        When it was changed, and its size: one that is written anew is opened anew.
    """
    return zipfile.ZipFile(path)
