"""The web application and its server: everybody may read, and each change needs the console's token."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import AsyncIterator, Callable, Collection, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from importlib.metadata import version
from pathlib import Path
from types import MappingProxyType

import uvicorn
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException

from tilesight.live import (
    Analyst,
    DelayedPictures,
    LiveGame,
    SnapshotCache,
    StaleCommandError,
    Tournament,
    WordList,
)
from tilesight.web.connections import limit_connections, quiet_accept_errors
from tilesight.web.context import AppContext, Calibrator
from tilesight.web.hub import Publisher, RemoteTables
from tilesight.web.phone import PhoneCamera
from tilesight.web.photo import PhotoService
from tilesight.web.rate_limits import ConnectionLimit
from tilesight.web.routes import calibration, commentary, event, games, languages, operator, pages, phone
from tilesight.web.routes import photos as photo_routes
from tilesight.web.security import ConsoleToken, SecurityMiddleware
from tilesight.web.sessions import Sessions
from tilesight.web.settings import SETTINGS
from tilesight.web.sse import GameStream
from vision.errors import InputError, SettingsError

__all__ = ["make_app", "make_server", "open_listening_socket", "run_server"]


def make_app(
    live_games: Sequence[LiveGame],
    token: ConsoleToken,
    *,
    hosts: Collection[str] = ("localhost",),
    notify: Callable[[str], None],
    calibrators: Mapping[str, Calibrator] | None = None,
    sessions: Sessions | None = None,
    proxies: Collection[str] = (),
    phones: Mapping[str, PhoneCamera] | None = None,
    tournament: Tournament | None = None,
    outside_url: str = "",
    photos: PhotoService | None = None,
    publisher: Publisher | None = None,
    remote: RemoteTables | None = None,
    max_viewers: int = SETTINGS.max_streams,
    analysts: Mapping[str, Analyst] = MappingProxyType({}),
) -> SecurityMiddleware:
    """Build the application for these games.

    Parameters
    ----------
    live_games : sequence of LiveGame
        The games.
    token : ConsoleToken
        The token that each change needs.
    hosts : collection of str
        Host names of the server.
    notify : callable
        Called with one line for the user, where a message must not be sent to the web.
    calibrators : mapping of str to Calibrator, optional
        The calibrations of the games that have a camera, by the game's name.
    sessions : Sessions, optional
        The sessions of operators' devices.
    proxies : collection of str
        Addresses of proxies, whose headers about clients are believed.
    phones : mapping of str to PhoneCamera, optional
        The phones that are the cameras of games, by the game's name.
    tournament : Tournament, optional
        The matches of all tables.
    outside_url : str
        The server's address for other devices; empty if none is known.
    photos : PhotoService, optional
        What reads the photos that devices send.
    publisher : Publisher, optional
        What publishes the tables to a broker.
    remote : RemoteTables, optional
        The tables of other machines, for a hub.
    max_viewers : int
        Open connections of viewers.
    analysts : mapping of str to Analyst
        What finds best plays and chances to win, by the game's name.
    """
    snapshots = {game.state.name: SnapshotCache(game) for game in live_games}
    late_pictures = make_late_pictures(live_games, snapshots)
    context = AppContext(
        streams={game.state.name: GameStream(game, words=find_words(game, analysts)) for game in live_games},
        snapshots=snapshots,
        token=token,
        sessions=sessions or Sessions(token),
        calibrators=calibrators or {},
        phones=phones or {},
        tournament=tournament,
        outside_url=outside_url,
        photos=photos,
        remote=remote,
        viewers=ConnectionLimit(max_viewers, SETTINGS.max_streams_per_address),
        analysts=analysts,
        late_pictures=late_pictures,
    )

    @asynccontextmanager
    async def run_streams(_: FastAPI) -> AsyncIterator[None]:
        quiet_accept_errors(asyncio.get_running_loop(), notify)
        for stream in context.streams.values():
            stream.open(asyncio.get_running_loop())
        if publisher is not None:
            publisher.open(asyncio.get_running_loop(), context.streams, tournament)
        if remote is not None:
            remote.open(asyncio.get_running_loop())
        sampling = [asyncio.create_task(sample_pictures(each)) for each in late_pictures.values()]
        yield
        for task in sampling:
            task.cancel()
        if publisher is not None:
            await publisher.close()
        if remote is not None:
            await remote.close()
        if photos is not None:
            photos.close()

    app = FastAPI(
        title="Tilesight",
        version=version("tilesight"),
        description="Word games on air: every table's board, scores and moves.",
        lifespan=run_streams,
        docs_url=None,  # FastAPI's page loads from another server; ours is /api
        redoc_url=None,
    )
    app.state.context = context
    for router in (
        games.router,
        event.router,
        languages.router,
        operator.router,
        commentary.router,
        operator.session_router,
        calibration.router,
        phone.router,
        photo_routes.router,
        pages.router,
    ):
        app.include_router(router)
    _handle_errors(app, notify)
    return SecurityMiddleware(app, hosts, context.identify, proxies, context.close_streams)


def find_words(game: LiveGame, analysts: Mapping[str, Analyst]) -> WordList | None:
    """Return a table's word list; None if it has none."""
    analyst = analysts.get(game.state.name)
    return analyst.words if analyst is not None else None


def make_late_pictures(
    live_games: Sequence[LiveGame], snapshots: Mapping[str, SnapshotCache]
) -> dict[str, DelayedPictures]:
    """Make the boards' pictures of the tables that viewers see late."""
    delays = {game.state.name: game.state.delay_s for game in live_games}
    return {
        name: DelayedPictures(snapshots[name].board, delay_s) for name, delay_s in delays.items() if delay_s
    }


