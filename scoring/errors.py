"""What can go wrong with rules, notation and data files.

::

    ScoringError
    ├── NotationError               a text that cannot be read as tiles, a square, a play or a layout
    │   └── AmbiguousNotationError  a text that can be read in more than one way
    ├── IllegalPlayError            a play that the rules refuse; `reason` says which rule
    ├── GameError                   a game that cannot be, or an event or rack that it does not have
    ├── EditionError                an edition, layout or word list file that makes no sense
    └── UnknownEditionError         no edition of that name; near names are suggested

Each message says what is wrong, the value that was seen, and what to do next, in one line.
"""

from __future__ import annotations

import difflib
import enum
from collections.abc import Iterable
from pathlib import Path

__all__ = [
    "AmbiguousNotationError",
    "EditionError",
    "GameError",
    "IllegalPlayError",
    "NotationError",
    "Refusal",
    "ScoringError",
    "UnknownEditionError",
    "near_names",
]


class ScoringError(Exception):
    """The root of this package's errors."""


class NotationError(ScoringError):
    """A text that cannot be read as tiles, a square, a play or a layout."""


class AmbiguousNotationError(NotationError):
    """A text that can be read in more than one way."""


class Refusal(enum.Enum):
    """Which rule a play breaks."""

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


class IllegalPlayError(ScoringError):
    """A play that the rules refuse.

    Parameters
    ----------
    reason : Refusal
        Which rule it breaks.
    message : str
        The same for people, with the squares and tiles that were seen.
    """

    def __init__(self, reason: Refusal, message: str) -> None:
        super().__init__(reason, message)
        self.reason = reason
        self.message = message

    def __str__(self) -> str:
        return self.message


class GameError(ScoringError):
    """A game that cannot be, or an event, a player or a rack that it does not have."""


class EditionError(ScoringError):
    """A data file that makes no sense.

    Parameters
    ----------
    file : str or Path
        The file as the user knows it.
    line : int or None
        The line, counted from 1; None where the file as a whole is meant.
    problem : str
        What is wrong and what to write instead.
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
    """No edition of that name.

    Parameters
    ----------
    name : str
        The name that was asked for.
    known : iterable of str
        The names that exist, from which near ones are suggested.
    """

    def __init__(self, name: str, known: Iterable[str]) -> None:
        self.name = name
        self.known = tuple(sorted(known))
        super().__init__(name, self.known)
        self.suggestions = _near(name, self.known)

    def __str__(self) -> str:
        hint = near_names(self.name, self.known)
        return f"edition {self.name!r} is neither a shipped edition nor a file; {hint}"


def near_names(name: str, known: Iterable[str]) -> str:
    """A hint which of the known names was meant, or all of them where none is near."""
    names = tuple(sorted(known))
    near = _near(name, names)
    return f"did you mean {' or '.join(near)}?" if near else f"known: {', '.join(names)}"


def _near(name: str, known: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(difflib.get_close_matches(name.lower(), known, n=3, cutoff=0.5))
