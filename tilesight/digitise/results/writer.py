"""Write the folder of results: records, games and the report."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from scoring import Edition, edition_names, open_atomically
from tilesight.digitise.folder import GAMES, GAMES_FILE, OWN_NOTE, PHOTOS_FILE
from tilesight.digitise.reading import PhotoRecord, PhotoStatus
from tilesight.digitise.report import as_data, frame_photos, photo_data
from vision.core import Square, write_file

__all__ = ["Summary", "write_files"]

GAME_FILE = re.compile(r"game-\d{4,}\.gcg")
"""The names of the game files; those with other names are people's."""
MAX_PROBLEMS = 5
"""Unreadable photos that are named at the end of a run; the report names all (chosen)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """The result of a run."""

    statuses: Mapping[PhotoStatus, int]
    games: int
    gaps: int
    """Number of gaps that the photos leave in them."""
    copies: int
    """Number of photos that are the same as another one, or nearly."""
    problems: tuple[str, ...] = ()
    """Why the first unreadable photos could not be read."""
    unmatched_corrections: int = 0
    """Number of corrections of other pictures."""
    replaced_squares: int = 0
    """Number of squares that had another correction before."""
    sheet_notes: tuple[str, ...] = ()
    """Why score sheets are not used, or not for all photos that they name."""


def write_files(
    folder: Path,
    photos: Iterable[tuple[PhotoRecord, Mapping[str, float], Set[Square] | None]],
    games: Sequence[Mapping[str, Any]],
    game_files: Mapping[str, str],
    editions: Mapping[str, Edition],
    *,
    progress: Callable[[int], None],
) -> Summary:
    """Write all files of the results, each completely or not at all.

    Of each photo, in the order of the sources, the record is given, the milliseconds of each stage, and the squares to
    check if it has a game; `progress` takes the number of those that are written.
    """
    statuses: Counter[PhotoStatus] = Counter()
    problems: list[str] = []
    copies = 0
    # `find` spells words with them, and does not know the files of editions.
    letters = {name: {"letters": editions[name].tokens} for name in {*editions} - {*edition_names()}}
    replace_game_files(folder, game_files)
    with open_atomically(folder / GAMES_FILE) as lines:
        for game in games:
            write_line(lines, {**game, **letters.get(game["edition"], {})})
    with (
        open_atomically(folder / PHOTOS_FILE) as lines,
        open_atomically(folder / "times.jsonl") as times,
        open_atomically(folder / "report.html") as page,
    ):
        before, after = frame_photos(games, editions.values())
        page.write(before.encode())
        for number, (record, stage_ms, doubtful) in enumerate(photos, 1):
            statuses[record.status] += 1
            if record.status is PhotoStatus.UNREADABLE and len(problems) < MAX_PROBLEMS:
                problems.append(record.message or "")
            copies += bool(record.output and (record.output.same_as or record.output.nearly_same_as))
            data = record.to_json()
            write_line(lines, data | letters.get(data.get("edition", ""), {}))
            write_line(times, {"image": record.name, "ms": stage_ms})
            page.write(f"{',' * (number > 1)}\n{as_data(photo_data(record, doubtful))}".encode())
            progress(number)
        page.write(after.encode())
    gaps = sum(len(game["gaps"]) for game in games)
    return Summary(statuses=statuses, games=len(games), gaps=gaps, copies=copies, problems=tuple(problems))


def replace_game_files(folder: Path, texts: Mapping[str, str]) -> None:
    """Write the game files, by their paths in the folder, and delete the others that earlier runs wrote."""
    for path in (folder / GAMES).glob("*.gcg"):
        is_old = GAME_FILE.fullmatch(path.name) and f"{GAMES}/{path.name}" not in texts
        if is_old and path.is_file() and OWN_NOTE in path.read_text(encoding="utf-8", errors="replace"):
            path.unlink()
    for name, text in texts.items():
        (folder / name).parent.mkdir(exist_ok=True)
        write_file(folder / name, text.encode())


def write_line(file: BinaryIO, data: Mapping[str, Any]) -> None:
    """Write a JSON object on a line."""
    file.write(json.dumps(data, ensure_ascii=False).encode() + b"\n")
