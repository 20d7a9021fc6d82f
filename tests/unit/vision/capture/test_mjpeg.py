"""Cameras on the network that misbehave, and addresses that are no stream."""

from __future__ import annotations

import base64
import contextlib
import itertools
import mimetypes
import socket
import threading
import time
from collections.abc import Iterable, Iterator
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import SimpleNamespace

import cv2
import pytest

from tests.support.sources import PATIENT, QUICK, film, only_frames, picture, taken
from vision.capture import Frame, Interruption, mjpeg
from vision.capture.live import open_stream
from vision.errors import InputError

pytestmark = pytest.mark.slow


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
