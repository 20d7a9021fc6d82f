"""The record of a digitised photo: all that is needed to find, check and correct its board.

`PhotoRecord.to_json` writes the lines of ``photos.jsonl`` and the records of the result store, `PhotoRecord.from_json`
reads them. A part that a photo does not have is None, and its keys are missing in the JSON object.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from scoring import Board, CgpPosition, Edition, format_cgp
from tilesight.output import photo_record
from vision.core import Square
from vision.decoding import EditionGuess
from vision.observation import BoardObservation

__all__ = [
    "BoardRecord",
    "Corners",
    "CornersSource",
    "OutputRecord",
    "PhotoRecord",
    "PhotoStatus",
    "PictureRecord",
    "SquareAlternatives",
    "SquareCorrection",
    "SquareDoubt",
    "board_record",
    "cgp_of",
]

MIN_EDITION_PROBABILITY = 0.001
"""Editions with a smaller probability are not recorded (chosen)."""

Corners = tuple[tuple[float, float], ...]
"""Four corners of a grid, TL TR BR BL as its letters read, each (x, y) in pixels of the photo."""


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
class SquareDoubt:
    """A square that may have been misread, and why."""

    square: Square
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SquareAlternatives:
    """The tokens that a square may hold, with their probabilities, the most probable first."""

    square: Square
    tokens: Mapping[str, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class SquareCorrection:
    """A square that a person corrected: the token that was read and the one that is right."""

    square: Square
    was: str
    now: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PictureRecord:
    """What is known of a picture that could be opened, whatever it shows.

    Parameters
    ----------
    format : str or None
        The file format.
    width, height : int
        The picture's size in pixels.
    taken : str or None
        When it was taken, in ISO 8601.
    camera : str or None
        The camera's model.
    perceptual_hash : str or None
        Its hash as text, see `perceptual_hash`; the JSON key is ``likeness``.
    """

    format: str | None
    width: int
    height: int
    taken: str | None
    camera: str | None
    perceptual_hash: str | None

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> PictureRecord | None:
        """Read the picture's keys of a photo's JSON object; None if there are none."""
        if "width" not in data:
            return None
        return cls(
            format=data.get("format"),
            width=data["width"],
            height=data["height"],
            taken=data.get("taken"),
            camera=data.get("camera"),
            perceptual_hash=data.get("likeness"),
        )

    def to_json(self) -> dict[str, Any]:
        """Return the picture's keys of a photo's JSON object."""
        return {
            "format": self.format,
            "width": self.width,
            "height": self.height,
            "taken": self.taken,
            "camera": self.camera,
            "likeness": self.perceptual_hash,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardRecord:
    """A board that was read.

    Parameters
    ----------
    edition : str
        The name of the edition by whose letters it was read.
    corners_px : Corners
        The grid's outer corners in the photo.
    other_boards : int
        The number of other boards in view.
    turn_is_guess : bool
        Whether the orientation is a guess.
    bow_cells : float or None
        How far the board's lines are bent, in cells.
    rows : tuple of tuple of str
        The token of each square.
    confidence : tuple of tuple of float
        The probability of each square's token.
    doubts : tuple of SquareDoubt
        Squares to check.
    edition_probability : float or None
        The probability of `edition`; None if a person named it.
    editions : mapping of str to float or None
        The probable editions, the most probable first; None if a person named the edition.
    misread_squares : float
        The expected number of misread squares; the JSON key is ``doubt``.
    alternatives : tuple of SquareAlternatives
        What uncertain squares may hold.
    cgp : str
        The position in CGP notation.
    square_colours : str or None
        The median colour of each square as text, see `square_colours`; it is not in ``photos.jsonl``.
    quarter_turns : int
        Counterclockwise quarter turns from the orientation that was found to the one that the photo's game or a
        person gives; the JSON key is ``turned_by_game``.
    """

    edition: str
    corners_px: Corners
    other_boards: int = 0
    turn_is_guess: bool = False
    bow_cells: float | None = None
    rows: tuple[tuple[str, ...], ...]
    confidence: tuple[tuple[float, ...], ...] = ()
    doubts: tuple[SquareDoubt, ...] = ()
    edition_probability: float | None = None
    editions: Mapping[str, float] | None = None
    misread_squares: float = 0.0
    alternatives: tuple[SquareAlternatives, ...] = ()
    cgp: str = ""
    square_colours: str | None = None
    quarter_turns: int = 0

    @property
    def size(self) -> tuple[int, int]:
        """Number of rows and columns."""
        return len(self.rows), len(self.rows[0])

    @property
    def tiles(self) -> int:
        """Number of tiles."""
        return sum(1 for _ in Board.from_rows(self.rows).tiles())

    @property
    def text(self) -> str:
        """The board as lines of text; tokens are separated by spaces if one of them has two letters."""
        is_wide = any(len(token) > 1 for row in self.rows for token in row)
        return "\n".join((" " if is_wide else "").join(row) for row in self.rows)

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> BoardRecord | None:
        """Read the board's keys of a photo's JSON object; None if there are none."""
        if "rows" not in data:
            return None
        return cls(
            edition=data["edition"],
            corners_px=corners_from_json(data.get("corners_px", ())),
            other_boards=data.get("other_boards", 0),
            turn_is_guess=data.get("turn_is_guess", False),
            bow_cells=data.get("bow_cells"),
            rows=tuple(map(tuple, data["rows"])),
            confidence=tuple(map(tuple, data.get("confidence", ()))),
            doubts=tuple(
                SquareDoubt(square=square_from_json(doubt), reason=doubt["reason"])
                for doubt in data.get("doubts", ())
            ),
            edition_probability=data.get("edition_probability"),
            editions=data.get("editions"),
            misread_squares=data.get("doubt", 0.0),
            alternatives=tuple(
                SquareAlternatives(square=square_from_json(other), tokens=other["tokens"])
                for other in data.get("alternatives", ())
            ),
            cgp=data.get("cgp", ""),
            square_colours=data.get("square_colours"),
            quarter_turns=data.get("turned_by_game", 0),
        )

    def to_json(self) -> dict[str, Any]:
        """Return the board's keys of a photo's JSON object, but for those that follow the picture's."""
        return {
            "edition": self.edition,
            "corners_px": list(map(list, self.corners_px)),
            "other_boards": self.other_boards,
            "turn_is_guess": self.turn_is_guess,
            "bow_cells": self.bow_cells,
            "rows": list(map(list, self.rows)),
            "confidence": list(map(list, self.confidence)),
            "doubts": [{"square": list(doubt.square), "reason": doubt.reason} for doubt in self.doubts],
            "edition_probability": self.edition_probability,
            "editions": dict(self.editions) if self.editions is not None else None,
            "tiles": self.tiles,
            "doubt": self.misread_squares,
            "alternatives": [
                {"square": list(other.square), "tokens": dict(other.tokens)} for other in self.alternatives
            ],
            "cgp": self.cgp,
            "text": self.text,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class OutputRecord:
    """A photo's place in the folder of results.

    Parameters
    ----------
    board, thumbnail : str or None
        The files with the straightened board and the small picture, relative to the folder.
    same_as, nearly_same_as : str or None
        The name of the first photo with the same bytes, or with nearly the same picture.
    game : str or None
        The name of the photo's game.
    turn : int or None
        The photo's number among those of its game, counted from 1.
    """

    board: str | None = None
    thumbnail: str | None = None
    same_as: str | None = None
    nearly_same_as: str | None = None
    game: str | None = None
    turn: int | None = None

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> OutputRecord:
        """Read these keys of a photo's JSON object."""
        return cls(**{name: data.get(name) for name in cls.__dataclass_fields__})

    def to_json(self) -> dict[str, Any]:
        """Return these keys of a photo's JSON object."""
        return {name: getattr(self, name) for name in self.__dataclass_fields__}


@dataclass(frozen=True, slots=True, kw_only=True)
class PhotoRecord:
    """A digitised photo.

    Parameters
    ----------
    status : PhotoStatus
        Whether its board was read.
    name : str
        The photo's name; empty in the result store, as several files may hold the same picture.
    message : str or None
        Why there is no board.
    size_bytes : int or None
        The size of the file; None if it could not be read.
    picture : PictureRecord or None
        The picture; None if it could not be opened.
    board : BoardRecord or None
        The board; None if there is none.
    corners_source : CornersSource or None
        Who gave the corners; None if the board was looked for.
    tried_corners_px : Corners or None
        Where a board may be that was refused.
    remarks : tuple of str
        What the reader remarked.
    sha256 : str or None
        The checksum of the file; None in the result store.
    no_board : bool
        Whether a person said that there is no board.
    corrected : tuple of SquareCorrection or None
        The squares that people corrected; None if nobody corrected any.
    correction_remarks : tuple of str
        Why some corrections were not applied.
    output : OutputRecord or None
        Its place in the folder of results; None before it is written.
    """

    status: PhotoStatus
    name: str = ""
    message: str | None = None
    size_bytes: int | None = None
    picture: PictureRecord | None = None
    board: BoardRecord | None = None
    corners_source: CornersSource | None = None
    tried_corners_px: Corners | None = None
    remarks: tuple[str, ...] = ()
    sha256: str | None = None
    no_board: bool = False
    corrected: tuple[SquareCorrection, ...] | None = None
    correction_remarks: tuple[str, ...] = ()
    output: OutputRecord | None = None

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
            corrected=tuple(
                SquareCorrection(square=square_from_json(each), was=each["was"], now=each["now"])
                for each in corrected
            )
            if corrected is not None
            else None,
            output=OutputRecord.from_json(data) if "board" in data else None,
        )

    def to_json(self) -> dict[str, Any]:
        """Return the photo's JSON object; the keys have a fixed order."""
        data: dict[str, Any] = {"image": self.name} if self.name else {}
        data["status"] = str(self.status)
        if self.message is not None:
            data["message"] = self.message
        if self.board is not None:
            data |= self.board.to_json()
        if self.size_bytes is not None:
            data["bytes"] = self.size_bytes
        if self.picture is not None:
            data |= self.picture.to_json()
        if self.board is not None and self.board.square_colours is not None:
            data["square_colours"] = self.board.square_colours
        if self.board is not None and self.board.quarter_turns:
            data["turned_by_game"] = self.board.quarter_turns
        if self.corners_source is not None:
            data[str(self.corners_source)] = True
        if self.tried_corners_px is not None:
            data["tried_corners_px"] = list(map(list, self.tried_corners_px))
        if self.remarks:
            data["remarks"] = list(self.all_remarks)
        if self.sha256 is not None:
            data["sha256"] = self.sha256
        if self.no_board:
            data["no_board"] = True
        if self.corrected is not None:
            data["corrected"] = [
                {"square": list(each.square), "was": each.was, "now": each.now} for each in self.corrected
            ]
        if self.correction_remarks and not self.remarks:
            data["remarks"] = list(self.correction_remarks)
        if self.output is not None:
            data |= self.output.to_json()
        return data


