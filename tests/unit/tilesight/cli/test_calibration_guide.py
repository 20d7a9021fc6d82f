"""Calibration's commands: what the guide prints of names that a user typed, corners, and the edition of a report."""

from __future__ import annotations

import dataclasses
import io
import re
from collections.abc import Callable
from pathlib import Path

import cv2
import numpy as np
import pytest
from rich.console import Console
from typer.testing import CliRunner

from calibration.tiles import Example
from tests.conftest import Outcome
from tests.unit.vision.profile.test_profile import some_tiles
from tilesight.cli.calibration.guide import run_guide, split_names
from tilesight.cli.calibration.steps import name_edition
from tilesight.cli.main import app
from vision.errors import InputError, SettingsError
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


def test_every_step_of_the_guide_gets_the_cameras_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers = iter(["n", "sheets", "n", "empty.jpg", "a.jpg b.jpg", "frames"])
    monkeypatch.setattr("builtins.input", lambda *_: next(answers))
    cameras: list[str] = []
    for name in ("calibrate_lens", "calibrate_board", "calibrate_tiles", "check_light"):
        monkeypatch.setattr(
            f"tilesight.cli.calibration.steps.{name}", lambda *_, camera, **__: cameras.append(camera)
        )
    run_guide(tmp_path / "club.json", "icelandic", "Club camera", Console(file=io.StringIO()))
    assert cameras == ["Club camera"] * 4


def test_names_are_split_as_in_a_shell_and_keep_the_backslashes_of_windows(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert split_names(r"""a#1.jpg 'b c.jpg' d\ e.jpg""") == ["a#1.jpg", "b c.jpg", "d e.jpg"]
    with pytest.raises(InputError, match="write names with spaces between quotes"):
        split_names("'a.jpg")
    monkeypatch.setattr("os.sep", "\\")
    assert split_names(r"""C:\photos\a.jpg "D:\b c.jpg\"""") == [r"C:\photos\a.jpg", "D:\\b c.jpg\\"]


@pytest.mark.parametrize(
    ("edition", "reason"),
    [("english", "not a complete profile"), ("./none.toml", "neither a shipped edition nor a file")],
)
def test_the_guide_asks_nothing_where_profile_or_edition_cannot_be_used(
    tilesight: Callable[..., Outcome], tmp_path: Path, edition: str, reason: str
) -> None:
    profile = tmp_path / "game.txt"
    if edition == "english":
        profile.write_text("A B C")
    done = tilesight("calibrate", "guide", "--profile", profile, "--edition", edition)
    assert done.code == 2
    assert reason in done.err
    assert "Calibrating" not in done.out


@pytest.mark.parametrize("number", [0, 1, 2, 3])
def test_corners_are_given_once_for_all_photos_of_tiles_or_once_for_each(
    tilesight: Callable[..., Outcome], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    used: list[object] = []

    def cut(*given: object) -> list[Example]:
        used.append(given[-1])
        return []

    monkeypatch.setattr("tilesight.cli.calibration.steps.cut_examples", cut)
    photos = [tmp_path / "a.png", tmp_path / "b.png"]
    for photo in photos:
        cv2.imwrite(str(photo), np.zeros((120, 160, 3), np.uint8))
    corners = [[(side, 0), (side + 9, 0), (side + 9, 9), (side, 9)] for side in range(number)]
    texts = [" ".join(f"{x},{y}" for x, y in each) for each in corners]
    options = [part for text in texts for part in ("--corners", text)]
    done = tilesight("calibrate", "tiles", *photos, *options, "--profile", tmp_path / "p.json")
    if number > 2:
        assert "--corners: 3 for 2 photos; give it once for all, or once for each" in done.err
    expected = {0: [None, None], 1: corners * 2, 2: corners, 3: []}[number]
    assert used == expected


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


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--word-board", "--chess"], "--chess: --word-board is for pictures without a printed sheet"),
        (["--word-board", "--squares", "9x6"], "--squares: --word-board is for"),
        (["--word-board", "--square-mm", "20"], "--square-mm: --word-board is for"),
        (["--word-board", "--paper", "a4"], "--paper: --word-board is for"),
        (
            ["--edition", "icelandic"],
            "--edition: a printed sheet has none; leave it out, or add --word-board",
        ),
    ],
)
def test_options_of_a_lens_that_would_be_ignored_are_refused(
    tmp_path: Path, options: list[str], words: str
) -> None:
    command = ["calibrate", "lens", str(tmp_path), "--profile", str(tmp_path / "club.json"), *options]
    with pytest.raises(SettingsError, match=re.escape(words)):
        CliRunner().invoke(app, command, catch_exceptions=False)


@pytest.mark.parametrize(
    "options", [["--chess", "--squares", "9x6"], ["--word-board", "--edition", "icelandic"]]
)
def test_options_of_a_lens_that_belong_together_are_taken(tmp_path: Path, options: list[str]) -> None:
    command = ["calibrate", "lens", str(tmp_path), "--profile", str(tmp_path / "club.json"), *options]
    with pytest.raises(InputError):  # the folder has no pictures
        CliRunner().invoke(app, command, catch_exceptions=False)
