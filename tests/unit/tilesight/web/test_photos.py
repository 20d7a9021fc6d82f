"""Photos that devices send: rights, limits, broken pictures, and the texts of a board."""

from __future__ import annotations

import base64
import json
import random
import struct
import threading
import zlib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from scoring import Board, GameError, edition_names, load_edition, parse_gcg
from tests.support.on_air import BEARER, RunningServer, serve_tables
from tests.support.random_games import random_game
from tilesight.digitise.reading import ReadOptions, Result
from tilesight.digitise.reading.photo_record import BoardRecord, PhotoRecord, PhotoStatus, SquareDoubt
from tilesight.digitise.workers import PictureProcess
from tilesight.web.photo import PhotoService, PhotoView, make_up_game
from tilesight.web.routes.photos import serialize_photo
from tilesight.web.settings import SETTINGS
from vision.errors import SettingsError

OCTETS = {"Content-Type": "application/octet-stream"}
ICELANDIC = load_edition("icelandic")


class ThreadedReading(PictureProcess):
    """Reads in the server's own process, and only when it may."""

    def __init__(self) -> None:
        super().__init__()
        self.may_read = threading.Event()
        self.asked: list[ReadOptions] = []

    def read(self, data: bytes, name: str, options: ReadOptions) -> Result:
        self.asked.append(options)
        self.may_read.wait(60)
        if data == b"settings":
            raise SettingsError("no board has such corners")
        record = PhotoRecord(status=PhotoStatus.UNREADABLE, message=f"{len(data)} bytes")
        return Result(record=record, ms={})


@pytest.fixture
def reading() -> ThreadedReading:
    made = ThreadedReading()
    made.may_read.set()
    return made


@pytest.fixture
def server(reading: ThreadedReading) -> Iterator[RunningServer]:
    with serve_tables(photos=PhotoService([load_edition("english"), ICELANDIC], reading)) as running:
        yield running


def post(server: RunningServer, data: bytes, query: str = "", **headers: str) -> tuple[int, Any]:
    status, fields, body = server.request(
        "POST", f"/api/photo{query}", data, {**OCTETS, **BEARER, **{k: v for k, v in headers.items() if v}}
    )
    is_json = fields["content-type"].startswith("application/json")
    return status, json.loads(body) if is_json else body.decode()


def test_what_is_known_of_a_photo_reaches_the_reader(server: RunningServer, reading: ThreadedReading) -> None:
    corners = quote("1,2 3,2 3,4 1,4")
    status, found = post(server, b"four", f"?edition=icelandic&turn=3&corners={corners}")
    assert (status, found["status"], found["message"]) == (200, "unreadable", "4 bytes")
    request = reading.asked[0].request
    assert [edition.name for edition in reading.asked[0].editions] == ["icelandic"]
    assert (request.quarter_turns, request.corners_px) == (3, ((1, 2), (3, 2), (3, 4), (1, 4)))


def test_what_makes_no_sense_is_refused_with_a_line(server: RunningServer) -> None:
    assert post(server, b"x", "?edition=klingon")[1]["message"].startswith("there is no such edition")
    assert post(server, b"x", "?corners=here")[1]["message"].startswith("corners 'here': give four pairs")
    assert post(server, b"x", "?turn=4")[0] == 422
    assert post(server, b"")[1]["message"] == "the photo is empty; choose another file"
    assert post(server, b"settings") == (422, {"sequence": None, "message": "no board has such corners"})


def test_a_stranger_and_a_foreign_page_cannot_send_photos(server: RunningServer) -> None:
    assert server.request("POST", "/api/photo", b"x", OCTETS)[0] == 401
    assert server.request("GET", "/api/photo/editions")[0] == 401
    assert post(server, b"x", Origin="http://evil.example")[0] == 403
    form = {"Content-Type": "multipart/form-data"}
    assert server.request("POST", "/api/photo", b"x", {**form, **BEARER})[0] == 415


def test_a_photo_that_is_too_large_is_refused_before_it_is_read(
    server: RunningServer, reading: ThreadedReading
) -> None:
    length = {"Content-Length": str(SETTINGS.max_photo + 1)}
    status, _, message = server.request("POST", "/api/photo", b"x", {**OCTETS, **BEARER, **length})
    assert (status, message.decode()) == (413, f"a request has at most {SETTINGS.max_photo} bytes\n")
    assert post(server, bytes(SETTINGS.max_photo))[0] == 200
    assert len(reading.asked) == 1


def test_a_device_has_one_photo_read_at_a_time(server: RunningServer, reading: ThreadedReading) -> None:
    reading.may_read.clear()
    first: list[int] = []
    thread = threading.Thread(target=lambda: first.append(post(server, b"first")[0]))
    thread.start()
    while not reading.asked:
        pass
    status, refusal = post(server, b"second")
    reading.may_read.set()
    thread.join(60)
    assert (status, first) == (503, [200])
    assert refusal["message"].startswith("a photo of this device is being read")