async def sample_pictures(pictures: DelayedPictures) -> None:
    """Take a table's pictures, to be shown later, until the server stops."""
    while True:
        await run_in_threadpool(pictures.sample)
        await asyncio.sleep(pictures.interval_s)


def _handle_errors(app: FastAPI, notify: Callable[[str], None]) -> None:
    """Answer every error in one shape, without names of files on this machine."""

    @app.exception_handler(SettingsError)
    def answer_settings_error(_: Request, error: SettingsError) -> JSONResponse:
        return make_refusal(409 if isinstance(error, StaleCommandError) else 422, str(error))

    @app.exception_handler(InputError)
    def answer_input_error(_: Request, error: InputError) -> JSONResponse:
        notify(str(error))  # it names a file
        return make_refusal(507, "this cannot be saved, so nothing was changed; the program says more")

    @app.exception_handler(RequestValidationError)
    def answer_validation_error(_: Request, error: RequestValidationError) -> JSONResponse:
        first = error.errors()[0]
        if first["type"] == "string_too_long":
            most = first["ctx"]["max_length"]
            return make_refusal(422, f"a text is too long; write at most {most} characters")
        where = ".".join(str(part) for part in first["loc"])
        return make_refusal(422, f"{where}: {first['msg']}")

    @app.exception_handler(HTTPException)
    def answer_http_error(_: Request, error: HTTPException) -> JSONResponse:
        return make_refusal(error.status_code, str(error.detail))


def make_refusal(status: int, message: str) -> JSONResponse:
    """Build the answer to a refused request."""
    return JSONResponse({"sequence": None, "message": message}, status_code=status)


def open_listening_socket(host: str, port: int) -> socket.socket:
    """Open a listening socket; port 0 takes a free one.

    Raises
    ------
    InputError
        If the address is not one of this machine's, or is in use.
    """
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        sock = socket.socket(family, kind, protocol)
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        sock.bind(address)
        sock.listen(1024)
    except OSError as error:
        raise InputError(
            f"{host}:{port}: cannot listen there ({error.strerror or error}); choose another --host or --port"
        ) from error
    return sock


def make_server(
    app: SecurityMiddleware,
    *,
    proxies: Collection[str] = (),
    certificate: tuple[Path, Path] | None = None,
    max_viewers: int = SETTINGS.max_streams,
) -> AppServer:
    """Make the server of an application; it never logs addresses with their queries.

    Parameters
    ----------
    app : SecurityMiddleware
        The application.
    proxies : collection of str
        Addresses of proxies, which may hold any number of connections.
    certificate : (Path, Path), optional
        The files of a certificate and of its key, for TLS.
    max_viewers : int
        Viewers at once.
    """
    config = uvicorn.Config(
        app,
        log_level="warning",
        access_log=False,
        server_header=False,
        proxy_headers=False,
        http=limit_connections(frozenset(proxies), max_viewers),
        ws="none",
        loop="asyncio",
        lifespan="on",
        timeout_keep_alive=20,
        timeout_graceful_shutdown=SETTINGS.shutdown_s,
        h11_max_incomplete_event_size=SETTINGS.max_head,
        ssl_certfile=certificate[0] if certificate is not None else None,
        ssl_keyfile=certificate[1] if certificate is not None else None,
    )
    return AppServer(config, app.close_streams)


class AppServer(uvicorn.Server):
    """The server of an application, which ends its streams first: uvicorn waits for every answer when it stops.

    Parameters
    ----------
    config : uvicorn.Config
        The server's configuration.
    close_streams : callable
        Ends the streams.
    """

    def __init__(self, config: uvicorn.Config, close_streams: Callable[[], None]) -> None:
        super().__init__(config)
        self._close_streams = close_streams

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """End the streams, then the server."""
        self._close_streams()
        await super().shutdown(sockets)


def run_server(
    app: SecurityMiddleware,
    sock: socket.socket,
    ready: Callable[[], None],
    *,
    proxies: Collection[str] = (),
    certificate: tuple[Path, Path] | None = None,
    max_viewers: int = SETTINGS.max_streams,
    plain_sock: socket.socket | None = None,
) -> None:
    """Call `ready`, then answer requests until the program is stopped.

    Parameters
    ----------
    app : SecurityMiddleware
        The application.
    sock : socket
        The listening socket.
    ready : callable
        Called before the first request.
    proxies, certificate, max_viewers
        As for `make_server`.
    plain_sock : socket, optional
        A listening socket of this machine that is served without TLS.
    """
    ready()
    server = make_server(app, proxies=proxies, certificate=certificate, max_viewers=max_viewers)
    if plain_sock is None:
        server.run(sockets=[sock])
        return
    plain = PlainServer(make_server(app, proxies=proxies, max_viewers=max_viewers).config)
    asyncio.run(run_both(server, sock, plain, plain_sock))


class PlainServer(uvicorn.Server):
    """A second server of an application; the first one takes the signals, begins the application and ends it."""

    def __init__(self, config: uvicorn.Config) -> None:
        config.lifespan = "off"
        super().__init__(config)

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Leave the signals to the first server."""
        yield


async def run_both(
    server: uvicorn.Server, sock: socket.socket, plain: PlainServer, plain_sock: socket.socket
) -> None:
    """Run two servers in one event loop until the first one is stopped.

    Parameters
    ----------
    server : Server
        The first one.
    sock : socket
        Its listening socket.
    plain : PlainServer
        The second one.
    plain_sock : socket
        Its listening socket.
    """

    async def follow() -> None:
        while not (server.started or server.should_exit):
            await asyncio.sleep(SETTINGS.start_check_s)
        await plain.serve(sockets=[plain_sock])

    following = asyncio.create_task(follow())
    await server.serve(sockets=[sock])
    plain.should_exit = True
    await following
