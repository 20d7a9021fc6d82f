"""The public endpoints of an event: its standings, and all tables for the hall."""

from __future__ import annotations

import time

from fastapi import APIRouter

from tilesight.web.routes.dependencies import ContextDep, OpenToAll
from tilesight.web.schemas import EventView, HallTable
from tilesight.web.serializers import serialize_tournament

__all__ = ["router"]

router = APIRouter(prefix="/api/event", tags=["event"], dependencies=[OpenToAll])


@router.get("")
def show_event(context: ContextDep) -> EventView:
    """The event: title, round, when it starts, and the standings; on a hub, those of all machines together."""
    if context.remote is not None:
        return context.remote.event()
    return serialize_tournament(context.tournament, time.time())


@router.get("/tables")
def list_hall_tables(context: ContextDep) -> list[HallTable]:
    """All tables with scores, clocks and last plays, for the page of the hall."""
    return [table.hall() for table in context.tables]
