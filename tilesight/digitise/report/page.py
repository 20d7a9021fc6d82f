"""The report page: thumbnails by doubt, filters, and boards to correct, in one file that a browser opens from the disk.

The page is ``assets/report.html``, with its style, its scripts and a line of data a photo put in. File names come from
anywhere: they get into the page as data only, and never as markup. The correction of a board is shared with the photo
page of the web server.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Set
from importlib.metadata import version
from pathlib import Path
from typing import Any

from scoring import Edition
from tilesight.digitise.reading import MIN_SURE_SHARE, BoardRecord, PhotoRecord
from vision.core import Square

__all__ = ["CORRECTION_ASSETS", "as_data", "frame_photos", "photo_data"]

ASSETS = Path(__file__).parent / "assets"
CORRECTION_ASSETS = (ASSETS / "correction.css", ASSETS / "correction.js")
"""The style and the script of the correction of one board, for every page that has it; the script is a module."""
STYLES = ("report.css", "correction.css")
SCRIPTS = ("correction.js", "photos.js", "photo.js", "saving.js", "games.js")
PLACEHOLDER = re.compile(r"/\*([A-Z]+)\*/")
KEYS = (
    *("image", "status", "message", "edition", "edition_probability", "taken", "width", "height"),
    *("board", "thumbnail", "doubt", "tiles", "sha256", "game", "same_as", "nearly_same_as"),
    *("turned_by_game", "turn_is_guess", "no_board", "corners_given", "corners_px"),
)
"""The keys of a photo's JSON object that the page needs."""
UNSURE_GAME = "the photos of its game leave it in doubt"


def frame_photos(games: Iterable[Mapping[str, Any]], editions: Iterable[Edition] = ()) -> tuple[str, str]:
    """Return the page before and after the lines of its photos; a person may choose one of the editions."""
    letters = {edition.name: list(edition.tokens) for edition in editions}
    values = {
        "STYLE": join_assets(STYLES),
        "GAMES": as_data(list(games)),
        "ABOUT": as_data({"version": version("tilesight"), "editions": letters}),
        # one script has no modules
        "SCRIPT": re.sub("^export ", "", join_assets(SCRIPTS), flags=re.MULTILINE),
    }
    page = (ASSETS / "report.html").read_text(encoding="utf-8")
    before, after = (PLACEHOLDER.sub(lambda at: values[at[1]], part) for part in page.split("/*PHOTOS*/"))
    return before, after


def join_assets(names: Iterable[str]) -> str:
    """Return the text of these files."""
    return "\n".join((ASSETS / name).read_text(encoding="utf-8") for name in names)


def as_data(value: object) -> str:
    """Return the value as JSON that cannot end the HTML element that contains it."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")


def photo_data(record: PhotoRecord, doubtful: Set[Square] | None = None) -> dict[str, Any]:
    """Return what the page needs of a photo; keys without a value are left out.

    `doubtful` are the squares to check of a photo that was compared with its game; where they agree, none is checked.
    """
    line = record.to_json()
    data = {key: line[key] for key in KEYS if line.get(key) is not None and line[key] is not False}
    if record.board is not None:
        data["rows"] = [" ".join(row) for row in record.board.rows]
        if squares := list_doubtful_squares(record.board, doubtful):
            data["doubtful"] = squares
    if record.corrected is not None:
        data["corrected"] = [[*correction.square, correction.was] for correction in record.corrected]
    remarks = [*record.remarks]
    if record.board is not None and record.board.other_boards:
        remarks.append(f"other boards in view: {record.board.other_boards}; the largest was read")
    if remarks:
        data["message"] = "; ".join(filter(None, (record.message, *remarks)))
    return data


def list_doubtful_squares(board: BoardRecord, doubtful: Set[Square] | None) -> list[list[Any]]:
    """List the squares to check: row, column, probability, reasons, and the tokens that they may hold."""
    alternatives = dict(board.alternatives)
    return [
        [
            row,
            column,
            round(share, 2),
            "; ".join(doubt.reason for doubt in board.doubts if doubt.square == (row, column))
            or (UNSURE_GAME if share >= MIN_SURE_SHARE else ""),
            list(alternatives.get((row, column), ())),
        ]
        for row, line in enumerate(board.confidence)
        for column, share in enumerate(line)
        if (share < MIN_SURE_SHARE if doubtful is None else (row, column) in doubtful)
    ]
