"""The games that a run finds among photos, and single boards of which a score sheet is known."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from scoring import Board, GameError, edition_names, load_edition
from tests.conftest import Outcome
from tests.support.digitised import read_lines
from tests.support.shoebox import Inline, run
from tilesight.digitise.games.catalogue import Photo, PhotoCatalogue
from tilesight.digitise.games.photo_games import PhotoGames
from tilesight.digitise.reading.options import ReadOptions
from tilesight.digitise.reading.photo_record import PhotoRecord
from tilesight.digitise.reconstruction import found_games as games_module
from tilesight.digitise.reconstruction.evidence import PhotoEvidence, collect_evidence
from tilesight.digitise.reconstruction.game_record import FoundGame
from tilesight.digitise.reconstruction.positions import Position
from tilesight.digitise.results.corrections import Correction
from tilesight.digitise.results.result_store import Store
from tilesight.digitise.score_sheets.file import Sheet, SheetTurn
from vision.core import Square

Command = Callable[..., Outcome]


@pytest.fixture
def single(box: Path, tmp_path: Path) -> Path:
    """A folder with one photo."""
    folder = tmp_path / "in"
    folder.mkdir()
    shutil.copy(box / "d.jpg", folder)
    return folder


TURNS = tuple(
    SheetTurn(player=number % 2, points=points) for number, points in enumerate((28, 15, 20, 19, 74))
)


@pytest.mark.parametrize("photo", ["b", "x-copy"])  # one of the game's, and a copy of another
def test_a_score_sheet_names_the_players_of_a_game(
    pool: Inline, box: Path, once: Path, tmp_path: Path, photo: str
) -> None:
    out = tmp_path / "out"
    shutil.copytree(once, out)
    turns = [replace(turn, points=18) if turn.points == 19 else turn for turn in TURNS]
    sheet = Sheet(photos=(f"*/{photo}.jpg",), players=("Anna", "Jón"), turns=tuple(turns))
    run(box, out, sheets=(sheet,))
    (game,) = read_lines(out / "games.jsonl")
    assert (game["players"], game["totals"]) == (["Anna", "Jón"], [122, 34])
    assert game["gaps"] == ["Jón, turn 2: the score sheet says 18, the play makes 19; check both"]
    assert "; gap: Jón, turn" in (out / game["gcg"]).read_text()
    run(box, out)  # later runs keep the sheet until another is named
    assert read_lines(out / "games.jsonl") == [game]
    run(box, out, sheets=())
    assert read_lines(out / "games.jsonl")[0]["players"] == ["A", "B"]


def test_of_many_photos_those_that_were_corrected_are_all_asked(
    once: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    how = ReadOptions(editions=tuple(map(load_edition, edition_names())))
    photos = [
        Photo(name=each["image"], sha256=each["sha256"], cache_key=how.cache_key())
        for each in read_lines(once / "photos.jsonl")[:5]
    ]
    monkeypatch.setattr(games_module, "MAX_JOINT_PHOTOS", 1)
    with Store.open(once) as store:
        for squares in ({}, {(7, 3): "K"}):
            said = {photos[0].sha256 or "": Correction(edition=None, squares=squares)}
            games = PhotoGames(
                PhotoCatalogue(store=store, photos=photos, corrections=said, editions=how.editions)
            )
            (game,) = games.games
            names = [photos[each].name for each in game]
            asked = games_module.collect_game_evidence(games, game, load_edition("icelandic"))
            corrected = [photos[0].name] if squares else []
            assert [each.name for each in asked] == [names[0], *corrected, names[-1]]
            assert [name for each in asked for name in (each.name, *each.others)] == names


def test_only_photos_that_were_asked_are_compared_with_their_game(
    pool: Inline, box: Path, once: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out, compared = tmp_path / "out", list[str]()
    shutil.copytree(once, out)

    def compare(record: PhotoRecord, _: Board) -> dict[Square, str]:
        compared.append(Path(record.name).name)
        return {}

    monkeypatch.setattr(games_module, "find_conflicts", compare)
    monkeypatch.setattr(games_module, "MAX_JOINT_PHOTOS", 1)
    run(box, out)
    (game,) = read_lines(out / "games.jsonl")
    assert len(game["photos"]) == 6
    assert compared == [Path(game["photos"][each]).name for each in (0, -1)]


def test_a_game_that_overrules_what_photos_surely_show_says_so(
    pool: Inline, box: Path, once: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(once, tmp_path / "out")

    def others(record: PhotoRecord, _: Board) -> dict[Square, str]:
        return {} if record.name.endswith("d.jpg") else {(7, 3): "K", (0, 0): "."}

    monkeypatch.setattr(games_module, "find_conflicts", others)
    run(box, tmp_path / "out")
    (game,) = read_lines(tmp_path / "out" / "games.jsonl")
    assert game["doubts"][0] == f"D8: the game has K, but {box}/b.jpg and 4 more surely show H; check it"
    assert "doubt: D8: the game has K" in (tmp_path / "out" / game["gcg"]).read_text()
    photo = next(
        each for each in read_lines(tmp_path / "out" / "photos.jsonl") if each["image"] == f"{box}/b.jpg"
    )
    assert {"square": [7, 3], "reason": "its game has K here"} in photo["doubts"]


def test_how_far_a_game_is_read_is_reported(pool: Inline, box: Path, once: Path, tmp_path: Path) -> None:
    shutil.copytree(once, tmp_path / "out")
    told: list[tuple[str, int, int]] = []
    run(box, tmp_path / "out", lambda *step: told.append(step))
    steps = [(done, photos) for what, done, photos in told if what == "games"]
    assert steps == sorted(steps)
    assert steps[-1] == (6, 6)


def test_photos_that_a_game_leaves_out_are_reported_in_it_and_in_its_file(
    pool: Inline, box: Path, once: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "out"
    shutil.copytree(once, out)

    def one_of_another_board(record: PhotoRecord, *others: Any) -> PhotoEvidence | None:
        return None if record.name.endswith("e.jpg") else collect_evidence(record, *others)

    monkeypatch.setattr(games_module, "collect_evidence", one_of_another_board)
    run(box, out)
    (game,) = read_lines(out / "games.jsonl")
    gap = f"{box}/e.jpg: was read as another board than icelandic's; it is left out"
    assert gap in game["gaps"]
    assert f"; gap: {gap}" in (out / game["gcg"]).read_text()
    turns = {Path(photo["image"]).name: photo["turn"] for photo in read_lines(out / "photos.jsonl")}
    assert [turns[f"{name}.jpg"] for name in ("d", "b", "x-small", "e", "a", "c")] == [1, 2, 3, 4, 5, 6]


def test_a_game_without_a_file_says_why(
    pool: Inline, box: Path, once: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_file(_: FoundGame) -> str:
        raise GameError("it cannot be written")

    out = tmp_path / "out"
    shutil.copytree(once, out)
    monkeypatch.setattr(FoundGame, "gcg", property(no_file))
    run(box, out)
    (game,) = read_lines(out / "games.jsonl")
    assert game["gcg"] is None
    assert game["gaps"] == ["there is no game file: it cannot be written"]
    assert list((out / "games").iterdir()) == []


def test_photos_that_show_no_position_are_gaps() -> None:
    empty = Board.empty(load_edition("icelandic").layout)
    looks = [
        Position(photos=photos, board=empty, confidence=np.ones((15, 15)))
        for photos in (("b", "c"), ("a",), ("f",))
    ]
    asked = [PhotoEvidence(name=name, board=empty, states=np.zeros(0)) for name in "abcfz"]
    assert [
        gap[:10] for gap in games_module.missing_photos("axbczf", asked, looks, load_edition("icelandic"))
    ] == [
        "x: was rea",
        "z: no tile",
    ]


def test_a_single_board_with_the_players_of_a_score_sheet_is_a_game_without_plays(
    pool: Inline, single: Path, once: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    shutil.copytree(once / ".work", out / ".work")
    for folder in ("boards", "thumbnails"):
        shutil.copytree(once / folder, out / folder)
    sheet = Sheet(photos=("*",), players=("Anna",))
    run(single, out, sheets=(sheet,))
    assert pool.tasks == []  # known by its content, wherever it is
    (game,) = read_lines(out / "games.jsonl")
    assert (game["players"], game["totals"]) == (["Anna"], None)
    assert (game["plays"], game["gaps"]) == ([], ["one photo of a board does not show its plays"])
    assert [photo["game"] for photo in read_lines(out / "photos.jsonl")] == [game["game"]]


def test_a_final_board_and_a_score_sheet_are_a_game(
    pool: Inline, single: Path, box: Path, once: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    shutil.copytree(once, out)
    shutil.copy(box / "c.jpg", single / "d.jpg")
    sheet = Sheet(photos=("*",), players=("Anna", "Jón"), turns=TURNS)
    run(single, out, sheets=(sheet,))
    assert pool.tasks == []
    (game,) = read_lines(out / "games.jsonl")
    assert (game["totals"], game["gaps"]) == ([122, 34], [])
    plays = [(play["player"], play["position"], play["word"], play["score"]) for play in game["plays"]]
    assert plays == [
        ("Anna", "8D", "HRAKI", 28),
        ("Jón", "G6", "LOKI", 15),
        ("Anna", "10D", "REIÐA", 20),
        ("Jón", "H7", "KIMA", 19),
        ("Anna", "11C", "JÓÐLIR", 74),
    ]
    assert "JÓÐLIR" in (out / game["gcg"]).read_text()
    running_totals = (28, 15, 48, 34, 122)
    other = [replace(turn, points=total) for turn, total in zip(TURNS, running_totals, strict=True)]
    run(single, out, sheets=(replace(sheet, turns=tuple(other)),))
    (game,) = read_lines(out / "games.jsonl")
    fault, _, advice = game["gaps"][1].partition(";")
    assert (game["plays"], fault) == (
        [],
        "no order of play makes the points of the score sheet, nor with one wrong entry or one misread tile",
    )
    assert "no running totals" in advice


def test_a_score_sheet_names_a_single_board_by_its_copy(
    pool: Inline, single: Path, once: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    shutil.copytree(once, out)
    shutil.copy(single / "d.jpg", single / "e.jpg")
    run(single, out, sheets=(Sheet(photos=("e.jpg",), players=("Anna",)),))
    (game,) = read_lines(out / "games.jsonl")
    assert (game["players"], [Path(photo).name for photo in game["photos"]]) == (["Anna"], ["d.jpg"])
    assert [photo["game"] for photo in read_lines(out / "photos.jsonl")] == [game["game"]] * 2


@pytest.fixture
def finals(single: Path, once: Path, tmp_path: Path) -> tuple[Path, Path]:
    """A folder with a photo and a smaller copy of it, and one for results that knows the photo."""
    out, image = tmp_path / "out", cv2.imread(str(single / "d.jpg"))
    assert image is not None
    shutil.copytree(once, out)
    (single / "d.jpg").rename(single / "final.jpg")
    cv2.imwrite(str(single / "final-small.jpg"), cv2.resize(image, None, fx=0.7, fy=0.7))
    return single, out


ANNA = Sheet(photos=("final*.jpg",), players=("Anna",), turns=(SheetTurn(player=0, points=28),))


def test_a_photo_and_its_smaller_copy_are_one_game(pool: Inline, finals: tuple[Path, Path]) -> None:
    folder, out = finals
    summary = run(folder, out, sheets=(ANNA,))
    assert (summary.games, summary.copies, summary.sheet_notes) == (1, 1, ())
    only_small = replace(ANNA, photos=("final-small.jpg",))
    run(folder, out, sheets=(only_small,))
    (game,) = read_lines(out / "games.jsonl")
    assert [Path(photo).name for photo in game["photos"]] == ["final-small.jpg"]


def test_sheets_that_are_not_used_are_reported_after_the_run(
    pool: Inline, finals: tuple[Path, Path], box: Path, tilesight: Command
) -> None:
    folder, out = finals
    shutil.copy(box / "y-wall.png", folder)
    (folder / "sheets.toml").write_text(
        "".join(
            f'[[game]]\nphotos = "{photo}"\nplayers = ["Anna", "Jón"]\nturns = {turns}\n'
            for photo, turns in (
                ("final.jpg", [[28], [0]]),
                ("final-*.jpg", [[0], [28]]),
                ("y-wall.png", [[1], [1]]),
            )
        ),
        encoding="utf-8-sig",
    )
    outcome = tilesight(
        "digitise", folder, "--out", out, "--sheets", folder / "sheets.toml", "--workers", "1"
    )
    assert read_lines(out / "games.jsonl") == []
    said = " ".join(outcome.err.split())
    assert "sheets.toml: game 1 (Anna, Jón) is not used: game 2 says otherwise" in said
    assert "sheets.toml: game 2 (Anna, Jón) is not used: game 1 says otherwise" in said
    assert "game 3 (Anna, Jón) is not used: no tiles were found on" in said
