"""Cameras and streams: a source that drops, stalls or stays away, and one that is back."""

from __future__ import annotations

import io
import itertools
import time
from collections.abc import Generator, Iterator
from dataclasses import replace
from types import SimpleNamespace
from typing import Any, ClassVar, cast

import cv2
import numpy as np
import pytest

from tests.support.passing_time import PassingTime
from tests.support.sources import QUICK, levels, only_frames, picture, taken
from vision.capture import Frame, Interruption, mjpeg
from vision.capture import live as live_module
from vision.capture.live import Connection, LiveSource, ReconnectPolicy, open_camera, open_stream
from vision.core import Image
from vision.errors import InputError

pytestmark = pytest.mark.slow


def sleep(seconds: float) -> None:
    """Sleep by the clock of the sources."""
    cast(Any, live_module).time.sleep(seconds)


class Scripted:
    """A connection that does what it is told: numbers are frames, text is trouble, a float is a pause."""

    def __init__(self, script: Iterator[int | str | float]) -> None:
        self._script = script
        self.closed = False

    def read(self) -> np.ndarray:
        for what in self._script:
            if isinstance(what, str):
                raise InputError(what)
            if isinstance(what, float):
                sleep(what)
            else:
                sleep(0.01)
                return picture(20 * what)
        sleep(0.05)
        raise InputError("the script is over")

    def close(self) -> None:
        self.closed = True


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> PassingTime:
    """The time of sources and of their scripts."""
    made = PassingTime()
    made.stand_in(monkeypatch, live_module)
    return made


def live(*script: int | str | float) -> LiveSource:
    steps = iter(script)
    return LiveSource("camera 0", lambda: Scripted(steps), QUICK)


@pytest.mark.usefixtures("clock")
def test_a_source_that_drops_is_waited_for_and_comes_back() -> None:
    found = taken(
        live(1, 1, "the cable is out", 0.3, 2, 2, 2),
        lambda f: isinstance(f[-1], Frame) and levels(f[-1:]) == [2],
    )
    words = [item for item in found if isinstance(item, Interruption)]
    assert [word.over for word in words] == [False, True]
    assert "the cable is out" in words[0].message
    assert "waiting" in words[0].message


@pytest.mark.usefixtures("clock")
def test_a_source_whose_driver_fails_is_waited_for_and_comes_back() -> None:
    class Failing(Scripted):
        def read(self) -> np.ndarray:
            try:
                return super().read()
            except InputError:
                raise cv2.error("no buffer") from None

    steps: Iterator[int | str | float] = iter([1, 1, *["failure"] * 5, 2, 2, 2])
    found = taken(
        LiveSource("camera 0", lambda: Failing(steps), QUICK),
        lambda f: isinstance(f[-1], Frame) and levels(f[-1:]) == [2],
    )
    words = [item for item in found if isinstance(item, Interruption)]
    assert [word.over for word in words] == [False, True]
    assert words[0].message.startswith("camera 0: no buffer; waiting")


def test_a_source_that_stays_away_yields_interruptions_without_a_message_meanwhile(
    clock: PassingTime,
) -> None:
    policy = replace(QUICK, longest_pause_s=0.02, idle_s=0.1)
    steps: Iterator[int | str | float] = iter([1, *["the cable is out"] * 20, 2])
    found = taken(LiveSource("camera 0", lambda: Scripted(steps), policy), lambda f: levels(f[-1:]) == [2])
    first, *idle, back = [item for item in found if isinstance(item, Interruption)]
    assert first.message == "the cable is out; waiting for it to return"
    assert (back.message, back.over) == ("camera 0: frames come again", True)
    assert 1 <= len(idle) <= clock.monotonic() / policy.idle_s
    assert set(idle) == {Interruption(message="")}


@pytest.mark.usefixtures("clock")
def test_a_source_that_stays_away_reports_each_reason_once() -> None:
    steps: Iterator[int | str | float] = iter([1, *["no cable", "no login"] * 4, 2, *["no cable"] * 5, 3])
    policy = replace(QUICK, first_pause_s=0.1, idle_s=0.05)
    found = taken(LiveSource("camera 0", lambda: Scripted(steps), policy), lambda f: levels(f[-1:]) == [3])
    messages = [item.message for item in found if isinstance(item, Interruption) and item.message]
    cable, login = (f"no {each}; waiting for it to return" for each in ("cable", "login"))
    back = "camera 0: frames come again"
    assert messages == [cable, login, back, cable, back]


