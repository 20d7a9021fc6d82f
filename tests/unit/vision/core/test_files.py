"""Result files are written whole or not at all."""

from __future__ import annotations

import os
from pathlib import Path

import cv2
import numpy as np
import pytest

from vision.core.files import check_picture_path, write_file, write_picture
from vision.errors import InputError, SettingsError

PICTURE = np.full((20, 30, 3), (10, 20, 200), np.uint8)


def test_a_written_picture_reads_back(tmp_path: Path) -> None:
    write_picture(tmp_path / "a.png", PICTURE)
    np.testing.assert_array_equal(cv2.imread(str(tmp_path / "a.png")), PICTURE)


def test_an_unknown_ending_is_refused_before_anything_is_written(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="name the picture"):
        write_picture(tmp_path / "a.docx", PICTURE)
    assert not list(tmp_path.iterdir())


def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be written"):
        write_file(tmp_path / "missing" / "a.gcg", b"x")


def test_the_missing_folder_of_a_symbolic_link_is_named_before_any_work(tmp_path: Path) -> None:
    (tmp_path / "a.png").symlink_to(tmp_path / "missing" / "b.png")
    with pytest.raises(SettingsError, match=r"a\.png: there is no folder .*/missing; make it first"):
        check_picture_path(tmp_path / "a.png")


def test_a_failure_halfway_keeps_the_old_file_and_leaves_no_rest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "game.gcg"
    write_file(target, b"old")

    def full_disk(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full_disk)
    with pytest.raises(InputError, match="No space left"):
        write_file(target, b"new")
    assert target.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [target]


@pytest.mark.parametrize(("suffix", "height"), [(".jpg", 70_000), (".webp", 17_000)])
def test_a_picture_that_its_format_cannot_hold_is_named(tmp_path: Path, suffix: str, height: int) -> None:
    with pytest.raises(SettingsError, match=f"1x{height} px are too many for a {suffix} file"):
        write_picture(tmp_path / f"tall{suffix}", np.zeros((height, 1, 3), np.uint8))
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("suffix", [".png", ".jpg", ".webp"])
def test_only_own_pictures_are_overwritten(tmp_path: Path, suffix: str) -> None:
    own, other = tmp_path / f"own{suffix}", tmp_path / f"other{suffix}"
    write_picture(own, PICTURE)
    check_picture_path(own)
    cv2.imwrite(str(other), PICTURE)
    with pytest.raises(SettingsError, match="did not write it"):
        check_picture_path(other)
    check_picture_path(other, force=True)
    with pytest.raises(SettingsError, match="would overwrite an input"):
        check_picture_path(own, [tmp_path / "missing.jpg", own], force=True)
