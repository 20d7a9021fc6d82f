"""The settings of a live game, from options or from a TOML file.

docs/reference/formats.md lists the keys of the file.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from scoring import ANY_KEY, TomlFile, locate_edition
from tilesight.corners import parse_corners
from tilesight.languages import LANGUAGES, normalise_language
from tilesight.live.clocks import parse_clock
from tilesight.live.match import compose_names
from tilesight.live.operator import MAX_TITLE
from vision.core import read_text_file
from vision.errors import SettingsError
from vision.game_events import find_players_problem, is_printable

__all__ = ["PHONE", "TABLE_KEYS", "GameSettings", "load_tables"]

_NAME = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,30}[a-z0-9])?")
_LEXICON = re.compile(r"[A-Za-z0-9_-]{1,32}")
_RESERVED = frozenset(
    {"con", "nul", "aux", "prn", *(f"{port}{n}" for port in ("com", "lpt") for n in range(1, 10))}
)
"""Names that cannot be file names on Windows."""
MAX_TABLES = 64
"""Tables in one file; chosen."""
_NUMBER = (float, int)
TABLE_KEYS: dict[str, tuple[str, Any]] = {
    "source": ("source", str),
    "edition": ("edition", str),
    "players": ("players", list),
    "journal": ("journal", str),
    "title": ("title", str),
    "clock": ("clock_s", str),
    "lexicon": ("lexicon", str),
    "corners": ("corners_px", str),
    "profile": ("profile", str),
    "fps": ("fps", _NUMBER),
    "paced": ("paced", bool),
    "rack-source": ("rack_source", str),
    "racks": ("racks_px", list),
    "rack-delay": ("rack_delay_s", _NUMBER),
    "delay": ("delay_s", _NUMBER),
    "language": ("language", str),
    "magpie-lexicon": ("magpie_lexicon", str),
}
"""The keys of a table in a file: the setting of each, and the type in the file."""

Corners = tuple[tuple[float, float], ...]


PHONE = "phone"
"""The source whose pictures a phone's browser sends; a folder of that name is ``./phone``."""
MAX_DELAY_S = 3600
"""Seconds of a delay at most; chosen."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GameSettings:
    """The settings of a live game.

    Parameters
    ----------
    name : str
        Its name in addresses: small letters, digits and dashes.
    edition : str
        A shipped edition's name, or a file.
    players : tuple of str
        Their names, in the order of play.
    source : str or None
        What is watched; None for a game that is typed by hand.
    journal : Path or None
        The journal's file; None for none: the game is gone when the program ends.
    title : str
        The line for viewers.
    clock_s : float or None
        Seconds on each clock; None for a game without clocks.
    lexicon : Path or None
        A word list.
    corners_px : four (x, y) or None
        The grid's outer corners TL TR BR BL.
    profile : Path or None
        A calibration profile of the camera, the board and the tiles.
    fps : float or None
        Frames a second of a folder of pictures, or of a film with wrong time stamps.
    paced : bool
        Whether a recorded video is followed at its own speed.
    rack_source : str or None
        The camera that sees the racks; None for the game's own source.
    racks_px : tuple of (four (x, y) or None)
        The corners of each player's rack in that picture, TL TR BR BL as the letters read.
    rack_delay_s : float
        Seconds before viewers see a rack; the default is chosen.
    delay_s : float
        Seconds by which viewers see everything late: board, scores, clocks and racks.
    magpie_lexicon : str
        MAGPIE's name for the word list; empty if MAGPIE is not asked.
    language : str
        The language of its pages; empty for that of the edition, or English if the pages do not have that.
    is_edition_named : bool
        Whether somebody named the edition; otherwise it is English.

    Raises
    ------
    SettingsError
        If the name cannot be part of an address, or settings contradict each other.
    """

    name: str
    edition: str = "english"
    players: tuple[str, ...] = ("A", "B")
    source: str | None = None
    journal: Path | None = None
    title: str = ""
    clock_s: float | None = None
    lexicon: Path | None = None
    corners_px: Corners | None = None
    profile: Path | None = None
    fps: float | None = None
    paced: bool = True
    rack_source: str | None = None
    racks_px: tuple[Corners | None, ...] = ()
    rack_delay_s: float = 30.0
    delay_s: float = 0.0
    language: str = ""
    magpie_lexicon: str = ""
    is_edition_named: bool = True

    def __post_init__(self) -> None:
        self._check_texts()
        object.__setattr__(self, "players", compose_names(self.players))
        for key, value in (("rack-delay", self.rack_delay_s), ("delay", self.delay_s)):
            if not 0 <= value <= MAX_DELAY_S:
                raise SettingsError(f"table {self.name}: {key} is {value}; give 0 to {MAX_DELAY_S} seconds")
        if self.clock_s is not None and self.clock_s < 0:
            raise SettingsError(
                f"table {self.name}: its clock starts in overtime; write a time such as 25:00"
            )
        if self.fps is not None and not 0.1 <= self.fps <= 1000:
            raise SettingsError(f"table {self.name}: fps is {self.fps}; give 0.1 to 1000 frames a second")
        if self.profile is not None and self.corners_px is not None:
            raise SettingsError(
                f"table {self.name}: a profile may know a lens, which moves every pixel; leave out corners or profile"
            )
        self._check_racks()

    def _check_racks(self) -> None:
        if self.profile is not None and any(self.racks_px) and self.rack_source is None:
            raise SettingsError(
                f"table {self.name}: a profile may know a lens, which moves every pixel; give the racks a rack-source "
                "of their own, or leave the profile out"
            )
        if self.rack_source == PHONE:
            raise SettingsError(
                f"table {self.name}: a phone can be its source, not its rack-source; name another camera"
            )
        if self.rack_source is not None and not any(self.racks_px):
            raise SettingsError(
                f"table {self.name}: rack-source is given, but racks names no place "
                "in its picture; write racks, or leave rack-source out"
            )
        if self.racks_px and len(self.racks_px) != len(self.players):
            raise SettingsError(
                f"table {self.name}: racks names {len(self.racks_px)} places for {len(self.players)} players; "
                'give one each, "" where none is seen'
            )

    def _check_texts(self) -> None:
        """Check the table's name, and what viewers see of it."""
        if not _NAME.fullmatch(self.name) or self.name in _RESERVED:
            raise SettingsError(
                f"table {self.name!r}: name it with up to 32 small letters, digits and dashes, such as table-1"
            )
        if problem := find_players_problem(self.players):
            raise SettingsError(f"table {self.name}: {problem}")
        if len(self.title) > MAX_TITLE or not is_printable(self.title):
            raise SettingsError(f"table {self.name}: a title has up to {MAX_TITLE} printable characters")
        if self.magpie_lexicon and not _LEXICON.fullmatch(self.magpie_lexicon):
            raise SettingsError(
                f"table {self.name}: magpie-lexicon is {self.magpie_lexicon!r}; write MAGPIE's name, such as CSW24"
            )
        if self.language and normalise_language(self.language) is None:
            raise SettingsError(
                f"table {self.name}: language is {self.language}; choose one of {', '.join(LANGUAGES)}"
            )


