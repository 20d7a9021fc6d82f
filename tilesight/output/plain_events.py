"""The events that are no updates of a game: the fields of each are those of its JSON object, in the same order."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, Field, dataclass, fields
from typing import Any, ClassVar, Self, get_args

from scoring import Square

__all__ = [
    "BY_CAMERA",
    "BY_OPERATOR",
    "ArchivedEvent",
    "ClocksEvent",
    "ConfirmedEvent",
    "CountdownEvent",
    "NewGameEvent",
    "PlainEvent",
    "RackEvent",
    "TitleEvent",
    "parse_plain_event",
]

BY_OPERATOR, BY_CAMERA = "desk", "camera"
"""Who is the author of an event: the operator by a command, or the camera that saw a rack."""
JSON_KEYS = {"number": "game", "event": "title"}
"""The JSON key of each field that is named otherwise."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Event:
    """An event; `by` is `BY_OPERATOR`, `BY_CAMERA`, or empty."""

    kind: ClassVar[str]
    by: str = ""

    def to_json(self) -> dict[str, Any]:
        """Return the JSON object."""
        event: dict[str, Any] = {"event": self.kind}
        for each in self._fields():
            value = getattr(self, each.name)
            if value != each.default:
                event[JSON_KEYS.get(each.name, each.name)] = thaw(value)
        return event

    @classmethod
    def from_json(cls, record: Mapping[str, Any]) -> Self:
        """Read what `to_json` wrote; KeyError if a field without a default is missing."""
        values = {}
        for each in cls._fields():
            key = JSON_KEYS.get(each.name, each.name)
            if each.default is MISSING or key in record:
                values[each.name] = freeze(record[key])
        return cls(**values)

    @classmethod
    def _fields(cls) -> list[Field[Any]]:
        """List the fields, `by` last."""
        return sorted(fields(cls), key=lambda each: each.name == "by")


@dataclass(frozen=True, slots=True, kw_only=True)
class ClocksEvent(_Event):
    """The clocks at a moment.

    Parameters
    ----------
    left_s : tuple of float
        Seconds that each player has left.
    running : int or None
        Index of the player whose clock runs.
    at_s : float
        The moment, in seconds since 1970.
    """

    kind: ClassVar[str] = "clocks"
    left_s: tuple[float, ...]
    running: int | None
    at_s: float


@dataclass(frozen=True, slots=True, kw_only=True)
class RackEvent(_Event):
    """The tiles on a player's rack, given by the name; empty if they are not known. Times are seconds since 1970."""

    kind: ClassVar[str] = "rack"
    player: str
    tiles: tuple[str, ...]
    at_s: float


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfirmedEvent(_Event):
    """What an operator confirmed.

    Parameters
    ----------
    squares : tuple of Square
        The squares; empty for all that were uncertain, and the question.
    question : bool
        Whether only the question was answered.
    """

    kind: ClassVar[str] = "confirmed"
    squares: tuple[Square, ...]
    question: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class TitleEvent(_Event):
    """A new title for viewers."""

    kind: ClassVar[str] = "title"
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class NewGameEvent(_Event):
    """The next game of a table begins.

    Parameters
    ----------
    number : int
        Number of the game in its match, from 1.
    round : str
        The round of the event.
    best_of : int or None
        Games of the match at most.
    players : tuple of str
        The names in the order of play.
    at_s : float
        The moment, in seconds since 1970.
    """

    kind: ClassVar[str] = "new-game"
    number: int
    round: str
    best_of: int | None
    players: tuple[str, ...]
    at_s: float


@dataclass(frozen=True, slots=True, kw_only=True)
class ArchivedEvent(_Event):
    """A game is over and was archived: the last event of its journal.

    Parameters
    ----------
    event : str
        Title of the event.
    table : str
        Name of the table.
    round, number, best_of, at_s
        As of `NewGameEvent`.
    totals : mapping of str to int
        Each player's points, in the order of play.
    counted : bool
        Whether the result counts.
    """

    kind: ClassVar[str] = "archived"
    event: str
    table: str
    round: str
    number: int
    best_of: int | None
    totals: Mapping[str, int]
    counted: bool
    at_s: float


@dataclass(frozen=True, slots=True, kw_only=True)
class CountdownEvent(_Event):
    """The moment to which the start page and the break page count down; None for no countdown."""

    kind: ClassVar[str] = "countdown"
    until_s: float | None


PlainEvent = (
    ClocksEvent | RackEvent | ConfirmedEvent | TitleEvent | NewGameEvent | ArchivedEvent | CountdownEvent
)
_KINDS: Mapping[str, type[PlainEvent]] = {each.kind: each for each in get_args(PlainEvent)}


def parse_plain_event(record: Mapping[str, Any]) -> PlainEvent | None:
    """Read the JSON object of one of these events; None for another event, KeyError if a field is missing."""
    kind = _KINDS.get(record["event"])
    return None if kind is None else kind.from_json(record)


def thaw(value: Any) -> Any:
    """Return a value as JSON has it, with lists for tuples."""
    if isinstance(value, Mapping):
        return dict(value)
    return [thaw(each) for each in value] if isinstance(value, tuple) else value


def freeze(value: Any) -> Any:
    """Return a value of JSON with tuples for lists."""
    return tuple(map(freeze, value)) if isinstance(value, list | tuple) else value
