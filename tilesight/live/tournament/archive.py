"""The archive: the journals of games that are over, with their results."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from scoring import Board
from tilesight.live.journal import read_entries, read_published, translate_read_errors
from tilesight.live.tournament.results import GameResult
from tilesight.output import ArchivedEvent, list_renamed, list_totals, parse_event
from vision.errors import InputError, SettingsError
from vision.game_events import UpdateKind

__all__ = ["choose_name", "find_last_board", "load_archive", "result_of"]

SUFFIX = ".db"


def choose_name(folder: Path, table: str, at_s: float) -> Path:
    """Choose a free name for a game, such as ``final-2026-11-23-2.db``."""
    day = f"{datetime.fromtimestamp(at_s):%Y-%m-%d}"
    number = 1
    while (path := folder / f"{table}-{day}-{number}{SUFFIX}").exists():
        number += 1
    return path


def load_archive(folder: Path, notify: Callable[[str], None], now_s: float) -> list[GameResult]:
    """Load the results of a folder's games that count, in their order, by the newest names of the players in a round.

    Parameters
    ----------
    folder : Path
        The folder; it need not exist.
    notify : callable
        Called with one line for each file that is no journal.
    now_s : float
        Now, in seconds since 1970. No game ended later: the computer's clock may have been set back since.
    """
    games: list[GameResult] = []
    for path in sorted(folder.glob(f"*{SUFFIX}")):
        try:
            with translate_read_errors(path, is_read_only=True):
                games += _read_result(path)
        except (InputError, SettingsError) as error:
            notify(str(error))
    results: list[GameResult] = []
    for game in sorted(games, key=lambda each: each.at_s):
        results = [
            each.rename(game.totals, game.renamed)
            if (each.event, each.round, each.table) == (game.event, game.round, game.table)
            else each
            for each in results
        ]
        results.append(replace(game, at_s=min(game.at_s, now_s)))
    return results


def find_last_board(folder: Path, table: str) -> Board | None:
    """Return the board of the newest game of a table in a folder; None if there is none that can be read."""
    found = (
        re.fullmatch(rf"{re.escape(table)}-(\d+-\d+-\d+)-(\d+)", path.stem)
        for path in folder.glob(f"*{SUFFIX}")
    )
    newest = max((each for each in found if each), key=lambda each: (each[1], int(each[2])), default=None)
    try:
        entries = read_entries(folder / f"{newest[0]}{SUFFIX}") if newest is not None else ()
    except (InputError, SettingsError):
        return None
    return entries[-1].game.board if entries else None


def _read_result(path: Path) -> list[GameResult]:
    """Read the result of an archived game; none if it does not count."""
    entries = read_published(path, (ArchivedEvent.kind, UpdateKind.RENAMED))
    published = [(number, parse_event(event)) for number, events in entries for event in events]
    archived = [(number, event) for number, event in published if isinstance(event, ArchivedEvent)]
    if not archived or not archived[-1][1].counted:
        return []
    number, last = archived[-1]
    last_number = entries[-1][0]
    if last_number != number:  # the game was corrected later
        last = replace(last, totals=list_totals(read_entries(path)[-1].game))
    return [result_of(last, last_number, list_renamed(event for _, event in published))]


def result_of(event: ArchivedEvent, last_number: int, renamed: Iterable[tuple[str, str]]) -> GameResult:
    """Return the result of a game from the event of its end, the last entry of its journal, and who was renamed."""
    return GameResult(
        totals=event.totals,
        event=event.event,
        round=event.round,
        table=event.table,
        best_of=event.best_of,
        at_s=event.at_s,
        last_number=last_number,
        renamed=tuple(renamed),
    )
