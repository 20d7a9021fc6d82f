"""A phone that is the camera: who may send, what is taken, and which device sends."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import json
import socket
import ssl
import threading
import time
from collections.abc import Iterator
from http.client import HTTPConnection, HTTPSConnection
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from scoring import load_edition
from tests.support.on_air import BEARER, RunningServer, open_table, serve_tables
from tests.unit.vision.profile.test_profile import a_profile
from tilesight.live import load_tables
from tilesight.web import (
    AppContext,
    ConsoleToken,
    PhoneCamera,
    Sessions,
    describe_problem,
    load_own_certificate,
    make_app,
    open_listening_socket,
)
from tilesight.web.access import security
from tilesight.web.access.rate_limits import TokenBucket
from tilesight.web.phone import OtherSenderError, find_network_address
from tilesight.web.server import PlainServer, make_server, run_both
from tilesight.web.settings import SETTINGS
from vision.core import Frame, Grid
from vision.errors import SettingsError
from vision.pipeline import calibrated_frames

PHONE = "/api/tables/final/phone"
JPEG = cv2.imencode(".jpg", np.full((480, 640, 3), 90, np.uint8))[1].tobytes()


@pytest.fixture
def phone() -> PhoneCamera:
    return PhoneCamera()


@pytest.fixture
def air(tmp_path: Path, phone: PhoneCamera) -> Iterator[RunningServer]:
    tables = (open_table(tmp_path), open_table(tmp_path, "left"))
    with serve_tables(*tables, phones={"final": phone}, outside_url="https://192.0.2.9:8000") as running:
        yield running


def signed_in(air: RunningServer) -> dict[str, str]:
    """The headers of a phone that used a code of the console."""
    _, _, body = air.request("POST", f"{PHONE}/code", {}, BEARER)
    code = json.loads(body)["address"].partition("#")[2]
    _, headers, _ = air.request("POST", "/api/session", {"token": code})
    return {"Cookie": headers["set-cookie"].partition(";")[0]}


def begun(air: RunningServer, headers: dict[str, str]) -> dict[str, str]:
    status, _, body = air.request("POST", f"{PHONE}/start", {}, headers)
    assert status == 200
    return {**headers, "X-Ticket": json.loads(body)["ticket"], "Content-Type": "image/jpeg"}


def send(air: RunningServer, headers: dict[str, str], picture: bytes = JPEG) -> tuple[int, Any]:
    status, _, body = air.request("POST", f"{PHONE}/picture", picture, headers)
    with contextlib.suppress(ValueError):
        return status, json.loads(body)
    return status, body.decode()


def test_a_codes_device_sends_pictures_and_may_do_nothing_else(
    air: RunningServer, phone: PhoneCamera
) -> None:
    headers = signed_in(air)
    sending = begun(air, headers)
    status, view = send(air, sending)
    assert (status, view["grid"], view["rows"], view["sender"]["own"]) == (200, None, 15, True)
    assert send(air, sending)[0] == 200
    assert phone.sender is not None
    assert phone.sender.interval_s > 0
    for method, path, body in (
        ("GET", "/api/tables/final/desk", None),
        ("GET", "/api/tables/final/camera.jpg", None),
        ("GET", "/api/session", None),
        ("POST", "/api/tables/final/commands", {"verb": "pass"}),
        ("POST", "/api/session/code", {}),
        ("POST", f"{PHONE}/code", {}),
    ):
        assert air.request(method, path, body, headers)[0] == 403, path
    assert air.request("POST", "/api/session/end", {}, headers)[0] == 200
    assert send(air, sending) == (401, "sign this device in\n")


def test_the_grid_lies_on_the_phones_own_picture_where_the_lens_is_known(air: RunningServer) -> None:
    photo = Frame(np.zeros((600, 800, 3), np.uint8), "phone")
    frame = next(iter(calibrated_frames([photo], a_profile(), load_edition("icelandic").layout)))
    assert isinstance(frame, Frame)
    assert frame.undistortion is not None
    corners_px = np.array([[60.0, 40], [frame.size_px[0] - 60, 40], [900, 800], [100, 800]])
    camera = air.tables["final"]._camera
    camera.snapshot = (frame, Grid.from_corners(corners_px, 15, 15))
    grid = json.loads(air.request("GET", PHONE, headers=signed_in(air))[2])["grid"]
    expected_px = frame.undistortion.project(corners_px)
    np.testing.assert_allclose(np.array(grid) * (800, 600) - 0.5, expected_px, atol=0.1)
    camera.snapshot = (photo, Grid.from_corners(corners_px / 2, 15, 15))
    grid = json.loads(air.request("GET", PHONE, headers=signed_in(air))[2])["grid"]
    np.testing.assert_allclose(np.array(grid) * (800, 600) - 0.5, corners_px / 2, atol=0.1)


def test_strangers_and_other_tables_get_nothing(air: RunningServer) -> None:
    stranger = {"X-Ticket": "none", "Content-Type": "image/jpeg"}
    assert send(air, stranger)[0] == 401
    assert air.request("GET", PHONE)[0] == 401
    assert air.request("POST", f"{PHONE}/start", {})[0] == 401
    headers = signed_in(air)
    assert air.request("GET", "/api/tables/left/phone", headers=headers)[0] == 404
    assert air.request("POST", "/api/tables/left/phone/start", {}, headers)[0] == 404


def test_broken_huge_and_cut_pictures_are_refused_and_the_next_one_is_taken(
    air: RunningServer, phone: PhoneCamera
) -> None:
    sending = begun(air, signed_in(air))
    frames = phone.source.frames()
    large = cv2.imencode(".jpg", np.zeros((4000, 4000, 3), np.uint8))[1].tobytes()
    for picture, reason in ((b"no picture", "JPEG"), (JPEG[:-9], "JPEG"), (large, "too many")):
        status, answer = send(air, sending, picture)
        assert status == 422
        assert reason in answer["message"]
    with contextlib.suppress(ConnectionError):  # the server hangs up on what it does not read
        assert send(air, sending, bytes(SETTINGS.max_picture + 1))[0] == 413
    # A picture of which only a part arrives before the connection is cut.
    with socket.create_connection(("127.0.0.1", air.port)) as cut:
        head = [f"POST {PHONE}/picture HTTP/1.1", "Host: localhost", f"Content-Length: {len(JPEG)}"]
        head += [f"{name}: {value}" for name, value in sending.items()]
        cut.sendall("\r\n".join(head).encode() + b"\r\n\r\n" + JPEG[:500])
    assert send(air, sending)[0] == 200
    assert next(frames).image_bgr.shape == (480, 640, 3)  # type: ignore[union-attr]
    assert send(air, {**sending, "Content-Type": "image/png"})[0] == 415


def test_the_last_device_that_begins_sends_and_the_other_is_informed(air: RunningServer) -> None:
    first = begun(air, {**signed_in(air), "User-Agent": "First phone"})
    second = begun(air, {**signed_in(air), "User-Agent": "Second phone"})
    status, refusal = send(air, first)
    assert status == 409
    assert (refusal["sender"]["device"], refusal["sender"]["own"]) == ("Second phone", False)
    assert send(air, second)[0] == 200
    pause = {"ticket": first["X-Ticket"], "reason": "stopped"}
    as_json = {**first, "Content-Type": "application/json"}
    assert air.request("POST", f"{PHONE}/pause", pause, as_json)[0] == 409
    pause = {"ticket": second["X-Ticket"], "reason": "stopped"}
    as_json = {**second, "Content-Type": "application/json"}
    assert air.request("POST", f"{PHONE}/pause", pause, as_json)[0] == 200
    assert send(air, second) == (409, {"message": "nobody sends", "sender": None})


def test_one_device_cannot_send_more_than_its_share(
    tmp_path: Path, phone: PhoneCamera, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A bucket that is never filled again: how fast this machine sends does not matter.
    monkeypatch.setattr(security, "TokenBucket", functools.partial(TokenBucket, clock=lambda: 0.0))
    with serve_tables(open_table(tmp_path), phones={"final": phone}) as air:
        first = begun(air, signed_in(air))
        statuses = [send(air, first)[0] for _ in range(int(SETTINGS.picture_limit[1]) + 2)]
        assert statuses == [200] * int(SETTINGS.picture_limit[1]) + [429] * 2
        second = begun(air, signed_in(air))
        assert send(air, second)[0] == 200, "another device has a share of its own"


def test_two_pictures_of_a_device_may_be_on_their_way(air: RunningServer) -> None:
    sending = begun(air, signed_in(air))
    held = []
    for _ in range(SETTINGS.max_pictures_at_once_per_device):
        connection = HTTPConnection("127.0.0.1", air.port, timeout=60)
        connection.putrequest("POST", f"{PHONE}/picture")
        for name, value in {**sending, "Content-Length": str(len(JPEG))}.items():
            connection.putheader(name, value)
        connection.endheaders(JPEG[:100])
        held.append(connection)
    while (answer := send(air, sending))[0] == 200:
        pass
    assert answer == (429, "too many pictures at once; wait for the answer to the last one\n")
    other = begun(air, signed_in(air))
    assert send(air, other)[0] == 200
    for connection in held:
        connection.close()


def test_a_pause_forgets_the_rate_and_keeps_the_ticket(phone: PhoneCamera) -> None:
    ticket = phone.start("a", "A phone" * 100, "192.0.2.1")
    phone.take(ticket, JPEG)
    phone.pause(ticket, "it rings", is_over=False)
    assert phone.sender is not None
    assert (phone.sender.picture_s, len(phone.sender.device)) == (None, SETTINGS.max_device)
    phone.take(ticket, JPEG)
    with pytest.raises(OtherSenderError):
        phone.take("another ticket", JPEG)


def test_a_long_gap_between_pictures_is_no_rate() -> None:
    time_s = [0.0]
    phone = PhoneCamera(now=lambda: time_s[0])
    ticket = phone.start("a", "A phone", "192.0.2.1")

    def interval(moment_s: float, *, is_picture: bool = True) -> float:
        time_s[0] = moment_s
        if is_picture:
            phone.take(ticket, JPEG)
        assert phone.sender is not None
        return phone.sender.interval_s

    assert [interval(moment_s) for moment_s in (0.0, 0.125, 0.25)] == [0.0, 0.125, 0.125]
    assert interval(20.0, is_picture=False) == 0.0, "nothing is sent now"
    assert [interval(moment_s) for moment_s in (20.0, 20.25)] == [0.0, 0.25]


def test_an_operators_browser_stays_one_when_it_is_the_camera_too(air: RunningServer) -> None:
    _, _, body = air.request("POST", f"{PHONE}/code", {}, BEARER)
    code = json.loads(body)["address"].partition("#")[2]
    _, headers, _ = air.request("POST", "/api/session", {"token": BEARER["Authorization"].split()[1]})
    operator = {"Cookie": headers["set-cookie"].partition(";")[0]}
    status, headers, _ = air.request("POST", "/api/session", {"token": code}, operator)
    assert (status, "set-cookie" in headers) == (200, False)
    assert air.request("GET", "/api/tables/final/desk", headers=operator)[0] == 200


@pytest.mark.parametrize(
    ("host", "origin"),
    [
        ("localhost", "https://192.0.2.9:8000"),
        ("127.0.0.1:8000", "https://192.0.2.9:8000"),
        ("192.0.2.44:8000", "http://192.0.2.44:8000"),
    ],
)
def test_the_code_has_an_address_that_a_phone_can_reach(air: RunningServer, host: str, origin: str) -> None:
    _, _, body = air.request("POST", f"{PHONE}/code", {}, {**BEARER, "Host": host})
    code = json.loads(body)
    assert code["address"].startswith(f"{origin}/phone?table=final#")
    assert code["problem"] == ("" if origin.startswith("https") else describe_problem(origin))
    assert code["svg"].startswith("<svg")


def test_a_problem_of_an_address_says_what_to_do() -> None:
    assert "--host 0.0.0.0 --tls self" in describe_problem("https://127.0.0.1:8000")
    assert "--tls self" in describe_problem("http://192.0.2.1:8000")
    assert describe_problem("https://192.0.2.1:8000") == ""
    address = find_network_address()
    assert address is None or not address.startswith("127.")


def test_only_the_phones_page_may_use_a_camera(air: RunningServer) -> None:
    assert "camera=(self)" in air.request("GET", "/phone")[1]["permissions-policy"]
    assert "camera=()" in air.request("GET", "/console")[1]["permissions-policy"]


def test_a_file_of_tables_names_a_phone_and_a_folder_of_that_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    file = Path("tables.toml")
    file.write_text('[table.a]\nsource = "phone"\n[table.b]\nsource = "./phone"\n')
    assert [table.source for table in load_tables(file)] == ["phone", "./phone"]
    file.write_text('[table.a]\nsource = "0"\nrack-source = "phone"\nracks = ["1,1 9,1 9,2 1,2", ""]\n')
    with pytest.raises(SettingsError, match="not its rack-source"):
        load_tables(file)


def test_this_machine_gets_the_pages_without_tls_too(tmp_path: Path) -> None:
    certificate = load_own_certificate(tmp_path, {"localhost", "127.0.0.1"})
    token = ConsoleToken()
    context = AppContext(live_games=(open_table(tmp_path),), token=token, sessions=Sessions(token))
    app = make_app(context, notify=lambda _: None)
    server, sock = make_server(app, certificate=certificate), open_listening_socket("127.0.0.1", 0)
    plain, plain_sock = PlainServer(make_server(app).config), open_listening_socket("127.0.0.1", 0)
    running = threading.Thread(target=lambda: asyncio.run(run_both(server, sock, plain, plain_sock)))
    running.start()
    while not plain.started:
        time.sleep(0.02)
    trusting = ssl.create_default_context(cafile=certificate[0])
    ports = [each.getsockname()[1] for each in (sock, plain_sock)]
    connections = (
        HTTPSConnection("localhost", ports[0], context=trusting, timeout=60),
        HTTPConnection("localhost", ports[1], timeout=60),
    )
    for connection in connections:
        with contextlib.closing(connection):
            connection.request("GET", "/api/tables")
            assert connection.getresponse().status == 200
    server.should_exit = True
    running.join(60)
    assert not running.is_alive()
