"""The director's files: an event in TOML, its players and the results of other tables in CSV.

docs/reference/formats.md lists the keys of the file. Paths are relative to its folder.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from scoring import ANY_KEY, ChallengeRule, EditionError, ScoringError, TomlFile, compose_text, name_key
from tilesight.live.match import PlayerInfo, compose_names
from tilesight.live.operator import OvertimeRule
from tilesight.live.tournament.csv_files import (
    find_flag_problem,
    find_text_problem,
    load_players,
    load_results,
)
from tilesight.live.tournament.results import GameResult, is_placeholder
from vision.core import read_text_file
from vision.errors import VisionError
from vision.game_events import find_players_problem

__all__ = ["EventSettings", "FileState", "TableMatch", "find_event_files", "find_state", "load_event"]

FileState = tuple[float, int]
"""Time of the last change, and size in bytes."""

MAX_BEST_OF = 99
"""Games of a match; chosen."""
_KEYS: dict[str, Any] = {
    "title": str,
    "round": (str, int),
    "best-of": int,
    "challenge": (str, int),
    "overtime": int,
    "overtime-every": int,
    "starts": str,
    "players": str,
    "results": str,
    "archive": str,
    "player": {ANY_KEY: {"rating": int, "club": str, "flag": str}},
    "table": {ANY_KEY: {"players": list, "label": str, "round": (str, int), "best-of": int}},
}


@dataclass(frozen=True, slots=True, kw_only=True)
class TableMatch:
    """The match of one table.

    Parameters
    ----------
    players : tuple of str or None
        The names, who begins the first game comes first; None for those that the table has.
    label : str
        What viewers read for the table.
    round : str
        The round.
    best_of : int or None
        Games of the match at most; None for a single game.
    """

    players: tuple[str, ...] | None = None
    label: str = ""
    round: str = ""
    best_of: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class EventSettings:
    """An event, as its director describes it; without a file, single games without a round.

    Parameters
    ----------
    title : str
        The title.
    default : TableMatch
        Round and games of tables that say nothing else.
    challenge : str
        Name of the rule for challenges, see `scoring.ChallengeRule.named`; empty for that of the edition.
    overtime : OvertimeRule
        What overtime costs.
    starts_s : float or None
        When the round starts, in seconds since 1970.
    archive : Path or None
        Folder of the archived games; None for a folder next to each journal.
    players : mapping of str to PlayerInfo
        The players by name.
    tables : mapping of str to TableMatch
        The tables by name.
    results : tuple of GameResult
        Results of other tables.
    """

    title: str = ""
    default: TableMatch = field(default_factory=TableMatch)
    challenge: str = ""
    overtime: OvertimeRule = field(default_factory=OvertimeRule)
    starts_s: float | None = None
    archive: Path | None = None
    players: Mapping[str, PlayerInfo] = field(default_factory=dict)
    tables: Mapping[str, TableMatch] = field(default_factory=dict)
    results: tuple[GameResult, ...] = ()

    def table(self, name: str) -> TableMatch:
        """Return the match of a table."""
        return self.tables.get(name, self.default)

    def player(self, name: str) -> PlayerInfo:
        """Return what is known of a player."""
        return self.players.get(name, PlayerInfo(name=name))


def load_event(path: Path) -> EventSettings:
    """Load an event with the files that it names.

    Raises
    ------
    InputError
        If a file cannot be read.
    DataFileError
        If a file is not valid; the message names the line and what to write.
    """
    text = read_text_file(path, "name the director's file of the event")
    toml = TomlFile.parse(str(path), text, _KEYS)
    return _EventReader(path, toml).read()


def find_event_files(path: Path) -> tuple[Path, ...]:
    """Return the director's file and the files that it names, be they valid or not."""
    try:
        table = TomlFile.parse(str(path), read_text_file(path, ""), _KEYS).table
    except (VisionError, ScoringError):
        return (path,)  # no other file can mend it
    return (path, *(path.parent / table[key] for key in ("players", "results") if key in table))


def find_state(path: Path) -> FileState:
    """Return when a file was changed, and its size; zeros if it is not there."""
    try:
        status = path.stat()
    except (OSError, ValueError):  # a name with a null character is a ValueError
        return (0.0, 0)
    return (status.st_mtime, status.st_size)


