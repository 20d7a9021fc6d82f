"""Films, folders, cameras and streams: what opens, what fails, and what comes back."""

from __future__ import annotations

import base64
import contextlib
import io
import itertools
import mimetypes
import os
import socket
import threading
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import SimpleNamespace
from typing import Any, ClassVar, cast

import cv2
import numpy as np
import pytest

from tests.support.passing_time import PassingTime
from vision.capture import Frame, Interruption, Source, mjpeg, open_source
from vision.capture import live as live_module
from vision.capture.live import (
    Connection,
    LiveSource,
    ReconnectPolicy,
    _VideoConnection,
    open_camera,
    open_stream,
    without_password,
)
from vision.capture.pacing import FramePacer
from vision.capture.sources import fingerprint
from vision.core import Image
from vision.errors import InputError

pytestmark = pytest.mark.slow

QUICK = ReconnectPolicy(stall_s=0.4, report_s=0, first_pause_s=0.02, longest_pause_s=0.1)
PATIENT = replace(QUICK, open_s=60.0, stall_s=60.0)
"""Waits for a server on a busy machine."""


def picture(level: int, side: int = 120) -> np.ndarray:
    return np.full((side, side, 3), level, np.uint8)


def film(path: Path, frames: int = 10, fps: float = 20.0, codec: str = "MJPG") -> Path:
    writer = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*codec), fps, (120, 120))
    for number in range(frames):
        writer.write(picture(20 * number % 240))
    writer.release()
    return path


def levels(items: Any) -> list[int]:
    return [round(float(item.image_bgr.mean()) / 20) for item in items if isinstance(item, Frame)]


def only_frames(items: Iterable[Frame | Interruption]) -> list[Frame]:
    frames = []
    for item in items:
        assert isinstance(item, Frame)
        frames.append(item)
    return frames


def test_a_film_gives_its_frames_with_their_times(tmp_path: Path) -> None:
    source = open_source(str(film(tmp_path / "film.avi")))
    frames = only_frames(source.frames())
    assert not source.live
    assert source.name.endswith("film.avi")
    assert levels(frames) == list(range(10))
    assert [frame.index for frame in frames] == list(range(10))
    assert [frame.time_s for frame in frames] == pytest.approx([n / 20 for n in range(10)], abs=0.01)
    assert frames[0].source == "film.avi"


def test_the_frames_a_second_that_are_given_count_more_than_time_stamps(tmp_path: Path) -> None:
    raw = tmp_path / "film.mjpeg"
    pictures = (cv2.imencode(".jpg", picture(20 * number))[1].tobytes() for number in range(10))
    raw.write_bytes(b"".join(pictures))
    frames = only_frames(open_source(str(raw), fps=4).frames())
    assert levels(frames) == list(range(10))
    assert [frame.time_s for frame in frames] == [n / 4 for n in range(10)]


def test_a_film_goes_on_after_a_frame(tmp_path: Path) -> None:
    source = open_source(str(film(tmp_path / "film.avi")))
    rest = only_frames(source.frames(after=6))
    assert [frame.index for frame in rest] == [7, 8, 9]
    assert levels(rest) == [7, 8, 9]
    assert list(source.frames(after=50)) == []


def stamped_film(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stamps_s: Sequence[float]) -> Source:
    """Return a film of 20 frames a second whose frames have these time stamps."""

    class Stamped:
        """A film's frames with other time stamps."""

        def __init__(self, *arguments: Any) -> None:
            self.capture, self.index = capture_class(*arguments), -1

        def grab(self) -> bool:
            self.index += 1
            return self.capture.grab()

        def get(self, name: int) -> float:
            return 1000 * stamps_s[self.index] if name == cv2.CAP_PROP_POS_MSEC else self.capture.get(name)

        def __getattr__(self, name: str) -> Any:
            return getattr(self.capture, name)

    capture_class = cv2.VideoCapture
    source = open_source(str(film(tmp_path / "film.avi", frames=len(stamps_s))))
    monkeypatch.setattr(cv2, "VideoCapture", Stamped)
    return source


