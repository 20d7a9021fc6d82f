"""One picture at a time in a process of its own."""

from __future__ import annotations

import importlib
import os
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from scoring import load_edition
from tilesight.digitise.reading import ReadOptions, Result
from tilesight.digitise.reading.photo_record import PhotoRecord, PhotoStatus
from tilesight.digitise.workers import PictureProcess, picture_process
from vision.errors import MissingProgramError, SettingsError

OPTIONS = ReadOptions(editions=(load_edition("icelandic"),))


def obey(data: bytes, name: str, options: ReadOptions) -> Result:
    """What a decoder may do, by the picture's name."""
    match name:
        case "crash":
            os._exit(11)
        case "large":
            bytearray(picture_process.MAX_MEMORY_BYTES)
        case "endless":
            time.sleep(60)
        case "raise":
            raise ZeroDivisionError("no pixels")
        case "settings":
            raise SettingsError("--profile: of another camera")
    return Result(record=PhotoRecord(status=PhotoStatus.OK, message=data.decode()), ms={})


def test_a_file_of_an_edition_that_was_changed_is_another_edition() -> None:
    edition = load_edition("english")
    changed = replace(edition, values={**edition.values, "A": 9})
    keys = [ReadOptions(editions=(each,)).cache_key() for each in (edition, changed, load_edition("english"))]
    assert keys[0] == keys[2] != keys[1]


def test_a_picture_that_crashes_or_hangs_its_reader_or_fills_the_memory_costs_that_picture_only() -> None:
    process = PictureProcess(read=obey)
    try:
        assert process.read(b"one", "a.jpg", OPTIONS).record.message == "one"
        assert "ended the process" in str(process.read(b"", "crash", OPTIONS).record.message)
        assert "needs more memory" in str(process.read(b"", "large", OPTIONS).record.message)
        process._limit_s = 1.0
        assert "took more than 1 s" in str(process.read(b"", "endless", OPTIONS).record.message)
        process._limit_s = picture_process.MAX_READING_S
        assert "ZeroDivisionError" in str(process.read(b"", "raise", OPTIONS).record.message)
        with pytest.raises(SettingsError, match="of another camera"):
            process.read(b"", "settings", OPTIONS)
        assert process.read(b"two", "b.jpg", OPTIONS).record.message == "two"
    finally:
        process.close()


def test_a_system_that_refuses_a_limit_of_memory_reads_pictures(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "sitecustomize.py").write_text(
        "import resource\ndef refuse(*_): raise ValueError('current limit exceeds maximum limit')\n"
        "resource.setrlimit = refuse\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    process = PictureProcess(read=obey)
    try:
        assert process.read(b"one", "a.jpg", OPTIONS).record.message == "one"
    finally:
        process.close()


def test_a_process_that_is_ended_between_two_pictures_costs_none() -> None:
    process = PictureProcess(read=obey)
    try:
        process.read(b"one", "a.jpg", OPTIONS)
        assert process._running is not None
        process._running[0].kill()
        process._running[0].wait()
        assert process.read(b"two", "b.jpg", OPTIONS).record.message == "two"
    finally:
        process.close()


def test_a_process_that_does_not_start_is_no_fault_of_the_picture(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    process = PictureProcess(read=obey)
    (tmp_path / "numpy.py").write_text("raise ImportError('no such library')")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(MissingProgramError, match=r"does not start .*no such library.*; end other programs"):
        process.read(b"", "a.jpg", OPTIONS)
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    with pytest.raises(MissingProgramError, match=r"does not start .*No such file"):
        process.read(b"", "a.jpg", OPTIONS)


def test_what_loads_before_the_first_picture_takes_none_of_its_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "slow_reader.py").write_text(
        "import os, time\n"
        "from tilesight.digitise.workers.picture_process import failed_result\n"
        f"time.sleep(2.5 if os.getpid() != {os.getpid()} else 0)\n"
        "def read(data, name, options):\n"
        "    return failed_result(data.decode())\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    process = PictureProcess(limit_s=2.0, read=importlib.import_module("slow_reader").read)
    try:
        assert process.read(b"one", "a.jpg", OPTIONS).record.message == "one"
    finally:
        process.close()


def test_a_process_that_starts_and_never_answers_is_given_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    python = tmp_path / "python"
    python.write_text("#!/bin/sh\nexec sleep 60\n")
    python.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(python))
    monkeypatch.setattr(picture_process, "START_S", 0.2)
    with pytest.raises(MissingProgramError, match=r"does not start"):
        PictureProcess(read=obey).read(bytes(1_000_000), "a.jpg", OPTIONS)


def test_a_process_that_is_about_to_start_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    python = tmp_path / "python"
    python.write_text("#!/bin/sh\nexec sleep 60\n")
    python.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(python))
    process = PictureProcess(read=obey)
    with ThreadPoolExecutor(1) as threads:
        reading = threads.submit(process.read, b"", "a.jpg", OPTIONS)
        while not process._lock.locked():
            time.sleep(0.001)
        process.close()
        assert isinstance(reading.exception(60), MissingProgramError)


def test_modules_of_the_current_folder_are_not_loaded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "numpy.py").write_text("raise SystemExit")
    monkeypatch.chdir(tmp_path)
    process = PictureProcess(read=obey)
    try:
        assert process.read(b"one", "a.jpg", OPTIONS).record.message == "one"
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
