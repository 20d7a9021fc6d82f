"""A TOML file whose errors name the line.

`tomllib` reports lines for syntax errors only, so this module searches the text for the line of a key.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

from scoring.errors import DataFileError

__all__ = ["ANY_KEY", "TomlFile"]

ANY_KEY = "*"
"""Stands for the names of a table that the file itself chooses."""
_TYPE_NAMES = {
    str: "a text",
    int: "a whole number",
    float: "a number",
    bool: "true or false",
    list: "a list of texts",
    dict: "a table",
}
_KEY = r"""(?:"[^"]*"|'[^']*'|[\w-]+)"""
_TABLE_LINE = re.compile(r"\s*\[([^\[\]]+)\]\s*(?:#.*)?")
_KEY_LINE = re.compile(rf"\s*({_KEY}(?:\s*\.\s*{_KEY})*)\s*=.*")


@dataclass(frozen=True, slots=True)
class TomlFile:
    """The table of a file, with the text that it was read from.

    Parameters
    ----------
    file : str
        The file name as the user gave it.
    text : str
        Its content.
    table : dict
        Its content as TOML values.
    """

    file: str
    text: str
    table: dict[str, Any]

    @classmethod
    def parse(cls, file: str, text: str, known: Mapping[str, Any]) -> TomlFile:
        """Parse a text, and check that it has only known keys with values of the right type.

        Parameters
        ----------
        file, text : str
            The name and content of the file.
        known : mapping
            The expected value by key: a type, a mapping of the same form for a table (an empty one allows
            any key), or a tuple of such alternatives. That of `ANY_KEY` is for all other keys.

        Raises
        ------
        DataFileError
            If the text is not TOML, or has an unknown key or a value of another type.
        """
        try:
            table = tomllib.loads(text)
        except (ValueError, RecursionError) as error:  # also thousands of digits, or of brackets
            problem, _, where = str(error).partition(" (at ")
            found = re.match(r"line (\d+)", where)
            line = int(found[1]) if found else max(len(text.splitlines()), 1)
            if any(re.search(r'"[^"]*\\', written) for written in text.splitlines()[line - 1 : line]):
                problem += "; write paths with / or in single quotes"
            raise DataFileError(file, line, f"is not valid TOML: {problem}") from error
        toml = cls(file=file, text=text, table=table)
        toml._check_keys(known)
        return toml

    def error_at(self, keys: tuple[str, ...], problem: str, entry: str | None = None) -> DataFileError:
        """Return an error for the line of a key, or of the nearest table around it that the file has.

        Parameters
        ----------
        keys : tuple of str
            The path to the key.
        problem : str
            What is wrong, and what to write instead.
        entry : str, optional
            The wrong entry of the list of the key, whose line is then named.
        """
        line = self._line_of(keys) or self._line_of(("base",))
        if entry is not None and line is not None:
            lines = self.text.splitlines()
            quoted = re.compile(rf"(['\"]){re.escape(entry)}\1")
            line = next((at for at in range(line, len(lines) + 1) if quoted.search(lines[at - 1])), line)
        return DataFileError(self.file, line, problem)

    def _check_keys(self, known: Mapping[str, Any]) -> None:
        for keys, value, expected in _walk((), self.table, known):
            path = ".".join(keys)
            if isinstance(expected, Mapping):
                same_kind = [
                    key for key in expected if isinstance(expected[key], Mapping) is isinstance(value, dict)
                ]
                near = get_close_matches(keys[-1], same_kind, 1) or get_close_matches(keys[-1], expected, 1)
                hint = f"did you mean {near[0]}?" if near else f"the keys here are {', '.join(expected)}"
                raise self.error_at(keys, f"unknown key {path}; {hint}")
            if type(value) is not expected:
                raise self.error_at(keys, f"{path} is {value!r}; write {_TYPE_NAMES[expected]}")
            if expected is list and not all(isinstance(entry, str) for entry in value):
                raise self.error_at(keys, f"{path} is {value!r}; write {_TYPE_NAMES[list]}")

    def _line_of(self, keys: tuple[str, ...]) -> int | None:
        """Return the line, from 1, of the longest prefix of `keys` that the file has."""
        section: tuple[str, ...] = ()
        best, line = 0, None
        for number, written in enumerate(self.text.splitlines(), 1):
            if header := _TABLE_LINE.fullmatch(written):
                path = section = _split(header[1])
            elif key := _KEY_LINE.fullmatch(written):
                path = section + _split(key[1])
            else:
                continue
            if len(path) > best and path == keys[: len(path)]:
                best, line = len(path), number
        return line


def _walk(
    keys: tuple[str, ...], table: Mapping[str, Any], known: Mapping[str, Any]
) -> Iterator[tuple[tuple[str, ...], Any, Any]]:
    """Generate each key path with its value and expected type; for an unknown key the known ones instead."""
    for key, value in table.items():
        path = (*keys, key)
        name = key if key in known else ANY_KEY
        expected = known.get(name, known)
        if isinstance(expected, tuple):
            fits = (each for each in expected if type(value) is (dict if isinstance(each, Mapping) else each))
            expected = next(fits, expected[0])
        if name in known and isinstance(expected, Mapping):
            yield path, value, dict
            if expected:
                yield from _walk(path, value, expected)
        else:
            yield path, value, expected


def _split(path: str) -> tuple[str, ...]:
    return tuple(part.strip("\"'") for part in re.findall(_KEY, path))
