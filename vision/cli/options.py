"""Options that several commands share, and the parsing of their texts."""

from __future__ import annotations

import enum
from pathlib import Path
from typing import Annotated

import typer

from vision.errors import SettingsError

__all__ = [
    "CornersOption",
    "EditionOption",
    "FormatName",
    "GameFormat",
    "LexiconOption",
    "ReaderName",
    "ReaderOption",
    "parse_corners",
]


class ReaderName(enum.StrEnum):
    """What reads the cells."""

    NETWORK = "network"
    TESSERACT = "tesseract"


class FormatName(enum.StrEnum):
    """What a board is printed as."""

    TEXT = "text"
    JSON = "json"
    CGP = "cgp"


class GameFormat(enum.StrEnum):
    """What a game's events are printed as."""

    TEXT = "text"
    JSON = "json"


EditionOption = Annotated[
    str,
    typer.Option(
        "--edition",
        "-e",
        metavar="NAME|FILE",
        help="A shipped edition (icelandic, hungarian, ...) or an edition file.",
    ),
]
CornersOption = Annotated[
    str | None,
    typer.Option(
        metavar='"x,y x,y x,y x,y"',
        help="The grid's corners TL TR BR BL as the letters read, in pixels; skips the search.",
    ),
]
LexiconOption = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help="Words, one a line: they settle doubts, and name a blank where only one word fits.",
    ),
]
ReaderOption = Annotated[ReaderName, typer.Option(help="What reads the tiles.")]


def parse_corners(text: str | None) -> list[tuple[float, float]] | None:
    """The corners of ``"x,y x,y x,y x,y"``; None stays None.

    Raises
    ------
    SettingsError
        If the text holds anything but four pairs of numbers.
    """
    if text is None:
        return None
    try:
        pairs = [tuple(float(part) for part in pair.split(",")) for pair in text.split()]
    except ValueError:
        pairs = []
    if len(pairs) != 4 or any(len(pair) != 2 for pair in pairs):
        raise SettingsError(f'--corners {text!r}: give four pairs "x,y x,y x,y x,y" for TL TR BR BL')
    return [(x, y) for x, y in pairs]
