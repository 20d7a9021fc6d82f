"""Sources of frames: folders, video files, cameras and streams behind one interface."""

from __future__ import annotations

import functools
import itertools
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import cv2
import numpy as np

from vision.capture.containers import find_fault
from vision.capture.images import IMAGE_SUFFIXES, list_pictures, open_picture, silence_decoders
from vision.capture.same_frames import report_same_frames
from vision.core import Frame, Interruption, escape_name, name_for_opencv
from vision.errors import InputError, SettingsError

__all__ = ["PictureFolder", "Source", "VideoFile", "fingerprint", "open_source"]

_FOLDER_FPS = 5.0
"""Assumed frames a second of a folder: enough to see a hand come and go (chosen)."""

_VIDEO_FPS = 25.0
"""Frames a second of a video whose header names none, or an impossible number (chosen)."""

_FPS_RANGE = (0.1, 1000.0)
"""Possible frames a second (chosen)."""

_MOVING_SUFFIXES = {".gif"}
"""Suffixes of pictures that may be films."""

_MAX_DAMAGED = 100_000
"""Frames in a row that may be damaged before a film counts as ended, half an hour or more; headers may state any number
of frames. Chosen."""

_MIN_STEP_S = 0.002
"""Seconds between two frames below which their time stamps stand still: no camera here takes 500 frames a second
(chosen)."""

_MAX_STILL = 25
"""Frames in a row whose stamps may stand still, as where frames are stamped in bursts (chosen)."""

_INTERLACED = (
    "all frames are the same so far; if the film shows more than a still picture, it is interlaced, "
    "which OpenCV does not decode; convert it with: ffmpeg -i FILM -vf yadif -c:v libx264 out.mp4"
)
"""Message for a film that begins with the same frame again and again."""


class Source(Protocol):
    """A sequence of frames."""

    @property
    def name(self) -> str:
        """Its name as the user gave it."""

    @property
    def live(self) -> bool:
        """Whether it is live: frames that are not fetched in time are lost."""

    def frames(self, after: int = -1) -> Iterator[Frame | Interruption]:
        """Yield the frames after that index, to the source's end if it has one."""

    def fingerprint(self, file: str) -> str:
        """Return the content hash of one of its files; "" for a live source."""

    def resume_index(self, index: int, file: str, fingerprint: str = "") -> int:
        """Return the index of the frame that showed an event of a journal; -1 if it is none of these.

        Parameters
        ----------
        index : int
            The frame's index then.
        file : str
            Its file's name then, as `escape_name` gives it; "" if that is not known.
        fingerprint : str
            Its file's content hash then. It decides, whatever the names are; if it is "", the name decides.
        """


def open_source(text: str, fps: float | None = None) -> Source:
    """Open the source that a user names.

    Parameters
    ----------
    text : str
        A camera's number, a stream's address as for `open_stream`, a video file or a folder of pictures.
    fps : float, optional
        Frames a second of a folder's pictures, or of a video whose time stamps are missing or wrong.

    Raises
    ------
    InputError
        If there is no such source, or it cannot be opened.
    SettingsError
        If the number of frames a second is impossible.
    """
    slowest, fastest = _FPS_RANGE
    if fps is not None and not slowest <= fps <= fastest:
        raise SettingsError(f"fps: {fps:g} frames a second are impossible; give {slowest:g} to {fastest:g}")
    if text.isdecimal() and not Path(text).exists():
        from vision.capture.live import open_camera

        return open_camera(int(text))
    if "://" in text:
        from vision.capture.live import open_stream

        return open_stream(text)
    path = Path(text)
    if path.is_dir():
        return PictureFolder(path=path, fps=_FOLDER_FPS if fps is None else fps)
    if not path.exists() and text == "phone":
        raise InputError(
            "phone: a phone sends its pictures to a server; start one with: "
            "tilesight serve phone --host 0.0.0.0 --tls self"
        )
    if not path.exists():
        raise InputError(
            f"{text}: there is no such file or folder; name a film, a folder of pictures, a camera's number, "
            "or an rtsp:// or http:// address"
        )
    if path.suffix.lower() in IMAGE_SUFFIXES - _MOVING_SUFFIXES:
        raise InputError(
            f"{text}: a picture, and no film; read it with 'tilesight read', or follow a folder of photos, one a turn, "
            "with 'tilesight watch --every turn'"
        )
    return VideoFile.open(path, fps)


