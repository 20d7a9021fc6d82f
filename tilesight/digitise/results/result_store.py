"""What is done already: kept on disk result by result, so that a run that ends at any moment can go on.

Results are kept by the checksum of the picture and of how it was read: a renamed file is known again, and another
edition or another network reads anew. A result's pictures are written before its row, and a row whose pictures are
not whole counts as missing.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import json
import os
import re
import sqlite3
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from tilesight.digitise.reading.photo_reader import Result
from tilesight.digitise.reading.reading_codec import unpacked
from vision.core import SquareProbabilities, write_file
from vision.errors import InputError, SettingsError

__all__ = [
    "BOARDS",
    "GAMES",
    "THUMBNAILS",
    "WORK",
    "Store",
    "board_name_of",
    "holds_results",
    "thumbnail_name",
]

WORK = ".work"
NO_SIZE, USUAL_SIZE = (0, 0), (15, 15)
"""Boards of so many rows and columns are called by their picture alone, as earlier versions called all."""
DATABASE = "results.sqlite"
LOCK = "lock"
NO_LOCKS = frozenset({errno.ENOLCK, errno.ENOSYS, errno.ENOTSUP, errno.EINVAL})
"""What systems say whose disks, mostly those of a network, know no locks."""
BOARDS, THUMBNAILS, GAMES = "boards", "thumbnails", "games"
GAME_FILE = re.compile(rf"{GAMES}/game-\d{{4,}}\.gcg")
"""The only files that are deleted because a store names them: it may have come from somebody else."""
HALF_WRITTEN = re.compile(
    r"\.((photos|games|times)\.jsonl|report\.html|find\.sqlite|photos\.parquet|corrections\.json|game-\d{4,}\.gcg)"
    r"-[a-z0-9_]{8}"
)
"""What results are called until they are whole, which a run that is killed leaves behind."""
SCHEMA = 3
TABLES = """CREATE TABLE IF NOT EXISTS result (
    picture TEXT, how TEXT, record TEXT, ms TEXT, board_bytes INTEGER, thumbnail_bytes INTEGER, reading BLOB,
    failures INTEGER NOT NULL DEFAULT 0, PRIMARY KEY (picture, how)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS file (name TEXT PRIMARY KEY) WITHOUT ROWID;"""
UPGRADES = {
    1: "ALTER TABLE result ADD COLUMN reading BLOB",
    2: "ALTER TABLE result ADD COLUMN failures INTEGER NOT NULL DEFAULT 0",
}
"""What makes a file of each earlier schema one of the next."""
ENOUGH_FAILURES = 2
"""What failed for want of time or memory may not fail again; after so many runs it is believed."""
AGAIN = "it is left out, and tried once more in a second run"
NO_MORE = "it is left out; name a new folder with --out to have it tried again"


def holds_results(folder: Path) -> bool:
    """Whether it is a folder of results, of this or of another run."""
    return (folder / WORK / DATABASE).is_file()


def thumbnail_name(sha256: str) -> str:
    """The file name of a picture's thumbnail."""
    return f"{sha256[:20]}.jpg"


def board_name(sha256: str, turn: int, rows: int, columns: int) -> str:
    """The file name of a picture's board: one that its game turned, or that has another size, is another picture."""
    turned = f"-{turn}" if turn else ""
    size = f"-{rows}x{columns}" if (rows, columns) not in (NO_SIZE, USUAL_SIZE) else ""
    return f"{sha256[:20]}{turned}{size}.jpg"


def board_name_of(sha256: str, record: Mapping[str, Any]) -> str:
    """The same by the record of what was read."""
    rows = record.get("rows") or [[]]
    return board_name(sha256, record.get("turned_by_game", 0), len(rows) if rows[0] else 0, len(rows[0]))


class Store:
    """The results of a folder.

    Parameters
    ----------
    connection : sqlite3.Connection
        The open file.
    folder : Path
        Where the pictures of boards lie.
    """

    def __init__(self, connection: sqlite3.Connection, folder: Path) -> None:
        self._connection = connection
        self.folder = folder

    @classmethod
    @contextlib.contextmanager
    def open(cls, folder: Path) -> Iterator[Store]:
        """The results of this folder, which is made if it does not exist.

        Raises
        ------
        InputError
            If it cannot be written, or another run is at work there.
        SettingsError
            If another version of Tilesight wrote it, or it holds something else.
        """
        path = folder / WORK / DATABASE
        with told(path):
            check_ours(folder)
            for each in (WORK, BOARDS, THUMBNAILS, GAMES):
                if (folder / each).is_symlink():
                    raise SettingsError(
                        f"{folder / each}: leads elsewhere, and results stay in one folder; put a real folder there"
                    )
            for each in (WORK, BOARDS, THUMBNAILS):
                (folder / each).mkdir(parents=True, exist_ok=True)
            connection = sqlite3.connect(path)
        with contextlib.closing(connection), alone_in(folder):
            with told(path):
                # A commit survives the death of this process at once, and a power failure within seconds.
                connection.execute("PRAGMA journal_mode = WAL")
                connection.execute("PRAGMA synchronous = NORMAL")
                (schema,) = connection.execute("PRAGMA user_version").fetchone()
                if schema not in (0, *UPGRADES, SCHEMA):
                    raise SettingsError(
                        f"{path}: has schema {schema}, expected {SCHEMA}; update Tilesight, or name another folder, "
                        "with the corrections.json of this one as --corrections"
                    )
                connection.executescript(TABLES)
                steps = [UPGRADES[each] for each in range(schema or SCHEMA, SCHEMA)]
                steps.append(f"PRAGMA user_version = {SCHEMA}")
                connection.executescript(f"BEGIN; {'; '.join(steps)}; COMMIT")
                for left in (*folder.glob(".*-*"), *folder.glob("games/.*-*")):
                    if HALF_WRITTEN.fullmatch(left.name):
                        left.unlink(missing_ok=True)
            yield cls(connection, folder)

    def done(self, how: str) -> frozenset[str]:
        """Checksums of the pictures that were read like this and whose pictures of the board are whole.

        Those that failed in one run for want of time or memory are not among them, nor boards without what the reader
        saw, which earlier versions did not keep.
        """
        rows = self._connection.execute(
            """SELECT picture, board_bytes, thumbnail_bytes,
                      coalesce(json_extract(record, '$.turned_by_game'), 0),
                      coalesce(json_array_length(record, '$.rows'), 0),
                      coalesce(json_array_length(record, '$.rows[0]'), 0)
               FROM result WHERE how = ?
               AND (failures = 0 OR failures >= ?) AND (board_bytes = 0 OR reading IS NOT NULL)""",
            (how, ENOUGH_FAILURES),
        )
        return frozenset(
            picture
            for picture, board, thumbnail, *lies in rows
            if self._is_whole(BOARDS, board_name(picture, *lies), board)
            and self._is_whole(THUMBNAILS, thumbnail_name(picture), thumbnail)
        )

    def keep(self, picture: str, how: str, result: Result) -> None:
        """Keeps a result on disk.

        Raises
        ------
        InputError
            If the disk is full or the folder is gone.
        """
        self._write(BOARDS, board_name_of(picture, result.record), result.board_jpeg)
        self._write(THUMBNAILS, thumbnail_name(picture), result.thumbnail_jpeg)
        with told(self.folder), self._connection:
            self._connection.execute(
                """INSERT INTO result VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET
                   record = excluded.record, ms = excluded.ms, board_bytes = excluded.board_bytes,
                   thumbnail_bytes = excluded.thumbnail_bytes, reading = excluded.reading,
                   failures = CASE excluded.failures WHEN 0 THEN 0 ELSE failures + 1 END""",
                (
                    picture,
                    how,
                    json.dumps(dict(result.record), ensure_ascii=False),
                    json.dumps(dict(result.ms)),
                    len(result.board_jpeg or b""),
                    len(result.thumbnail_jpeg or b""),
                    result.reading,
                    int(result.transient),
                ),
            )

    def record(self, picture: str, how: str) -> tuple[dict[str, Any], dict[str, float]]:
        """A picture's record and times.

        Raises
        ------
        KeyError
            If there is no such result.
        """
        row = self._connection.execute(
            "SELECT record, ms, failures FROM result WHERE picture = ? AND how = ?", (picture, how)
        ).fetchone()
        if row is None:
            raise KeyError(picture)
        record, ms, failures = json.loads(row[0]), json.loads(row[1]), row[2]
        if failures:
            record["message"] += f"; {AGAIN if failures < ENOUGH_FAILURES else NO_MORE}"
        return record, ms

    def reading(self, picture: str, how: str) -> SquareProbabilities | None:
        """What the reader saw in a picture; None where it shows no board."""
        row = self._connection.execute(
            "SELECT reading FROM result WHERE picture = ? AND how = ?", (picture, how)
        ).fetchone()
        return unpacked(row[0]) if row is not None and row[0] is not None else None

    def replace_files(self, texts: Mapping[str, str]) -> None:
        """Writes these files, and deletes those that an earlier run wrote here and this one does not.

        Nothing else is deleted: what people put into the folder is theirs.

        Parameters
        ----------
        texts : mapping of str to str
            The files' contents by their paths in the folder.

        Raises
        ------
        InputError
            If the folder cannot be written.
        """
        with told(self.folder):
            rows = self._connection.execute("SELECT name FROM file")
            earlier = {name for (name,) in rows if GAME_FILE.fullmatch(name)}
            # Noted before they are written, so that a run which ends in between leaves no file that nobody knows.
            with self._connection:
                self._connection.executemany("INSERT OR IGNORE INTO file VALUES (?)", zip(texts))
            for name in sorted(earlier - set(texts)):
                (self.folder / name).unlink(missing_ok=True)
            for name, text in texts.items():
                (self.folder / name).parent.mkdir(exist_ok=True)
                write_file(self.folder / name, text.encode())
            with self._connection:
                gone = [(name,) for name in earlier - set(texts)]
                self._connection.executemany("DELETE FROM file WHERE name = ?", gone)

    def _write(self, kind: str, name: str, data: bytes | None) -> None:
        """Puts the picture there at once. It is not waited for until it is on disk: `done` looks at its size."""
        if data is None:
            return
        path = self.folder / kind / name
        temporary = path.with_name(f".{path.name}")
        with told(path):
            with open(temporary, "wb", opener=not_elsewhere) as file:
                file.write(data)
            os.replace(temporary, path)

    def _is_whole(self, kind: str, name: str, size: int) -> bool:
        if not size:
            return True
        try:
            return (self.folder / kind / name).stat().st_size == size
        except OSError:
            return False


def check_ours(folder: Path) -> None:
    """Refuses a folder with files in it that is no folder of results: results would be written among them.

    Raises
    ------
    SettingsError
        If it is one.
    """
    if folder.is_dir() and not (folder / WORK / DATABASE).exists():
        other = min((path.name for path in folder.iterdir() if not path.name.startswith(".")), default=None)
        if other is not None:
            raise SettingsError(
                f"{folder}: holds {other!r} and no results of an earlier run; name a new or an empty folder with --out"
            )


def not_elsewhere(path: str, flags: int) -> int:
    """Opens a file for `open`, but none that is a link: in a folder of somebody else it may lead anywhere."""
    return os.open(path, flags | os.O_NOFOLLOW, 0o666)


@contextlib.contextmanager
def alone_in(folder: Path) -> Iterator[None]:
    """Keeps other runs out of the folder until this process ends, however it ends.

    Raises
    ------
    InputError
        If another run is at work there.
    """
    with contextlib.ExitStack() as stack:
        with told(folder):
            file = stack.enter_context(open(folder / WORK / LOCK, "wb", opener=not_elsewhere))
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise InputError(
                    f"{folder}: another run is at work there; wait until it ends, or name another folder"
                ) from None
            except OSError as error:
                if error.errno not in NO_LOCKS:
                    raise
        yield


@contextlib.contextmanager
def told(path: Path) -> Iterator[None]:
    """Errors of the disk in our words."""
    try:
        yield
    except (OSError, sqlite3.Error) as error:
        reason = getattr(error, "strerror", None) or error
        raise InputError(
            f"{path}: cannot be written ({reason}); make room or name another folder, and run the same command again"
        ) from error
