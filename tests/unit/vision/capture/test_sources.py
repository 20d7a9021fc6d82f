"""Films, folders and addresses: what opens, where it goes on, and what is refused."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import cv2
import numpy as np
import pytest

from tests.support.sources import QUICK, film, levels, only_frames, picture
from vision.capture import Frame, Interruption, Source, open_source
from vision.capture.live import _VideoConnection, open_stream, without_password
from vision.capture.pacing import FramePacer
from vision.capture.sources import fingerprint
from vision.errors import InputError

pytestmark = pytest.mark.slow


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
def test_a_source_that_is_not_there_is_reported_at_once(text: str) -> None:
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
