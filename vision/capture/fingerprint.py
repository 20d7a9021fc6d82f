"""What tells a picture or film from all others, whatever its name."""

from __future__ import annotations

import functools
import hashlib
from pathlib import Path

__all__ = ["fingerprint"]

HEADER_BYTES = 4096
"""A film that is still being recorded has its length written there later."""
FILM_BYTES = 1 << 18
"""A film's first frames: no two takes of a camera have the same noise."""


def fingerprint(path: Path, *, growing: bool = False) -> str:
    """The checksum of a file's content; "" where it cannot be read.

    Parameters
    ----------
    path : Path
        The file.
    growing : bool
        Whether it may become longer: only a stretch near its beginning counts then.
    """
    try:
        status = path.stat()
        return _checksum(path, status.st_size, status.st_mtime_ns, growing)
    except OSError:
        return ""


@functools.cache
def _checksum(path: Path, size: int, _written_ns: int, growing: bool) -> str:
    with path.open("rb") as file:
        if growing and size > HEADER_BYTES + FILM_BYTES:
            file.seek(HEADER_BYTES)
            return hashlib.blake2b(file.read(FILM_BYTES), digest_size=16).hexdigest()
        return hashlib.file_digest(file, lambda: hashlib.blake2b(digest_size=16)).hexdigest()