@pytest.mark.usefixtures("clock")
def test_a_source_that_is_soon_back_each_time_is_no_interruption_until_it_stays_away() -> None:
    ends = [step for number in range(10) for step in (number, "it ended")]
    steps: Iterator[int | str | float] = iter([*ends, *["no cable"] * 9, 11])
    policy = replace(QUICK, report_s=0.3)
    found = taken(LiveSource("camera 0", lambda: Scripted(steps), policy), lambda f: levels(f[-1:]) == [11])
    messages = [item.message for item in found if isinstance(item, Interruption) and item.message]
    assert messages == ["it ended; waiting for it to return", "camera 0: frames come again"]


@pytest.mark.usefixtures("clock")
def test_a_source_that_ends_and_cannot_be_opened_reports_the_end_first() -> None:
    steps: Iterator[int | str | float] = iter([1, "it ended", *["no answer"] * 9, 2])
    policy = replace(QUICK, report_s=0.2, idle_s=0.1)
    found = taken(LiveSource("camera 0", lambda: Scripted(steps), policy), lambda f: levels(f[-1:]) == [2])
    messages = [item.message.partition(";")[0] for item in found if isinstance(item, Interruption)]
    assert [message for message in messages if message][:2] == ["it ended", "no answer"]


def test_an_address_to_which_nothing_is_sent_is_reported_as_silent() -> None:
    with pytest.raises(
        InputError, match="nothing that can be decoded arrives; check the sender, the port and the firewall"
    ):
        open_stream("udp://127.0.0.1:5997", replace(QUICK, open_s=0.5))


@pytest.mark.usefixtures("clock")
@pytest.mark.parametrize("steps", [[0.25, 1, "it ended"], [0.25, 1]])
def test_a_source_of_few_frames_is_no_interruption_at_each(steps: list[int | str | float]) -> None:
    policy = replace(QUICK, stall_s=0.27 if "it ended" in steps else 0.2, report_s=0.1, longest_pause_s=2.0)
    remaining = iter(steps * 9)
    source = LiveSource("camera 0", lambda: Scripted(remaining), policy)
    found = taken(source, lambda f: sum(isinstance(item, Frame) for item in f) == 6)
    assert sum(isinstance(item, Interruption) and item.over for item in found) <= 1


@pytest.mark.usefixtures("clock")
def test_a_source_that_stalls_is_reported() -> None:
    found = taken(live(1, 0.7, 2), lambda f: isinstance(f[-1], Frame) and len(f) > 2)
    assert [type(item) for item in found] == [Frame, Interruption, Interruption, Frame]
    assert "no frame for" in found[1].message  # type: ignore[union-attr]


@pytest.mark.usefixtures("clock")
def test_the_first_frame_of_a_source_may_take_longer_without_a_message() -> None:
    for limit_s, message in ((5.0, ""), (0.55, "camera 0: no frame for 1 s; waiting for it to return")):
        steps: Iterator[int | str | float] = iter([1.0, 1])
        policy = replace(QUICK, read_s=limit_s, idle_s=0.1)
        found = taken(
            LiveSource("camera 0", lambda: Scripted(steps), policy),  # noqa: B023
            lambda f: isinstance(f[-1], Frame),
        )
        words = [item for item in found if isinstance(item, Interruption)]
        assert len(words) > 1  # by which its reader acts meanwhile
        assert "".join(word.message for word in words if not word.over) == message


def test_a_silent_source_is_left_at_once_and_another_one_is_closed_first() -> None:
    steps: Iterator[int | str | float] = iter([1, 120.0])
    frames = LiveSource("tcp://camera", lambda: Scripted(steps)).frames()
    next(frames)
    began_s = time.monotonic()
    frames.close()  # type: ignore[attr-defined]
    assert time.monotonic() - began_s < 60.0
    camera = Scripted(itertools.repeat(1))
    frames = LiveSource("camera 0", lambda: camera).frames()
    next(frames)
    frames.close()  # type: ignore[attr-defined]
    assert camera.closed


def test_the_pause_before_a_source_is_opened_again_doubles_to_a_limit_until_a_frame_comes() -> None:
    pauses: list[float] = []

    class Mailbox:
        stopped = SimpleNamespace(is_set=lambda: len(pauses) == 9, wait=pauses.append)

        def put(self, image_bgr: Image) -> None:
            pass

        def report(self, message: str) -> None:
            pass

    steps: Iterator[int | str | float] = iter(
        [*["the cable is out"] * 7, 1, "the cable is out", "the cable is out"]
    )
    source = LiveSource("camera 0", lambda: Scripted(steps), ReconnectPolicy())
    source._fetch(Mailbox())  # type: ignore[arg-type]
    assert pauses == [0.5, 1.0, 2.0, 4.0, 8.0, 15.0, 15.0, 0.5, 1.0]


