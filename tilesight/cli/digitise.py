"""`tilesight digitise`: many photos to data that can be searched and checked."""

from __future__ import annotations

import contextlib
import os
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import IO, TYPE_CHECKING, Annotated, cast

import typer

from tilesight.cli.messages import LenientStream, say
from tilesight.cli.options import (
    LexiconOption,
    ProfileOption,
    ReaderName,
    ReaderOption,
    check_edition_is_named,
    edition_option,
    load_profile_option,
    path_option,
)
from vision.errors import ExitCode, InputError, SettingsError

if TYPE_CHECKING:
    from tilesight.digitise.results import Summary
    from tilesight.digitise.sources import SourceFile

__all__ = ["digitise"]

PICTURE_KEYS = re.compile(rb'"(?:image|sha256)": "([^"]+)"')
"""The name and the checksum of a picture in its line of the results."""


def digitise(
    sources: Annotated[
        list[str],
        typer.Argument(
            metavar="SOURCE...",
            help="Pictures, folders, patterns in quotes, zip archives, or text files that list these.",
        ),
    ],
    out: Annotated[
        Path,
        path_option(
            metavar="FOLDER",
            help="Where the results go. What is read there already is kept; the report shows the sources of this run.",
        ),
    ],
    edition: Annotated[
        str | None,
        edition_option("The edition of all photos; found photo by photo if left out."),
    ] = None,
    reader: ReaderOption = ReaderName.NETWORK,
    profile: ProfileOption = None,
    lexicon: LexiconOption = None,
    workers: Annotated[
        int | None,
        typer.Option(metavar="N", min=1, max=256, help="Processes on this machine; one a core if left out."),
    ] = None,
    cluster: Annotated[
        str | None,
        typer.Option(
            metavar="ADDRESS", help="A Dask cluster that runs already, such as tcp://10.0.0.5:8786."
        ),
    ] = None,
    corrections: Annotated[
        Path | None,
        path_option(metavar="FILE", help="Corrections that the report page saved; the folder keeps them."),
    ] = None,
    sheets: Annotated[
        Path | None,
        path_option(
            metavar="FILE",
            help="Score sheets: a TOML file with a table named game for each: photos, players, points of the turns. "
            "Later runs use them too, until others are named.",
        ),
    ] = None,
) -> None:
    """Turn many photos into data: boards, games, and a report to check them; tilesight find searches them.

    Example: tilesight digitise photos/ scans.zip --out boards

    A run that was stopped goes on with the same command; so does one with corrections or more photos.

    A line of photos.jsonl has the fields of read, and more. The times, ms, are in times.jsonl.
    """
    check_edition_is_named(edition, reader, lexicon)
    if workers is not None and cluster is not None:
        raise SettingsError("--workers --cluster: a cluster has workers of its own; choose one of them")
    import hashlib

    from scoring import edition_names, load_edition, load_lexicon
    from tilesight.digitise.pipeline import Run
    from tilesight.digitise.pipeline import digitise as run_all
    from tilesight.digitise.reading import ReadOptions
    from tilesight.digitise.score_sheets import find_unmatched_patterns, load_sheets
    from vision.pipeline import select_readable_editions

    measured = load_profile_option(profile)
    if edition is not None:
        editions = [load_edition(edition)]
    else:
        editions = select_readable_editions(map(load_edition, edition_names()), measured, say)
    words = load_lexicon(lexicon, editions[0].tokens, notify=say) if lexicon is not None else None
    score_sheets = load_sheets(sheets) if sheets is not None else None
    files = find_files(sources, out)
    for pattern in find_unmatched_patterns(score_sheets or (), [file.name for file in files]):
        say(
            f"{sheets}: no photo is named {pattern!r}; write names as they are in photos.jsonl, or their ends"
        )
    run = Run(
        files=files,
        folder=out,
        options=ReadOptions(
            editions=tuple(editions),
            reader=reader.value,
            lexicon=words,
            profile=measured,
            profile_sha256=hashlib.sha256(profile.read_bytes()).hexdigest() if profile else "",
        ),
        cluster=cluster,
        workers=workers or count_cores(),
        corrections=corrections,
        sheets=score_sheets,
    )
    before = pictures_in(out)
    try:
        with show_progress() as move_bar:
            summary = run_all(run, move_bar)
    except KeyboardInterrupt:
        say(f"stopped; what is read is in {out}, and the same command goes on with it")
        raise typer.Exit(ExitCode.INTERRUPTED) from None
    for line in summary.sheet_notes:
        say(f"{sheets or 'score sheets'}: {line}")
    if summary.replaced_squares:
        say(
            f"{corrections}: replaces the corrections of {counted(summary.replaced_squares, 'square')}; if it is an "
            "older file, give the newest one again"
        )
    known = {key for keys in pictures_in(out) for key in keys}
    if left := sum(known.isdisjoint(keys) for keys in before):
        say(
            f"no longer in the report, as they are not among these sources: {counted(left, 'photo')} of the last run; "
            "name their sources too"
        )
    report(summary, out)


