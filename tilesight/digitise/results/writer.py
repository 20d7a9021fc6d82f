"""Writes the folder of results: records, games, the report, the index for searching, and a table where wanted."""

from __future__ import annotations

import contextlib
import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from scoring import open_atomically
from tilesight.digitise.games.catalogue import Collection
from tilesight.digitise.games.conflicts import Square, with_disagreement
from tilesight.digitise.reconstruction.found_games import found_games
from tilesight.digitise.reconstruction.game_record import single_board_record
from tilesight.digitise.report.page import Report
from tilesight.digitise.results.parquet import TABLE, Table
from tilesight.digitise.results.result_store import (
    BOARDS,
    THUMBNAILS,
    Store,
    board_name_of,
    thumbnail_name,
    told,
)
from tilesight.digitise.results.search_index import Index
from tilesight.digitise.score_sheets.file import Sheet
from tilesight.digitise.score_sheets.matching import (
    GameCandidate,
    SheetAssignment,
    assign_sheets,
)

__all__ = ["Summary", "Written", "write_folder"]

MAX_PROBLEMS = 5
"""Photos that were not readable and are named at the end of a run; the report names all."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """What is written beside the results of each photo.

    Parameters
    ----------
    sheets : tuple of Sheet
        Score sheets: players and totals of games.
    parquet : bool
        Whether a Parquet table is written too.
    """

    sheets: tuple[Sheet, ...] = ()
    parquet: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """What a run gave.

    Parameters
    ----------
    statuses : mapping of str to int
        How many photos have each status.
    games : int
        How many games were found.
    gaps : int
        How many places their photos do not explain.
    copies : int
        How many photos are the same as another one, or nearly.
    problems : tuple of str
        Why the first of the photos that were not readable are not.
    strangers : int
        How many of the new corrections are of other pictures.
    sheets_told : tuple of str
        What is told of score sheets that are not used, or not for all photos that they name.
    """

    statuses: Mapping[str, int]
    games: int
    gaps: int
    copies: int
    problems: tuple[str, ...] = ()
    strangers: int = 0
    sheets_told: tuple[str, ...] = ()


def write_folder(
    collection: Collection, store: Store, written: Written, progress: Callable[[str, int, int], None]
) -> Summary:
    """Writes all results anew, each file whole or not at all.

    Raises
    ------
    InputError
        If the folder cannot be written.
    """
    with told(store.folder):
        allotment, singles = sheets_used(collection, written)
        games, others = found_games(collection, store, allotment.uses, progress)
        for photo, sheet in singles:
            name = f"game-{len(games) + 1:04d}"
            record = collection.record(photo)
            games.append(
                single_board_record(name, record["image"], record["edition"], sheet.players, sheet.totals)
            )
        summary = write_files(collection, store, games, others, written.parquet, progress)
    return replace(summary, sheets_told=allotment.lines)


def sheets_used(collection: Collection, written: Written) -> tuple[SheetAssignment, list[tuple[int, Sheet]]]:
    """Match the score sheets to the games and to single boards, the latter as photos in their order."""
    games = len(collection.games)
    if not written.sheets:
        return SheetAssignment(uses=(None,) * games, lines=()), []
    found = games_and_boards(collection)
    allotment = assign_sheets(written.sheets, found, [photo.name for photo in collection.photos])
    singles = [(use.photo, use.sheet) for use in allotment.uses[games:] if use is not None]
    return replace(allotment, uses=allotment.uses[:games]), sorted(singles, key=lambda each: each[0])


def games_and_boards(collection: Collection) -> list[GameCandidate]:
    """List the games in their order, then the single boards; photos that are nearly the same are of one board."""
    game_of_photo = {each.index: number for number, game in enumerate(collection.games) for each in game}
    photos = [[each.index for each in game] for game in collection.games]
    place = dict(game_of_photo)  # by photo: the index of its game or board in `photos`
    for index in range(len(collection)):
        if index in game_of_photo or collection.same_as(index) is not None or not collection.tiles(index):
            continue
        like = collection.nearly_same_as(index)
        if like is not None and like in place:
            place[index] = place[like]
            photos[place[like]].append(index)
        else:
            place[index] = len(photos)
            photos.append([index])
    return [
        GameCandidate(
            photos=tuple(members),
            names=tuple(tuple(collection.names(index)) for index in members),
            rows=tuple(map(tuple, collection.record(members[0])["rows"]))
            if members[0] not in game_of_photo
            else None,
        )
        for members in photos
    ]


def write_files(
    collection: Collection,
    store: Store,
    games: Sequence[Mapping[str, Any]],
    others: Mapping[str, Mapping[Square, str]],
    parquet: bool,
    progress: Callable[[str, int, int], None],
) -> Summary:
    """Writes the records of photos and games, the report, the index and the table."""
    folder = store.folder
    turns = {name: (game["game"], turn) for game in games for turn, name in enumerate(game["photos"], 1)}
    statuses: Counter[str] = Counter()
    problems: list[str] = []
    copies = 0
    with open_atomically(folder / "games.jsonl") as lines:
        for game in games:
            write_line(lines, game)
    with contextlib.ExitStack() as stack:
        lines = stack.enter_context(open_atomically(folder / "photos.jsonl"))
        times = stack.enter_context(open_atomically(folder / "times.jsonl"))
        page = stack.enter_context(open_atomically(folder / "report.html"))
        report = Report(page, games, map(collection.edition, collection.edition_names))
        index = stack.enter_context(Index.new(folder / "find.sqlite"))
        table = stack.enter_context(Table.new(folder / TABLE)) if parquet else None
        for number, record in enumerate(collection.records()):
            if record["image"] in others:
                record = with_disagreement(record, others[record["image"]])
            record |= pictures_of(record) | copies_of(collection, number)
            record.pop("square_colours", None)  # for comparing photos only
            record["game"], record["turn"] = turns.get(record["same_as"] or record["image"], (None, None))
            statuses[record["status"]] += 1
            if record["status"] == "unreadable" and len(problems) < MAX_PROBLEMS:
                problems.append(record["message"])
            copies += bool(record["same_as"] or record["nearly_same_as"])
            write_line(lines, record)
            write_line(times, {"image": record["image"], "ms": collection.ms(number)})
            report.add(record)
            index.add_photo(record)
            if table is not None:
                table.add(record)
            progress("writing", number + 1, len(collection))
        report.end()
        for game in games:
            index.add_game(game, collection.edition(game["edition"]).tokens)
    return Summary(
        statuses=statuses,
        games=len(games),
        gaps=sum(len(game["gaps"]) for game in games),
        copies=copies,
        problems=tuple(problems),
    )


def pictures_of(record: Mapping[str, Any]) -> dict[str, str | None]:
    """Where the photo's straightened board and its thumbnail lie."""
    has_board, is_picture = record["status"] == "ok", "likeness" in record
    sha256 = record.get("sha256", "")
    return {
        "board": f"{BOARDS}/{board_name_of(sha256, record)}" if has_board else None,
        "thumbnail": f"{THUMBNAILS}/{thumbnail_name(sha256)}" if is_picture else None,
    }


def copies_of(collection: Collection, number: int) -> dict[str, str | None]:
    """Which photo this one is a copy of."""
    same, nearly = collection.same_as(number), collection.nearly_same_as(number)
    return {
        "same_as": collection.photos[same].name if same is not None else None,
        "nearly_same_as": collection.photos[nearly].name if nearly is not None else None,
    }


def write_line(file: Any, record: Mapping[str, Any]) -> None:
    """One JSON object on a line."""
    file.write(json.dumps(record, ensure_ascii=False).encode() + b"\n")
