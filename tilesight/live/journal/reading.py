"""Read journals that no program writes any more."""

from __future__ import annotations

import contextlib
import json
import sqlite3
from pathlib import Path
from typing import Any

from tilesight.live.journal.schema import APPLICATION_ID, translate_errors
from vision.errors import InputError

__all__ = ["read_last_event"]


def read_last_event(path: Path) -> tuple[int, dict[str, Any]] | None:
    """Return the last published event of a journal, with the number of its entry; None if there is none.

    Raises
    ------
    InputError
        If the file is not a journal.
    """
    with translate_errors(path):
        connection = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)
        with contextlib.closing(connection):
            if connection.execute("PRAGMA application_id").fetchone()[0] != APPLICATION_ID:
                raise InputError(f"{path}: no journal of a game; move it out of the archive")
            row = connection.execute(
                "SELECT number, announced FROM entry ORDER BY number DESC LIMIT 1"
            ).fetchone()
    events = json.loads(row[1]) if row is not None else []
    return (int(row[0]), events[-1]) if events else None
