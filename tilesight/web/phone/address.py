"""The address by which a phone reaches this machine."""

from __future__ import annotations

import contextlib
import socket
from urllib.parse import urlsplit

__all__ = ["describe_problem", "find_network_address"]

PROBE = ("192.0.2.1", 9)
"""An address that nobody has (RFC 5737): the system says by which of its own it would be reached, and sends nothing."""


def find_network_address() -> str | None:
    """Return this machine's numeric address in its network; None if it has none."""
    with contextlib.suppress(OSError), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.connect(PROBE)
        address = str(probe.getsockname()[0])
        return None if address.startswith("127.") else address
    return None


def describe_problem(url: str) -> str:
    """Return why a phone cannot use an address; empty if it can."""
    parts = urlsplit(url)
    if (parts.hostname or "") in ("", "localhost", "127.0.0.1", "::1"):
        return (
            "this program listens to this machine only, so no phone can reach it; start it with "
            "--host 0.0.0.0 --tls self"
        )
    if parts.scheme != "https":
        return "browsers give the camera to encrypted pages only; start the program with --tls self"
    return ""
