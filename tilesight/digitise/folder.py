"""The folder of results: its files' names, and whose it is."""

from __future__ import annotations

import contextlib
import os
import re
import sqlite3
from collections.abc import Iterator
from pathlib import Path

from vision.errors import InputError, SettingsError

__all__ = [
    "BOARDS",
    "DATABASE",
    "GAMES",
    "GAMES_FILE",
    "OWN_NOTE",
    "PHOTOS_FILE",
    "SHEETS",
    "THUMBNAILS",
    "WORK",
    "check_ownership",
    "disk_errors_as_input_errors",
    "holds_results",
    "remove_partial_files",
]

WORK = ".work"
"""The subfolder with the result store."""
BOARDS, THUMBNAILS, GAMES = "boards", "thumbnails", "games"
PHOTOS_FILE, GAMES_FILE = "photos.jsonl", "games.jsonl"
OWN_NOTE = "read from photos; racks are not known"
"""A line of each game file: only files with it are ever deleted."""
DATABASE = "results.sqlite"
SHEETS = "sheets.json"
"""The score sheets of the last run that had some."""
PARTIAL_FILE = re.compile(
    r"\.((photos|games|times)\.jsonl|report\.html|corrections\.json|sheets\.json|game-\d{4,}\.gcg)"
    r"-[a-z0-9_]{8}"
)
"""The names of files that are not yet complete; a run that is killed leaves them behind."""


def holds_results(folder: Path) -> bool:
    """Whether the folder holds results, of this or of another run; False if it may not be opened."""
    return os.path.isfile(folder / WORK / DATABASE)


def check_ownership(folder: Path) -> None:
    """Refuse (SettingsError) a folder with files but no results, and results whose subfolders are links."""
    if folder.is_dir() and not (folder / WORK).is_dir():
        other = min((path.name for path in folder.iterdir() if not path.name.startswith(".")), default=None)
        if other is not None:
            raise SettingsError(
                f"{folder}: holds {other!r} and no results of an earlier run; name a new or an empty folder with --out"
            )
    for name in (WORK, BOARDS, THUMBNAILS, GAMES):
        if (folder / name).is_symlink():
            raise SettingsError(
                f"{folder / name}: leads elsewhere, and results stay in one folder; put a real folder there"
            )


def remove_partial_files(folder: Path) -> None:
    """Delete the incomplete files of a run that was killed."""
    for path in (*folder.glob(".*-*"), *folder.glob("games/.*-*"), *(folder / WORK).glob(".*-*")):
        if PARTIAL_FILE.fullmatch(path.name):
            path.unlink(missing_ok=True)


@contextlib.contextmanager
def disk_errors_as_input_errors(folder: Path) -> Iterator[None]:
    """Turn errors of the disk and of the result store into an `InputError` that says what to do."""
    try:
        yield
    except (OSError, sqlite3.OperationalError) as error:
        if getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_BUSY:
            raise InputError(
                f"{folder}: another run is at work there; wait until it ends, or name another folder"
            ) from error
        path, reason = getattr(error, "filename", None), getattr(error, "strerror", None)
        raise InputError(
            f"{path or folder}: cannot be written ({reason or error}); make room or name another folder, and run the "
            "same command again"
        ) from error
    except sqlite3.DatabaseError as error:
        raise InputError(
            f"{folder / WORK / DATABASE}: is damaged ({error}); delete this file and run the same command again, "
            "which reads all photos once more and keeps your corrections"
        ) from error
