"""The report page: thumbnails by doubt, filters, boards to correct. One file, which a browser opens from the disk.

The page is `page/report.html`, with its style and its scripts put in and a line of data a photo.
The names of files come from anywhere: they reach the page as data only, and never as markup.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any, BinaryIO

from scoring import Edition

__all__ = ["Report"]

SURE = 0.98
"""Squares less sure than this are marked."""
PAGE = Path(__file__).parent / "assets"
SCRIPTS = ("photos.js", "photo.js", "saving.js", "games.js")
PLACES = ("/*STYLE*/", "/*PHOTOS*/", "/*GAMES*/", "/*ABOUT*/", "/*SCRIPT*/")


class Report:
    """The page, written photo by photo.

    Parameters
    ----------
    file : binary file
        Where it goes.
    games : iterable of mapping
        The games' JSON objects.
    editions : iterable of Edition
        The editions among which a person may choose, and whose letters may be named.
    """

    def __init__(
        self, file: BinaryIO, games: Iterable[Mapping[str, Any]], editions: Iterable[Edition] = ()
    ) -> None:
        self._file = file
        self._editions = {edition.name: list(edition.tokens) for edition in editions}
        self._games = list(games)
        page = (PAGE / "report.html").read_text(encoding="utf-8")
        self._parts: list[str] = []
        for place in PLACES:
            part, _, page = page.partition(place)
            self._parts.append(part)
        self._parts.append(page)
        self._separator = "\n"
        self._write(self._parts[0], (PAGE / "report.css").read_text(encoding="utf-8"), self._parts[1], "[")

    def add(self, record: Mapping[str, Any]) -> None:
        """One photo."""
        self._write(self._separator, as_data(photo_data(record)))
        self._separator = ",\n"

    def end(self) -> None:
        """What follows the photos."""
        about = {"version": version("tilesight"), "editions": self._editions}
        script = "\n".join((PAGE / name).read_text(encoding="utf-8") for name in SCRIPTS)
        self._write("\n]", self._parts[2], as_data(self._games))
        self._write(self._parts[3], as_data(about), self._parts[4], script, self._parts[5])

    def _write(self, *texts: str) -> None:
        for text in texts:
            self._file.write(text.encode())


def as_data(value: object) -> str:
    """The value as JSON that cannot end the element in which it stands."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")


def photo_data(record: Mapping[str, Any]) -> dict[str, Any]:
    """What the page needs of a photo, under short names: there may be ten thousand."""
    reasons = {tuple(each["square"]): str(each["reason"]) for each in record.get("doubts", ())}
    others = {tuple(each["square"]): list(each["tokens"]) for each in record.get("alternatives", ())}
    doubtful = []
    for row, line in enumerate(record.get("confidence", ())):
        for column, sure in enumerate(line):
            square = row, column
            if square in reasons or square in others or sure < SURE:
                doubtful.append(
                    [row, column, round(sure, 2), reasons.get(square, ""), others.get(square, [])]
                )
    names = {
        "n": "image",
        "s": "status",
        "m": "message",
        "e": "edition",
        "p": "edition_probability",
        "t": "taken",
        "w": "width",
        "h": "height",
        "b": "board",
        "i": "thumbnail",
        "u": "doubt",
        "c": "tiles",
        "x": "sha256",
        "g": "game",
        "k": "same_as",
        "l": "nearly_same_as",
        "o": "turned_by_game",
        "z": "no_board",
        "q": "corners_given",
    }
    data = {short: record[name] for short, name in names.items() if record.get(name) is not None}
    if "rows" in record:
        data["r"] = [" ".join(row) for row in record["rows"]]
    if doubtful:
        data["d"] = doubtful
    if record.get("corrected"):
        data["f"] = [each["square"] for each in record["corrected"]]
    if record.get("remarks"):
        data["m"] = "; ".join(filter(None, (record.get("message"), *record["remarks"])))
    return data
