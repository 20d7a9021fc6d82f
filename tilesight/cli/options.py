"""Options that several commands share."""

from __future__ import annotations

import enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tilesight.corners import parse_corners
from vision.errors import SettingsError

if TYPE_CHECKING:
    from scoring import Edition
    from vision.profile import Profile

__all__ = [
    "CornersOption",
    "EditionOption",
    "ForceOption",
    "FormatName",
    "GameFormat",
    "JournalOption",
    "LexiconOption",
    "ProfileOption",
    "ReaderName",
    "ReaderOption",
    "Settlement",
    "check_edition_is_named",
    "edition_option",
    "flag_option",
    "list_editions",
    "load_profile_option",
    "parse_corners",
    "path_argument",
    "path_option",
]


class ReaderName(enum.StrEnum):
    """The square reader."""

    NETWORK = "network"
    TESSERACT = "tesseract"


class FormatName(enum.StrEnum):
    """How a board is printed."""

    TEXT = "text"
    JSON = "json"
    CGP = "cgp"


class Settlement(enum.StrEnum):
    """How the tiles left at the end of a game count."""

    EDITION = "edition"
    TOURNAMENT = "tournament"


class GameFormat(enum.StrEnum):
    """How the events of a game are printed."""

    TEXT = "text"
    JSON = "json"


def path_argument(**settings: Any) -> Any:
    """Return an argument that is a path. The program itself reports what cannot be read."""
    return typer.Argument(readable=False, **settings)


def path_option(*names: str, **settings: Any) -> Any:
    """Return an option that is a path. The program itself reports what cannot be read."""
    return typer.Option(*names, readable=False, **settings)


def flag_option(name: str, text: str) -> Any:
    """Return an option that takes no value, and whose help names none."""
    return typer.Option(name, metavar="", help=text)


def edition_option(text: str) -> Any:
    """Return the option of the edition with a command's own help text."""
    return typer.Option("--edition", "-e", metavar="NAME|FILE", help=text)


EditionOption = Annotated[
    str, edition_option("A shipped edition (icelandic, hungarian, ...) or an edition file.")
]
CornersOption = Annotated[
    str | None,
    typer.Option(
        metavar='"x,y x,y x,y x,y"',
        help="The grid's corners TL TR BR BL as the letters read, in pixels; the board is then not searched.",
    ),
]
JournalOption = Annotated[
    Path | None,
    path_option(metavar="FILE", help="Keep every event in this file, and resume the game in it."),
]
LexiconOption = Annotated[
    Path | None,
    path_option(
        metavar="FILE",
        help="A word list, one word a line: it resolves doubtful letters, and blanks where only one word fits.",
    ),
]
ProfileOption = Annotated[
    Path | None,
    path_option(
        metavar="FILE", help="The profile that 'tilesight calibrate' made of this camera, board and tiles."
    ),
]
ForceOption = Annotated[
    bool, flag_option("--force", "Overwrite files that Tilesight did not write, or of another game.")
]
ReaderOption = Annotated[ReaderName, typer.Option(help="The reader of the tiles.")]


def check_edition_is_named(edition: str | None, reader: ReaderName, lexicon: Path | None) -> None:
    """Check that an edition is named where the other options are of one language.

    Raises
    ------
    SettingsError
        If it is not.
    """
    if edition is not None:
        return
    if lexicon is not None:
        raise SettingsError("--lexicon: a word list is of one language; name its edition with --edition")
    if reader is ReaderName.TESSERACT:
        raise SettingsError(
            "--reader tesseract: reads the letters of one language; name its edition with --edition"
        )


def list_editions() -> list[Edition]:
    """List the shipped editions, English first."""
    from scoring import edition_names, load_edition

    return [load_edition(name) for name in sorted(edition_names(), key=lambda name: name != "english")]


def load_profile_option(path: Path | None) -> Profile | None:
    """Load the calibration profile, if one is given."""
    if path is None:
        return None
    from vision.profile import load_profile

    return load_profile(path)
