"""Who may do what: rights, the token, sessions of devices, and the limits of requests."""

from tilesight.web.access.rate_limits import ConnectionLimit, TokenBucket, normalise_address, spell_address
from tilesight.web.access.rights import Identity, Right
from tilesight.web.access.security import IDENTITY, IS_OPEN, ConsoleToken, SecurityMiddleware, name_cookie
from tilesight.web.access.sessions import Session, Sessions

__all__ = [
    "IDENTITY",
    "IS_OPEN",
    "ConnectionLimit",
    "ConsoleToken",
    "Identity",
    "Right",
    "SecurityMiddleware",
    "Session",
    "Sessions",
    "TokenBucket",
    "name_cookie",
    "normalise_address",
    "spell_address",
]