def test_the_time_goes_on_where_recordings_were_joined(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = stamped_film(tmp_path, monkeypatch, [0, 0.05, 0.1, 100, 100.05, 0, 0.05, 0.1, 0.02, 0.07])
    frames = only_frames(source.frames())
    expected = [0, 0.05, 0.1, 100, 100.05, 100.1, 100.15, 100.2, 100.25, 100.3]
    assert levels(frames) == list(range(10))
    assert [frame.time_s for frame in frames] == pytest.approx(expected)
    resumed = only_frames(source.frames(after=6))
    assert [frame.time_s for frame in resumed] == [frame.time_s for frame in frames[7:]]


@pytest.mark.parametrize("tick_s", [0.0001, 0.0])
def test_the_time_goes_on_where_stamps_creep_or_stand_still(
    tick_s: float, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before, after = 0.1 * np.arange(20), 5.0 + 0.1 * np.arange(20)
    creeping = before[-1] + tick_s * np.arange(1, 61)
    source = stamped_film(tmp_path, monkeypatch, [*before, *creeping, *after])
    times_s = [frame.time_s for frame in only_frames(source.frames())]
    steps_s = np.diff(times_s)
    assert times_s[:45] == pytest.approx([*before, *creeping[:25]])
    assert steps_s[44:79] == pytest.approx(0.1)
    assert steps_s[80:] == pytest.approx(0.1)
    assert [frame.time_s for frame in only_frames(source.frames(after=60))] == times_s[61:]


def test_the_stamps_of_a_film_whose_rate_varies_are_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bursts = (
        np.arange(6)[:, np.newaxis] + 0.0001 * np.arange(20)
    ).ravel()  # stamped as they came from a network
    idle = bursts[-1] + 5.0 * np.arange(1, 11)
    moving = idle[-1] + np.arange(1, 41) / 240
    stamps_s = [*bursts, *idle, *moving]
    source = stamped_film(tmp_path, monkeypatch, stamps_s)
    times_s = [frame.time_s for frame in only_frames(source.frames())]
    assert times_s[1:] == pytest.approx(stamps_s[1:])


def test_a_film_that_is_cut_short_says_so_after_its_last_frame(tmp_path: Path) -> None:
    path = film(tmp_path / "film.mp4")
    assert len(only_frames(open_source(str(path)).frames())) == 10
    data = path.read_bytes()
    path.write_bytes(data + (1000).to_bytes(4, "big") + b"mdat" + bytes(100))
    *frames, end = open_source(str(path)).frames()
    assert len(only_frames(frames)) == 10
    assert isinstance(end, Interruption)
    assert end.message == "the file is cut short: its end is missing; copy it again from the camera"
    path.write_bytes(data[:-200])  # without its index nothing can be read
    with pytest.raises(InputError, match="cut short"):
        open_source(str(path))


@pytest.mark.parametrize(("n_same", "n_reports"), [(49, 0), (50, 1), (120, 1)])
def test_a_film_whose_first_frames_are_all_the_same_says_that_it_may_be_interlaced(
    tmp_path: Path, n_same: int, n_reports: int
) -> None:
    path = tmp_path / "film.avi"
    writer = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*"MJPG"), 20, (120, 120))
    for level in (*[50] * n_same, *[80] * 60):
        writer.write(picture(level))
    writer.release()
    items = list(open_source(str(path)).frames())
    reports = [item for item in items if isinstance(item, Interruption)]
    assert len(only_frames(item for item in items if isinstance(item, Frame))) == n_same + 60
    assert len(reports) == n_reports
    assert all("is interlaced" in report.message and report.over for report in reports)


