"""Score sheets: the players of the game on some photos, and their totals, from a TOML file."""

from __future__ import annotations

import fnmatch
import tomllib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from scoring import GameError, check_players
from vision.errors import InputError, SettingsError

__all__ = ["Sheet", "find_unmatched_patterns", "load_sheets", "match_photos"]

KEYS = {"photos", "players", "totals", "settled"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Sheet:
    """One score sheet.

    Parameters
    ----------
    photos : tuple of str
        Patterns of the names of the game's photos, see `match_photos`.
    players : tuple of str
        In the order of play.
    totals : tuple of int or None
        The points of each player; None if they are not known.
    settled : bool
        Whether the totals include the settlement of the tiles left at the end, see
        `settlement.totals_before_settlement`.
    """

    photos: tuple[str, ...]
    players: tuple[str, ...]
    totals: tuple[int, ...] | None
    settled: bool = False


def load_sheets(path: Path) -> tuple[Sheet, ...]:
    """Load the score sheets of a TOML file, a table ``[[game]]`` for each.

    ``photos`` and ``players`` are required, ``totals`` and ``settled = true`` are optional.

    Raises
    ------
    InputError
        If the file cannot be read.
    SettingsError
        If its content is not valid.
    """
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror or error}); check the name") from error
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise SettingsError(f"{path}: no TOML ({error}); see tilesight digitise --help") from error
    games = content.get("game")
    if not isinstance(games, list) or set(content) != {"game"}:
        raise SettingsError(f"{path}: write one table [[game]] for each game, and nothing else")
    return tuple(parse_sheet(path, number, game) for number, game in enumerate(games, 1))


def parse_sheet(path: Path, number: int, game: object) -> Sheet:
    """Parse one game's table.

    Parameters
    ----------
    path : Path
        The file, for messages.
    number : int
        Number of the table, from 1.
    game : object
        Its content.
    """
    where = f"{path}: game {number}"
    if not isinstance(game, dict) or set(game) - KEYS or not {"photos", "players"} <= set(game):
        raise SettingsError(
            f"{where}: needs photos and players, may have totals and settled, and nothing else"
        )
    photos = [game["photos"]] if isinstance(game["photos"], str) else game["photos"]
    players, totals = game["players"], game.get("totals")
    if not (is_list_of(photos, str) and is_list_of(players, str)):
        raise SettingsError(f"{where}: photos and players must be lists of texts")
    try:
        check_players(players)
    except GameError as error:
        raise SettingsError(f"{where}: {error}") from error
    if totals is not None and (not is_list_of(totals, int) or len(totals) != len(players)):
        raise SettingsError(f"{where}: totals must be one number for each of {len(players)} players")
    settled = game.get("settled", False)
    if type(settled) is not bool or (settled and (totals is None or len(totals) != 2)):
        raise SettingsError(
            f"{where}: settled must be true or false, and true only with the totals of two players"
        )
    return Sheet(
        photos=tuple(photos),
        players=tuple(players),
        totals=tuple(totals) if totals is not None else None,
        settled=settled,
    )


def is_list_of(values: object, kind: type) -> bool:
    """Return whether this is a list of one or more values of a type."""
    return isinstance(values, list) and bool(values) and all(type(value) is kind for value in values)


def match_photos(patterns: Iterable[str], photos: Sequence[str]) -> frozenset[str]:
    """Find the photos that patterns name.

    A pattern that is a photo's complete name names that photo only. Otherwise it names the photos whose names end with
    it, otherwise those that match it, by the complete name or its end. Brackets and stars in names therefore need no
    escaping, and a photo of the first folder is distinct from those of the same name in folders below it.

    Parameters
    ----------
    patterns : iterable of str
        Names, ends of names, or shell patterns.
    photos : sequence of str
        The names of all photos.
    """
    found: set[str] = set()
    for pattern in patterns:
        found.update(
            [photo for photo in photos if photo == pattern]
            or [photo for photo in photos if photo.endswith(f"/{pattern}")]
            or glob_photos(photos, pattern)
        )
    return frozenset(found)


def glob_photos(photos: Sequence[str], pattern: str) -> list[str]:
    """List the photos that match a shell pattern, by the complete name or its end."""
    return [
        photo
        for photo in photos
        if fnmatch.fnmatchcase(photo, pattern) or fnmatch.fnmatchcase(photo, f"*/{pattern}")
    ]


def find_unmatched_patterns(sheets: Sequence[Sheet], photos: Sequence[str]) -> list[str]:
    """List the patterns of score sheets that name none of these photos."""
    return [pattern for sheet in sheets for pattern in sheet.photos if not match_photos([pattern], photos)]
