"""Writing a file so that nobody ever sees half of it."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

__all__ = ["open_atomically", "write_atomically"]


def write_atomically(path: Path, data: bytes) -> None:
    """Puts `data` into the file at once: what was there stays until the new content is complete.

    Raises
    ------
    OSError
        If the file cannot be written; nothing is left behind then.
    """
    with open_atomically(path) as file:
        file.write(data)


@contextlib.contextmanager
def open_atomically(path: Path) -> Iterator[BinaryIO]:
    """A file to write piece by piece, which takes its place when the block ends, or not at all.

    Raises
    ------
    OSError
        If the file cannot be written; nothing is left behind then.
    """
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}-")
    try:
        with os.fdopen(handle, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        # mkstemp makes a file for its owner alone; a result is as open as any other new file
        mask = os.umask(0)
        os.umask(mask)
        os.chmod(temporary, 0o666 & ~mask)
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise
