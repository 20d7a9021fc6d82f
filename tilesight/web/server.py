"""Runs the application: one process, one port, and nothing of it in anybody's log."""

from __future__ import annotations

import socket
from collections.abc import Callable

import uvicorn

from tilesight.web.security import SecurityMiddleware
from vision.errors import InputError

__all__ = ["listening_socket", "run_server", "server_for"]

LARGEST_HEAD = 16 * 1024
LAST_WORDS_S = 2


def listening_socket(host: str, port: int) -> socket.socket:
    """A socket that listens; port 0 takes any that is free.

    Raises
    ------
    InputError
        If the address is not this machine's, or is taken.
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


def server_for(app: SecurityMiddleware) -> uvicorn.Server:
    """The server of an application, set up so that addresses with their queries are never logged."""
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
        timeout_graceful_shutdown=LAST_WORDS_S,
        h11_max_incomplete_event_size=LARGEST_HEAD,
    )
    return uvicorn.Server(config)


def run_server(app: SecurityMiddleware, sock: socket.socket, ready: Callable[[], None]) -> None:
    """Answers requests until the program is stopped; `ready` is called first."""
    ready()
    server_for(app).run(sockets=[sock])