def test_a_server_without_photos_says_so() -> None:
    with serve_tables() as running:
        status, answer = post(running, b"x")
    assert (status, answer["message"]) == (404, "this server reads no photos; start it with --photos")


def bomb() -> bytes:
    """A PNG of a few bytes that says that it has a thousand megapixels."""
    head = struct.pack(">IIBBBBB", 40_000, 25_000, 8, 2, 0, 0, 0)
    chunks = [(b"IHDR", head), (b"IDAT", zlib.compress(bytes(1000))), (b"IEND", b"")]
    parts = [
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        for kind, data in chunks
    ]
    return b"\x89PNG\r\n\x1a\n" + b"".join(parts)


@pytest.mark.slow
def test_a_photo_is_read_and_broken_ones_get_a_clear_line(icelandic_sample: Path) -> None:
    photo = (icelandic_sample / "turn-05.jpg").read_bytes()
    with serve_tables(photos=PhotoService([load_edition(name) for name in edition_names()])) as running:
        status, found = post(running, photo)
        assert (status, found["status"], found["edition"]) == (200, "ok", "icelandic")
        assert found["rows"][7].startswith(". . . H R A K I .")
        assert base64.b64decode(found["board"]).startswith(b"\xff\xd8")
        assert "far too many pixels" in post(running, bomb())[1]["message"]
        assert "cut short" in post(running, photo[:50_000])[1]["message"]
        assert "not a picture" in post(running, b"#!/bin/sh")[1]["message"]


def test_the_page_gets_the_doubts_of_the_reader_and_the_editions_that_may_be_right() -> None:
    rows = (("A", "B"), ("C", "."))
    board = BoardRecord(
        edition="french",
        rows=rows,
        confidence=((0.9, 1.0), (0.7, 1.0)),
        doubts=(
            SquareDoubt((0, 0), "another reading is likely too"),
            SquareDoubt((0, 1), "it shows no value"),
        ),
        edition_probability=0.5,
        editions={"french": 0.5, "english": 0.46, "dutch": 0.04},
    )
    record = PhotoRecord(status=PhotoStatus.OK, board=board)

    def view(board: BoardRecord) -> PhotoView:
        return serialize_photo(Result(record=replace(record, board=board), ms={}))

    assert [doubt[:4] for doubt in view(board).doubtful] == [
        (0, 0, 0.9, "another reading is likely too"),
        (0, 1, 1.0, "it shows no value"),
    ]
    assert view(board).editions == {"french": 0.5, "english": 0.46}
    assert view(replace(board, editions={"french": 0.93, "dutch": 0.07})).editions == {"french": 0.93}
    assert view(replace(board, rows=((".", "."),) * 2)).editions is None
    assert view(replace(board, editions=None)).editions is None


def test_a_board_becomes_texts(server: RunningServer) -> None:
    rows = [" ".join("." * 15)] * 7 + [". . . H R A k I" + " ." * 7] + [" ".join("." * 15)] * 7

    def texts(rows: list[str], edition: str = "icelandic") -> tuple[int, Any]:
        body = {"edition": edition, "rows": rows}
        status, _, answer = server.request("POST", "/api/photo/texts", body, BEARER)
        return status, json.loads(answer)

    status, made = texts(rows)
    assert status == 200
    assert made["cgp"].startswith("15/15/15/15/15/15/15/3HRAkI7/15/")
    assert parse_gcg(made["gcg"]).game.board.rows[7][3:8] == ("H", "R", "A", "k", "I")
    assert "#description A position from a photo." in made["gcg"]
    assert made["text"].splitlines()[7] == "...HRAkI......."
    assert texts(rows[:5])[1]["message"].startswith("the board has 5 rows")
    assert texts([*rows[:7], rows[7].replace("R", "SZ"), *rows[8:]])[0] == 422
    floating = [rows[7], *rows[1:7], rows[0], *rows[8:]]
    assert texts(floating)[1]["gcg"] == ""
    assert "no play leads to the tile on D1" in texts(floating)[1]["gcg_message"]


@pytest.mark.parametrize("seed", range(4))
def test_a_made_up_game_leads_to_the_board(seed: int) -> None:
    board = random_game(random.Random(seed), ICELANDIC).board
    made = make_up_game(board, ICELANDIC)
    assert made.board == board
    assert made.problems == ()


def test_a_board_with_a_covered_square_has_no_game() -> None:
    rows = [["."] * 15 for _ in range(15)]
    rows[7][7] = "#"
    with pytest.raises(GameError, match="H8 cannot be seen"):
        make_up_game(Board.from_rows(rows), ICELANDIC)
