"""The journal of a game: every event is written to disk before it becomes visible.

One SQLite file in write-ahead mode. An entry holds how many events of the game were kept and which events follow
them, so that a correction of an earlier event is one entry too; a fold of the entries gives the game. The published
JSON events are stored with the entry, in the same transaction.
"""

from __future__ import annotations

import contextlib
import json
import os
import sqlite3
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from scoring import Board, Edition, Game, ScoringError, count_common_events, locate_edition
from tilesight.live.journal.lock import lock_journal
from tilesight.live.journal.schema import connect, sync_folder, translate_errors, translate_read_errors
from tilesight.live.serialization import event_from_record, event_to_record
from vision.errors import InputError

__all__ = ["Entry", "FrameRef", "Journal", "find_edition"]


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
    at_s : float
        When it was written, in seconds since 1970; 0 if that is not known.
    ref : FrameRef
        The frame that led to it.
    """

    number: int
    game: Game
    events: tuple[dict[str, Any], ...]
    at_s: float = 0.0
    ref: FrameRef = FrameRef()


class Journal(contextlib.AbstractContextManager["Journal"]):
    """A game's journal, open for one program; `Journal.open` opens one."""

    def __init__(
        self,
        path: Path,
        connection: sqlite3.Connection,
        resources: contextlib.ExitStack,
        *,
        first_number: int = 1,
    ) -> None:
        self.path = path
        self.now = time.time
        """Gives seconds since 1970, for the time of each entry."""
        self._first_number = first_number
        self._connection = connection
        self._resources = resources
        edition, players, source = connection.execute("SELECT edition, players, source FROM game").fetchone()
        self.players: tuple[str, ...] = tuple(json.loads(players))
        self.source: str = source
        if not all(isinstance(text, str) for text in (edition, source, *self.players)):
            raise ValueError(f"edition {edition!r}, players {players!r}, source {source!r}")
        self.edition = find_edition(edition, path.parent)

    @classmethod
    def open(
        cls,
        path: Path,
        *,
        edition: str,
        players: Sequence[str],
        source: str = "",
        first_number: int = 1,
    ) -> Journal:
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
        first_number : int
            Number of the first entry. The next game of a table goes on counting, so that no number comes twice.

        Raises
        ------
        InputError
            If the file is not a journal, is in use, or cannot be written.
        SettingsError
            If a newer version of the program wrote it.
        """
        with translate_read_errors(path):
            if path.is_dir():
                raise InputError(f"{path}: this is a folder; name a file for the journal")
            resources = lock_journal(path)
            try:
                # SQLite's error would not say why the file cannot be written.
                os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o644))
                connection = connect(path, locate_edition(edition) or edition, players, source)
                resources.callback(connection.close)
                return cls(path, connection, resources, first_number=first_number)
            except BaseException:
                resources.close()
                raise

    @property
    def entries(self) -> int:
        """Number of entries."""
        with translate_errors(self.path):
            return int(self._connection.execute("SELECT count(*) FROM entry").fetchone()[0])

    @property
    def has_moves(self) -> bool:
        """Whether any entry has moves, undone ones too, or the board that play went on from."""
        with translate_errors(self.path):
            found = self._connection.execute(
                "SELECT 1 FROM entry WHERE events != '[]' OR start IS NOT NULL LIMIT 1"
            ).fetchone()
        return found is not None

    @property
    def last_frame_ref(self) -> FrameRef:
        """The frame of the last entry."""
        with translate_read_errors(self.path):
            last = "SELECT frame, time_s, file, fingerprint FROM entry ORDER BY number DESC LIMIT 1"
            for frame, time_s, file, fingerprint in self._connection.execute(last):
                if file or frame < 0:
                    return FrameRef(int(frame), float(time_s), file, fingerprint)
        # The entry of an older program: one before it may have the file's name.
        return next(iter(self.frame_refs), FrameRef())

    @property
    def frame_refs(self) -> tuple[FrameRef, ...]:
        """The frame of each entry, the last entry first."""
        with translate_read_errors(self.path):
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
                refs.append(
                    FrameRef(frame=int(frame), time_s=float(time_s), file=file, fingerprint=fingerprint)
                )
        return tuple(reversed(refs))

    @property
    def thumbnail(self) -> bytes:
        """The board at the last entry as a small PNG; empty if it is not known."""
        with translate_errors(self.path):
            row = self._connection.execute("SELECT png FROM view").fetchone()
        return bytes(row[0]) if row else b""

    @property
    def events(self) -> list[dict[str, Any]]:
        """All published JSON events, in order."""
        with translate_read_errors(self.path):
            rows = self._connection.execute("SELECT announced FROM entry ORDER BY number").fetchall()
            return [event for (text,) in rows for event in json.loads(text)]

    def events_after(self, number: int) -> list[tuple[int, list[dict[str, Any]]]]:
        """Return the number and the JSON events of each entry after that number."""
        with translate_read_errors(self.path):
            rows = self._connection.execute(
                "SELECT number, announced FROM entry WHERE number > ? ORDER BY number", (number,)
            ).fetchall()
            return [(int(later), json.loads(text)) for later, text in rows]

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the players after the last entry; `players` are those of the first."""
        with translate_read_errors(self.path):
            return _follow_names(self.players, self.events)

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
        with translate_read_errors(self.path):
            rows = self._connection.execute(
                "SELECT number, kept, events, start, announced, at_s, time_s, frame, file, fingerprint "
                "FROM entry ORDER BY number"
            ).fetchall()
            game = Game(edition=edition, players=self.players)
            entries = []
            try:
                for number, kept, text, start_text, announced, at_s, time_s, frame, file, fingerprint in rows:
                    new = tuple(event_from_record(record) for record in json.loads(text))
                    events = (*game.events[:kept], *new)
                    start = game.start if start_text is None else Board.from_rows(json.loads(start_text))
                    same = start is game.start
                    game = game.with_events(events) if same else replace(game, events=events, start=start)
                    published = tuple(json.loads(announced))
                    if '"renamed"' in announced:
                        game = replace(game, players=_follow_names(game.players, published))
                    entries.append(
                        Entry(
                            number=int(number),
                            game=game,
                            events=published,
                            at_s=float(at_s),
                            ref=FrameRef(int(frame), float(time_s), file, fingerprint),
                        )
                    )
            except ScoringError as error:
                raise InputError(
                    f"{self.path}: the journal does not fit the edition {edition.name} ({error}); "
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
        kept = count_common_events(before.events, after.events)
        new = [event_to_record(event) for event in after.events[kept:]]
        start = None
        if after.start != before.start:
            rows = (after.start or Board.empty(after.edition)).rows
            start = json.dumps([list(row) for row in rows], ensure_ascii=False)
        ref = ref or self.last_frame_ref
        with translate_errors(self.path), self._connection:
            added = self._connection.execute(
                "INSERT INTO entry (number, kept, events, start, announced, frame, time_s, file, fingerprint, at_s) "
                "SELECT max(?, coalesce(max(number), 0) + 1), ?, ?, ?, ?, ?, ?, ?, ?, ? FROM entry",
                (
                    self._first_number,
                    kept,
                    json.dumps(new, ensure_ascii=False),
                    start,
                    json.dumps(list(events), ensure_ascii=False),
                    ref.frame,
                    ref.time_s,
                    ref.file,
                    ref.fingerprint,
                    round(self.now(), 3),
                ),
            )
            if thumbnail:
                self._connection.execute(
                    "INSERT OR REPLACE INTO view (only_row, png) VALUES (1, ?)", (thumbnail,)
                )
        return int(added.lastrowid or 0)

    @property
    def last_number(self) -> int:
        """Number of the last entry; that before the first one, while there is none."""
        with translate_errors(self.path):
            number = self._connection.execute("SELECT max(number) FROM entry").fetchone()[0]
        return int(number) if number is not None else self._first_number - 1

    def restart(self, *, edition: str, players: Sequence[str]) -> None:
        """Begin again, with other players or another edition; for a journal without moves.

        Parameters
        ----------
        edition : str
            Name or file of the edition.
        players : sequence of str
            Their names.

        Raises
        ------
        InputError
            If it cannot be written; the journal is then unchanged.
        """
        with translate_errors(self.path), self._connection:
            # The entries stay, so that no number comes twice; what they announced names players.
            self._connection.execute(
                "UPDATE entry SET announced = '[]', frame = -1, time_s = 0, file = '', fingerprint = ''"
            )
            self._connection.execute("DELETE FROM view")
            edition = locate_edition(edition) or edition
            self._connection.execute(
                "UPDATE game SET edition = ?, players = ?",
                (edition, json.dumps(list(players), ensure_ascii=False)),
            )
        self.edition, self.players = edition, tuple(players)

    def archive(self, target: Path, *, edition: str, players: Sequence[str]) -> None:
        """Move the file away, and go on with a new journal under its name.

        The game is in one of the two files at every moment. If the program is killed in between, there is no file
        under the old name, and the archived game says how the next one begins.

        Parameters
        ----------
        target : Path
            The new name; its folder is made if it does not exist.
        edition : str
            Name or file of the next game's edition.
        players : sequence of str
            The names of the next game.

        Raises
        ------
        InputError
            If another program reads the journal, or the file cannot be moved; the journal is unchanged then.
        """
        old_edition, old_players, number = self.edition, self.players, self.last_number
        self._seal()
        try:
            with translate_errors(target):
                target.parent.mkdir(parents=True, exist_ok=True)
                self.path.rename(target)
            try:
                with translate_errors(target):
                    sync_folder(target.parent)
                    sync_folder(self.path.parent)
                self._reopen(edition, players, number + 1)
            except BaseException:
                self.path.unlink(missing_ok=True)
                target.rename(self.path)
                raise
        except BaseException:
            self._reopen(old_edition, old_players, 1)
            raise

    def _seal(self) -> None:
        """Write everything into the one file, so that it can be moved, and close it."""
        with translate_errors(self.path):
            mode = "wal"
            with contextlib.suppress(sqlite3.OperationalError):
                mode = self._connection.execute("PRAGMA journal_mode=DELETE").fetchone()[0]
        if mode != "delete":
            raise InputError(
                f"{self.path}: another program reads this journal, so it cannot be archived; end that program, and "
                "begin the new game again"
            )
        self.close()

    def _reopen(self, edition: str, players: Sequence[str], first_number: int) -> None:
        other = Journal.open(
            self.path, edition=edition, players=players, source=self.source, first_number=first_number
        )
        self.__dict__.update(other.__dict__ | {"now": self.now})

    def close(self) -> None:
        """Close the file."""
        self._resources.close()

    def __exit__(self, *_: object) -> None:
        self.close()


def _follow_names(players: tuple[str, ...], events: Iterable[dict[str, Any]]) -> tuple[str, ...]:
    """Return the names of players after the published events."""
    for event in events:
        if event["event"] == "renamed":
            players = tuple(event["now"] if name == event["was"] else name for name in players)
    return players


def find_edition(name: str, folder: Path) -> str:
    """Return where the edition of a journal is: its file may have been moved together with the journal to `folder`."""
    return locate_edition(name) or locate_edition(Path(name).name, folder) or name
