"""The journal of a game: every event is written to disk before it becomes visible.

One SQLite file in write-ahead mode. An entry holds how many events of the game were kept and which events follow
them, so that a correction of an earlier event is one entry too; a fold of the entries gives the game. The published
JSON events are stored with the entry, in the same transaction.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from scoring import Board, Edition, Event, Game, ScoringError
from tilesight.live.serialization import event_from_record, event_to_record
from vision.errors import InputError, SettingsError

__all__ = ["SCHEMA", "Entry", "FrameRef", "Journal"]

SCHEMA = 2
_APPLICATION_ID = 0x54534754  # "TSGT", which `file` and sqlite3 show
_TABLES = """
CREATE TABLE game (edition TEXT NOT NULL, players TEXT NOT NULL, source TEXT NOT NULL);
CREATE TABLE entry (
    number INTEGER PRIMARY KEY,
    kept INTEGER NOT NULL,      -- events of the game before it that still stand
    events TEXT NOT NULL,       -- JSON: the events after them
    start TEXT,                 -- JSON: the board that play went on from, where it was not empty
    announced TEXT NOT NULL,    -- JSON: what was reported
    frame INTEGER NOT NULL,
    time_s REAL NOT NULL,
    file TEXT NOT NULL DEFAULT '',          -- name of the picture or film that showed it
    fingerprint TEXT NOT NULL DEFAULT ''    -- what tells that file from all others
);
CREATE TABLE view (only_row INTEGER PRIMARY KEY CHECK (only_row = 1), png BLOB NOT NULL);
"""
_UPGRADES = {
    1: """
