"""Live cameras and streams, which are reopened when they fail.

A separate thread fetches the frames and keeps only the newest, so that a slow consumer gets fewer frames and never old
ones. A source that fails or stalls is opened again, after a pause that grows.
"""

from __future__ import annotations

import contextlib
import itertools
import re
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Protocol
from urllib.parse import urlsplit, urlunsplit

import cv2
import numpy as np

from vision.capture.images import silence_decoders
from vision.capture.lag import FrameSkipper, SlowStreamError
from vision.capture.pacing import FramePacer
from vision.capture.same_frames import report_same_frames
from vision.core import Frame, Image, Interruption, escape_name
from vision.errors import InputError, summarize_error

__all__ = ["Connection", "LiveSource", "ReconnectPolicy", "SourceWithoutFile", "open_camera", "open_stream"]

_CAMERA_SIZE_PX = (1920, 1080)
"""Width and height that a camera is asked for; V4L gives 640 x 480 otherwise, too few for accents. Chosen."""

_SECRET = re.compile(
    r"(?<![a-z])((?:password|passwd|passphrase|pass|loginpas|psw|pwd|token)=)[^&]*", re.IGNORECASE
)
"""A password in path or query; it may hold ``/``, ``?`` and ``#``."""


class Connection(Protocol):
    """An open camera or stream."""

    def read(self) -> Image:
        """Return the next picture, BGR; raise `InputError` if there is none."""

    def close(self) -> None:
        """Release it."""


class SourceWithoutFile:
    """What every live source answers: it has no file, and repeats no frame."""

    live = True

    def fingerprint(self, file: str) -> str:
        """Return "": a live source has no file."""
        return ""

    def resume_index(self, index: int, file: str, fingerprint: str = "") -> int:
        """Return -1: a live source does not repeat frames."""
        return -1


@dataclass(frozen=True, slots=True, kw_only=True)
class ReconnectPolicy:
    """Time limits of a live source; all chosen.

    Parameters
    ----------
    open_s : float
        Seconds within which a stream must open.
    stall_s : float
        Seconds without a frame after which a source counts as stalled.
    read_s : float
        Seconds without a picture after which a stream is opened again, and without the first one after which it counts
        as stalled. Longer than `stall_s`, because a playlist's segments, and the key frames with which a picture
        begins, may be 10 s apart, and the first conversion of 10 bits to BGR takes up to 12 s.
    report_s : float
        Seconds without a frame after which a fault is reported, from the fault on; longer than the first pause, so
        that a source that is soon back does not give two messages each time.
    first_pause_s, longest_pause_s : float
        Seconds before it is opened again; the pause doubles each time.
    idle_s : float
        Seconds between two interruptions while no frames come, by which its reader acts. Those that give no new reason
        have no message.
    """

    open_s: float = 10.0
    stall_s: float = 5.0
    read_s: float = 15.0
    report_s: float = 2.0
    first_pause_s: float = 0.5
    longest_pause_s: float = 15.0
    idle_s: float = 1.0


