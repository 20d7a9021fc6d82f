"""Cameras and streams: frames as they come, and patience while they don't.

A thread of its own fetches frames and keeps the newest alone, so that a slow reader sees fewer frames and never old
ones. What fails or stalls is opened again, after a pause that grows.
"""

from __future__ import annotations

import contextlib
import itertools
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Protocol
from urllib.parse import urlsplit, urlunsplit

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.capture.images import silence_decoders
from vision.core import Frame, Interruption
from vision.errors import InputError

__all__ = ["Connection", "LiveSource", "ReconnectPolicy", "open_camera", "open_stream"]

Picture = NDArray[np.uint8]


class Connection(Protocol):
    """An opened camera or stream."""

    def read(self) -> Picture:
        """The next picture, BGR; raises InputError where none comes."""

    def close(self) -> None:
        """Lets go of it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReconnectPolicy:
    """How long to wait for what.

    Parameters
    ----------
    open_s : float
        Seconds until a stream must have been opened.
    stall_s : float
        Seconds without a frame after which a source is said to stall, and opened again.
    first_pause_s, longest_pause_s : float
        Seconds before it is opened again; each time twice as long.
    """

    open_s: float = 10.0
    stall_s: float = 5.0
    first_pause_s: float = 0.5
    longest_pause_s: float = 15.0


class LiveSource:
    """A camera or a stream that is opened again when it fails.

    Parameters
    ----------
    name : str
        What the user called it, without a password.
    connect : callable
        Opens it; raises InputError where that fails.
    patience : Patience
        How long to wait.
    """

    live = True

    def __init__(
        self, name: str, connect: Callable[[], Connection], patience: ReconnectPolicy | None = None
    ) -> None:
        self.name = name
        self._connect = connect
        self._patience = patience or ReconnectPolicy()
        self._first: Connection | None = connect()  # an address that is wrong is said at once

    def fingerprint(self, file: str) -> str:
        """None: what is live has no file."""
        return ""

    def resume_index(self, index: int, file: str, fingerprint: str = "") -> int:
        """Never one of these: what is seen is now."""
        return -1

    def frames(self, after: int = -1) -> Iterator[Frame | Interruption]:
        """Frames as they come, without end; word of an interruption where they don't."""
        mailbox = _LatestFrame()
        worker = threading.Thread(
            target=self._fetch, args=(mailbox,), name=f"capture {self.name}", daemon=True
        )
        worker.start()
        started_s, waiting = time.monotonic(), False
        number = itertools.count(after + 1)
        try:
            while True:
                picture, taken_s, trouble = mailbox.take(self._patience.stall_s)
                if picture is None:
                    message = trouble or f"no frame for {self._patience.stall_s:.0f} s"
                    if not waiting:
                        yield Interruption(message=f"{self.name}: {message}; waiting for it to return")
                    waiting = True
                    continue
                if waiting:
                    yield Interruption(message=f"{self.name}: frames come again", over=True)
                    waiting = False
                yield Frame(
                    image_bgr=picture,
                    source=self.name,
                    index=next(number),
                    time_s=max(0.0, taken_s - started_s),
                )
        finally:
            mailbox.stop()
            worker.join(timeout=self._patience.stall_s)

    def _fetch(self, mailbox: _LatestFrame) -> None:
        """Fetches frames until the mailbox is stopped."""
        connection, self._first = self._first, None
        pause_s = self._patience.first_pause_s
        while not mailbox.stopped.is_set():
            try:
                if connection is None:
                    connection = self._connect()
                while not mailbox.stopped.is_set():
                    mailbox.put(connection.read())
                    pause_s = self._patience.first_pause_s
            except InputError as error:
                mailbox.complain(str(error))
                if connection is not None:
                    with contextlib.suppress(OSError):
                        connection.close()
                    connection = None
                mailbox.stopped.wait(pause_s)
                pause_s = min(2 * pause_s, self._patience.longest_pause_s)
        if connection is not None:
            connection.close()


