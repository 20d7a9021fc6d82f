"""The results of a run on disk, kept one by one, so that a run that ends at any moment can be continued.

The key of a result is the checksum of the picture and the cache key of the options: a renamed file is recognised, and
another edition or another network reads the picture again. The pictures of a result are written before its row, and a
row whose pictures are incomplete counts as missing.
"""

from __future__ import annotations

import contextlib
import json
import re
import sqlite3
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from tilesight.digitise.folder import BOARDS, DATABASE, GAMES, THUMBNAILS, WORK
from tilesight.digitise.reading import PhotoRecord, Result
from vision.errors import InputError, SettingsError

__all__ = ["Store", "picture_files"]

SCHEMA = 3
TABLES = """CREATE TABLE IF NOT EXISTS result (
    picture TEXT, how TEXT, record TEXT, ms TEXT, board_bytes INTEGER, thumbnail_bytes INTEGER, reading BLOB,
    failures INTEGER NOT NULL DEFAULT 0, PRIMARY KEY (picture, how)) WITHOUT ROWID;"""
UNNAMED_SIZE = 15, 15
"""The file names of boards of this size do not contain it."""
MAX_FAILURES = 2
"""Number of runs in which a picture may fail for lack of time or memory; after that the failure is its result."""
TRIED_AGAIN = "it is left out, and tried once more in a second run"
GIVEN_UP = "it is left out; name a new folder with --out to have it tried again"

PARTIAL_FILE = re.compile(
    r"\.((photos|games|times)\.jsonl|report\.html|corrections\.json|sheets\.json|game-\d{4,}\.gcg)"
    r"-[a-z0-9_]{8}"
)
"""The names of files that are not yet complete; a run that is killed leaves them behind."""


def picture_files(sha256: str, record: PhotoRecord) -> tuple[str | None, str | None]:
    """Return the files of a photo's straightened board and of its thumbnail, relative to the folder."""
    board, name = None, sha256[:20]
    if record.board is not None:
        turned = f"-{record.board.quarter_turns}" if record.board.quarter_turns else ""
        rows, columns = record.board.size
        size = f"-{rows}x{columns}" if (rows, columns) != UNNAMED_SIZE else ""
        board = f"{BOARDS}/{name}{turned}{size}.jpg"
    return board, f"{THUMBNAILS}/{name}.jpg" if record.picture is not None else None


class Store:
    """The results of a folder."""

    def __init__(self, connection: sqlite3.Connection, folder: Path) -> None:
        self._connection = connection
        self.folder = folder

    @classmethod
    @contextlib.contextmanager
    def open(cls, folder: Path) -> Iterator[Store]:
        """Open the results of this folder, which is made if it does not exist.

        Raises InputError if the disk fails in the block too, or another run uses the folder, SettingsError if another
        version of Tilesight wrote it or it holds something else.
        """
        path = folder / WORK / DATABASE
        with disk_errors_as_input_errors(folder):
            check_ownership(folder)
            for name in (WORK, BOARDS, THUMBNAILS):
                (folder / name).mkdir(parents=True, exist_ok=True)
            with contextlib.closing(sqlite3.connect(path, timeout=0.0)) as connection:
                create_tables(connection, path)
                for file in (*folder.glob(".*-*"), *folder.glob("games/.*-*"), *path.parent.glob(".*-*")):
                    if PARTIAL_FILE.fullmatch(file.name):
                        file.unlink(missing_ok=True)
                yield cls(connection, folder)

    def done(self, key: str) -> frozenset[str]:
        """Return the checksums of the pictures whose result with this cache key is complete.

        Pictures that failed in one run for lack of time or memory are not among them.
        """
        rows = self._connection.execute(
            """SELECT picture, record, board_bytes, thumbnail_bytes FROM result
               WHERE how = ? AND (failures = 0 OR failures >= ?)""",
            (key, MAX_FAILURES),
        )
        return frozenset(
            picture
            for picture, text, *sizes in rows
            for files in [picture_files(picture, PhotoRecord.from_json(json.loads(text)))]
            if all(not size or self._size_of(file) == size for file, size in zip(files, sizes, strict=True))
        )

    def keep(self, picture: str, key: str, result: Result) -> None:
        """Write the result of a picture, given by its checksum, to the disk."""
        pictures = result.board_jpeg, result.thumbnail_jpeg
        for file, data in zip(picture_files(picture, result.record), pictures, strict=True):
            if file is not None and data is not None:
                # Not through a link, which may lead anywhere. `done` compares the size, so it may be cut short.
                (self.folder / file).unlink(missing_ok=True)
                (self.folder / file).write_bytes(data)
        text, times = json.dumps(result.record.to_json(), ensure_ascii=False), json.dumps(dict(result.ms))
        sizes = [len(data or b"") for data in pictures]
        with self._connection:
            self._connection.execute(
                """INSERT INTO result VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET
                   record = excluded.record, ms = excluded.ms, board_bytes = excluded.board_bytes,
                   thumbnail_bytes = excluded.thumbnail_bytes, reading = excluded.reading,
                   failures = CASE excluded.failures WHEN 0 THEN 0 ELSE failures + 1 END""",
                (picture, key, text, times, *sizes, result.reading, int(result.is_transient)),
            )

    def load(self, picture: str, key: str) -> Result:
        """Load the result of a picture, without its pictures; every photo of a catalogue has one."""
        text, times, reading, failures = self._connection.execute(
            "SELECT record, ms, reading, failures FROM result WHERE picture = ? AND how = ?", (picture, key)
        ).fetchone()
        record = PhotoRecord.from_json(json.loads(text))
        if failures:
            advice = TRIED_AGAIN if failures < MAX_FAILURES else GIVEN_UP
            record = replace(record, message=f"{record.message}; {advice}")
        return Result(record=record, ms=json.loads(times), reading=reading)

    def _size_of(self, name: str | None) -> int | None:
        """Return the size of a file in the folder; None if there is none."""
        try:
            return (self.folder / name).stat().st_size if name is not None else None
        except OSError:
            return None


def create_tables(connection: sqlite3.Connection, path: Path) -> None:
    """Create the tables if the file is new; SettingsError if another version wrote them."""
    # No other process gets the file until this one ends, in whatever way.
    connection.execute("PRAGMA locking_mode = EXCLUSIVE")
    # A commit survives the end of this process at once, and a power failure within seconds.
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = NORMAL")
    (schema,) = connection.execute("PRAGMA user_version").fetchone()
    if schema not in (0, SCHEMA):
        raise SettingsError(
            f"{path}: has schema {schema}, expected {SCHEMA}; update Tilesight, or name another folder, "
            "with the corrections.json of this one as --corrections"
        )
    connection.executescript(f"{TABLES} PRAGMA user_version = {SCHEMA}")


def check_ownership(folder: Path) -> None:
    """Refuse (SettingsError) a folder with files but no results, and results whose subfolders are links."""
    if folder.is_dir() and not (folder / WORK).is_dir():
        other = min((path.name for path in folder.iterdir() if not path.name.startswith(".")), default=None)
        if other is not None:
            raise SettingsError(
                f"{folder}: holds {other!r} and no earlier results in .work; name a new or an empty folder with --out"
            )
    for name in (WORK, BOARDS, THUMBNAILS, GAMES):
        if (folder / name).is_symlink():
            raise SettingsError(
                f"{folder / name}: leads elsewhere, and results stay in one folder; put a real folder there"
            )


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
        if isinstance(error, NotADirectoryError):
            raise InputError(f"{folder}: is a file, or is in one; name a folder") from error
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
