"""The file of corrections: ``corrections.json`` in the folder of results, and what the report page saves."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from types import UnionType
from typing import Any

from scoring import read_text
from tilesight.digitise.reading import Corners, present
from tilesight.digitise.results.corrections import BoardOrientation, Correction, Corrections
from vision.core import Square, write_file
from vision.errors import InputError, SettingsError

__all__ = ["load_corrections", "load_kept_corrections", "save_corrections"]

FILE = "corrections.json"
SCHEMA = 1
MAX_COORDINATE_PX = 1e6
"""Largest coordinate of a corner that is accepted (chosen)."""


def load_corrections(path: Path) -> Corrections:
    """Load the corrections that the report page saved.

    Raises InputError if the file cannot be read, SettingsError if it holds something else.
    """
    try:
        content = json.loads(read_text(path))
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror or error}); check the name") from error
    except (ValueError, RecursionError) as error:
        raise SettingsError(
            f"{path}: not a file of corrections ({error}); save it from the report again"
        ) from error
    try:
        if (schema := checked(content, dict, "a table").get("schema")) != SCHEMA:
            raise ValueError(f"has schema {schema!r}, expected {SCHEMA}")
        found = {}
        for picture, data in checked(content.get("pictures"), dict, "a table of pictures").items():
            with errors_at(f"picture {picture[:12]}"):
                found[picture] = parse_correction(data)
    except (TypeError, ValueError) as error:
        raise SettingsError(f"{path}: {error}; save it from the report again") from error
    return found


@contextlib.contextmanager
def errors_at(place: str) -> Iterator[None]:
    """Name the place of a value that is no correction in a `ValueError`."""
    try:
        yield
    except KeyError as error:
        raise ValueError(f"{place}: lacks {error.args[0]!r}") from error
    except (TypeError, ValueError, OverflowError) as error:
        raise ValueError(f"{place}: {error}") from error


def checked(value: Any, kind: type | UnionType, what: str) -> Any:
    """Return a value of JSON if it is of a type, or raise a TypeError; a truth value is no number."""
    if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
        raise TypeError(f"{json.dumps(value, ensure_ascii=False)[:40]} is not {what}")
    return value


def load_kept_corrections(folder: Path) -> Corrections:
    """Load the corrections that the folder's results have already."""
    path = folder / FILE
    return load_corrections(path) if path.is_file() else {}


def save_corrections(folder: Path, corrections: Corrections) -> None:
    """Save corrections in the folder of results."""
    pictures = {
        picture: present(
            edition=correction.edition or None,
            turn=correction.turn,
            no_board=correction.no_board,
            corners=correction.corners,
            squares=[
                {"square": square, "token": token} for square, token in sorted(correction.squares.items())
            ],
            lay=asdict(correction.orientation) if correction.orientation and correction.squares else None,
        )
        for picture, correction in sorted(corrections.items())
    }
    text = json.dumps({"schema": SCHEMA, "pictures": pictures}, ensure_ascii=False, indent=1)
    write_file(folder / FILE, (text + "\n").encode())


def parse_correction(data: Any) -> Correction:
    """Read one picture's correction from its JSON object."""
    checked(data, dict, "a correction")

    def optional(key: str, kind: type, what: str) -> Any:
        return checked(data[key], kind, what) if data.get(key) is not None else None

    turn = optional("turn", int, "a number of quarter turns")
    if turn not in (None, 0, 1, 2, 3):
        raise ValueError(f"turn {turn} is not 0, 1, 2 or 3")
    squares: dict[Square, str] = {}
    for number, entry in enumerate(checked(data.get("squares", []), list, "a list of squares"), 1):
        with errors_at(f"square {number}"):
            row, column = checked(
                checked(entry, dict, "a square and a token")["square"], list, "a row and a column"
            )
            square = checked(row, int, "a row"), checked(column, int, "a column")
            squares[square] = checked(entry["token"], str, "a token")
    orientation = optional("lay", dict, "an orientation (lay)")
    return Correction(
        edition=optional("edition", str, "the name of an edition"),
        squares=squares,
        turn=turn,
        no_board=optional("no_board", bool, "true or false (no_board)"),
        corners=parse_corners(data["corners"]) if "corners" in data else None,
        orientation=parse_orientation(orientation) if orientation is not None else None,
    )


def parse_corners(data: Any) -> Corners:
    """Read four corners from JSON; none of them from null, which withdraws those given earlier."""
    corners = [
        tuple(float(checked(number, int | float, "a number")) for number in checked(point, list, "a corner"))
        for point in checked([] if data is None else data, list, "a list of corners")
    ]
    if len(corners) not in (0, 4) or any(len(corner) != 2 for corner in corners):
        raise ValueError(f"corners {json.dumps(data)[:60]} are not four points x, y")
    if not all(abs(value) < MAX_COORDINATE_PX for corner in corners for value in corner):
        raise ValueError(f"corners {json.dumps(data)[:60]} are not in a picture")
    return tuple((x, y) for x, y in corners)


def parse_orientation(data: Any) -> BoardOrientation:
    """Read a board's orientation from its JSON object."""
    turn, rows, columns = (
        checked(data[key], int, f"a number ({key})") for key in ("turn", "rows", "columns")
    )
    if turn not in range(4) or min(rows, columns) < 1:
        raise ValueError(f"lay {json.dumps(data)[:60]} is no orientation of a board")
    return BoardOrientation(turn=turn, rows=rows, columns=columns)
