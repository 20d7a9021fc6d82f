"""The errors of this package.

::

    ScoringError
    ├── NotationError        text that is not a tile, square, play or layout
    ├── IllegalPlayError     a play that the rules do not allow; `reason` names the rule
    ├── GameError            an impossible game, or an event, player or rack that it does not have
    ├── EditionError         an edition that contradicts itself
    ├── DataFileError        an invalid edition, layout or word list file
    └── UnknownEditionError  no edition has that name; similar names are suggested

All are `ValueError`s. Each message is one line: what is wrong, the value found, and what to do next.
"""

from __future__ import annotations

import difflib
import enum
from collections.abc import Iterable
from pathlib import Path

__all__ = [
    "DataFileError",
    "EditionError",
    "GameError",
    "IllegalPlayError",
    "NotationError",
    "PlayRule",
    "ScoringError",
    "UnknownEditionError",
    "near_names",
    "similar_names",
]


class ScoringError(ValueError):
    """The root of this package's errors."""


class EditionError(ScoringError):
    """An edition that contradicts itself."""


class NotationError(ScoringError):
    """Text that cannot be read as tiles, a square, a play or a layout."""


class PlayRule(enum.Enum):
    """The rule that a play breaks; the value is a short text for people."""

    NO_TILES = "no tiles"
    OFF_BOARD = "off the board"
    SQUARE_TWICE = "two tiles on one square"
    OCCUPIED = "square not free"
    COVERED = "next to a square that cannot be seen"
    UNKNOWN_TILE = "no such tile"
    TOO_MANY_TILES = "more tiles than a rack holds"
    NOT_IN_BAG = "more of a tile than the bag has"
    NOT_ONE_LINE = "not in one line"
    GAP = "gap in the line"
    START_NOT_COVERED = "first word misses the start square"
    FIRST_WORD_TOO_SHORT = "first word too short"
    NOT_TOUCHING = "touches no tile"
    LEAVES_FLOATING = "tiles taken away leave others unconnected"

    def __repr__(self) -> str:
        return f"PlayRule.{self.name}"


class IllegalPlayError(ScoringError):
    """A play that the rules do not allow.

    Parameters
    ----------
    reason : PlayRule
        The rule that it breaks.
    message : str
        The problem in words, with the squares and tiles found.
    """

    def __init__(self, reason: PlayRule, message: str) -> None:
        super().__init__(reason, message)
        self.reason = reason
        self.message = message

    def __str__(self) -> str:
        return self.message


class GameError(ScoringError):
    """An impossible game, or an event, a player or a rack that the game does not have."""


class DataFileError(ScoringError):
    """An invalid data file.

    Parameters
    ----------
    file : str or Path
        The file name as the user gave it.
    line : int or None
        Line number, from 1; None if the problem concerns the complete file.
    problem : str
        What is wrong, and what to write instead.
    """

    def __init__(self, file: str | Path, line: int | None, problem: str) -> None:
        super().__init__(str(file), line, problem)
        self.file = str(file)
        self.line = line
        self.problem = problem

    def __str__(self) -> str:
        where = self.file if self.line is None else f"{self.file}, line {self.line}"
        return f"{where}: {self.problem}"


class UnknownEditionError(ScoringError):
    """No edition has the requested name.

    Parameters
    ----------
    name : str
        The requested name.
    known : iterable of str
        The existing names; similar ones are suggested.
    """

    def __init__(self, name: str, known: Iterable[str]) -> None:
        self.name = name
        self.known = tuple(sorted(known))
        super().__init__(name, self.known)
        self.suggestions = similar_names(name, self.known)

    def __str__(self) -> str:
        hint = near_names(self.name, self.known)
        return f"edition {self.name!r} is neither a shipped edition nor a file; {hint}"


def near_names(name: str, known: Iterable[str]) -> str:
    """Return a hint with the similar names, or with all names if none is similar."""
    names = tuple(sorted(known))
    near = similar_names(name, names)
    return f"did you mean {' or '.join(near)}?" if near else f"known: {', '.join(names)}"


def similar_names(name: str, known: Iterable[str]) -> tuple[str, ...]:
    """Return up to three names that are similar to `name`, the most similar first."""
    return tuple(difflib.get_close_matches(name.lower(), tuple(known), n=3, cutoff=0.75))
