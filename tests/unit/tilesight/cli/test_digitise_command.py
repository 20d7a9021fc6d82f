"""What the command for digitising asks of the machine."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
import rich.text
import typer

from tilesight.cli.digitise import count_cores, digitise, show_progress
from tilesight.cli.main import app
from vision.errors import SettingsError


def test_without_the_cores_of_a_process_all_of_the_machine_count(monkeypatch: pytest.MonkeyPatch) -> None:
    assert 1 <= count_cores() <= (os.cpu_count() or 1)
    monkeypatch.delattr(os, "sched_getaffinity", raising=False)
    monkeypatch.setattr(os, "cpu_count", lambda: 8)
    assert count_cores() == 8
    monkeypatch.setattr(os, "cpu_count", lambda: None)
    assert count_cores() == 1


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="the system has no full device")
def test_bars_on_a_full_disk_stop_no_run(monkeypatch: pytest.MonkeyPatch) -> None:
    full = open("/dev/full", "w", encoding="utf-8")  # noqa: SIM115 - closing it fails
    monkeypatch.setattr(sys, "stderr", full)
    with show_progress() as move_bar:
        move_bar("reading", 1, 2)
    with pytest.raises(OSError, match="No space left"):
        full.close()


def test_processes_of_this_machine_and_a_cluster_are_not_taken_together(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"^--workers --cluster: .*; choose one of them$"):
        digitise([str(tmp_path)], tmp_path / "out", workers=2, cluster="tcp://127.0.0.1:1")


def test_no_help_text_loses_words_as_markup() -> None:
    group = typer.main.get_command(app)
    assert isinstance(group, typer.core.TyperGroup)
    helps = [
        option.help
        for command in group.commands.values()
        for option in command.params
        if isinstance(option, typer.core.TyperOption) and option.help is not None
    ]
    assert len(helps) > 50
    assert [text for text in helps if rich.text.Text.from_markup(text).plain != text] == []
