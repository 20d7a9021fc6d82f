"""Files that a user names: pipes are read, devices that never end are refused."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from scoring import DataFileError, load_edition, load_word_index, read_file, read_text

ENGLISH = load_edition("english")


def test_a_device_that_never_ends_is_refused() -> None:
    with pytest.raises(OSError, match="larger than 1 MB"):
        read_file("/dev/zero", 1_000_000)
    with pytest.raises(DataFileError, match="larger than 250 MB"):
        load_word_index("/dev/zero", ENGLISH)


def test_a_name_that_cannot_be_one_is_an_error_of_the_system() -> None:
    with pytest.raises(OSError, match="null byte"):
        read_file("a\0b")


def test_every_end_of_a_line_is_a_newline(tmp_path: Path) -> None:
    path = tmp_path / "text"
    path.write_bytes("\ufeffone\r\ntwo\rthree\n".encode())
    assert read_text(path) == "one\ntwo\nthree\n"


def test_a_word_list_may_come_from_a_pipe(tmp_path: Path) -> None:
    reader, writer = os.pipe()
    os.write(writer, b"cat\ncats\n")
    os.close(writer)
    index = load_word_index(f"/dev/fd/{reader}", ENGLISH, cache=tmp_path / "cache")
    os.close(reader)
    assert len(index) == 2


def test_without_a_home_no_index_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setattr(Path, "home", fail)
    (tmp_path / "words").write_text("cat\n")
    assert len(load_word_index(tmp_path / "words", ENGLISH)) == 1