class _LatestFrame:
    """Holds the newest picture, or the latest trouble, between two threads."""

    def __init__(self) -> None:
        self.stopped = threading.Event()
        self._changed = threading.Condition()
        self._picture: Picture | None = None
        self._taken_s = 0.0
        self._trouble = ""

    def put(self, picture: Picture) -> None:
        with self._changed:
            self._picture, self._taken_s, self._trouble = picture, time.monotonic(), ""
            self._changed.notify()

    def complain(self, message: str) -> None:
        with self._changed:
            self._trouble = message
            self._changed.notify()

    def take(self, timeout_s: float) -> tuple[Picture | None, float, str]:
        """The newest picture and when it came, once there is one; None and the trouble where none came in time."""
        with self._changed:
            self._changed.wait_for(lambda: self._picture is not None or self._trouble, timeout_s)
            picture, trouble = self._picture, self._trouble
            self._picture = None
            if picture is None:  # trouble that came after a picture is told after it
                self._trouble = ""
            return picture, self._taken_s, trouble

    def stop(self) -> None:
        self.stopped.set()


def open_camera(number: int, patience: ReconnectPolicy | None = None) -> LiveSource:
    """The camera of that number.

    Raises
    ------
    InputError
        If there is none, or it gives no picture.
    """
    return LiveSource(
        f"camera {number}",
        lambda: _VideoConnection.open(number, f"camera {number}", patience or ReconnectPolicy()),
        patience,
    )


def open_stream(address: str, patience: ReconnectPolicy | None = None) -> LiveSource:
    """The stream at an ``rtsp://`` or ``http://`` address.

    Raises
    ------
    InputError
        If the address is of another kind, nobody answers there, or no picture comes.
    """
    name, patience = without_password(address), patience or ReconnectPolicy()
    scheme = urlsplit(address).scheme.lower()
    if scheme in ("http", "https"):
        from vision.capture.mjpeg import MjpegConnection

        def connect() -> Connection:
            stream = MjpegConnection.open(address, name, patience.stall_s)
            # What is no series of JPEG pictures may still be a film that FFmpeg can follow.
            return stream or _VideoConnection.open(address, name, patience)

        return LiveSource(name, connect, patience)
    if scheme in ("rtsp", "rtsps", "rtmp", "udp", "tcp"):
        return LiveSource(name, lambda: _VideoConnection.open(address, name, patience), patience)
    raise InputError(f"{name}: streams begin with rtsp:// or http://; check the address")


def without_password(address: str) -> str:
    """The address as it may be shown."""
    parts = urlsplit(address)
    if parts.password is None:
        return address
    host = parts.netloc.rpartition("@")[2]
    return urlunsplit(parts._replace(netloc=f"{parts.username}:***@{host}"))


class _VideoConnection:
    """A camera or stream that OpenCV opens."""

    def __init__(self, capture: cv2.VideoCapture, name: str) -> None:
        self._capture = capture
        self._name = name

    @classmethod
    def open(cls, what: int | str, name: str, patience: ReconnectPolicy) -> _VideoConnection:
        """Opens it; raises InputError where that fails."""
        silence_decoders()
        if isinstance(what, int):
            capture = cv2.VideoCapture(what)
        else:
            limits = [
                cv2.CAP_PROP_OPEN_TIMEOUT_MSEC, int(1000 * patience.open_s),
                cv2.CAP_PROP_READ_TIMEOUT_MSEC, int(1000 * patience.stall_s),
            ]  # fmt: skip
            capture = cv2.VideoCapture(what, cv2.CAP_FFMPEG, limits)
        if not capture.isOpened():
            capture.release()
            hint = (
                "is it plugged in, and free?"
                if isinstance(what, int)
                else "check the address and the network"
            )
            raise InputError(f"{name}: cannot be opened; {hint}")
        return cls(capture, name)

    def read(self) -> Picture:
        found, image = self._capture.read()
        if not found:
            raise InputError(f"{self._name}: the frames stopped")
        return np.asarray(image, dtype=np.uint8)

    def close(self) -> None:
        self._capture.release()
