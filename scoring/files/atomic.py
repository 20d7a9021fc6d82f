"""Write files atomically: a reader sees the old content or the complete new content, never a part.

All packages write their results through this module.
"""

from __future__ import annotations

import contextlib
import os
import stat
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

    An existing file keeps its permissions, and a symbolic link stays: the file that it names is replaced.

    Raises
    ------
    OSError
        If the file cannot be written. No temporary file is left behind.
    """
    target = Path(os.path.realpath(path))
    try:
        handle, temporary = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}-")
    except OSError as error:  # name the file itself, not the temporary one
        raise type(error)(error.errno, error.strerror, str(path)) from None
    try:
        os.close(handle)
        with open(temporary, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.chmod(temporary, _find_mode(target))  # mkstemp makes the file private
        os.replace(temporary, target)
    except BaseException:
        with contextlib.suppress(OSError):  # the first error is the one that is raised
            os.chmod(temporary, stat.S_IRUSR | stat.S_IWUSR)  # Windows deletes no read-only file
            os.unlink(temporary)
        raise


def _find_mode(path: Path) -> int:
    """Return the permissions of a file, or those of any new file if there is none."""
    try:
        return stat.S_IMODE(path.stat().st_mode)
    except FileNotFoundError:
        mask = os.umask(0)
        os.umask(mask)
        return 0o666 & ~mask
