"""One picture at a time in a process of its own."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from scoring import load_edition
from tilesight.digitise.reading import ReadOptions, Result
from tilesight.digitise.reading.photo_record import PhotoRecord, PhotoStatus
from tilesight.digitise.workers import PictureProcess
from vision.errors import SettingsError

OPTIONS = ReadOptions(editions=(load_edition("icelandic"),))


def obey(data: bytes, name: str, options: ReadOptions) -> Result:
    """What a decoder may do, by the picture's name."""
    match name:
        case "crash":
            os._exit(11)
        case "endless":
            time.sleep(60)
        case "raise":
            raise ZeroDivisionError("no pixels")
        case "settings":
            raise SettingsError("--profile: of another camera")
    return Result(record=PhotoRecord(status=PhotoStatus.OK, message=data.decode()), ms={})


def test_a_picture_that_crashes_or_hangs_its_reader_costs_that_picture_only() -> None:
    process = PictureProcess(limit_s=1.0, read=obey)
    try:
        assert process.read(b"one", "a.jpg", OPTIONS).record.message == "one"
        assert "ended the process" in str(process.read(b"", "crash", OPTIONS).record.message)
        assert "took more than 1 s" in str(process.read(b"", "endless", OPTIONS).record.message)
        assert "ZeroDivisionError" in str(process.read(b"", "raise", OPTIONS).record.message)
        with pytest.raises(SettingsError, match="of another camera"):
            process.read(b"", "settings", OPTIONS)
        assert process.read(b"two", "b.jpg", OPTIONS).record.message == "two"
    finally:
        process.close()


@pytest.mark.slow
def test_a_photo_is_read_there(icelandic_sample: Path) -> None:
    process = PictureProcess()
    try:
        result = process.read((icelandic_sample / "turn-05.jpg").read_bytes(), "turn-05.jpg", OPTIONS)
    finally:
        process.close()
    assert result.record.board is not None
    assert result.record.board.cgp.startswith("15/15/15/15/15/6L8/6OK7/3HRAKI7/")
