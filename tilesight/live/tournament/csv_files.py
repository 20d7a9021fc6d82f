"""The director's tables in CSV: the players, and the results of other tables.

The first line names the columns, in any order. A comma, a semicolon or a tab is between them.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator
from difflib import get_close_matches
from pathlib import Path

from scoring import DataFileError, compose_text
from tilesight.live.match import PlayerInfo
from tilesight.live.tournament.results import GameResult
from vision.core import read_text_file
from vision.game_events import is_printable

__all__ = ["find_flag_problem", "find_text_problem", "load_players", "load_results"]

MAX_TEXT = 60
"""Characters of a name, a club or a title; chosen."""
_PLAYER_COLUMNS = ("name", "rating", "club", "flag")
_RESULT_COLUMNS = ("round", "player", "points", "opponent", "opponent-points")


def find_text_problem(text: str) -> str:
    """Return what is wrong with a text for viewers; empty if nothing is."""
    if len(text) > MAX_TEXT:
        return f"has {len(text)} characters; write at most {MAX_TEXT}"
    if not is_printable(text):
        return f"is {text!r}, with characters that cannot be shown; leave them out"
    return ""


def find_flag_problem(text: str) -> str:
    """Return what is wrong with a player's flag; empty if nothing is, or there is none."""
    if text and not re.fullmatch(r"[A-Za-z]{2,3}", text):
        return f"flag is {text!r}; write a country's code, such as is or hu"
    return ""


def load_players(path: Path) -> dict[str, PlayerInfo]:
    """Load players, by name.

    Raises
    ------
    InputError
        If the file cannot be read.
    DataFileError
        If a line is not valid; the message names it.
    """
    players: dict[str, PlayerInfo] = {}
    for line, row in _rows(path, _PLAYER_COLUMNS, needed=("name",)):
        name, rating, flag = row["name"], row["rating"], row["flag"]
        if name in players:
            raise DataFileError(path, line, f"{name} is listed twice; leave one of them out")
        if rating and not re.fullmatch(r"[0-9]{1,4}", rating):
            raise DataFileError(path, line, f"rating is {rating!r}; write a whole number from 0 to 9999")
        if problem := find_flag_problem(flag):
            raise DataFileError(path, line, problem)
        players[name] = PlayerInfo(
            name=name, rating=int(rating) if rating else None, club=row["club"], flag=flag.lower()
        )
    return players


def load_results(path: Path) -> tuple[GameResult, ...]:
    """Load the results of games.

    Raises
    ------
    InputError
        If the file cannot be read.
    DataFileError
        If a line is not valid; the message names it.
    """
    results, lines = [], dict[tuple[str, frozenset[tuple[str, int]]], int]()
    for line, row in _rows(path, _RESULT_COLUMNS, needed=_RESULT_COLUMNS[1:]):
        totals = {}
        for player, points in ((row["player"], row["points"]), (row["opponent"], row["opponent-points"])):
            if not re.fullmatch(r"-?[0-9]{1,4}", points):
                raise DataFileError(path, line, f"{player}: {points!r} is no number of points; write 425")
            totals[player] = int(points)
        if len(totals) != 2:
            raise DataFileError(
                path, line, f"{row['player']} plays against {row['opponent']}; name two players"
            )
        first = lines.setdefault((row["round"], frozenset(totals.items())), line)
        if first != line:
            raise DataFileError(path, line, f"this is the game of line {first} again; leave one of them out")
        results.append(GameResult(round=row["round"], totals=totals))
    return tuple(results)


def _rows(
    path: Path, columns: tuple[str, ...], needed: tuple[str, ...]
) -> Iterator[tuple[int, dict[str, str]]]:
    """Generate the number and the cells of each line; a column that the file lacks is empty."""
    text = read_text_file(path, "name a table in CSV")
    head = text.partition("\n")[0]
    delimiter = max(",;\t", key=head.count)
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    try:
        names = [name.strip().casefold().replace(" ", "-") for name in next(rows, [])]
        _check_columns(path, names, columns, needed)
        for cells in rows:
            if any(cell.strip() for cell in cells):
                yield rows.line_num, _check_cells(path, rows.line_num, names, cells, columns, needed)
    except csv.Error as error:
        raise DataFileError(
            path, max(rows.line_num, 1), f"is no line of a table in CSV ({error}); close every quotation mark"
        ) from error


def _check_columns(path: Path, names: list[str], columns: tuple[str, ...], needed: tuple[str, ...]) -> None:
    for name in names:
        if name not in columns:
            near = get_close_matches(name, columns, n=1)
            hint = f"did you mean {near[0]}?" if near else f"the columns are {', '.join(columns)}"
            raise DataFileError(path, 1, f"unknown column {name!r}; {hint}")
    for name in needed:
        if names.count(name) != 1:
            raise DataFileError(path, 1, f"the column {name} is needed once; begin with {','.join(columns)}")


def _check_cells(
    path: Path,
    line: int,
    names: list[str],
    cells: list[str],
    columns: tuple[str, ...],
    needed: tuple[str, ...],
) -> dict[str, str]:
    if len(cells) > len(names):
        raise DataFileError(
            path,
            line,
            f"has {len(cells)} cells for {len(names)} columns; put quotation marks around a text with commas",
        )
    texts = (compose_text(cell.strip()) for cell in cells)
    row = dict.fromkeys(columns, "") | dict(zip(names, texts, strict=False))
    for name, cell in row.items():
        problem = find_text_problem(cell) or ("is empty; fill it in" if name in needed and not cell else "")
        if problem:
            raise DataFileError(path, line, f"{name} {problem}")
    return row
