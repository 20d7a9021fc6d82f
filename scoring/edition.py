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
import re
import tomllib
import unicodedata
from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from importlib import resources
from pathlib import Path
from typing import Any

from scoring.errors import EditionError, NotationError, UnknownEditionError
from scoring.layout import Layout, parse_layout
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

__all__ = ["Edition", "edition_names", "load_edition"]

_DATA = resources.files("scoring.data")
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
_TYPE_NAMES = {
    str: "a text",
    int: "a whole number",
    bool: "true or false",
    list: "a list of texts",
    dict: "a table",
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
    return _EditionFile(name=path.stem, file=name, text=text).edition()


@functools.cache
def _shipped(name: str) -> Edition:
    return _shipped_file(name).edition()


def _shipped_file(name: str) -> _EditionFile:
    file = f"{name}.toml"
    return _EditionFile(name=name, file=file, text=(_DATA / file).read_text(encoding="utf-8"))


class _EditionFile:
    """One file on its way to an edition; every refusal goes through `refuse`, which finds the line."""

    def __init__(self, name: str, file: str, text: str) -> None:
        self.name, self.file, self.text = name, file, text
        self.own = self._parsed()
        self._check_keys()
        self.table = self._with_base()

    def refuse(self, keys: tuple[str, ...], problem: str, cause: Exception | None = None) -> EditionError:
        """The error that names the line of `keys`, or of as many of them as the file has."""
        error = EditionError(self.file, _line_of(self.text, keys), problem)
        error.__cause__ = cause
        return error

    def edition(self) -> Edition:
        """The edition, or the refusal of the first thing that is wrong."""
        values, counts = self._tiles()
        rack_size = self._number("rack-size", default=7, least=1)
        return Edition(
            name=self.name,
            title=self.table.get("title", self.name),
            language=self.table.get("language", "und"),
            tokens=tuple(token for token in values if token != BLANK),
            values=values,
            counts=counts,
            layout=self._layout(),
            rack_size=rack_size,
            bonus=self._bonus(rack_size),
            first_play=FirstPlay(
                shortest=self._number("first-play", "shortest", default=2, least=2),
                start=StartRule(self._choice("first-play", "start", options=StartRule)),
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
            scheme=Scheme(self._choice("scheme", options=Scheme)),
            blanks_score=self._get("blanks-score", default=False),
            premium_texts=self.table.get("premium-texts", {}),
        )

    def _parsed(self) -> dict[str, Any]:
        try:
            return tomllib.loads(self.text)
        except tomllib.TOMLDecodeError as error:
            found = re.search(r"\(at (?:line (\d+), column \d+|end of document)\)", str(error))
            line = int(found[1]) if found and found[1] else len(self.text.splitlines())
            problem = str(error)[: found.start()].strip() if found else str(error)
            raise EditionError(self.file, max(line, 1), f"is not valid TOML: {problem}") from error

    def _check_keys(self) -> None:
        for keys, value, expected in _walk((), self.own, _KEYS):
            if expected is None:
                table = _KEYS if len(keys) == 1 else _KEYS[keys[0]]
                known = table[1] if isinstance(table, tuple) else table
                near = get_close_matches(keys[-1], known, n=1)
                hint = f"did you mean {near[0]}?" if near else f"the keys here are {', '.join(known)}"
                raise self.refuse(keys, f"unknown key {'.'.join(keys)}; {hint}")
            if isinstance(value, bool) != (expected is bool) or not isinstance(value, expected):
                raise self.refuse(keys, f"{'.'.join(keys)} is {value!r}; write {_TYPE_NAMES[expected]}")

    def _with_base(self) -> dict[str, Any]:
        """The file's own table over that of its base."""
        base = self.own.get("base")
        if base is None:
            return self.own
        if base not in edition_names():
            raise self.refuse(("base",), str(UnknownEditionError(base, edition_names())))
        table: dict[str, Any] = dict(_shipped_file(base).table)
        for key, value in self.own.items():
            under = table.get(key)
            if isinstance(value, dict) and isinstance(under, dict) and key != "layout":
                table[key] = {**under, **value}
            else:
                table[key] = value
        return table

    def _get(self, *keys: str, default: Any) -> Any:
        value: Any = self.table
        for key in keys:
            value = value.get(key, {})
        return default if value == {} else value

    def _number(self, *keys: str, default: int, least: int = 0) -> int:
        value: int = self._get(*keys, default=default)
        if value < least:
            raise self.refuse(keys, f"{'.'.join(keys)} is {value}; write a whole number of {least} or more")
        return value

    def _choice(self, *keys: str, options: type[Scheme] | type[StartRule]) -> str:
        names = [option.value for option in options]
        value: str = self._get(*keys, default=names[0])
        if value not in names:
            raise self.refuse(keys, f"{'.'.join(keys)} is {value!r}; write one of {', '.join(names)}")
        return value

    def _bonus(self, rack_size: int) -> Bonus | None:
        points = self._number("bonus", "points", default=0)
        if points == 0:
            return None
        tiles = self._number("bonus", "tiles", default=rack_size, least=1)
        if tiles > rack_size:
            raise self.refuse(
                ("bonus", "tiles"), f"bonus.tiles is {tiles}, but a rack holds {rack_size} tiles"
            )
        return Bonus(tiles=tiles, points=points)

    def _layout(self) -> Layout:
        given = self.table.get("layout", "standard")
        if isinstance(given, str):
            shipped = _DATA / f"{given}.txt"
            names = sorted(f.name.removesuffix(".txt") for f in _DATA.iterdir() if f.name.endswith(".txt"))
            if given not in names:
                raise self.refuse(
                    ("layout",),
                    f"no layout {given!r} is shipped; write one of {', '.join(names)}, or a table",
                )
            return parse_layout(shipped.read_text(encoding="utf-8"))
        for key in ("rows", "start"):
            if not all(isinstance(entry, str) for entry in given.get(key, [])):
                raise self.refuse(("layout", key), f"layout.{key} is {given[key]!r}; write a list of texts")
        try:
            return parse_layout(given.get("rows", []), given.get("start", []))
        except NotationError as error:
            raise self.refuse(("layout", "rows"), str(error), error) from error

    def _tiles(self) -> tuple[dict[str, int], dict[str, int | None]]:
        values: dict[str, int] = {}
        counts: dict[str, int | None] = {}
        for token, entry in self.table.get("tiles", {}).items():
            keys = ("tiles", token)
            self._check_token(keys, token)
            if not isinstance(entry, dict) or not set(entry) <= {"count", "value"} or "value" not in entry:
                raise self.refuse(
                    keys, f"tile {token} is {entry!r}; write {{ count = 2, value = 3 }}, count if known"
                )
            for key, number in entry.items():
                if type(number) is not int or number < 0:
                    raise self.refuse(
                        (*keys, key), f"tile {token} has {key} {number!r}; write a whole number of 0 or more"
                    )
            values[token], counts[token] = entry["value"], entry.get("count")
        if not set(values) - {BLANK}:
            raise self.refuse(
                ("tiles",), "the table [tiles] is missing or has no letter; write one line a letter"
            )
        values.setdefault(BLANK, 0)
        counts.setdefault(BLANK, 0)
        return values, counts

    def _check_token(self, keys: tuple[str, ...], token: str) -> None:
        if token == BLANK:
            return
        if not token or set(token) & _RESERVED or unicodedata.combining(token[0]):
            raise self.refuse(
                keys, f"tile {token!r}: a letter must not be empty nor hold any of . ? # digits or brackets"
            )
        if designated(as_blank(token)) != token or not as_blank(token).islower():
            raise self.refuse(
                keys,
                f"tile {token!r}: write upper case letters that have a lower case, which stands for a blank",
            )


def _walk(
    keys: tuple[str, ...], table: Mapping[str, Any], known: Mapping[str, Any]
) -> Iterator[tuple[tuple[str, ...], Any, Any]]:
    """Every key below `table` with its value and the type that it must have; None if the key is unknown."""
    for key, value in table.items():
        path = (*keys, key)
        if key not in known:
            yield path, value, None
            continue
        expected = known[key]
        if isinstance(expected, tuple):  # a text or a table
            expected = expected[1] if isinstance(value, dict) else expected[0]
        if isinstance(expected, dict):
            yield path, value, dict
            if expected and isinstance(value, dict):  # [tiles] has keys of the user's own
                yield from _walk(path, value, expected)
        else:
            yield path, value, expected


def _line_of(text: str, keys: tuple[str, ...]) -> int | None:
    """The line, from 1, on which the longest beginning of `keys` is written; None if none of it is."""
    section: tuple[str, ...] = ()
    best, line = 0, None
    for number, written in enumerate(text.splitlines(), 1):
        header = re.match(r"\s*\[([^\[\]]+)\]\s*(?:#.*)?$", written)
        if header:
            section = _key_path(header[1])
            path = section
        else:
            key = re.match(
                r"""\s*((?:"[^"]*"|'[^']*'|[\w-]+)(?:\s*\.\s*(?:"[^"]*"|'[^']*'|[\w-]+))*)\s*=""", written
            )
            if not key:
                continue
            path = section + _key_path(key[1])
        if len(path) > best and path == keys[: len(path)]:
            best, line = len(path), number
    return line


def _key_path(written: str) -> tuple[str, ...]:
    parts = re.findall(r""""([^"]*)"|'([^']*)'|([\w-]+)""", written)
    return tuple(double or single or bare for double, single, bare in parts)
