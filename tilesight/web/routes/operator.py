"""The operator's endpoints; all but the session's need the token."""

from __future__ import annotations

import time

from fastapi import APIRouter, HTTPException, Request, Response

from tilesight.web.access import name_cookie
from tilesight.web.context import EventStream, find_address
from tilesight.web.qr_codes import draw_qr_svg
from tilesight.web.routes.dependencies import (
    ContextDep,
    GameDep,
    IdentityDep,
    OperatorOnly,
    answer_picture,
    find_identity,
)
from tilesight.web.routes.responses import CHANGING, GUARDED, PICTURE, STREAM
from tilesight.web.schemas import (
    Answer,
    CodeView,
    CommandBody,
    OperatorView,
    SessionBody,
    SessionView,
    TokenBody,
)
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
    return serialize_for_operator(stream.game.state, time.time(), stream.words)


@router.get("/desk/events", responses=STREAM, response_class=EventStream)
async def stream_operator_view(stream: GameDep, context: ContextDep, request: Request) -> EventStream:
    """The operator's view as server-sent events."""
    return context.stream(stream, request, for_operator=True)


@router.get("/desk/board.jpg", responses=PICTURE, response_class=Response)
def show_board_picture_now(stream: GameDep, context: ContextDep) -> Response:
    """The rectified board as the camera sees it now, also of a table that viewers see late."""
    return answer_picture(context.snapshots[stream.game.state.name].board())


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
    """Apply a command: a play, a correction, a clock. The message says what to check, or that nothing changes."""
    command = Command(verb=body.verb, words=tuple(body.words))
    state, caution = await stream.apply_command(command, body.sequence)
    return Answer(sequence=state.sequence, message=caution)


@session_router.post("", responses=GUARDED)
def open_session(body: TokenBody, context: ContextDep, request: Request, response: Response) -> Answer:
    """Exchange the token, or a code that is good once, for a cookie."""
    address = find_address(request)
    right = context.find_right(body.token) or context.sessions.use_code(body.token)
    # The right token is let in whatever strangers behind the same address have tried.
    if right is None:
        if not context.wrong_tokens.take(address):
            raise HTTPException(429, "too many wrong tokens; wait a minute")
        raise HTTPException(
            401,
            "this is not the token that the program printed when it started, or an address that was used before",
        )
    known = find_identity(request)
    if known is not None and known.right is not right and known.right.covers(right):
        return Answer(message="welcome")  # an operator's device stays one when it is the camera, too
    response.set_cookie(
        name_cookie(request.headers.get("host", "")),
        context.sessions.open(request.headers.get("user-agent", ""), address, right),
        max_age=SETTINGS.cookie_age_s,
        httponly=True,
        samesite="strict",
        secure=request.url.scheme == "https",
    )
    return Answer(message="welcome")


@session_router.get("", responses=GUARDED, dependencies=[OperatorOnly])
def list_sessions(context: ContextDep, identity: IdentityDep) -> list[SessionView]:
    """The devices that are signed in."""
    return [
        SessionView(
            name=session.name,
            device=session.device,
            address=session.address,
            opened_s=session.opened_s,
            used_s=session.used_s,
            own=session.name == identity.name,
            right=session.right.value,
        )
        for session in context.sessions.sessions
    ]


@session_router.post("/revoke", responses={**GUARDED, **CHANGING}, dependencies=[OperatorOnly])
def revoke_session(body: SessionBody, context: ContextDep) -> Answer:
    """Sign another device out."""
    if not context.sessions.revoke(body.name):
        raise HTTPException(404, "there is no such device")
    return Answer(message="signed out")


@session_router.post("/code", responses={**GUARDED, **CHANGING}, dependencies=[OperatorOnly])
def make_code(context: ContextDep, request: Request) -> CodeView:
    """A code that signs one more device in, with its address as a QR code."""
    address = f"{request.url.scheme}://{request.headers['host']}/console#{context.sessions.make_code()}"
    return CodeView(address=address, svg=draw_qr_svg(address))


@session_router.post("/end")
def end_session(context: ContextDep, request: Request, response: Response) -> Answer:
    """Sign this device out."""
    identity = find_identity(request)
    if identity is not None:
        context.sessions.revoke(identity.name)
    response.delete_cookie(name_cookie(request.headers.get("host", "")), httponly=True, samesite="strict")
    return Answer(message="goodbye")
