"""Where frames come from: one door for folders, films, cameras and streams."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import cv2
import numpy as np

from vision.capture.fingerprint import fingerprint
from vision.capture.images import list_pictures, open_picture, silence_decoders
from vision.core import Frame, Interruption
from vision.errors import InputError

__all__ = ["PictureFolder", "Source", "VideoFile", "open_source"]

FOLDER_FPS = 5.0
"""A folder does not say when its pictures were taken; five a second are enough to see a hand come and go."""
MIN_FPS, MAX_FPS = 0.1, 1000.0


class Source(Protocol):
    """Anything that gives frames in their order."""

    @property
    def name(self) -> str:
        """What the user called it."""

    @property
    def live(self) -> bool:
        """Whether it is happening now: frames that are not fetched in time are lost."""

    def frames(self, after: int = -1) -> Iterator[Frame | Interruption]:
        """The frames after the one of that number, to the source's end if it has one."""

    def fingerprint(self, file: str) -> str:
        """What tells the file of that name, which showed a frame, from all others; "" of what is live."""

    def resume_index(self, index: int, file: str, fingerprint: str = "") -> int:
        """Which of its frames an event of a journal was seen in; -1 if it was none of these.

        Parameters
        ----------
        index : int
            The frame's number then.
        file : str
            Its file's name then; "" where that is not known.
        fingerprint : str
            What tells the file from all others: it counts whatever the names are, and the name where it is "".
        """


def open_source(text: str, fps: float | None = None) -> Source:
    """The source that a user names.

    Parameters
    ----------
    text : str
        A camera's number, an ``rtsp://`` or ``http://`` address, a film file or a folder of pictures.
    fps : float, optional
        Frames a second of a folder's pictures, or of a film that does not say.

    Raises
    ------
    InputError
        If there is no such source, or it cannot be opened.
    """
    if text.isdecimal() and not Path(text).exists():
        from vision.capture.live import open_camera

        return open_camera(int(text))
    if "://" in text:
        from vision.capture.live import open_stream

        return open_stream(text)
    path = Path(text)
    if path.is_dir():
        return PictureFolder(path=path, fps=fps or FOLDER_FPS)
    if not path.exists():
        raise InputError(
            f"{text}: there is no such file or folder; name a film, a folder of pictures, a camera's number, "
            "or an rtsp:// or http:// address"
        )
    return VideoFile.open(path, fps)


@dataclass(frozen=True, slots=True)
class PictureFolder:
    """A folder whose pictures are a film's frames, in name order.

    Parameters
    ----------
    path : Path
        The folder.
    fps : float
        How many of its pictures make a second.
    """

    path: Path
    fps: float = FOLDER_FPS

    @property
    def name(self) -> str:
        """The folder's name."""
        return str(self.path)

    @property
    def live(self) -> bool:
        """Never: its pictures wait."""
        return False

    def fingerprint(self, file: str) -> str:
        """The checksum of the picture of that name."""
        return fingerprint(self.path / file) if file else ""

    def resume_index(self, index: int, file: str, fingerprint: str = "") -> int:
        """The number of that picture, which may have another name and place by now; -1 if it is not there."""
        if not fingerprint and not file:
            return index
        pictures = list_pictures(self.path)
        # Most often it has its name still.
        for number, path in sorted(enumerate(pictures), key=lambda item: item[1].name != file):
            if self.fingerprint(path.name) == fingerprint if fingerprint else path.name == file:
                return number
        return -1

    def frames(self, after: int = -1) -> Iterator[Frame | Interruption]:
        """Each picture after the one of that number; one that cannot be read is an interruption.

        Raises
        ------
        InputError
            If the folder holds no picture.
        """
        for index, path in enumerate(list_pictures(self.path)):
            if index <= after:
                continue
            try:
                yield open_picture(path, index, index / self.fps)
            except InputError as error:
                yield Interruption(message=str(error))


@dataclass(frozen=True, slots=True)
class VideoFile:
    """A recorded film.

    Parameters
    ----------
    path : Path
        The file.
    fps : float
        Frames a second.
    """

    path: Path
    fps: float

    @classmethod
    def open(cls, path: Path, fps: float | None = None) -> VideoFile:
        """The film in a file, once its first frame is known to decode.

        Raises
        ------
        InputError
            If the file is no film, or its codec is missing.
        """
        capture = _opened(path)
        try:
            said = float(capture.get(cv2.CAP_PROP_FPS))
            if not capture.read()[0]:
                raise InputError(
                    f"{path}: no frame of this film can be decoded; is it cut short, or its codec missing? "
                    "convert it with: ffmpeg -i FILM -c:v libx264 out.mp4"
                )
        finally:
            capture.release()
        return cls(path=path, fps=fps or (said if MIN_FPS <= said <= MAX_FPS else 25.0))

    @property
    def name(self) -> str:
        """The file's name."""
        return str(self.path)

    @property
    def live(self) -> bool:
        """Never: a file waits."""
        return False

    def fingerprint(self, file: str) -> str:
        """The checksum of the film's first frames."""
        return fingerprint(self.path, growing=True)

    def resume_index(self, index: int, file: str, fingerprint: str = "") -> int:
        """That frame's number, if it is one of this film; -1 if another film showed it."""
        if fingerprint:
            return index if fingerprint == self.fingerprint(file) else -1
        return index if file in ("", self.path.name) else -1

    def frames(self, after: int = -1) -> Iterator[Frame | Interruption]:
        """Every frame after the one of that number, to the film's end."""
        capture = _opened(self.path)
        try:
            for index in itertools.count():
                if index <= after:  # seeking is not exact with every codec, passing over is
                    if not capture.grab():
                        return
                    continue
                found, image = capture.read()
                if not found:
                    return
                # The container's time stamp, where it has one: phones record at a changing rate.
                stamp = float(capture.get(cv2.CAP_PROP_POS_MSEC)) / 1000
                yield Frame(
                    image_bgr=np.asarray(image, dtype=np.uint8),
                    source=self.path.name,
                    index=index,
                    time_s=stamp if stamp > 0 else index / self.fps,
                )
        finally:
            capture.release()


def _opened(path: Path) -> cv2.VideoCapture:
    if path.stat().st_size == 0:
        raise InputError(f"{path}: the file is empty; copy it again from the camera")
    silence_decoders()
    capture = cv2.VideoCapture(str(path), cv2.CAP_FFMPEG)
    if not capture.isOpened():
        raise InputError(
            f"{path}: not a film that can be read (no known container or codec); "
            "convert it with: ffmpeg -i FILM -c:v libx264 out.mp4"
        )
    return capture
