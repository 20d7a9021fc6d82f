"""A live source whose pictures are sent to it, such as those of a phone."""

from __future__ import annotations

import io
import itertools
import struct
import threading
import time
import warnings
from collections.abc import Iterator
from dataclasses import dataclass

from vision.capture.images import is_complete_jpeg, silence_decoders
from vision.capture.live import SourceWithoutFile
from vision.core import Frame, Interruption, decode_image
from vision.errors import InputError

__all__ = ["MAX_PUSHED_BYTES", "PushedPictures"]


@dataclass(frozen=True, slots=True, kw_only=True)
class PushedSettings:
    """The limits of pictures that are sent; all chosen."""

    max_bytes: int = 4_000_000
    """Bytes of one JPEG: 3840 x 2160 pixels at high quality have 3 million."""
    max_megapixels: float = 9.0
    """Pixels of one picture, in millions: 3840 x 2160 are 8.3."""
    min_side_px: int = 240
    """Side at least: a smaller picture cannot show the letters of 15 squares."""
    stall_s: float = 3.0
    """Seconds without a picture after which this is reported."""


SETTINGS = PushedSettings()
MAX_PUSHED_BYTES = SETTINGS.max_bytes


class PushedPictures(SourceWithoutFile):
    """A source for JPEG pictures that somebody puts into it; its reader gets the newest one.

    Parameters
    ----------
    name : str
        Its name, for messages.
    stall_s : float
        Seconds without a picture after which an interruption is reported.
    """

    def __init__(self, name: str, stall_s: float = SETTINGS.stall_s) -> None:
        self.name = name
        self.stall_s = stall_s
        self._changed = threading.Condition()
        self._newest: tuple[bytes, float] | None = None
        self._pause = ""
        self._is_closed = False

    def put(self, data: bytes) -> None:
        """Take a picture, which is decoded later, by the reader.

        Raises
        ------
        InputError
            If it is not a complete baseline JPEG, or too large.
        """
        _check_jpeg(data, self.name)
        with self._changed:
            self._newest = data, time.monotonic()
            self._pause = ""
            self._changed.notify()

    def pause(self, reason: str) -> None:
        """Report at once that no more pictures come for the moment, and why."""
        with self._changed:
            self._newest, self._pause = None, reason
            self._changed.notify()

    def close(self) -> None:
        """End the frames."""
        with self._changed:
            self._is_closed = True
            self._changed.notify()

    def frames(self, after: int = -1) -> Iterator[Frame | Interruption]:
        """Yield frames as they come, until the source is closed, and interruptions while none come."""
        silence_decoders()
        started_s = seen_s = time.monotonic()
        waiting, has_begun = False, False
        number = itertools.count(after + 1)
        while True:
            taken, reason = self._take(max(0.0, seen_s + self.stall_s - time.monotonic()) or self.stall_s)
            if self._is_closed:
                return
            image = decode_image(taken[0]) if taken is not None else None
            if taken is None or image is None:
                is_late = time.monotonic() - seen_s >= self.stall_s
                if not waiting and (reason or is_late):
                    reason = reason or (
                        f"no picture for {self.stall_s:.0f} s" if has_begun else "no picture yet"
                    )
                    yield Interruption(message=f"{self.name}: {reason}; waiting for it")
                    waiting = True
                continue
            if waiting:
                yield Interruption(message=f"{self.name}: pictures come again", over=True)
            waiting, has_begun, seen_s = False, True, taken[1]
            yield Frame(
                image_bgr=image, source=self.name, index=next(number), time_s=max(0.0, seen_s - started_s)
            )

    def _take(self, timeout_s: float) -> tuple[tuple[bytes, float] | None, str]:
        """Wait for a picture or a pause; return the newest picture with its time, or the pause's reason."""
        with self._changed:
            self._changed.wait_for(lambda: self._newest or self._pause or self._is_closed, timeout_s)
            taken, reason = self._newest, self._pause
            self._newest, self._pause = None, ""
            return taken, reason


def _check_jpeg(data: bytes, name: str) -> None:
    """Check a JPEG without decoding it; raise `InputError` if it is refused."""
    if len(data) > SETTINGS.max_bytes:
        raise InputError(f"{name}: a picture has at most {SETTINGS.max_bytes} bytes; choose a smaller one")
    if not data.startswith(b"\xff\xd8") or not is_complete_jpeg(data):
        raise InputError(f"{name}: this is not a complete JPEG")
    from PIL import Image  # only its header parser; slow to import at start-up

    try:
        with (
            warnings.catch_warnings(action="ignore"),
            Image.open(io.BytesIO(data), formats=["JPEG"]) as header,
        ):
            width, height = header.size
            # A progressive JPEG of a few bytes can take minutes to decode. Browsers make baseline ones.
            is_baseline = not header.info.get("progressive")
    except Image.DecompressionBombError as error:
        raise InputError(f"{name}: far too many pixels; choose a smaller picture") from error
    except (OSError, SyntaxError, ValueError, struct.error, RuntimeError) as error:
        raise InputError(f"{name}: the JPEG's header is damaged") from error
    if width * height > SETTINGS.max_megapixels * 1_000_000:
        raise InputError(
            f"{name}: {width}x{height} pixels are too many; at most {SETTINGS.max_megapixels:.0f} megapixels are read"
        )
    if min(width, height) < SETTINGS.min_side_px:
        raise InputError(f"{name}: {width}x{height} pixels cannot show a board; choose a larger picture")
    if not is_baseline:
        raise InputError(f"{name}: send baseline JPEGs, not progressive ones")
