"""The public endpoints of an event: its standings, and all tables for the hall."""

from __future__ import annotations

import time

from fastapi import APIRouter

from tilesight.live import describe_step
from tilesight.web.context import AppContext, ContextDep
from tilesight.web.schemas import EventView, HallPlayer, HallTable, StandingView
from tilesight.web.serializers import format_ending, serialize_clock, serialize_match
from tilesight.web.sse import GameStream

__all__ = ["router"]

router = APIRouter(prefix="/api/event", tags=["event"])


@router.get("")
def show_event(context: ContextDep) -> EventView:
    """The event: title, round, when it starts, and the standings."""
    return _serialize_event(context)


@router.get("/tables")
def list_hall_tables(context: ContextDep) -> list[HallTable]:
    """All tables with scores, clocks and last plays, for the page of the hall."""
    return [_serialize_table(stream) for stream in context.streams.values()]


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


def _serialize_table(stream: GameStream) -> HallTable:
    state, now_s = stream.shown.state, stream.shown.now_s
    game, clocks = state.shown_game, state.clocks(now_s)
    won, unseen = state.match.games_won(game), state.game.unseen()
    texts = (describe_step(step, game) for step in reversed(game.steps))
    return HallTable(
        table=state.name,
        title=state.title,
        match=serialize_match(state),
        players=[
            HallPlayer(
                name=name,
                total=game.totals[player],
                won=won[player],
                on_turn=player == game.turn and game.ending is None,
                clock=serialize_clock(clocks, player),
                flag=state.match.players[player].flag if state.match.players else "",
            )
            for player, name in enumerate(game.players)
        ],
        last=next(filter(None, texts), ""),
        over=format_ending(game),
        watching=state.watching,
        unseen=sum(unseen.values()) if unseen is not None else None,
        now_s=round(now_s, 3),
    )
