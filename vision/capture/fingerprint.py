"""A content hash that identifies a picture or video file, whatever its name."""

from __future__ import annotations

import functools
from pathlib import Path

__all__ = ["fingerprint"]

_HEADER_BYTES = 4096
"""Bytes at the start of a video that are left out: its length is written there when the recording ends."""

_GROWING_BYTES = 1 << 18
"""Bytes of the first frames of a video: no two recordings of a camera have the same noise."""


def fingerprint(path: Path, *, growing: bool = False) -> str:
    """Return the hash of a file's content; "" if it cannot be read.

    Parameters
    ----------
    path : Path
        The file.
    growing : bool
        Whether it may become longer: only a part near its start is hashed then.
    """
    try:
        status = path.stat()
        return _checksum(path, status.st_size, status.st_mtime_ns, growing)
    except OSError:
        return ""


@functools.cache
def _checksum(path: Path, size: int, _written_ns: int, growing: bool) -> str:
    """Hash the file; cached until its size or its time of writing changes."""
    import hashlib  # slow to import at start-up

    with path.open("rb") as file:
        if growing and size > _HEADER_BYTES + _GROWING_BYTES:
            file.seek(_HEADER_BYTES)
            return hashlib.blake2b(file.read(_GROWING_BYTES), digest_size=16).hexdigest()
        return hashlib.file_digest(file, lambda: hashlib.blake2b(digest_size=16)).hexdigest()
