"""Corrections by people: squares, editions, orientations, corners, and photos without a board.

They come from a file that the report page saves, and the folder of results keeps them in ``corrections.json``.
They are applied each time the results are written; the records in the store stay as they were read.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from scoring import BLANK, COVERED, EMPTY, Edition, bag_tile, designated, is_tile
from tilesight.digitise.folder import CORRECTIONS
from tilesight.digitise.reading import BoardRecord, Corners, PhotoRecord, PhotoStatus, SquareCorrection
from vision.core import JsonPart, Square, read_text_file, write_file
from vision.errors import SettingsError

__all__ = [
    "CorrectedTiles",
    "Correction",
    "Corrections",
    "apply_correction",
    "check_corrections",
    "collect_corrected_tiles",
    "count_replaced_squares",
    "load_corrections",
    "merge_corrections",
    "save_corrections",
]

SCHEMA = 1
ADVICE = "save it from the report again"
KEPT_ADVICE = "restore it from a copy, or delete it and give your saved corrections again with --corrections"
MAX_SIDE = 99
"""Most rows or columns of a board (chosen)."""
MAX_COORDINATE_PX = 1e6
"""Largest coordinate of a corner that is accepted (chosen)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardOrientation:
    """The orientation of a board when its squares were named."""

    turn: int
    """Counterclockwise quarter turns from the orientation that was found in the photo."""
    rows: int
    columns: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Correction:
    """What a person said of one picture."""

    edition: str | None = None
    """The right edition; None if nobody named one."""
    edition_order: int = field(default=0, compare=False)
    """Higher than that of the editions that were named before."""
    squares: Mapping[Square, str] = field(default_factory=dict)
    """The tokens of squares that were misread."""
    turn: int | None = None
    """Counterclockwise quarter turns from the orientation that was found to the right one; None if nobody named it."""
    no_board: bool | None = None
    """Whether the photo shows no board; None if nobody said."""
    corners: Corners | None = None
    """The grid's outer corners in a photo in which the board was not found. Empty if corners given earlier are
    withdrawn; None if nobody said."""
    orientation: BoardOrientation | None = None
    """The board's orientation in which its squares are named, as photos that come later may show another one. None
    until a run has recorded it: the results have the orientation of earlier corrections."""

    def squares_rotated_to(self, quarter_turns: int) -> Mapping[Square, str]:
        """Return the squares of the board, turned counterclockwise from the orientation that was found."""
        if self.orientation is None:
            return self.squares
        squares, rows, columns = self.squares, self.orientation.rows, self.orientation.columns
        for _ in range((quarter_turns - self.orientation.turn) % 4):
            squares = {(columns - 1 - column, row): token for (row, column), token in squares.items()}
            rows, columns = columns, rows
        return squares

    def oriented_to(self, board: BoardRecord) -> Correction:
        """Return the correction with its squares as they are named on a board that was read."""
        turn, (rows, columns) = board.quarter_turns, board.size
        orientation = BoardOrientation(turn=turn, rows=rows, columns=columns)
        return replace(self, squares=self.squares_rotated_to(turn), orientation=orientation)


Corrections = Mapping[str, Correction]
"""Corrections by the picture's SHA-256, in the order in which their squares were named."""


def load_corrections(path: Path, *, are_kept: bool = False) -> Corrections:
    """Load the corrections that the report page saved, or those that the folder of results keeps.

    Raises InputError if the file cannot be read, SettingsError if it holds something else.
    """
    text, advice = read_text_file(path, "check the name"), KEPT_ADVICE if are_kept else ADVICE
    try:
        content = JsonPart(json.loads(text), path, advice)
    except (ValueError, RecursionError) as error:
        raise SettingsError(f"{path}: not a file of corrections ({error}); {advice}") from error
    if (schema := content.value.get("schema")) != SCHEMA:
        raise content.fault(str(SCHEMA), schema, "schema")
    if (pictures := content.part("pictures")) is None:
        raise content.fault("a table of pictures", None, "pictures")
    return {
        picture: parse_correction(JsonPart(data, path, advice, f"picture {picture[:12]}"), number)
        for number, (picture, data) in enumerate(pictures.value.items())
    }


