"""What every route needs: the games, their calibrations, access checks and the open connections."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Mapping, Sequence
from dataclasses import InitVar, dataclass, field
from typing import TYPE_CHECKING, Annotated, Protocol

from fastapi import Depends, HTTPException, Path, Request, Response
from fastapi.responses import StreamingResponse
from fastapi.security import APIKeyCookie, HTTPBearer
from starlette.requests import cookie_parser

from tilesight.live import Analyst, DelayedPictures, LiveGame, SnapshotCache, Tournament
from tilesight.web.hub import RemoteTables
from tilesight.web.phone import PhoneCamera
from tilesight.web.photo import PhotoService
from tilesight.web.rate_limits import ConnectionLimit, TokenBucket, normalise_address
from tilesight.web.rights import Identity, Right
from tilesight.web.schemas import EditionView, HallTable, TableLine, TableView
from tilesight.web.security import IDENTITY, IS_OPEN, ConsoleToken, name_cookie
from tilesight.web.sessions import Session, Sessions
from tilesight.web.settings import SETTINGS
from tilesight.web.sse import GameStream

if TYPE_CHECKING:
    from calibration.session import CalibrationState

__all__ = [
    "AnalystDep",
    "AppContext",
    "Calibrator",
    "CameraOnly",
    "ContextDep",
    "EventStream",
    "GameDep",
    "IdentityDep",
    "OpenToAll",
    "OperatorOnly",
    "ShownTable",
    "TableDep",
    "answer_picture",
    "find_address",
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


class EventStream(StreamingResponse):
    """Server-sent events."""

    media_type = "text/event-stream"


class ShownTable(Protocol):
    """A table as viewers see it, of this machine or of another."""

    @property
    def name(self) -> str:
        """The table's name."""
        ...

    @property
    def language(self) -> str:
        """The language of its pages."""
        ...

    def line(self) -> TableLine:
        """Return its entry in the list of tables."""
        ...

    def view(self) -> TableView:
        """Return it as viewers see it now."""
        ...

    def hall(self) -> HallTable:
        """Return it for the page of the hall."""
        ...

    def edition(self) -> EditionView:
        """Return what does not change during its game."""
        ...

    def gcg(self) -> str:
        """Return its game so far in GCG; a `GameError` if it has no such form."""
        ...

    def field(self, name: str) -> str:
        """Return a text field; a `KeyError` if there is none of that name."""
        ...

    def close(self) -> None:
        """Disconnect all listeners."""
        ...

    def listen(self, last: int | None, *, for_operator: bool) -> AsyncGenerator[bytes, None]:
        """Yield the events of one listener; see `GameStream.listen`."""
        ...


