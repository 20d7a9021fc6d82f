"""The endpoints of a phone that is a table's camera."""

from __future__ import annotations

import ipaddress
from typing import Annotated, Any
from urllib.parse import urlsplit

from fastapi import APIRouter, Depends, Header, HTTPException, Request, Response
from fastapi.responses import JSONResponse

from tilesight.live import describe_step
from tilesight.web.access import Identity, Right
from tilesight.web.context import find_address
from tilesight.web.phone import (
    OtherSenderError,
    PhoneCamera,
    PhoneCodeView,
    PhonePauseBody,
    PhoneRefusal,
    PhoneTicket,
    PhoneView,
    Sender,
    SenderView,
    describe_problem,
)
from tilesight.web.qr_codes import draw_qr_svg
from tilesight.web.routes.dependencies import CameraOnly, ContextDep, GameDep, IdentityDep, OperatorOnly
from tilesight.web.routes.responses import CHANGING, GUARDED
from tilesight.web.schemas import Answer
from tilesight.web.settings import SETTINGS
from tilesight.web.sse import GameStream
from vision.errors import InputError

__all__ = ["router"]

router = APIRouter(prefix="/api/tables/{table}/phone", tags=["phone"], responses=GUARDED)

PAUSES = {
    "hidden": "the phone shows another page",
    "stopped": "the phone was stopped",
    "no-camera": "the phone's camera gives no picture",
}
"""What a table reports while a phone sends no pictures."""
OTHER: dict[int | str, dict[str, Any]] = {
    409: {"model": PhoneRefusal, "description": "Another device sends, or nobody."}
}
PICTURE_BODY = {
    "requestBody": {
        "required": True,
        "content": {"image/jpeg": {"schema": {"type": "string", "format": "binary"}}},
    }
}


def get_phone(stream: GameDep, context: ContextDep) -> PhoneCamera:
    """Return the phone that is the table's camera.

    Raises
    ------
    HTTPException
        If its camera is none.
    """
    found = context.phones.get(stream.game.state.name)
    if found is None:
        raise HTTPException(404, "this table's camera is no phone; start it with the source: phone")
    return found


PhoneDep = Annotated[PhoneCamera, Depends(get_phone)]


@router.get("", dependencies=[CameraOnly])
def show_phone(stream: GameDep, phone: PhoneDep, identity: IdentityDep) -> PhoneView:
    """Who sends, what the table does, and where it found the board."""
    return view_phone(stream, phone, identity)


@router.post("/code", dependencies=[OperatorOnly], responses=CHANGING)
def make_phone_code(phone: PhoneDep, stream: GameDep, context: ContextDep, request: Request) -> PhoneCodeView:
    """A code that makes one phone the camera, with its address as a QR code."""
    origin = find_origin(request, context.outside_url)
    code = context.sessions.make_code(right=Right.CAMERA)
    address = f"{origin}/phone?table={stream.game.state.name}#{code}"
    return PhoneCodeView(address=address, svg=draw_qr_svg(address), problem=describe_problem(origin))


@router.post("/start", dependencies=[CameraOnly], responses=CHANGING)
def start_sending(phone: PhoneDep, identity: IdentityDep, request: Request) -> PhoneTicket:
    """Let this device send the table's pictures, instead of any other."""
    ticket = phone.start(identity.name, request.headers.get("user-agent", ""), find_address(request))
    return PhoneTicket(
        ticket=ticket, max_bytes=SETTINGS.max_picture, pictures_per_s=SETTINGS.phone_pictures_per_s
    )


@router.post(
    "/picture",
    dependencies=[CameraOnly],
    responses={**CHANGING, **OTHER},
    response_model=PhoneView,
    openapi_extra=PICTURE_BODY,
)
async def take_picture(
    stream: GameDep,
    phone: PhoneDep,
    identity: IdentityDep,
    request: Request,
    x_ticket: Annotated[str, Header(max_length=40)],
) -> PhoneView | Response:
    """Take a picture of the table."""
    try:
        phone.take(x_ticket, await request.body())
    except InputError as error:
        raise HTTPException(422, str(error)) from error
    except OtherSenderError as error:
        return refuse_sender(error, identity)
    return view_phone(stream, phone, identity)


@router.post("/pause", dependencies=[CameraOnly], responses={**CHANGING, **OTHER}, response_model=Answer)
def pause_sending(phone: PhoneDep, identity: IdentityDep, body: PhonePauseBody) -> Answer | Response:
    """Report that this device sends no more pictures for the moment."""
    try:
        phone.pause(body.ticket, PAUSES[body.reason], is_over=body.reason == "stopped")
    except OtherSenderError as error:
        return refuse_sender(error, identity)
    return Answer(message="paused")


def refuse_sender(error: OtherSenderError, identity: Identity) -> Response:
    """Answer a device that does not send, or no longer."""
    refusal = PhoneRefusal(
        message=f"{error}" if error.sender is not None else "nobody sends",
        sender=view_sender(error.sender, identity),
    )
    return JSONResponse(refusal.model_dump(), status_code=409)


def view_sender(sender: Sender | None, identity: Identity) -> SenderView | None:
    """Convert the device that sends."""
    if sender is None:
        return None
    return SenderView(
        device=sender.device,
        address=sender.address,
        own=sender.session == identity.name,
        pictures_per_s=round(1 / sender.interval_s, 1) if sender.interval_s else 0.0,
    )


def view_phone(stream: GameStream, phone: PhoneCamera, identity: Identity) -> PhoneView:
    """Build what a phone learns."""
    state, snapshot = stream.game.state, stream.game.snapshot
    grid = None
    if snapshot is not None and snapshot[1] is not None:
        frame, corners_px = snapshot[0], snapshot[1].corners_px
        width, height = frame.size_px
        if frame.undistortion is not None:  # the phone shows its picture as the camera gives it
            corners_px = frame.undistortion.project(corners_px)
            width, height = frame.undistortion.size_px
        grid = [(round(float(x + 0.5) / width, 4), round(float(y + 0.5) / height, 4)) for x, y in corners_px]
    layout, steps = state.edition.layout, state.game.steps
    return PhoneView(
        sender=view_sender(phone.sender, identity),
        watching=state.watching,
        status=state.status,
        grid=grid,
        rows=layout.rows,
        columns=layout.columns,
        last_move=describe_step(steps[-1], state.game) if steps else "",
    )


def find_origin(request: Request, outside_url: str) -> str:
    """Return scheme, host and port by which a phone reaches this server.

    A numeric address in the request is one that another device can use; a name may be known to this machine only.

    Parameters
    ----------
    request : Request
        The request of the console.
    outside_url : str
        The server's address for the network; empty if that is not known, or a proxy stands before the server.
    """
    own = f"{request.url.scheme}://{request.headers['host']}"
    host = urlsplit(own).hostname or ""
    try:
        is_usable = not ipaddress.ip_address(host).is_loopback
    except ValueError:
        is_usable = False
    return own if is_usable or not outside_url else outside_url
