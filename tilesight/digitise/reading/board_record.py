"""The record of a board that was read in a photo: what each square holds, how probable that is, and the edition."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from scoring import Board, CgpPosition, Edition, format_cgp
from tilesight.digitise.reading.square_colours import format_colours, measure_square_colours
from tilesight.output import build_photo_record
from vision.core import Square
from vision.decoding import EditionGuess
from vision.observation import BoardObservation

__all__ = [
    "MIN_EDITION_PROBABILITY",
    "MIN_SURE_SHARE",
    "BoardRecord",
    "Corners",
    "SquareDoubt",
    "board_record",
    "cgp_of",
    "corners_from_json",
    "square_from_json",
]

MIN_EDITION_PROBABILITY = 0.001
"""Editions with a smaller probability are not recorded (chosen)."""
MIN_SURE_SHARE = 0.8
"""Squares with a smaller probability are to be checked. Of 900 photos of 60 rendered games, 262 squares are then marked
and 50 wrong, photo by photo; with 0.98 and all reasons of the reader 1,210 and 86."""

Corners = tuple[tuple[float, float], ...]
"""Four corners of a grid, TL TR BR BL as its letters read, each (x, y) in pixels of the photo."""


class SquareDoubt(NamedTuple):
    """A square that may have been misread, and why; there may be several reasons."""

    square: Square
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardRecord:
    """A board that was read."""

    edition: str
    """The name of the edition by whose letters it was read."""
    corners_px: Corners
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
    """The expected number of misread squares; the JSON key is ``doubt``."""
    alternatives: Mapping[Square, Mapping[str, float]] = field(default_factory=dict)
    """The tokens that uncertain squares may hold, with their probabilities, the most probable first."""
    cgp: str = ""
    square_colours: str | None = None
    """The median colour of each square as text, see `square_colours`; it is not in ``photos.jsonl``."""
    quarter_turns: int = 0
    """Counterclockwise quarter turns from the orientation that was found to the one that the photo's game or a person
    gives; the JSON key is ``turned_by_game``."""

    @property
    def size(self) -> tuple[int, int]:
        """Number of rows and columns."""
        return len(self.rows), len(self.rows[0])

    @property
    def tiles(self) -> int:
        """Number of tiles."""
        return sum(1 for _ in Board.from_rows(self.rows).tiles())

    @property
    def known_edition(self) -> str | None:
        """The edition; None of an empty board whose edition nobody named, since no tile shows it."""
        return self.edition if self.tiles or self.editions is None else None

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
                SquareDoubt(square_from_json(doubt), doubt["reason"]) for doubt in data.get("doubts", ())
            ),
            edition_probability=data.get("edition_probability"),
            editions=data.get("editions"),
            misread_squares=data.get("doubt", 0.0),
            alternatives={square_from_json(other): other["tokens"] for other in data.get("alternatives", ())},
            cgp=data.get("cgp", ""),
            square_colours=data.get("square_colours"),
            quarter_turns=data.get("turned_by_game", 0),
        )

    def to_json(self) -> dict[str, Any]:
        """Return the board's keys of a photo's JSON object, but for the two that follow the picture's."""
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
                {"square": list(square), "tokens": dict(tokens)}
                for square, tokens in self.alternatives.items()
            ],
            "cgp": self.cgp,
            "text": self.text,
        }


def board_record(
    reading: BoardObservation, guesses: Sequence[EditionGuess], *, is_named: bool, quarter_turns: int
) -> BoardRecord:
    """Make the record of a board from its reading and its possible editions, first the one by which it was read."""
    best, decoded = guesses[0], reading.decoded
    editions = {
        guess.edition.name: round(guess.probability, 4)
        for guess in guesses
        if guess.probability >= MIN_EDITION_PROBABILITY
    }
    record = BoardRecord.from_json(
        build_photo_record("", reading, best.edition)
        | {
            "edition_probability": None if is_named else round(best.probability, 4),
            "editions": None if is_named else editions,
            "doubt": round(float((1 - decoded.confidence).sum()), 3),
            "alternatives": [
                {"square": square, "tokens": {c.token: round(c.probability, 4) for c in candidates}}
                for square, candidates in sorted(decoded.alternatives.items())
            ],
            "cgp": cgp_of(decoded.board.rows, best.edition),
            "square_colours": format_colours(measure_square_colours(reading.rectified)),
            "turned_by_game": quarter_turns,
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
