"""The file of a journal: its tables, how older ones are upgraded, and what its errors say."""

from __future__ import annotations

import contextlib
import errno
import json
import os
import sqlite3
from collections.abc import Iterator, Sequence
from pathlib import Path

from vision.core import escape_name
from vision.errors import InputError, SettingsError

__all__ = ["APPLICATION_ID", "SCHEMA", "connect", "sync_folder", "translate_errors", "translate_read_errors"]

SCHEMA = 3
APPLICATION_ID = 0x54534754  # "TSGT", which `file` and sqlite3 show
_TABLES = """
CREATE TABLE game (edition TEXT NOT NULL, players TEXT NOT NULL, source TEXT NOT NULL);
CREATE TABLE entry (
    number INTEGER PRIMARY KEY,
    kept INTEGER NOT NULL,      -- events of the game before it that still stand
    events TEXT NOT NULL,       -- JSON: the events after them
    start TEXT,                 -- JSON: the board that play went on from; NULL: as before the entry
    announced TEXT NOT NULL,    -- JSON: what was reported
    frame INTEGER NOT NULL,
    time_s REAL NOT NULL,
    file TEXT NOT NULL DEFAULT '',          -- name of the picture or film that showed it
    fingerprint TEXT NOT NULL DEFAULT '',   -- what tells that file from all others
    at_s REAL NOT NULL DEFAULT 0            -- when it was written, in seconds since 1970; 0: not known
);
CREATE TABLE view (only_row INTEGER PRIMARY KEY CHECK (only_row = 1), png BLOB NOT NULL);
"""
_UPGRADES = {
    1: """
ALTER TABLE entry ADD COLUMN file TEXT NOT NULL DEFAULT '';
ALTER TABLE entry ADD COLUMN fingerprint TEXT NOT NULL DEFAULT '';
""",
    2: """
ALTER TABLE entry ADD COLUMN at_s REAL NOT NULL DEFAULT 0;
""",
}
"""For each older schema, the statements that bring a journal to the next one."""
_SIGNS_OF_DAMAGE = ("not a database", "malformed", "decode", "no such table", "no such column")
"""Parts of SQLite's messages for a file that is no journal, or a damaged one."""


def connect(path: Path, edition: str, players: Sequence[str], source: str) -> sqlite3.Connection:
    """Open the file of a journal; make its tables, or upgrade them.

    Parameters
    ----------
    path : Path
        The file.
    edition, source : str
        For a new journal.
    players : sequence of str
        For a new journal.

    Raises
    ------
    InputError
        If the file is a database of something else.
    SettingsError
        If a newer version of the program wrote it.
    """
    # The camera's thread and the web server's write in turn, under the lock of `LiveGame`.
    connection = sqlite3.connect(path, check_same_thread=False)
    try:
        application, version = (
            int(connection.execute(f"PRAGMA {name}").fetchone()[0])
            for name in ("application_id", "user_version")
        )
        empty = not connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
        if not empty and application != APPLICATION_ID:
            raise InputError(f"{path}: a database, but no journal of a game; name another file")
        if version > SCHEMA:
            raise SettingsError(
                f"{path}: the journal has schema {version}, this program knows {SCHEMA}; "
                "use the newer program that wrote it"
            )
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("PRAGMA synchronous=FULL")
        if empty:
            connection.executescript(
                f"BEGIN; {_TABLES} PRAGMA application_id={APPLICATION_ID}; PRAGMA user_version={SCHEMA}; COMMIT;"
            )
        else:
            for older in range(version, SCHEMA):
                connection.executescript(
                    f"BEGIN; {_UPGRADES[older]} PRAGMA user_version={older + 1}; COMMIT;"
                )
        with connection:
            # Also for a journal whose program was killed before this line.
            connection.execute(
                "INSERT INTO game SELECT ?, ?, ? WHERE NOT EXISTS (SELECT 1 FROM game)",
                (edition, json.dumps(list(players), ensure_ascii=False), escape_name(source)),
            )
    except BaseException:
        connection.close()
        raise
    return connection


@contextlib.contextmanager
def translate_read_errors(path: Path, *, is_read_only: bool = False) -> Iterator[None]:
    """Raise the same as `translate_errors`, and `InputError` for content that is none of a journal."""
    try:
        with translate_errors(path, is_read_only=is_read_only):
            yield
    except (AttributeError, LookupError, OverflowError, RecursionError, TypeError, ValueError) as error:
        raise InputError(
            f"{path}: the journal is damaged ({error}); restore a copy of it, or name another file"
        ) from error


@contextlib.contextmanager
def translate_errors(path: Path, *, is_read_only: bool = False) -> Iterator[None]:
    """Raise errors of the system and of SQLite, and names that it cannot hold, as `InputError`."""
    try:
        yield
    except OSError as error:
        raise InputError(
            f"{path}: the journal cannot be opened ({error.strerror or error}); choose another place"
        ) from error
    except UnicodeEncodeError as error:  # SQLite's; an edition's file must be found again by its name
        raise InputError(f"{error.object}: the name is not UTF-8; rename the file or its folder") from error
    except sqlite3.DatabaseError as error:
        if any(sign in str(error) for sign in _SIGNS_OF_DAMAGE):
            raise InputError(f"{path}: no journal of a game ({error}); name another file") from error
        if is_read_only:
            raise InputError(
                f"{path}: the journal cannot be read ({error}); copy it, and the file *-wal next to it, to a folder "
                "that can be written"
            ) from error
        raise InputError(
            f"{path}: the journal cannot be written ({error}); make room, or choose another place"
        ) from error


def sync_folder(folder: Path) -> None:
    """Make the names of new and moved files durable, if the system can do that; OSError if it fails."""
    try:
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
    except OSError as error:
        # Some drives have no such operation, and a folder may be one that cannot be listed.
        if error.errno not in (errno.EACCES, errno.EPERM, errno.EINVAL, errno.ENOTSUP):
            raise
