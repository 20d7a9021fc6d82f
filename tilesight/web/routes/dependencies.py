"""The dependencies of routes: the context, a table, and the right that a device must have; pictures as answers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

from fastapi import Depends, HTTPException, Path, Request, Response
from fastapi.security import APIKeyCookie, HTTPBearer

from tilesight.live import Analyst
from tilesight.web.access import IDENTITY, IS_OPEN, Identity, Right, name_cookie
from tilesight.web.context import AppContext, ShownTable, find_address
from tilesight.web.sse import GameStream

__all__ = [
    "AnalystDep",
    "CameraOnly",
    "ContextDep",
    "GameDep",
    "IdentityDep",
    "OpenToAll",
    "OperatorOnly",
    "TableDep",
    "answer_picture",
    "find_identity",
    "require_right",
]

BEARER = HTTPBearer(description="The console's or the commentators' token.", auto_error=False)
"""For the API's description only, as `COOKIE`: `AppContext.identify` reads both."""
COOKIE = APIKeyCookie(
    name=f"{name_cookie('')}-PORT",
    description="The cookie of `POST /api/session`; PORT is the server's port.",
    auto_error=False,
)


def get_context(request: Request) -> AppContext:
    """Return the context of the application."""
    context = request.app.state.context
    assert isinstance(context, AppContext)
    return context


ContextDep = Annotated[AppContext, Depends(get_context)]
TableName = Annotated[
    str,
    Path(
        pattern=r"^[a-z0-9-]{1,32}(\.[a-z0-9-]{1,32})?$",
        description="The table's name; on a hub, the machine's name, a dot, and the table's.",
    ),
]


def get_game(table: TableName, context: ContextDep) -> GameStream:
    """Return the game of that name.

    Raises
    ------
    HTTPException
        If there is none.
    """
    if table not in context.streams:
        if context.remote is not None and table in context.remote.tables:
            raise HTTPException(404, "this table is on another machine; open the pages of that one")
        raise HTTPException(404, "there is no such table")
    return context.streams[table]


GameDep = Annotated[GameStream, Depends(get_game)]


def get_table(table: TableName, context: ContextDep) -> ShownTable:
    """Return the table of that name, of this machine or of another.

    Raises
    ------
    HTTPException
        If there is none.
    """
    if context.remote is not None and table in context.remote.tables:
        return context.remote.tables[table]
    return get_game(table, context)


TableDep = Annotated[ShownTable, Depends(get_table)]


def get_analyst(table: TableName, context: ContextDep) -> Analyst:
    """Return the analyst of a table; one that knows nothing if it has none."""
    return context.analysts.get(table) or Analyst()


AnalystDep = Annotated[Analyst, Depends(get_analyst)]


def open_answer(request: Request) -> None:
    """Let pages of any address read the answer: only for what viewers see, which is the same whoever asks."""
    request.scope[IS_OPEN] = True


OpenToAll = Depends(open_answer)


def find_identity(request: Request) -> Identity | None:
    """Return who sent a request; None for a stranger."""
    identity = request.scope.get(IDENTITY)
    return identity if isinstance(identity, Identity) else None


def require_token(
    request: Request,
    context: ContextDep,
    _bearer: Annotated[object, Depends(BEARER)],
    _cookie: Annotated[object, Depends(COOKIE)],
) -> Identity:
    """Check that the request has the token, as a cookie or as a bearer; return who sent it.

    Raises
    ------
    HTTPException
        If it does not.
    """
    identity = find_identity(request)
    if identity is not None:
        return identity
    cookie = name_cookie(request.headers.get("host", ""))
    is_guess = cookie in request.cookies or "authorization" in request.headers
    if is_guess and not context.wrong_tokens.take(find_address(request)):
        raise HTTPException(429, "too many wrong tokens; wait a minute")
    raise HTTPException(401, "the console's token is needed; the program printed it when it started")


IdentityDep = Annotated[Identity, Depends(require_token)]


def require_right(right: Right) -> Callable[[Identity], None]:
    """Make the check that a device has a right."""

    def check(identity: IdentityDep) -> None:
        if not identity.right.covers(right):
            raise HTTPException(403, f"this device may not do that: it was signed in as a {identity.right}")

    return check


OperatorOnly = Depends(require_right(Right.OPERATOR))
CameraOnly = Depends(require_right(Right.CAMERA))


def answer_picture(data: bytes | None, missing: str = "there is no picture yet") -> Response:
    """Answer with a JPEG.

    Parameters
    ----------
    data : bytes or None
        The picture.
    missing : str
        What is said if there is none.

    Raises
    ------
    HTTPException
        If there is no picture yet.
    """
    if data is None:
        raise HTTPException(404, missing)
    return Response(data, media_type="image/jpeg")
