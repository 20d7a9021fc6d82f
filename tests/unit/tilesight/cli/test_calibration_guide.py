"""Calibration's commands: what the guide prints of names that a user typed, and the edition of a report."""

from __future__ import annotations

import dataclasses
import io
from pathlib import Path

import pytest
from rich.console import Console

from tests.unit.vision.profile.test_profile import some_tiles
from tilesight.cli.calibration.commands import name_edition
from tilesight.cli.calibration.guide import run_guide
from vision.errors import SettingsError
from vision.profile.profile import Profile


def test_a_name_with_brackets_is_shown_as_it_was_typed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers = iter(["n", "", "n", "[/x]/empty[board].jpg", "", "", "", ""])
    monkeypatch.setattr("builtins.input", lambda *_: next(answers))
    shown = io.StringIO()
    run_guide(tmp_path / "[club].json", "icelandic", "c", Console(file=shown, width=200))
    assert "[club].json. Every step" in shown.getvalue()
    assert "empty[board].jpg" in shown.getvalue()


def test_a_report_is_of_the_edition_of_the_profiles_tiles(capsys: pytest.CaptureFixture[str]) -> None:
    def tiles_of(edition: str, letters: str = "ABAB") -> Profile:
        tiles = dataclasses.replace(some_tiles(), edition=edition, labels=tuple(letters))
        return Profile(name="p.json", tiles=tiles)

    assert name_edition(tiles_of("icelandic")) == "icelandic"
    with pytest.raises(SettingsError, match=r"p\.json: its tiles are of edition house.*--edition"):
        name_edition(tiles_of("house"))
    with pytest.raises(SettingsError, match="edition english, which is not shipped"):  # a file of that name
        name_edition(tiles_of("english", "AÞAÞ"))
    assert capsys.readouterr().err == ""
    assert name_edition(Profile()) == "english"
    assert "english is taken" in capsys.readouterr().err
