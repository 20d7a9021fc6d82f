"""The folder of results: the names of its files, and whether a folder is one."""

from __future__ import annotations

import os
from pathlib import Path

__all__ = [
    "BOARDS",
    "CORRECTIONS",
    "DATABASE",
    "GAMES",
    "GAMES_FILE",
    "OWN_NOTE",
    "PHOTOS_FILE",
    "SHEETS",
    "THUMBNAILS",
    "WORK",
    "holds_results",
]

WORK = ".work"
"""The subfolder with the result store."""
BOARDS, THUMBNAILS, GAMES = "boards", "thumbnails", "games"
PHOTOS_FILE, GAMES_FILE = "photos.jsonl", "games.jsonl"
OWN_NOTE = "read from photos; racks are not known"
"""A line of each game file: only files with it are ever deleted."""
DATABASE = "results.sqlite"
CORRECTIONS = "corrections.json"
SHEETS = "sheets.json"
"""The score sheets of the last run that had some."""


def holds_results(folder: Path) -> bool:
    """Whether the folder holds results, of this or of another run; False if it may not be opened."""
    return os.path.isfile(folder / WORK / DATABASE)
