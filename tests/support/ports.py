"""Ports for servers that are started again, or that cannot choose one themselves."""

from __future__ import annotations

import contextlib
import random
import socket

__all__ = ["free_port"]

PORTS = range(20_000, 32_000)
"""Ports that Linux does not give to connections by itself: none of them has one while its server is away."""


def free_port() -> int:
    """Return a port that is free now."""
    while True:
        port = random.SystemRandom().choice(PORTS)
        with socket.socket() as sock, contextlib.suppress(OSError):
            sock.bind(("127.0.0.1", port))
            return port
