"""One edition's file on its way to a value: every key read, checked, and refused with its line."""

from __future__ import annotations

import unicodedata
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
from scoring.editions.layout_file import layout_of
from scoring.editions.shipped import edition_names, edition_text
from scoring.editions.toml_file import TomlFile
from scoring.errors import near_names
from scoring.tiles import BLANK, as_blank, designated

__all__ = ["EditionSource"]

_Choice = TypeVar("_Choice", Scheme, StartRule)
_WHOLE_RACK = "rack"
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
    "bonus": {"tiles": (int, str), "points": int},
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


class EditionSource:
    """One file on its way to an edition: its own table over its base's, read key by key."""

    def __init__(self, name: str, file: str, text: str, folder: Path | None = None) -> None:
        self._name = name
        self._folder = folder
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
            layout=layout_of(self._get("layout", default="standard"), self._toml, self._folder),
            rack_size=rack_size,
            bonus=self._bonus(rack_size),
            first_play=self._first_play(rack_size),
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
            raise self._toml.refuse(
                ("base",), f"base {base!r} is no shipped edition; {near_names(base, edition_names())}"
            )
        table = dict(EditionSource(base, f"{base}.toml", edition_text(base)).table)
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

    def _first_play(self, rack_size: int) -> FirstPlay:
        shortest = self._number("first-play", "shortest", default=2, least=2)
        self._check_rack("first-play", "shortest", shortest, rack_size)
        return FirstPlay(shortest=shortest, start=self._choice("first-play", "start", options=StartRule))

    def _bonus(self, rack_size: int) -> Bonus | None:
        points = self._number("bonus", "points", default=0)
        if points == 0:
            return None
        if isinstance(word := self._get("bonus", "tiles", default=rack_size), str):
            if word != _WHOLE_RACK:
                problem = (
                    f'bonus.tiles is {word!r}; write a whole number, or "{_WHOLE_RACK}" for all that are held'
                )
                raise self._toml.refuse(("bonus", "tiles"), problem)
            return Bonus(tiles=None, points=points)
        tiles = self._number("bonus", "tiles", default=rack_size, least=1)
        self._check_rack("bonus", "tiles", tiles, rack_size)
        return Bonus(tiles=tiles, points=points)

    def _check_rack(self, table: str, key: str, tiles: int, rack_size: int) -> None:
        if tiles > rack_size:
            keys = (table, key) if table in self._toml.table else ("rack-size",)
            raise self._toml.refuse(keys, f"{table}.{key} is {tiles}, but a rack holds {rack_size}")

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
