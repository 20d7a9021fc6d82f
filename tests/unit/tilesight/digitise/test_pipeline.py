"""A run over a folder: results, interruptions, copies, damaged files, corrections. The pool is this process."""

from __future__ import annotations

import json
import shutil
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from scoring import edition_names, load_edition, read_gcg
from tests.conftest import Outcome
from tests.support.digitised import read_lines, read_results
from tests.support.shoebox import Inline, run
from tilesight.cli.digitise import show_progress
from tilesight.digitise.games.catalogue import Photo, PhotoCatalogue
from tilesight.digitise.games.photo_games import PhotoGames
from tilesight.digitise.reading.options import ReadOptions
from tilesight.digitise.reading.photo_reader import Result
from tilesight.digitise.results.corrections import Correction, Corrections, merge_corrections
from tilesight.digitise.results.result_store import Store
from tilesight.digitise.search import find_photos
from vision.errors import InputError, SettingsError

pytestmark = pytest.mark.slow

Command = Callable[..., Outcome]


def test_every_photo_has_its_line_in_the_order_of_the_sources(once: Path, box: Path) -> None:
    photos = read_lines(once / "photos.jsonl")
    assert [Path(photo["image"]).name for photo in photos] == sorted(path.name for path in box.iterdir())
    statuses = {Path(photo["image"]).name: photo["status"] for photo in photos}
    assert statuses["y-wall.png"] == "board-not-found"
    assert statuses["z-cut.jpg"] == "unreadable"
    assert set(list(statuses.values())[:7]) == {"ok"}
    first = photos[3]
    assert first["text"].splitlines()[7] == "...HRAKI......."
    assert (first["edition"], first["tiles"], first["format"]) == ("icelandic", 5, "jpeg")
    assert first["edition_probability"] > 0.99
    assert len(first["rows"]) == len(first["confidence"]) == 15
    assert first["cgp"].startswith("15/15/15/15/15/15/15/3HRAKI7/")
    for name in ("board", "thumbnail"):
        assert cv2.imread(str(once / first[name])) is not None
    cut = photos[-1]
    assert (
        cut["message"]
        == f"{cut['image']}: the JPEG of 9000 bytes is cut short or has a gap; copy it again from the camera"
    )
    assert [each["image"] for each in read_lines(once / "times.jsonl")] == [
        photo["image"] for photo in photos
    ]


def test_copies_are_noticed_and_read_once(once: Path) -> None:
    photos = {Path(photo["image"]).name: photo for photo in read_lines(once / "photos.jsonl")}
    assert Path(photos["x-copy.jpg"]["same_as"]).name == "d.jpg"
    assert Path(photos["x-small.jpg"]["nearly_same_as"]).name == "b.jpg"
    assert photos["d.jpg"]["same_as"] is photos["d.jpg"]["nearly_same_as"] is None
    (game,) = read_lines(once / "games.jsonl")
    places = [(photos[name]["game"], photos[name]["turn"]) for name in ("x-copy.jpg", "d.jpg")]
    assert places == [(game["game"], 1)] * 2


def test_the_game_is_found_in_its_order(once: Path) -> None:
    (game,) = read_lines(once / "games.jsonl")
    assert [Path(photo).name[0] for photo in game["photos"] if "x-" not in photo] == list("dbeac")
    assert [play["score"] for play in game["plays"]] == [28, 15, 20, 19, 74]
    assert game["gaps"] == []
    record = read_gcg(once / game["gcg"])
    assert record.game.totals == tuple(game["totals"]) == (122, 34)


@pytest.mark.parametrize("after", [0, 3])
def test_a_run_that_was_interrupted_goes_on_to_the_same_result(
    pool: Inline, box: Path, once: Path, tmp_path: Path, after: int
) -> None:
    pool.after = after
    with pytest.raises(KeyboardInterrupt):
        run(box, tmp_path / "out")
    before = len(pool.tasks)
    pool.after = None
    summary = run(box, tmp_path / "out")
    assert len(pool.tasks) == 8  # nine files, two of which are one
    assert before == after
    assert read_results(tmp_path / "out") == read_results(once)
    assert summary.statuses == {"ok": 7, "board-not-found": 1, "unreadable": 1}
    assert (summary.games, summary.gaps, summary.copies) == (1, 0, 2)


