"""Edition files: TOML in, `Edition` out, and a refusal that names the line.

Shipped editions and a user's own have the same form::

    title = "Icelandic, 104 tiles"      # a line for people
    language = "is"
    base = "norwegian"                  # optional: start from a shipped edition; tables merge key by key
    layout = "standard"                 # a shipped layout, or a table [layout] as below
    rack-size = 7
    scheme = "standard"                 # or krydsord-f, krydsord-a, krydsord-b
    blanks-score = false                # whether a blank scores as its letter

    [bonus]                             # points = 0 for none
    tiles = 7
    points = 50

    [first-play]
    shortest = 2
    start = "any-tile"                  # or "first-letter": the first letter is on a start square

    [challenge]
    valid-points = 10                   # what a wrong challenge costs
    valid-turn = false

    [exchange]
    allowed = true
    bag-minimum = 0

    [end]
    rack-empty = true                   # false: ends as soon as the bag is empty
    pass-rounds = 2                     # 0: passes never end the game
    passes-need-empty-bag = false
    out-collects = true
    out-points = 0

    [premium-texts]
    DL = "TVÖFALT STAFGILDI"

    [layout]
    rows = ["T..d...T", ...]            # . d t q D T Q
    start = ["H8"]                      # the middle if left out

    [tiles]                             # in alphabetical order; count may be left out
    "?" = { count = 2, value = 0 }
    A = { count = 10, value = 1 }
"""

from __future__ import annotations

import functools
import unicodedata
from importlib import resources
from pathlib import Path
from typing import Any, TypeVar

from scoring.coordinates import parse_square
from scoring.errors import EditionError, NotationError, UnknownEditionError
from scoring.layout import Layout, Premium, parse_layout, parse_premiums
from scoring.rules import (
    Bonus,
    ChallengeRule,
    Edition,
    EndRule,
    ExchangeRule,
    FirstPlay,
    Scheme,
    StartRule,
)
from scoring.tiles import BLANK, as_blank, designated
from scoring.toml_file import TomlFile

__all__ = ["Edition", "edition_names", "load_edition"]

_DATA = resources.files("scoring.data")
_Choice = TypeVar("_Choice", Scheme, StartRule)
_PREMIUM_TEXTS = ("DL", "TL", "DW", "TW")
# Signs that mean something else in rows of tokens, in plays, in GCG or in CGP.
_RESERVED = set(".?#[](){}/+-*<>:;,=\"'0123456789 \t")

# Every key that a file may hold, with the type that it must have.
_KEYS: dict[str, Any] = {
    "title": str,
    "language": str,
    "base": str,
    "layout": (str, {"rows": list, "start": list}),
    "rack-size": int,
    "scheme": str,
    "blanks-score": bool,
    "bonus": {"tiles": int, "points": int},
    "first-play": {"shortest": int, "start": str},
    "challenge": {"valid-points": int, "valid-turn": bool},
    "exchange": {"allowed": bool, "bag-minimum": int},
    "end": {
        "rack-empty": bool,
        "pass-rounds": int,
        "passes-need-empty-bag": bool,
        "out-collects": bool,
        "out-points": int,
    },
    "premium-texts": dict.fromkeys(_PREMIUM_TEXTS, str),
    "tiles": {},
}


def edition_names() -> tuple[str, ...]:
    """The names of the shipped editions, in alphabetical order."""
    return tuple(
        sorted(file.name.removesuffix(".toml") for file in _DATA.iterdir() if file.name.endswith(".toml"))
    )


def load_edition(name_or_path: str | Path) -> Edition:
    """The edition of that name, or of that file.

    Parameters
    ----------
    name_or_path : str or Path
        A shipped edition's name, or the path of a TOML file.

    Raises
    ------
    UnknownEditionError
        If it is neither a shipped name nor an existing file.
    EditionError
        If the file cannot be read or makes no sense; the message names the line.
    """
    name = str(name_or_path)
    if name in edition_names():
        return _shipped(name)
    path = Path(name_or_path)
    if not path.is_file():
        raise UnknownEditionError(name, edition_names())
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise EditionError(
            path, None, f"is not UTF-8 text ({error.reason} at byte {error.start}); save it as UTF-8"
        ) from error
    except OSError as error:
        raise EditionError(path, None, f"cannot be read: {error.strerror}") from error
    return _Source(name=path.stem, file=name, text=text).edition()


