"""The events of a match: a game begins, a game is archived, a countdown is set."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

__all__ = ["ArchivedEvent", "CountdownEvent", "NewGameEvent", "parse_match_event"]


@dataclass(frozen=True, slots=True, kw_only=True)
class NewGameEvent:
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
    by : str
        ``"desk"`` for an operator's command.
    """

    kind: ClassVar[str] = "new-game"
    number: int
    round: str
    best_of: int | None
    players: tuple[str, ...]
    at_s: float
    by: str = ""

    def to_json(self) -> dict[str, Any]:
        """Return the JSON object."""
        event = {
            "event": self.kind,
            "game": self.number,
            "round": self.round,
            "best_of": self.best_of,
            "players": list(self.players),
            "at_s": self.at_s,
        }
        return event | ({"by": self.by} if self.by else {})


@dataclass(frozen=True, slots=True, kw_only=True)
class ArchivedEvent:
    """A game is over and was archived: the last event of its journal.

    Parameters
    ----------
    event : str
        Title of the event.
    table : str
        Name of the table.
    round : str
        The round of the event.
    number : int
        Number of the game in its match, from 1.
    best_of : int or None
        Games of the match at most.
    totals : mapping of str to int
        Each player's points, in the order of play.
    counted : bool
        Whether the result counts.
    at_s : float
        The moment, in seconds since 1970.
    by : str
        ``"desk"`` for an operator's command.
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
    by: str = ""

    def to_json(self) -> dict[str, Any]:
        """Return the JSON object."""
        event = {
            "event": self.kind,
            "title": self.event,
            "table": self.table,
            "round": self.round,
            "game": self.number,
            "best_of": self.best_of,
            "totals": dict(self.totals),
            "counted": self.counted,
            "at_s": self.at_s,
        }
        return event | ({"by": self.by} if self.by else {})


@dataclass(frozen=True, slots=True, kw_only=True)
class CountdownEvent:
    """The moment to which the start page and the break page count down; None for no countdown."""

    kind: ClassVar[str] = "countdown"
    until_s: float | None
    by: str = ""

    def to_json(self) -> dict[str, Any]:
        """Return the JSON object."""
        return {"event": self.kind, "until_s": self.until_s} | ({"by": self.by} if self.by else {})


def parse_match_event(record: Mapping[str, Any]) -> NewGameEvent | ArchivedEvent | CountdownEvent | None:
    """Read the JSON object of one of these events; None for another event."""
    by = record.get("by", "")
    match record["event"]:
        case NewGameEvent.kind:
            return NewGameEvent(
                number=record["game"],
                round=record["round"],
                best_of=record["best_of"],
                players=tuple(record["players"]),
                at_s=record["at_s"],
                by=by,
            )
        case ArchivedEvent.kind:
            return ArchivedEvent(
                event=record["title"],
                table=record["table"],
                round=record["round"],
                number=record["game"],
                best_of=record["best_of"],
                totals=record["totals"],
                counted=record["counted"],
                at_s=record["at_s"],
                by=by,
            )
        case CountdownEvent.kind:
            return CountdownEvent(until_s=record["until_s"], by=by)
    return None
