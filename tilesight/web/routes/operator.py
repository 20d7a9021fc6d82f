"""What the operator may see and do; all of it needs the token."""

from __future__ import annotations

import time

from fastapi import APIRouter, HTTPException, Request, Response
from fastapi.responses import StreamingResponse

from tilesight.web.context import CHANGING, GUARDED, PICTURE, STREAM, ContextDep, GameDep, Operator, picture
from tilesight.web.schemas import Answer, CommandBody, DeskView, TokenBody
from tilesight.web.security import COOKIE
from tilesight.web.serializers import desk_view
from vision.game_events import Command

__all__ = ["router", "session_router"]

COOKIE_FOR_S = 14 * 24 * 3600

router = APIRouter(prefix="/api/tables/{table}", tags=["desk"], dependencies=[Operator], responses=GUARDED)
session_router = APIRouter(prefix="/api/session", tags=["session"])


@router.get("/desk")
def show_desk(at: GameDep) -> DeskView:
    """A table as its operator sees it: with doubts, racks, and what the camera does."""
    return desk_view(at.table.state, time.time())


@router.get("/desk/events", responses=STREAM, response_class=StreamingResponse)
async def hear_desk(at: GameDep, air: ContextDep, request: Request) -> StreamingResponse:
    """The same as server-sent events."""
    return air.stream(at, request, desk=True)


@router.get("/camera.jpg", responses=PICTURE, response_class=Response)
def show_camera_picture(at: GameDep, air: ContextDep) -> Response:
    """The camera's frame with the grid that was found."""
    return picture(air.pictures[at.table.state.name].camera())


@router.post(
    "/commands",
    responses={
        409: {"model": Answer, "description": "The game has moved on since `sequence`."},
        **CHANGING,
    },
)
async def tell_table(at: GameDep, body: CommandBody) -> Answer:
    """Tells a table what happened: a play, a correction, a clock."""
    command = Command(verb=body.verb, words=tuple(body.words))
    return Answer(sequence=(await at.apply_command(command, body.sequence)).sequence)


@session_router.post("", responses=GUARDED)
def open_session(body: TokenBody, air: ContextDep, request: Request, response: Response) -> Answer:
    """Shows the token once; the browser then keeps a cookie."""
    address = request.client.host if request.client else ""
    if air.wrong_tokens.left(address) < 1:
        raise HTTPException(429, "too many wrong tokens; wait a minute")
    if not air.token.matches(body.token):
        air.wrong_tokens.take(address)
        raise HTTPException(401, "this is not the token; the program printed it when it started")
    response.set_cookie(
        COOKIE,
        air.token.cookie,
        max_age=COOKIE_FOR_S,
        httponly=True,
        samesite="strict",
        secure=request.url.scheme == "https",
    )
    return Answer(message="welcome")


@session_router.post("/end")
def end_session(response: Response) -> Answer:
    """Has the browser forget the cookie."""
    response.delete_cookie(COOKIE, httponly=True, samesite="strict")
    return Answer(message="goodbye")