ALTER TABLE entry ADD COLUMN file TEXT NOT NULL DEFAULT '';
ALTER TABLE entry ADD COLUMN fingerprint TEXT NOT NULL DEFAULT '';
""",
}
"""For each older schema, the statements that bring a journal to the next one."""


@dataclass(frozen=True, slots=True)
class FrameRef:
    """The frame that led to an entry.

    Parameters
    ----------
    frame : int
        Index of the frame; -1 before the first.
    time_s : float
        Its time in seconds.
    file : str
        Name of its file; empty if it is not known.
    fingerprint : str
        Content hash of that file; empty for a live source, and in entries of older programs.
    """

    frame: int = -1
    time_s: float = 0.0
    file: str = ""
    fingerprint: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """An entry with the game after it.

    Parameters
    ----------
    number : int
        Its number, from 1.
    game : Game
        The game after it.
    events : tuple of dict
        The published JSON events.
    """

    number: int
    game: Game
    events: tuple[dict[str, Any], ...]


class Journal:
    """A game's journal, open for one program; `Journal.open` opens one."""

    def __init__(self, path: Path, connection: sqlite3.Connection, lock: int) -> None:
        self._path = path
        self._connection = connection
        self._lock = lock
        edition, players, source = connection.execute("SELECT edition, players, source FROM game").fetchone()
        self.edition: str = edition
        self.players: tuple[str, ...] = tuple(json.loads(players))
        self.source: str = source

    @classmethod
    def open(cls, path: Path, *, edition: str, players: Sequence[str], source: str = "") -> Journal:
        """Open the journal in a file; make a new one if there is no file.

        Parameters
        ----------
        path : Path
            The file.
        edition : str
            Name or file of the edition, for a new journal.
        players : sequence of str
            Their names, for a new journal.
        source : str
            What is watched, for a new journal.

        Raises
        ------
        InputError
            If the file is not a journal, is in use, or cannot be written.
        SettingsError
            If a newer version of the program wrote it.
        """
        with _translated_errors(path):
            if path.is_dir():
                raise InputError(f"{path}: this is a folder; name a file for the journal")
            # SQLite's own locks are held briefly; this one is held as long as the journal is open.
            lock = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
            try:
                try:
                    fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                except BlockingIOError:
                    raise InputError(
                        f"{path}: another program writes this journal; end it, or name another file"
                    ) from None
                connection = _connect(path, edition, players, source)
                return cls(path, connection, lock)
            except BaseException:
                os.close(lock)
                raise

    @property
    def entries(self) -> int:
        """Number of entries."""
        with _translated_errors(self._path):
            return int(self._connection.execute("SELECT count(*) FROM entry").fetchone()[0])

    @property
    def last_frame_ref(self) -> FrameRef:
        """The frame of the last entry."""
        return next(iter(self.frame_refs), FrameRef())

    @property
    def frame_refs(self) -> tuple[FrameRef, ...]:
        """The frame of each entry, the last entry first."""
        with _translated_errors(self._path):
            rows = self._connection.execute(
                "SELECT frame, time_s, file, fingerprint, CASE file WHEN '' THEN announced ELSE '[]' END "
                "FROM entry ORDER BY number"
            ).fetchall()
        refs: list[FrameRef] = []
        for frame, time_s, file, fingerprint, announced in rows:
            if not file:  # the entry of an older program: its events have the name
                sources = (event.get("source") for event in reversed(json.loads(announced)))
                # A command has no file; the entry before it has.
                file = next(filter(None, sources), refs[-1].file if refs else "")
            refs.append(FrameRef(frame=int(frame), time_s=float(time_s), file=file, fingerprint=fingerprint))
        return tuple(reversed(refs))

    @property
    def thumbnail(self) -> bytes:
        """The board at the last entry as a small PNG; empty if it is not known."""
        with _translated_errors(self._path):
            row = self._connection.execute("SELECT png FROM view").fetchone()
        return bytes(row[0]) if row else b""

    @property
    def events(self) -> list[dict[str, Any]]:
        """All published JSON events, in order."""
        with _translated_errors(self._path):
            rows = self._connection.execute("SELECT announced FROM entry ORDER BY number").fetchall()
        return [event for (text,) in rows for event in json.loads(text)]

    def events_after(self, number: int) -> list[tuple[int, list[dict[str, Any]]]]:
        """Return the number and the JSON events of each entry after that number."""
        with _translated_errors(self._path):
            rows = self._connection.execute(
                "SELECT number, announced FROM entry WHERE number > ? ORDER BY number", (number,)
            ).fetchall()
        return [(int(later), json.loads(text)) for later, text in rows]

    def game(self, edition: Edition) -> Game:
        """Return the game after the last entry.

        Raises
        ------
        InputError
            If an entry cannot be read, or does not fit the edition.
        """
        entries = self.history(edition)
        return entries[-1].game if entries else Game(edition=edition, players=self.players)

    def history(self, edition: Edition) -> tuple[Entry, ...]:
        """Return all entries in order, each with the game after it.

        Raises
        ------
        InputError
            If an entry cannot be read, or does not fit the edition.
        """
        with _translated_errors(self._path):
            rows = self._connection.execute(
                "SELECT number, kept, events, start, announced FROM entry ORDER BY number"
            ).fetchall()
        game = Game(edition=edition, players=self.players)
        entries = []
        try:
            for number, kept, text, start_text, announced in rows:
                new = tuple(event_from_record(record) for record in json.loads(text))
                events = (*game.events[:kept], *new)
                start = game.start if start_text is None else Board.from_rows(json.loads(start_text))
                same = start is game.start
                game = game.with_events(events) if same else replace(game, events=events, start=start)
                entries.append(Entry(number=int(number), game=game, events=tuple(json.loads(announced))))
        except (ValueError, ScoringError) as error:
            raise InputError(
                f"{self._path}: the journal does not fit the edition {edition.name} ({error}); "
                "name the edition that it was begun with"
            ) from error
        return tuple(entries)

    def record(
        self,
        before: Game,
        after: Game,
        events: Sequence[dict[str, Any]],
        ref: FrameRef | None = None,
        thumbnail: bytes = b"",
    ) -> int:
        """Append an entry; when this returns, it is on disk.

        Parameters
        ----------
        before, after : Game
            The game before and after.
        events : sequence of dict
            The JSON events that will be published.
        ref : FrameRef, optional
            The frame that led to the entry; that of the last entry by default.
        thumbnail : bytes, optional
            The board now, as a small PNG.

        Returns
        -------
        int
            The entry's number, from 1.

        Raises
        ------
        InputError
            If it cannot be written; the journal is then unchanged.
        """
        kept = _common_prefix_length(before.events, after.events)
        new = [event_to_record(event) for event in after.events[kept:]]
        start = None
        if after.start is not None and after.start != before.start:
            start = json.dumps([list(row) for row in after.start.rows], ensure_ascii=False)
        ref = ref or self.last_frame_ref
        with _translated_errors(self._path), self._connection:
            added = self._connection.execute(
                "INSERT INTO entry (kept, events, start, announced, frame, time_s, file, fingerprint) "
                "VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                (
                    kept,
                    json.dumps(new, ensure_ascii=False),
                    start,
                    json.dumps(list(events), ensure_ascii=False),
                    ref.frame,
                    ref.time_s,
                    ref.file,
                    ref.fingerprint,
                ),
            )
            if thumbnail:
                self._connection.execute(
                    "INSERT OR REPLACE INTO view (only_row, png) VALUES (1, ?)", (thumbnail,)
                )
        return int(added.lastrowid or 0)

    def close(self) -> None:
        """Close the file."""
        self._connection.close()
        if self._lock >= 0:
            os.close(self._lock)
        self._lock = -1

    def __enter__(self) -> Journal:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _common_prefix_length(one: Sequence[Event], other: Sequence[Event]) -> int:
    length = 0
    while length < min(len(one), len(other)) and one[length] == other[length]:
        length += 1
    return length


def _connect(path: Path, edition: str, players: Sequence[str], source: str) -> sqlite3.Connection:
    # The camera's thread and the web server's write in turn, under the lock of `LiveGame`.
    connection = sqlite3.connect(path, check_same_thread=False)
    try:
        application, version = (
            int(connection.execute(f"PRAGMA {name}").fetchone()[0])
            for name in ("application_id", "user_version")
        )
        empty = not connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
        if not empty and application != _APPLICATION_ID:
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
                f"BEGIN; {_TABLES} PRAGMA application_id={_APPLICATION_ID}; PRAGMA user_version={SCHEMA}; COMMIT;"
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
                (edition, json.dumps(list(players), ensure_ascii=False), source),
            )
    except BaseException:
        connection.close()
        raise
    return connection


@contextlib.contextmanager
def _translated_errors(path: Path) -> Iterator[None]:
    """Raise errors of the system and of SQLite as `InputError`."""
    try:
        yield
    except OSError as error:
        raise InputError(
            f"{path}: the journal cannot be opened ({error.strerror or error}); choose another place"
        ) from error
    except sqlite3.DatabaseError as error:
        if "not a database" in str(error) or "malformed" in str(error):
            raise InputError(f"{path}: no journal of a game ({error}); name another file") from error
        raise InputError(
            f"{path}: the journal cannot be written ({error}); make room, or choose another place"
        ) from error
