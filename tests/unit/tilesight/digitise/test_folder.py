"""What a run finds in the folder of its results and leaves there: earlier results, other files, links, other runs."""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
import sqlite3
from pathlib import Path

import pytest

from tests.support.digitised import read_lines, read_results
from tests.support.shoebox import Inline, run
from tilesight.digitise.folder import holds_results
from tilesight.digitise.results.result_store import Store
from vision.errors import InputError, SettingsError


def test_files_of_an_earlier_run_go_and_those_of_people_stay(
    pool: Inline, once: Path, tmp_path: Path
) -> None:
    out, empty = tmp_path / "out", tmp_path / "in"
    shutil.copytree(once, out)
    shutil.copy(out / "games" / "game-0001.gcg", out / "games" / "game-0001-anna.gcg")
    for name in ("mine.gcg", "game-0099.gcg", "old/notes.txt"):
        (out / "games" / name).parent.mkdir(exist_ok=True)
        (out / "games" / name).write_text("my own")
    (out / "games" / "game-0098.gcg").symlink_to("gone")
    empty.mkdir()
    (empty / "none.jpg").write_bytes(b"no picture")
    run(empty, out)
    left = sorted(str(path.relative_to(out / "games")) for path in (out / "games").rglob("*.*"))
    assert left == ["game-0001-anna.gcg", "game-0098.gcg", "game-0099.gcg", "mine.gcg", "old/notes.txt"]


def test_photos_that_come_back_need_not_be_read_again(
    pool: Inline, box: Path, once: Path, tmp_path: Path
) -> None:
    out, fewer = tmp_path / "out", tmp_path / "fewer"
    shutil.copytree(once, out)
    fewer.mkdir()
    shutil.copy(box / "d.jpg", fewer)
    run(fewer, out)
    assert len(read_lines(out / "photos.jsonl")) == 1
    run(box, out)
    assert pool.tasks == []
    assert read_results(out) == read_results(once)


@pytest.mark.parametrize("name", ["games", "boards", "thumbnails"])
def test_nothing_is_written_where_a_link_leads(
    pool: Inline, box: Path, once: Path, tmp_path: Path, name: str
) -> None:
    out, elsewhere = tmp_path / "out", tmp_path / "elsewhere"
    shutil.copytree(once, out)
    (out / name).rename(elsewhere)
    (out / name).symlink_to(elsewhere)
    with pytest.raises(SettingsError, match=f"{name}: leads elsewhere"):
        run(box, out)


def test_what_a_killed_run_left_half_written_goes(
    pool: Inline, once: Path, box: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    shutil.copytree(once, out)
    names = (".photos.jsonl-a8_bcdez", ".games.jsonl-00000000", "games/.game-0001.gcg-abcdefgh")
    for name in (*names, ".photos-of-mine"):
        (out / name).write_text("half")
    run(box, out)
    assert (out / ".photos-of-mine").read_text() == "half"
    (out / ".photos-of-mine").unlink()
    assert read_results(out) == read_results(once)


def test_a_folder_that_holds_something_else_is_refused(pool: Inline, box: Path, tmp_path: Path) -> None:
    (tmp_path / "games").mkdir()
    with pytest.raises(SettingsError, match=r"holds 'games' and no earlier results in \.work; name a new"):
        run(box, tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["games"]


def test_two_runs_at_once_do_not_write_one_folder(pool: Inline, box: Path, tmp_path: Path) -> None:
    with (
        Store.open(tmp_path / "out"),
        pytest.raises(InputError, match="another run is at work there; wait until it ends"),
    ):
        run(box, tmp_path / "out")
    assert pool.tasks == []
    with Store.open(tmp_path / "out"):  # the next one may
        pass


def test_a_folder_of_another_version_is_left_alone(box: Path, tmp_path: Path) -> None:
    (tmp_path / ".work").mkdir()
    with contextlib.closing(sqlite3.connect(tmp_path / ".work" / "results.sqlite")) as connection:
        connection.execute("PRAGMA user_version = 99")
    with pytest.raises(
        SettingsError, match=r"schema 99, .*name another folder, with the corrections\.json of this one"
    ):
        run(box, tmp_path)


def test_a_folder_that_may_not_be_opened_holds_no_results(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(errno.EACCES, "Permission denied")

    with monkeypatch.context() as patched:
        patched.setattr(os, "stat", refuse)
        found = holds_results(tmp_path)
    assert not found