def present(**values: Any) -> dict[str, Any]:
    """Return the values that are not None by their keys."""
    return {key: value for key, value in values.items() if value is not None}


def save_corrections(folder: Path, corrections: Corrections) -> None:
    """Save corrections in the folder of results, in their order."""
    pictures = {
        picture: present(
            edition=correction.edition or None,
            edition_order=correction.edition_order,
            turn=correction.turn,
            no_board=correction.no_board,
            corners=correction.corners,
            squares=[{"square": at, "token": token} for at, token in sorted(correction.squares.items())],
            lay=asdict(correction.orientation) if correction.orientation and correction.squares else None,
        )
        for picture, correction in corrections.items()
    }
    text = json.dumps({"schema": SCHEMA, "pictures": pictures}, ensure_ascii=False, indent=1)
    write_file(folder / CORRECTIONS, (text + "\n").encode())


def parse_correction(part: JsonPart, number: int) -> Correction:
    """Read one picture's correction from its JSON object; its number is the order of an edition without one."""
    part.check_keys("edition", "edition_order", "turn", "no_board", "corners", "squares", "lay")
    squares = {}
    for entry in part.parts("squares"):
        entry.check_keys("square", "token")
        row, column = entry.integers("square", 2)
        squares[row, column] = entry.text("token")
    corners: Corners | None = None
    if "corners" in part.value:  # null withdraws those given earlier
        corners = () if part.value["corners"] in (None, []) else part.points("corners", 4, MAX_COORDINATE_PX)
    orientation = None
    if (lay := part.part("lay")) is not None:
        rows, columns = (lay.integer(key, 1, MAX_SIDE) for key in ("rows", "columns"))
        orientation = BoardOrientation(turn=lay.integer("turn", 0, 3), rows=rows, columns=columns)
    return Correction(
        edition=part.text("edition") if part.has("edition") else None,
        edition_order=part.integer("edition_order", 0, sys.maxsize) if part.has("edition_order") else number,
        squares=squares,
        turn=part.integer("turn", 0, 3) if part.has("turn") else None,
        no_board=part.flag("no_board") if part.has("no_board") else None,
        corners=corners,
        orientation=orientation,
    )


def merge_corrections(kept: Corrections, new: Corrections) -> Corrections:
    """Merge corrections; the newer token counts where both name a square.

    Pictures with new squares come last. A new orientation or new corners invalidate the squares that were named
    before, and new corners the orientation.
    """
    both, last = dict(kept), max((each.edition_order for each in kept.values()), default=0)
    for picture, correction in new.items():
        before = both.get(picture, Correction())
        corners = correction.corners or None
        if correction.corners is not None and corners != before.corners:
            before = replace(before, squares={}, turn=None, corners=corners, orientation=None)
        if correction.turn is not None and correction.turn != before.turn:
            before = replace(before, squares={}, orientation=None)
        squares = before.squares
        if correction.orientation is not None:
            squares = before.squares_rotated_to(correction.orientation.turn)
        newer = {key: getattr(correction, key) for key in ("edition", "turn", "no_board", "orientation")}
        if correction.edition is not None:
            newer["edition_order"] = last + 1 + correction.edition_order
        if correction.squares:
            both.pop(picture, None)
        both[picture] = replace(before, squares={**squares, **correction.squares}, **present(**newer))
    return both


def count_replaced_squares(before: Corrections, after: Corrections) -> int:
    """Count the squares whose corrections are not among the later ones."""
    count = 0
    for picture, each in before.items():
        now = after[picture]
        squares = each.squares_rotated_to(now.orientation.turn) if now.orientation else each.squares
        count += sum(now.squares.get(square) != token for square, token in squares.items())
    return count


