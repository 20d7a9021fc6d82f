"""Whole games on real photos: every play, score, withdrawal and total, where the labelled photos are at hand."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Outcome

Command = Callable[..., Outcome]
pytestmark = [pytest.mark.boards, pytest.mark.slow]


def square_tokens(placed: list[list[Any]]) -> frozenset[tuple[int, int, str]]:
    """Placed tiles with every blank as ``?``, since a blank's letter cannot be seen."""
    return frozenset((row, column, token if token.isupper() else "?") for row, column, token in placed)


@pytest.mark.parametrize("name", ["german-12", "german-01", "german-05", "romanian-1", "romanian-2"])
def test_a_recorded_game_is_followed_without_a_fault(
    tilesight: Command, shared: Path, tmp_path: Path, name: str
) -> None:
    truth = json.loads((shared / "boards" / name / "game.json").read_text(encoding="utf-8"))
    folder = tmp_path / "turns"
    folder.mkdir()
    for number, frame in enumerate(truth["frames"]):
        photo = shared / "boards" / name / frame["image"]
        shutil.copy(photo, folder / f"{number:03d}{photo.suffix}")
    outcome = tilesight(
        "watch", folder, "--every", "turn", "--edition", truth["edition"],
        "--players", ",".join(truth["players"]), "--format", "json", "--out", tmp_path / "game.gcg",
    )  # fmt: skip
    assert outcome.code == 0, outcome.err
    *events, end = outcome.json_lines
    plays = [(square_tokens(event["placed"]), event["score"]) for event in events if event["event"] == "play"]
    want = [
        (square_tokens(event["placed"]), event["score"])
        for event in truth["events"]
        if event["kind"] == "play"
    ]
    assert plays == want
    withdrawn = [event["score"] for event in events if event["event"] == "withdrawn"]
    assert withdrawn == [event["score"] for event in truth["events"] if event["kind"] == "withdrawn"]
    assert list(end["totals"].values()) == truth["totals"]
    replayed = tilesight("score", tmp_path / "game.gcg", "--edition", truth["edition"])
    assert replayed.code == 0, replayed.out + replayed.err


@pytest.mark.parametrize(("name", "first"), [("german-12", 13), ("german-05", 24), ("romanian-1", 18)])
def test_photos_that_begin_in_mid_game_give_all_later_plays(
    tilesight: Command, shared: Path, tmp_path: Path, name: str, first: int
) -> None:
    truth = json.loads((shared / "boards" / name / "game.json").read_text(encoding="utf-8"))
    images = [frame["image"] for frame in truth["frames"]][first - 1 :]
    folder = tmp_path / "photos"
    folder.mkdir()
    for image in images:
        shutil.copy(shared / "boards" / name / image, folder)
    outcome = tilesight(
        "digitise", folder, "--out", tmp_path / "boards", "--edition", truth["edition"], "--workers", "1"
    )
    assert outcome.code == 0, outcome.err
    game = json.loads((tmp_path / "boards" / "games.jsonl").read_text(encoding="utf-8"))
    assert "the game starts from this board of" in game["gaps"][0]
    plays = [(square_tokens(event["placed"]), event["score"]) for event in game["plays"]]
    later = [
        event for event in truth["events"] if event["kind"] == "play" and event["after_image"] in images[1:]
    ]
    assert plays == [(square_tokens(event["placed"]), event["score"]) for event in later]


@pytest.mark.parametrize(("name", "kept"), [("german-05", (1, 33)), ("german-01", (2, 27))])
def test_plays_that_no_photo_shows_lay_the_tiles_of_the_next_photo(
    tilesight: Command, shared: Path, tmp_path: Path, name: str, kept: tuple[int, int]
) -> None:
    truth = json.loads((shared / "boards" / name / "game.json").read_text(encoding="utf-8"))
    folder, results = tmp_path / "photos", tmp_path / "boards"
    folder.mkdir()
    for number in kept:
        shutil.copy(shared / "boards" / name / truth["frames"][number - 1]["image"], folder)
    outcome = tilesight("digitise", folder, "--out", results, "--edition", "german", "--workers", "1")
    assert outcome.code == 0, outcome.err
    game = json.loads((results / "games.jsonl").read_text(encoding="utf-8"))
    photos = map(json.loads, (results / "photos.jsonl").read_text(encoding="utf-8").splitlines())
    last = next(photo for photo in photos if photo["image"] == game["photos"][-1])
    seen = {
        (row, column)
        for row, line in enumerate(last["rows"])
        for column, token in enumerate(line)
        if token != "."
    }
    plays = [[(row, column) for row, column, _ in play["placed"]] for play in game["plays"]]
    assert sorted(square for play in plays for square in play) == sorted(seen)
    assert all(1 <= len(play) <= 7 for play in plays)


def test_many_missed_turns_cost_no_later_play(tilesight: Command, shared: Path, tmp_path: Path) -> None:
    truth = json.loads((shared / "boards" / "german-12" / "game.json").read_text(encoding="utf-8"))
    images = [frame["image"] for frame in truth["frames"]]
    folder = tmp_path / "turns"
    folder.mkdir()
    for image in (*images[:3], *images[12:]):
        shutil.copy(shared / "boards" / "german-12" / image, folder)
    outcome = tilesight(
        "watch", folder, "--every", "turn", "--edition", "german", "--players", "A,B", "--format", "json"
    )
    assert outcome.code == 0, outcome.err
    plays = [square_tokens(event["placed"]) for event in outcome.json_lines if event["event"] == "play"]
    seen = (*images[:3], *images[13:])
    want = [event for event in truth["events"] if event["kind"] == "play" and event["after_image"] in seen]
    assert plays == [square_tokens(event["placed"]) for event in want]
    assert "taken over without points" in outcome.err
