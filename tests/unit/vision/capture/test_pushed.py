"""Pictures that are sent to a source: the newest one is read, and nothing that is sent can end it."""

from __future__ import annotations

import io
import threading
from collections.abc import Iterator

import cv2
import numpy as np
import pytest
from PIL import Image

from vision.capture import Frame, Interruption, PushedPictures, open_source
from vision.errors import InputError

Item = Frame | Interruption


def jpeg(level: int = 100, width: int = 320, height: int = 240) -> bytes:
    picture = np.full((height, width, 3), level, np.uint8)
    return cv2.imencode(".jpg", picture)[1].tobytes()


def as_format(kind: str, **options: object) -> bytes:
    data = io.BytesIO()
    Image.new("RGB", (320, 240)).save(data, kind, **options)
    return data.getvalue()


@pytest.fixture
def source() -> PushedPictures:
    return PushedPictures("phone", stall_s=0.15)


def started(source: PushedPictures) -> Iterator[Item]:
    items = source.frames()
    source.put(jpeg(10))
    first = next(items)
    assert isinstance(first, Frame)
    assert (first.source, first.index) == ("phone", 0)
    return items


def test_the_newest_picture_is_read_and_older_ones_are_left_out(source: PushedPictures) -> None:
    items = started(source)
    for level in (50, 100, 150):
        source.put(jpeg(level))
    frame = next(items)
    assert isinstance(frame, Frame)
    assert (round(float(frame.image_bgr.mean())), frame.index) == (150, 1)
    assert source.live
    assert source.resume_index(5, "") == -1


def test_missing_pictures_are_reported_once_and_their_return_too(source: PushedPictures) -> None:
    items = source.frames()
    first = next(items)
    assert first == Interruption(message="phone: no picture yet; waiting for it")
    threading.Timer(0.4, source.put, [jpeg()]).start()  # later than a second report would come
    assert next(items) == Interruption(message="phone: pictures come again", over=True)
    assert isinstance(next(items), Frame)
    assert next(items) == Interruption(message="phone: no picture for 0 s; waiting for it")


def test_a_pause_is_reported_at_once_with_its_reason() -> None:
    patient = PushedPictures("phone", stall_s=60.0)
    items = started(patient)
    patient.pause("it rings")
    assert next(items) == Interruption(message="phone: it rings; waiting for it")


def test_a_closed_source_ends(source: PushedPictures) -> None:
    items = started(source)
    threading.Timer(0.05, source.close).start()
    assert [item for item in items if isinstance(item, Frame)] == []


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "not a complete JPEG"),
        (b"GIF89a", "not a complete JPEG"),
        (as_format("PNG"), "not a complete JPEG"),
        (jpeg()[:-40], "not a complete JPEG"),
        (b"\xff\xd8\xff\xda\x00\x00\xff\xd9", "header is damaged"),
        (b"\xff\xd8\xff\xd9" + bytes(5_000_000), "at most 4000000 bytes"),
        (jpeg(width=4200, height=2400), "pixels are too many"),
        (jpeg(width=320, height=200), "cannot show a board"),
        (as_format("JPEG", progressive=True), "baseline"),
    ],
)
def test_what_is_no_picture_for_a_table_is_refused(source: PushedPictures, data: bytes, reason: str) -> None:
    with pytest.raises(InputError, match=reason):
        source.put(data)
    assert isinstance(next(started(source), None), Interruption)


def test_a_claimed_size_is_refused_before_it_is_decoded(source: PushedPictures) -> None:
    data = bytearray(jpeg())
    place = data.find(b"\xff\xc0")
    data[place + 5 : place + 9] = b"\xff\xff\xff\xff"  # 65535 x 65535 pixels
    with pytest.raises(InputError, match="too many"):
        source.put(bytes(data))


def test_pictures_whose_data_is_damaged_count_as_missing(source: PushedPictures) -> None:
    items = started(source)
    good = jpeg(90, 640, 480)
    start = good.find(b"\xff\xda")
    noise = np.random.default_rng(0).integers(0, 255, len(good) - start - 16, dtype=np.uint8).tobytes()
    damaged = good[: start + 14] + noise.replace(b"\xff", b"\x00") + b"\xff\xd9"
    stopping = threading.Event()

    def send() -> None:
        while not stopping.wait(0.03):
            source.put(damaged)

    sender = threading.Thread(target=send)
    sender.start()
    item = next(items)  # a decoder may fill what is missing, or give the picture up
    stopping.set()
    sender.join()
    source.put(jpeg(200))
    while not (isinstance(item, Frame) and round(float(item.image_bgr.mean())) == 200):
        item = next(items)


def test_a_phone_is_no_source_without_a_server(tmp_path: object, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(str(tmp_path))
    with pytest.raises(InputError, match="tilesight serve phone"):
        open_source("phone")
