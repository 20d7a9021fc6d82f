"""Security of the web server: the console's token, and the checks of every request.

The Host header is checked because a foreign page can resolve its own name to this machine's address (DNS rebinding).
The Origin header is checked because a foreign page can send whatever a form can send (cross-site request forgery).
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import hmac
import secrets
from collections.abc import Awaitable, Callable, Collection, MutableMapping
from typing import Any

from tilesight.web.access.rate_limits import ConnectionLimit, TokenBucket, normalise_address, spell_address
from tilesight.web.access.rights import Identity
from tilesight.web.access.uploads import UPLOADS, Upload, find_upload
from tilesight.web.settings import SETTINGS
from vision.errors import SettingsError

__all__ = ["IDENTITY", "IS_OPEN", "ConsoleToken", "SecurityMiddleware", "name_cookie"]

COOKIE = "tilesight-console"


def name_cookie(host: str) -> str:
    """Return the name of the session's cookie by the header Host: browsers share cookies between ports."""
    port = host.rpartition(":")[2]
    return f"{COOKIE}-{port}" if port.isdecimal() else COOKIE


class ConsoleToken:
    """The secret that each change needs.

    A browser gets a cookie that the token signs (HMAC) and that does not reveal it; see `sessions`.

    Parameters
    ----------
    text : str, optional
        The token; a random one by default.

    Raises
    ------
    SettingsError
        If it is too short, or has characters that an address cannot have.
    """

    def __init__(self, text: str | None = None) -> None:
        self.text = text if text is not None else secrets.token_urlsafe(24)
        if len(self.text) < SETTINGS.min_token or not all(
            c.isascii() and (c.isalnum() or c in "-_") for c in self.text
        ):
            raise SettingsError(
                f"token: {len(self.text)} characters; give at least {SETTINGS.min_token} letters, digits, - or _"
            )

    @property
    def commentary(self) -> str:
        """The commentators' token, which follows from this one and does not reveal it."""
        return self.sign("commentary")[: SETTINGS.commentary_token]

    def sign(self, text: str) -> str:
        """Return the token's signature of a text."""
        return hmac.new(self.text.encode(), b"tilesight session " + text.encode(), hashlib.sha256).hexdigest()

    def matches(self, text: str) -> bool:
        """Check the token in constant time."""
        return secrets.compare_digest(self.text.encode(), text.encode())

    def matches_signature(self, text: str, signature: str) -> bool:
        """Check the signature of a text in constant time."""
        return secrets.compare_digest(self.sign(text).encode(), signature.encode())


Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

IDENTITY = "tilesight.identity"
"""Key of a request's scope: its `Identity`; None for a stranger."""
IS_OPEN = "tilesight.is-open"
"""Key of a request's scope: true if pages of any address may read the answer, which is the same whoever asks."""
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
# Without Access-Control-Allow-Credentials, browsers hide the answer to a request that had a cookie.
OPEN_HEADERS = ((b"access-control-allow-origin", b"*"), (b"cross-origin-resource-policy", b"cross-origin"))


