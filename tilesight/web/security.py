"""The console's token: what it is, and how a browser keeps it.

What stands before every request: whose it may be, how large, how often; and what every answer says of itself.

Host is checked because a stranger's page can give its own name this machine's address (DNS rebinding); Origin because a
stranger's page can send what a form can send (cross-site request forgery).
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import ipaddress
import secrets
from collections.abc import Awaitable, Callable, Collection, MutableMapping
from typing import Any

from tilesight.web.rate_limits import TokenBucket
from vision.errors import SettingsError

__all__ = ["COOKIE", "ConsoleToken", "SecurityMiddleware"]

COOKIE = "tilesight-console"
MIN_LENGTH = 16


class ConsoleToken:
    """The secret that every change needs.

    A browser is given a cookie that follows from the token and does not tell it, so that a program that is started
    again with the same token knows its consoles.

    Parameters
    ----------
    text : str, optional
        The token; a new one by default.

    Raises
    ------
    SettingsError
        If it is short enough to be guessed, or cannot stand in an address.
    """

    def __init__(self, text: str | None = None) -> None:
        self.text = text if text is not None else secrets.token_urlsafe(24)
        if len(self.text) < MIN_LENGTH or not all(
            c.isascii() and (c.isalnum() or c in "-_") for c in self.text
        ):
            raise SettingsError(
                f"token: {len(self.text)} characters; give at least {MIN_LENGTH} letters, digits, - or _"
            )
        self.cookie = hmac.new(self.text.encode(), b"tilesight console", hashlib.sha256).hexdigest()

    def matches(self, text: str) -> bool:
        """Whether this is the token, in a time that does not tell how much of it is right."""
        return secrets.compare_digest(self.text.encode(), text.encode())

    def matches_cookie(self, value: str) -> bool:
        """Whether this is the cookie, in a time that does not tell how much of it is right."""
        return secrets.compare_digest(self.cookie.encode(), value.encode())


Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

MAX_BODY = 8192
MAX_HEADERS = 16 * 1024
MAX_PATH = 2048
BODY_WITHIN_S = 10.0
READS, CHANGES = (300, 1500), (10, 40)
"""Requests that an address may make: so many a second, and so many at once."""
METHODS = frozenset({"GET", "HEAD", "POST"})
POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' blob:",
        "font-src 'self'",
        "connect-src 'self'",
        "frame-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'self'",
    )
)
HEADERS = (
    (b"content-security-policy", POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"SAMEORIGIN"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"permissions-policy", b"camera=(), microphone=(), geolocation=()"),
)


class SecurityMiddleware:
    """The checks that no page and no route can forget.

    Parameters
    ----------
    app : callable
        What answers once the checks are passed.
    hosts : collection of str
        Names by which this server may be called; addresses in numbers are always allowed, since no stranger's
        name server can give them.
    """

    def __init__(self, app: App, hosts: Collection[str]) -> None:
        self._app = app
        self._hosts = frozenset(host.lower() for host in hosts)
        self._reads = TokenBucket(*READS)
        self._changes = TokenBucket(*CHANGES)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers one request, or refuses it."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":
            return  # no web sockets here: a connection that asks for one is dropped
        headers = {}
        for name, value in scope["headers"]:
            name = name.decode("latin-1").lower()
            if name in ("host", "origin") and name in headers:
                await refuse(send, 400, "one Host and one Origin")
                return
            headers[name] = value.decode("latin-1")
        refusal = self._refusal(scope, headers)
        if refusal is not None:
            await refuse(send, *refusal)
            return
        if scope["method"] == "POST":
            try:
                body = await asyncio.wait_for(whole_body(receive), BODY_WITHIN_S)
            except TimeoutError:
                await refuse(send, 408, "the request took too long")
                return
            if body is None:
                await refuse(send, 413, f"a request has at most {MAX_BODY} bytes")
                return
            receive = replaying(body, receive)
        await self._app(scope, receive, with_headers(send))

    def _refusal(self, scope: Scope, headers: dict[str, str]) -> tuple[int, str] | None:
        """Why the request is refused; None if it may pass."""
        host = headers.get("host", "")
        if not self._may_be_called(host):
            return 421, "this server is not called so; start it with --allow-host NAME"
        if sum(map(len, headers)) + sum(map(len, headers.values())) > MAX_HEADERS:
            return 431, "the headers are too long"
        if scope["method"] not in METHODS:
            return 405, "GET and POST are understood"
        if len(scope["path"]) + len(scope["query_string"]) > MAX_PATH:
            return 414, "the address is too long"
        address = scope["client"][0] if scope["client"] else ""
        if scope["method"] != "POST":
            return None if self._reads.take(address) else (429, "too many requests; wait a moment")
        origin = headers.get("origin")
        # Behind a proxy that speaks TLS, the page's scheme is another than this connection's.
        if origin is not None and origin not in (f"http://{host}", f"https://{host}"):
            return 403, "changes come from this server's own pages"
        if headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
            return 403, "changes come from this server's own pages"
        if not headers.get("content-type", "").lower().startswith("application/json"):
            return 415, "send application/json"
        if not self._changes.take(address):
            return 429, "too many changes; wait a moment"
        return None

    def _may_be_called(self, host: str) -> bool:
        name = host_name(host)
        if name is None:
            return False
        if name in self._hosts:
            return True
        try:
            ipaddress.ip_address(name)
        except ValueError:
            return False
        return True


def host_name(host: str) -> str | None:
    """The name of a Host header without its port; None if it is malformed."""
    if host.startswith("["):
        name, bracket, port = host[1:].partition("]")
        if not bracket or (port and not (port.startswith(":") and port[1:].isdecimal())):
            return None
        return name.lower()
    name, colon, port = host.partition(":")
    if (colon and not port.isdecimal()) or not name:
        return None
    return name.lower().rstrip(".")


async def whole_body(receive: Receive) -> bytes | None:
    """The request's body; None if it is too large."""
    body = b""
    while True:
        message = await receive()
        if message["type"] != "http.request":
            return body
        body += bytes(message.get("body", b""))
        if len(body) > MAX_BODY:
            return None
        if not message.get("more_body", False):
            return body


def replaying(body: bytes, receive: Receive) -> Receive:
    """What gives the body that was read already, and then what follows."""
    waiting = [{"type": "http.request", "body": body, "more_body": False}]

    async def replay() -> Message:
        return waiting.pop() if waiting else await receive()

    return replay


def with_headers(send: Send) -> Send:
    """What sends each answer with the headers that keep it to itself."""

    async def send_it(message: Message) -> None:
        if message["type"] == "http.response.start":
            names = {name.lower() for name, _ in message["headers"]}
            extra = [header for header in HEADERS if header[0] not in names]
            if b"cache-control" not in names:
                extra.append((b"cache-control", b"no-store"))
            message = {**message, "headers": [*message["headers"], *extra]}
        await send(message)

    return send_it


async def refuse(send: Send, status: int, message: str) -> None:
    """A refusal, in one line."""
    headers = [
        (b"content-type", b"text/plain; charset=utf-8"),
        (b"cache-control", b"no-store"),
        (b"connection", b"close"),
        *HEADERS,
    ]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": f"{message}\n".encode()})