class Calibrator(Protocol):
    """The step-by-step calibration of one game's camera."""

    def state(self) -> CalibrationState:
        """Return the steps, with the pictures taken for each and the results.

        Raises
        ------
        SettingsError
            If the game cannot use a profile.
        """
        ...

    def act(self, step: str, action: str, text: str, *, fixed: bool) -> CalibrationState:
        """Take a picture or measure a step, and return the state after it; its message reports a failure."""
        ...

    def camera(self) -> bytes | None:
        """Return the camera's newest picture as a JPEG."""
        ...

    def picture(self, step: str) -> bytes | None:
        """Return the result of a step as a JPEG."""
        ...

    def sheet(self) -> bytes:
        """Return the sheet to print, as a PDF."""
        ...

    def report(self) -> str:
        """Return all measurements as an HTML page."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class AppContext:
    """The state of the application.

    Parameters
    ----------
    live_games : sequence of LiveGame
        The games.
    token : ConsoleToken
        The token that each change needs.
    sessions : Sessions
        The sessions of operators' devices.
    calibrators : mapping of str to Calibrator
        The calibrations of the games that have a camera, by the game's name.
    phones : mapping of str to PhoneCamera
        The phones that are the cameras of games, by the game's name.
    tournament : Tournament or None
        The matches of all tables; None if no matches are kept.
    outside_url : str
        The server's address for other devices; empty if none is known.
    photos : PhotoService or None
        What reads the photos that devices send; None if the server reads none.
    remote : RemoteTables or None
        The tables of other machines; None if the server is no hub.
    analysts : mapping of str to Analyst
        What finds best plays and chances to win, by the game's name.
    max_viewers : int
        Open connections of viewers.
    streams : dict of str to GameStream
        Each game with its server-sent events, by the game's name.
    snapshots : dict of str to SnapshotCache
        The pictures of each game's camera.
    late_pictures : dict of str to DelayedPictures
        The boards' pictures of the tables that viewers see late, by the game's name.
    viewers, operators : ConnectionLimit
        The open connections.
    wrong_tokens : TokenBucket
        Wrong tokens that each address may still send.
    """

    live_games: InitVar[Sequence[LiveGame]]
    token: ConsoleToken
    sessions: Sessions
    calibrators: Mapping[str, Calibrator] = field(default_factory=dict)
    phones: Mapping[str, PhoneCamera] = field(default_factory=dict)
    tournament: Tournament | None = None
    outside_url: str = ""
    photos: PhotoService | None = None
    remote: RemoteTables | None = None
    analysts: Mapping[str, Analyst] = field(default_factory=dict)
    max_viewers: InitVar[int] = SETTINGS.max_streams
    streams: dict[str, GameStream] = field(init=False)
    snapshots: dict[str, SnapshotCache] = field(init=False)
    late_pictures: dict[str, DelayedPictures] = field(init=False)
    viewers: ConnectionLimit = field(init=False)
    operators: ConnectionLimit = field(
        default_factory=lambda: ConnectionLimit(SETTINGS.max_operator_streams, SETTINGS.max_operator_streams),
        init=False,
    )
    wrong_tokens: TokenBucket = field(
        default_factory=lambda: TokenBucket(*SETTINGS.wrong_token_limit), init=False
    )

    def __post_init__(self, live_games: Sequence[LiveGame], max_viewers: int) -> None:
        games = {game.state.name: game for game in live_games}
        words = {name: analyst.words for name, analyst in self.analysts.items()}
        delays = {name: game.state.delay_s for name, game in games.items() if game.state.delay_s}
        snapshots = {name: SnapshotCache(game) for name, game in games.items()}
        for name, value in (
            ("streams", {name: GameStream(game, words=words.get(name)) for name, game in games.items()}),
            ("snapshots", snapshots),
            (
                "late_pictures",
                {name: DelayedPictures(snapshots[name].board, delays[name]) for name in delays},
            ),
            ("viewers", ConnectionLimit(max_viewers, SETTINGS.max_streams_per_address)),
        ):
            object.__setattr__(self, name, value)

    def identify(self, headers: Mapping[str, str], address: str) -> Identity | None:
        """Return who sent a request, by its session or by the token itself; None for a stranger.

        Parameters
        ----------
        headers : mapping of str to str
            The headers, by names in lower case.
        address : str
            The address.
        """
        scheme, _, bearer = headers.get("authorization", "").partition(" ")
        right = self.find_right(bearer) if scheme.lower() == "bearer" else None
        if right is not None:
            return Identity(name="token", right=right)
        session = self.find_session(headers, address)
        return Identity(name=session.name, right=session.right) if session is not None else None

    def find_right(self, token: str) -> Right | None:
        """Return the right that a token gives; None if it is none of the server's."""
        if self.token.matches(token):
            return Right.OPERATOR
        return Right.COMMENTATOR if ConsoleToken(self.token.commentary).matches(token) else None

    def find_session(self, headers: Mapping[str, str], address: str) -> Session | None:
        """Return the session of a request's cookie; the parameters are those of `identify`."""
        cookies = cookie_parser(headers.get("cookie", ""))
        return self.sessions.find(
            cookies.get(name_cookie(headers.get("host", "")), ""), headers.get("user-agent", ""), address
        )

    @property
    def tables(self) -> list[ShownTable]:
        """All tables that viewers may see."""
        return [*self.streams.values(), *(self.remote.tables.values() if self.remote is not None else ())]

    def close_streams(self) -> None:
        """Disconnect all listeners, and end MAGPIE, for which a request may wait."""
        for table in self.tables:
            table.close()
        for analyst in self.analysts.values():
            analyst.close()

    def stream(self, game: ShownTable, request: Request, *, for_operator: bool) -> EventStream:
        """Stream a game's changes as server-sent events, from the browser's last event on.

        Parameters
        ----------
        game : ShownTable
            The game.
        request : Request
            The request, with the header ``Last-Event-ID`` if the browser had a connection before.
        for_operator : bool
            Whether the operator's fields are sent too.

        Raises
        ------
        HTTPException
            If there are too many connections.
        """
        address, headers = find_address(request), dict(request.headers)
        limit = self.operators if for_operator else self.viewers
        if not limit.is_free(address):
            raise HTTPException(503, "too many listeners; close some pages")
        text = request.headers.get("last-event-id", "")
        last = int(text) if text.isascii() and text.isdecimal() and len(text) < 16 else None
        return EventStream(
            hold_connection(
                limit,
                address,
                game.listen(last, for_operator=for_operator),
                lambda: not for_operator or self.identify(headers, address) is not None,
            ),
            headers={"cache-control": "no-store", "x-accel-buffering": "no"},
        )


async def hold_connection(
    limit: ConnectionLimit,
    address: str,
    events: AsyncGenerator[bytes, None],
    may_listen: Callable[[], bool],
) -> AsyncIterator[bytes]:
    """Yield the events until the listener may have no more of them, and count the connection until then."""
    with limit.hold(address):
        async with contextlib.aclosing(events):
            async for event in events:
                if not may_listen():  # it was signed out
                    return
                yield event


def find_address(request: Request) -> str:
    """Return the address that a request comes from; empty for this machine."""
    return normalise_address(request.client.host if request.client else "")


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
