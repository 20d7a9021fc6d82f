"""Files that an earlier version wrote open in this one: journals, a profile, a digitised folder, corrections."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from scoring import read_gcg
from tests.conftest import Outcome
from tests.golden.test_game_files import hungarian_events
from tests.support.digitised import read_lines
from tests.support.on_air import open_table
from tests.support.unknown_club import Club

OLDER = Path(__file__).parents[1] / "support" / "data" / "older"
PLAYS = [("Anna", "8D", 28), ("Jón", "G6", 15), ("Anna", "10D", 20), ("Jón", "H7", 19), ("Anna", "11C", 74)]
"""The game of the shipped sample: player, position, points."""


@pytest.fixture
def photos(icelandic_sample: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder `photos` with the first three photos of the sample, in the working directory."""
    folder = tmp_path / "photos"
    folder.mkdir()
    for number in (1, 2, 3):
        shutil.copy(icelandic_sample / f"turn-0{number}.jpg", folder)
    monkeypatch.chdir(tmp_path)
    return folder


def shown(game: dict[str, Any]) -> list[tuple[Any, ...]]:
    """The plays of a game without their confidence, which differs in the last digits between machines."""
    return [(play["player"], play["position"], play["word"], play["score"]) for play in game["plays"]]


def test_a_journal_is_resumed(
    photos: Path, icelandic_sample: Path, tilesight: Callable[..., Outcome]
) -> None:
    shutil.copy(OLDER / "journal.db", photos.parent)
    for number in (4, 5):
        shutil.copy(icelandic_sample / f"turn-0{number}.jpg", photos)
    done = tilesight(
        "watch", "photos", "--every", "turn", "--edition", "icelandic", "--players", "Anna,Jón",
        "--journal", "journal.db", "--format", "json",
    )  # fmt: skip
    assert done.code == 0, done.err
    plays = [(event["player"], event["position"], event["score"]) for event in done.json_lines[:-1]]
    assert plays == PLAYS[3:]
    assert done.json_lines[-1]["totals"] == {"Anna": 122, "Jón": 34}


def test_a_journal_of_a_served_game_is_resumed(tmp_path: Path) -> None:
    shutil.copy(OLDER / "table.db", tmp_path)
    state = open_table(tmp_path, "table").state
    assert state.game.totals == (28, 5)
    assert [type(event).__name__ for event in state.game.events] == [
        "PlayEvent", "PlayEvent", "PassEvent", "ClockPenalty"
    ]  # fmt: skip


def test_a_profile_is_used(tmp_path: Path, tilesight: Callable[..., Outcome]) -> None:
    truth = Club.english().pictures(tmp_path, sheets=1)
    done = tilesight("read", tmp_path / "game.jpg", "--profile", OLDER / "club.json", "--format", "json")
    assert done.code == 0, done.err
    assert done.json_lines[0]["rows"] == [list(row) for row in truth]


def test_a_folder_with_corrections_is_searched_and_digitised_again(
    photos: Path, tilesight: Callable[..., Outcome]
) -> None:
    shutil.copytree(OLDER / "folder", "folder")
    found = tilesight("find", "folder", "--word", "KRAKI")
    assert (found.code, found.out.split()[:3]) == (0, ["photos/turn-01.jpg", "8D", "KRAKI"])
    done = tilesight("digitise", "photos", "--out", "folder", "--workers", "1")
    assert done.code == 0, done.err
    games = [read_lines(folder / "games.jsonl") for folder in (Path("folder"), OLDER / "folder")]
    assert [shown(game) for game in games[0]] == [shown(game) for game in games[1]]
    now, then = read_lines(Path("folder/photos.jsonl")), read_lines(OLDER / "folder" / "photos.jsonl")
    # a tile that is corrected in one photo is corrected in all photos of its game; earlier versions did not write that
    tile = then[0]["corrected"][-1]
    row, column = tile["square"]
    for photo in then[1:]:
        photo["rows"][row][column] = tile["now"]
    assert [photo["rows"] for photo in now] == [photo["rows"] for photo in then]
    assert [photo["corrected"] for photo in now] == [then[0]["corrected"], [tile], [tile]]


def test_corrections_of_their_own_file_are_applied(photos: Path, tilesight: Callable[..., Outcome]) -> None:
    done = tilesight(
        "digitise", "photos", "--out", "new", "--workers", "1", "--corrections", OLDER / "corrections.json"
    )
    assert done.code == 0, done.err
    assert "replaces" not in done.err
    assert "...KRAKI......." in read_lines(Path("new/photos.jsonl"))[0]["text"].splitlines()
    text = (OLDER / "corrections.json").read_text(encoding="utf-8")
    Path("newer.json").write_text(text.replace('"K"', '"T"'), encoding="utf-8")
    done = tilesight("digitise", "photos", "--out", "new", "--workers", "1", "--corrections", "newer.json")
    line = (
        "newer.json: replaces the corrections of 1 square; if it is an older file, give the newest one again"
    )
    assert line in " ".join(done.err.split())


def test_a_game_file_is_read() -> None:
    record = read_gcg(OLDER / "hungarian-events.gcg")
    game = hungarian_events()
    assert record.game == game
    assert record.differences == ()
    assert [each.message for each in record.problems] == [each.message for each in game.problems]
