"""A TOML file whose every refusal names its line.

The standard library's reader tells lines for broken syntax only; here the line of a key is found again in
the text.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

from scoring.errors import EditionError

__all__ = ["TomlFile"]

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
    """A file's table, with the text that it was read from.

    Parameters
    ----------
    file : str
        The file as the user knows it.
    text : str
        Its content.
    table : dict
        Its content as values.
    """

    file: str
    text: str
    table: dict[str, Any]

    @classmethod
    def parse(cls, file: str, text: str, known: Mapping[str, Any]) -> TomlFile:
        """The file of this text, with no key and no type but those that are known.

        Parameters
        ----------
        file, text : str
            The file's name and content.
        known : mapping
            From key to type, to a mapping of the same form for a table (an empty one takes any key), or to
            a tuple of those that it may be.

        Raises
        ------
        EditionError
            If it is not TOML, or holds an unknown key or a value of another type.
        """
        try:
            table = tomllib.loads(text)
        except tomllib.TOMLDecodeError as error:
            problem, _, where = str(error).partition(" (at ")
            found = re.match(r"line (\d+)", where)
            line = int(found[1]) if found else max(len(text.splitlines()), 1)
            raise EditionError(file, line, f"is not valid TOML: {problem}") from error
        toml = cls(file=file, text=text, table=table)
        toml._check_keys(known)
        return toml

    def refuse(self, keys: tuple[str, ...], problem: str, entry: str | None = None) -> EditionError:
        """The error that names the line of `keys`, or of as much of that path as the file has.

        Parameters
        ----------
        keys : tuple of str
            The path to the key.
        problem : str
            What is wrong and what to write instead.
        entry : str, optional
            A text in the key's list that is meant; its own line is then named.
        """
        line = self._line_of(keys) or self._line_of(("base",))
        if entry is not None and line is not None:
            lines = self.text.splitlines()
            line = next((at for at in range(line, len(lines) + 1) if f'"{entry}"' in lines[at - 1]), line)
        return EditionError(self.file, line, problem)

    def _check_keys(self, known: Mapping[str, Any]) -> None:
        for keys, value, expected in _walk((), self.table, known):
            path = ".".join(keys)
            if isinstance(expected, Mapping):
                near = get_close_matches(keys[-1], expected, n=1)
                hint = f"did you mean {near[0]}?" if near else f"the keys here are {', '.join(expected)}"
                raise self.refuse(keys, f"unknown key {path}; {hint}")
            if type(value) is not expected:
                raise self.refuse(keys, f"{path} is {value!r}; write {_TYPE_NAMES[expected]}")
            if expected is list and not all(isinstance(entry, str) for entry in value):
                raise self.refuse(keys, f"{path} is {value!r}; write {_TYPE_NAMES[list]}")

    def _line_of(self, keys: tuple[str, ...]) -> int | None:
        """The line, from 1, of the longest beginning of `keys` that is written anywhere."""
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
    """Every key with its value and the type it must have; for an unknown key the mapping of known ones."""
    for key, value in table.items():
        path = (*keys, key)
        expected = known.get(key, known)
        if isinstance(expected, tuple):
            fits = (each for each in expected if type(value) is (dict if isinstance(each, Mapping) else each))
            expected = next(fits, expected[0])
        if key in known and isinstance(expected, Mapping):
            yield path, value, dict
            if expected:
                yield from _walk(path, value, expected)
        else:
            yield path, value, expected


def _split(path: str) -> tuple[str, ...]:
    return tuple(part.strip("\"'") for part in re.findall(_KEY, path))
