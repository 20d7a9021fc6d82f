"""Send one JSON object by HTTP, and say whether it is worth another try."""

from __future__ import annotations

import hashlib
import hmac
import http.client
import json
import ssl
import string
import urllib.error
import urllib.parse
import urllib.request
from dataclasses import dataclass
from typing import Any

from vision.errors import SettingsError, summarize_error

__all__ = ["Address", "Answer", "send_json"]

RETRIED = frozenset({408, 425, 429})
"""Status codes below 500 that may go away: timeout, too early, too many requests."""
MAX_RETRY_AFTER_S = 300.0
"""Seconds that a server may ask to wait; chosen."""


@dataclass(frozen=True, slots=True)
class Address:
    """Where events are sent; messages show the host only, since the path may hold a secret.

    Parameters
    ----------
    url : str
        The address.

    Raises
    ------
    SettingsError
        If it is no address of HTTP, or has a name and a password.
    """

    url: str

    def __post_init__(self) -> None:
        try:
            parts = urllib.parse.urlsplit(self.url)
            is_valid = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
        except ValueError:
            parts, is_valid = None, False
        if parts is None or not is_valid or not self.url.isprintable() or " " in self.url:
            raise SettingsError(
                "--webhook: this is no address; write one such as https://example.org/tilesight"
            )
        if parts.username is not None:
            raise SettingsError(
                "--webhook: leave name and password out of the address; what is sent can be signed, see "
                "TILESIGHT_WEBHOOK_SECRET"
            )

    @property
    def host(self) -> str:
        """The host, for messages."""
        return urllib.parse.urlsplit(self.url).netloc

    @property
    def quoted(self) -> str:
        """The address as HTTP has it: path and query in ASCII."""
        parts = urllib.parse.urlsplit(self.url)
        path, query = (
            urllib.parse.quote(text, safe=string.punctuation) for text in (parts.path, parts.query)
        )
        return parts._replace(path=path, query=query).geturl()


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What became of a request.

    Parameters
    ----------
    problem : str
        What went wrong; empty if the server took it.
    is_final : bool
        Whether another try makes no sense.
    wait_s : float
        Seconds that the server asks to wait.
    """

    problem: str = ""
    is_final: bool = True
    wait_s: float = 0.0


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """Refuses redirects: a POST would become a GET, and the address is the user's to name."""

    def redirect_request(self, *_: Any, **__: Any) -> None:
        return None


_OPENER = urllib.request.build_opener(_NoRedirects)


def send_json(address: Address, body: dict[str, Any], *, key: str, secret: str, timeout_s: float) -> Answer:
    """Send a JSON object by POST.

    Parameters
    ----------
    address : Address
        Where to.
    body : dict
        The object.
    key : str
        What tells it from all others, for receivers that get it twice.
    secret : str
        Signs it (HMAC, SHA-256); empty for no signature.
    timeout_s : float
        Seconds without an answer after which it is given up.
    """
    data = json.dumps(body, ensure_ascii=False).encode()
    headers = {"Content-Type": "application/json", "User-Agent": "Tilesight", "Idempotency-Key": key}
    try:
        if secret:
            signature = hmac.new(secret.encode(), data, hashlib.sha256).hexdigest()
            headers["Tilesight-Signature"] = f"sha256={signature}"
        request = urllib.request.Request(address.quoted, data, headers, method="POST")
        with _OPENER.open(request, timeout=timeout_s):  # the status says it; what follows may come late
            return Answer()
    except urllib.error.HTTPError as error:
        with error:
            return _interpret_status(error.code, error.headers.get("Retry-After", ""))
    except (OSError, http.client.HTTPException) as error:
        return Answer(problem=_describe_failure(error), is_final=False)
    except ValueError as error:  # a host or a secret that has no bytes
        return Answer(problem=str(error))


def _describe_failure(error: Exception) -> str:
    """Say in one line why there is no answer, without characters that control a terminal."""
    if isinstance(error, urllib.error.URLError) and isinstance(error.reason, Exception):
        error = error.reason
    if isinstance(error, ssl.SSLCertVerificationError):
        return (
            f"its certificate is not trusted ({error.verify_message}); if its authority is not known here, name the "
            "authority's file in the environment variable SSL_CERT_FILE"
        )
    if isinstance(error, http.client.HTTPException) and not isinstance(error, OSError):
        return "its answer is not HTTP; check address and port"
    return summarize_error(error) or type(error).__name__


def _interpret_status(status: int, retry_after: str) -> Answer:
    is_final = status < 500 and status not in RETRIED
    wait_s = min(float(retry_after), MAX_RETRY_AFTER_S) if retry_after.isdecimal() else 0.0
    return Answer(problem=f"status {status}", is_final=is_final, wait_s=wait_s)
