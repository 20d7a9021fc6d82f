"""Convert game updates and notices to events."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from scoring import Game
from tilesight.output.events import (
    AlternativePlays,
    PlayRecord,
    UpdateEvent,
    list_placements,
    list_problems,
    list_totals,
    name_ending,
)
from vision.core import escape_name
from vision.game_events import GameUpdate, Notice, UpdateKind

__all__ = ["build_end_event", "format_event", "to_event"]

WITHOUT_TOTALS = frozenset({UpdateKind.PLAY, UpdateKind.WITHDRAWN, UpdateKind.NO_PLAY})
"""Kinds that change one player's points only, so that their events do not repeat everybody's totals."""


def to_event(item: GameUpdate | Notice, source: str, frame: int, time_s: float | None = None) -> UpdateEvent:
    """Build the event of an update or a notice.

    Parameters
    ----------
    item : GameUpdate or Notice
        What is reported.
    source : str
        File name of the picture that showed it; empty for a command.
    frame : int
        Index of the frame, from 0; -1 for a command.
    time_s : float, optional
        Seconds since the start of the video; None where pictures carry no time.
    """
    event = UpdateEvent(
        kind=item.kind.value,
        message=escape_name(item.message),  # it may name a file, too
        source=escape_name(source),
        frame=frame,
        time_s=time_s,
    )
    return _with_update(event, item) if isinstance(item, GameUpdate) else event


def _with_update(event: UpdateEvent, update: GameUpdate) -> UpdateEvent:
    game, step = update.game, update.step
    event = replace(
        event,
        confidence=round(update.confidence, 4),
        alternatives=tuple(AlternativePlays.of(each) for each in update.alternatives),
        problems=tuple(problem.message for problem in list_problems(update)),
        is_provisional=update.is_provisional,
        replaced=list_placements(update.replaces) if update.replaces is not None else (),
    )
    if update.renamed is not None:
        former, name = update.renamed
        return replace(event, player=name, was=former, now=name, totals=list_totals(game))
    if update.correction is not None:
        was, now = update.correction
        event = replace(event, square=(now.row, now.column), was=was.token, now=now.token)
    if step is None:
        return replace(event, totals=list_totals(game))
    return replace(
        event,
        player=game.players[step.event.player],
        play=PlayRecord.of(step.scored) if step.scored is not None else None,
        # An event that is removed from the record gives its points back.
        score=-step.score if update.kind is UpdateKind.UNDONE else step.score,
        total=game.totals[step.event.player],
        totals=list_totals(game) if update.kind not in WITHOUT_TOTALS else None,
    )


def format_event(
    item: GameUpdate | Notice, source: str, frame: int, time_s: float | None = None
) -> dict[str, Any]:
    """Return the JSON object of an update or a notice; the arguments are those of `to_event`."""
    return to_event(item, source, frame, time_s).to_json()


def build_end_event(game: Game) -> dict[str, Any]:
    """Return the last JSON object of a game: totals, why it is over, and the final board."""
    rows = [list(row) for row in game.board.rows]
    return {"event": "end", "totals": list_totals(game), "ending": name_ending(game), "rows": rows}
