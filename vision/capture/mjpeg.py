"""MJPEG over HTTP: a series of JPEG pictures, as phones and network cameras send them."""

from __future__ import annotations

import contextlib
import http.client
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit, urlunsplit

from vision.capture.images import decode_picture, find_segments
from vision.core import Image
from vision.errors import InputError, summarize_error

__all__ = ["MjpegConnection", "recording_error"]

_MAX_BYTES = 32_000_000
"""Size of one picture at most; more bytes without an end marker are no JPEG (chosen)."""

_LONGEST_PICTURE_S = 30.0
"""Seconds within which a picture that has begun must be whole: links may be slow (chosen)."""

_START, _END = b"\xff\xd8", b"\xff\xd9"
"""JPEG markers: start and end of image."""


class MjpegConnection:
    """An open MJPEG stream, from `MjpegConnection.open`."""

    def __init__(self, response: Any, name: str, timeout_s: float) -> None:
        self._response = response
        self._name = name
        self._timeout_s = timeout_s
        self._buffer = bytearray()

    @classmethod
    def open(cls, address: str, name: str, timeout_s: float) -> MjpegConnection | None:
        """Open the stream at an address; return None if the response is no multipart series.

        Parameters
        ----------
        address : str
            Its address, with user and password where the camera asks for them.
        name : str
            The address without a password, for messages.
        timeout_s : float
            Seconds to wait for a response, for each part of it, and for a picture to begin.

        Raises
        ------
        InputError
            If there is no response, or it is an error, a single picture, a web page, sound, a DASH stream or a
            recording.
        """
        try:
            response = _request(address, timeout_s)
        except urllib.error.HTTPError as error:
            reason = summarize_error(f"{error.code} {error.reason}")
            raise InputError(f"{name}: the server refuses ({reason}); check the address") from error
        except (OSError, http.client.HTTPException, ValueError) as error:
            reason = summarize_error(getattr(error, "reason", None) or error)
            raise InputError(f"{name}: no response ({reason}); check the address and the network") from error
        kind = response.headers.get_content_maintype()
        if kind == "multipart":
            return cls(response, name, timeout_s)
        response.close()
        if kind == "image":
            raise InputError(f"{name}: this address gives a single picture; name that of the camera's video")
        content = response.headers.get_content_type()
        if content == "text/html":
            raise InputError(f"{name}: a web page; name the address of the camera's video, such as .../video")
        if kind == "audio" and not content.endswith("mpegurl"):  # playlists are of that kind, too
            raise InputError(f"{name}: sound without pictures; name the address of the camera's video")
        if content == "application/dash+xml" or urlsplit(address).path.endswith(".mpd"):
            raise InputError(
                f"{name}: a DASH stream, which is not decoded; name the camera's RTSP or HLS address"
            )
        if kind == "video" and "Content-Length" in response.headers:
            raise recording_error(name)
        return None

    def read(self) -> Image:
        """Return the next picture, BGR.

        Raises
        ------
        InputError
            If the stream ends or fails, or gives no picture for `timeout_s`; one that has begun has longer.
        """
        # The socket's limit is for each part, and a stream may trickle.
        started_s = time.monotonic()
        is_damaged = False
        while True:
            while data := self._take_jpeg():
                # A picture that was damaged in transit, or has more pixels than those of files may have, is skipped.
                with contextlib.suppress(InputError):
                    return decode_picture(data, Path(self._name)).image_bgr
                is_damaged = True
            is_arriving = _START in self._buffer and not is_damaged
            limit_s = _LONGEST_PICTURE_S if is_arriving else self._timeout_s
            if time.monotonic() >= started_s + limit_s:
                break
            self._receive()
        if is_damaged:
            raise InputError(
                f"{self._name}: no frame of the last {limit_s:.0f} s can be decoded; "
                "set the camera to another size or quality"
            )
        raise InputError(f"{self._name}: no frame for {limit_s:.0f} s")

    def _take_jpeg(self) -> bytes:
        """Return the bytes of the next picture, if it is whole; else none."""
        start = self._buffer.find(_START)
        end = self._buffer.find(_END, find_segments(self._buffer, start)[1]) if start >= 0 else -1
        if end < 0:
            return b""
        picture = bytes(self._buffer[start : end + 2])
        del self._buffer[: end + 2]
        return picture

    def _receive(self) -> None:
        """Add the next part of the stream to the buffer."""
        if len(self._buffer) > _MAX_BYTES:
            raise InputError(f"{self._name}: {_MAX_BYTES} bytes without a whole picture; is it a camera?")
        try:
            part = self._response.read1(65536)
        except (OSError, http.client.HTTPException) as error:
            raise InputError(f"{self._name}: the frames stopped ({summarize_error(error)})") from error
        if not part:
            raise InputError(f"{self._name}: the server ended the stream")
        self._buffer += part

    def close(self) -> None:
        """Close the connection."""
        self._response.close()


def recording_error(name: str) -> InputError:
    """Return the error for an address that gives a recording: it would be shown again and again."""
    return InputError(f"{name}: a recording, and no live video; download it, and name the file")


def _request(address: str, timeout_s: float) -> Any:
    """Request an address; its user and password are sent as the server asks for them, Basic or Digest."""
    parts = urlsplit(address)
    # urllib takes a user and a password for a part of the host, and would print them.
    bare = urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2]))
    logins = urllib.request.HTTPPasswordMgrWithDefaultRealm()
    if parts.username is not None:
        user, password = unquote(parts.username), unquote(parts.password or "")
        logins.add_password(None, urlunsplit(urlsplit(bare)._replace(path="/", query="")), user, password)
    opener = urllib.request.build_opener(
        urllib.request.HTTPDigestAuthHandler(logins), urllib.request.HTTPBasicAuthHandler(logins)
    )
    return opener.open(bare, timeout=timeout_s)