class SecurityMiddleware:
    """Checks every request before the application sees it, and adds security headers to every answer.

    Parameters
    ----------
    app : callable
        The ASGI application.
    hosts : collection of str
        Host names of the server. Numeric addresses are always allowed: a foreign name server cannot give them.
    identify : callable, optional
        Gives who sent a request, by its headers and its address; None for a stranger.
    proxies : collection of str
        Addresses of proxies, as `spell_address` gives them. Their ``X-Forwarded-For`` and ``X-Forwarded-Proto`` are
        believed.
    close_streams : callable
        Ends the answers that go on until the server stops.
    """

    def __init__(
        self,
        app: App,
        hosts: Collection[str],
        identify: Callable[[dict[str, str], str], Identity | None] = lambda _headers, _address: None,
        proxies: Collection[str] = (),
        close_streams: Callable[[], None] = lambda: None,
    ) -> None:
        self.close_streams = close_streams
        self._app = app
        self._identify = identify
        self._proxies = frozenset(proxies)
        self._hosts = frozenset(host.lower() for host in hosts)
        self._reads = TokenBucket(*SETTINGS.read_limit)
        self._changes = TokenBucket(*SETTINGS.change_limit)
        self._uploads = {upload: TokenBucket(*upload.limit) for upload in UPLOADS}
        self._receiving = ConnectionLimit(
            SETTINGS.max_pictures_at_once, SETTINGS.max_pictures_at_once_per_device
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer or refuse one request."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":
            return  # web sockets are not offered
        headers = {}
        for name, value in scope["headers"]:
            name = name.decode("latin-1").lower()
            if name in ("host", "origin") and name in headers:
                await refuse(send, 400, "one Host and one Origin")
                return
            headers[name] = value.decode("latin-1")
        self._believe_proxy(scope, headers)
        refusal = self._check(scope, headers)
        if refusal is not None:
            await refuse(send, *refusal)
            return
        if scope["method"] == "POST":
            received = await self._receive_body(scope, headers, receive)
            if not isinstance(received, bytes):
                await refuse(send, *received)
                return
            receive = replay_body(received, receive)
        await self._app(scope, receive, add_headers(scope, send))

    async def _receive_body(
        self, scope: Scope, headers: dict[str, str], receive: Receive
    ) -> bytes | tuple[int, str]:
        """Return the body of a request, or status and reason of a refusal."""
        upload = find_upload(scope["path"])
        max_body = SETTINGS.max_body if upload is None else upload.max_body
        timeout_s = SETTINGS.body_timeout_s if upload is None else upload.timeout_s
        length = headers.get("content-length", "0")
        if not length.isdecimal() or int(length) > max_body:
            return 413, f"a request has at most {max_body} bytes"
        payer = scope[IDENTITY].name if upload is not None else ""
        if upload is not None and not self._receiving.is_free(payer):
            return 429, "too many pictures at once; wait for the answer to the last one"
        with self._receiving.hold(payer) if upload is not None else contextlib.nullcontext():
            try:
                body = await asyncio.wait_for(read_body(receive, max_body), timeout_s)
            except TimeoutError:
                return 408, "the request took too long"
        return body if body is not None else (413, f"a request has at most {max_body} bytes")

    def _check(self, scope: Scope, headers: dict[str, str]) -> tuple[int, str] | None:
        """Return status and reason of a refusal; None if the request may pass."""
        host = headers.get("host", "")
        if not self._is_known_host(host):
            return 421, "unknown host name; start the server with --allow-host NAME"
        if sum(map(len, headers)) + sum(map(len, headers.values())) > SETTINGS.max_head:
            return 431, "the headers are too long"
        if scope["method"] not in METHODS:
            return 405, "GET and POST are understood"
        if len(scope["path"]) + len(scope["query_string"]) > SETTINGS.max_path:
            return 414, "the address is too long"
        address = scope["client"][0] if scope["client"] else ""
        identity = scope[IDENTITY] = self._identify(headers, normalise_address(address))
        # Strangers behind the same address use up nothing of an operator's.
        payer = address if identity is None else f"session {identity.name}"
        if scope["method"] != "POST":
            return None if self._reads.take(payer) else (429, "too many requests; wait a moment")
        return self._check_change(scope, headers, identity, payer)

    def _check_change(
        self, scope: Scope, headers: dict[str, str], identity: Identity | None, payer: str
    ) -> tuple[int, str] | None:
        """Return status and reason of a refusal of a change or an upload; None if it may pass."""
        host, origin = headers.get("host", ""), headers.get("origin")
        # Behind a TLS proxy, the page has the scheme https and this connection has not.
        if origin is not None and origin not in (f"http://{host}", f"https://{host}"):
            return 403, "changes come from this server's own pages"
        if headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
            return 403, "changes come from this server's own pages"
        upload = find_upload(scope["path"])
        if upload is not None:
            return self._check_upload(upload, identity, headers, payer)
        if not headers.get("content-type", "").lower().startswith("application/json"):
            return 415, "send application/json"
        if not self._changes.take(payer):
            return 429, "too many changes; wait a moment"
        return None

    def _check_upload(
        self, upload: Upload, identity: Identity | None, headers: dict[str, str], payer: str
    ) -> tuple[int, str] | None:
        """Return status and reason of a refusal to take a picture; None if it may come."""
        if identity is None:
            return (401, "sign this device in") if self._changes.take(payer) else (429, "wait a moment")
        if not identity.right.covers(upload.right):
            return 403, f"this device may not do that: it was signed in as a {identity.right}"
        if headers.get("content-type", "").partition(";")[0].strip().lower() not in upload.media_types:
            return 415, f"send {' or '.join(sorted(upload.media_types))}"
        if not self._uploads[upload].take(payer):
            return 429, "too many pictures; wait a moment"
        return None

    def _believe_proxy(self, scope: Scope, headers: dict[str, str]) -> None:
        """Take the client's address and scheme from a proxy's headers."""
        if not scope["client"] or spell_address(scope["client"][0]) not in self._proxies:
            return
        forwarded = [part.strip() for part in headers.get("x-forwarded-for", "").split(",")]
        for address in reversed(forwarded):
            if not (spelled := spell_address(address)):
                break
            scope["client"] = (address, 0)
            if spelled not in self._proxies:
                break
        if headers.get("x-forwarded-proto", "").strip().lower() == "https":
            scope["scheme"] = "https"

    def _is_known_host(self, host: str) -> bool:
        name = parse_host(host)
        if name is None:
            return False
        return name in self._hosts or bool(spell_address(name))


def parse_host(host: str) -> str | None:
    """Return the name in a Host header without its port; None if it is malformed."""
    if host.startswith("["):
        name, bracket, port = host[1:].partition("]")
        if not bracket or (port and not (port.startswith(":") and port[1:].isdecimal())):
            return None
        return name.lower()
    name, colon, port = host.partition(":")
    if (colon and not port.isdecimal()) or not name:
        return None
    return name.lower().rstrip(".")


async def read_body(receive: Receive, max_body: int) -> bytes | None:
    """Read the body of a request; return None if it is larger than `max_body` bytes."""
    body = bytearray()
    while True:
        message = await receive()
        if message["type"] != "http.request":
            return bytes(body)
        body += message.get("body", b"")
        if len(body) > max_body:
            return None
        if not message.get("more_body", False):
            return bytes(body)


def replay_body(body: bytes, receive: Receive) -> Receive:
    """Return a `receive` that gives the body which was already read, and then what follows."""
    waiting = [{"type": "http.request", "body": body, "more_body": False}]

    async def replay() -> Message:
        return waiting.pop() if waiting else await receive()

    return replay


def add_headers(scope: Scope, send: Send) -> Send:
    """Return a `send` that adds the security headers to each answer."""

    async def send_with_headers(message: Message) -> None:
        if message["type"] == "http.response.start":
            own = [*message["headers"], *(OPEN_HEADERS if scope.get(IS_OPEN) else ())]
            names = {name.lower() for name, _ in own}
            extra = [header for header in HEADERS if header[0] not in names]
            if b"cache-control" not in names:
                extra.append((b"cache-control", b"no-store"))
            message = {**message, "headers": [*own, *extra]}
        await send(message)

    return send_with_headers


async def refuse(send: Send, status: int, message: str) -> None:
    """Send a refusal of one line."""
    headers = [
        (b"content-type", b"text/plain; charset=utf-8"),
        (b"cache-control", b"no-store"),
        (b"connection", b"close"),
        *HEADERS,
    ]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": f"{message}\n".encode()})
