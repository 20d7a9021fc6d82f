"""Write files atomically: a reader sees the old content or the complete new content, never a part.

All packages write their results through this module.
"""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

__all__ = ["open_atomically", "write_atomically"]


def write_atomically(path: Path, data: bytes) -> None:
    """Write `data` to the file; the old content stays until the new content is complete.

    Parameters
    ----------
    path : Path
        The file; its folder must exist.
    data : bytes
        The complete new content.

    Raises
    ------
    OSError
        If the file cannot be written. No temporary file is left behind.
    """
    with open_atomically(path) as file:
        file.write(data)


@contextlib.contextmanager
def open_atomically(path: Path) -> Iterator[BinaryIO]:
    """Open a temporary file that replaces `path` when the block ends without an error.

    Raises
    ------
    OSError
        If the file cannot be written. No temporary file is left behind.
    """
    try:
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}-")
    except OSError as error:  # name the file itself, not the temporary one
        raise type(error)(error.errno, error.strerror, str(path)) from None
    try:
        os.close(handle)
        with open(temporary, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        # mkstemp makes the file private; give it the permissions of any other new file
        mask = os.umask(0)
        os.umask(mask)
        os.chmod(temporary, 0o666 & ~mask)
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise
