"""The public endpoints: tables, their changes, pictures, games and text fields."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, HTTPException, Path, Request, Response
from fastapi.responses import PlainTextResponse

from scoring import GameError
from tilesight.live import FIELDS
from tilesight.web.context import EventStream
from tilesight.web.routes.dependencies import ContextDep, GameDep, OpenToAll, TableDep, answer_picture
from tilesight.web.routes.responses import ANSWER_CONTENT, PICTURE, REFUSALS, STREAM
from tilesight.web.schemas import EditionView, Model, TableLine, TableView

__all__ = ["router"]

router = APIRouter(dependencies=[OpenToAll])


class PlaceView(Model):
    """What this server offers: photos, tables of its own, those of other machines.

    `problem` says why nothing new comes from other machines, and `away` names tables whose machines are not connected.
    """

    photos: bool
    tables: bool
    hub: bool
    problem: str
    away: list[str]


@router.get("/api/place", tags=["tables"])
def show_place(context: ContextDep) -> PlaceView:
    """What this server offers."""
    return PlaceView(
        photos=context.photos is not None,
        tables=bool(context.streams),
        hub=context.remote is not None,
        problem=context.remote.problem if context.remote is not None else "",
        away=context.remote.away if context.remote is not None else [],
    )


@router.get("/api/tables", tags=["tables"])
def list_tables(context: ContextDep) -> list[TableLine]:
    """All tables."""
    return [table.line() for table in context.tables]


@router.get("/api/tables/{table}", tags=["tables"], responses=REFUSALS)
def show_table(shown: TableDep) -> TableView:
    """A table now: board, players, moves, unseen tiles."""
    return shown.view()


@router.get("/api/tables/{table}/edition", tags=["tables"], responses=REFUSALS)
def show_edition(shown: TableDep) -> EditionView:
    """The table's letters, values and board."""
    return shown.edition()


@router.get(
    "/api/tables/{table}/events",
    tags=["tables"],
    responses={**REFUSALS, **STREAM},
    response_class=EventStream,
)
async def stream_table(shown: TableDep, context: ContextDep, request: Request) -> EventStream:
    """A table's changes as server-sent events."""
    return context.stream(shown, request, for_operator=False)


@router.get(
    "/api/tables/{table}/board.jpg",
    tags=["tables"],
    responses={**REFUSALS, **PICTURE},
    response_class=Response,
)
def show_board_picture(stream: GameDep, context: ContextDep) -> Response:
    """The rectified board as the camera sees it, as late as the rest of the table."""
    name = stream.game.state.name
    late = context.late_pictures.get(name)
    if late is None:
        return answer_picture(context.snapshots[name].board())
    return answer_picture(late.picture, "the picture comes when the table's delay is over")


@router.get(
    "/api/tables/{table}/game.gcg",
    tags=["tables"],
    responses={**REFUSALS, 409: {"description": "The game has no GCG form.", "content": ANSWER_CONTENT}},
    response_class=PlainTextResponse,
)
def download_game(shown: TableDep) -> PlainTextResponse:
    """The game so far in GCG."""
    try:
        text = shown.gcg()
    except GameError as error:
        raise HTTPException(409, str(error)) from error
    return PlainTextResponse(
        text, headers={"content-disposition": f'attachment; filename="{shown.name}.gcg"'}
    )


@router.get(
    "/obs/{table}/{field}.txt",
    tags=["fields"],
    responses=REFUSALS,
    response_class=PlainTextResponse,
)
def show_field(shown: TableDep, field: Annotated[str, Path(max_length=32)]) -> PlainTextResponse:
    """A text field for streams: score, p1_score, unseen_tiles, last_play, ..."""
    if field not in FIELDS:
        raise HTTPException(404, f"there is no such field; the fields are {', '.join(FIELDS)}")
    return PlainTextResponse(shown.field(field))
