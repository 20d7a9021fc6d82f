"""A rendered game: pictures and truth agree with each other and with the rules."""

from __future__ import annotations

import dataclasses
import json

import cv2
import numpy as np
import pytest

from samples.errors import SpecificationError
from samples.optics.camera import Camera
from samples.optics.light import Light
from samples.rendering.icelandic_set import icelandic_style
from samples.rendering.photographed_game import render_game
from scoring import IllegalPlayError, load_edition, parse_play

CAMERA = Camera(cell_px=16)


def plays(edition, *texts):
    tokens = load_edition(edition).tokens
    return [text if text in {"pass", "withdrawn"} else parse_play(text, tokens) for text in texts]


def render(folder, turns, edition="icelandic", **rest):
    arguments = {"style": icelandic_style(), "camera": CAMERA, "lights": [Light()], "seed": 1, **rest}
    return render_game(folder, turns, edition, **arguments)


def test_pictures_events_and_totals_agree(tmp_path):
    turns = plays("icelandic", "8D HRAKI", "G6 LO.I", "withdrawn", "pass", "10D REIÐA")
    with pytest.raises(IllegalPlayError):
        render(tmp_path / "refused", turns)  # REIÐA touches nothing once LOKI is taken back
    photos = render(tmp_path, turns[:4])
    truth = json.loads((tmp_path / "game.json").read_text(encoding="utf-8"))
    assert [event["kind"] for event in truth["events"]] == ["play", "play", "withdrawn", "pass"]
    assert [event["score"] for event in truth["events"]] == [28, 15, -15, 0]
    assert [event["player"] for event in truth["events"]] == ["A", "B", "B", "A"]
    assert truth["totals"] == [28, 0]
    assert truth["frames"][0]["board"] == truth["frames"][2]["board"]
    assert truth["frames"][0]["board"][7] == "...HRAKI......."
    assert truth["frames"][1]["board"][5] == "......L........"
    for frame, photo in zip(truth["frames"], photos, strict=True):
        assert np.asarray(cv2.imread(str(tmp_path / frame["image"]))).shape == photo.image_bgr.shape
        assert np.abs(np.array(frame["corners_px"]) - photo.corners_px).max() < 0.006


def test_what_lies_stays_and_only_noise_changes_between_pictures(tmp_path):
    turns = plays("icelandic", "8D HRAKI", "pass")
    still = render(tmp_path, turns)
    assert np.array_equal(still[0].image_bgr, still[1].image_bgr)
    noisy = render(tmp_path, turns, lights=[Light(noise=5.0)])
    assert not np.array_equal(noisy[0].image_bgr, noisy[1].image_bgr)


def test_digraphs_are_written_as_lists_of_tokens(tmp_path):
    render(tmp_path, plays("hungarian", "8G SZÓ"), edition="hungarian")
    truth = json.loads((tmp_path / "game.json").read_text(encoding="utf-8"))
    assert truth["frames"][0]["board"][7][6:8] == ["SZ", "Ó"]


def test_a_withdrawal_of_nothing_and_a_game_in_the_dark_are_refused(tmp_path):
    with pytest.raises(SpecificationError, match="number 1 withdraws a play, but no play comes before it"):
        render(tmp_path, ["withdrawn"])
    with pytest.raises(SpecificationError, match="lights: got none"):
        render(tmp_path, ["pass"], lights=[])


def test_a_style_without_values_prints_none(tmp_path):
    style = icelandic_style()
    bare = dataclasses.replace(style, tiles=dataclasses.replace(style.tiles, value_shown=False))
    (photo,) = render(tmp_path, plays("icelandic", "8D HRAKI"), style=bare)
    assert all(value is None for row in photo.values for value in row)
