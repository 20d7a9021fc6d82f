"""The console's token: what it is, and how a browser keeps it."""

from __future__ import annotations

import hashlib
import hmac
import secrets

from vision.errors import SettingsError

__all__ = ["COOKIE", "ConsoleToken"]

COOKIE = "tilesight-console"
LEAST_LENGTH = 16


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
        if len(self.text) < LEAST_LENGTH or not all(
            c.isascii() and (c.isalnum() or c in "-_") for c in self.text
        ):
            raise SettingsError(
                f"token: {len(self.text)} characters; give at least {LEAST_LENGTH} letters, digits, - or _"
            )
        self.cookie = hmac.new(self.text.encode(), b"tilesight console", hashlib.sha256).hexdigest()

    def matches(self, text: str) -> bool:
        """Whether this is the token, in a time that does not tell how much of it is right."""
        return secrets.compare_digest(self.text.encode(), text.encode())

    def matches_cookie(self, value: str) -> bool:
        """Whether this is the cookie, in a time that does not tell how much of it is right."""
        return secrets.compare_digest(self.cookie.encode(), value.encode())
