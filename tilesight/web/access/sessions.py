"""The sessions of devices that signed in: each can be listed and revoked; a code opens one, once."""

from __future__ import annotations

import hashlib
import json
import secrets
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from tilesight.web.access.rights import Right
from tilesight.web.access.security import ConsoleToken
from tilesight.web.settings import SETTINGS
from vision.core import write_file
from vision.errors import InputError

__all__ = ["Session", "Sessions"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """A device that signed in.

    Parameters
    ----------
    name : str
        What the list calls it: a number that says nothing about the cookie.
    device : str
        The browser, as it calls itself.
    address : str
        The address of its last request.
    opened_s, used_s : float
        When it was opened and last used, in seconds since 1970.
    right : Right
        What the device may do.
    """

    name: str
    device: str
    address: str
    opened_s: float
    used_s: float
    right: Right = Right.OPERATOR


class Sessions:
    """The sessions of a server.

    A cookie holds a random number, its right, its time, and the token's signature of these, so that it is still good
    after a restart with the same token. What was revoked is kept in a file.

    Parameters
    ----------
    token : ConsoleToken
        The console's token.
    store : Path, optional
        The file for what was revoked; without one, it is forgotten when the server ends.
    now : callable
        Seconds since 1970.
    """

    def __init__(
        self, token: ConsoleToken, store: Path | None = None, now: Callable[[], float] = time.time
    ) -> None:
        self._token = token
        self._store = store
        self._now = now
        self._known: OrderedDict[str, Session] = OrderedDict()
        self._codes: dict[str, tuple[float, Right]] = {}
        self._revoked = self._load()

    def open(self, device: str, address: str, right: Right = Right.OPERATOR) -> str:
        """Open a session and return its cookie.

        Parameters
        ----------
        device : str
            The browser, as it calls itself.
        address : str
            The address of the request.
        right : Right
            What the device may do.
        """
        part = "" if right is Right.OPERATOR else f".{right.value}"
        payload = f"{secrets.token_urlsafe(24)}{part}.{int(self._now())}"
        self._remember(payload, device, address, right)
        return f"{payload}.{self._token.sign(payload)}"

    def find(self, cookie: str, device: str = "", address: str = "") -> Session | None:
        """Return the session of a cookie; None if it is not valid.

        Parameters
        ----------
        cookie : str
            The cookie.
        device, address : str
            As for `open`.
        """
        payload, _, signature = cookie.rpartition(".")
        if not payload or not self._token.matches_signature(payload, signature):
            return None
        opened = payload.rpartition(".")[2]
        is_old = not opened.isdecimal() or self._now() - int(opened) > SETTINGS.cookie_age_s
        right = right_of(payload)
        if is_old or right is None or name_of(payload) in self._revoked:
            return None
        return self._remember(payload, device, address, right)

    def _remember(self, payload: str, device: str, address: str, right: Right) -> Session:
        name, now_s = name_of(payload), self._now()
        known = self._known.pop(name, None)
        session = (
            replace(known, address=address or known.address, used_s=now_s)
            if known is not None
            else Session(
                name=name,
                device=device[: SETTINGS.max_device],
                address=address,
                opened_s=float(payload.rpartition(".")[2]),
                used_s=now_s,
                right=right,
            )
        )
        self._known[name] = session
        while len(self._known) > SETTINGS.max_sessions:
            self._known.popitem(last=False)
        return session

    @property
    def sessions(self) -> tuple[Session, ...]:
        """The sessions that were used since the server started, the last one used first."""
        return tuple(reversed(self._known.values()))

    def revoke(self, name: str) -> bool:
        """Revoke a session; return whether there was one of that name."""
        if name not in self._known:
            return False
        revoked = frozenset({*self._revoked, name})
        if self._store is not None:
            write_file(self._store, json.dumps(sorted(revoked)).encode())
        self._revoked = revoked
        del self._known[name]
        return True

    def make_code(
        self, lifetime_s: float | None = SETTINGS.code_lifetime_s, right: Right = Right.OPERATOR
    ) -> str:
        """Return a code that opens one session.

        Parameters
        ----------
        lifetime_s : float or None
            Seconds for which it is good; None lets it live until it is used.
        right : Right
            What the device may do that uses it.
        """
        self._codes = {code: entry for code, entry in self._codes.items() if entry[0] > self._now()}
        while len(self._codes) >= SETTINGS.max_codes:
            self._codes.pop(next(iter(self._codes)))
        code = secrets.token_urlsafe(15)
        until_s = float("inf") if lifetime_s is None else self._now() + lifetime_s
        self._codes[code] = (until_s, right)
        return code

    def use_code(self, code: str) -> Right | None:
        """Use up a code; return the right that it gives, or None if it was not good."""
        until_s, right = self._codes.pop(code, (0.0, None))
        return right if until_s > self._now() else None

    def _load(self) -> frozenset[str]:
        if self._store is None or not self._store.exists():
            return frozenset()
        try:
            names = json.loads(self._store.read_text())
            return frozenset(str(name) for name in names)
        except (OSError, ValueError, TypeError) as error:
            raise InputError(f"{self._store}: no list of revoked sessions; remove the file") from error


def name_of(payload: str) -> str:
    """Return the name of a session, which does not tell its cookie."""
    return hashlib.sha256(payload.encode()).hexdigest()[:16]


def right_of(payload: str) -> Right | None:
    """Return the right that is part of a cookie; None if there is no such right."""
    parts = payload.split(".")[1:-1]
    if not parts:
        return Right.OPERATOR
    return Right(parts[0]) if parts[0] in list(Right) else None