def test_a_stream_whose_first_frames_are_all_the_same_says_that_it_may_be_interlaced(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def grab() -> bool:
        time.sleep(0.002)
        return True

    capture = SimpleNamespace(
        grab=grab, retrieve=lambda: (True, picture(50)), release=lambda: None, get=lambda _: 0.0
    )
    connection = _VideoConnection(cast("cv2.VideoCapture", capture), "rtsp://camera", FramePacer())
    monkeypatch.setattr(_VideoConnection, "open", lambda *_: connection)
    items = open_stream("rtsp://camera").frames()
    report = next(item for item in items if isinstance(item, Interruption))
    assert "interlaced frames" in report.message
    assert report.over


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ((0, b"mdat"), "the recording was not finished: its index is missing; repair it"),
        ((1008, b"mdat"), "the recording was not finished: its index is missing; repair it"),
        ((1009, b"mdat"), "the file is cut short"),
        ((1008, b"moov"), "not a film that can be read"),
    ],
)
@pytest.mark.parametrize("first", [b"ftyp", b"wide", b"free", b"skip"])
def test_a_recording_that_was_not_finished_says_so(
    tmp_path: Path, first: bytes, content: tuple[int, bytes], message: str
) -> None:
    path, (length, kind) = tmp_path / "film.mov", content
    path.write_bytes(b"\0\0\0\x08" + first + length.to_bytes(4, "big") + kind + bytes(1000))
    with pytest.raises(InputError, match=message):
        open_source(str(path))


@pytest.mark.parametrize("fps", [None, 20.0])
def test_a_film_goes_on_after_a_damaged_part_and_says_so_once(tmp_path: Path, fps: float | None) -> None:
    path = film(tmp_path / "film.mp4", frames=60, codec="mp4v")
    data = bytearray(path.read_bytes())
    starts = [at for at in range(len(data)) if data.startswith(b"\0\0\1\xb6", at)]
    for number in (*range(21, 40), 45):  # the frames' headers
        data[starts[number] : starts[number + 1]] = bytes(starts[number + 1] - starts[number])
    path.write_bytes(data)
    source = open_source(str(path), fps)
    items = list(source.frames())
    (gap,) = [item for item in items if isinstance(item, Interruption)]
    assert gap.message.startswith("the film is damaged from 1.0 s to 2.0 s, and that part is left out;")
    frames = [item for item in items if isinstance(item, Frame)]
    assert [frame.index for frame in frames] == [*range(21), *range(40, 45), *range(46, 60)]
    assert [frame.time_s for frame in frames] == pytest.approx([frame.index / 20 for frame in frames])
    assert [frame.index for frame in only_frames(source.frames(after=50))] == list(range(51, 60))


