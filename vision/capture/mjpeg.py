"""Series of JPEG pictures over HTTP, as phones and network cameras send them."""

from __future__ import annotations

import http.client
import urllib.error
import urllib.request
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.errors import InputError

__all__ = ["MjpegConnection"]

MAX_BYTES = 32_000_000
"""Of one picture; what goes on for longer without an end is no JPEG."""
START, END = b"\xff\xd8", b"\xff\xd9"


class MjpegConnection:
    """An opened series of pictures.

    Use `MjpegConnection.open`.
    """

    def __init__(self, response: Any, name: str) -> None:
        self._response = response
        self._name = name
        self._buffer = bytearray()

    @classmethod
    def open(cls, address: str, name: str, timeout_s: float) -> MjpegConnection | None:
        """The series at an address; None if something else is there.

        Parameters
        ----------
        address : str
            Its address.
        name : str
            The address without a password, for messages.
        timeout_s : float
            Seconds to wait for an answer, and for each part of it.

        Raises
        ------
        InputError
            If nobody answers, or the answer is a refusal.
        """
        try:
            response = urllib.request.urlopen(address, timeout=timeout_s)
        except urllib.error.HTTPError as error:
            raise InputError(
                f"{name}: the server refuses ({error.code} {error.reason}); check the address"
            ) from error
        except (OSError, http.client.HTTPException, ValueError) as error:
            reason = getattr(error, "reason", None) or error
            raise InputError(
                f"{name}: nobody answers ({reason}); check the address and the network"
            ) from error
        if response.headers.get_content_maintype() != "multipart":
            response.close()
            return None
        return cls(response, name)

    def read(self) -> NDArray[np.uint8]:
        """The next picture, BGR.

        Raises
        ------
        InputError
            If none comes.
        """
        while True:
            image = cv2.imdecode(np.frombuffer(self._next_jpeg(), np.uint8), cv2.IMREAD_COLOR)
            if image is not None:  # one that was damaged on its way is left out
                return np.asarray(image, dtype=np.uint8)

    def _next_jpeg(self) -> bytes:
        while True:
            start = self._buffer.find(START)
            # Thumbnails end within a picture, too, but the parts of a series carry none.
            end = self._buffer.find(END, start + 2) if start >= 0 else -1
            if end >= 0:
                picture = bytes(self._buffer[start : end + 2])
                del self._buffer[: end + 2]
                return picture
            if len(self._buffer) > MAX_BYTES:
                raise InputError(f"{self._name}: {MAX_BYTES} bytes without a whole picture; is it a camera?")
            try:
                part = self._response.read1(65536)
            except (OSError, http.client.HTTPException) as error:
                raise InputError(f"{self._name}: the frames stopped ({error})") from error
            if not part:
                raise InputError(f"{self._name}: the server ended the stream")
            self._buffer += part

    def close(self) -> None:
        """Ends the connection."""
        self._response.close()