def test_a_step_that_begins_anew_counts_to_its_new_end(capsys: pytest.CaptureFixture[str]) -> None:
    with show_progress() as move_bar:
        move_bar("trying sides", 2, 2)
        move_bar("trying sides", 1, 5)
    assert "1/5" in capsys.readouterr().err


def test_who_stops_a_run_is_informed_how_to_go_on(
    pool: Inline, box: Path, tmp_path: Path, tilesight: Command
) -> None:
    pool.after = 2
    outcome = tilesight("digitise", box, "--out", tmp_path / "out", "--workers", "1")
    assert outcome.code == 130
    assert f"what is read is in {tmp_path}/out, and the same command goes on with it" in outcome.err


def test_a_second_run_reads_nothing_and_damaged_pictures_are_made_anew(
    pool: Inline, box: Path, once: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    shutil.copytree(once, out)
    run(box, out)
    assert pool.tasks == []
    spoilt = sorted((out / "boards").iterdir())[0]
    spoilt.write_bytes(spoilt.read_bytes()[:100])
    run(box, out)
    assert len(pool.tasks) == 1
    assert read_results(out) == read_results(once)


def test_corrections_change_boards_games_and_stay(
    pool: Inline, box: Path, once: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    shutil.copytree(once, out)
    photos = {Path(photo["image"]).name: photo for photo in read_lines(out / "photos.jsonl")}
    wanted = {
        photos["d.jpg"]["sha256"]: {
            "squares": [{"square": [7, 3], "token": "K"}, {"square": [0, 0], "token": "."}]
        }
    }
    (tmp_path / "c.json").write_text(json.dumps({"schema": 1, "pictures": wanted}))
    run(box, out, corrections=tmp_path / "c.json")
    run(box, out)  # they are kept
    corrected = {Path(photo["image"]).name: photo for photo in read_lines(out / "photos.jsonl")}["d.jpg"]
    assert corrected["text"].splitlines()[7] == "...KRAKI......."
    assert corrected["confidence"][7][3] == 1.0
    assert {"square": [7, 3], "was": "H", "now": "K"} in corrected["corrected"]
    assert "KRAKI" in corrected["cgp"]
    assert pool.tasks == []


def test_a_tile_that_was_corrected_in_one_photo_is_corrected_in_all_that_read_it_the_same(
    pool: Inline, box: Path, once: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    shutil.copytree(once, out)
    before = read_lines(out / "photos.jsonl")

    def correct(index: int, token: str, column: int = 3, **named: str) -> list[dict[str, Any]]:
        """Correct a square of row 8 in a photo; return all photos."""
        correction = {"squares": [{"square": [7, column], "token": token}], **named}
        pictures = {before[index]["sha256"]: correction}
        (tmp_path / "c.json").write_text(json.dumps({"schema": 1, "pictures": pictures}))
        run(box, out, corrections=tmp_path / "c.json")
        return read_lines(out / "photos.jsonl")

    after = correct(3, "K", edition="icelandic")
    readings = [photo["rows"][7][3] for photo in before if "rows" in photo]
    assert readings == ["H"] * 7  # with the copies
    assert [photo["rows"][7][3] for photo in after if "rows" in photo] == ["K"] * 7
    assert {str(photo["corrected"]) for photo in after if "rows" in photo} == {
        "[{'square': [7, 3], 'was': 'H', 'now': 'K'}]"
    }
    assert [photo.get("doubts") for photo in after] == [photo.get("doubts") for photo in before]
    (game,) = read_lines(out / "games.jsonl")
    assert (game["plays"][0]["word"], game.get("doubts"), game["gaps"]) == ("KRAKI", None, [])
    assert len(find_photos(out, "KRAKI", None)) == 7
    assert find_photos(out, "HRAKI", None) == []
    after = correct(1, "T")
    assert [photo["rows"][7][3] for photo in after if "rows" in photo] == ["T"] * 7
    (game,) = read_lines(out / "games.jsonl")
    assert game["gaps"] == []
    after = correct(3, "L")
    assert [photo["rows"][7][3] for photo in after if "rows" in photo] == ["L"] * 7
    after = correct(1, "S", 4)  # its older correction of the other square does not return
    assert [photo["text"].splitlines()[7][3:5] for photo in after if "rows" in photo] == ["LS"] * 7


def test_corrections_outlive_a_run_that_is_stopped_while_it_writes(
    pool: Inline, box: Path, once: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    shutil.copytree(once, out)
    sha256 = read_lines(out / "photos.jsonl")[3]["sha256"]
    wanted = {sha256: {"squares": [{"square": [7, 3], "token": "K"}]}}
    (tmp_path / "c.json").write_text(json.dumps({"schema": 1, "pictures": wanted}))

    def stop(what: str, *_: int) -> None:
        if what == "writing":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(box, out, stop, corrections=tmp_path / "c.json")
    run(box, out)
    assert read_lines(out / "photos.jsonl")[3]["text"].splitlines()[7] == "...KRAKI......."


@pytest.mark.parametrize("photo", [2, 3])  # the fullest board and the first one
def test_an_edition_that_people_name_is_that_of_all_photos_of_the_game(
    pool: Inline, box: Path, once: Path, tmp_path: Path, photo: int
) -> None:
    out = tmp_path / "out"
    shutil.copytree(once, out)
    sha256 = read_lines(out / "photos.jsonl")[photo]["sha256"]
    (tmp_path / "c.json").write_text(
        json.dumps({"schema": 1, "pictures": {sha256: {"edition": "icelandic-1990", "squares": []}}})
    )
    run(box, out, corrections=tmp_path / "c.json")
    boards = [each for each in read_lines(out / "photos.jsonl") if each["status"] == "ok"]
    assert {task.sha256 for task in pool.tasks} == {each["sha256"] for each in boards}
    assert {(each["edition"], each["edition_probability"]) for each in boards} == {("icelandic-1990", None)}
    (game,) = read_lines(out / "games.jsonl")
    assert game["edition"] == "icelandic-1990"
    assert {each["game"] for each in boards if each["same_as"] is None} == {game["game"]}
    record = read_gcg(out / game["gcg"], edition=load_edition("icelandic-1990"))
    assert record.game.totals == tuple(game["totals"]) != (122, 34)


def test_an_edition_outlives_the_photo_on_which_it_was_named_last(
    pool: Inline, box: Path, once: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    shutil.copytree(once, out)
    first, second = (read_lines(out / "photos.jsonl")[photo]["sha256"] for photo in (2, 3))
    for wanted in (
        {first: {"edition": "icelandic-krafla"}},
        {second: {"edition": "icelandic-1990"}},
        {second: {"no_board": True}},
    ):
        (tmp_path / "c.json").write_text(json.dumps({"schema": 1, "pictures": wanted}))
        run(box, out, corrections=tmp_path / "c.json")
    (game,) = read_lines(out / "games.jsonl")
    assert game["edition"] == "icelandic-1990"


def test_a_photo_of_another_board_than_was_read_is_read_once(
    pool: Inline, box: Path, once: Path, tmp_path: Path
) -> None:
    out, alone = tmp_path / "out", tmp_path / "alone"
    alone.mkdir()
    shutil.copy(box / "d.jpg", alone)
    run(alone, out)
    (before,) = read_lines(out / "photos.jsonl")
    wanted = {before["sha256"]: {"edition": "krydsord"}}
    (tmp_path / "c.json").write_text(json.dumps({"schema": 1, "pictures": wanted}))
    run(alone, out, corrections=tmp_path / "c.json")
    (after,) = read_lines(out / "photos.jsonl")
    assert (len(after["rows"]), after["board"]) == (16, before["board"].replace(".jpg", "-16x16.jpg"))
    assert after["corrected"] == []
    assert len(pool.tasks) == 2
    run(alone, out)
    assert len(pool.tasks) == 2


def test_a_board_is_read_from_the_side_that_people_name(
    pool: Inline, box: Path, once: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    shutil.copytree(once, out)
    sha256 = read_lines(out / "photos.jsonl")[3]["sha256"]
    for turn in (1, 0):
        wanted = {sha256: {"turn": turn}, "ab": {"no_board": True}}
        (tmp_path / "c.json").write_text(json.dumps({"schema": 1, "pictures": wanted}))
        summary = run(box, out, corrections=tmp_path / "c.json")
        assert summary.unmatched_corrections == run(box, out).unmatched_corrections == 1
        assert [task.sha256 for task in pool.tasks] == [sha256]
        photo = read_lines(out / "photos.jsonl")[3]
        assert photo.get("turned_by_game", 0) == turn
        assert photo.get("corrected") == ([] if turn else None)
        assert (out / photo["board"]).exists()
        assert photo["board"].endswith("-1.jpg" if turn else f"{sha256[:20]}.jpg")
    results, before = read_results(out), read_results(once)
    changed = {name for name in results if results[name] != before.get(name)}
    assert changed == {"corrections.json", f"boards/{sha256[:20]}-1.jpg"}


def test_a_board_is_read_between_the_corners_that_people_show(
    pool: Inline, box: Path, once: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    shutil.copytree(once, out)
    before = read_lines(out / "photos.jsonl")
    shown = [[round(each) for each in corner] for corner in before[3]["corners_px"]]
    sha256 = before[3]["sha256"]
    (tmp_path / "c.json").write_text(json.dumps({"schema": 1, "pictures": {sha256: {"corners": shown}}}))
    run(box, out, corrections=tmp_path / "c.json")
    run(box, out)  # they are kept
    assert {task.sha256 for task in pool.tasks} == {sha256}
    after = read_lines(out / "photos.jsonl")
    assert after[3]["corners_given"]
    assert after[3]["corners_px"] == shown
    assert after[3]["rows"] == before[3]["rows"]
    assert [photo["game"] for photo in after] == [photo["game"] for photo in before]
    (tmp_path / "c.json").write_text(json.dumps({"schema": 1, "pictures": {sha256: {"corners": None}}}))
    run(box, out, corrections=tmp_path / "c.json")
    assert read_lines(out / "photos.jsonl") == before


def test_what_people_say_is_no_board_is_in_no_game(
    pool: Inline, box: Path, once: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    shutil.copytree(once, out)
    sha256 = read_lines(out / "photos.jsonl")[3]["sha256"]
    (tmp_path / "c.json").write_text(
        json.dumps({"schema": 1, "pictures": {sha256: {"no_board": True, "squares": []}}})
    )
    run(box, out, corrections=tmp_path / "c.json")
    photo = read_lines(out / "photos.jsonl")[3]
    assert (photo["status"], photo["board"], photo["game"]) == ("board-not-found", None, None)
    assert photo["message"] == f"{photo['image']}: a correction says that it shows no board"
    (game,) = read_lines(out / "games.jsonl")
    assert photo["image"] not in game["photos"]
    assert '"no_board":true' in (out / "report.html").read_text()
    (tmp_path / "c.json").write_text(json.dumps({"schema": 1, "pictures": {sha256: {"no_board": False}}}))
    run(box, out, corrections=tmp_path / "c.json")
    assert read_lines(out / "photos.jsonl") == read_lines(once / "photos.jsonl")
    assert pool.tasks == []
    wall = next(photo for photo in read_lines(out / "photos.jsonl") if photo["status"] == "board-not-found")
    (tmp_path / "c.json").write_text(
        json.dumps({"schema": 1, "pictures": {wall["sha256"]: {"no_board": True}}})
    )
    run(box, out, corrections=tmp_path / "c.json")
    assert [photo["image"] for photo in read_lines(out / "photos.jsonl") if photo.get("no_board")] == [
        wall["image"]
    ]


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"squares": [{"square": [7, 3], "token": "W"}]}, "'W' is no tile of icelandic"),
        ({"edition": "klingon"}, "d.jpg: edition 'klingon' is none of"),
        ({"corners": [[5e3, 5e3], [6e3, 5e3], [6e3, 6e3], [5e3, 6e3]]}, "d.jpg: corners: .* outside the pic"),
        ({"corners": [[10, 10], [14, 10], [14, 14], [10, 14]]}, "d.jpg: corners: .* too few to read"),
    ],
)
def test_a_correction_that_does_not_fit_is_refused_and_not_kept(
    pool: Inline, box: Path, once: Path, tmp_path: Path, wrong: dict[str, Any], words: str
) -> None:
    out = tmp_path / "out"
    shutil.copytree(once, out)
    sha256 = read_lines(out / "photos.jsonl")[3]["sha256"]
    (tmp_path / "c.json").write_text(json.dumps({"schema": 1, "pictures": {sha256: wrong}}))
    with pytest.raises(SettingsError, match=words):
        run(box, out, corrections=tmp_path / "c.json")
    assert read_results(out) == read_results(once)
    run(box, out)
    assert read_results(out) == read_results(once)


def test_a_kept_correction_that_does_not_fit_is_a_remark(
    pool: Inline, box: Path, once: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    shutil.copytree(once, out)
    sha256 = read_lines(out / "photos.jsonl")[3]["sha256"]
    kept = {sha256: {"edition": "klingon", "squares": [{"square": [7, 3], "token": "W"}]}}
    (out / "corrections.json").write_text(json.dumps({"schema": 1, "pictures": kept}))
    run(box, out)
    photos = read_lines(out / "photos.jsonl")
    assert [bool(photo.get("remarks")) for photo in photos] == [
        photo.get("sha256") == sha256 for photo in photos
    ]
    square, edition = photos[3]["remarks"]
    assert "'W' is no tile of icelandic" in square
    assert "'klingon' is none of" in edition
    assert photos[3]["text"].splitlines()[7] == "...HRAKI......."
    assert "is no tile of icelandic" in (out / "report.html").read_text()


def test_a_photo_that_was_read_again_is_no_witness_for_its_edition(
    once: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    how = ReadOptions(editions=tuple(map(load_edition, edition_names())))
    photos = [
        Photo(name=each["image"], sha256=each["sha256"], cache_key=how.cache_key())
        for each in read_lines(once / "photos.jsonl")[:5]
    ]
    fullest = 2
    guesses = {"icelandic": 0.6, "icelandic-1990": 0.4}
    load = Store.load

    def guessed_first(self: Store, picture: str, key: str) -> Result:
        result = load(self, picture, how.cache_key())
        record = result.record
        if picture != photos[fullest].sha256 or record.board is None:
            return result
        editions = guesses if key == how.cache_key() else None
        board = replace(record.board, editions=editions, quarter_turns=2 if key == "turned" else 0)
        return replace(result, record=replace(record, board=board))

    def read_again(key: str) -> list[Photo]:
        return [replace(each, cache_key=key) if each is photos[fullest] else each for each in photos]

    monkeypatch.setattr(Store, "load", guessed_first)
    with Store.open(once) as store:
        named = {photos[0].sha256 or "": Correction(edition="icelandic", squares={})}
        plain, told = (
            PhotoCatalogue(store=store, photos=photos, corrections=corrections, editions=how.editions)
            for corrections in ({}, named)
        )
        for catalogue in (plain, told):
            catalogue.update(read_again("again"))
        board = PhotoGames(plain).record(fullest).board
        assert board is not None
        assert board.edition_probability == pytest.approx(0.6, abs=0.01)
        assert [told.named_edition(index) for index in (0, fullest)] == ["icelandic", None]
        games = PhotoGames(told)
        boards = [games.record(index).board for index in range(5)]
        assert all(board is not None and board.edition_probability is None for board in boards)
        plain.update(read_again("turned"))
        board = PhotoGames(plain).record(fullest).board
        assert board is not None
        assert board.edition_probability == pytest.approx(1.0, abs=0.01)  # by the other photos


def test_a_game_has_the_edition_that_people_named_last(once: Path) -> None:
    how = ReadOptions(editions=tuple(map(load_edition, edition_names())))
    photos = [
        Photo(name=each["image"], sha256=each["sha256"], cache_key=how.cache_key())
        for each in read_lines(once / "photos.jsonl")[:5]
    ]
    with Store.open(once) as store:
        for names in (("icelandic-krafla", "icelandic-1990"), ("icelandic-1990", "icelandic-krafla")):
            first, second, third = (photo.sha256 or "" for photo in photos[1:4])
            corrections: Corrections = {each: Correction(edition=names[0]) for each in (third, second)}
            later = Correction(squares={(0, 0): "."})
            for new in ({first: Correction(edition=names[1])}, {second: later}):
                corrections = merge_corrections(corrections, new)
            catalogue = PhotoCatalogue(
                store=store, photos=photos, corrections=corrections, editions=how.editions
            )
            games = PhotoGames(catalogue)
            assert len(games.games) == 1
            assert games.edition(0).name == names[1]
            assert {each.name for each in games.editions_to_read_again().values()} == {names[1]}


def test_a_full_disk_ends_the_run_in_words(
    pool: Inline, box: Path, once: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = Store.keep
    count = iter(range(100))

    def full(self: Store, *arguments: Any) -> None:
        if next(count) == 2:
            with monkeypatch.context() as patch:
                patch.setattr(
                    Path,
                    "write_bytes",
                    lambda *_: (_ for _ in ()).throw(OSError(28, "No space left on device")),
                )
                kept(self, *arguments)
        kept(self, *arguments)

    monkeypatch.setattr(Store, "keep", full)
    with pytest.raises(InputError, match=r"No space left on device.*run the same command again"):
        run(box, tmp_path / "out")
    monkeypatch.setattr(Store, "keep", kept)
    run(box, tmp_path / "out")
    assert read_results(tmp_path / "out") == read_results(once)


def test_good_photos_are_read_next_to_every_kind_of_bad_file(
    pool: Inline, tmp_path: Path, icelandic_sample: Path, tilesight: Command
) -> None:
    """Each has its reason, and nothing appears outside the folder."""
    source = tmp_path / "in" / "source"
    source.mkdir(parents=True)
    good = next(icelandic_sample.glob("*.jpg")).read_bytes()
    rng = np.random.default_rng(8)
    for number in range(6):
        (source / f"cut-{number}.jpg").write_bytes(good[: int(rng.integers(1, len(good) - 10))])
        (source / f"noise-{number}.png").write_bytes(rng.bytes(2_000))
    png = cv2.imencode(".png", rng.integers(0, 255, (200, 200, 3), dtype=np.uint8))[1].tobytes()
    for number in range(6):
        flipped = bytearray(png)
        flipped[int(rng.integers(40, len(png) - 20))] ^= 0xFF
        (source / f"flipped-{number}.png").write_bytes(flipped)
    (source / "text.jpg").write_text("no picture")
    (source / "empty.jpg").write_bytes(b"")
    cv2.imwrite(str(source / "bomb.png"), np.zeros((14_000, 14_000), np.uint8))
    with zipfile.ZipFile(source / "slip.zip", "w") as archive:
        archive.writestr("../../../evil.jpg", good)
        archive.writestr("inner/good.jpg", good)
    (source / "film.mov").write_bytes(b"moving")
    outcome = tilesight("digitise", source, "--out", tmp_path / "in" / "out", "--edition", "icelandic")
    assert outcome.code == 3
    said = outcome.err.splitlines()
    assert "tilesight: not read in folders and archives: .mov (1); name what should be read" in said
    assert [line.split(": ")[1] for line in said[-6:-1]] == [
        f"{source}/{name}" for name in ("bomb.png", "cut-0.jpg", "cut-1.jpg", "cut-2.jpg", "cut-3.jpg")
    ]
    assert said[-1] == "tilesight: and 17 more; the report names all with their reasons"
    photos = read_lines(tmp_path / "in" / "out" / "photos.jsonl")
    assert [photo["image"] for photo in photos if photo["status"] == "ok"] == [
        f"{source}/slip.zip/inner/good.jpg"
    ]
    bad = [photo for photo in photos if photo["status"] != "ok"]
    assert len(bad) == 22
    assert all(
        photo["status"] == "unreadable" and photo["message"].startswith(photo["image"]) for photo in bad
    )
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in"]
    assert sorted(path.name for path in (tmp_path / "in").iterdir()) == ["out", "source"]


def test_what_failed_for_want_of_time_or_memory_is_tried_in_one_more_run(
    pool: Inline, box: Path, once: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_memory(*_: object) -> Result:
        raise MemoryError

    for runs_that_fail, reads in ((1, (8, 8, 0)), (2, (8, 8, 0))):
        out = tmp_path / f"out-{runs_that_fail}"
        for number, tasks in enumerate(reads):
            pool.tasks.clear()
            with monkeypatch.context() as patch:
                if number < runs_that_fail:
                    patch.setattr(pool, "read", no_memory)
                summary = run(box, out)
            assert len(pool.tasks) == tasks
            assert summary.statuses.get("ok", 0) == (7 if number >= runs_that_fail == 1 else 0)
            for photo in read_lines(out / "photos.jsonl"):
                if "memory" in photo.get("message", ""):
                    told = (
                        "tried once more in a second run" if number == 0 else "--out to have it tried again"
                    )
                    assert photo["message"].endswith(told)
        if runs_that_fail == 1:
            assert read_results(out) == read_results(once)


def test_tesseract_needs_the_edition_whose_language_it_reads(
    box: Path, tmp_path: Path, tilesight: Command
) -> None:
    outcome = tilesight("digitise", box, "--out", tmp_path / "out", "--reader", "tesseract")
    assert outcome.code == 2
    assert "one language; name its edition with --edition" in outcome.err
    assert not (tmp_path / "out").exists()


def test_photos_that_left_the_report_with_their_sources_are_counted(
    tilesight: Command, icelandic_sample: Path, tmp_path: Path
) -> None:
    for name in ("a/1.jpg", "a/2.jpg", "b/3.jpg"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes((icelandic_sample / f"turn-0{name[2]}.jpg").read_bytes())
    run = ("digitise", "--edition", "icelandic", "--out", tmp_path / "out")
    assert "no longer in the report" not in tilesight(*run, tmp_path / "a").err
    (tmp_path / "a" / "1.jpg").rename(tmp_path / "b" / "1.jpg")
    left = "no longer in the report, as they are not among these sources: 1 photo of the last run; name"
    assert left in " ".join(tilesight(*run, tmp_path / "b").err.split())
    assert "no longer in the report" not in tilesight(*run, tmp_path / "a", tmp_path / "b").err
    (tmp_path / "b" / "3.jpg").write_bytes((icelandic_sample / "turn-04.jpg").read_bytes())
    assert "no longer in the report" not in tilesight(*run, tmp_path / "a", tmp_path / "b").err


def test_a_kept_score_sheet_whose_photos_have_other_names_now_is_named(
    tilesight: Command, icelandic_sample: Path, tmp_path: Path
) -> None:
    photos = tmp_path / "photos"
    photos.mkdir()
    last = photos / "last.jpg"
    last.write_bytes((icelandic_sample / "turn-05.jpg").read_bytes())
    sheet = tmp_path / "sheet.toml"
    sheet.write_text('[[game]]\nphotos = "last.jpg"\nplayers = ["Anna", "Jón"]\n', encoding="utf-8")
    run = ("digitise", photos, "--edition", "icelandic", "--out", tmp_path / "out")
    assert tilesight(*run, "--sheets", sheet).code == 0
    assert "kept score sheet" not in tilesight(*run).err
    last.rename(photos / "final.jpg")
    assert "a kept score sheet is of 'last.jpg', and no photo has this name" in tilesight(*run).err
