"""Score sheets: the players of the game on some photos, and the points of their turns, from a TOML file."""

from __future__ import annotations

import csv
import glob
import json
import re
import tomllib
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from fnmatch import translate
from pathlib import Path

from scoring import GameError, check_players, compose_text
from vision.core import read_text_file, write_file
from vision.errors import InputError, SettingsError

__all__ = [
    "Sheet",
    "find_unmatched_patterns",
    "load_kept_sheets",
    "load_sheets",
    "match_photos",
    "save_sheets",
]

ENTRY = re.compile(r"pass|x(?P<exchanged>[1-9]|10)|(?P<points>\d{1,4})", re.ASCII | re.IGNORECASE)
ENTRY_ADVICE = (
    "write the points of a turn, 0 for a play that did not stay, pass, or x3 for an exchange of 3 tiles, and leave out "
    "the points for racks at the end"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class SheetTurn:
    """A turn on a score sheet."""

    player: int
    """Index of the player."""
    points: int
    """The points; 0 for a turn without a play that stayed on the board."""
    is_pass: bool = False
    exchanged: int | None = None
    """The number of tiles exchanged; None if it was no exchange."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sheet:
    """One score sheet."""

    photos: tuple[str, ...]
    """Patterns of the names of the game's photos, see `match_photos`."""
    players: tuple[str, ...]
    """In the order of play."""
    turns: tuple[SheetTurn, ...] = ()
    """All turns in the order of play; none if they are not known."""


def load_sheets(path: Path) -> tuple[Sheet, ...]:
    """Load the score sheets of a TOML file, a table ``[[game]]`` for each.

    ``photos`` and ``players`` are required. ``turns`` lists the points of each player's turns, or names a CSV file next
    to the TOML file, with a row ``player,points`` for each turn. Raises InputError if a file cannot be read,
    SettingsError if its content is not valid.
    """
    try:
        content = tomllib.loads(read_text_file(path, "check the name"))
    except (ValueError, RecursionError) as error:
        raise SettingsError(f"{path}: not valid TOML ({error}); correct the file") from error
    games = content.get("game")
    if not isinstance(games, list) or set(content) != {"game"}:
        raise SettingsError(f"{path}: write one table [[game]] for each game, and nothing else")
    return tuple(parse_sheet(path, number, game) for number, game in enumerate(games, 1))


def save_sheets(path: Path, sheets: Sequence[Sheet]) -> None:
    """Save score sheets for later runs."""
    content = json.dumps([asdict(sheet) for sheet in sheets], ensure_ascii=False, indent=1)
    write_file(path, (content + "\n").encode())


def load_kept_sheets(path: Path) -> tuple[Sheet, ...]:
    """Load the score sheets that `save_sheets` saved, none without a file; InputError if it is damaged."""
    if not path.is_file():
        return ()
    try:
        return tuple(
            Sheet(
                photos=tuple(sheet["photos"]),
                players=tuple(sheet["players"]),
                turns=tuple(SheetTurn(**turn) for turn in sheet["turns"]),
            )
            for sheet in json.loads(read_text_file(path, "check the name"))
        )
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        raise InputError(
            f"{path}: is damaged ({error}); name the score sheets again with --sheets"
        ) from error


def parse_sheet(path: Path, number: int, game: object) -> Sheet:
    """Parse one game's table; CSV files that it names are next to the file, `path`."""
    where = f"{path}: game {number}"
    required = {"photos", "players"}
    if not isinstance(game, dict) or not required <= set(game) <= required | {"turns"}:
        raise SettingsError(f"{where}: needs photos and players, may have turns, and nothing else")
    photos = [game["photos"]] if isinstance(game["photos"], str) else game["photos"]
    players, turns = game["players"], game.get("turns", [])
    for texts in (photos, players):
        if not isinstance(texts, list) or not texts or not all(isinstance(text, str) for text in texts):
            raise SettingsError(f"{where}: photos and players must be lists of texts")
    players = list(map(normalize, players))
    try:
        check_players(players)
    except GameError as error:
        raise SettingsError(f"{where}: {error}") from error
    is_file = isinstance(turns, str)
    parsed = parse_rows(path.parent / turns, players) if is_file else parse_turns(where, turns, players)
    return Sheet(photos=tuple(photos), players=tuple(players), turns=parsed)


def normalize(text: str) -> str:
    """Compose letters and accents, which macOS takes apart in file names, and strip spaces."""
    return compose_text(text.strip())


def parse_turns(where: str, turns: object, players: Sequence[str]) -> tuple[SheetTurn, ...]:
    """Parse the list of the entries of each player, and put them in the order of play."""
    if turns == []:
        return ()
    if not (
        isinstance(turns, list)
        and len(turns) == len(players)
        and all(isinstance(entries, list) for entries in turns)
    ):
        raise SettingsError(
            f"{where}: turns must be a list for each of {len(players)} players, such as [[28, 20], [15, 19]], "
            "or the name of a CSV file"
        )
    counts = list(map(len, turns))
    if counts != sorted(counts, reverse=True) or counts[0] - counts[-1] > 1:
        raise SettingsError(
            f"{where}: the players have {', '.join(map(str, counts))} turns; list them in the order of play, and "
            "write pass or 0 for each turn without points"
        )
    return tuple(
        parse_entry(f"{where}: {players[player]}, turn {at + 1}", player, turns[player][at])
        for at in range(len(turns[0]))
        for player in range(len(players))
        if at < len(turns[player])
    )


def parse_rows(path: Path, players: Sequence[str]) -> tuple[SheetTurn, ...]:
    """Parse a CSV file with a row ``player,points`` for each turn; commas, semicolons or tabs, as most turns have.

    The players take turns in the order in which they are listed. Rows before the first turn without player and points
    are headings, as the line ``sep=;`` that Excel writes.
    """
    text = read_text_file(path, "check the name")
    lines = text.splitlines()
    ends = {
        sign: [line.rstrip(',; "\t').rpartition(sign)[2].strip(' "') for line in lines] for sign in ",;\t"
    }
    delimiter = max(ends, key=lambda sign: (len([*filter(ENTRY.fullmatch, ends[sign])]), text.count(sign)))
    try:
        rows = [list(map(normalize, row)) for row in csv.reader(lines, delimiter=delimiter)]
    except csv.Error as error:
        raise SettingsError(
            f"{path}: is no table in CSV ({error}); write a row player,points for each turn"
        ) from error
    turns = list[SheetTurn]()
    for number, row in enumerate(rows, 1):
        where = f"{path}: row {number}"
        row = row if any(row[2:]) else row[:2]  # programs write empty cells behind a table
        if not any(row) or not (turns or row[0] in players or ENTRY.fullmatch(row[-1])):
            continue
        player = len(turns) % len(players)
        if len(row) != 2 or row[0] != players[player] or row[1] in players:
            raise SettingsError(
                f"{where}: {delimiter.join(row)!r} is no turn of {players[player]}; write a row player,points for each "
                f"turn in the order of play ({', '.join(players)}), with pass or 0 for one without points"
            )
        turns.append(parse_entry(where, player, row[1]))
    if not turns:
        first = delimiter.join(next(filter(any, rows), []))
        raise SettingsError(f"{path}: holds no turn ({first!r} is none); write a row player,points for each")
    return tuple(turns)


def parse_entry(where: str, player: int, entry: object) -> SheetTurn:
    """Parse a turn: its points, ``pass``, or ``x3`` for an exchange of three tiles."""
    match = ENTRY.fullmatch(str(entry))
    if match is None:
        raise SettingsError(f"{where}: {entry!r} is no turn; {ENTRY_ADVICE}")
    points, exchanged = match["points"], match["exchanged"]
    return SheetTurn(
        player=player,
        points=int(points or 0),
        is_pass=points is None and exchanged is None,
        exchanged=int(exchanged) if exchanged is not None else None,
    )


def match_photos(patterns: Iterable[str], photos: Sequence[str]) -> frozenset[str]:
    """Find the photos that patterns name.

    A pattern that is a photo's complete name names that photo only. Otherwise it names the photos whose names end with
    it, otherwise those that match it, by the complete name or its end, otherwise those that match it if its brackets
    are those of names. Brackets and stars in names therefore need no escaping, and a photo of the first folder is
    distinct from those of the same name in folders below it.
    """
    found: set[str] = set()
    names = {photo: f"/{normalize(photo)}" for photo in photos}
    for text in map(normalize, patterns):
        name, with_brackets = glob.escape(text), text.replace("[", "[[]")
        for pattern in (f"/{name}", f"*/{name}", f"*/{text}", f"*/{with_brackets}"):
            matches = re.compile(translate(pattern)).match
            if named := {photo for photo, full_name in names.items() if matches(full_name)}:
                found |= named
                break
    return frozenset(found)


def find_unmatched_patterns(sheets: Sequence[Sheet], photos: Sequence[str]) -> list[str]:
    """List the patterns of score sheets that name none of these photos."""
    return [pattern for sheet in sheets for pattern in sheet.photos if not match_photos([pattern], photos)]
