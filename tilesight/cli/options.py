"""Options that several commands share, and the parsing of their texts."""

from __future__ import annotations

import enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tilesight.corners import parse_corners

if TYPE_CHECKING:
    from vision.profile import Profile

__all__ = [
    "CornersOption",
    "EditionOption",
    "FormatName",
    "GameFormat",
    "LexiconOption",
    "ProfileOption",
    "ReaderName",
    "ReaderOption",
    "load_profile_option",
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
ProfileOption = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="What 'tilesight calibrate' measured of this camera, board and tiles."),
]
ReaderOption = Annotated[ReaderName, typer.Option(help="What reads the tiles.")]


def load_profile_option(path: Path | None) -> Profile | None:
    """Load the calibration profile, if one is given."""
    if path is None:
        return None
    from vision.profile import load_profile

    return load_profile(path)
