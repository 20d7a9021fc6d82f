"""The record of a digitised photo: all that is needed to find, check and correct its board.

`PhotoRecord.to_json` writes the lines of ``photos.jsonl`` and the records of the result store, `PhotoRecord.from_json`
reads them. The fields of a record and of its parts become the keys of one JSON object. A part that a photo does not
have is None, and its keys are missing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from enum import StrEnum
from typing import Any, NamedTuple, TypeVar

from scoring import Board, CgpPosition, Edition, format_cgp, is_tile
from tilesight.digitise.reading.premium_colours import PremiumColours, measure_premium_colours
from tilesight.output import build_photo_record, list_editions_of
from vision.core import Square
from vision.decoding import EditionGuess
from vision.observation import BoardObservation

__all__ = [
    "MIN_SURE_SHARE",
    "BoardRecord",
    "Corners",
    "OutputRecord",
    "PhotoRecord",
    "PhotoStatus",
    "PictureRecord",
    "SquareCorrection",
    "SquareDoubt",
    "board_record",
]

MIN_SURE_SHARE = 0.8
"""Squares with a smaller probability are to be checked. Of 900 photos of 60 rendered games, 262 squares are then marked
and 50 wrong, photo by photo; with 0.98 and all reasons of the reader 1,210 and 86."""

Corners = tuple[tuple[float, float], ...]
"""Four corners of a grid, TL TR BR BL as its letters read, each (x, y) in pixels of the photo."""


class PhotoStatus(StrEnum):
    """Whether a board was read, and if not, why."""

    OK = "ok"
    NO_BOARD = "board-not-found"
    UNREADABLE = "unreadable"


class SquareDoubt(NamedTuple):
    """A square that may have been misread, and why; there may be several reasons."""

    square: Square
    reason: str


class SquareTokens(NamedTuple):
    """The tokens that an uncertain square may hold, with their probabilities, the most probable first."""

    square: Square
    tokens: Mapping[str, float]


class SquareCorrection(NamedTuple):
    """A square that a person corrected: the token that was read and the one that is right."""

    square: Square
    was: str
    now: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PictureRecord:
    """What is known of a picture that could be opened, whatever it shows."""

    format: str | None = None
    width: int
    height: int
    """The picture's size in pixels."""
    taken: str | None = None
    """When it was taken, in ISO 8601."""
    camera: str | None = None
    """The camera's model."""
    perceptual_hash: str | None = None
    """Its hash as text, see `hash_picture`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardRecord:
    """A board that was read."""

    edition: str
    """The name of the edition by whose letters it was read."""
    corners_px: Corners = ()
    other_boards: int = 0
    turn_is_guess: bool = False
    bow_cells: float | None = None
    """How far the board's lines are bent, in cells."""
    rows: tuple[tuple[str, ...], ...]
    confidence: tuple[tuple[float, ...], ...] = ()
    """The probability of each square's token."""
    doubts: tuple[SquareDoubt, ...] = ()
    edition_probability: float | None = None
    """The probability of `edition`; None if a person named it."""
    editions: Mapping[str, float] | None = None
    """The probable editions, the most probable first; None if a person named the edition."""
    misread_squares: float = 0.0
    """The expected number of misread squares."""
    alternatives: tuple[SquareTokens, ...] = ()
    cgp: str = ""
    premium_colours: PremiumColours = ()
    quarter_turns: int = 0
    """Counterclockwise quarter turns from the orientation that was found to the one that the photo's game or a person
    gives."""

    @property
    def size(self) -> tuple[int, int]:
        """Number of rows and columns."""
        return len(self.rows), len(self.rows[0])

    @property
    def tiles(self) -> int:
        """Number of tiles."""
        return sum(is_tile(token) for row in self.rows for token in row)

    @property
    def text(self) -> str:
        """The board as lines of text; tokens are separated by spaces if one of them has two letters."""
        is_wide = any(len(token) > 1 for row in self.rows for token in row)
        return "\n".join((" " if is_wide else "").join(row) for row in self.rows)

    def with_tokens(self, tokens: Mapping[Square, str], edition: Edition) -> BoardRecord:
        """Return the board with these tokens, which people gave, on its squares."""
        rows, confidence = list(map(list, self.rows)), list(map(list, self.confidence))
        for (row, column), token in tokens.items():
            rows[row][column], confidence[row][column] = token, 1.0
        return replace(
            self,
            rows=tuple(map(tuple, rows)),
            confidence=tuple(map(tuple, confidence)),
            doubts=tuple(doubt for doubt in self.doubts if doubt.square not in tokens),
            alternatives=tuple(each for each in self.alternatives if each.square not in tokens),
            misread_squares=round(sum(1 - share for row in confidence for share in row), 3),
            cgp=cgp_of(rows, edition),
        )

    def with_edition_shares(self, shares: Mapping[str, float] | None) -> BoardRecord:
        """Return the board with these probabilities of editions; None if a person named its edition."""
        return replace(self, **list_editions_of(shares, self.edition))


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


