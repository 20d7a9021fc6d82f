"""The state of the application: the games, their calibrations, access, and the open connections."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Mapping, Sequence
from dataclasses import InitVar, dataclass, field
from typing import TYPE_CHECKING, Protocol

from fastapi import HTTPException, Request
from fastapi.responses import StreamingResponse
from starlette.requests import cookie_parser

from tilesight.live import Analyst, DelayedPictures, LiveGame, SnapshotCache, Tournament
from tilesight.web.access import (
    ConnectionLimit,
    ConsoleToken,
    Identity,
    Right,
    Session,
    Sessions,
    TokenBucket,
    name_cookie,
    normalise_address,
)
from tilesight.web.hub import RemoteTables
from tilesight.web.phone import PhoneCamera
from tilesight.web.photo import PhotoService
from tilesight.web.schemas import EditionView, HallTable, TableLine, TableView
from tilesight.web.settings import SETTINGS
from tilesight.web.sse import GameStream

if TYPE_CHECKING:
    from calibration.session import CalibrationState

__all__ = ["AppContext", "Calibrator", "EventStream", "ShownTable", "find_address"]


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
        The sessions of devices that signed in.
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
