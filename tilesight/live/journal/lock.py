"""The lock of a journal: one program writes it at a time."""

from __future__ import annotations

import contextlib
import fcntl
import os
from pathlib import Path

from vision.errors import InputError

__all__ = ["lock_journal"]


def lock_journal(path: Path) -> contextlib.ExitStack:
    """Lock a journal, and return what unlocks it when it is closed.

    SQLite's own locks are held briefly; this one is held as long as the journal is open. It is on a file next to the
    journal, the same for all names of the journal: on macOS, a lock on the journal itself would keep SQLite out.

    Raises
    ------
    InputError
        If another program holds the lock.
    OSError
        If the file next to the journal cannot be opened or locked.
    """
    file = f"{os.path.realpath(path)}-lock"
    while True:
        with contextlib.ExitStack() as stack:
            lock = os.open(file, os.O_RDWR | os.O_CREAT, 0o644)
            stack.callback(os.close, lock)
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise InputError(
                    f"{path}: another program writes this journal; end it, or name another file"
                ) from None
            # Another file is there, or none, if the program that held the lock removed this one meanwhile.
            with contextlib.suppress(FileNotFoundError):
                if os.path.samestat(os.stat(file), os.fstat(lock)):
                    stack.callback(_remove, file)  # before the lock ends
                    return stack.pop_all()


def _remove(file: str) -> None:
    with contextlib.suppress(OSError):  # its folder may have been moved
        os.unlink(file)
