"""The public endpoints of an event: its standings, and all tables for the hall."""

from __future__ import annotations

import time

from fastapi import APIRouter

from tilesight.web.context import AppContext, ContextDep
from tilesight.web.schemas import EventView, HallTable, StandingView

__all__ = ["router"]

router = APIRouter(prefix="/api/event", tags=["event"])


@router.get("")
def show_event(context: ContextDep) -> EventView:
    """The event: title, round, when it starts, and the standings."""
    return _serialize_event(context)


@router.get("/tables")
def list_hall_tables(context: ContextDep) -> list[HallTable]:
    """All tables with scores, clocks and last plays, for the page of the hall."""
    return [table.hall() for table in context.tables]


def _serialize_event(context: AppContext) -> EventView:
    tournament, now_s = context.tournament, round(time.time(), 3)
    if tournament is None:
        return EventView(title="", round="", starts_s=None, now_s=now_s, standings=[])
    event = tournament.event
    lines = []
    for line in tournament.standings:
        player = event.player(line.name)
        lines.append(
            StandingView(
                place=line.place,
                name=line.name,
                games=line.games,
                wins=line.wins,
                spread=line.spread,
                points=line.points,
                rating=player.rating,
                club=player.club,
                flag=player.flag,
            )
        )
    return EventView(
        title=event.title, round=event.default.round, starts_s=event.starts_s, now_s=now_s, standings=lines
    )