def test_a_stream_without_an_end_of_a_picture_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mjpeg, "_MAX_BYTES", 1000)
    parts = iter([b"\xff\xd8", *[bytes(100)] * 20])
    response = SimpleNamespace(read1=lambda _: next(parts, b""))
    with pytest.raises(InputError, match="1000 bytes without a whole picture"):
        mjpeg.MjpegConnection(response, "camera", 5.0).read()
    assert len(list(parts)) == 10


def test_pictures_of_a_stream_may_hold_thumbnails() -> None:
    main, thumbnail = (cv2.imencode(".jpg", picture(20 * level))[1].tobytes() for level in (3, 7))
    header = b"\xff\xe1" + (len(thumbnail) + 8).to_bytes(2, "big") + b"Exif\0\0" + thumbnail
    stream = io.BytesIO(3 * (b"--frame\r\n\r\n" + main[:2] + header + main[2:] + b"\r\n"))
    response = SimpleNamespace(read1=lambda _: stream.read(100))
    connection = mjpeg.MjpegConnection(response, "camera", 5.0)
    assert [round(float(connection.read().mean()) / 20) for _ in range(3)] == [3, 3, 3]


def test_a_slow_reader_sees_the_newest_frame(clock: PassingTime) -> None:
    steps = iter([*range(1, 12), 0.3])
    frames = LiveSource("camera 0", lambda: Scripted(steps), QUICK).frames()
    assert isinstance(frames, Generator)
    first = next(frames)
    clock.sleep(0.2)
    second = next(frames)
    frames.close()
    assert isinstance(first, Frame)
    assert isinstance(second, Frame)
    assert levels([first])[0] < 8
    assert levels([second]) == [11]
    assert second.time_s > first.time_s + 0.02  # when it was taken, not when it was asked for


def test_a_camera_that_never_opens_is_reported_at_once() -> None:
    def refuse() -> Connection:
        raise InputError("camera 0: cannot be opened; is it plugged in, and free?")

    with pytest.raises(InputError, match="plugged in"):
        LiveSource("camera 0", refuse, QUICK)


class UsbCamera:
    """Stands in for `cv2.VideoCapture`: a USB camera on Linux; one that refuses gives no frame of another size."""

    refuses = False
    asked: ClassVar[list[tuple[int, float]]] = []

    def __init__(self, number: int) -> None:
        self.size = (640, 480)
        self.asked.append((-1, number))

    def isOpened(self) -> bool:  # noqa: N802
        return True

    def getBackendName(self) -> str:  # noqa: N802
        return "V4L2"

    def set(self, key: int, value: float) -> bool:
        self.asked.append((key, value))
        self.size = (1280, 720)
        return not self.refuses

    def read(self) -> tuple[bool, np.ndarray | None]:
        if self.refuses and self.size != (640, 480):
            return False, None
        return True, np.full((*self.size[::-1], 3), 90, np.uint8)

    def grab(self) -> bool:
        return self.read()[0]

    def retrieve(self) -> tuple[bool, np.ndarray | None]:
        return self.read()

    def get(self, _: int) -> float:
        return 0.0

    def release(self) -> None:
        pass


@pytest.mark.parametrize(("refuses", "size"), [(False, (1280, 720)), (True, (640, 480))])
def test_a_camera_is_asked_for_a_large_picture_and_may_refuse(
    refuses: bool, size: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(UsbCamera, "refuses", refuses)
    monkeypatch.setattr(UsbCamera, "asked", [])
    monkeypatch.setattr("vision.capture.live.cv2.VideoCapture", UsbCamera)
    (frame,) = only_frames(taken(open_camera(3), lambda f: True))
    assert frame.size_px == size
    assert UsbCamera.asked == [
        (-1, 3),
        (cv2.CAP_PROP_FOURCC, cv2.VideoWriter.fourcc(*"MJPG")),
        (cv2.CAP_PROP_FRAME_WIDTH, 1920),
        (cv2.CAP_PROP_FRAME_HEIGHT, 1080),
        *([(-1, 3)] if refuses else []),
    ]