def board_record(
    reading: BoardObservation, guesses: Sequence[EditionGuess], *, is_named: bool
) -> BoardRecord:
    """Make the record of a board from its reading.

    Parameters
    ----------
    reading : BoardObservation
        What was read.
    guesses : sequence of EditionGuess
        The possible editions, first the one by which the board was read.
    is_named : bool
        Whether a person named the edition.
    """
    best, decoded = guesses[0], reading.decoded
    editions = {
        guess.edition.name: round(guess.probability, 4)
        for guess in guesses
        if guess.probability >= MIN_EDITION_PROBABILITY
    }
    record = BoardRecord.from_json(
        photo_record("", reading, best.edition)
        | {
            "edition_probability": None if is_named else round(best.probability, 4),
            "editions": None if is_named else editions,
            "doubt": round(float((1 - decoded.confidence).sum()), 3),
            "alternatives": [
                {"square": square, "tokens": {c.token: round(c.probability, 4) for c in candidates}}
                for square, candidates in sorted(decoded.alternatives.items())
            ],
            "cgp": cgp_of(decoded.board.rows, best.edition),
        }
    )
    assert record is not None  # a reading always has a board
    return record


def cgp_of(rows: Sequence[Sequence[str]], edition: Edition) -> str:
    """Format a board in CGP notation."""
    return format_cgp(CgpPosition.of_board(Board.from_rows(rows), edition), edition.tokens)


def square_from_json(data: Mapping[str, Any]) -> Square:
    """Read the square of a JSON object."""
    row, column = data["square"]
    return int(row), int(column)


def corners_from_json(data: Sequence[Sequence[float]]) -> Corners:
    """Read corners from a JSON array."""
    return tuple((x, y) for x, y in data)