CorrectedTiles = Mapping[tuple[Square, str], str]
"""The tokens of tiles that people corrected in photos of a game, by their square and what was read."""


def collect_corrected_tiles(photos: Iterable[PhotoRecord]) -> CorrectedTiles:
    """Collect the tiles that people corrected; they hold where they were read as the same, and the last one counts."""
    squares = (square for photo in photos for square in photo.corrected or ())
    return {(at, bag_tile(was)): now for at, was, now in squares if is_tile(was) and is_tile(now)}


def apply_correction(
    record: PhotoRecord, correction: Correction, editions: Mapping[str, Edition], tiles: CorrectedTiles
) -> PhotoRecord:
    """Apply a correction to a photo, except for the orientation and the corners, with which it was read.

    Tiles that were read as those that people corrected in its game are corrected, too. What does not fit, since another
    edition was named meanwhile, becomes a remark.
    """
    if correction.no_board and record.status is not PhotoStatus.UNREADABLE:
        return PhotoRecord(
            status=PhotoStatus.NO_BOARD,
            name=record.name,
            message=f"{record.name}: a correction says that it shows no board",
            size_bytes=record.size_bytes,
            picture=record.picture,
            sha256=record.sha256,
            no_board=True,
        )
    if record.board is not None:
        record = correct_squares(record, correction, editions[record.board.edition], tiles)
    if correction.edition or correction.turn:
        record = replace(record, corrected=record.corrected or ())
    if correction.edition is not None and correction.edition not in editions:
        problem = f"edition {correction.edition!r} is none of {', '.join(editions)}; correct it"
        return replace(record, remarks=(*record.remarks, f"correction of {record.name}: {problem}"))
    if record.board is not None and correction.edition is not None:
        record = replace(record, board=record.board.with_edition_shares(None))
    return record


def correct_squares(
    record: PhotoRecord, correction: Correction, edition: Edition, tiles: CorrectedTiles
) -> PhotoRecord:
    """Correct the squares of a photo with a board, with remarks on those that cannot be so."""
    assert record.board is not None
    board = record.board
    squares = dict(correction.squares_rotated_to(board.quarter_turns))
    for row, tokens in enumerate(board.rows if tiles else ()):
        for column, was in enumerate(tokens):
            token, now = squares.get((row, column), was), tiles.get(((row, column), bag_tile(was)))
            if now is not None and is_tile(token):
                squares[row, column] = token if now == BLANK == bag_tile(token) else now
    if not squares:
        return record
    corrected, remarks = [], []
    for (row, column), token in sorted(squares.items()):
        if not (row in range(board.size[0]) and column in range(board.size[1])):
            problem = f"there is no row {row}, column {column}; count from 0"
            remarks.append(f"correction of {record.name}: {problem}")
        elif token not in (EMPTY, BLANK, COVERED) and designated(token) not in edition.tokens:
            remarks.append(
                f"correction of {record.name}: {token!r} is no tile of {edition.name}; "
                f"its letters are {' '.join(edition.tokens)}, in lower case for a blank"
            )
        else:
            corrected.append(SquareCorrection((row, column), was=board.rows[row][column], now=token))
    board = board.with_tokens({each.square: each.now for each in corrected}, edition)
    return replace(record, board=board, corrected=tuple(corrected), remarks=(*record.remarks, *remarks))


def check_corrections(
    records: Iterable[PhotoRecord], corrections: Corrections, editions: Mapping[str, Edition]
) -> None:
    """Refuse (SettingsError) corrections that do not fit what is read now.

    Their squares must be on the board and in its edition, and a board must be read between their corners.
    """
    for record in records:
        correction = corrections[record.sha256 or ""]
        if record.status is PhotoStatus.NO_BOARD and not record.no_board and correction.corners:
            raise SettingsError(f"correction of {record.message}")
        for problem in apply_correction(replace(record, remarks=()), correction, editions, {}).remarks:
            raise SettingsError(problem)
