"""The shipped sample agrees with what the renderer and the rules give today."""

from __future__ import annotations

import json
from pathlib import Path

import cv2
import numpy as np
import pytest

from samples.rendering import icelandic_sample

PRINTED_ON_THE_SHEET = [28, 15, 20, 19, 74]


@pytest.fixture(scope="module")
def fresh(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("icelandic")
    icelandic_sample.main(folder)
    return folder


def truth(folder: Path):
    return json.loads((folder / "game.json").read_text(encoding="utf-8"))


def test_the_plays_score_what_the_sheet_prints():
    events = truth(icelandic_sample.FOLDER)["events"]
    assert [event["score"] for event in events] == PRINTED_ON_THE_SHEET
    assert [event["word"] for event in events] == ["HRAKI", "LOKI", "REIÐA", "KIMA", "JÓÐLIR"]
    assert truth(icelandic_sample.FOLDER)["totals"] == [122, 34]


def test_the_truth_that_ships_is_what_is_rendered_today(fresh):
    assert truth(icelandic_sample.FOLDER) == truth(fresh)


def test_the_pictures_that_ship_look_as_rendered_today(fresh):
    # not exactly: versions of FreeType and of the JPEG library differ by single grey levels
    for frame in truth(fresh)["frames"]:
        shipped, rendered = (
            np.asarray(cv2.imread(str(folder / frame["image"])), np.uint8)
            for folder in (icelandic_sample.FOLDER, fresh)
        )
        assert shipped.shape == rendered.shape
        assert np.abs(shipped.astype(int) - rendered).mean() < 1.5, frame["image"]


def test_the_pictures_are_small_enough_to_ship():
    images = sorted(icelandic_sample.FOLDER.glob("*.jpg"))
    assert len(images) == 5
    assert all(image.stat().st_size < 200_000 for image in images)
