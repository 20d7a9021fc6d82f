"""The file of corrections: ``corrections.json`` in the folder of results, and what the report page saves."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

from scoring import read_text
from tilesight.digitise.reading import Corners, present
from tilesight.digitise.results.corrections import BoardOrientation, Correction, Corrections
from vision.core import JsonPart, write_file
from vision.errors import InputError, SettingsError

__all__ = ["load_corrections", "load_kept_corrections", "save_corrections"]

FILE = "corrections.json"
SCHEMA = 1
ADVICE = "save it from the report again"
MAX_SIDE = 99
"""Most rows or columns of a board (chosen)."""
MAX_COORDINATE_PX = 1e6
"""Largest coordinate of a corner that is accepted (chosen)."""


def load_corrections(path: Path) -> Corrections:
    """Load the corrections that the report page saved.

    Raises InputError if the file cannot be read, SettingsError if it holds something else.
    """
    try:
        content = JsonPart(json.loads(read_text(path)), path, ADVICE)
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror or error}); check the name") from error
    except (ValueError, RecursionError) as error:
        raise SettingsError(
            f"{path}: not a file of corrections ({error}); save it from the report again"
        ) from error
    if (schema := content.value.get("schema")) != SCHEMA:
        raise content.fault(str(SCHEMA), schema, "schema")
    pictures = content.part("pictures")
    if pictures is None:
        raise content.fault("a table of pictures", None, "pictures")
    return {
        picture: parse_correction(JsonPart(data, path, ADVICE, f"picture {picture[:12]}"))
        for picture, data in pictures.value.items()
    }


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


def parse_correction(part: JsonPart) -> Correction:
    """Read one picture's correction from its JSON object."""
    squares = {}
    for entry in part.parts("squares"):
        row, column = entry.integers("square", 2)
        squares[row, column] = entry.text("token")
    corners: Corners | None = None
    if "corners" in part.value:  # null withdraws those given earlier
        withdrawn = part.value["corners"] in (None, [])
        corners = () if withdrawn else part.points("corners", 4, MAX_COORDINATE_PX)
    lay = part.part("lay")
    return Correction(
        edition=part.text("edition") if part.has("edition") else None,
        squares=squares,
        turn=part.integer("turn", 0, 3) if part.has("turn") else None,
        no_board=part.flag("no_board") if part.has("no_board") else None,
        corners=corners,
        orientation=parse_orientation(lay) if lay is not None else None,
    )


def parse_orientation(part: JsonPart) -> BoardOrientation:
    """Read the orientation in which squares are named from its JSON object."""
    rows, columns = (part.integer(key, 1, MAX_SIDE) for key in ("rows", "columns"))
    return BoardOrientation(turn=part.integer("turn", 0, 3), rows=rows, columns=columns)
