"""The operator's endpoints; all but the session's need the token."""

from __future__ import annotations

import time

from fastapi import APIRouter, HTTPException, Request, Response
from fastapi.responses import StreamingResponse

from tilesight.web.context import (
    CHANGING,
    GUARDED,
    PICTURE,
    STREAM,
    ContextDep,
    GameDep,
    OperatorOnly,
    answer_picture,
)
from tilesight.web.schemas import Answer, CommandBody, OperatorView, TokenBody
from tilesight.web.security import COOKIE
from tilesight.web.serializers import serialize_for_operator
from tilesight.web.settings import SETTINGS
from vision.game_events import Command

__all__ = ["router", "session_router"]


router = APIRouter(
    prefix="/api/tables/{table}", tags=["desk"], dependencies=[OperatorOnly], responses=GUARDED
)
session_router = APIRouter(prefix="/api/session", tags=["session"])


@router.get("/desk")
def show_operator_view(stream: GameDep) -> OperatorView:
    """A table as its operator sees it: with uncertain tiles, racks and the state of the camera."""
    return serialize_for_operator(stream.game.state, time.time())


@router.get("/desk/events", responses=STREAM, response_class=StreamingResponse)
async def stream_operator_view(stream: GameDep, context: ContextDep, request: Request) -> StreamingResponse:
    """The operator's view as server-sent events."""
    return context.stream(stream, request, for_operator=True)


@router.get("/camera.jpg", responses=PICTURE, response_class=Response)
def show_camera_picture(stream: GameDep, context: ContextDep) -> Response:
    """The camera's frame with the grid."""
    return answer_picture(context.snapshots[stream.game.state.name].camera())


@router.post(
    "/commands",
    responses={
        409: {"model": Answer, "description": "The game has moved on since `sequence`."},
        **CHANGING,
    },
)
async def apply_command(stream: GameDep, body: CommandBody) -> Answer:
    """Apply a command: a play, a correction, a clock."""
    command = Command(verb=body.verb, words=tuple(body.words))
    return Answer(sequence=(await stream.apply_command(command, body.sequence)).sequence)


@session_router.post("", responses=GUARDED)
def open_session(body: TokenBody, context: ContextDep, request: Request, response: Response) -> Answer:
    """Exchange the token for a cookie."""
    address = request.client.host if request.client else ""
    if context.wrong_tokens.left(address) < 1:
        raise HTTPException(429, "too many wrong tokens; wait a minute")
    if not context.token.matches(body.token):
        context.wrong_tokens.take(address)
        raise HTTPException(401, "this is not the token; the program printed it when it started")
    response.set_cookie(
        COOKIE,
        context.token.cookie,
        max_age=SETTINGS.cookie_age_s,
        httponly=True,
        samesite="strict",
        secure=request.url.scheme == "https",
    )
    return Answer(message="welcome")


@session_router.post("/end")
def end_session(response: Response) -> Answer:
    """Delete the cookie."""
    response.delete_cookie(COOKIE, httponly=True, samesite="strict")
    return Answer(message="goodbye")
