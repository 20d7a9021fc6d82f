"""Read zip archives member by member into memory: nothing is unpacked to the disk, so nothing can be overwritten."""

from __future__ import annotations

import functools
import zipfile
from collections import Counter
from pathlib import Path, PurePosixPath

from vision.capture import IMAGE_SUFFIXES, MAX_MEGABYTES, natural_order
from vision.errors import InputError

__all__ = ["ARCHIVE_SUFFIXES", "list_members", "read_member", "unpacked_name"]

ARCHIVE_SUFFIXES = frozenset({".zip"})


def list_members(path: Path, skipped: Counter[str]) -> dict[str, str | None]:
    """List the pictures of an archive in name order, each with the problem for which it must not be opened.

    `skipped` counts its other files by their endings. Raises InputError if the archive cannot be opened, is no zip
    archive, or holds no file.
    """
    try:
        if path.is_fifo():  # nothing opens before somebody writes to it
            raise OSError("a pipe; name a file")
        with zipfile.ZipFile(path) as archive:
            entries = archive.infolist()
    except FileNotFoundError:
        raise InputError(f"{path}: there is no such file; check the name") from None
    except OSError as error:
        raise InputError(f"{path}: cannot be opened ({error.strerror or error})") from error
    except Exception as error:  # whatever zipfile raises for bytes that are no archive
        raise InputError(f"{path}: the archive is damaged ({error}); copy it again") from error
    members, others = {}, Counter[str]()
    for entry in entries:
        name = PurePosixPath(unpacked_name(entry.filename))
        hidden = any(part.startswith((".", "__MACOSX")) and part != ".." for part in name.parts)
        suffix = name.suffix.lower()
        # `is_dir` fails on a name of no characters
        if hidden or not name.name or entry.filename.endswith("/"):
            continue
        if suffix in IMAGE_SUFFIXES | ARCHIVE_SUFFIXES:
            # the later of two entries of one name counts, as in every program that unpacks
            members[entry.filename] = find_problem(path, entry)
        else:
            others[suffix or "without an ending"] += 1
    if not members and not others:
        raise InputError(f"{path}: no picture in this archive; copy it again")
    skipped.update(others)
    return dict(sorted(members.items(), key=lambda each: natural_order(Path(unpacked_name(each[0])))))


def unpacked_name(member: str) -> str:
    """Return the path that a member would be unpacked to, with slashes; Windows packs with backslashes."""
    return member.replace("\\", "/")


def find_problem(path: Path, entry: zipfile.ZipInfo) -> str | None:
    """Say why a member must not be opened; None if it may."""
    name = f"{path}/{entry.filename}"
    inside = PurePosixPath(unpacked_name(entry.filename))
    if inside.is_absolute() or ".." in inside.parts or inside.parts[0].endswith(":"):
        return f"{name}: the name leads out of the archive; it is not opened"
    if inside.suffix.lower() in ARCHIVE_SUFFIXES:
        return f"{name}: an archive in an archive is not opened; unpack it first"
    if entry.flag_bits & 0x1:
        return f"{name}: is encrypted; unpack it with its password first"
    if entry.file_size > MAX_MEGABYTES * 1_000_000:
        return f"{name}: {entry.file_size / 1e6:.0f} MB are too many for a picture; at most {MAX_MEGABYTES} MB are read"
    return None


def read_member(path: Path, name: str) -> bytes:
    """Read a member's bytes, at most as many as its entry says; InputError if it is damaged."""
    try:
        status = path.stat()
        data = open_cached(path, status.st_mtime_ns, status.st_size).read(name)
    except Exception as error:  # whatever a method of compression raises for damaged bytes
        raise InputError(f"{path}/{name}: cannot be unpacked ({error}); copy the archive again") from error
    if not data:
        raise InputError(f"{path}/{name}: the file is empty; copy it again from the camera")
    return data


@functools.lru_cache(maxsize=1)
def open_cached(path: Path, changed_ns: int, size: int) -> zipfile.ZipFile:
    """Open an archive, and keep it open until another one is read: its list of members may be long.

    An archive that was rewritten, as its time and size show, is opened again.
    """
    return zipfile.ZipFile(path)
