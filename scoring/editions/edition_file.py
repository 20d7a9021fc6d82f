"""Parse an edition file: check each key, and report the line of what is wrong."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeVar

from scoring.edition import (
    Bonus,
    ChallengeRule,
    Edition,
    EndRule,
    ExchangeRule,
    FirstPlay,
    Scheme,
    StartRule,
)
from scoring.editions.layout_file import load_layout
from scoring.editions.shipped import edition_names, edition_text
from scoring.editions.toml_file import TomlFile
from scoring.errors import near_names
from scoring.tiles import BLANK, as_blank, designated

__all__ = ["KEYS", "parse_edition"]

_Choice = TypeVar("_Choice", Scheme, StartRule)
_FULL_RACK = "rack"
_MOST = 9999  # of any number; chosen, far above those of all known sets
_PREMIUM_TEXTS = ("DL", "TL", "DW", "TW")
# Signs with another meaning in rows of tokens, in plays, in GCG or in CGP.
_RESERVED = set(".?#[](){}/+-*<>:;,=\"'0123456789 \t")

KEYS: dict[str, Any] = {
    "title": str,
    "language": str,
    "base": str,
    "layout": (str, {"rows": list, "start": list}),
    "rack-size": int,
    "scheme": str,
    "blanks-score": bool,
    "bonus": {"tiles": (int, str), "points": int},
    "first-play": {"shortest": int, "start": str},
    "challenge": {"valid-points": int, "valid-turn": bool, "valid-gain": int},
    "exchange": {"allowed": bool, "bag-minimum": int},
    "end": {
        "rack-empty": bool,
        "pass-rounds": int,
        "passes-need-empty-bag": bool,
        "out-collects": bool,
        "out-points": int,
        "out-doubles": bool,
    },
    "premium-texts": dict.fromkeys(_PREMIUM_TEXTS, str),
    "tiles": {},
}
"""The keys of an edition file with their types, see `TomlFile.parse`."""


def parse_edition(name: str, file: str, text: str, folder: Path | None = None) -> Edition:
    """Parse an edition file.

    Parameters
    ----------
    name : str
        The name of the edition.
    file, text : str
        The name and content of the file.
    folder : Path, optional
        The folder that the path of a layout is relative to; None for a shipped edition.

    Raises
    ------
    DataFileError
        For the first problem found.
    """
    return _EditionFile(name, file, text, folder).edition()


def _merge_tables(inherited: Mapping[str, Any], own: Mapping[str, Any]) -> dict[str, Any]:
    """Return a table of the base with what a file names, also of its entries that are tables."""
    merged = {**inherited, **own}
    for key in inherited.keys() & own.keys():
        if isinstance(inherited[key], dict) and isinstance(own[key], dict):
            merged[key] = {**inherited[key], **own[key]}
    return merged


class _EditionFile:
    """An edition file with its table, merged over the table of its base."""

    def __init__(self, name: str, file: str, text: str, folder: Path | None = None) -> None:
        self._name = name
        self._folder = folder
        self._base: dict[str, Any] = {}
        self._toml = TomlFile.parse(file, text, KEYS)
        self.table = self._merge()

    def edition(self) -> Edition:
        values, counts = self._parse_tiles()
        rack_size = self._number("rack-size", default=7, minimum=1)
        return Edition(
            name=self._name,
            title=self._get("title", default=self._name),
            language=self._get("language", default="und"),
            tokens=tuple(token for token in values if token != BLANK),
            values=values,
            counts=counts,
            layout=load_layout(self._get("layout", default="standard"), self._toml, self._folder),
            rack_size=rack_size,
            bonus=self._parse_bonus(rack_size),
            first_play=self._parse_first_play(rack_size),
            challenge=ChallengeRule(
                valid_points=self._number("challenge", "valid-points", default=0),
                valid_turn=self._get("challenge", "valid-turn", default=False),
                valid_gain=self._number("challenge", "valid-gain", default=0),
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
                out_doubles=self._get("end", "out-doubles", default=False),
            ),
            scheme=self._choice("scheme", options=Scheme),
            blanks_score=self._get("blanks-score", default=False),
            premium_texts=self._get("premium-texts", default={}),
        )

    def _merge(self) -> dict[str, Any]:
        own = self._toml.table
        base = own.get("base")
        if base is None:
            return own
        if base not in edition_names():
            raise self._toml.error_at(
                ("base",), f"base {base!r} is no shipped edition; {near_names(base, edition_names())}"
            )
        self._base = _EditionFile(base, f"{base}.toml", edition_text(base)).table
        table = dict(self._base)
        for key, value in own.items():
            inherited = table.get(key)
            if isinstance(value, dict) and isinstance(inherited, dict) and key != "layout":
                table[key] = _merge_tables(inherited, value)
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

    def _number(self, *keys: str, default: int, minimum: int = 0) -> int:
        value: int = self._get(*keys, default=default)
        if not minimum <= value <= _MOST:
            problem = f"{'.'.join(keys)} is {value}; write a whole number from {minimum} to {_MOST}"
            raise self._toml.error_at(keys, problem)
        return value

    def _choice(self, *keys: str, options: type[_Choice]) -> _Choice:
        first, *_ = options
        value = self._get(*keys, default=first.value)
        try:
            return options(value)
        except ValueError as error:
            names = ", ".join(option.value for option in options)
            raise self._toml.error_at(keys, f"{'.'.join(keys)} is {value!r}; write one of {names}") from error

    def _parse_first_play(self, rack_size: int) -> FirstPlay:
        shortest = self._number("first-play", "shortest", default=2, minimum=2)
        self._check_rack("first-play", "shortest", shortest, rack_size)
        return FirstPlay(shortest=shortest, start=self._choice("first-play", "start", options=StartRule))

    def _parse_bonus(self, rack_size: int) -> Bonus | None:
        points = self._number("bonus", "points", default=0)
        if points == 0:
            return None
        if isinstance(word := self._get("bonus", "tiles", default=rack_size), str):
            if word != _FULL_RACK:
                problem = (
                    f'bonus.tiles is {word!r}; write a whole number, or "{_FULL_RACK}" for all that are held'
                )
                raise self._toml.error_at(("bonus", "tiles"), problem)
            return Bonus(tiles=None, points=points)
        tiles = self._number("bonus", "tiles", default=rack_size, minimum=1)
        self._check_rack("bonus", "tiles", tiles, rack_size)
        return Bonus(tiles=tiles, points=points)

    def _check_rack(self, table: str, key: str, tiles: int, rack_size: int) -> None:
        if tiles > rack_size:
            keys = (table, key) if table in self._toml.table else ("rack-size",)
            raise self._toml.error_at(keys, f"{table}.{key} is {tiles}, but a rack holds {rack_size}")

    def _parse_tiles(self) -> tuple[dict[str, int], dict[str, int | None]]:
        values: dict[str, int] = {}
        counts: dict[str, int | None] = {}
        for written, entry in self._get("tiles", default={}).items():
            keys, token = ("tiles", written), unicodedata.normalize("NFC", written)
            self._check_token(keys, token)
            if token in values:
                raise self._toml.error_at(
                    keys, f"tile {token} is written twice, with composed and with separate marks"
                )
            if not isinstance(entry, dict) or not {"value"} <= set(entry) <= {"count", "value"}:
                problem = (
                    f"tile {token} is {entry!r}; write {{ count = 2, value = 3 }}, without count if not known"
                )
                raise self._toml.error_at(keys, problem)
            for key, number in entry.items():
                if type(number) is not int or not 0 <= number <= _MOST:
                    problem = f"tile {token} has {key} {number!r}; write a whole number from 0 to {_MOST}"
                    raise self._toml.error_at((*keys, key), problem)
            # A letter of the base goes; one that the base lacks may be there for blanks only.
            if entry.get("count") != 0 or token == BLANK or token not in self._base.get("tiles", {}):
                values[token], counts[token] = entry["value"], entry.get("count")
        if not set(values) - {BLANK}:
            raise self._toml.error_at(("tiles",), "the table [tiles] has no letter; write one line for each")
        values.setdefault(BLANK, 0)
        counts.setdefault(BLANK, 0)
        return values, counts

    def _check_token(self, keys: tuple[str, ...], token: str) -> None:
        if token == BLANK:
            return
        if (
            not token.isprintable()
            or not token.strip()
            or set(token) & _RESERVED
            or unicodedata.combining(token[0])
        ):
            problem = (
                f"tile {token!r}: a letter is not empty and holds no digit, bracket or . ? # and the like"
            )
            raise self._toml.error_at(keys, problem)
        if not _has_blank(token):
            raise self._toml.error_at(keys, f"tile {token!r}: {_describe_case(token)}")


def _has_blank(token: str) -> bool:
    return token.isupper() and as_blank(token).islower() and designated(as_blank(token)) == token


def _describe_case(token: str) -> str:
    """Return why a token and a blank of its letter cannot be distinguished, and what to write."""
    capital, lower = unicodedata.normalize("NFC", token.upper()), as_blank(token)
    back = designated(lower)
    if token.isalpha() and capital == lower:
        return "alphabets without capital letters are not supported; lower case stands for a blank"
    if token == capital != back:
        return f"its lower case {lower!r} becomes {back!r} in upper case; write {back!r} or another sign"
    if _has_blank(capital):
        return f"lower case stands for a blank; write {capital!r}"
    return "write an upper case letter that has a lower case, which stands for a blank"
