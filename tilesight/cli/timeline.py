"""`tilesight timeline`: when each move of a game happened, so that a recording can be cut."""

from __future__ import annotations

import enum
import re
from collections.abc import Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Annotated

import typer

from tilesight.cli.messages import say
from tilesight.cli.options import path_argument
from vision.errors import SettingsError

__all__ = ["timeline"]


class TimelineFormat(enum.StrEnum):
    """The form of a timeline."""

    SRT = "srt"
    CSV = "csv"
    CHAPTERS = "chapters"


def timeline(
    journals: Annotated[
        list[Path],
        path_argument(
            metavar="JOURNAL...", help="The journals of the games in the recording, in their order."
        ),
    ],
    start: Annotated[
        str | None,
        typer.Option(
            metavar="TIME",
            help="When the recording began: 19:58:10, or 2026-11-23 19:58:10; without it, the film's own time.",
        ),
    ] = None,
    format_name: Annotated[
        TimelineFormat,
        typer.Option("--format", "-f", help="Moves as subtitles or as a table, or chapter marks."),
    ] = TimelineFormat.SRT,
) -> None:
    """Print when each move of a game happened: subtitles (SRT), a table (CSV), or chapter marks.

    Example: tilesight timeline archive/final-2026-11-23-1.db --start 19:58:10 --format chapters
    """
    from tilesight.live import (
        TIMELINE_FORMATS,
        check_recording,
        find_other_score,
        read_entries,
        read_timeline,
    )

    games = [read_entries(path) for path in journals]
    # A journal begins when the game before it ends, perhaps on the day before.
    moves_s = [entry.at_s for entries in games for entry in entries if entry.at_s and entry.game.events]
    begin_s = parse_start(start, moves_s) if start is not None else None
    found = []
    for path, entries in zip(journals, games, strict=True):
        try:
            found.append(read_timeline(entries, begin_s))
        except SettingsError as error:
            raise SettingsError(f"{path}: {error}") from error
        if found[-1].moves[-1].time_s < 0:
            say(f"{path}: its last move is older than the recording; write the day of --start too")
        if other_score := find_other_score(entries):
            say(f"{path}: {other_score}")
    if start is None:
        check_recording(found)
    print(TIMELINE_FORMATS[format_name.value](found), end="")


def parse_start(text: str, moves_s: Sequence[float]) -> float:
    """Return the moment at which a recording began, in seconds since 1970.

    Parameters
    ----------
    text : str
        A time, with or without its day.
    moves_s : sequence of float
        The moments of the moves. A time without its day is of the day of the first one, or of the day before where all
        are earlier; of today if there are none.

    Raises
    ------
    SettingsError
        If the text is no time.
    """
    day = datetime.fromtimestamp(min(moves_s)) if moves_s else datetime.now()
    is_time = re.fullmatch(r"\d{1,2}(:\d{2}){1,2}", text)
    hours, _, rest = text.partition(":")
    try:
        begin = datetime.fromisoformat(f"{day:%Y-%m-%d} {hours:0>2}:{rest}" if is_time else text)
        begin_s = begin.timestamp()  # in some time zones the first and last years have none
    except (OverflowError, ValueError) as error:
        raise SettingsError(
            f"--start {text}: not a time; write 19:58:10, or the day too: 2026-11-23 19:58:10"
        ) from error
    if is_time and moves_s and begin_s > max(moves_s):
        begin -= timedelta(days=1)
        begin_s = begin.timestamp()
        say(
            f"--start {text}: {begin:%Y-%m-%d} is taken, since all moves are earlier in the day; "
            "write the day too if that is wrong"
        )
    return begin_s