@dataclass(frozen=True, slots=True)
class PictureFolder:
    """A folder whose pictures are frames, in natural name order.

    Parameters
    ----------
    path : Path
        The folder.
    fps : float
        Pictures a second.
    """

    path: Path
    fps: float = _FOLDER_FPS

    @property
    def name(self) -> str:
        """The folder's name."""
        return str(self.path)

    @property
    def live(self) -> bool:
        """False: its pictures can be read at any time."""
        return False

    def fingerprint(self, file: str) -> str:
        """Return the content hash of the picture of that name."""
        return fingerprint(self.path / file) if file else ""

    def resume_index(self, index: int, file: str, fingerprint: str = "") -> int:
        """Return the index of that picture, which may have another name and place by now; -1 if it is gone."""
        if not fingerprint and not file:
            return index
        names = [path.name for path in list_pictures(self.path)]
        # Mostly it still has its name.
        for number, name in sorted(enumerate(names), key=lambda item: escape_name(item[1]) != file):
            if self.fingerprint(name) == fingerprint if fingerprint else escape_name(name) == file:
                return number
        return -1

    def frames(self, after: int = -1) -> Iterator[Frame | Interruption]:
        """Yield each picture after that index; one that cannot be read is an interruption.

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
    """A recorded video.

    Parameters
    ----------
    path : Path
        The file.
    fps : float
        Frames a second.
    has_stamps : bool
        Whether its time stamps count, where it has them. FFmpeg invents those of raw MJPEG, for 25 frames a second.
    """

    path: Path
    fps: float
    has_stamps: bool = True

    @classmethod
    def open(cls, path: Path, fps: float | None = None) -> VideoFile:
        """Open a video file and check that its first frame can be decoded.

        Raises
        ------
        InputError
            If the file is no video, or its codec is missing.
        """
        capture = _open_video(path)
        try:
            stated_fps = float(capture.get(cv2.CAP_PROP_FPS))
            if not capture.read()[0]:
                raise InputError(
                    f"{path}: no frame of this film can be decoded; is it cut short, or its codec missing? "
                    "convert it with: ffmpeg -i FILM -c:v libx264 out.mp4"
                )
        finally:
            capture.release()
        low, high = _FPS_RANGE
        stated_fps = stated_fps if low <= stated_fps <= high else _VIDEO_FPS
        return cls(path=path, fps=fps or stated_fps, has_stamps=fps is None)

    @property
    def name(self) -> str:
        """The file's name."""
        return str(self.path)

    @property
    def live(self) -> bool:
        """False: a file can be read at any time."""
        return False

    def fingerprint(self, file: str) -> str:
        """Return the hash of a part near the start of the file, which may still grow."""
        return fingerprint(self.path, growing=True)

    def resume_index(self, index: int, file: str, fingerprint: str = "") -> int:
        """Return that index if the frame is of this video, else -1."""
        if fingerprint:
            return index if fingerprint == self.fingerprint(file) else -1
        return index if file in ("", self.path.name) else -1

    def frames(self, after: int = -1) -> Iterator[Frame | Interruption]:
        """Yield every frame after that index, to the end of the video.

        The first damaged part is an interruption; so are a missing end, and a beginning as if interlaced.
        """
        return report_same_frames(self._frames(after), _INTERLACED)

    def _frames(self, after: int) -> Iterator[Frame | Interruption]:
        capture = _open_video(self.path)
        n_frames = float(capture.get(cv2.CAP_PROP_FRAME_COUNT))
        times = _FilmTimes(self.fps)
        n_damaged, is_reported = 0, False
        try:
            for index in itertools.count():
                if not capture.grab():  # at the end, and once for each damaged frame before it
                    n_damaged += 1
                    if index >= n_frames or n_damaged > _MAX_DAMAGED:
                        break
                    continue
                # The container's time stamp, if it has one: phones record at a varying rate.
                stamp = float(capture.get(cv2.CAP_PROP_POS_MSEC)) / 1000
                before_s = times.last_s
                time_s = times.of_frame(stamp if stamp > 0 and self.has_stamps else index / self.fps)
                damaged_s = (before_s, time_s) if n_damaged else None
                n_damaged = 0
                if index <= after:  # seeking is not exact with every codec, skipping is
                    continue
                if damaged_s is not None and not is_reported:
                    is_reported = True
                    yield Interruption(
                        message="the film is damaged from {:.1f} s to {:.1f} s, and that part is left out; "
                        "copy it again from the camera".format(*damaged_s),
                        over=True,
                    )
                is_read, image = capture.retrieve()
                if not is_read:
                    break
                yield Frame(
                    image_bgr=np.asarray(image, dtype=np.uint8),
                    source=self.path.name,
                    index=index,
                    time_s=time_s,
                )
        finally:
            capture.release()
        if fault := find_fault(self.path):
            yield Interruption(message=fault)


