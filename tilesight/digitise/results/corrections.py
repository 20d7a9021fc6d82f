"""What people put right: squares, editions, sides, and what is no board; kept beside the results.

They are applied each time the results are written.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from scoring import BLANK, COVERED, EMPTY, Board, CgpPosition, Edition, designated, format_cgp
from tilesight.digitise.reading.photo_record import board_text
from vision.core import write_file
from vision.errors import InputError, SettingsError

__all__ = [
    "Corners",
    "Correction",
    "Corrections",
    "Lay",
    "corrected",
    "kept_corrections",
    "laid",
    "load_corrections",
    "merged",
    "save_corrections",
    "unfit",
    "without_board",
]

SCHEMA = 1
FARTHEST_PX = 1e6
"""No corner of a board lies so far from its photo."""
FILE = "corrections.json"
PHOTOS = "photos.jsonl"
OF_PICTURES = ("bytes", "format", "width", "height", "taken", "camera", "likeness", "sha256")
"""What is known of a picture, whatever it shows."""


Corners = tuple[tuple[float, float], ...]
"""Four corners, each x before y."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Lay:
    """How a board lay as its squares were named.

    Parameters
    ----------
    turn : int
        Quarter turns from the side that the photo itself names to the one that was up.
    rows, columns : int
        Its size then.
    """

    turn: int
    rows: int
    columns: int

    @classmethod
    def of(cls, record: Mapping[str, Any]) -> Lay:
        """How a photo's board lies by its record."""
        return cls(
            turn=record.get("turned_by_game", 0), rows=len(record["rows"]), columns=len(record["rows"][0])
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Correction:
    """What is right about one picture.

    Parameters
    ----------
    edition : str or None
        The edition that lies there, None if it was found rightly.
    squares : mapping of (row, column) to str
        The tokens of squares that were misread.
    turn : int or None
        Quarter turns from the side that the photo itself names to the one that is up; None if it was found rightly.
    no_board : bool or None
        Whether what was read is no board at all; None if nobody said.
    corners : tuple of (float, float) or None
        The grid's outer corners TL TR BR BL as the letters read, in pixels of the photo, where it was not found; none
        of them where those that were given are taken back.
    lay : Lay or None
        How the board lay as its squares were named: photos that come later may tell that another side is up. None as
        long as no run has said.
    """

    edition: str | None
    squares: Mapping[tuple[int, int], str]
    turn: int | None = None
    no_board: bool | None = None
    corners: Corners | None = None
    lay: Lay | None = None

    def squares_after(self, turn: int) -> Mapping[tuple[int, int], str]:
        """The squares as they lie after so many quarter turns from the side that the photo itself names."""
        if self.lay is None:
            return self.squares
        squares, rows, columns = self.squares, self.lay.rows, self.lay.columns
        for _ in range((turn - self.lay.turn) % 4):
            squares = {(columns - 1 - column, row): token for (row, column), token in squares.items()}
            rows, columns = columns, rows
        return squares


Corrections = Mapping[str, Correction]
"""Corrections by the picture's SHA-256."""


def load_corrections(path: Path) -> Corrections:
    """The corrections that the report page saved.

    Raises
    ------
    InputError
        If the file cannot be read.
    SettingsError
        If it holds something else.
    """
    try:
        content = json.loads(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror or error}); check the name") from error
    except (ValueError, RecursionError) as error:
        raise SettingsError(
            f"{path}: no file of corrections ({error}); save it from the report again"
        ) from error
    try:
        if content["schema"] != SCHEMA:
            raise SettingsError(f"{path}: has schema {content['schema']}, expected {SCHEMA}; save it again")
        return {str(picture): parsed(each) for picture, each in content["pictures"].items()}
    except (LookupError, TypeError, ValueError, AttributeError, OverflowError) as error:
        raise SettingsError(
            f"{path}: no file of corrections ({type(error).__name__}: {error}); save it from the report again"
        ) from error


def parsed(each: Mapping[str, Any]) -> Correction:
    """One picture's corrections from JSON."""
    squares = {
        (int(one["square"][0]), int(one["square"][1])): str(one["token"]) for one in each.get("squares", [])
    }
    edition, turn, no_board = (each.get(key) for key in ("edition", "turn", "no_board"))
    if turn not in (None, *range(4)) or not isinstance(no_board, bool | None):
        raise ValueError(f"turn {turn!r}, no_board {no_board!r}")
    corners: Corners | None = None
    if "corners" in each:  # null takes them back
        corners = tuple((float(x), float(y)) for x, y in each["corners"] or ())
        if len(corners) not in (0, 4) or not all(
            abs(value) < FARTHEST_PX for corner in corners for value in corner
        ):
            raise ValueError(f"corners {corners}")
    lay = each.get("lay")
    if lay is not None:
        lay = Lay(turn=int(lay["turn"]), rows=int(lay["rows"]), columns=int(lay["columns"]))
        if lay.turn not in range(4) or min(lay.rows, lay.columns) < 1:
            raise ValueError(str(lay))
    return Correction(
        edition=None if edition is None else str(edition),
        squares=squares,
        turn=turn,
        no_board=no_board,
        corners=corners,
        lay=lay,
    )


def kept_corrections(folder: Path) -> Corrections:
    """The corrections that this folder's results have already."""
    path = folder / FILE
    return load_corrections(path) if path.is_file() else {}