@pytest.mark.parametrize("time", [b"", bytes(4)])
def test_a_transport_stream_that_is_cut_short_says_so_after_its_last_frame(
    time: bytes, tmp_path: Path
) -> None:
    """Also one of a camcorder, with a time before each packet."""
    path = film(tmp_path / "film.ts", codec="mp4v")
    data = path.read_bytes()
    packets = [time + data[at : at + 188] for at in range(0, len(data), 188)]
    path.write_bytes(b"".join(packets))
    assert len(only_frames(open_source(str(path)).frames())) == 10
    path.write_bytes(b"".join(packets[: len(packets) * 3 // 4]) + packets[0][:100])
    *frames, end = open_source(str(path)).frames()
    assert len(only_frames(frames)) > 0
    assert isinstance(end, Interruption)
    assert end.message == "the file is cut short: its end is missing; copy it again from the camera"


@pytest.mark.parametrize(("name", "codec"), [("film.avi", "MJPG"), ("film.mkv", "mp4v")])
def test_an_avi_or_matroska_film_that_is_cut_short_says_so_after_its_last_frame(
    tmp_path: Path, name: str, codec: str
) -> None:
    path = film(tmp_path / name, codec=codec)
    whole = path.read_bytes()
    path.write_bytes(whole + b"a trailer")
    assert len(only_frames(open_source(str(path)).frames())) == 10
    path.write_bytes(whole[: len(whole) * 3 // 4])
    *frames, end = open_source(str(path)).frames()
    assert len(only_frames(frames)) > 0
    assert isinstance(end, Interruption)
    assert end.message == "the file is cut short: its end is missing; copy it again from the camera"


def test_a_matroska_film_that_is_being_recorded_is_not_cut_short(tmp_path: Path) -> None:
    path = film(tmp_path / "film.mkv", codec="mp4v")
    whole = path.read_bytes()
    at = whole.index(b"\x18\x53\x80\x67") + 4
    assert whole[at] == 1  # a size of eight bytes
    path.write_bytes(whole[: at + 1] + b"\xff" * 7 + whole[at + 8 : len(whole) * 3 // 4])
    assert len(only_frames(open_source(str(path)).frames())) > 0


def test_a_journal_of_another_film_says_nothing_of_this_ones_frames(tmp_path: Path) -> None:
    source = open_source(str(film(tmp_path / "second.avi")))
    assert source.resume_index(6, "second.avi") == 6
    assert source.resume_index(6, "first.avi") == -1
    assert source.resume_index(-1, "") == -1


def test_a_folder_finds_a_journals_picture_by_its_name(tmp_path: Path) -> None:
    for name in ("b.png", "c.png"):
        cv2.imwrite(str(tmp_path / name), picture(50))
    assert open_source(str(tmp_path)).resume_index(0, "b.png") == 0
    cv2.imwrite(str(tmp_path / "a.png"), picture(50))
    source = open_source(str(tmp_path))
    assert source.resume_index(0, "b.png") == 1
    assert source.resume_index(0, "elsewhere.png") == -1
    assert source.resume_index(0, "") == 0


def test_a_renamed_film_is_known_and_another_of_its_name_is_not(tmp_path: Path) -> None:
    first = open_source(str(film(tmp_path / "game.avi")))
    seen_in = first.fingerprint("game.avi")
    assert seen_in
    (tmp_path / "game.avi").rename(tmp_path / "final.avi")
    assert open_source(str(tmp_path / "final.avi")).resume_index(6, "game.avi", seen_in) == 6
    other = open_source(str(film(tmp_path / "game.avi", frames=8)))
    assert other.resume_index(6, "game.avi", seen_in) == -1


def test_a_film_that_grew_is_the_film_that_it_was(tmp_path: Path) -> None:
    path, noise = tmp_path / "live.mkv", np.random.default_rng(1)
    path.write_bytes(noise.bytes(300_000))
    before = fingerprint(path, growing=True)
    with path.open("r+b") as file:
        file.write(b"its length")
        file.seek(0, 2)
        file.write(noise.bytes(1000))
    assert fingerprint(path, growing=True) == before
    assert fingerprint(path) != before
    assert fingerprint(tmp_path / "missing.mkv") == ""


def test_a_folder_finds_a_renamed_picture_and_knows_another_of_its_name(tmp_path: Path) -> None:
    for number in range(3):
        cv2.imwrite(str(tmp_path / f"{number}.png"), picture(20 * number))
    source = open_source(str(tmp_path))
    seen_in = source.fingerprint("1.png")
    assert source.resume_index(1, "1.png", seen_in) == 1
    (tmp_path / "1.png").rename(tmp_path / "7.png")
    assert source.resume_index(1, "1.png", seen_in) == 2
    cv2.imwrite(str(tmp_path / "7.png"), picture(90))
    cv2.imwrite(str(tmp_path / "1.png"), picture(100))
    assert source.resume_index(1, "1.png", seen_in) == -1


def test_a_folder_is_a_film_with_gaps_where_pictures_are_damaged(tmp_path: Path) -> None:
    for number in range(3):
        cv2.imwrite(str(tmp_path / f"{number}.png"), picture(20 * number))
    (tmp_path / "1.png").write_bytes(b"no picture")
    source = open_source(str(tmp_path), fps=4)
    first, gap, last = source.frames()
    assert isinstance(first, Frame)
    assert isinstance(gap, Interruption)
    assert isinstance(last, Frame)
    assert "1.png" in gap.message
    assert (last.index, last.time_s) == (2, 0.5)
    assert [item.index for item in source.frames(after=1) if isinstance(item, Frame)] == [2]


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("empty.mp4", b"", "empty"),
        ("notes.mp4", b"these are no frames" * 100, "not a film"),
        ("cut.avi", None, "codec"),
    ],
)
def test_what_is_no_film_is_refused_in_one_line(
    tmp_path: Path, name: str, content: bytes | None, message: str
) -> None:
    path = tmp_path / name
    if content is None:  # a film whose frames are noise
        data = bytearray(film(tmp_path / "whole.avi").read_bytes())
        start = data.find(b"movi") + 4
        data[start:] = bytes(len(data) - start)
        content = bytes(data)
    path.write_bytes(content)
    with pytest.raises(InputError) as caught:
        open_source(str(path))
    assert message in str(caught.value) or "not a film" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_film_whose_name_has_a_colon_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    film(tmp_path / "game.avi").rename(tmp_path / "game-18:30.avi")
    monkeypatch.chdir(tmp_path)
    assert len(list(open_source("game-18:30.avi").frames())) == len(
        list(open_source("./game-18:30.avi").frames())
    )


def test_a_film_and_an_address_that_are_not_utf_8_are_refused(tmp_path: Path) -> None:
    path = film(tmp_path / "game.avi").rename(tmp_path / os.fsdecode(b"j\xf3n.avi"))
    with pytest.raises(InputError, match="the name is not UTF-8; rename the file"):
        open_source(str(path))
    with pytest.raises(InputError, match="the address is not UTF-8"):
        open_source(os.fsdecode(b"rtsp://127.0.0.1:9/j\xf3n"))


@pytest.mark.parametrize("name", ["still.jpg", "still.PNG"])
def test_a_picture_is_no_film(tmp_path: Path, name: str) -> None:
    assert cv2.imwrite(str(tmp_path / name), picture(50))
    with pytest.raises(InputError, match="a picture, and no film; read it with 'tilesight read'"):
        open_source(str(tmp_path / name))


@pytest.mark.parametrize("text", ["missing.mp4", "gopher://host/film", "99"])
def test_a_source_that_is_not_there_is_said_at_once(text: str) -> None:
    with pytest.raises(InputError):
        open_source(text)


def test_passwords_are_not_shown() -> None:
    assert without_password("rtsp://anna:secret@camera/1") == "rtsp://anna:***@camera/1"
    assert without_password("http://camera:8080/video") == "http://camera:8080/video"
    assert without_password("rtsp://anna:s3@cret@camera/1") == "rtsp://anna:***@camera/1"


@pytest.mark.parametrize(
    ("address", "shown"),
    [
        (
            "rtsp://cam:554/user=admin&password=s3#c/r?et&channel=1",
            "rtsp://cam:554/user=admin&password=***&channel=1",
        ),
        ("http://cam/video?user=admin&PWD=s3/cret", "http://cam/video?user=admin&PWD=***"),
        ("rtsp://anna:s3@cam/live?token=s3", "rtsp://anna:***@cam/live?token=***"),
        (
            "http://cam/v?loginuse=a&loginpas=s3&passphrase=s4",
            "http://cam/v?loginuse=a&loginpas=***&passphrase=***",
        ),
        ("http://cam/compass=3/video", "http://cam/compass=3/video"),
    ],
)
def test_passwords_in_path_and_query_are_not_shown(address: str, shown: str) -> None:
    assert without_password(address) == shown


@pytest.mark.parametrize(
    "password",
    ["s3#c", "s3/c", "s3?c", "[s3c", "12/s3", "12#s3", "1234#s3", "/s3", "s3@#s3", "s3@/s3", "s3@?s3"],
)
def test_a_password_with_signs_that_end_a_host_is_not_shown(password: str) -> None:
    with pytest.raises(InputError, match="host or port is not valid") as caught:
        open_stream(f"http://anna:{password}@127.0.0.1:9/video", QUICK)
    assert not any(part in str(caught.value) for part in ("s3", "12"))
    assert caught.value.__cause__ is None


def test_a_stream_of_another_kind_is_refused_with_those_that_work_and_a_way_to_convert_it() -> None:
    for kind in ("srt", "rtp", "ndi"):
        with pytest.raises(
            InputError, match=r"rtsp://, http://, rtmp://, udp:// or tcp://.*: ffmpeg -i .* udp://127"
        ):
            open_stream(f"{kind}://127.0.0.1:9/camera")


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


def taken(
    source: LiveSource, until: Callable[[list[Frame | Interruption]], bool]
) -> list[Frame | Interruption]:
    found: list[Frame | Interruption] = []
    frames = source.frames()
    assert isinstance(frames, Generator)
    for item in frames:
        found.append(item)
        if until(found) or len(found) > 300:
            break
    frames.close()
    return found


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


def test_an_address_to_which_nothing_is_sent_is_said_to_be_silent() -> None:
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
def test_a_source_that_stalls_is_said_to() -> None:
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


def test_a_camera_that_never_opens_is_said_at_once() -> None:
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


class MjpegServer(ThreadingHTTPServer):
    """A camera on the network that misbehaves: each connection follows the next plan."""

    daemon_threads = True

    def __init__(self, plans: list[str]) -> None:
        super().__init__(("127.0.0.1", 0), _Camera)
        self.plans = plans
        self.logins: list[str] = []
        self.number = itertools.count(1)

    @property
    def spent(self) -> bool:
        return not self.plans

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/video"

    @property
    def address_with_login(self) -> str:
        return self.address.replace("://", "://anna:p%40ss@")


TRICKLES = {
    "trickle": b"x",
    "empty parts": b"--frame\r\nContent-Type: image/jpeg\r\nContent-Length: 0\r\n\r\n\r\n",
    "no pictures": b"--frame\r\nContent-Type: image/jpeg\r\n\r\n\xff\xd8nothing\xff\xd9\r\n",
}
"""By plan, what a camera goes on to send after its first pictures."""


class _Camera(BaseHTTPRequestHandler):
    server: MjpegServer

    def do_GET(self) -> None:
        plan = self.server.plans.pop(0) if self.server.plans else "steady"
        if plan == "refuse":
            self.send_error(503)
            return
        login = self.headers.get("Authorization", "")
        self.server.logins.append(login)
        if plan in ("Basic", "Digest") and not login:
            self.server.plans.insert(0, plan)
            self.send_response(401)
            self.send_header("WWW-Authenticate", f'{plan} realm="camera", nonce="7", qop="auth"')
            self.end_headers()
            return
        if plan.startswith("/"):  # a file, with the type of its contents and its length if it has an end
            content = Path(plan).read_bytes()
            self.send_response(200)
            self.send_header("Content-Type", mimetypes.guess_type(plan)[0] or "application/octet-stream")
            if not plan.endswith(".ts"):
                self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            with contextlib.suppress(OSError):
                self.wfile.write(content)
            return
        if plan == "page":
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(b"<p>log in first</p>")
            return
        self.send_response(200)
        self.send_header("Content-Type", "multipart/x-mixed-replace; boundary=frame")
        self.end_headers()
        with contextlib.suppress(OSError):
            for sent in itertools.count():
                level = 20 * (next(self.server.number) % 10)
                _, data = cv2.imencode(".jpg", picture(level))
                part = data.tobytes()
                if sent == 8 and plan == "damaged":
                    return
                if sent == 4 and plan == "damaged":
                    part = part[:20] + bytes(40) + part[60:]
                if sent == 4 and plan == "huge":
                    place = part.find(b"\xff\xc0")
                    part = part[: place + 5] + (65500).to_bytes(2, "big") * 2 + part[place + 9 :]
                if sent == 4 and plan == "cut":
                    self.wfile.write(b"--frame\r\nContent-Type: image/jpeg\r\n\r\n" + part[: len(part) // 2])
                    return
                if sent == 4 and plan == "stall":
                    time.sleep(0.8)
                    return
                while sent == 4 and plan in TRICKLES:
                    self.wfile.write(TRICKLES[plan])
                    time.sleep(0.02)
                self.wfile.write(b"--frame\r\nContent-Type: image/jpeg\r\n\r\n" + part + b"\r\n")
                time.sleep(0.01)

    def log_message(self, *_: object) -> None:
        pass


@contextlib.contextmanager
def serving(*plans: str) -> Iterator[MjpegServer]:
    server = MjpegServer(list(plans))
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()


def test_a_stream_of_pictures_is_followed() -> None:
    with serving() as server:
        found = taken(open_stream(server.address, PATIENT), lambda f: len(f) == 5)
    assert all(isinstance(item, Frame) for item in found)
    assert [item.index for item in found if isinstance(item, Frame)] == list(range(5))


def test_a_camera_that_asks_for_user_and_password_gets_those_of_its_address() -> None:
    with serving("Basic") as server:
        assert len(taken(open_stream(server.address_with_login, PATIENT), lambda f: len(f) == 3)) == 3
        assert server.logins == ["", f"Basic {base64.b64encode(b'anna:p@ss').decode()}"]
    with serving("Digest") as server:
        assert len(taken(open_stream(server.address_with_login, PATIENT), lambda f: len(f) == 3)) == 3
        assert [login.partition(",")[0] for login in server.logins] == ["", 'Digest username="anna"']
    with serving("Basic") as server, pytest.raises(InputError, match="401"):
        open_stream(server.address, PATIENT)


@pytest.mark.parametrize("name", ["film.mp4", "film.unknown"])
def test_a_recording_at_an_address_is_refused(tmp_path: Path, name: str) -> None:
    path = str(film(tmp_path / "film.mkv", codec="mp4v").rename(tmp_path / name))
    with (
        serving(path, path) as server,
        pytest.raises(InputError, match="a recording, and no live video; download it"),
    ):
        open_stream(server.address, PATIENT)


def test_a_live_transport_stream_is_followed(tmp_path: Path) -> None:
    path = str(film(tmp_path / "film.ts", codec="mp4v"))
    with serving(path, path) as server:
        assert len(only_frames(taken(open_stream(server.address, PATIENT), lambda f: True))) == 1


def test_an_address_of_a_single_picture_is_refused(tmp_path: Path) -> None:
    assert cv2.imwrite(str(tmp_path / "still.jpg"), picture(50))
    with (
        serving(str(tmp_path / "still.jpg")) as server,
        pytest.raises(InputError, match="gives a single picture; name that of the camera's video"),
    ):
        open_stream(server.address, PATIENT)


@pytest.mark.parametrize(
    ("file", "message"),
    [
        ("page.html", r"a web page; name the address of the camera's video, such as \.\.\./video"),
        ("song.mp3", "sound without pictures; name the address of the camera's video"),
        ("list.m3u8", "cannot be opened"),
    ],
)
def test_an_address_of_a_web_page_or_of_sound_is_refused_as_such(
    tmp_path: Path, file: str, message: str
) -> None:
    mimetypes.add_type("audio/mpegurl", ".m3u8")
    (tmp_path / file).write_text("<p>The camera</p>")
    with serving(*[str(tmp_path / file)] * 3) as server, pytest.raises(InputError, match=message):
        open_stream(server.address, PATIENT)


def test_an_address_of_a_dash_stream_is_refused(tmp_path: Path) -> None:
    mimetypes.add_type("application/dash+xml", ".mpd")
    (tmp_path / "live.mpd").write_text("<MPD/>")
    with (
        serving(str(tmp_path / "live.mpd")) as server,
        pytest.raises(
            InputError, match="DASH stream, which is not decoded; name the camera's RTSP or HLS address"
        ),
    ):
        open_stream(server.address, PATIENT)


def test_a_camera_without_response_is_reported_without_its_password() -> None:
    for port in ("", ":9"):
        with pytest.raises(InputError, match="no response") as caught:
            open_stream(f"http://anna:s3cret@127.0.0.1{port}/video", PATIENT)
        assert "s3cret" not in str(caught.value)
        assert f"anna:***@127.0.0.1{port}/video: no response" in str(caught.value)
        assert "Name or service" not in str(caught.value)
        assert "nonnumeric" not in str(caught.value)


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (b"hello\x1b[2J\x07\xef\xbf\xbd\r\n", r"no response \(hello \[2J ï¿½\); check the address"),
        (
            b"HTTP/1.0 404 gone\x1b" + 300 * b"!" + b"\r\n\r\n",
            r"refuses \(404 gone !{151}\); check the address$",
        ),
    ],
)
def test_what_a_server_says_is_shown_short_and_without_control_characters(
    answer: bytes, message: str
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:

        def respond() -> None:
            client = server.accept()[0]
            client.recv(4096)
            client.sendall(answer)
            client.close()

        threading.Thread(target=respond, daemon=True).start()
        with pytest.raises(InputError, match=message) as caught:
            open_stream(f"http://127.0.0.1:{server.getsockname()[1]}/video", PATIENT)
    assert str(caught.value).isprintable()


@pytest.fixture
def patient_opening(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the first request wait for a busy machine; that of a stream that is opened again may fail."""
    request, limits_s = mjpeg._request, iter([60.0])
    monkeypatch.setattr(mjpeg, "_request", lambda address, limit_s: request(address, next(limits_s, limit_s)))


@pytest.mark.usefixtures("patient_opening")
def test_a_stream_survives_every_kind_of_fault() -> None:
    faults = ["cut", "stall", "damaged", "refuse", "cut", "stall", "refuse", "refuse", "cut"]
    with serving("cut", *faults) as server:
        found = taken(
            open_stream(server.address, replace(QUICK, idle_s=60.0)),
            lambda f: server.spent and isinstance(f[-1], Frame),
        )
    assert server.spent
    words = [item for item in found if isinstance(item, Interruption) and item.message]
    assert len(words) >= 4
    assert [word.over for word in words] == [number % 2 == 1 for number in range(len(words))]
    assert isinstance(found[-1], Frame)


@pytest.mark.usefixtures("patient_opening")
@pytest.mark.parametrize("plan", TRICKLES)
def test_a_stream_that_sends_no_picture_any_more_is_opened_again(plan: str) -> None:
    with serving(plan, plan) as server:
        found = taken(
            open_stream(server.address, replace(QUICK, idle_s=0.1)),
            lambda f: server.spent and isinstance(f[-1], Frame),
        )
    assert server.spent
    assert any(isinstance(item, Interruption) for item in found)
    assert isinstance(found[-1], Frame)


@pytest.mark.parametrize("plan", TRICKLES)
def test_a_stream_says_whether_its_pictures_stay_away_or_cannot_be_decoded(plan: str) -> None:
    response = SimpleNamespace(read1=lambda _: TRICKLES[plan])
    what = "of the last 0 s can be decoded" if plan == "no pictures" else "for 0 s$"
    with pytest.raises(InputError, match=f"^camera: no frame {what}"):
        mjpeg.MjpegConnection(response, "camera", 0.1).read()


def timed_connection(
    monkeypatch: pytest.MonkeyPatch, parts: Iterable[bytes], every_s: float
) -> mjpeg.MjpegConnection:
    """Return a connection by whose clock a part comes every `every_s` seconds."""
    clock_s = itertools.count(0.0, every_s)
    now_s = [next(clock_s)]
    remaining = iter(parts)

    def receive(_: int) -> bytes:
        now_s[0] = next(clock_s)
        return next(remaining)

    monkeypatch.setattr(mjpeg, "time", SimpleNamespace(monotonic=lambda: now_s[0]))
    return mjpeg.MjpegConnection(SimpleNamespace(read1=receive), "camera", 5.0)


def test_a_picture_may_take_longer_than_a_stream_without_one(monkeypatch: pytest.MonkeyPatch) -> None:
    data = cv2.imencode(".jpg", picture(60))[1].tobytes()
    parts = [part for _ in range(2) for part in (data[:300], data[300:400], data[400:])]
    connection = timed_connection(monkeypatch, parts, 2.5)
    assert [connection.read().shape for _ in range(2)] == [(120, 120, 3)] * 2
    trickle = itertools.chain([data[:300]], itertools.repeat(b"x"))
    with pytest.raises(InputError, match=r"^camera: no frame for 30 s$"):
        timed_connection(monkeypatch, trickle, 1.0).read()


def test_a_picture_that_comes_at_the_end_of_the_limit_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    data = cv2.imencode(".jpg", picture(60))[1].tobytes()
    connection = timed_connection(monkeypatch, [b"--frame\r\n", data], 2.6)
    assert connection.read().shape == (120, 120, 3)


def test_a_picture_that_claims_too_many_pixels_is_skipped() -> None:
    with serving("huge") as server:
        found = taken(
            open_stream(server.address, PATIENT), lambda f: len(f) == 8 or not isinstance(f[-1], Frame)
        )
    assert all(isinstance(item, Frame) for item in found)


def test_a_server_without_pictures_is_refused() -> None:
    with serving("refuse") as server, pytest.raises(InputError, match="503"):
        open_stream(server.address, PATIENT)
    with serving("page") as server, pytest.raises(InputError, match="a web page"):
        open_stream(server.address, PATIENT)
    with pytest.raises(InputError, match="no response"):
        open_stream("http://127.0.0.1:9/video", PATIENT)
