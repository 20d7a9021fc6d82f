"""Fields of a table as files."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.live_games import PLAYS
from tests.support.on_air import open_table, send_commands
from tests.support.serving import wait_until
from tilesight.live import LiveGame
from tilesight.live.fields import FIELDS, FieldFiles
from vision.core.files import write_file
from vision.errors import InputError


def test_fields_are_written_to_files_and_follow(table: LiveGame, tmp_path: Path) -> None:
    notes: list[str] = []
    with FieldFiles(tmp_path / "obs", [table], notes.append):
        place = tmp_path / "obs" / "final"
        assert (place / "last_play.txt").read_text() == "LAST PLAY: (no play yet)"
        send_commands(table, PLAYS[0])
        wait_until(lambda: (place / "score.txt").read_text() == " 28 - 0  ")
    assert not [path for path in place.iterdir() if path.suffix != ".txt"], "nothing half written is left"
    assert notes == []


def test_fields_of_one_table_that_cannot_be_written_do_not_stop_those_of_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    notes: list[str] = []
    one, two = open_table(tmp_path, "one"), open_table(tmp_path, "two")
    first, second = tmp_path / "obs" / "one", tmp_path / "obs" / "two" / "score.txt"
    is_full = False

    def write(path: Path, data: bytes) -> None:
        if is_full and path.parent == first:
            raise InputError("the disk is full")
        write_file(path, data)

    monkeypatch.setattr("tilesight.live.fields.write_file", write)
    with FieldFiles(tmp_path / "obs", [one, two], notes.append):
        for count in (1, 2):
            is_full = True
            first.rename(tmp_path / f"away-{count}")
            wait_until(lambda count=count: len(notes) == count)
            send_commands(two, PLAYS[0])
            wait_until(lambda: second.read_text() == " 28 - 0  ")
            send_commands(two, "undo")
            wait_until(lambda: second.read_text() == "  0 - 0  ")
            is_full = False
            wait_until(lambda: len(list(first.glob("*.txt"))) == len(FIELDS))
    assert notes == ["the disk is full"] * 2
    one.close()
    two.close()


def test_a_place_for_fields_that_cannot_be_made_is_refused(table: LiveGame, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(InputError, match="name another folder"):
        FieldFiles(tmp_path / "file", [table], pytest.fail)
