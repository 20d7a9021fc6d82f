"""Attacks on the web server: each is a request and what must be answered; none may change or tell anything.

Run it as ``python -m pytest tests/unit/tilesight/web``. Silent connections, floods and proxies are in
`test_connections`, guessed tokens in `test_app`, certificates in `test_certificates`, random requests in
`tests/end_to_end/test_api_fuzzed.py`, and a browser's cross-site requests and markup in names in
`tests/end_to_end/test_pages.py`.
"""

from __future__ import annotations

import contextlib
import socket
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from tests.support.on_air import BEARER, TOKEN, RunningServer, open_table, serve_tables
from tilesight.web.settings import SETTINGS

TABLE = "/api/tables/final"
COMMANDS = f"{TABLE}/commands"
PASS = {"verb": "pass", "words": []}
JSON = {"Content-Type": "application/json"}
COOKIE = {"Cookie": "the cookie of a signed-in device"}
"""Stands for the headers of a device that is signed in."""
Attack = tuple[str, str, Any, dict[str, str], int]
"""Method, path, body, headers, and the status that must be answered."""
PLAYER = '<img src=x onerror="alert(1)">'


def command(verb: str, *words: str) -> dict[str, Any]:
    return {"verb": verb, "words": list(words)}


WITHOUT_TOKEN: dict[str, Attack] = {
    f"{method} {path} without a token": (method, path, PASS if method == "POST" else None, {}, 401)
    for method, path in [
        ("POST", COMMANDS),
        ("POST", f"{TABLE}/calibration"),
        ("POST", "/api/session/code"),
        ("POST", "/api/session/revoke"),
        ("GET", "/api/session"),
        ("GET", f"{TABLE}/desk"),
        ("GET", f"{TABLE}/desk/events"),
        ("GET", f"{TABLE}/camera.jpg"),
        ("GET", f"{TABLE}/calibration"),
        ("GET", f"{TABLE}/calibration/camera.jpg"),
        ("GET", f"{TABLE}/calibration/lens.jpg"),
        ("GET", f"{TABLE}/calibration/sheet.pdf"),
        ("GET", f"{TABLE}/calibration/report.html"),
    ]
}
WRONG_TOKENS = {
    f"a change with {name}": ("POST", COMMANDS, PASS, headers, 401)
    for name, headers in {
        "a wrong token": {"Authorization": "Bearer wrong"},
        "an empty token": {"Authorization": "Bearer "},
        "most of the token": {"Authorization": f"Bearer {TOKEN[:-1]}"},
        "more than the token": {"Authorization": f"Bearer {TOKEN}x"},
        "the token in capitals": {"Authorization": f"Bearer {TOKEN.upper()}"},
        "the token without a scheme": {"Authorization": TOKEN},
        "the token by another scheme": {"Authorization": f"Basic {TOKEN}"},
        "letters that are not ASCII": {"Authorization": "Bearer \xe9\xe9"},
        "the token as a cookie": {"Cookie": f"tilesight-console-PORT={TOKEN}"},
        "an empty cookie": {"Cookie": "tilesight-console-PORT="},
        "a cookie that is not ASCII": {"Cookie": "tilesight-console-PORT=\xe9"},
        "the address of this machine, forwarded": {"X-Forwarded-For": "127.0.0.1"},
        "another address, rewritten": {"X-Original-URL": "/api/tables", "X-Rewrite-URL": "/api/tables"},
    }.items()
} | {
    "a change with the token in the query": ("POST", f"{COMMANDS}?token={TOKEN}", PASS, {}, 401),
    "a change with the token in the body": ("POST", COMMANDS, {**PASS, "token": TOKEN}, {}, 401),
}
SIGNING_IN: dict[str, Attack] = {
    f"signing in with {name}": ("POST", "/api/session", body, {}, expected)
    for name, body, expected in [
        ("a wrong token", {"token": "wrong"}, 401),
        ("an empty token", {"token": ""}, 401),
        ("null", {"token": None}, 422),
        ("a list", {"token": [TOKEN]}, 422),
        ("a long token", {"token": "x" * 5000}, 422),
        ("another field", {"token": "wrong", "is_admin": True}, 422),
        ("half a surrogate", b'{"token": "\\ud800"}', 422),
    ]
}
FOREIGN = {
    f"a change of a signed-in browser from {name}": ("POST", COMMANDS, PASS, {**COOKIE, **headers}, 403)
    for name, headers in {
        **{
            f"the origin {origin!r}": {"Origin": origin}
            for origin in [
                "http://evil.example",
                "https://evil.example",
                "null",
                "",
                "file://",
                "http://127.0.0.1:1",
                "http://127.0.0.1",
                "http://127.0.0.1:PORT.evil.example",
                "http://evil@127.0.0.1:PORT",
                "HTTP://127.0.0.1:PORT",
            ]
        },
        "what a browser calls foreign": {"Sec-Fetch-Site": "cross-site"},
        "another port": {"Sec-Fetch-Site": "same-site"},
    }.items()
}
TYPES = {
    f"a change as {kind}": ("POST", COMMANDS, PASS, {**COOKIE, "Content-Type": kind}, 415)
    for kind in (
        "text/plain",
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=x",
        "",
        "text/plain; application/json",
    )
}
METHODS = {
    f"the method {method}": (method, COMMANDS, None, BEARER, 405)
    for method in ("GET", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "FOO")
} | {
    "a method in a header": ("GET", COMMANDS, None, {**BEARER, "X-HTTP-Method-Override": "POST"}, 405),
    "a table deleted": ("DELETE", TABLE, None, BEARER, 405),
}
HOSTS = {
    f"the host {host!r}": ("GET", "/api/tables", None, {"Host": host}, 421)
    for host in [
        "evil.example",
        "evil.example:PORT",
        "127.0.0.1.evil.example:PORT",
        "localhost.evil.example:PORT",
        "evil.example@127.0.0.1:PORT",
        "127.0.0.1:PORT@evil.example",
        "localhost/@evil.example",
        "",
        "localhost:PORTevil",
        "[::1",
        "127.1:PORT",
        "2130706433:PORT",
        "0x7f.0.0.1:PORT",
        "127.0.0.1:PORT, evil.example",
    ]
}
PATHS: dict[str, Attack] = {
    f"the path {path}": ("GET", path, None, {}, expected)
    for expected, paths in {
        404: [
            "/assets/../../token.py",
            "/assets/../../../../etc/passwd",
            "/assets/%2e%2e/%2e%2e/token.py",
            "/assets/..%2f..%2f..%2fetc%2fpasswd",
            "/assets//etc/passwd",
            "/assets/%2fetc%2fpasswd",
            "/assets/....//....//etc/passwd",
            "/assets/fonts/../../../token.py",
            "/assets/console.js%00.css",
            "/assets/..\\..\\token.py",
            "/assets/../app.py",
            "/../../../../etc/passwd",
            "/api/tables/..%2f..%2fetc%2fpasswd",
            "/obs/..%2f..%2fetc/score.txt",
            "/obs/final/..%2f..%2ffinal.db.txt",
            "/obs/final/__class__.txt",
            "/obs/final/score%00.txt",
            "/obs/..%2f/score.txt",
            "/api/tables/final/calibration/..%2f..%2fx.jpg",
            "/final.db",
            "/.env",
            "/.git/config",
            "/tables.toml",
            "/static/",
            "/fields/final/score.txt",
            "/docs",
            "/redoc",
            "/metrics",
            "/debug",
            "/admin",
            "/server-status",
        ],
        414: ["/api/tables?" + "x" * 4000, "/" + "x" * 4000],
        422: [
            "/api/tables/%2e%2e/game.gcg",
            "/api/tables/final%00/game.gcg",
            "/api/tables/final%0d%0aSet-Cookie:x=1/game.gcg",
        ],
    }.items()
    for path in paths
}
BODIES = {
    f"a body: {name}": ("POST", COMMANDS, body, BEARER, expected)
    for name, body, expected in [
        ("too large", b"[" * 9000, 413),
        ("one byte too large", b" " * (SETTINGS.max_body + 1), 413),
        ("nested lists", b"[" * 4000 + b"]" * 4000, 400),
        ("nested objects", b'{"a":' * 1300 + b"1" + b"}" * 1300, 400),
        ("cut off", b"{", 422),
        ("empty", b"", 422),
        ("a list", b"[]", 422),
        ("null", b"null", 422),
        ("no number", b'{"verb": "pass", "words": [], "sequence": NaN}', 422),
        ("infinity", b'{"verb": "pass", "words": [], "sequence": Infinity}', 422),
        ("a number of 5,000 digits", b'{"verb": "pass", "sequence": ' + b"9" * 5000 + b"}", 400),
        ("a broken number", {**PASS, "sequence": 0.5}, 422),
        ("a negative number", {**PASS, "sequence": -1}, 422),
        ("a name twice", b'{"verb": "pass", "verb": "nothing", "words": []}', 422),
        ("a prototype", b'{"verb": "pass", "words": [], "__proto__": {"a": 1}}', 422),
        ("fields of its own", {**PASS, "by": "camera"}, 422),
        ("words that are a text", {"verb": "title", "words": "x"}, 422),
        ("many words", {"verb": "title", "words": ["x"] * 100}, 422),
        ("very many words", {"verb": "title", "words": ["word"] * 2000}, 413),
        ("a verb that is none", command("__class__"), 422),
        ("a verb in capitals", command("PASS"), 422),
        ("not UTF-8", b'{"verb": "title", "words": ["\xff"]}', 400),
        ("packed", b"\x1f\x8b\x08\x00" + b"\x00" * 40, 400),
        ("half a surrogate", b'{"verb": "title", "words": ["\\ud800"]}', 422),
    ]
}
TITLES = {
    f"a title with {name}": ("POST", COMMANDS, command("title", text), BEARER, 422)
    for name, text in {
        "a zero": "a\0b",
        "a line break": "a\nb",
        "a header": "a\r\nX: b",
        "a change of direction": "a\u202eb",
        "no width": "a\u200bb",
        "121 characters": "x" * 121,
        "a private character": "\ue000",
        "no character": "\uffff",
        "a tag": "\U000e0041",
    }.items()
}
GAME_COMMANDS = {
    f"the command {verb} {' '.join(words)[:24]}": ("POST", COMMANDS, command(verb, *words), BEARER, 422)
    for verb, *words in [
        ("time", PLAYER, "99999999:00"),
        ("time", PLAYER, "1e9"),
        ("clock", PLAYER, "-5"),
        ("clock", PLAYER, "99999999999999"),
        ("play", "Z99", "AA"),
        ("play", "8H", "A" * 400),
        ("play", "8D", "../../etc"),
        ("letter", "H8", "A"),
        ("rack", PLAYER, "A" * 40),
        ("rack", PLAYER, "<b>"),
        ("exchange", "-3"),
        ("exchange", "0"),
        ("end", "nobody=A"),
        ("start", "nobody"),
        ("correct", "8D", "X"),
        ("redo",),
        ("confirm", "H8"),
    ]
}
ATTACKS = (
    WITHOUT_TOKEN | WRONG_TOKENS | SIGNING_IN | FOREIGN | TYPES | METHODS | HOSTS | PATHS | BODIES | TITLES
    | GAME_COMMANDS
)  # fmt: skip


