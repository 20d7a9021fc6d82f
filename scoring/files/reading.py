"""Read the files that a user names: a pipe can be read, and a device that never ends is refused."""

from __future__ import annotations

import errno
from pathlib import Path

__all__ = ["read_file", "read_text"]

_MAX_BYTES = 250_000_000  # of a file; the largest word lists have some tens of millions


def read_file(path: str | Path, max_bytes: int = _MAX_BYTES) -> bytes:
    """Read the content of a file.

    Parameters
    ----------
    path : str or Path
        The file.
    max_bytes : int
        The size at most, in bytes.

    Raises
    ------
    OSError
        If it cannot be read, or is larger.
    """
    try:
        with Path(path).open("rb") as file:
            content = file.read(max_bytes + 1)
    except ValueError as error:  # a name with a null character
        raise OSError(errno.EINVAL, str(error), str(path)) from None
    if len(content) > max_bytes:
        raise OSError(errno.EFBIG, f"larger than {max_bytes / 1e6:.0f} MB", str(path))
    return content


def read_text(path: str | Path, max_bytes: int = _MAX_BYTES) -> str:
    """Read a text in UTF-8, with or without a byte order mark; every end of a line becomes a newline.

    Parameters
    ----------
    path, max_bytes
        As for `read_file`.

    Raises
    ------
    OSError
        As for `read_file`.
    UnicodeDecodeError
        If it is not in UTF-8.
    """
    text = read_file(path, max_bytes).decode("utf-8-sig")
    return text.replace("\r\n", "\n").replace("\r", "\n")
