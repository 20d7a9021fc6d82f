"""The server of the web application: its sockets, its limits, and how it stops."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import Callable, Collection, Iterator
from pathlib import Path

import uvicorn

from tilesight.web.access import SecurityMiddleware
from tilesight.web.connections import limit_connections
from tilesight.web.settings import SETTINGS
from vision.errors import InputError

__all__ = ["make_server", "open_listening_socket", "run_server"]


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