class LiveSource(SourceWithoutFile):
    """A camera or stream that is opened again when it fails.

    Parameters
    ----------
    name : str
        Its name as the user gave it, without a password.
    connect : callable
        Opens it; raises `InputError` if that fails.
    policy : ReconnectPolicy, optional
        The time limits.
    """

    def __init__(
        self, name: str, connect: Callable[[], Connection], policy: ReconnectPolicy | None = None
    ) -> None:
        self.name = name
        self._connect = connect
        self._policy = policy or ReconnectPolicy()
        self._first: Connection | None = connect()  # a wrong address is reported at once

    def frames(self, after: int = -1) -> Iterator[Frame | Interruption]:
        """Yield frames as they come, without end, and interruptions while none come."""
        items = self._frames(after)
        if not isinstance(self._first, _VideoConnection) or self._first.is_camera:
            return items
        return report_same_frames(
            items,
            f"{self.name}: all frames are the same so far; "
            "if the camera shows more than a still picture, it sends interlaced frames, "
            "which OpenCV does not decode; set it to progressive ones, such as 1080p",
        )

    def _frames(self, after: int) -> Iterator[Frame | Interruption]:
        mailbox = _LatestFrame()
        worker = threading.Thread(
            target=self._fetch, args=(mailbox,), name=f"capture {self.name}", daemon=True
        )
        worker.start()
        started_s = seen_s = time.monotonic()
        idle_from_s = gap_s = fault_s = 0.0
        message, reported = "", set[str]()  # why no frames come; empty while they do
        is_slow_reported = False
        number = itertools.count(after + 1)
        try:
            while True:
                policy = self._policy
                # A source of few frames is given twice its usual gap, so that not each of them gives two messages.
                usual_s = min(2 * gap_s, policy.longest_pause_s)
                due_s = seen_s + max(policy.stall_s, usual_s)
                if message:
                    due_s = min(due_s, fault_s + max(policy.report_s, usual_s))
                if idle_from_s:
                    due_s = idle_from_s + policy.idle_s
                picture, taken_s, fault = mailbox.take(max(0.0, due_s - time.monotonic()))
                if mailbox.is_slow and not is_slow_reported:
                    is_slow_reported = True
                    yield Interruption(
                        message=f"{self.name}: the stream is decoded more slowly than it is sent, and frames are left "
                        "out; set the camera to 1080p, to fewer frames a second, or to H.264",
                        over=True,
                    )
                if picture is None and fault:
                    fault_s = fault_s if message else time.monotonic()
                    if not message or reported:  # the first one says why it must be opened again
                        message = fault
                    continue
                if picture is None:
                    idle_from_s = time.monotonic()
                    stall_s = idle_from_s - seen_s
                    if not message and mailbox.is_fresh and stall_s < policy.read_s:
                        yield Interruption(message="")
                        continue
                    message = message or f"{self.name}: no frame for {stall_s:.0f} s"
                    is_new = message not in reported  # such as a password that was changed
                    yield Interruption(message=f"{message}; waiting for it to return" if is_new else "")
                    reported.add(message)
                    continue
                if reported:
                    yield Interruption(message=f"{self.name}: frames come again", over=True)
                message, reported, idle_from_s, gap_s, seen_s = "", set(), 0.0, taken_s - seen_s, taken_s
                yield Frame(
                    image_bgr=picture,
                    source=self.name,
                    index=next(number),
                    time_s=max(0.0, taken_s - started_s),
                )
        finally:
            mailbox.stop()
            # a camera is closed by then; the thread of a silent stream ends later
            worker.join(timeout=1.0)

    def _fetch(self, mailbox: _LatestFrame) -> None:
        """Fetch frames until the mailbox is stopped."""
        connection, self._first = self._first, None
        pause_s = self._policy.first_pause_s
        while not mailbox.stopped.is_set():
            try:
                if connection is None:
                    connection = self._connect()
                mailbox.is_fresh = True
                while not mailbox.stopped.is_set():
                    mailbox.put(connection.read())
                    pause_s = self._policy.first_pause_s
            except Exception as error:  # whatever a camera's driver raises must not end the thread unnoticed
                if isinstance(error, SlowStreamError):  # opened again, it has no frames that wait
                    mailbox.is_slow = True
                else:
                    is_named = isinstance(error, InputError)
                    mailbox.report(str(error) if is_named else f"{self.name}: {summarize_error(error)}")
                if connection is not None:
                    with contextlib.suppress(Exception):
                        connection.close()
                    connection = None
                mailbox.stopped.wait(pause_s)
                pause_s = min(2 * pause_s, self._policy.longest_pause_s)
        if connection is not None:
            connection.close()


