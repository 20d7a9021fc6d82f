"""`tilesight find`: searches what `tilesight digitise` wrote."""

from __future__ import annotations

import datetime
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from tilesight.cli.messages import print_json, sanitize, say
from tilesight.cli.options import GameFormat, path_argument
from vision.errors import SettingsError

__all__ = ["find"]

DAY = re.compile(r"\d{4}(-\d\d(-\d\d)?)?", re.ASCII)
POINTS = re.compile(r"-?\d{1,6}", re.ASCII)


def find(
    folder: Annotated[
        Path, path_argument(metavar="FOLDER", help="The folder that tilesight digitise wrote.")
    ],
    word: Annotated[
        str | None, typer.Option(metavar="WORD", help="A word on the board, or of the play.")
    ] = None,
    pattern: Annotated[
        str | None,
        typer.Option(
            metavar="PATTERN",
            help="The same with ? for one tile, SZ as well as S, and * for any letters: 'H?A*'.",
        ),
    ] = None,
    player: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Plays of this player; one of several names will do."),
    ] = None,
    score: Annotated[
        str | None, typer.Option(metavar="RANGE", help="Plays with such a score: 50.., ..10, 20..30 or 74.")
    ] = None,
    date: Annotated[
        str | None,
        typer.Option(metavar="RANGE", help="Taken then: 2014, 2014-10..2015-02, 2014-10-25.."),
    ] = None,
    format_name: Annotated[
        GameFormat, typer.Option("--format", "-f", help="How the results are printed.")
    ] = GameFormat.TEXT,
) -> None:
    """Find photos that show a word, or plays where a player or a score is named.

    Example: tilesight find boards --pattern 'QU*' --score 50..
    """
    from tilesight.digitise.search import find_photos, find_plays

    if word is not None and pattern is not None:
        raise SettingsError("--word and --pattern: give one of them; a word is a pattern without ? and *")
    if word is not None and set(word) & set("?*"):
        raise SettingsError(f"--word {word!r}: for ? and * give it as --pattern")
    if all(option is None for option in (word, pattern, player, score, date)):
        raise SettingsError("name what to find: --word, --pattern, --player, --score or --date")
    wanted = word if word is not None else pattern
    scores = parse_scores(score) if score is not None else None
    dates = parse_dates(date) if date is not None else None
    are_plays = player is not None or scores is not None
    found = (
        find_plays(folder, wanted, player, scores, dates) if are_plays else find_photos(folder, wanted, dates)
    )
    for result in found:
        if format_name is GameFormat.JSON:
            print_json(result)
        else:
            print(sanitize(format_found_play(result) if are_plays else format_found_photo(result)))
    if not found and player is not None:
        say(
            f"{folder}: no match; relax the query, or name the players by score sheets: without these, they are A and B"
        )
    elif not found:
        say(f"{folder}: no match; relax the query, or look at its report.html")


def parse_scores(text: str) -> tuple[int | None, int | None]:
    """Parse the bounds of a range of scores; SettingsError if it is invalid."""
    ends = split_range("--score", text)
    if not all(POINTS.fullmatch(end) for end in ends if end is not None):
        raise SettingsError(f"--score {text!r}: give a number of points, or a range such as 50.. or 20..30")
    least, most = (int(end) if end is not None else None for end in ends)
    if least is not None and most is not None and least > most:
        raise SettingsError(f"--score {text!r}: no score is between; give the lower one first")
    return least, most


def parse_dates(text: str) -> tuple[str | None, str | None]:
    """Parse the bounds of a range of dates, to be compared as text; SettingsError if it is invalid."""
    first, last = split_range("--date", text)
    if not all(is_day(end) for end in (first, last) if end is not None):
        raise SettingsError(
            f"--date {text!r}: give 2014, 2014-10 or 2014-10-25, or a range such as 2014..2015-02"
        )
    if last is not None:
        last += "~"  # sorts after the months, days and times that may follow
    if first is not None and last is not None and first > last:
        raise SettingsError(f"--date {text!r}: no day is between; give the earlier one first")
    return first, last


def split_range(option: str, text: str) -> tuple[str | None, str | None]:
    """Split a range into its two ends, None if it is open; SettingsError if it has no end."""
    first, dots, last = text.partition("..")
    if not first and not last:
        raise SettingsError(f"{option} {text!r}: has no end; leave the option out, or name one")
    return first or None, (last or None) if dots else first


def is_day(text: str) -> bool:
    """Whether the text is a day, a month or a year of the calendar."""
    try:
        return bool(DAY.fullmatch(text) and datetime.date.fromisoformat(f"{text}-01-01"[:10]))
    except ValueError:
        return False


def format_found_photo(found: Mapping[str, Any]) -> str:
    """Format a photo as a line of text."""
    places = ", ".join(f"{position} {word}" for word, position in found["places"])
    return join(found["image"], places, found["edition"], found["game"], day_of(found))


def format_found_play(found: Mapping[str, Any]) -> str:
    """Format a play as a line of text."""
    who = "{game} {number}. {player}".format_map(found)
    play = "{position!s:>3} {word}".format_map(found)
    return join(who, play, f"+{found['score']}", found["photo"], day_of(found))


def day_of(found: Mapping[str, Any]) -> str:
    """Return the day on which a photo was taken; empty if that is not known."""
    return str(found["taken"] or "").partition("T")[0]


def join(*parts: object) -> str:
    """Join the parts of a line that are not empty."""
    return "  ".join(map(str, filter(None, parts)))