OPEN = {"access-control-allow-origin"}
"""The header by which pages of any address may read an answer."""


@pytest.fixture(scope="module")
def target(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    """A server whose limits of requests are out of the way: they have tests of their own."""
    wide = (1e6, 1e6)
    settings = replace(SETTINGS, read_limit=wide, change_limit=wide, wrong_token_limit=wide)
    with pytest.MonkeyPatch.context() as patch:
        for module in ("access.security", "context"):
            patch.setattr(f"tilesight.web.{module}.SETTINGS", settings)
        table = open_table(tmp_path_factory.mktemp("target"), players=(PLAYER, "Jón"))
        with serve_tables(table) as running:
            yield running


@pytest.fixture(scope="module")
def signed_in(target: RunningServer) -> dict[str, str]:
    """The headers of a device that is signed in; its cookie tells no token."""
    status, headers, _ = target.request("POST", "/api/session", {"token": TOKEN})
    cookie = headers["set-cookie"]
    assert status == 200
    assert {"HttpOnly", "SameSite=strict"} <= {part.strip() for part in cookie.split(";")}
    assert TOKEN not in cookie
    assert target.request("GET", f"{TABLE}/desk", headers={"Cookie": cookie.split(";")[0]})[0] == 200
    return {"Cookie": cookie.split(";")[0]}


def assert_harmless(
    target: RunningServer, answered: dict[str, str], body: bytes, *, is_open: bool = False
) -> None:
    """Nothing was told, nothing is changed, and a browser may do nothing with the answer, or only show it."""
    assert "set-cookie" not in answered
    assert not any(name.startswith("access-control-") for name in set(answered) - OPEN)
    assert is_open or not OPEN & set(answered)
    assert "server" not in answered
    assert answered["x-content-type-options"] == "nosniff"
    assert "content-security-policy" in answered
    assert TOKEN.encode() not in body
    assert not any(word in body for word in (b"/work", b"/tmp", b"/home", b"Traceback", b"site-packages"))
    assert target.json(TABLE)["sequence"] == 0


@pytest.mark.parametrize("name", ATTACKS)
def test_an_attack_changes_and_tells_nothing(
    target: RunningServer, signed_in: dict[str, str], name: str
) -> None:
    method, path, body, headers, expected = ATTACKS[name]
    sent = {key: value.replace("PORT", str(target.port)) for key, value in headers.items()}
    if headers.get("Cookie") == COOKIE["Cookie"]:
        sent |= signed_in
    status, answered, text = target.request(method, path, body, sent)
    # Python 3.12 and later parse bodies that are nested too deeply for 3.11; those are no commands.
    assert status == expected or (status == 422 and "nested" in name), text
    assert_harmless(target, answered, text, is_open=name in PATHS and path.startswith(("/api/", "/obs/")))


@pytest.mark.parametrize(
    ("path", "is_open"),
    [("/", False), ("/overlay", False), ("/console", False), ("/calibrate", False), ("/api", False),
     ("/obs/final/score", False), ("/assets/console.js", False), ("/openapi.json", False),
     ("/api/tables", True), (TABLE, True), (f"{TABLE}/game.gcg", True), ("/obs/final/score.txt", True)],
)  # fmt: skip
def test_what_everybody_may_see_tells_nothing_else(target: RunningServer, path: str, is_open: bool) -> None:
    status, answered, body = target.request("GET", path, headers={"Origin": "http://evil.example"})
    assert status == 200
    assert_harmless(target, answered, body, is_open=is_open)


HEAD = b"POST /api/tables/final/commands HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
BAD_REQUESTS = {
    "no host": b"GET /api/tables HTTP/1.1\r\n\r\n",
    "no host, HTTP/1.0": b"GET /api/tables HTTP/1.0\r\n\r\n",
    "two hosts": b"GET /api/tables HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\n\r\n",
    "another server's address": b"GET http://evil.example/ HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "a tunnel": b"CONNECT evil.example:443 HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "a header of 40 kB": b"GET /api/tables HTTP/1.1\r\nHost: localhost\r\nX: " + b"a" * 40000 + b"\r\n\r\n",
    "a path of 60 kB": b"GET /" + b"a" * 60000 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "HTTP/0.9": b"GET /api/tables\r\n\r\n",
    "a greeting of TLS": b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"\x00" * 40,
    "a space in a header's name": b"GET /api/tables HTTP/1.1\r\nHost : localhost\r\n\r\n",
    "a zero in a header": b"GET /api/tables HTTP/1.1\r\nHost: localhost\r\nX: a\x00b\r\n\r\n",
    "10 GB announced": HEAD + b"Content-Length: 10000000000\r\n\r\n",
    "a negative length": HEAD + b"Content-Length: -1\r\n\r\n",
    "two lengths": HEAD + b"Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}",
    "a length and chunks": HEAD + b"Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    "chunks in disguise": HEAD + b"Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n",
    "endless chunks": HEAD
    + b"Transfer-Encoding: chunked\r\n\r\n"
    + (b"1000\r\n" + b"[" * 4096 + b"\r\n") * 8,
}


@pytest.mark.parametrize("name", BAD_REQUESTS)
def test_what_is_no_proper_request_is_refused(target: RunningServer, name: str) -> None:
    with socket.create_connection(("127.0.0.1", target.port), timeout=60) as connection:
        connection.settimeout(3)
        answer = b""
        with contextlib.suppress(TimeoutError, ConnectionResetError, BrokenPipeError):
            connection.sendall(BAD_REQUESTS[name])
            answer = connection.recv(4096)
    assert not answer or answer.split(b" ")[1][:1] == b"4", answer
    assert target.json(TABLE)["sequence"] == 0