class _LatestFrame:
    """The newest picture, or the latest fault, shared by two threads."""

    def __init__(self) -> None:
        self.stopped = threading.Event()
        self.is_slow = False
        self.is_fresh = True  # the connection gave no picture yet
        self._changed = threading.Condition()
        self._picture: Image | None = None
        self._taken_s = 0.0
        self._fault = ""

    def put(self, picture: Image) -> None:
        with self._changed:
            self._picture, self._taken_s, self._fault = picture, time.monotonic(), ""
            self.is_fresh = False
            self._changed.notify()

    def report(self, message: str) -> None:
        with self._changed:
            self._fault = message
            self._changed.notify()

    def take(self, timeout_s: float) -> tuple[Image | None, float, str]:
        """Wait for a picture or a fault; return the newest picture, its time, and the latest fault."""
        with self._changed:
            self._changed.wait_for(lambda: self._picture is not None or self._fault, timeout_s)
            picture, fault = self._picture, self._fault
            self._picture = None
            if picture is None:  # a fault that followed a picture is reported after it
                self._fault = ""
            return picture, self._taken_s, fault

    def stop(self) -> None:
        self.stopped.set()


def open_camera(number: int) -> LiveSource:
    """Open the camera of that number.

    Raises
    ------
    InputError
        If there is none, or it cannot be opened.
    """
    name = f"camera {number}"
    return LiveSource(name, lambda: _VideoConnection.open(number, name, ReconnectPolicy()))


def open_stream(address: str, policy: ReconnectPolicy | None = None) -> LiveSource:
    """Open the stream at an ``rtsp://``, ``http://``, ``rtmp://``, ``udp://`` or ``tcp://`` address.

    Parameters
    ----------
    address : str
        Its address.
    policy : ReconnectPolicy, optional
        The time limits.

    Raises
    ------
    InputError
        If the address is of another kind or not UTF-8, there is no response, it gives a single picture or a recording,
        or no picture comes.
    """
    name, policy = without_password(address), policy or ReconnectPolicy()
    if escape_name(address) != address:  # OpenCV would end the process
        raise InputError(f"{name}: the address is not UTF-8; percent-encode its letters")
    scheme = urlsplit(address).scheme.lower()
    if scheme in ("http", "https"):
        from vision.capture.mjpeg import MjpegConnection, recording_error

        def connect() -> Connection:
            stream = MjpegConnection.open(address, name, policy.stall_s)
            if stream is not None:
                return stream
            # What is not MJPEG may still be a video that FFmpeg can decode.
            video = _VideoConnection.open(address, name, policy)
            if video.has_end:
                video.close()
                raise recording_error(name)
            return video

        return LiveSource(name, connect, policy)
    if scheme in ("rtsp", "rtsps", "rtmp", "rtmps", "udp", "tcp"):
        return LiveSource(name, lambda: _VideoConnection.open(address, name, policy), policy)
    raise InputError(
        f"{name}: streams begin with rtsp://, http://, rtmp://, udp:// or tcp://; check the address, or convert the "
        "stream with a program such as FFmpeg: ffmpeg -i ADDRESS -c copy -f mpegts udp://127.0.0.1:5000"
    )


def without_password(address: str) -> str:
    """Return the address without its passwords, as it may be shown.

    Raises
    ------
    InputError
        If the host or port is not valid, as where a password holds ``/``, ``?``, ``#`` or ``[``. An ``@``
        after the host is refused, too: before it may be the rest of a password.
    """
    try:
        parts = urlsplit(address)
        _ = parts.port
        if "@" in parts.path + parts.query + parts.fragment:
            raise ValueError
    except ValueError:  # the error may hold the password
        scheme = address.partition("://")[0]
        raise InputError(
            f"{scheme}://...: host or port is not valid; check the address, and percent-encode the signs of a password"
        ) from None
    if parts.password is not None:
        host = parts.netloc.rpartition("@")[2]
        address = urlunsplit(parts._replace(netloc=f"{parts.username}:***@{host}"))
    return _SECRET.sub(r"\1***", address)