@functools.cache
def _shipped(name: str) -> Edition:
    return _shipped_source(name).edition()


def _shipped_source(name: str) -> _Source:
    file = f"{name}.toml"
    return _Source(name=name, file=file, text=(_DATA / file).read_text(encoding="utf-8"))


def _shipped_layouts() -> list[str]:
    return sorted(file.name.removesuffix(".txt") for file in _DATA.iterdir() if file.name.endswith(".txt"))


class _Source:
    """One file on its way to an edition: its own table over its base's, read key by key."""

    def __init__(self, name: str, file: str, text: str) -> None:
        self._name = name
        self._toml = TomlFile.parse(file, text, _KEYS)
        self.table = self._merged()

    def edition(self) -> Edition:
        """The edition.

        Raises
        ------
        EditionError
            For the first thing that is wrong.
        """
        values, counts = self._tiles()
        rack_size = self._number("rack-size", default=7, least=1)
        return Edition(
            name=self._name,
            title=self._get("title", default=self._name),
            language=self._get("language", default="und"),
            tokens=tuple(token for token in values if token != BLANK),
            values=values,
            counts=counts,
            layout=self._layout(),
            rack_size=rack_size,
            bonus=self._bonus(rack_size),
            first_play=FirstPlay(
                shortest=self._number("first-play", "shortest", default=2, least=2),
                start=self._choice("first-play", "start", options=StartRule),
            ),
            challenge=ChallengeRule(
                valid_points=self._number("challenge", "valid-points", default=0),
                valid_turn=self._get("challenge", "valid-turn", default=False),
            ),
            exchange=ExchangeRule(
                allowed=self._get("exchange", "allowed", default=True),
                bag_minimum=self._number("exchange", "bag-minimum", default=0),
            ),
            end=EndRule(
                rack_empty=self._get("end", "rack-empty", default=True),
                pass_rounds=self._number("end", "pass-rounds", default=2) or None,
                passes_need_empty_bag=self._get("end", "passes-need-empty-bag", default=False),
                out_collects=self._get("end", "out-collects", default=True),
                out_points=self._number("end", "out-points", default=0),
            ),
            scheme=self._choice("scheme", options=Scheme),
            blanks_score=self._get("blanks-score", default=False),
            premium_texts=self._get("premium-texts", default={}),
        )

    def _merged(self) -> dict[str, Any]:
        own = self._toml.table
        base = own.get("base")
        if base is None:
            return own
        if base not in edition_names():
            raise self._toml.refuse(("base",), str(UnknownEditionError(base, edition_names())))
        table = dict(_shipped_source(base).table)
        for key, value in own.items():
            under = table.get(key)
            if isinstance(value, dict) and isinstance(under, dict) and key != "layout":
                table[key] = {**under, **value}
            else:
                table[key] = value
        return table

    def _get(self, *keys: str, default: Any) -> Any:
        value: Any = self.table
        for key in keys:
            if key not in value:
                return default
            value = value[key]
        return value

    def _number(self, *keys: str, default: int, least: int = 0) -> int:
        value: int = self._get(*keys, default=default)
        if value < least:
            problem = f"{'.'.join(keys)} is {value}; write a whole number of {least} or more"
            raise self._toml.refuse(keys, problem)
        return value

    def _choice(self, *keys: str, options: type[_Choice]) -> _Choice:
        first, *_ = options
        value = self._get(*keys, default=first.value)
        try:
            return options(value)
        except ValueError as error:
            names = ", ".join(option.value for option in options)
            raise self._toml.refuse(keys, f"{'.'.join(keys)} is {value!r}; write one of {names}") from error

    def _bonus(self, rack_size: int) -> Bonus | None:
        points = self._number("bonus", "points", default=0)
        if points == 0:
            return None
        tiles = self._number("bonus", "tiles", default=rack_size, least=1)
        if tiles > rack_size:
            keys = ("bonus", "tiles") if "bonus" in self._toml.table else ("rack-size",)
            raise self._toml.refuse(keys, f"bonus.tiles is {tiles}, but a rack holds {rack_size}")
        return Bonus(tiles=tiles, points=points)

    def _layout(self) -> Layout:
        given = self._get("layout", default="standard")
        if isinstance(given, str):
            if given not in _shipped_layouts():
                names = ", ".join(_shipped_layouts())
                problem = (
                    f"no layout {given!r} is shipped; write one of {names}, or a table [layout] with rows"
                )
                raise self._toml.refuse(("layout",), problem)
            return parse_layout((_DATA / f"{given}.txt").read_text(encoding="utf-8"))
        rows = given.get("rows", [])
        if not rows or not rows[0]:
            raise self._toml.refuse(("layout", "rows"), "layout.rows is empty; write one text a row")
        premiums = tuple(self._premiums(row, len(rows[0])) for row in rows)
        start = frozenset(self._start(square, len(rows), len(rows[0])) for square in given.get("start", []))
        return Layout(premiums=premiums, start=start)

    def _premiums(self, row: str, columns: int) -> tuple[Premium, ...]:
        if len(row) != columns:
            problem = (
                f"row {row!r} has {len(row)} squares, the first row has {columns}; give all the same length"
            )
            raise self._toml.refuse(("layout", "rows"), problem, entry=row)
        try:
            return parse_premiums(row)
        except NotationError as error:
            raise self._toml.refuse(("layout", "rows"), str(error), entry=row) from error

    def _start(self, text: str, rows: int, columns: int) -> tuple[int, int]:
        try:
            row, column = parse_square(text)
        except NotationError as error:
            raise self._toml.refuse(("layout", "start"), str(error), entry=text) from error
        if row >= rows or column >= columns:
            problem = f"start square {text} is off a board of {rows} rows and {columns} columns"
            raise self._toml.refuse(("layout", "start"), problem, entry=text)
        return row, column

    def _tiles(self) -> tuple[dict[str, int], dict[str, int | None]]:
        values: dict[str, int] = {}
        counts: dict[str, int | None] = {}
        for written, entry in self._get("tiles", default={}).items():
            keys, token = ("tiles", written), unicodedata.normalize("NFC", written)
            self._check_token(keys, token)
            if token in values:
                raise self._toml.refuse(
                    keys, f"tile {token} is written twice, with composed and with separate marks"
                )
            if not isinstance(entry, dict) or not {"value"} <= set(entry) <= {"count", "value"}:
                problem = (
                    f"tile {token} is {entry!r}; write {{ count = 2, value = 3 }}, without count if not known"
                )
                raise self._toml.refuse(keys, problem)
            for key, number in entry.items():
                if type(number) is not int or number < 0:
                    problem = f"tile {token} has {key} {number!r}; write a whole number of 0 or more"
                    raise self._toml.refuse((*keys, key), problem)
            values[token], counts[token] = entry["value"], entry.get("count")
        if not set(values) - {BLANK}:
            raise self._toml.refuse(("tiles",), "the table [tiles] has no letter; write one line for each")
        values.setdefault(BLANK, 0)
        counts.setdefault(BLANK, 0)
        return values, counts

    def _check_token(self, keys: tuple[str, ...], token: str) -> None:
        if token == BLANK:
            return
        if not token or set(token) & _RESERVED or unicodedata.combining(token[0]):
            problem = (
                f"tile {token!r}: a letter is not empty and holds no digit, bracket or . ? # and the like"
            )
            raise self._toml.refuse(keys, problem)
        if designated(as_blank(token)) != token or not as_blank(token).islower():
            problem = (
                f"tile {token!r}: write an upper case letter that has a lower case, which stands for a blank"
            )
            raise self._toml.refuse(keys, problem)
