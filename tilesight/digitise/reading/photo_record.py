"""The record of a digitised photo: all that is needed to find, check and correct its board.

`PhotoRecord.to_json` writes the lines of ``photos.jsonl`` and the records of the result store, `PhotoRecord.from_json`
reads them. A part that a photo does not have is None, and its keys are missing in the JSON object.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, ClassVar

from tilesight.digitise.reading.board_record import BoardRecord, Corners, corners_from_json, square_from_json
from vision.core import Square

__all__ = [
    "CornersSource",
    "OutputRecord",
    "PhotoRecord",
    "PhotoStatus",
    "PictureRecord",
    "SquareCorrection",
    "present",
]


class PhotoStatus(StrEnum):
    """Whether a board was read, and if not, why."""

    OK = "ok"
    NO_BOARD = "board-not-found"
    UNREADABLE = "unreadable"


class CornersSource(StrEnum):
    """Who gave a board's corners, where they were not found in the picture; the key of the JSON object."""

    PEOPLE = "corners_given"
    GAME = "corners_by_game"


@dataclass(frozen=True, slots=True, kw_only=True)
class SquareCorrection:
    """A square that a person corrected: the token that was read and the one that is right."""

    square: Square
    was: str
    now: str

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> SquareCorrection:
        """Read the JSON object of a correction."""
        return cls(square=square_from_json(data), was=data["was"], now=data["now"])

    def to_json(self) -> dict[str, Any]:
        """Return the JSON object of the correction."""
        return {"square": list(self.square), "was": self.was, "now": self.now}


@dataclass(frozen=True, slots=True, kw_only=True)
class PictureRecord:
    """What is known of a picture that could be opened, whatever it shows."""

    format: str | None
    width: int
    height: int
    """The picture's size in pixels."""
    taken: str | None
    """When it was taken, in ISO 8601."""
    camera: str | None
    """The camera's model."""
    perceptual_hash: str | None
    """Its hash as text, see `perceptual_hash`."""

    KEYS: ClassVar = {
        **{name: name for name in ("format", "width", "height", "taken", "camera")},
        "perceptual_hash": "likeness",
    }
    """The JSON key of each field."""

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> PictureRecord | None:
        """Read the picture's keys of a photo's JSON object; None if there are none."""
        if "width" not in data:
            return None
        values: dict[str, Any] = {field: data.get(key) for field, key in cls.KEYS.items()}
        return cls(**values)

    def to_json(self) -> dict[str, Any]:
        """Return the picture's keys of a photo's JSON object."""
        return {key: getattr(self, field) for field, key in self.KEYS.items()}


@dataclass(frozen=True, slots=True, kw_only=True)
class OutputRecord:
    """A photo's place in the folder of results."""

    board: str | None = None
    thumbnail: str | None = None
    """The files with the straightened board and the small picture, relative to the folder."""
    same_as: str | None = None
    nearly_same_as: str | None = None
    """The name of the first photo with the same bytes, or with nearly the same picture."""
    game: str | None = None
    turn: int | None = None
    """The photo's number among those of its game, counted from 1."""

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> OutputRecord:
        """Read these keys of a photo's JSON object."""
        return cls(**{name: data.get(name) for name in cls.__dataclass_fields__})

    def to_json(self) -> dict[str, Any]:
        """Return these keys of a photo's JSON object."""
        return {name: getattr(self, name) for name in self.__dataclass_fields__}


@dataclass(frozen=True, slots=True, kw_only=True)
class PhotoRecord:
    """A digitised photo."""

    status: PhotoStatus
    """Whether its board was read."""
    name: str = ""
    """The photo's name; empty in the result store, as several files may hold the same picture."""
    message: str | None = None
    """Why there is no board."""
    size_bytes: int | None = None
    """The size of the file; None if it could not be read."""
    picture: PictureRecord | None = None
    """The picture; None if it could not be opened."""
    board: BoardRecord | None = None
    corners_source: CornersSource | None = None
    """Who gave the corners; None if the board was looked for."""
    tried_corners_px: Corners | None = None
    """Where a board may be that was refused."""
    remarks: tuple[str, ...] = ()
    sha256: str | None = None
    """The checksum of the file; None in the result store."""
    no_board: bool = False
    """Whether a person said that there is no board."""
    corrected: tuple[SquareCorrection, ...] | None = None
    """The squares that people corrected; None if nobody corrected any."""
    correction_remarks: tuple[str, ...] = ()
    """Why some corrections were not applied."""
    output: OutputRecord | None = None
    """Its place in the folder of results; None before it is written."""

    @property
    def taken(self) -> str | None:
        """When the photo was taken, in ISO 8601, if that is known."""
        return self.picture.taken if self.picture is not None else None

    @property
    def is_copy(self) -> bool:
        """Whether an earlier photo shows the same picture, or nearly; False before it is written."""
        return self.output is not None and bool(self.output.same_as or self.output.nearly_same_as)

    @property
    def all_remarks(self) -> tuple[str, ...]:
        """The reader's remarks and those on corrections."""
        return self.remarks + self.correction_remarks

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> PhotoRecord:
        """Read a photo's JSON object."""
        tried, corrected = data.get("tried_corners_px"), data.get("corrected")
        return cls(
            status=PhotoStatus(data["status"]),
            name=data.get("image", ""),
            message=data.get("message"),
            size_bytes=data.get("bytes"),
            picture=PictureRecord.from_json(data),
            board=BoardRecord.from_json(data),
            corners_source=next((source for source in CornersSource if data.get(source)), None),
            tried_corners_px=corners_from_json(tried) if tried is not None else None,
            remarks=tuple(data.get("remarks", ())),
            sha256=data.get("sha256"),
            no_board=data.get("no_board", False),
            corrected=tuple(map(SquareCorrection.from_json, corrected)) if corrected is not None else None,
            output=OutputRecord.from_json(data) if "board" in data else None,
        )

    def to_json(self) -> dict[str, Any]:
        """Return the photo's JSON object; the keys have a fixed order."""
        board, tried, corrected = self.board, self.tried_corners_px, self.corrected
        unknown: dict[str, None] = {}
        if self.output is not None and board is not None and board.known_edition is None:
            unknown = {"edition": None, "edition_probability": None, "editions": None}
        return (
            present(image=self.name or None, status=str(self.status), message=self.message)
            | (board.to_json() if board is not None else {})
            | unknown
            | present(bytes=self.size_bytes)
            | (self.picture.to_json() if self.picture is not None else {})
            | present(
                square_colours=board.square_colours if board is not None else None,
                turned_by_game=(board.quarter_turns or None) if board is not None else None,
            )
            | ({str(self.corners_source): True} if self.corners_source is not None else {})
            | present(
                tried_corners_px=list(map(list, tried)) if tried is not None else None,
                remarks=list(self.all_remarks) if self.remarks else None,
                sha256=self.sha256,
                no_board=self.no_board or None,
                corrected=[each.to_json() for each in corrected] if corrected is not None else None,
            )
            # those on corrections alone come last
            | present(remarks=list(self.all_remarks) or None)
            | (self.output.to_json() if self.output is not None else {})
        )


def present(**values: Any) -> dict[str, Any]:
    """Return the values that are not None by their keys."""
    return {key: value for key, value in values.items() if value is not None}
