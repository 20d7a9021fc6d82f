"""The events of a `Game` as JSON values, and back."""

from __future__ import annotations

import dataclasses
from typing import Any

from scoring import (
    ChallengeEvent,
    ClockPenalty,
    EndBonus,
    EndRack,
    Event,
    ExchangeEvent,
    NoPlayEvent,
    PassEvent,
    Play,
    PlayEvent,
    WithdrawnEvent,
)

__all__ = ["event_from_record", "event_to_record"]

_KINDS: dict[str, type[Any]] = {
    kind.kind: kind
    for kind in (
        ChallengeEvent,
        ClockPenalty,
        EndBonus,
        EndRack,
        ExchangeEvent,
        NoPlayEvent,
        PassEvent,
        PlayEvent,
        WithdrawnEvent,
    )
}


def event_to_record(event: Event) -> dict[str, Any]:
    """Return the JSON value of an event; fields with their default are left out."""
    record: dict[str, Any] = {"kind": event.kind}
    for field in dataclasses.fields(event):
        value = getattr(event, field.name)
        if isinstance(value, Play):
            record[field.name] = [[tile.row, tile.column, tile.token] for tile in value]
        elif value != field.default:
            record[field.name] = list(value) if isinstance(value, tuple) else value
    return record


def event_from_record(record: dict[str, Any]) -> Event:
    """Read what `event_to_record` wrote.

    Raises
    ------
    ValueError
        If it is not the record of an event.
    """
    try:
        kind = _KINDS[record["kind"]]
        values = {name: value for name, value in record.items() if name != "kind"}
        if "play" in values:
            values["play"] = Play.of((row, column, token) for row, column, token in values["play"])
            if not all(isinstance(tile.token, str) for tile in values["play"]):
                raise TypeError("a tile is no text")
        event: Event = kind(
            **{name: tuple(value) if isinstance(value, list) else value for name, value in values.items()}
        )
    except (KeyError, TypeError, ValueError) as error:
        raise ValueError(f"{record!r} is no event's record ({error})") from error
    return event
