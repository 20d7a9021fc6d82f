"""The file of corrections: ``corrections.json`` in the folder of results, and what the report page saves."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from tilesight.digitise.folder import PHOTOS_FILE
from tilesight.digitise.reading import Corners
from tilesight.digitise.results.corrections import BoardOrientation, Correction, Corrections
from vision.core import write_file
from vision.errors import InputError, SettingsError

__all__ = ["add_orientations", "load_corrections", "load_kept_corrections", "save_corrections"]

FILE = "corrections.json"
SCHEMA = 1
MAX_COORDINATE_PX = 1e6
"""Largest coordinate of a corner that is accepted (chosen)."""


def load_corrections(path: Path) -> Corrections:
    """Load the corrections that the report page saved.

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
        return {str(picture): parse_correction(data) for picture, data in content["pictures"].items()}
    except (LookupError, TypeError, ValueError, AttributeError, OverflowError) as error:
        raise SettingsError(
            f"{path}: no file of corrections ({type(error).__name__}: {error}); save it from the report again"
        ) from error


def load_kept_corrections(folder: Path) -> Corrections:
    """Load the corrections that the folder's results have already."""
    path = folder / FILE
    return load_corrections(path) if path.is_file() else {}


def save_corrections(folder: Path, corrections: Corrections) -> None:
    """Save corrections in the folder of results."""
    pictures = {
        picture: {
            **({"edition": correction.edition} if correction.edition else {}),
            **({"turn": correction.turn} if correction.turn is not None else {}),
            **({"no_board": correction.no_board} if correction.no_board is not None else {}),
            **({"corners": correction.corners} if correction.corners is not None else {}),
            "squares": [
                {"square": [row, column], "token": token}
                for (row, column), token in sorted(correction.squares.items())
            ],
            **(
                {"lay": asdict(correction.orientation)}
                if correction.orientation is not None and correction.squares
                else {}
            ),
        }
        for picture, correction in sorted(corrections.items())
    }
    text = json.dumps({"schema": SCHEMA, "pictures": pictures}, ensure_ascii=False, indent=1)
    write_file(folder / FILE, (text + "\n").encode())


def add_orientations(kept: Corrections, new: Corrections, folder: Path) -> Corrections:
    """Add the orientations of boards in the folder's results to new corrections that lack them.

    Only corrections that join others of the same board need one.

    Parameters
    ----------
    kept : Corrections
        Those that the folder has already.
    new : Corrections
        Those that are added.
    folder : Path
        The folder of results.

    Raises
    ------
    SettingsError
        If the results do not contain such a board.
    """
    wanting = {
        picture
        for picture, correction in new.items()
        if correction.squares and correction.orientation is None and correction.corners is None
        if picture in kept
        and kept[picture].orientation is not None
        and correction.turn in (None, kept[picture].turn)
    }
    if not wanting:
        return new
    orientations: dict[str, BoardOrientation] = {}
    with contextlib.suppress(OSError, ValueError), (folder / PHOTOS_FILE).open(encoding="utf-8") as lines:
        for record in map(json.loads, lines):
            if record.get("sha256") in wanting and record["status"] == "ok":
                orientations[record["sha256"]] = BoardOrientation(
                    turn=record.get("turned_by_game", 0),
                    rows=len(record["rows"]),
                    columns=len(record["rows"][0]),
                )
    for picture in sorted(wanting - set(orientations)):
        raise SettingsError(
            f"correction of picture {picture[:12]}: does not say how its board lay; save it from the report again"
        )
    return {
        **new,
        **{
            picture: replace(new[picture], orientation=orientation)
            for picture, orientation in orientations.items()
        },
    }


def parse_correction(data: Mapping[str, Any]) -> Correction:
    """Read one picture's correction from its JSON object.

    Raises
    ------
    LookupError, TypeError, ValueError, AttributeError, OverflowError
        If it is none.
    """
    squares = {
        (int(entry["square"][0]), int(entry["square"][1])): str(entry["token"])
        for entry in data.get("squares", [])
    }
    edition, turn, no_board = (data.get(key) for key in ("edition", "turn", "no_board"))
    if turn not in (None, *range(4)) or not isinstance(no_board, bool | None):
        raise ValueError(f"turn {turn!r}, no_board {no_board!r}")
    return Correction(
        edition=None if edition is None else str(edition),
        squares=squares,
        turn=turn,
        no_board=no_board,
        corners=parse_corners(data["corners"]) if "corners" in data else None,
        orientation=parse_orientation(data["lay"]) if data.get("lay") is not None else None,
    )


def parse_corners(data: Any) -> Corners:
    """Read four corners from JSON; none of them from null, which withdraws those given earlier."""
    corners = tuple((float(x), float(y)) for x, y in data or ())
    if len(corners) not in (0, 4) or not all(
        abs(value) < MAX_COORDINATE_PX for corner in corners for value in corner
    ):
        raise ValueError(f"corners {corners}")
    return corners


def parse_orientation(data: Mapping[str, Any]) -> BoardOrientation:
    """Read a board's orientation from its JSON object."""
    orientation = BoardOrientation(
        turn=int(data["turn"]), rows=int(data["rows"]), columns=int(data["columns"])
    )
    if orientation.turn not in range(4) or min(orientation.rows, orientation.columns) < 1:
        raise ValueError(str(orientation))
    return orientation
