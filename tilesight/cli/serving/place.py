"""Where `tilesight serve` listens, and what it offers: addresses, certificate, and what is printed about them."""

from __future__ import annotations

import contextlib
import os
import re
import socket
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from tilesight.cli.messages import say
from vision.errors import InputError, SettingsError

if TYPE_CHECKING:
    from tilesight.web import ConsoleToken, Sessions

__all__ = [
    "Link",
    "ServedPlace",
    "check_hosts",
    "describe_phones",
    "describe_place",
    "describe_plain_pages",
    "find_certificate",
    "make_links",
    "open_plain_socket",
    "state_folder",
]

LOCAL, MAX_PORT = "127.0.0.1", 65535
_HOST_NAME = re.compile(r"[a-z0-9_-]+(\.[a-z0-9_-]+)*")
"""A name as a browser sends it, without a port."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ServedPlace:
    """Where the server listens, and for whom: host, port, further names, proxies, and the files of its certificate."""

    host: str
    port: int
    names: tuple[str, ...] = ()
    proxies: tuple[str, ...] = ()
    certificate: tuple[Path, Path] | None = None

    @property
    def is_open(self) -> bool:
        """Whether other machines reach the server."""
        return self.host not in ("127.0.0.1", "localhost", "::1")

    def url(self, port: int) -> str:
        """Return the address of the pages; `port` is the one that was taken."""
        shown = self.host if self.host not in ("0.0.0.0", "::") else socket.gethostname()
        scheme = "http" if self.certificate is None else "https"
        return f"{scheme}://{f'[{shown}]' if ':' in shown else shown}:{port}"

    def outside_url(self, port: int) -> str:
        """Return the address for a phone, which may not know this machine's name; empty if none is known."""
        from tilesight.web import find_network_address

        if self.proxies or not self.is_open:
            return ""
        address = find_network_address() if self.host in ("0.0.0.0", "::") else None
        return replace(self, host=address).url(port) if address is not None else self.url(port)