def _ask_for_size(capture: cv2.VideoCapture) -> bool:
    """Ask a camera for a large picture; its driver takes the nearest size. Return whether a frame comes."""
    if capture.getBackendName().startswith("V4L"):  # without compression, USB 2 gives 5 such frames a second
        capture.set(cv2.CAP_PROP_FOURCC, cv2.VideoWriter.fourcc(*"MJPG"))
    capture.set(cv2.CAP_PROP_FRAME_WIDTH, _CAMERA_SIZE_PX[0])
    capture.set(cv2.CAP_PROP_FRAME_HEIGHT, _CAMERA_SIZE_PX[1])
    return capture.read()[0]


class _VideoConnection:
    """A camera or stream that OpenCV reads."""

    def __init__(self, capture: cv2.VideoCapture, name: str, pacer: FramePacer | None) -> None:
        self._capture = capture
        self._name = name
        self._pacer = pacer
        self._skipper = FrameSkipper(self._grab)
        self._decoded_s = 0.0

    @classmethod
    def open(cls, target: int | str, name: str, policy: ReconnectPolicy) -> _VideoConnection:
        """Open a camera number or an address; raise `InputError` if that fails."""
        silence_decoders()
        if isinstance(target, int):
            capture = cv2.VideoCapture(target)
            if capture.isOpened() and not _ask_for_size(capture):
                capture.release()
                capture = cv2.VideoCapture(target)
        else:
            limits = [
                cv2.CAP_PROP_OPEN_TIMEOUT_MSEC, int(1000 * policy.open_s),
                cv2.CAP_PROP_READ_TIMEOUT_MSEC, int(1000 * policy.read_s),
            ]  # fmt: skip
            capture = cv2.VideoCapture(target, cv2.CAP_FFMPEG, limits)
        if not capture.isOpened():
            capture.release()
            if str(target).startswith("udp:"):  # FFmpeg listens, and asks for no user
                raise InputError(
                    f"{name}: nothing that can be decoded arrives; check the sender, the port and the firewall"
                )
            hint = (
                "is it plugged in, and free?"
                if isinstance(target, int)
                else "is it on? check address, user, password and network"
            )
            raise InputError(f"{name}: cannot be opened; {hint}")
        return cls(capture, name, FramePacer() if isinstance(target, str) else None)

    @property
    def is_camera(self) -> bool:
        """Whether it is a camera of this machine."""
        return self._pacer is None

    @property
    def has_end(self) -> bool:
        """Whether its number of frames is known, as that of a recording is."""
        return self._capture.get(cv2.CAP_PROP_FRAME_COUNT) > 0

    def read(self) -> Image:
        while True:
            # Also during a conversion, such as the first, frames are queued, which are then a burst.
            asked_s = self._decoded_s
            stamp_s = self._grab()
            if self._pacer is None:
                return self._convert()
            self._decoded_s = now_s = time.monotonic()
            hold_s = 0.0
            if not self._skipper.skips:
                hold_s = self._pacer.hold_s(stamp_s, asked_s, now_s)
                time.sleep(hold_s)
            if self._skipper.takes(stamp_s, now_s, hold_s):
                from_s = time.monotonic()
                image = self._convert()
                self._skipper.converted(time.monotonic() - from_s)
                return image

    def _grab(self) -> float:
        """Decode the next frame; return its time stamp in seconds."""
        if not self._capture.grab():
            raise InputError(f"{self._name}: the frames stopped")
        return self._capture.get(cv2.CAP_PROP_POS_MSEC) / 1000

    def _convert(self) -> Image:
        found, image = self._capture.retrieve()
        if not found:
            raise InputError(f"{self._name}: the frames stopped")
        return np.asarray(image, dtype=np.uint8)

    def close(self) -> None:
        self._capture.release()
