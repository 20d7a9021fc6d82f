"""What everybody may look at: tables, their changes, pictures, games and text fields."""

from __future__ import annotations

import time
from typing import Annotated

from fastapi import APIRouter, HTTPException, Path, Request, Response
from fastapi.responses import PlainTextResponse, StreamingResponse

from scoring import GameError, format_gcg
from tilesight.live import FIELDS, text_of
from tilesight.web.context import PICTURE, REFUSALS, STREAM, TEXT, ContextDep, GameDep, picture
from tilesight.web.schemas import Answer, EditionView, TableLine, TableView
from tilesight.web.serializers import edition_view, table_line, table_view

__all__ = ["router"]

router = APIRouter()


@router.get("/api/tables", tags=["tables"])
def list_tables(air: ContextDep) -> list[TableLine]:
    """All tables."""
    return [table_line(channel.table.state) for channel in air.channels.values()]


@router.get("/api/tables/{table}", tags=["tables"], responses=REFUSALS)
def show_table(at: GameDep) -> TableView:
    """A table as it stands: board, players, moves, unseen tiles."""
    return table_view(at.table.state, time.time())


@router.get("/api/tables/{table}/edition", tags=["tables"], responses=REFUSALS)
def show_edition(at: GameDep) -> EditionView:
    """The table's letters, values and board."""
    return edition_view(at.table.state.edition)


@router.get(
    "/api/tables/{table}/events",
    tags=["tables"],
    responses={**REFUSALS, **STREAM},
    response_class=StreamingResponse,
)
async def hear_table(at: GameDep, air: ContextDep, request: Request) -> StreamingResponse:
    """A table's changes as server-sent events."""
    return air.stream(at, request, desk=False)


@router.get(
    "/api/tables/{table}/board.jpg",
    tags=["tables"],
    responses={**REFUSALS, **PICTURE},
    response_class=Response,
)
def show_board_picture(at: GameDep, air: ContextDep) -> Response:
    """The straightened board as the camera sees it."""
    return picture(air.pictures[at.table.state.name].board())


@router.get(
    "/api/tables/{table}/game.gcg",
    tags=["tables"],
    responses={**REFUSALS, **TEXT, 409: {"model": Answer, "description": "The game has no GCG form."}},
    response_class=PlainTextResponse,
)
def download_game(at: GameDep) -> PlainTextResponse:
    """The game so far in GCG."""
    state = at.table.state
    try:
        text = format_gcg(state.shown_game)
    except GameError as error:
        raise HTTPException(409, str(error)) from error
    return PlainTextResponse(
        text, headers={"content-disposition": f'attachment; filename="{state.name}.gcg"'}
    )


@router.get(
    "/obs/{table}/{field}.txt",
    tags=["fields"],
    responses={**REFUSALS, **TEXT},
    response_class=PlainTextResponse,
)
def show_field(at: GameDep, field: Annotated[str, Path(max_length=32)]) -> PlainTextResponse:
    """A text field for streams: score, p1_score, unseen_tiles, last_play, ..."""
    if field not in FIELDS:
        raise HTTPException(404, f"there is no such field; the fields are {', '.join(FIELDS)}")
    return PlainTextResponse(text_of(field, at.table.state, time.time()))