class _FilmTimes:
    """The times of a film's frames, which go on where its time stamps do not.

    Stamps begin again where recordings were joined. Copies of a film stand still there instead.
    """

    def __init__(self, fps: float) -> None:
        self.last_s = 0.0
        self._offset_s = 0.0
        self._n_still = 0
        self._steps_s = deque([1 / fps], maxlen=9)

    def of_frame(self, stamp_s: float) -> float:
        """Return the time of the next frame, by its time stamp."""
        step_s = stamp_s + self._offset_s - self.last_s
        self._n_still = self._n_still + 1 if abs(step_s) < _MIN_STEP_S else 0
        if step_s >= _MIN_STEP_S:
            self._steps_s.append(step_s)
        if step_s < 0 or self._n_still > _MAX_STILL:
            self._offset_s += float(np.median(self._steps_s)) - step_s
        self.last_s = stamp_s + self._offset_s
        return self.last_s


def _open_video(path: Path) -> cv2.VideoCapture:
    """Open a video file with FFmpeg; raise `InputError` if that fails."""
    if not path.is_file():
        raise InputError(
            f"{path}: a device or a pipe, and no video; name a camera by its number: 0 is the first one"
        )
    if path.stat().st_size == 0:
        raise InputError(f"{path}: the file is empty; copy it again from the camera")
    silence_decoders()
    capture = cv2.VideoCapture(name_for_opencv(path), cv2.CAP_FFMPEG)
    if not capture.isOpened():
        if fault := find_fault(path):
            raise InputError(f"{path}: {fault}")
        raise InputError(
            f"{path}: not a film that can be read (no known container or codec); "
            "convert it with: ffmpeg -i FILM -c:v libx264 out.mp4"
        )
    return capture


_HEADER_BYTES = 4096
"""Bytes at the start of a video that are left out: its length is written there when the recording ends."""

_GROWING_BYTES = 1 << 18
"""Bytes of the first frames of a video: no two recordings of a camera have the same noise."""


def fingerprint(path: Path, *, growing: bool = False) -> str:
    """Return the hash of a file's content; "" if it cannot be read.

    Parameters
    ----------
    path : Path
        The file.
    growing : bool
        Whether it may become longer: only a part near its start is hashed then.
    """
    try:
        status = path.stat()
        return _checksum(path, status.st_size, status.st_mtime_ns, growing)
    except OSError:
        return ""


@functools.cache
def _checksum(path: Path, size: int, _written_ns: int, growing: bool) -> str:
    """Hash the file; cached until its size or its time of writing changes."""
    import hashlib  # slow to import at start-up

    with path.open("rb") as file:
        if growing and size > _HEADER_BYTES + _GROWING_BYTES:
            file.seek(_HEADER_BYTES)
            return hashlib.blake2b(file.read(_GROWING_BYTES), digest_size=16).hexdigest()
        return hashlib.file_digest(file, lambda: hashlib.blake2b(digest_size=16)).hexdigest()
