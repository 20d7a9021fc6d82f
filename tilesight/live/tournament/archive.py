"""The archive: the journals of games that are over, with their results."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from pathlib import Path

from tilesight.live.journal import read_last_event, read_renamed
from tilesight.live.tournament.results import GameResult
from tilesight.output import ArchivedEvent, parse_event
from vision.errors import InputError

__all__ = ["choose_name", "load_archive", "result_of"]

SUFFIX = ".db"


def choose_name(folder: Path, table: str, at_s: float) -> Path:
    """Choose a free name for a game, such as ``final-2026-11-23-2.db``."""
    day = f"{datetime.fromtimestamp(at_s):%Y-%m-%d}"
    number = 1
    while (path := folder / f"{table}-{day}-{number}{SUFFIX}").exists():
        number += 1
    return path


def load_archive(folder: Path, notify: Callable[[str], None]) -> list[GameResult]:
    """Load the results of a folder's games that count, in their order, by the last names of the players.

    Parameters
    ----------
    folder : Path
        The folder; it need not exist.
    notify : callable
        Called with one line for each file that is no journal.
    """
    games: list[tuple[GameResult, list[tuple[str, str]]]] = []
    for path in sorted(folder.glob(f"*{SUFFIX}")):
        try:
            found, renamed = read_last_event(path), read_renamed(path)
        except InputError as error:
            notify(str(error))
            continue
        event = parse_event(found[1]) if found is not None else None
        if found is not None and isinstance(event, ArchivedEvent) and event.counted:
            games.append((result_of(event, found[0]), renamed))
    results: list[GameResult] = []
    for game, renamed in sorted(games, key=lambda each: each[0].at_s):
        results = [
            each.rename(game.totals, renamed)
            if (each.event, each.table) == (game.event, game.table)
            else each
            for each in results
        ]
        results.append(game)
    return results


def result_of(event: ArchivedEvent, last_number: int) -> GameResult:
    """Return the result of a game from the last event of its journal, and the number of its last entry."""
    return GameResult(
        totals=event.totals,
        event=event.event,
        round=event.round,
        table=event.table,
        best_of=event.best_of,
        at_s=event.at_s,
        last_number=last_number,
    )
