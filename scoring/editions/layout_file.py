"""Load the layout that an edition file names: a shipped one, a separate file, or its own table ``[layout]``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from scoring.coordinates import parse_square
from scoring.editions.shipped import layout_names, layout_text
from scoring.editions.toml_file import TomlFile
from scoring.errors import DataFileError, NotationError
from scoring.files import read_text
from scoring.layout import MAX_LINES, Layout, Premium, parse_layout, parse_premiums

__all__ = ["load_layout", "read_layout"]


def load_layout(given: str | dict[str, Any], toml: TomlFile, folder: Path | None) -> Layout:
    """Load the layout of an edition.

    Parameters
    ----------
    given : str or dict
        The name of a shipped layout, the path of a file, or the table ``[layout]``.
    toml : TomlFile
        The edition file, for error messages.
    folder : Path or None
        The folder that the path is relative to; None for a shipped edition.

    Raises
    ------
    DataFileError
        If there is no such layout, or it is invalid.
    """
    if isinstance(given, dict):
        return _LayoutTable(toml, given).parse()
    if given in layout_names():
        return parse_layout(layout_text(given))
    if folder is not None and (folder / given).is_file():
        return read_layout(folder / given)
    names = ", ".join(layout_names())
    problem = (
        f"no layout {given!r} is shipped; write one of {names}, the path of a layout's file as seen from "
        "this one, or a table [layout] with rows"
    )
    raise toml.error_at(("layout",), problem)


def read_layout(path: Path) -> Layout:
    """Read a layout from a text file in the format of `scoring.layout.parse_layout`.

    Raises
    ------
    DataFileError
        If the file cannot be read or is invalid; the message names the file and the line.
    """
    try:
        text = read_text(path)
    except UnicodeDecodeError as error:
        raise DataFileError(path, None, "is not UTF-8 text; save it as UTF-8") from error
    except OSError as error:
        raise DataFileError(path, None, f"cannot be read: {error.strerror}") from error
    rows: list[tuple[Premium, ...]] = []
    start: dict[tuple[int, int], int] = {}
    for number, line in enumerate(map(str.strip, text.splitlines()), 1):
        try:
            if line.startswith("start:"):
                start |= {parse_square(square): number for square in line.removeprefix("start:").split()}
            elif line:
                rows.append(parse_premiums(line))
                Layout(premiums=tuple(rows))
        except NotationError as error:
            raise DataFileError(path, number, str(error)) from error
    if not rows:
        raise DataFileError(path, None, "has no row; write a line for each, a sign a square: . d t q D T Q")
    for square, number in start.items():
        try:
            Layout(premiums=tuple(rows), start=frozenset([square]))
        except NotationError as error:
            raise DataFileError(path, number, str(error)) from error
    return Layout(premiums=tuple(rows), start=frozenset(start))


class _LayoutTable:
    """The table ``[layout]`` of an edition file."""

    def __init__(self, toml: TomlFile, table: dict[str, Any]) -> None:
        self._toml = toml
        self._rows: list[str] = table.get("rows", [])
        self._squares: list[str] = table.get("start", [])

    def parse(self) -> Layout:
        rows = self._rows
        if not rows or not rows[0]:
            raise self._toml.error_at(("layout", "rows"), "layout.rows is empty; write one text a row")
        if max(len(rows), len(rows[0])) > MAX_LINES:
            problem = (
                f"a board of {len(rows)} rows and {len(rows[0])} columns; give it at most {MAX_LINES} of each, "
                "since no text could name its further squares"
            )
            raise self._toml.error_at(("layout", "rows"), problem)
        premiums = tuple(self._parse_row(row, len(rows[0])) for row in rows)
        start = frozenset(self._parse_start(square, len(rows), len(rows[0])) for square in self._squares)
        return Layout(premiums=premiums, start=start)

    def _parse_row(self, row: str, columns: int) -> tuple[Premium, ...]:
        if len(row) != columns:
            problem = (
                f"row {row!r} has {len(row)} squares, the first row has {columns}; give all the same length"
            )
            raise self._toml.error_at(("layout", "rows"), problem, entry=row)
        try:
            return parse_premiums(row)
        except NotationError as error:
            raise self._toml.error_at(("layout", "rows"), str(error), entry=row) from error

    def _parse_start(self, text: str, rows: int, columns: int) -> tuple[int, int]:
        try:
            row, column = parse_square(text)
        except NotationError as error:
            raise self._toml.error_at(("layout", "start"), str(error), entry=text) from error
        if row >= rows or column >= columns:
            problem = f"start square {text} is off a board of {rows} rows and {columns} columns"
            raise self._toml.error_at(("layout", "start"), problem, entry=text)
        return row, column
