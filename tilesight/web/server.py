"""The HTTP server: one process and one port, without an access log."""

from __future__ import annotations

import socket
from collections.abc import Callable

import uvicorn

from tilesight.web.security import SecurityMiddleware
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


def make_server(app: SecurityMiddleware) -> uvicorn.Server:
    """Make the server of an application; it never logs addresses with their queries."""
    config = uvicorn.Config(
        app,
        log_level="warning",
        access_log=False,
        server_header=False,
        proxy_headers=False,
        http="h11",
        ws="none",
        loop="asyncio",
        lifespan="on",
        timeout_keep_alive=20,
        timeout_graceful_shutdown=SETTINGS.shutdown_s,
        h11_max_incomplete_event_size=SETTINGS.max_head,
    )
    return uvicorn.Server(config)


def run_server(app: SecurityMiddleware, sock: socket.socket, ready: Callable[[], None]) -> None:
    """Call `ready`, then answer requests until the program is stopped."""
    ready()
    make_server(app).run(sockets=[sock])