@dataclass(frozen=True, slots=True, kw_only=True)
class PhotoRecord:
    """A digitised photo."""

    name: str = ""
    """The photo's name; empty in the result store, as several files may hold the same picture."""
    status: PhotoStatus
    message: str | None = None
    """Why there is no board."""
    size_bytes: int | None = None
    """The size of the file; None if it could not be read."""
    picture: PictureRecord | None = None
    """The picture; None if it could not be opened."""
    board: BoardRecord | None = None
    corners_given: bool = False
    corners_by_game: bool = False
    """Whether people or the photo's game gave the corners, which were not found in the picture."""
    tried_corners_px: Corners | None = None
    """Where a board may be that was refused."""
    remarks: tuple[str, ...] = ()
    """What the reader remarked, and why some corrections were not applied."""
    sha256: str | None = None
    """The checksum of the file; None in the result store."""
    no_board: bool = False
    """Whether a person said that there is no board."""
    corrected: tuple[SquareCorrection, ...] | None = None
    """The squares that people corrected; empty if only the edition or the side, None if nothing."""
    output: OutputRecord | None = None
    """Its place in the folder of results; None before it is written."""

    @property
    def taken(self) -> str | None:
        """When the photo was taken, in ISO 8601, if that is known."""
        return self.picture.taken if self.picture is not None else None

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> PhotoRecord:
        """Read a photo's JSON object."""
        parts = {
            "picture": read_fields(PictureRecord, data) if "width" in data else None,
            "board": read_fields(BoardRecord, data) if "rows" in data else None,
            "output": read_fields(OutputRecord, data) if "board" in data else None,
        }
        return read_fields(cls, {**data, **parts, "status": PhotoStatus(data["status"])})

    def to_json(self) -> dict[str, Any]:
        """Return the photo's JSON object."""
        defaults = {**vars_of(PhotoRecord(status=self.status)), "status": None}
        values = {key: each for key, each in vars_of(self).items() if each != defaults[key]}
        for name in ("picture", "board", "output"):
            part = values.pop(name, None)
            values |= vars_of(part) if part is not None else {}
        if self.board is not None:
            values |= {"tiles": self.board.tiles, "text": self.board.text}
            # no tile shows the edition of an empty board, which nobody named
            if self.output is not None and not self.board.tiles and self.board.editions is not None:
                values |= dict.fromkeys(("edition", "edition_probability", "editions"))
            if not self.board.quarter_turns:
                del values["turned_by_game"]
        return values


FIELD_KEYS = {
    "name": "image",
    "size_bytes": "bytes",
    "misread_squares": "doubt",
    "perceptual_hash": "likeness",
    "quarter_turns": "turned_by_game",
}
"""The JSON key of each field that is named otherwise."""
ITEMS = {"doubts": SquareDoubt, "alternatives": SquareTokens, "corrected": SquareCorrection}
"""The values that are lists of JSON objects."""
T = TypeVar("T")


def vars_of(part: Any) -> dict[str, Any]:
    """Return the fields of a record or of a part by their JSON keys."""
    values = {FIELD_KEYS.get(each.name, each.name): getattr(part, each.name) for each in fields(part)}
    return values | {
        key: [item._asdict() for item in values[key]] for key in ITEMS if values.get(key) is not None
    }


def read_fields(cls: type[T], data: Mapping[str, Any]) -> T:
    """Read a record or a part from the JSON object of a photo; fields that it lacks have their defaults."""
    values = {}
    for each in fields(cls):  # type: ignore[arg-type]  # all are dataclasses
        if (key := FIELD_KEYS.get(each.name, each.name)) in data:
            value = data[key]
            if isinstance(value, list):
                value = tuple(tuple(item) if isinstance(item, list) else item for item in value)
            if key in ITEMS and value is not None:
                value = tuple(ITEMS[key](**item | {"square": tuple(item["square"])}) for item in value)
            values[each.name] = value
    return cls(**values)


def board_record(
    reading: BoardObservation, guesses: Sequence[EditionGuess], *, is_named: bool, quarter_turns: int
) -> BoardRecord:
    """Make the record of a board from its reading and its possible editions, first the one by which it was read."""
    edition, decoded = guesses[0].edition, reading.decoded
    shares = None if is_named else {guess.edition.name: guess.probability for guess in guesses}
    return read_fields(
        BoardRecord,
        build_photo_record("", reading, edition, shares)
        | {
            "doubt": round(float((1 - decoded.confidence).sum()), 3),
            "alternatives": [
                {"square": square, "tokens": {c.token: round(c.probability, 4) for c in candidates}}
                for square, candidates in sorted(decoded.alternatives.items())
            ],
            "cgp": cgp_of(decoded.board.rows, edition),
            "premium_colours": measure_premium_colours(reading.rectified, decoded.board, edition.layout),
            "turned_by_game": quarter_turns,
        },
    )


def cgp_of(rows: Sequence[Sequence[str]], edition: Edition) -> str:
    """Format a board in CGP notation."""
    return format_cgp(CgpPosition.of_board(Board.from_rows(rows), edition), edition.tokens)
