"""The journal of a game: every event is on disk before anybody hears of it.

One SQLite file in write-ahead mode. An entry says how many events of the game were kept and which follow them, so
that a correction of an earlier event is one entry too; folding the entries gives the game. What was announced lies
beside it, in the same transaction.
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

from scoring import Board, Edition, Game, ScoringError
from tilesight.live.serialization import event_from_record, record_of_event
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
    announced TEXT NOT NULL,    -- JSON: what was told
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
"""By schema version, what makes a journal one of the next."""


@dataclass(frozen=True, slots=True)
class FrameRef:
    """Where in a film an entry was made.

    Parameters
    ----------
    frame : int
        The frame's number; -1 before the first.
    time_s : float
        Its time in seconds.
    file : str
        The name of its file; "" where it is not known.
    fingerprint : str
        What tells that file from all others; "" of what is live, and where an older program wrote the entry.
    """

    frame: int = -1
    time_s: float = 0.0
    file: str = ""
    fingerprint: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One entry, with the game as it stood after it.

    Parameters
    ----------
    number : int
        Its number, from 1.
    game : Game
        The game after it.
    announced : tuple of dict
        What was told.
    """

    number: int
    game: Game
    announced: tuple[dict[str, Any], ...]


class Journal:
    """A game's journal, open for one program; its threads take turns.

    Use `Journal.open`.
    """

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
        """The journal in a file; a new one for this edition and these players where there is no file.

        Parameters
        ----------
        path : Path
            The file.
        edition : str
            What the edition is loaded by; of a new journal only.
        players : sequence of str
            Their names; of a new journal only.
        source : str
            What is watched; of a new journal only.

        Raises
        ------
        InputError
            If the file is no journal, is in use, or cannot be written.
        SettingsError
            If a newer version of the program wrote it.
        """
        with _explained(path):
            if path.is_dir():
                raise InputError(f"{path}: this is a folder; name a file for the journal")
            # SQLite's own locks are per process and short; this one says who follows the game.
            lock = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
            try:
                try:
                    fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                except BlockingIOError:
                    raise InputError(
                        f"{path}: another program writes this journal; end it, or name another file"
                    ) from None
                connection = _connected(path, edition, players, source)
                return cls(path, connection, lock)
            except BaseException:
                os.close(lock)
                raise

    @property
    def entries(self) -> int:
        """How many entries it holds."""
        with _explained(self._path):
            return int(self._connection.execute("SELECT count(*) FROM entry").fetchone()[0])

    @property
    def place(self) -> FrameRef:
        """Where the last entry was made; before the first frame if there is none."""
        return next(iter(self.places), FrameRef())

    @property
    def places(self) -> tuple[FrameRef, ...]:
        """Where each entry was made, the last one first."""
        with _explained(self._path):
            rows = self._connection.execute(
                "SELECT frame, time_s, file, fingerprint, CASE file WHEN '' THEN announced ELSE '[]' END "
                "FROM entry ORDER BY number"
            ).fetchall()
        places: list[FrameRef] = []
        for frame, time_s, file, fingerprint, announced in rows:
            if not file:  # of an older program's entry, what it told has the name
                sources = (event.get("source") for event in reversed(json.loads(announced)))
                # People's commands come from no file; what they follow does.
                file = next(filter(None, sources), places[-1].file if places else "")
            places.append(
                FrameRef(frame=int(frame), time_s=float(time_s), file=file, fingerprint=fingerprint)
            )
        return tuple(reversed(places))

    @property
    def view(self) -> bytes:
        """How the board looked at the last entry, a small PNG picture; empty if that is not known."""
        with _explained(self._path):
            row = self._connection.execute("SELECT png FROM view").fetchone()
        return bytes(row[0]) if row else b""

    @property
    def announced(self) -> list[dict[str, Any]]:
        """All that was told, in its order."""
        with _explained(self._path):
            rows = self._connection.execute("SELECT announced FROM entry ORDER BY number").fetchall()
        return [event for (text,) in rows for event in json.loads(text)]

    def told_after(self, number: int) -> list[tuple[int, list[dict[str, Any]]]]:
        """What was told since the entry of that number: each later entry's number and its events."""
        with _explained(self._path):
            rows = self._connection.execute(
                "SELECT number, announced FROM entry WHERE number > ? ORDER BY number", (number,)
            ).fetchall()
        return [(int(later), json.loads(text)) for later, text in rows]

    def game(self, edition: Edition) -> Game:
        """The game as it stands by the journal.

        Raises
        ------
        InputError
            If an entry cannot be understood, or does not fit the edition.
        """
        entries = self.history(edition)
        return entries[-1].game if entries else Game(edition=edition, players=self.players)

    def history(self, edition: Edition) -> tuple[Entry, ...]:
        """Every entry in its order, each with the game as it stood then.

        Raises
        ------
        InputError
            If an entry cannot be understood, or does not fit the edition.
        """
        with _explained(self._path):
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
                if start is game.start:
                    game = replace(game, events=events, known=game.steps[:kept])
                else:
                    game = replace(game, events=events, start=start)
                entries.append(Entry(number=int(number), game=game, announced=tuple(json.loads(announced))))
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
        announced: Sequence[dict[str, Any]],
        place: FrameRef | None = None,
        view: bytes = b"",
    ) -> int:
        """Puts what led from one game to the next on disk; when this returns, it is there.

        Parameters
        ----------
        before, after : Game
            The game before and after.
        announced : sequence of dict
            What will be told of it.
        place : Place, optional
            Where in the film.
        view : bytes, optional
            How the board looks now, a small PNG picture.

        Returns
        -------
        int
            The entry's number, from 1.

        Raises
        ------
        InputError
            If it cannot be written; the journal then stands as it stood.
        """
        kept = 0
        while kept < min(len(before.events), len(after.events)) and before.events[kept] == after.events[kept]:
            kept += 1
        new = [record_of_event(event) for event in after.events[kept:]]
        start = None
        if after.start is not None and after.start != before.start:
            start = json.dumps([list(row) for row in after.start.rows], ensure_ascii=False)
        place = place or self.place
        with _explained(self._path), self._connection:
            added = self._connection.execute(
                "INSERT INTO entry (kept, events, start, announced, frame, time_s, file, fingerprint) "
                "VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                (
                    kept,
                    json.dumps(new, ensure_ascii=False),
                    start,
                    json.dumps(list(announced), ensure_ascii=False),
                    place.frame,
                    place.time_s,
                    place.file,
                    place.fingerprint,
                ),
            )
            if view:
                self._connection.execute("INSERT OR REPLACE INTO view (only_row, png) VALUES (1, ?)", (view,))
        return int(added.lastrowid or 0)

    def close(self) -> None:
        """Ends the use of the file."""
        self._connection.close()
        if self._lock >= 0:
            os.close(self._lock)
        self._lock = -1

    def __enter__(self) -> Journal:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _connected(path: Path, edition: str, players: Sequence[str], source: str) -> sqlite3.Connection:
    # A camera's thread and a web server's write to one journal, one at a time.
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
            # Of a program that was killed between the tables and this line, too.
            connection.execute(
                "INSERT INTO game SELECT ?, ?, ? WHERE NOT EXISTS (SELECT 1 FROM game)",
                (edition, json.dumps(list(players), ensure_ascii=False), source),
            )
    except BaseException:
        connection.close()
        raise
    return connection


@contextlib.contextmanager
def _explained(path: Path) -> Iterator[None]:
    """Turns what the system and SQLite say into one line."""
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
