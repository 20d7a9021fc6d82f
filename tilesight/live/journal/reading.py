"""Read journals without writing them."""

from __future__ import annotations

import contextlib
import json
import os
import sqlite3
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from scoring import Edition, UnknownEditionError, load_edition
from tilesight.live.journal.journal import Entry, Journal, find_edition
from tilesight.live.journal.schema import APPLICATION_ID, translate_errors, translate_read_errors
from vision.errors import InputError, SettingsError

__all__ = ["is_begun", "load_recorded_edition", "read_entries", "read_published"]


def is_begun(path: Path | None) -> bool:
    """Whether a journal is there, whose game is resumed; an empty file is a new one."""
    return path is not None and path.exists() and path.stat().st_size > 0


def read_published(path: Path, kinds: Iterable[str]) -> list[tuple[int, list[dict[str, Any]]]]:
    """Return the numbers and the JSON events of the entries with events of these kinds, and those of the last entry.

    Raises
    ------
    InputError
        If the file is not a journal.
    """
    with translate_read_errors(path, is_read_only=True):
        with contextlib.closing(_connect_read_only(path)) as connection:
            if connection.execute("PRAGMA application_id").fetchone()[0] != APPLICATION_ID:
                raise InputError(f"{path}: no journal of a game; move it out of the archive")
            patterns = [f'%"{kind}"%' for kind in kinds]
            rows = connection.execute(
                "SELECT number, announced FROM entry WHERE number = (SELECT max(number) FROM entry)"
                f"{' OR announced LIKE ?' * len(patterns)} ORDER BY number",
                patterns,
            ).fetchall()
        return [(int(number), json.loads(text)) for number, text in rows]


def _connect_read_only(path: Path) -> sqlite3.Connection:
    """Open a journal, also in a folder that cannot be written.

    No program has it open if there is no file *-wal. SQLite would then make two files next to it, and leave them.
    """
    is_in_use = os.path.exists(f"{os.path.realpath(path)}-wal")
    options = "mode=ro" if is_in_use else "mode=ro&immutable=1"
    return sqlite3.connect(f"{path.absolute().as_uri()}?{options}", uri=True)


def load_recorded_edition(name: str, path: Path, *, has_moves: bool = True) -> Edition:
    """Load the edition of the journal at `path`, by any name if it has moves; InputError if its file is gone."""
    try:
        return load_edition(find_edition(name, path.parent), any_name=has_moves)
    except UnknownEditionError as error:
        raise InputError(
            f"{path}: its edition {error.name} is not there any more; put that file back, or put it next to the journal"
        ) from error


def read_entries(path: Path) -> tuple[Entry, ...]:
    """Read the entries of a journal that another program may be writing; the file is not changed.

    Raises
    ------
    InputError
        If the file is not a journal.
    SettingsError
        If a newer version of the program wrote it.
    """
    with tempfile.TemporaryDirectory(prefix="tilesight-") as folder:
        copy = Path(folder) / path.name
        with translate_errors(path, is_read_only=True):
            if not path.is_file():
                raise InputError(f"{path}: there is no such file; name the journal of a game")
            path.open("rb").close()  # SQLite's error would not say that it may not be read
            source = _connect_read_only(path)
            with contextlib.closing(source), contextlib.closing(sqlite3.connect(copy)) as target:
                if source.execute("PRAGMA application_id").fetchone()[0] != APPLICATION_ID:
                    raise InputError(f"{path}: no journal of a game; name another file")
                source.backup(target)
        try:
            with Journal.open(copy, edition="english", players=("A", "B")) as journal:
                return journal.history(load_recorded_edition(journal.edition, path))
        except (InputError, SettingsError) as error:  # name the file itself, not the copy
            raise type(error)(str(error).replace(str(copy), str(path))) from error
