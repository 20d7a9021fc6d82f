"""The web application and its server: everybody may read, and each change needs the console's token."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import AsyncIterator, Callable, Collection, Iterator
from contextlib import asynccontextmanager
from http import HTTPStatus
from importlib.metadata import version
from pathlib import Path

import uvicorn
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException

from tilesight.live import DelayedPictures, StaleCommandError
from tilesight.web.access import SecurityMiddleware
from tilesight.web.connections import limit_connections, quiet_accept_errors
from tilesight.web.context import AppContext
from tilesight.web.hub import Publisher
from tilesight.web.routes import calibration, commentary, event, games, languages, operator, pages, phone
from tilesight.web.routes import photos as photo_routes
from tilesight.web.settings import SETTINGS
from vision.errors import InputError, SettingsError

__all__ = ["make_app", "make_server", "open_listening_socket", "run_server"]


def make_app(
    context: AppContext,
    *,
    hosts: Collection[str] = ("localhost",),
    notify: Callable[[str], None],
    proxies: Collection[str] = (),
    publisher: Publisher | None = None,
) -> SecurityMiddleware:
    """Build the application.

    Parameters
    ----------
    context : AppContext
        Its state.
    hosts : collection of str
        Host names of the server.
    notify : callable
        Called with one line for the user, where a message must not be sent to the web.
    proxies : collection of str
        Addresses of proxies, whose headers about clients are believed.
    publisher : Publisher, optional
        What publishes the tables to a broker.
    """
    remote, photos = context.remote, context.photos

    @asynccontextmanager
    async def run_streams(_: FastAPI) -> AsyncIterator[None]:
        quiet_accept_errors(asyncio.get_running_loop(), notify)
        for stream in context.streams.values():
            stream.open(asyncio.get_running_loop())
        if publisher is not None:
            publisher.open(asyncio.get_running_loop(), context.streams, context.tournament)
        if remote is not None:
            remote.open(asyncio.get_running_loop())
        sampling = [asyncio.create_task(sample_pictures(each)) for each in context.late_pictures.values()]
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
        if error.detail == HTTPStatus.NOT_FOUND.phrase:  # of an address that no route has
            return make_refusal(404, "there is no such page; the page / lists the others")
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