def pictures_in(folder: Path) -> list[list[bytes]]:
    """Return the name and the checksum, if it has one, of each photo in a folder of results; none without results."""
    from tilesight.digitise.folder import PHOTOS_FILE

    with contextlib.suppress(OSError), (folder / PHOTOS_FILE).open("rb") as lines:
        return [PICTURE_KEYS.findall(line) for line in lines]
    return []


def count_cores() -> int:
    """Return the number of cores that this process may use: all of the machine's on macOS, which tells no others."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def find_files(sources: Sequence[str], out: Path) -> list[SourceFile]:
    """Find the pictures of the sources, and say what is not read in their folders.

    InputError if there is no picture: a mistyped name must not empty the results of an earlier run.
    """
    from tilesight.digitise.sources import find_source_files

    skipped: Counter[str] = Counter()
    files = find_source_files(sources, excluded=out, skipped=skipped)
    if kinds := [f"{kind} ({number})" for kind, number in skipped.most_common() if number]:
        say(f"not read in folders and archives: {', '.join(kinds)}; name what should be read")
    if not any(file.problem is None and file.path.exists() for file in files):
        problem = next((file.problem for file in files if file.problem is not None), None)
        raise InputError(
            problem or f"{', '.join(sources)}: no picture there; name files, folders or archives of pictures"
        )
    return files


@contextlib.contextmanager
def show_progress() -> Iterator[Callable[[str, int, int], None]]:
    """Show bars, one a step, with rate and time left; the block gets a function that moves the bar of a step."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    bars = Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[rate]}"),
        TimeRemainingColumn(),
        console=Console(file=cast(IO[str], LenientStream(sys.stderr))),
        refresh_per_second=2,
    )

    def move(step: str, done: int, total: int) -> None:
        bars.start()  # an earlier start would leave an empty line
        if all(task.description != step for task in bars.tasks):
            bars.add_task(step, total=total, rate="")
        task = next(task for task in bars.tasks if task.description == step)
        rate = f"{task.speed:.1f} photos a second" if task.speed else ""
        bars.update(task.id, completed=done, total=total, rate=rate)

    try:
        yield move
    finally:
        if bars.live.is_started:  # otherwise it would only print an empty line
            bars.stop()


def report(summary: Summary, out: Path) -> None:
    """Print what was found, and exit with the code that fits."""
    from tilesight.digitise.reading import PhotoStatus

    counts = {status: summary.statuses.get(status, 0) for status in PhotoStatus}
    unreadable = counts[PhotoStatus.UNREADABLE]
    print(
        f"{counted(counts[PhotoStatus.OK], 'board')}, {counted(counts[PhotoStatus.NO_BOARD], 'photo')} without one, "
        f"{unreadable} not readable; copies: {summary.copies}"
    )
    print(f"{counted(summary.games, 'game')}, {counted(summary.gaps, 'gap')}")
    print(f"{out / 'report.html'}")
    if summary.unmatched_corrections:
        say(
            f"{counted(summary.unmatched_corrections, 'correction')} of pictures that are not among these, or whose "
            "files have changed since; kept for a run in which they are"
        )
    for problem in summary.problems:
        say(problem)
    if (more := unreadable - len(summary.problems)) > 0:
        say(f"and {more} more; the report names all with their reasons")
    if unreadable:
        raise typer.Exit(ExitCode.INPUT)
    if counts[PhotoStatus.NO_BOARD]:
        raise typer.Exit(ExitCode.BOARD_NOT_FOUND)


def counted(number: int, noun: str) -> str:
    """Return the number and the noun, in its plural if needed."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