def load_tables(path: Path) -> tuple[GameSettings, ...]:
    """Load the tables of a TOML file, in its order.

    Raises
    ------
    InputError
        If the file cannot be read.
    DataFileError
        If it is not TOML, or has an unknown key; the message names the line.
    SettingsError
        If the settings of a table are refused, or there is no table.
    """
    text = read_text_file(path, "name a file with tables")
    types = {key: kind for key, (_, kind) in TABLE_KEYS.items()}
    toml = TomlFile.parse(str(path), text, {"table": {ANY_KEY: types}})
    tables = toml.table.get("table", {})
    if not 1 <= len(tables) <= MAX_TABLES:
        raise SettingsError(
            f"{path}: it names {len(tables)} tables; write 1 to {MAX_TABLES} as [table.NAME] with players"
        )
    games = tuple(_parse_table(path.parent, name, values) for name, values in tables.items())
    owners: dict[str, str] = {}
    for game in games:
        owner = owners.setdefault(os.path.abspath(game.journal), game.name) if game.journal else game.name
        if owner != game.name:
            raise SettingsError(f"table {game.name}: its journal is that of table {owner}; name another file")
    return games


def _parse_table(folder: Path, name: str, values: dict[str, Any]) -> GameSettings:
    settings = {TABLE_KEYS[key][0]: value for key, value in values.items()}
    converters: dict[str, Callable[[Any], Any]] = {
        "racks_px": lambda texts: tuple(_parse_corners(text, name, "racks") for text in texts),
        "edition": lambda text: locate_edition(text, folder) or text,
        "players": tuple,
        "source": partial(_resolve_source, folder),
        "journal": folder.joinpath,
        "clock_s": parse_clock,
        "lexicon": folder.joinpath,
        "corners_px": lambda text: _parse_corners(text, name, "corners"),
        "profile": folder.joinpath,
        "rack_source": partial(_resolve_source, folder),
        "rack_delay_s": float,
        "delay_s": float,
    }
    settings |= {each: convert(settings[each]) for each, convert in converters.items() if each in settings}
    return GameSettings(name=name, is_edition_named="edition" in values, **settings)


def _resolve_source(folder: Path, text: str) -> str:
    if text.isdecimal() or text == PHONE or "://" in text:
        return text
    path = str(folder / text)
    return path if path != PHONE else f"./{path}"


def _parse_corners(text: str, name: str, key: str) -> Corners | None:
    corners = parse_corners(text or None, f"table {name}: {key}")
    return None if corners is None else tuple(corners)