def laid(kept: Corrections, new: Corrections, folder: Path) -> Corrections:
    """The new ones; those that join squares whose lay is known are of boards as the folder's results have them now.

    Raises
    ------
    SettingsError
        If the results do not tell how such a board lies.
    """
    wanting = {
        picture
        for picture, each in new.items()
        if each.squares and each.lay is None and each.corners is None
        if picture in kept and kept[picture].lay is not None and each.turn in (None, kept[picture].turn)
    }
    if not wanting:
        return new
    lays: dict[str, Lay] = {}
    with contextlib.suppress(OSError, ValueError), (folder / PHOTOS).open(encoding="utf-8") as lines:
        for record in map(json.loads, lines):
            if record.get("sha256") in wanting and record["status"] == "ok":
                lays[record["sha256"]] = Lay.of(record)
    for picture in sorted(wanting - set(lays)):
        raise SettingsError(
            f"correction of picture {picture[:12]}: does not say how its board lay; save it from the report again"
        )
    return {**new, **{picture: replace(new[picture], lay=lay) for picture, lay in lays.items()}}


def merged(kept: Corrections, new: Corrections) -> Corrections:
    """Both; the newer one counts where both name a square.

    A board that is turned has other squares, and one that lies between other corners other sides, too.
    """
    both = dict(kept)
    for picture, each in new.items():
        before = both.get(picture, Correction(edition=None, squares={}))
        moved = each.corners is not None and (each.corners or None) != before.corners
        if moved:
            before = replace(before, squares={}, turn=None, corners=each.corners or None, lay=None)
        if each.turn is not None and each.turn != before.turn:
            before = replace(before, squares={}, lay=None)
        squares = before.squares_after(each.lay.turn) if each.lay is not None else before.squares
        both[picture] = Correction(
            edition=each.edition or before.edition,
            squares={**squares, **each.squares},
            turn=before.turn if each.turn is None else each.turn,
            no_board=before.no_board if each.no_board is None else each.no_board,
            corners=before.corners,
            lay=each.lay or before.lay,
        )
    return both


def save_corrections(folder: Path, corrections: Corrections) -> None:
    """Keeps them beside the results."""
    pictures = {
        picture: {
            **({"edition": each.edition} if each.edition else {}),
            **({"turn": each.turn} if each.turn is not None else {}),
            **({"no_board": each.no_board} if each.no_board is not None else {}),
            **({"corners": each.corners} if each.corners is not None else {}),
            "squares": [
                {"square": [row, column], "token": token}
                for (row, column), token in sorted(each.squares.items())
            ],
            **({"lay": asdict(each.lay)} if each.lay is not None and each.squares else {}),
        }
        for picture, each in sorted(corrections.items())
    }
    text = json.dumps({"schema": SCHEMA, "pictures": pictures}, ensure_ascii=False, indent=1)
    write_file(folder / FILE, (text + "\n").encode())


def corrected(record: Mapping[str, Any], correction: Correction, edition: Edition) -> dict[str, Any]:
    """The record with its squares put right, and remarks on those that cannot be."""
    rows = [list(row) for row in record["rows"]]
    confidence = [list(row) for row in record["confidence"]]
    refused = unfit(record, correction, edition)
    changed = []
    for (row, column), token in sorted(squares_of(record, correction).items()):
        if (row, column) in refused:
            continue
        changed.append({"square": [row, column], "was": rows[row][column], "now": token})
        rows[row][column], confidence[row][column] = token, 1.0
    squares = [each["square"] for each in changed]
    board = Board.from_rows(rows)
    return {
        **record,
        "rows": rows,
        "confidence": confidence,
        "doubts": [each for each in record["doubts"] if each["square"] not in squares],
        "alternatives": [each for each in record["alternatives"] if each["square"] not in squares],
        "tiles": sum(1 for _ in board.tiles()),
        "doubt": round(sum(1 - each for row in confidence for each in row), 3),
        "cgp": format_cgp(CgpPosition.of_board(board, edition), edition.tokens),
        "text": board_text(board),
        "corrected": changed,
        **({"remarks": [*record.get("remarks", ()), *refused.values()]} if refused else {}),
    }


def squares_of(record: Mapping[str, Any], correction: Correction) -> Mapping[tuple[int, int], str]:
    """The squares that a correction names, as the record's board lies."""
    return correction.squares_after(record.get("turned_by_game", 0))


def without_board(record: Mapping[str, Any]) -> dict[str, Any]:
    """The record of a photo of which people said that it shows no board."""
    picture = {name: record[name] for name in OF_PICTURES if name in record}
    message = f"{record['image']}: a correction says that it shows no board"
    return {
        "image": record["image"],
        "status": "board-not-found",
        "message": message,
        **picture,
        "no_board": True,
    }


def unfit(record: Mapping[str, Any], correction: Correction, edition: Edition) -> dict[tuple[int, int], str]:
    """Why squares of a correction cannot be so: they are not on the board, or a token is none of the edition's."""
    reasons = {}
    rows, columns = len(record["rows"]), len(record["rows"][0])
    for (row, column), token in sorted(squares_of(record, correction).items()):
        if not (0 <= row < rows and 0 <= column < columns):
            reason = f"there is no row {row}, column {column}; count from 0"
        elif token not in (EMPTY, BLANK, COVERED) and designated(token) not in edition.tokens:
            letters = " ".join(edition.tokens)
            reason = f"{token!r} is no tile of {edition.name}; its letters are {letters}, in lower case for a blank"
        else:
            continue
        reasons[row, column] = f"correction of {record['image']}: {reason}"
    return reasons
