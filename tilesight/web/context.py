"""What the web asks of whatever calibrates a table's camera; it is given, so that the pipeline does not import it.

What every route needs: the tables on air, and who may change them.
"""

from __future__ import annotations

import contextlib
import ipaddress
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, Protocol

from fastapi import Depends, HTTPException, Path, Request, Response
from fastapi.responses import StreamingResponse

from tilesight.live import SnapshotCache
from tilesight.web.rate_limits import ConnectionLimit, TokenBucket
from tilesight.web.schemas import Answer
from tilesight.web.security import COOKIE, ConsoleToken
from tilesight.web.sse import GameStream

__all__ = [
    "CHANGING",
    "GUARDED",
    "PICTURE",
    "REFUSALS",
    "STREAM",
    "TEXT",
    "AppContext",
    "Calibrator",
    "ContextDep",
    "GameDep",
    "Operator",
    "picture",
]


class Calibrator(Protocol):
    """A calibration of one table's camera, step by step."""

    def state(self) -> dict[str, Any]:
        """What `schemas.CalibrationView` describes; a SettingsError where the table can use no profile."""
        ...

    def act(self, step: str, action: str, text: str, *, fixed: bool) -> dict[str, Any]:
        """The state after a picture was taken, or a step was measured; what goes wrong is in its message."""
        ...

    def camera(self) -> bytes | None:
        """The newest picture as the camera gave it, as a JPEG."""
        ...

    def picture(self, step: str) -> bytes | None:
        """What came of a step, as a JPEG."""
        ...

    def sheet(self) -> bytes:
        """The sheet to print, as a PDF."""
        ...

    def report(self) -> str:
        """All that was measured, as a page of its own."""
        ...


Responses = dict[int | str, dict[str, Any]]

MAX_STREAMS = 1000
"""Viewers' connections that are held open at once, over all tables."""
MAX_EACH = 100
"""Of those, how many one address may hold; this machine, where a proxy may stand for everybody, all."""
MAX_DESKS = 50
"""Operators' connections, which no number of viewers keeps out."""
REFUSALS: Responses = {
    400: {"description": "The request is malformed.", "content": {"text/plain": {}}},
    404: {"model": Answer, "description": "There is no such table, or nothing to show yet."},
    422: {"model": Answer, "description": "The request makes no sense; the message says why."},
    429: {"description": "Too many requests.", "content": {"text/plain": {}}},
}
GUARDED: Responses = {**REFUSALS, 401: {"model": Answer, "description": "The token is missing or wrong."}}
CHANGING: Responses = {
    403: {"description": "The request comes from another site.", "content": {"text/plain": {}}},
    413: {"description": "The request is too large.", "content": {"text/plain": {}}},
    415: {"description": "Send application/json.", "content": {"text/plain": {}}},
}
"""What the guard may answer to what changes something."""
PICTURE: Responses = {200: {"content": {"image/jpeg": {}}, "description": "A JPEG picture."}}
TEXT: Responses = {200: {"content": {"text/plain": {}}, "description": "Text."}}
STREAM: Responses = {
    200: {
        "content": {"text/event-stream": {}},
        "description": "Events `change` and `status`; ids are journal entries, and Last-Event-ID goes on from one.",
    },
    503: {"model": Answer, "description": "Too many listeners."},
}


@dataclass(frozen=True, slots=True, kw_only=True)
class AppContext:
    """The tables on air.

    Parameters
    ----------
    channels : dict of str to Channel
        Each table's changes, by its name.
    pictures : dict of str to Pictures
        Each table's camera.
    token : ConsoleToken
        What every change needs.
    notify : callable
        Gets one line for whoever runs the program: what must not be told to the web.
    calibrators : mapping of str to Calibrator
        What calibrates the tables that have a camera, by their names.
    wrong_tokens : Allowance
        How many wrong tokens an address may still show.
    viewers, desks : Places
        The connections that are held open.
    """

    channels: dict[str, GameStream]
    pictures: dict[str, SnapshotCache]
    token: ConsoleToken
    notify: Callable[[str], None]
    calibrators: Mapping[str, Calibrator] = field(default_factory=dict)
    wrong_tokens: TokenBucket = field(default_factory=lambda: TokenBucket(a_second=0.1, at_once=10))
    viewers: ConnectionLimit = field(default_factory=lambda: ConnectionLimit(MAX_STREAMS, MAX_EACH))
    desks: ConnectionLimit = field(default_factory=lambda: ConnectionLimit(MAX_DESKS, MAX_DESKS))

    def stream(self, channel: GameStream, request: Request, *, desk: bool) -> StreamingResponse:
        """A table's changes as they come, from where the browser heard the last one."""
        address = address_of(request)
        places = self.desks if desk else self.viewers
        if not places.free(address):
            raise HTTPException(503, "too many listeners; close some pages")
        text = request.headers.get("last-event-id", "")
        last = int(text) if text.isascii() and text.isdecimal() and len(text) < 16 else None
        return StreamingResponse(
            held(places, address, channel.listen(last, desk=desk)),
            media_type="text/event-stream",
            headers={"cache-control": "no-store", "x-accel-buffering": "no"},
        )


async def held(
    places: ConnectionLimit, address: str, events: AsyncGenerator[bytes, None]
) -> AsyncIterator[bytes]:
    """The events, for which a place is held until they end."""
    with places.taken(address):
        async with contextlib.aclosing(events):
            async for event in events:
                yield event


def address_of(request: Request) -> str:
    """Where a request comes from; empty for this machine."""
    address = request.client.host if request.client else ""
    with contextlib.suppress(ValueError):
        if ipaddress.ip_address(address).is_loopback:
            return ""
    return address


def on_air(request: Request) -> AppContext:
    """The tables that this application shows."""
    air = request.app.state.air
    assert isinstance(air, AppContext)
    return air


ContextDep = Annotated[AppContext, Depends(on_air)]
TableName = Annotated[str, Path(pattern="^[a-z0-9-]{1,32}$", description="The table's name.")]


def channel_of(table: TableName, air: ContextDep) -> GameStream:
    """The table of that name."""
    if table not in air.channels:
        raise HTTPException(404, "there is no such table")
    return air.channels[table]


GameDep = Annotated[GameStream, Depends(channel_of)]


def operator(request: Request, air: ContextDep) -> None:
    """Refuses who does not show the token, as a cookie or as a bearer."""
    cookie = request.cookies.get(COOKIE, "")
    scheme, _, bearer = request.headers.get("authorization", "").partition(" ")
    if air.token.matches_cookie(cookie) or (scheme.lower() == "bearer" and air.token.matches(bearer)):
        return
    raise HTTPException(401, "the console's token is needed; the program printed it when it started")


Operator = Depends(operator)


def picture(data: bytes | None) -> Response:
    """A picture, or word that there is none yet."""
    if data is None:
        raise HTTPException(404, "there is no picture yet")
    return Response(data, media_type="image/jpeg")
