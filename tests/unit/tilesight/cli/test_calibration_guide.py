"""The guide of calibration: what it prints of names that a user typed."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from rich.console import Console

from tilesight.cli.calibration.guide import run_guide


def test_a_name_with_brackets_is_shown_as_it_was_typed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers = iter(["n", "", "n", "[/x]/empty[board].jpg", "", "", "", ""])
    monkeypatch.setattr("builtins.input", lambda *_: next(answers))
    shown = io.StringIO()
    run_guide(tmp_path / "[club].json", "icelandic", "c", Console(file=shown, width=200))
    assert "[club].json. Every step" in shown.getvalue()
    assert "empty[board].jpg" in shown.getvalue()