def check_hosts(names: Sequence[str], proxies: Sequence[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the server's further names and the proxies' addresses, as requests have them.

    Raises
    ------
    SettingsError
        If one of them can match no request.
    """
    from tilesight.web import spell_address

    hosts = tuple(map(_spell_host, names))
    for name, host in zip(names, hosts, strict=True):
        if not _HOST_NAME.fullmatch(host) and not spell_address(host):
            raise SettingsError(
                f"--allow-host {name}: is no host name; write it alone, such as board.example.org"
            )
    addresses = tuple(map(spell_address, proxies))
    for proxy, address in zip(proxies, addresses, strict=True):
        if not address:
            raise SettingsError(f"--proxy {proxy}: is no numeric address; write one such as 127.0.0.1")
    return hosts, addresses


def _spell_host(name: str) -> str:
    """Return a host name as browsers send it: a part with letters such as ö as ``xn--``."""
    parts = unicodedata.normalize("NFKC", name).lower().split(".")
    return ".".join(part if part.isascii() else "xn--" + part.encode("punycode").decode() for part in parts)


def state_folder() -> Path:
    """Return the folder for what is kept between runs."""
    return Path(os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state") / "tilesight"


def find_certificate(
    tls: str | None, cert: Path | None, key: Path | None, hosts: set[str]
) -> tuple[Path, Path] | None:
    """Find the files of the certificate that the options name; None without TLS.

    Parameters
    ----------
    tls : str or None
        ``self`` for a certificate of the server's own.
    cert, key : Path or None
        The files of another one.
    hosts : set of str
        Names and addresses of the server.

    Raises
    ------
    SettingsError
        If the options contradict each other, or a file does not fit.
    """
    import ssl

    from tilesight.web import find_network_address, load_own_certificate

    if tls not in (None, "self"):
        raise SettingsError(f"--tls {tls}: write --tls self, or name files with --tls-cert and --tls-key")
    if (cert is None) != (key is None) or (tls is not None and cert is not None):
        raise SettingsError("--tls-cert and --tls-key go together, and without --tls self")
    if tls == "self":
        known = {"localhost", "127.0.0.1", "::1", socket.gethostname(), *hosts}
        if known & {"0.0.0.0", "::"}:
            known |= {find_network_address() or "localhost"}
        known -= {"0.0.0.0", "::"}
        return load_own_certificate(state_folder(), known)
    if cert is None or key is None:
        return None
    try:
        ssl.create_default_context(ssl.Purpose.CLIENT_AUTH).load_cert_chain(cert, key)
    except (OSError, ssl.SSLError) as error:
        damaged = isinstance(error, ssl.SSLError)
        reason = "no certificate in PEM with its key" if damaged else error.strerror
        raise SettingsError(f"--tls-cert {cert} --tls-key {key}: {reason}") from error
    return cert, key


class Link(NamedTuple):
    """An address that signs browsers in: the name of its page, the address, and whether it is good once only."""

    name: str
    address: str
    is_once: bool = True


def make_links(url: str, sessions: Sessions, token: ConsoleToken | None, *, has_photos: bool) -> list[Link]:
    """Make the links that sign browsers in: to the console and the comments, if there are games, and to the photos."""
    from tilesight.web import Right

    links = []
    if token is not None:
        code = sessions.make_code(lifetime_s=None)
        links.append(Link("console", f"{url}/console#{code}"))
        links.append(Link("comments", f"{url}/commentary#{token.commentary}", is_once=False))
    if has_photos:
        code = sessions.make_code(lifetime_s=None, right=Right.PHOTOGRAPHER)
        links.append(Link("photos", f"{url}/photo#{code}"))
    return links


def describe_place(place: ServedPlace, url: str, links: Sequence[Link], token: str) -> None:
    """Print the addresses, the token and QR codes; warn where others can read what is sent."""
    from tilesight.web import draw_qr_text, fingerprint

    print(f"pages:   {url}/", flush=True)
    for link in links:
        use = "signs one browser in, once" if link.is_once else "read only"
        print(f"{link.name + ':':8} {link.address} ({use})", flush=True)
    if links:  # a hub has nothing to sign in to
        print(f"token:   {token}", flush=True)
    if place.certificate is not None:
        print(f"certificate: SHA-256 {fingerprint(place.certificate[0])}", flush=True)
    codes = [link for link in links if place.is_open and link.is_once]
    for link in codes:
        print(*[f"{link.name}:"] * (len(codes) > 1), draw_qr_text(link.address), sep="\n", flush=True)
    if links and place.is_open and place.certificate is None and not place.proxies:
        say(
            "the console is reached by http: everybody on this network can read the token; add --tls self, or serve "
            "on 127.0.0.1 behind a proxy or a tunnel"
        )


@contextlib.contextmanager
def open_plain_socket(place: ServedPlace, port: int) -> Iterator[socket.socket | None]:
    """Open a socket of this machine only, for pages without TLS; None where the pages have none anyway.

    OBS shows no page whose certificate it does not know.

    Parameters
    ----------
    place : ServedPlace
        Where the pages are served.
    port : int
        The port of the pages with TLS; the next one is taken, or any that is free.
    """
    from tilesight.web import open_listening_socket

    if place.certificate is None:
        yield None
        return
    try:
        opened = open_listening_socket(LOCAL, port + 1 if place.port and port < MAX_PORT else 0)
    except InputError:
        opened = open_listening_socket(LOCAL, 0)
    with contextlib.closing(opened):
        yield opened


def describe_plain_pages(plain: socket.socket | None) -> None:
    """Print the overlay's address for this machine, if it has one without TLS."""
    if plain is not None:
        print(f"for OBS: http://{LOCAL}:{plain.getsockname()[1]}/overlay (on this machine)", flush=True)


def describe_phones(place: ServedPlace, port: int) -> None:
    """Print how a phone becomes the camera, or why none can reach the server."""
    from tilesight.web import describe_problem

    print("phone:   open the console, press 'phone', and point the phone's camera at the code", flush=True)
    problem = "" if place.proxies else describe_problem(place.outside_url(port))
    if problem:
        say(problem)