class _EventReader:
    def __init__(self, path: Path, toml: TomlFile) -> None:
        self._path = path
        self._toml = toml
        self._table = toml.table

    def read(self) -> EventSettings:
        players = load_players(self._path.parent / self._table["players"]) if "players" in self._table else {}
        results = load_results(self._path.parent / self._table["results"]) if "results" in self._table else ()
        players |= {
            compose_text(name): self._player(name, each)
            for name, each in self._table.get("player", {}).items()
        }
        default = TableMatch(round=self._round(()), best_of=self._best_of(()))
        tables = {name: self._match(name, default) for name in self._table.get("table", {})}
        self._check_seats(tables)
        return EventSettings(
            title=self._text(("title",)),
            default=default,
            challenge=self._challenge(),
            overtime=OvertimeRule(
                points=self._number(("overtime",), 10, 0, 1000),
                every_s=self._number(("overtime-every",), 60, 1, 3600),
            ),
            starts_s=self._moment("starts"),
            archive=self._path.parent / self._table["archive"] if "archive" in self._table else None,
            players=players,
            tables=tables,
            results=results,
        )

    def _player(self, name: str, values: Mapping[str, Any]) -> PlayerInfo:
        keys = ("player", name)
        flag = values.get("flag", "")
        if problem := find_flag_problem(flag):
            raise self._toml.error_at((*keys, "flag"), problem)
        rating = self._number((*keys, "rating"), 0, 0, 9999) if "rating" in values else None
        return PlayerInfo(
            name=compose_text(name), rating=rating, club=self._text((*keys, "club")), flag=flag.lower()
        )

    def _match(self, name: str, default: TableMatch) -> TableMatch:
        keys = ("table", name)
        values = self._table["table"][name]
        players = tuple(values["players"]) if "players" in values else None
        if players is not None and (problem := find_players_problem(players)):
            raise self._toml.error_at((*keys, "players"), problem)
        return TableMatch(
            players=compose_names(players) if players is not None else None,
            label=self._text((*keys, "label")),
            round=self._round(keys) if "round" in values else default.round,
            best_of=self._best_of(keys) if "best-of" in values else default.best_of,
        )

    def _check_seats(self, tables: Mapping[str, TableMatch]) -> None:
        """Check that nobody plays at two tables of one round; a placeholder may."""
        seats: dict[tuple[str, str], str] = {}
        for table, match in tables.items():
            for name in match.players or ():
                other = seats.setdefault((match.round, name_key(name)), table)
                if other != table and not is_placeholder(name):
                    problem = f"{name} plays at table {other} in the same round; name another player or round"
                    raise self._toml.error_at(("table", table, "players"), problem, name)

    def _value(self, keys: tuple[str, ...], default: Any) -> Any:
        value: Any = self._table
        for key in keys:
            value = value.get(key, {} if key != keys[-1] else default)
        return value

    def _text(self, keys: tuple[str, ...]) -> str:
        text = compose_text(str(self._value(keys, "")))
        problem = find_text_problem(text)
        if problem:
            raise self._toml.error_at(keys, f"{keys[-1]} {problem}")
        return text

    def _number(self, keys: tuple[str, ...], default: int, least: int, most: int) -> int:
        number = int(self._value(keys, default))
        if not least <= number <= most:
            raise self._toml.error_at(keys, f"{keys[-1]} is {number}; write a number from {least} to {most}")
        return number

    def _round(self, keys: tuple[str, ...]) -> str:
        return self._text((*keys, "round"))

    def _best_of(self, keys: tuple[str, ...]) -> int | None:
        number = self._number((*keys, "best-of"), 1, 1, MAX_BEST_OF)
        return number if number > 1 else None

    def _challenge(self) -> str:
        name = str(self._value(("challenge",), ""))
        if name:
            try:
                ChallengeRule.named(name)
            except EditionError as error:
                raise self._toml.error_at(("challenge",), f"challenge: {error}") from error
        return name

    def _moment(self, key: str) -> float | None:
        text = self._value((key,), "")
        if not text:
            return None
        is_time = re.fullmatch(r"\d{1,2}:\d{2}", text)
        whole = f"{datetime.now():%Y-%m-%d} {text:0>5}" if is_time else text
        try:
            return datetime.fromisoformat(whole).timestamp()
        except ValueError as error:
            raise self._toml.error_at(
                (key,), f'{key} is {text!r}; write a time such as "19:30" or "2026-11-23 19:30"'
            ) from error
